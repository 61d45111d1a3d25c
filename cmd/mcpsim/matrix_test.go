package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/reference"
)

// TestMatrix holds every cell of rule × mutant × version to what it should be, and
// the reference, in every scenario of the catalogue, to breaking nothing and
// exercising what the scenario requires. mcpsim selftest prints the same matrix.
func TestMatrix(t *testing.T) {
	seeds, err := sim.ParseSeeds(matrixSeeds)
	require.NoError(t, err)
	m := wholeMatrix(sim.SpecVersions(), seeds).matrix()
	runner := matrixRunner{worker: builtWorker(t), jobs: 2, seeds: seeds}
	require.NoError(t, runner.run(t.Context(), m))
	t.Logf("%d worlds", runner.worlds)
	for _, r := range m.rows {
		for _, version := range r.played(m.specVersions) {
			t.Run(r.title()+" at "+version, func(t *testing.T) { assertRow(t, r, version) })
		}
	}
	for _, rule := range oracle.Rules() {
		t.Run(rule.ID, func(t *testing.T) { assertTeeth(t, m, rule) })
	}
}

func assertRow(t *testing.T, r *matrixRow, version string) {
	result, expected := r.results[version], r.expected(version)
	for _, rule := range oracle.Rules() {
		c := result.cells[rule.ID]
		assert.Equal(t, slices.Contains(expected, rule.ID), c.Failed > 0,
			"%s: failed %d of %d in %d worlds, first at seed %d: %s", rule.ID, c.Failed, c.Checked, result.worlds, c.Seed, c.What)
	}
	if r.mutant == "" {
		assert.EqualValues(t, r.worlds, result.worlds)
		assert.Empty(t, result.missing, "required and not exercised")
	} else {
		assert.GreaterOrEqual(t, result.worlds, cleanWorlds)
	}
}

// assertTeeth makes sure that the reference's clean rows mean something for this
// rule, and that some mutant breaks it.
func assertTeeth(t *testing.T, m *matrix, rule oracle.Rule) {
	caught := false
	for _, version := range m.specVersions {
		checked := 0
		for _, r := range m.rows {
			c := r.results[version].cells[rule.ID]
			if r.mutant == "" {
				checked += c.Checked
			}
			caught = caught || c.Failed > 0
		}
		assert.Equal(t, bindsAnywhere(rule, version), checked > 0,
			"%s: checked %d times; it is to be exercised where the version has the rule, and only there", version, checked)
	}
	assert.True(t, caught, "no mutant breaks it")
}

// TestExpectationsNameRules keeps a misspelt rule from being expected for ever, and a
// mutant from having no defect at all.
func TestExpectationsNameRules(t *testing.T) {
	for _, mutant := range reference.Mutants() {
		r := rowOf(mutant)
		r.bind = bindingOver(transportOf(r.scenario), sim.SpecVersions())
		binding := 0
		for _, version := range sim.SpecVersions() {
			for _, id := range mutant.Expect(version) {
				_, known := oracle.FindRule(id)
				assert.True(t, known, "%s expects %s, which is no rule", mutant.Name, id)
			}
			binding += len(r.expected(version))
		}
		assert.Positive(t, binding, "%s breaks nothing at any version", mutant.Name)
	}
}

// TestRowsAreOverEarly is when a row takes no more worlds: not before its first ones
// are clean of other failures, and not before everything it must break is broken.
func TestRowsAreOverEarly(t *testing.T) {
	version := sim.SpecVersions()[0]
	mutant := reference.Mutants()[0]
	plan := matrixPlan{mutants: []reference.Mutant{mutant}, clean: []string{steadyScenario}, specVersions: []string{version}, worlds: 40}
	m := plan.matrix()
	clean, row := m.rows[0], m.rows[1]
	assert.True(t, clean.wants(version, 39), "the reference is run whole")
	assert.False(t, clean.wants(version, 40))
	assert.True(t, row.wants(version, cleanWorlds), "nothing is broken yet")
	for _, id := range row.expected(version) {
		row.results[version].cells[id] = matrixCell{Checked: 1, Failed: 1}
	}
	assert.True(t, row.wants(version, cleanWorlds-1), "all is broken, but few worlds have been seen")
	assert.False(t, row.wants(version, cleanWorlds), "and now enough")
	assert.Empty(t, row.survived(version))
	row.results[version].cells["NO-LEAK"] = matrixCell{Checked: 1, Failed: 1}
	assert.Equal(t, []string{"NO-LEAK"}, row.accused(version))
}
