package analysis

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leg is a scenario of a test's sweep, as it was run.
func leg(name string, s Summary, required []string, partial string) Report {
	m := testManifest(legacy, modern)
	m.Scenario = name
	return Report{Manifest: m, Summary: s, Decision: Decide(s, required, false, partial), Rules: testRules}
}

func testSweep(reports ...Report) Sweep {
	m := testManifest(legacy, modern)
	m.Scenario, m.Network = "all", "each scenario's own"
	for _, r := range reports {
		m.Scenarios = append(m.Scenarios, SweptScenario{Name: r.Manifest.Scenario})
	}
	s := Sweep{Manifest: m, Reports: reports, Rules: testRules, Dir: "results/all/latest", Elapsed: time.Minute}
	s.Decision = DecideSweep(s, false, s.FailedScenarios())
	return s
}

// unable is a summary of a pair that lacks what a scenario is for.
func unable() Summary {
	s := synthSummary(unasked, 10, legacy, modern)
	s.Groups[0].Unavailable = map[string]int{"client go-sdk v1.8.0 repeats no cancels": 0}
	return s
}

func TestSweepText(t *testing.T) {
	s := testSweep(
		leg("quiet", synthSummary(silent, 50, legacy, modern), nil, ""),
		leg("storm", synthSummary(answers, 50, legacy, modern), nil, ""),
		leg("twice", unable(), []string{"CANCEL-SILENCE"}, ""),
		leg("leaks", synthSummary(leaking, 50, legacy, modern), nil, ""),
		leg("again", synthSummary(answers, 20, legacy, modern), nil, ""),
	)
	s.Manifest.Scenarios = append(s.Manifest.Scenarios, SweptScenario{Name: "other", Undone: "the rules named do not bind there"})
	text := SweepText(s)
	golden(t, "sweep.txt", text)
	s.Style.ASCII = true
	plain := SweepText(s)
	for _, lines := range []string{text, plain} {
		for line := range strings.Lines(lines) {
			assert.LessOrEqual(t, utf8.RuneCountInString(line), width+1, "%q", line)
		}
	}
	assert.Equal(t, len(plain), utf8.RuneCountInString(plain), "ASCII only")
	assert.NotContains(t, plain, "?", "every mark has one of its own in ASCII")
}

// TestSweepTableInBlocks: more scenarios than fit side by side go below each other,
// and none is left out.
func TestSweepTableInBlocks(t *testing.T) {
	var reports []Report
	for _, name := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		reports = append(reports, leg("scenario-"+name, synthSummary(silent, 3, legacy, modern), nil, ""))
	}
	table := testSweep(reports...).table()
	assert.Equal(t, 3, strings.Count(table, "rule × scenario"))
	for _, r := range reports {
		assert.Equal(t, 1, strings.Count(table, " "+r.Manifest.Scenario)+strings.Count(table, "\n"+r.Manifest.Scenario), r.Manifest.Scenario)
	}
	for line := range strings.Lines(table) {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), width+1, "%q", line)
	}
}

func TestDecideSweep(t *testing.T) {
	quiet := leg("quiet", synthSummary(silent, 10, legacy, modern), nil, "")
	storm := leg("storm", synthSummary(answers, 10, legacy, modern), nil, "")
	idle := leg("idle", synthSummary(unasked, 10, legacy, modern), []string{"CANCEL-SILENCE at 2026-07-28"}, "")
	torn := func(name, why string) Report { return leg(name, synthSummary(silent, 2, legacy, modern), nil, why) }
	needs := func(name string) Report {
		return leg(name, synthSummary(unasked, 10, legacy, modern), []string{"CANCEL-SILENCE at 2026-07-28"}, "")
	}
	const full = "write results/all/20261130-150633-0123456789/aimed-cancels/manifest.json: no space left on device"
	for _, c := range []struct {
		why     string
		reports []Report
		code    int
		line    string
	}{
		{"nothing is broken anywhere", []Report{quiet, quiet}, ExitHeld, "DONE 40 worlds of 2 scenarios, 0 findings, exit 0 (every rule that was exercised held)"},
		{"one scenario breaks a MUST", []Report{quiet, storm}, ExitBroken, "(a MUST was broken)"},
		{"one exercised too little, though it could", []Report{quiet, idle}, ExitNotAsked, "required and not exercised: CANCEL-SILENCE at 2026-07-28 in idle"},
		{"one could not do what it is for", []Report{quiet, leg("twice", unable(), []string{"CANCEL-SILENCE"}, "")}, ExitHeld, "(every rule that was exercised held)"},
		{"one broke off, the others count", []Report{quiet, leg("torn", synthSummary(silent, 2, legacy, modern), nil, "the disk is full")},
			ExitFailed, "stopped early: the disk is full, in torn)"},
		{"many broke off: the cause, whole, and three of them",
			[]Report{quiet, torn("a", full+"; free some space"), torn("b", full), torn("c", full), torn("d", full), torn("e", full)},
			ExitFailed, "stopped early: " + full + ", in a, b, c and 2 more)"},
		{"three broke off", []Report{torn("a", full), torn("b", "x"), torn("c", "y")}, ExitFailed, full + ", in a, b, c)"},
		{"many exercised too little", []Report{needs("a"), needs("b"), needs("c"), needs("d"), quiet}, ExitNotAsked,
			"not exercised: CANCEL-SILENCE at 2026-07-28 in a, CANCEL-SILENCE at 2026-07-28 in b, CANCEL-SILENCE at 2026-07-28 in c and 1 more)"},
		{"a broken MUST outweighs that", []Report{storm, leg("torn", synthSummary(silent, 2, legacy, modern), nil, "the disk is full")}, ExitBroken, "STOPPED"},
	} {
		d := testSweep(c.reports...).Decision
		assert.Equal(t, c.code, d.Code, c.why)
		assert.Contains(t, d.Line, c.line, c.why)
	}
}

// TestSweepFindings unites what one side does against one rule, and names the
// smallest seed of all scenarios.
func TestSweepFindings(t *testing.T) {
	first, second := leg("first", synthSummary(answers, 30, legacy, modern), nil, ""), leg("second", synthSummary(answers, 30, legacy, modern), nil, "")
	for i := range first.Summary.Findings {
		for j := range first.Summary.Findings[i].Seeds {
			first.Summary.Findings[i].Seeds[j] += 7
		}
	}
	s := testSweep(first, second)
	all := s.findings()
	require.NotEmpty(t, all)
	f := all[0]
	one := second.Summary.Findings[0]
	assert.Equal(t, "F1", f.ID)
	assert.Equal(t, []string{"first", "second"}, f.Scenarios)
	assert.Equal(t, "second", f.Scenario)
	assert.Equal(t, one.Seeds[0], f.Seed)
	assert.Equal(t, 2*one.Failed, f.Failed)
	assert.Equal(t, 2*one.Checked, f.Checked)
	assert.Contains(t, f.Replay, "second")
	found, err := s.FindingOf("f1")
	require.NoError(t, err)
	assert.Equal(t, f, found)
	_, err = s.FindingOf("F99")
	assert.ErrorContains(t, err, "there is no finding F99; there are F1")
}

// TestSweepExpected: an entry is stale only if its failure shows in no scenario.
func TestSweepExpected(t *testing.T) {
	entry := Expectation{File: "known.yaml", Line: 1, Rule: "CANCEL-SILENCE", Reason: "known", Link: "https://example.com/1"}
	apply := func(f flavour, scenario string) Report {
		sum := synthSummary(f, 20, legacy, modern)
		x := expecting(entry)
		x.Scenario = scenario
		x.Apply(&sum, false)
		return leg(scenario, sum, nil, "")
	}
	fails, holds := apply(answers, "storm"), apply(silent, "quiet")
	require.Equal(t, Stale, holds.Summary.Expected[0].Fulfilment)
	assert.Equal(t, FailedAsExpected, testSweep(holds, fails).expected()[0].Fulfilment)
	assert.Equal(t, ExitHeld, testSweep(holds, fails).Decision.Code)
	both := testSweep(holds, holds)
	assert.Equal(t, Stale, both.expected()[0].Fulfilment)
	assert.Equal(t, 2*holds.Summary.Expected[0].Checked, both.expected()[0].Checked)
	assert.Equal(t, ExitBroken, both.Decision.Code)
}

// TestSweepForPrograms: JSON has a cell for every rule and scenario, and JUnit fails
// exactly where the exit code does.
func TestSweepForPrograms(t *testing.T) {
	s := testSweep(leg("quiet", synthSummary(silent, 10, legacy, modern), nil, ""), leg("storm", synthSummary(answers, 10, legacy, modern), nil, ""))
	data, err := SweepJSON(s)
	require.NoError(t, err)
	var out struct {
		Columns []string
		Rows    []SweepRow
	}
	require.NoError(t, json.Unmarshal(data, &out))
	assert.Equal(t, []string{"quiet", "storm"}, out.Columns)
	require.NotEmpty(t, out.Rows)
	for _, row := range out.Rows {
		assert.Len(t, row.Cells, 2, row.Rule)
	}
	xml, err := SweepJUnit(s, false)
	require.NoError(t, err)
	assert.Contains(t, string(xml), `<testsuite name="storm, server go-sdk v1.8.0, 2026-07-28"`)
	assert.Contains(t, string(xml), "<failure")
	assert.Contains(t, SweepMarkdown(s), "**FAILED** · DONE 40 worlds of 2 scenarios")
}
