package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// A SweepFinding is what one side does against one rule, in any scenario of a sweep
// and at any protocol version where the rule weighs as much.
type SweepFinding struct {
	ID           string         `json:"id"` // "F1"
	Rule         string         `json:"rule"`
	Level        oracle.Level   `json:"level"`
	Side         history.Side   `json:"side"`
	Target       string         `json:"target"`
	SpecVersions []string       `json:"spec_versions"` // ascending
	Failed       int            `json:"failed"`
	Checked      int            `json:"checked"`   // in those scenarios, at those versions
	Scenarios    []string       `json:"scenarios"` // in the order of the sweep
	What         map[string]int `json:"what"`
	Expected     *Expectation   `json:"expected,omitempty"`    // nil unless all of it was foreseen
	SameActAs    string         `json:"same_act_as,omitempty"` // ID of the finding that is the same behaviour, weighed more at another version

	// Where the smallest seed is, over all scenarios and versions.
	Scenario    string   `json:"scenario"`
	SpecVersion string   `json:"spec_version"`
	Seed        uint64   `json:"seed"`
	Finding     string   `json:"finding"` // its number in that scenario, whose directory has a page on it
	Replay      []string `json:"replay"`  // the command line, word by word
}

type sweepKey struct {
	rule  string
	side  history.Side
	class int
}

// findings unites the findings of all scenarios, worst first, then in the order of
// the catalogue of rules.
func (s Sweep) findings() []SweepFinding {
	index := map[sweepKey]int{}
	var out []SweepFinding
	for _, r := range s.Reports {
		counted := map[string]bool{} // rules and versions whose checks are in
		for _, f := range r.Summary.Findings {
			key := sweepKey{f.Rule, f.Side, Weigh(f.Level)}
			i, known := index[key]
			if !known {
				i = len(out)
				index[key] = i
				out = append(out, SweepFinding{Rule: f.Rule, Level: f.Level, Side: f.Side, Target: f.Target, What: map[string]int{}, Expected: f.Expected})
			}
			once := fmt.Sprint(key, f.SpecVersion)
			out[i].unite(r, f, !counted[once])
			counted[once] = true
		}
	}
	order := func(f SweepFinding) int {
		return slices.IndexFunc(s.Rules, func(t RuleText) bool { return t.ID == f.Rule })
	}
	slices.SortStableFunc(out, func(a, b SweepFinding) int {
		return cmp.Or(cmp.Compare(Weigh(a.Level), Weigh(b.Level)), cmp.Compare(order(a), order(b)), strings.Compare(string(a.Side), string(b.Side)))
	})
	for i := range out {
		out[i].ID = fmt.Sprintf("F%d", i+1)
	}
	for i := range out {
		s.relate(&out[i], out)
	}
	return out
}

// relate notes that a finding is the same behaviour as a graver one wherever it
// shows.
func (s Sweep) relate(u *SweepFinding, all []SweepFinding) {
	graver := ""
	for _, r := range s.Reports {
		for _, f := range r.Summary.Findings {
			if f.Rule != u.Rule || f.Side != u.Side || Weigh(f.Level) != Weigh(u.Level) {
				continue
			}
			i := slices.IndexFunc(r.Summary.Findings, func(o Finding) bool { return o.ID == f.SameActAs })
			if i < 0 || graver != "" && graver != r.Summary.Findings[i].Rule {
				return
			}
			graver = r.Summary.Findings[i].Rule
		}
	}
	for _, o := range all {
		if o.Rule == graver && o.Side == u.Side && Weigh(o.Level) < Weigh(u.Level) {
			u.SameActAs = o.ID
		}
	}
}

// unite adds a finding of one scenario; first says that it is the first of its rule,
// side and version there, whose checks are to be counted.
func (u *SweepFinding) unite(r Report, f Finding, first bool) {
	bad, of := f.counts(textOf(r.Rules, f.Rule))
	u.Failed += bad
	if first {
		u.Checked += of
	}
	if f.Expected == nil {
		u.Expected = nil
	}
	for what, n := range f.What {
		u.What[what] += n
	}
	if !slices.Contains(u.SpecVersions, f.SpecVersion) {
		u.SpecVersions = append(u.SpecVersions, f.SpecVersion)
		slices.Sort(u.SpecVersions)
	}
	if name := r.Manifest.Scenario; !slices.Contains(u.Scenarios, name) {
		u.Scenarios = append(u.Scenarios, name)
	}
	if u.Scenario == "" || f.Seeds[0] < u.Seed {
		u.Scenario, u.SpecVersion, u.Seed, u.Finding = r.Manifest.Scenario, f.SpecVersion, f.Seeds[0], f.ID
		u.Level = f.Level
		u.Replay = r.Manifest.Replay(f.SpecVersion, f.Seeds[0])
	}
}

// FindingOf returns a finding by its number, in any case. The error lists those
// that there are.
func (s Sweep) FindingOf(id string) (SweepFinding, error) {
	var ids []string
	for _, f := range s.findings() {
		if strings.EqualFold(f.ID, id) {
			return f, nil
		}
		ids = append(ids, f.ID)
	}
	if len(ids) == 0 {
		return SweepFinding{}, fmt.Errorf("there is no finding %s; the run found nothing", id)
	}
	return SweepFinding{}, fmt.Errorf("there is no finding %s; there are %s", id, strings.Join(ids, ", "))
}

// asFinding lets a united finding speak with the words of one scenario's.
func (u SweepFinding) asFinding() Finding {
	return Finding{Rule: u.Rule, Level: u.Level, Side: u.Side, Target: u.Target, What: u.What, Expected: u.Expected,
		Failed: u.Failed, Checked: u.Checked, Worlds: u.Failed, WorldsExercised: u.Checked}
}
