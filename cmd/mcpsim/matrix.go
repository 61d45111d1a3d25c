package main

import (
	"cmp"
	"slices"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/scenarios"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/reference"
)

// The matrix holds the oracles to the mutants and the mutants to the oracles: each
// mutant has to break exactly the rules that it is said to break, in a scenario that
// gives its defect a chance, and the reference none in any scenario. Its rows are
// pairs of targets in a scenario, and its cells are the rules at each protocol
// version.
type matrix struct {
	specVersions []string
	bindings     map[string]binding // by transport
	rows         []*matrixRow
}

// A matrixRow is one pair in one scenario. Its pair is the reference and a mutant of
// it, or the reference on both sides.
type matrixRow struct {
	mutant   string // the target that the row is about; empty: the reference on both sides
	scenario string
	main     bool // the mutant's own scenario, not one where it is only not to be accused wrongly
	client   string
	server   string
	expect   func(specVersion string) []string // rules that must fail, and no others
	worlds   uint64                            // at each version, unless all that must fail does earlier

	transport string // the scenario's
	bind      binding
	results   map[string]*rowResult // by protocol version; at one that does not have the transport there are no worlds
}

// A binding is the catalogue of rules over one transport as the matrix needs it, looked
// up once.
type binding struct {
	rules []string
	level map[string]map[string]oracle.Level // by version and rule
}

func bindingOver(transport string, specVersions []string) binding {
	b := binding{level: map[string]map[string]oracle.Level{}}
	for _, rule := range oracle.Rules() {
		b.rules = append(b.rules, rule.ID)
		for _, v := range specVersions {
			if b.level[v] == nil {
				b.level[v] = map[string]oracle.Level{}
			}
			b.level[v][rule.ID] = rule.LevelOver(oracle.Transport(transport), v)
		}
	}
	return b
}

// A rowResult is what the worlds of a row came to at one version.
type rowResult struct {
	worlds  int
	missing []string // what the scenario requires and these worlds did not exercise
	cells   map[string]matrixCell
}

// A matrixCell is what they came to for one rule.
type matrixCell struct {
	Checked int    `json:"checked"`
	Failed  int    `json:"failed"`
	Seed    uint64 `json:"seed"`           // the smallest that failed
	What    string `json:"what,omitempty"` // and how
}

// A matrixPlan is how large a matrix is.
type matrixPlan struct {
	mutants      []reference.Mutant
	clean        []string // scenarios in which the reference plays against itself
	specVersions []string
	worlds       uint64 // of a row, at each version
}

// How many worlds a row has, unless other seeds are asked for. A mutant's row is over, at a version, when all rules
// that it must break have failed, but not before the first cleanWorlds have shown
// that no other does. The rows of the reference are run whole.
const (
	matrixSeeds = "0-39"
	cleanWorlds = 10
)

// wholeMatrix is every mutant and the whole catalogue.
func wholeMatrix(specVersions []string, seeds sim.Seeds) matrixPlan {
	return matrixPlan{mutants: reference.Mutants(), clean: scenarios.Names(), specVersions: specVersions, worlds: uint64(seeds.Count())}
}

// matrix lays the rows out: the reference first, then the mutants.
func (p matrixPlan) matrix() *matrix {
	m := &matrix{specVersions: p.specVersions, bindings: map[string]binding{}}
	for _, t := range sim.Transports() {
		m.bindings[t] = bindingOver(t, p.specVersions)
	}
	for _, scenario := range p.clean {
		m.add(p, matrixRow{scenario: scenario, client: "reference", server: "reference", expect: nothing})
	}
	for _, mutant := range p.mutants {
		r := rowOf(mutant)
		m.add(p, r)
		if other, ok := r.inTheOtherNetwork(); ok {
			m.add(p, other)
		}
		if other, ok := r.amongCancels(); ok {
			m.add(p, other)
		}
	}
	return m
}

func (m *matrix) add(p matrixPlan, r matrixRow) {
	r.transport = transportOf(r.scenario)
	r.worlds, r.results, r.bind = p.worlds, map[string]*rowResult{}, m.bindings[r.transport]
	for _, v := range p.specVersions {
		r.results[v] = &rowResult{cells: map[string]matrixCell{}}
	}
	m.rows = append(m.rows, &r)
}

// transportOf returns the transport of a scenario of the catalogue.
func transportOf(scenario string) string {
	sc, err := catalogued(scenario)
	if err != nil {
		panic(err) // a test parses them all
	}
	return sc.Transport
}

// rules lists all rules.
func (m *matrix) rules() []string { return m.bindings[sim.Stdio].rules }

// played returns the versions that have the row's transport.
func (r *matrixRow) played(specVersions []string) []string {
	return slices.DeleteFunc(slices.Clone(specVersions), func(v string) bool { return !sim.InVersion(r.transport, v) })
}

func nothing(string) []string { return nil }

func rowOf(m reference.Mutant) matrixRow {
	r := matrixRow{
		mutant: m.Name, client: "reference", server: m.Target(), main: true,
		scenario: cmp.Or(m.Scenario, steadyScenario), expect: m.Expect,
	}
	if m.Side == history.Client {
		r.client, r.server = m.Target(), "reference"
	}
	return r
}

// The network of one scenario always takes what the client writes, that of the
// other does not.
const shakyScenario = "shaky-network"

// inTheOtherNetwork makes a second row for a mutant of either network: what shows in
// the steady one shows in the shaky one too, and nothing besides; what shows in the
// shaky one alone does not show in the steady one at all.
func (r matrixRow) inTheOtherNetwork() (matrixRow, bool) {
	r.main = false
	switch r.scenario {
	case steadyScenario:
		r.scenario = shakyScenario
		return r, true
	case shakyScenario:
		r.scenario, r.expect = steadyScenario, nothing
		return r, true
	}
	return r, false
}

// amongCancels makes a second row for a mutant whose defect has nothing to do with
// cancels. Where there are some, it is not said to break the rules of cancels: one
// that gets calls wrong breaks the rules that it breaks without them, and one that
// ends badly under calls in flight none, since there are none in flight.
func (r matrixRow) amongCancels() (matrixRow, bool) {
	r.main = false
	switch r.scenario {
	case "no-cancels":
	case "abrupt-close", "half-close", "server-dies", "close-with-work-in-flight":
		r.expect = nothing
	default:
		return r, false
	}
	r.scenario = steadyScenario
	return r, true
}

// expected are the rules that must fail at a version. What a version does not have
// cannot be broken there.
func (r *matrixRow) expected(specVersion string) []string {
	return slices.DeleteFunc(slices.Clone(r.expect(specVersion)), func(id string) bool {
		return r.bind.level[specVersion][id] == ""
	})
}

// survived are those of the expected rules that no world broke.
func (r *matrixRow) survived(specVersion string) []string {
	return slices.DeleteFunc(r.expected(specVersion), func(id string) bool {
		return r.results[specVersion].cells[id].Failed > 0
	})
}

// accused are the rules that failed and must not have.
func (r *matrixRow) accused(specVersion string) []string {
	expected := r.expected(specVersion)
	var out []string
	for _, id := range r.bind.rules {
		if r.results[specVersion].cells[id].Failed > 0 && !slices.Contains(expected, id) {
			out = append(out, id)
		}
	}
	return out
}

// wants reports whether the row takes one more world at a version: the row of a
// mutant is over early when everything that it must break has been seen broken.
func (r *matrixRow) wants(specVersion string, taken uint64) bool {
	if r.mutant == "" || taken < cleanWorlds {
		return taken < r.worlds
	}
	return taken < r.worlds && len(r.survived(specVersion)) > 0
}

// title names the row.
func (r *matrixRow) title() string {
	if r.mutant == "" {
		return "reference in " + r.scenario
	}
	return r.mutant + " in " + r.scenario
}
