package main

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/reference"
)

// TestSelftestText shows a judge that catches nothing and accuses the reference: more
// mutants than fit side by side, every survivor with its reason, and the worst mark of
// all versions.
func TestSelftestText(t *testing.T) {
	var mutants []reference.Mutant
	for i := range 3 {
		for _, m := range reference.Mutants() {
			if i > 0 {
				m.Name += fmt.Sprint("-", i)
			}
			mutants = append(mutants, m)
		}
	}
	versions := sim.SpecVersions()
	m := matrixPlan{mutants: mutants, clean: []string{steadyScenario}, specVersions: versions, worlds: 40}.matrix()
	m.rows[0].results[versions[0]].worlds = 40
	m.rows[0].results[versions[0]].cells["NO-LEAK"] = matrixCell{Checked: 40, Failed: 2, Seed: 7, What: "left a goroutine"}
	o := selftestOutcome{Mutants: len(mutants), Worlds: 40}
	o.weigh(m)
	text := selftestText(m, o, false)
	assert.Contains(t, text, "FAILED   0 of ")
	assert.Contains(t, text, "!   accused wrongly: reference in cancel-storm at "+versions[0]+", of NO-LEAK: left a goroutine\n    seed 7\n")
	assert.Contains(t, text, "!   survived: ignores-cancel in cancel-storm at "+versions[0]+", CANCEL-STOP-WORK: nothing exercised it in 0 worlds\n")
	assert.Contains(t, text, "exit 1 (1 false accusation)")
	assert.Equal(t, exitBroken, o.code())
	_, rest, found := strings.Cut(text, "\nrule × mutant")
	assert.True(t, found)
	for line := range strings.Lines(rest) {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 101, "%q", line)
	}
	plain := selftestText(m, o, true)
	assert.Equal(t, len(plain), utf8.RuneCountInString(plain), "ASCII only")
}
