package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// An Expectation says that a rule is known to be broken, where, and why that is
// put up with: one entry of a file of expected failures. What is empty does not
// narrow it.
type Expectation struct {
	File        string       `json:"file"`
	Line        int          `json:"line"` // from 1, where the entry begins
	Rule        string       `json:"rule"`
	Scenario    string       `json:"scenario,omitempty"` // by the name in its file
	Target      string       `json:"target,omitempty"`   // "go-sdk", or "go-sdk@v1.8.0"
	Side        history.Side `json:"side,omitempty"`     // who breaks it: client or server
	SpecVersion string       `json:"spec_version,omitempty"`
	Reason      string       `json:"reason"`
	Link        string       `json:"link"` // where it is being dealt with
}

// Place is where the entry stands: "expected.yaml:3".
func (x Expectation) Place() string { return fmt.Sprintf("%s:%d", x.File, x.Line) }

// A Fulfilment is what became of an expectation in a run.
type Fulfilment string

// Only a stale entry asks for something to be done.
const (
	FailedAsExpected Fulfilment = "failed"         // it still fails
	Stale            Fulfilment = "stale"          // exercised and held: the entry is to be deleted
	Unexercised      Fulfilment = "not exercised"  // it applies, but nothing put it to the test
	Undecided        Fulfilment = "not decided"    // put to the test, but the run came to no answer
	NotApplicable    Fulfilment = "not applicable" // about another scenario, target, side or version
)

// An ExpectedFailure is an expectation with what became of it.
type ExpectedFailure struct {
	Expectation
	Fulfilment Fulfilment `json:"fulfilment"`
	Findings   []string   `json:"findings,omitempty"` // the ones that it foresaw: "F1"
	Checked    int        `json:"checked"`            // how often its rule was exercised where it applies
	Why        string     `json:"why,omitempty"`      // of NotApplicable and Undecided
}

// Expectations are the entries that a run is held against, and what it needs to
// know of the run to do so.
type Expectations struct {
	Scenario       string // by the name in its file
	Client, Server history.Peer
	Entries        []Expectation // in the order of the file
}

// foresees returns the first entry that a broken rule matches.
func (x Expectations) foresees(rule string, side history.Side, specVersion string) (Expectation, bool) {
	i := slices.IndexFunc(x.Entries, func(e Expectation) bool { return x.matches(e, rule, side, specVersion) })
	if i < 0 {
		return Expectation{}, false
	}
	return x.Entries[i], true
}

func (x Expectations) matches(e Expectation, rule string, side history.Side, specVersion string) bool {
	return e.Rule == rule && x.elsewhere(e) == "" && x.covers(e, side) &&
		(e.SpecVersion == "" || e.SpecVersion == specVersion)
}

// elsewhere says why an entry is not about this scenario.
func (x Expectations) elsewhere(e Expectation) string {
	if e.Scenario != "" && e.Scenario != x.Scenario {
		return fmt.Sprintf("it is about scenario %s, not %s", e.Scenario, x.Scenario)
	}
	return ""
}

// covers reports whether an entry is about what happens on a side. The side
// World stands for both, where it cannot be told whose doing something was.
func (x Expectations) covers(e Expectation, side history.Side) bool {
	if e.Side != "" && e.Side != side {
		return false
	}
	return e.Target == "" ||
		side != history.Client && names(e.Target, x.Server) ||
		side != history.Server && names(e.Target, x.Client)
}

// names reports whether target is that peer, with its version or without.
func names(target string, p history.Peer) bool {
	return target == p.Target || target == p.Target+"@"+p.Version
}

// Surprising reports whether a world under test broke a rule that no entry
// foresees.
func (x Expectations) Surprising(w World) bool {
	if w.Arm != ArmTarget {
		return false
	}
	for _, v := range w.Judgement.Verdicts {
		if v.Status != oracle.Fail || v.Implied != "" {
			continue
		}
		for _, part := range bySide(v) {
			if _, expected := x.foresees(v.Rule, part.Side, w.SpecVersion); !expected {
				return true
			}
		}
	}
	return false
}

// Apply marks the findings of s that were expected, and adds what became of each
// entry. cut says that the run stopped before its end, so that what it has not
// seen proves nothing.
func (x Expectations) Apply(s *Summary, cut bool) {
	for i := range s.Findings {
		f := &s.Findings[i]
		if e, ok := x.foresees(f.Rule, f.Side, f.SpecVersion); ok {
			f.Expected = &e
		}
	}
	for _, e := range x.Entries {
		s.Expected = append(s.Expected, x.fulfilment(e, *s, cut))
	}
}

func (x Expectations) fulfilment(e Expectation, s Summary, cut bool) ExpectedFailure {
	out := ExpectedFailure{Expectation: e, Fulfilment: NotApplicable, Why: x.elsewhere(e)}
	for _, f := range s.Findings {
		if x.matches(e, f.Rule, f.Side, f.SpecVersion) {
			out.Findings = append(out.Findings, f.ID)
		}
	}
	rules, why := x.binding(e, s)
	decided, implied := false, false
	for _, r := range rules {
		out.Checked += r.Checked
		decided = decided || r.decided()
		implied = implied || r.Implied > 0
	}
	switch {
	case out.Why != "":
	case why != "":
		out.Why = why
	case len(out.Findings) > 0:
		out.Fulfilment = FailedAsExpected
	case implied:
		out.Fulfilment, out.Why = Undecided, "it fails, and is reported under a stricter rule: name "+strictFor(e.Rule)+" instead"
	case out.Checked == 0:
		out.Fulfilment = Unexercised
	case !decided:
		out.Fulfilment, out.Why = Undecided, "no world came to a verdict"
	case cut:
		out.Fulfilment, out.Why = Undecided, "it has not failed, but not all seeds were run"
	default:
		out.Fulfilment = Stale
	}
	return out
}

// binding returns what the run has to say of an entry's rule where the entry
// applies, or why it applies nowhere.
func (x Expectations) binding(e Expectation, s Summary) (tallies []RuleTally, why string) {
	if len(s.Judged) > 0 && !slices.Contains(s.Judged, e.Rule) {
		return nil, "--rules leaves its rule out"
	}
	ran := false
	for _, g := range s.Tested() {
		if e.SpecVersion != "" && e.SpecVersion != g.SpecVersion {
			continue
		}
		ran = true
		for _, r := range g.Rules {
			if r.Rule != e.Rule || !r.weighs() {
				continue
			}
			if !x.covers(e, sideOf(r, e)) {
				return nil, fmt.Sprintf("it is about %s, not %s", about(e), x.players())
			}
			tallies = append(tallies, r)
		}
	}
	switch {
	case !ran:
		return nil, strings.TrimSpace("the run has no worlds at " + e.SpecVersion)
	case len(tallies) == 0:
		return nil, "its rule does not bind at the run's spec versions"
	}
	return tallies, ""
}

// sideOf is the side on which an entry is looked for: its own where the rule
// binds both.
func sideOf(r RuleTally, e Expectation) history.Side {
	if r.Side == history.World {
		return cmp.Or(e.Side, r.Side)
	}
	return r.Side
}

// players names who was there to be about.
func (x Expectations) players() string {
	pair := Manifest{Client: x.Client, Server: x.Server}
	return fmt.Sprintf("client %s and server %s", pair.Typed(x.Client), pair.Typed(x.Server))
}

// about names the target that an entry is about.
func about(e Expectation) string {
	return strings.TrimSpace(string(e.Side) + " " + e.Target)
}

// strictFor is the rule under which breaches of a rule are reported.
func strictFor(rule string) string {
	r, _ := oracle.FindRule(rule)
	return r.Implied
}

// fulfilled returns the entries that came to one of these ends.
func (s Summary) fulfilled(kinds ...Fulfilment) []ExpectedFailure {
	var out []ExpectedFailure
	for _, e := range s.Expected {
		if slices.Contains(kinds, e.Fulfilment) {
			out = append(out, e)
		}
	}
	return out
}
