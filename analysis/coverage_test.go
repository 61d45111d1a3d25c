package analysis

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

func TestCoverage(t *testing.T) {
	text := CoverageText(testReport(synthSummary(answers, 500, legacy, modern), false, nil, legacy, modern))
	golden(t, "coverage.txt", text)
	for line := range strings.Lines(text) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), width, "%q", line)
	}
}

// coverageOf is the line of one rule in a run at two versions.
func coverageOf(older, newer RuleTally) []coverage {
	older.Rule, newer.Rule = "CANCEL-SILENCE", "CANCEL-SILENCE"
	return Summary{Groups: []Group{
		{Arm: ArmTarget, SpecVersion: legacy, Rules: []RuleTally{older}},
		{Arm: ArmTarget, SpecVersion: modern, Rules: []RuleTally{newer}},
		{Arm: ArmReference, SpecVersion: modern, Rules: []RuleTally{{Rule: "CANCEL-SILENCE", Level: oracle.Must, Checked: 99}}},
	}}.covered("server")
}

func TestCoverageOfARule(t *testing.T) {
	running := RuleTally{Level: oracle.MustNot, Checked: 7, Exercised: []oracle.Exercise{
		{Handler: "cooperative", Phase: oracle.Running, N: 3}, {Handler: "stubborn", Phase: oracle.Running, N: 2}, {Handler: "chatty", N: 1},
	}}
	for _, c := range []struct {
		why          string
		older, newer RuleTally
		want         []coverage
	}{
		{"a version without the rule says nothing, and the reference is another arm", RuleTally{}, running, []coverage{
			{rule: "CANCEL-SILENCE", phases: map[oracle.Phase]int{oracle.Running: 5}, other: 2, checked: 7, bound: true}}},
		{"one that has it and did not exercise it is named", RuleTally{Level: oracle.MustNot}, running, []coverage{
			{rule: "CANCEL-SILENCE", phases: map[oracle.Phase]int{oracle.Running: 5}, other: 2, checked: 7, bound: true, never: []string{legacy}}}},
		{"a rule of no version of the run has no line", RuleTally{}, RuleTally{}, nil},
	} {
		got := coverageOf(c.older, c.newer)
		if c.want == nil {
			assert.Empty(t, got, c.why)
			continue
		}
		assert.Equal(t, c.want, got, c.why)
	}
}

func TestEveryPhaseHasAColumn(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range phasesInOrder() {
		name := phaseName(p)
		assert.Less(t, len(name), coverageWidth, "%s has to fit", name)
		assert.False(t, seen[name], "%s is there twice", name)
		seen[name] = true
	}
}

// TestMissing: what is required and was not exercised comes first, with its cure,
// and is not named among the rest again.
func TestMissing(t *testing.T) {
	r := testReport(synthSummary(unasked, 500, modern), false, []string{"CANCEL-INVALID-IGNORED or CANCEL-SILENCE at " + modern}, modern)
	assert.Equal(t, []string{"CANCEL-INVALID-IGNORED or CANCEL-SILENCE at " + modern}, r.Decision.Missing)
	lines := strings.Split(r.silentRules(), "\n")
	assert.Equal(t, "!   required and not exercised: CANCEL-INVALID-IGNORED or CANCEL-SILENCE at 2026-07-28. go-sdk's", lines[0])
	assert.NotContains(t, strings.Join(lines[2:], " "), "CANCEL-SILENCE")
}

// TestMissingLooseCancels: cancels of which a server need make nothing are no reason to ask
// for more of them.
func TestMissingLooseCancels(t *testing.T) {
	required := "CANCEL-INVALID-IGNORED at " + modern
	s := synthSummary(unasked, 50, modern)
	r := testReport(s, false, []string{required}, modern)
	assert.NotContains(t, r.missing(), "need not have made")
	for _, u := range []oracle.Uncounted{{Why: "another reason", N: 9}, {Why: "the server refused the POST of the cancel, and so did not take it", N: 3}} {
		assert.NotContains(t, r.missing(), "3 cancels")
		for i := range s.Groups[0].Rules {
			if rule := &s.Groups[0].Rules[i]; rule.Rule == "CANCEL-INVALID-IGNORED" {
				rule.Uncounted = append(rule.Uncounted, u)
			}
		}
		r = testReport(s, false, []string{required}, modern)
	}
	assert.Contains(t, strings.Join(strings.Fields(r.missing()), " "), "need not have made anything of what was read in time: 3 cancels, the server refused the POST")
}

// TestMissingBesideABrokenRule: that something was broken does not excuse what was not
// exercised. A run that was cut short did not get the time.
func TestMissingBesideABrokenRule(t *testing.T) {
	s, required := synthSummary(answers, 50, modern), []string{"CANCEL-NONE at " + modern}
	r := testReport(s, false, required, modern)
	assert.Equal(t, ExitBroken, r.Decision.Code)
	assert.Contains(t, r.silentRules(), "!   required and not exercised: CANCEL-NONE at "+modern)
	assert.Empty(t, Decide(s, required, false, "interrupted").Missing)
	assert.Empty(t, testSweep(Report{Summary: s, Decision: r.Decision}).Unable(r), "the pair could do what the scenario is for")
}

// TestToldOnly: what a version tells of and holds against nobody is neither held nor broken.
func TestToldOnly(t *testing.T) {
	s := synthSummary(silent, 20, modern)
	held := func() [3]int { return tallyOf(s.standings(), (*standing).held) }
	before, checked := held(), 0
	for i := range s.Groups[0].Rules {
		if rule := &s.Groups[0].Rules[i]; rule.Rule == "CANCEL-SILENCE" {
			rule.Level, checked = oracle.Info, rule.Checked
		}
	}
	assert.Positive(t, checked, "it was exercised")
	assert.Equal(t, [3]int{before[0] - 1, before[1], before[2]}, held())
	for class := range classNames {
		assert.Equal(t, CellAbsent, s.cell("CANCEL-SILENCE", class).State)
	}
}
