package analysis

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Sweep is what many scenarios, one after the other, said of one pair of targets.
// Each has a report and a result directory of its own, below that of the sweep.
type Sweep struct {
	Manifest Manifest // of the whole; its Scenarios lists them all
	Reports  []Report // of the scenarios that were run, in their order
	Decision Decision
	Rules    []RuleText
	Dir      string   // the result directory as it is shown; empty: nothing was written
	Troubles []string // what went wrong with writing, a sentence each
	Elapsed  time.Duration
	Style    Style
}

// A SweptScenario is one scenario of a sweep.
type SweptScenario struct {
	Name string `json:"name"`
	// Undone says why it was not run; empty: it was, and lies in the directory of its
	// name.
	Undone string `json:"undone,omitempty"`
	// Failed tells a scenario that could not be run from one that is not for these
	// targets, or for these rules.
	Failed bool `json:"failed,omitempty"`
}

// Swept reports whether the run was a sweep, and its directory holds one result a
// scenario.
func (m Manifest) Swept() bool { return len(m.Scenarios) > 0 }

// whole is all scenarios as if they were one run: what counts rules needs no more.
// Its findings are those of all, and their numbers mean nothing.
func (s Sweep) whole() Report {
	sum := Summary{Schema: SummarySchema, Pair: s.Manifest.Pair()}
	for _, r := range s.Reports {
		sum.Groups = append(sum.Groups, r.Summary.Tested()...)
		sum.Findings = append(sum.Findings, r.Summary.Findings...)
		sum.Judged = r.Summary.Judged
	}
	sum.Expected = s.expected()
	return Report{Manifest: s.Manifest, Summary: sum, Decision: s.Decision, Rules: s.Rules, Style: s.Style}
}

// expected is what became of each expected failure over all scenarios: one that
// fails in any of them does.
func (s Sweep) expected() []ExpectedFailure {
	weight := []Fulfilment{NotApplicable, Unexercised, Undecided, Stale, FailedAsExpected}
	var out []ExpectedFailure
	for _, r := range s.Reports {
		for i, e := range r.Summary.Expected {
			e.Findings = nil // their numbers are those of one scenario
			if i == len(out) {
				out = append(out, e)
				continue
			}
			checked := out[i].Checked + e.Checked
			if slices.Index(weight, e.Fulfilment) > slices.Index(weight, out[i].Fulfilment) {
				out[i] = e
			}
			out[i].Checked = checked
		}
	}
	return out
}

// DecideSweep turns a sweep into its exit code, as [Decide] does for one scenario.
// A requirement that a scenario could not meet since a target, or a protocol
// version, lacks what it takes does not count; see [Sweep.Unable].
func DecideSweep(s Sweep, strict bool, partial string) Decision {
	whole := s.whole()
	required := whole.Summary.Judged
	if len(required) == 0 {
		required = s.missing()
	}
	code, why := decide(whole.Summary, required, strict, partial, some)
	verb := "DONE"
	if partial != "" {
		verb = "STOPPED"
	}
	return Decision{Code: code, Partial: partial, Line: fmt.Sprintf("%s %s of %s, %s, exit %d (%s)", verb,
		plural(whole.Summary.testedWorlds(), "world"), plural(len(s.Reports), "scenario"), plural(len(s.findings()), "finding"), code, why)}
}

// missing lists what scenarios required and did not exercise although they could.
func (s Sweep) missing() []string {
	var out []string
	for _, r := range s.Reports {
		if r.Decision.Code == ExitNotAsked && s.Unable(r) == "" {
			for _, what := range r.Decision.Missing {
				out = append(out, what+" in "+r.Manifest.Scenario)
			}
		}
	}
	return out
}

// Unable says why a scenario that broke nothing could not do what it is for: a target or a
// version lacks what it takes. It is empty where the scenario did, or could have.
func (s Sweep) Unable(r Report) string {
	if len(r.Decision.Missing) == 0 || r.Decision.Code != ExitNotAsked {
		return ""
	}
	return strings.Join(r.unavailables(), ", ")
}

// FailedScenarios says why the first of the scenarios that could not be run could
// not, without the cure, and which they are; empty: none.
func (s Sweep) FailedScenarios() string {
	var names []string
	first := ""
	for _, r := range s.Reports {
		if why := r.Decision.Partial; why != "" {
			names, first = append(names, r.Manifest.Scenario), orFirst(first, why)
		}
	}
	for _, sc := range s.Manifest.Scenarios {
		if sc.Failed {
			names, first = append(names, sc.Name), orFirst(first, sc.Undone)
		}
	}
	if len(names) == 0 {
		return ""
	}
	first, _, _ = strings.Cut(first, "; ")
	return first + ", in " + some(names)
}

func orFirst(first, other string) string {
	if first == "" {
		return other
	}
	return first
}
