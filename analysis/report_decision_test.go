package analysis

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

func TestDecide(t *testing.T) {
	of := func(verdicts ...oracle.Verdict) Summary {
		a := NewAggregate(testPair)
		mustAdd(a, bare(modern, 1, verdicts...))
		return a.Summary()
	}
	held := oracle.Verdict{Rule: "HELD", Level: oracle.Must, Status: oracle.Pass, Checked: 3}
	vacuous := oracle.Verdict{Rule: "IDLE", Level: oracle.Must, Status: oracle.Vacuous}
	unknown := oracle.Verdict{Rule: "DARK", Level: oracle.Must, Status: oracle.Unknown, Checked: 1}
	must := broken("MUST", oracle.Must, history.Server, 0)
	should := broken("SHOULD", oracle.Should, history.Server, 0)
	quality := broken("QUALITY", oracle.Quality, history.Server, 0)
	implied := broken("IMPLIED", oracle.Must, history.Server, 0)
	implied.Implied = "SHOULD"
	tests := []struct {
		reason   string
		summary  Summary
		required []string
		strict   bool
		partial  string
		code     int
		line     string
	}{
		{"a clean run", of(held), nil, false, "", 0,
			"DONE 1 world, 0 findings, exit 0 (every rule that was exercised held)"},
		{"a run that exercised nothing is no pass", of(vacuous), nil, false, "", 4,
			"DONE 1 world, 0 findings, exit 4 (nothing broken, and no rule was exercised at all)"},
		{"a rule left open is no pass, required or not", of(held, unknown), nil, false, "", 4,
			"DONE 1 world, 0 findings, exit 4 (nothing broken, but not decided: DARK in 1 world)"},
		{"a MUST", of(held, must), nil, false, "", 1, "DONE 1 world, 1 finding, exit 1 (a MUST was broken)"},
		{"a MUST outweighs a missing rule", of(must, vacuous), []string{"IDLE"}, false, "", 1,
			"DONE 1 world, 1 finding, exit 1 (a MUST was broken)"},
		{"a SHOULD is no failure by itself", of(held, should), nil, false, "", 0,
			"DONE 1 world, 1 finding, exit 0 (a SHOULD was not kept; --strict makes that exit 1)"},
		{"a SHOULD under strict", of(held, should), nil, true, "", 1,
			"DONE 1 world, 1 finding, exit 1 (a SHOULD was not kept, which counts under --strict)"},
		{"quality under strict", of(held, quality), nil, true, "", 1,
			"DONE 1 world, 1 finding, exit 1 (a QUALITY rule was not kept, which counts under --strict)"},
		{"both under strict", of(quality, should), nil, true, "", 1,
			"DONE 1 world, 2 findings, exit 1 (a SHOULD was not kept, and a QUALITY rule neither, which counts under --strict)"},
		{"implied makes no finding", of(implied), nil, false, "", 0,
			"DONE 1 world, 0 findings, exit 0 (every rule that was exercised held)"},
		{"required, not exercised", of(held, vacuous), []string{"HELD", "IDLE"}, false, "", 4,
			"DONE 1 world, 0 findings, exit 4 (nothing broken, but required and not exercised: IDLE)"},
		{"required, not known at all", of(held), []string{"NONE"}, false, "", 4,
			"DONE 1 world, 0 findings, exit 4 (nothing broken, but required and not exercised: NONE)"},
		{"required, undecided", of(held, unknown), []string{"DARK"}, false, "", 4,
			"DONE 1 world, 0 findings, exit 4 (nothing broken, but required and not decided: DARK)"},
		{"a SHOULD does not hide a missing rule", of(should, vacuous), []string{"IDLE"}, false, "", 4,
			"DONE 1 world, 1 finding, exit 4 (no MUST was broken, but required and not exercised: IDLE)"},
		{"interrupted, clean so far", of(held), nil, false, "interrupted", 3,
			"STOPPED 1 world, 0 findings, exit 3 (nothing broken so far, but stopped early: interrupted)"},
		{"interrupted, broken", of(must), nil, false, "interrupted", 1,
			"STOPPED 1 world, 1 finding, exit 1 (a MUST was broken before the run stopped early)"},
		{"nothing ran", NewAggregate(testPair).Summary(), nil, false, "", 3,
			"DONE 0 worlds, 0 findings, exit 3 (no world was run)"},
	}
	for _, tt := range tests {
		got := Decide(tt.summary, tt.required, tt.strict, tt.partial)
		assert.Equal(t, tt.code, got.Code, tt.reason)
		assert.Equal(t, tt.line, got.Line, tt.reason)
		assert.Equal(t, 1, strings.Count(got.Line, "exit "+string(rune('0'+got.Code))), "the line names the code: %s", tt.reason)
	}
}
