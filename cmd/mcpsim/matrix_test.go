package main

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/scenarios"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/lease"
	"github.com/mcpsim/mcpsim/sim/reference"
)

const (
	mutantWorlds    = 40  // of each mutant, a version
	referenceWorlds = 500 // of the reference against itself in cancel-storm, a version
	otherWorlds     = 150 // likewise in each other scenario that a mutant needs
)

// A row of the matrix is one pair of targets; its cells are the rules, at each
// protocol version.
type row struct {
	target         string // of the pair, the one that the row is about
	scenario       string
	client, server string
	worlds         uint64
	expect         func(version string) []string // rules that must fail
}

// matrix has the reference first, in every scenario of the catalogue, and then
// its mutants: each has one defect, and sits opposite the plain reference.
func matrix() []row {
	var rows []row
	for _, scenario := range scenarios.Names() {
		rows = append(rows, cleanRow(scenario))
	}
	for _, m := range reference.Mutants() {
		r := rowOf(m)
		rows = append(rows, r)
		if other, ok := inTheOtherNetwork(r); ok {
			rows = append(rows, other)
		}
		if other, ok := amongCancels(r); ok {
			rows = append(rows, other)
		}
	}
	return rows
}

func rowOf(m reference.Mutant) row {
	r := row{
		target: m.Target(), client: "reference", server: m.Target(),
		scenario: cmp.Or(m.Scenario, steady), worlds: mutantWorlds, expect: m.Expect,
	}
	if m.Side == history.Client {
		r.client, r.server = m.Target(), "reference"
	}
	return r
}

// The network of one scenario always takes what the client writes, that of the
// other does not.
const (
	steady = "cancel-storm"
	shaky  = "shaky-network"
)

// inTheOtherNetwork makes a second row for a mutant of either network: what shows in
// the steady one shows in the shaky one too, and nothing besides; what shows in the
// shaky one alone does not show in the steady one at all.
func inTheOtherNetwork(r row) (row, bool) {
	switch r.scenario {
	case steady:
		r.scenario = shaky
		return r, true
	case shaky:
		r.scenario, r.expect = steady, func(string) []string { return nil }
		return r, true
	}
	return r, false
}

// amongCancels makes a second row for a mutant whose defect has nothing to do with
// cancels. Where there are some, it is not said to break the rules of cancels: one
// that gets calls wrong breaks the rules that it breaks without them, and one that
// ends badly under calls in flight none, since there are none in flight.
func amongCancels(r row) (row, bool) {
	switch r.scenario {
	case "no-cancels":
	case "abrupt-close", "half-close", "server-dies":
		r.expect = func(string) []string { return nil }
	default:
		return r, false
	}
	r.scenario = steady
	return r, true
}

// cleanRow has the reference on both sides.
func cleanRow(scenario string) row {
	r := row{
		target: "reference", client: "reference", server: "reference",
		scenario: scenario, worlds: otherWorlds, expect: func(string) []string { return nil },
	}
	if scenario == steady {
		r.worlds = referenceWorlds
	}
	return r
}

// A cell is what the worlds of a row and a version came to for one rule.
type cell struct {
	checked, failed int
	seed            uint64 // the smallest that failed
	what            string // and how
}

// TestMatrix holds the oracles to the mutants and the mutants to the oracles:
// every cell of rule × mutant × version is what it should be.
func TestMatrix(t *testing.T) {
	cells := runMatrix(t, builtWorker(t))
	for _, r := range matrix() {
		for _, version := range bothVersions() {
			t.Run(r.target+" in "+r.scenario+" at "+version, func(t *testing.T) {
				for _, rule := range oracle.Rules() {
					c := cells[cellKey{r.target, r.scenario, version, rule.ID}]
					want := slices.Contains(r.expect(version), rule.ID)
					assert.Equal(t, want, c.failed > 0, "%s: failed %d of %d, first at seed %d: %s",
						rule.ID, c.failed, c.checked, c.seed, c.what)
				}
			})
		}
	}
	for _, rule := range oracle.Rules() {
		if rule.Level(bothVersions()[0]) == "" && rule.Level(bothVersions()[1]) == "" {
			continue // a rule of older versions alone
		}
		t.Run(rule.ID, func(t *testing.T) { assertTeeth(t, cells, rule) })
	}
}

// assertTeeth makes sure that the reference's clean rows mean something for this
// rule, and that some mutant breaks it.
func assertTeeth(t *testing.T, cells map[cellKey]cell, rule oracle.Rule) {
	caught := false
	for _, version := range bothVersions() {
		checked := 0
		for _, r := range matrix() {
			c := cells[cellKey{r.target, r.scenario, version, rule.ID}]
			if r.target == "reference" {
				checked += c.checked
			}
			caught = caught || c.failed > 0
		}
		assert.Equal(t, rule.Level(version) != "", checked > 0,
			"%s: checked %d times; it is to be exercised where the version has the rule, and only there", version, checked)
	}
	assert.True(t, caught, "no mutant breaks it")
}

// TestExpectationsNameRules keeps a misspelt rule from being expected for ever.
func TestExpectationsNameRules(t *testing.T) {
	for _, m := range reference.Mutants() {
		assert.NotEmpty(t, slices.Concat(m.Legacy, m.Modern), "%s does nothing", m.Name)
		for _, version := range bothVersions() {
			for _, id := range m.Expect(version) {
				rule, ok := oracle.FindRule(id)
				if assert.True(t, ok, "%s expects %s, which is no rule", m.Name, id) {
					assert.NotEmpty(t, rule.Level(version), "%s expects %s, which %s does not have", m.Name, id, version)
				}
			}
		}
	}
}

type cellKey struct{ target, scenario, version, rule string }

// runMatrix runs all rows, those of one scenario in one pool: a lease says which
// pair plays.
func runMatrix(t *testing.T, worker engine.Worker) map[cellKey]cell {
	cells := map[cellKey]cell{}
	for _, scenario := range scenarios.Names() {
		var rows []row
		for _, r := range matrix() {
			if r.scenario == scenario {
				rows = append(rows, r)
			}
		}
		if len(rows) > 0 {
			runRows(t, worker, rows, cells)
		}
	}
	return cells
}

// runRows runs the rows of one scenario.
func runRows(t *testing.T, worker engine.Worker, rows []row, cells map[cellKey]cell) {
	e := loaded(t, rows[0].scenario, choice{client: "reference", server: "reference"})
	var pairs []lease.Pair
	for _, r := range rows {
		pairs = append(pairs, lease.Pair{Arm: string(analysis.ArmTarget), Client: r.client, Server: r.server})
	}
	var mu sync.Mutex // guards cells
	pool := engine.Pool{Worker: worker, Setup: e.setup(pairs), Jobs: 2, CPULimit: e.cpuLimit()}
	err := pool.Run(t.Context(), leasesOf(rows), func(out engine.Outcome) error {
		if out.Death != nil {
			return fmt.Errorf("seed %d of %v: %s\n%s", out.Lease.Seed, pairs[out.Lease.Pair], out.Death.Headline(), out.Death.Report)
		}
		w, err := e.judged(out, pairs[out.Lease.Pair])
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		addWorld(cells, rows[out.Lease.Pair], w)
		return nil
	})
	require.NoError(t, err)
}

func leasesOf(rows []row) func(yield func(lease.Lease) bool) {
	return func(yield func(lease.Lease) bool) {
		for pair, r := range rows {
			for seed := range r.worlds {
				for _, version := range bothVersions() {
					if !yield(lease.Lease{Pair: pair, SpecVersion: version, Seed: seed}) {
						return
					}
				}
			}
		}
	}
}

// addWorld counts the verdicts of a world. One that is implied by a stricter rule
// reports the same act a second time, and does not count.
func addWorld(cells map[cellKey]cell, r row, w analysis.World) {
	for _, v := range w.Judgement.Verdicts {
		k := cellKey{r.target, r.scenario, w.SpecVersion, v.Rule}
		c := cells[k]
		c.checked += v.Checked
		if v.Status == oracle.Fail && v.Implied == "" {
			if c.failed == 0 || w.Seed < c.seed {
				c.seed, c.what = w.Seed, v.Violations[0].What
			}
			c.failed += v.Failed
		}
		cells[k] = c
	}
}
