package main

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/lease"
	"github.com/mcpsim/mcpsim/sim/reference"
)

const (
	mutantWorlds    = 40  // of each mutant, a version
	referenceWorlds = 500 // of the reference against itself, a version
)

// The scenarios of the matrix. The network of the first always takes what the
// client writes, that of the second does not.
const (
	steady = "cancel-storm"
	shaky  = "shaky-network"
)

// A row of the matrix is one pair of targets in one scenario; its cells are the
// rules, at each protocol version.
type row struct {
	scenario       string
	target         string // of the pair, the one that the row is about
	client, server string
	worlds         uint64
	expect         func(version string) []string // rules that must fail
}

// matrix has the reference first, and then its mutants: each has one defect, and
// sits opposite the plain reference.
func matrix() []row {
	var rows []row
	for _, scenario := range []string{steady, shaky} {
		rows = append(rows, row{
			scenario: scenario, target: "reference", client: "reference", server: "reference", worlds: referenceWorlds,
			expect: func(string) []string { return nil },
		})
		for _, m := range reference.Mutants() {
			rows = append(rows, rowOf(scenario, m))
		}
	}
	return rows
}

func rowOf(scenario string, m reference.Mutant) row {
	r := row{scenario: scenario, target: m.Target(), client: "reference", server: m.Target(), worlds: mutantWorlds, expect: m.Expect}
	if m.Side == history.Client {
		r.client, r.server = m.Target(), "reference"
	}
	if m.Stalling && scenario == steady {
		r.expect = func(string) []string { return nil }
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
					c := cells[cellKey{r.scenario, r.target, version, rule.ID}]
					want := slices.Contains(r.expect(version), rule.ID)
					assert.Equal(t, want, c.failed > 0, "%s: failed %d of %d, first at seed %d: %s",
						rule.ID, c.failed, c.checked, c.seed, c.what)
				}
			})
		}
	}
	for _, rule := range oracle.Rules() {
		t.Run(rule.ID, func(t *testing.T) { assertTeeth(t, cells, rule) })
	}
}

// assertTeeth makes sure that the reference's clean row means something for this
// rule, and that some mutant breaks it.
func assertTeeth(t *testing.T, cells map[cellKey]cell, rule oracle.Rule) {
	var caught []string
	for _, version := range bothVersions() {
		checked := cells[cellKey{steady, "reference", version, rule.ID}].checked + cells[cellKey{shaky, "reference", version, rule.ID}].checked
		assert.Equal(t, rule.Level(version) != "", checked > 0,
			"%s: checked %d times; it is to be exercised where the version has the rule, and only there", version, checked)
		for _, m := range reference.Mutants() {
			if cells[cellKey{steady, m.Target(), version, rule.ID}].failed+cells[cellKey{shaky, m.Target(), version, rule.ID}].failed > 0 {
				caught = append(caught, m.Name)
			}
		}
	}
	assert.NotEmpty(t, caught, "no mutant breaks it")
}

// TestExpectationsNameRules keeps a misspelt rule from being expected for ever.
func TestExpectationsNameRules(t *testing.T) {
	for _, m := range reference.Mutants() {
		for _, version := range bothVersions() {
			assert.NotEmpty(t, m.Expect(version), "%s does nothing at %s", m.Name, version)
			for _, id := range m.Expect(version) {
				rule, ok := oracle.FindRule(id)
				if assert.True(t, ok, "%s expects %s, which is no rule", m.Name, id) {
					assert.NotEmpty(t, rule.Level(version), "%s expects %s, which %s does not have", m.Name, id, version)
				}
			}
		}
	}
}

type cellKey struct{ scenario, target, version, rule string }

// runMatrix runs the rows of each scenario.
func runMatrix(t *testing.T, worker engine.Worker) map[cellKey]cell {
	cells := map[cellKey]cell{}
	for _, scenario := range []string{steady, shaky} {
		rows := slices.DeleteFunc(matrix(), func(r row) bool { return r.scenario != scenario })
		runRows(t, worker, rows, cells)
	}
	return cells
}

// runRows runs rows of one scenario in one pool: a lease says which pair plays.
func runRows(t *testing.T, worker engine.Worker, rows []row, cells map[cellKey]cell) {
	e := loaded(t, rows[0].scenario, choice{client: "reference", server: "reference"})
	var pairs []lease.Pair
	for _, r := range rows {
		pairs = append(pairs, lease.Pair{Arm: string(analysis.ArmTarget), Client: r.client, Server: r.server})
	}
	var mu sync.Mutex // guards cells
	pool := engine.Pool{Worker: worker, Setup: e.setup(pairs), Jobs: 2, CPULimit: e.cpuLimit()}
	err := pool.Run(t.Context(), matrixLeases(rows), func(out engine.Outcome) error {
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

func matrixLeases(rows []row) func(yield func(lease.Lease) bool) {
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
		k := cellKey{r.scenario, r.target, w.SpecVersion, v.Rule}
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
