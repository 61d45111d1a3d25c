package analysis

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// golden compares with testdata/name, or rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o666))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "go test ./analysis -update rewrites it")
}

func testManifest(versions ...string) Manifest {
	sdk := history.Peer{Target: "go-sdk", Version: "v1.8.0"}
	return Manifest{
		Schema: ManifestSchema, Mcpsim: "0.1.0", Go: "go1.26.8", OS: "linux", Arch: "amd64", CPUs: 2,
		CommandLine: []string{"mcpsim", "run", "cancel-storm", "--seeds", "0-499"},
		Scenario:    "cancel-storm", ScenarioSHA256: strings.Repeat("41d0", 16),
		Client: sdk, Server: sdk, Transport: "stdio", Clock: "virtual", Network: "wan (5 ms + exp 20 ms each way)",
		Seeds: "0-499", SpecVersions: versions, Worlds: 500 * len(versions), Seeded: true,
		Started: time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC), State: Complete,
	}
}

// testRules are the texts of the synthetic worlds' rules. They stay as they are
// when the catalogue's are worded anew.
var testRules = []RuleText{
	{
		Rule: oracle.Rule{
			ID: "CANCEL-SILENCE",
			Clauses: []oracle.Clause{
				{From: modern, Page: "basic/transports/stdio", Quote: "MUST NOT send any further messages for it", Level: oracle.MustNot},
				{From: modern, Page: "basic/patterns/cancellation", Quote: "Not send a response for the cancelled request", Level: oracle.Should},
				{From: "2024-11-05", Until: legacy, Page: "basic/utilities/cancellation", Quote: "of another version", Level: oracle.Should},
			},
			Exempt: []oracle.Exemption{
				{Race: "R1", Why: "response already written when the cancel was read", What: "The response was begun before."},
				{Race: "R8", What: "Progress that was in transit."},
			},
			Notes: []string{"Q1: two pages, two levels; the stricter one decides."},
		},
		Says: "answers a request after reading its cancel", Counts: openCancels, Late: true,
	},
	{Rule: oracle.Rule{ID: "CANCEL-NO-RESPONSE"}, Says: "answers a request after reading its cancel", Counts: openCancels, Late: true},
	{Rule: oracle.Rule{ID: "CANCEL-INVALID-IGNORED"}, Exercise: "go-sdk's client never sends such a cancel; add --client reference."},
	{Rule: oracle.Rule{ID: "NO-LEAK", Statement: "When the session is closed, no goroutine remains."},
		Says: "leaves goroutines behind", Counts: "worlds"},
}

func TestEveryRuleIsWorded(t *testing.T) {
	texts := RuleTexts()
	require.Len(t, texts, len(oracle.Rules()))
	for _, r := range texts {
		assert.NotEmpty(t, r.Says, r.ID)
		assert.NotEmpty(t, r.Counts, r.ID)
		assert.Regexp(t, `\.$`, r.Exercise, r.ID)
		assert.LessOrEqual(t, len(r.ID), 23, "%s does not fit its column, which one letter more only shifts", r.ID)
	}
	assert.Equal(t, "RESP-ONCE", RuleTextOf("RESP-ONCE").ID)
	assert.Equal(t, "NO-SUCH", RuleTextOf("NO-SUCH").ID)
}

func testReport(s Summary, strict bool, required []string, versions ...string) Report {
	return Report{
		Manifest: testManifest(versions...), Summary: s, Decision: Decide(s, required, strict, ""), Rules: testRules,
		Dir: "results/cancel-storm/latest", Files: []string{"findings/F1.md", "plots/", "summary.json"},
		Elapsed: 5100 * time.Millisecond,
	}
}

// remaining are the same worlds, over HTTP, with something left in some.
func remaining(s Summary) Summary {
	for i := range s.Groups {
		g := &s.Groups[i]
		g.Remains = &Remains{Closed: g.Worlds, Exchanges: 6 * g.Worlds, Worlds: g.Worlds}
		if g.Arm == ArmTarget {
			g.Remains.Alive, g.Remains.Open, g.Remains.Leaky = 3, 17, 12
		}
	}
	return s
}

func TestText(t *testing.T) {
	both := []string{legacy, modern}
	partial := testReport(synthSummary(answers, 212, both...), false, nil, both...)
	partial.Decision = Decide(partial.Summary, nil, false, "interrupted from the keyboard")
	partial.Dir, partial.Troubles = "", []string{"write results/x/summary.json: no space left on device; free some space"}
	plain := testReport(synthSummary(answers, 500, both...), false, nil, both...)
	plain.Style.ASCII = true
	unseeded := testReport(synthSummary(crashing, 500, modern), false, []string{"CANCEL-SILENCE"}, modern)
	unseeded.Manifest.Seeded = false
	foreseen := synthSummary(answers, 500, both...)
	expecting(Expectation{Rule: "CANCEL-SILENCE"}, Expectation{Rule: "CANCEL-NO-RESPONSE"}).Apply(&foreseen, false)
	outlived := synthSummary(answers, 500, both...)
	expecting(Expectation{Rule: "CANCEL-SILENCE"}, Expectation{Rule: "RACE-GRACEFUL"}, Expectation{Rule: "CANCEL-INVALID-IGNORED"},
		Expectation{Rule: "NO-LEAK", Target: "mcp-go"}).Apply(&outlived, false)
	outlived.Judged = []string{"CANCEL-SILENCE", "RACE-GRACEFUL"}
	overHTTP := testReport(remaining(synthSummary(answers, 500, both...)), false, nil, both...)
	overHTTP.Manifest.Transport = "streamable-http"
	closing := testReport(remaining(synthSummary(answers, 500, modern)), false, nil, modern)
	closing.Manifest.Transport = "streamable-http"
	idle := testReport(remaining(synthSummary(unasked, 500, modern)), false, nil, modern)
	idle.Manifest.Transport = "streamable-http"
	tests := []struct {
		name, reason string
		report       Report
		lines        int
	}{
		{"http", "the cancel is a message at one version, and a closed stream at the other", overHTTP, 44},
		{"http-closing", "the cancel is a closed stream, and is called so", closing, 38},
		{"http-idle", "what remains is counted where nobody cancels", idle, 28},
		{"failing", "a MUST NOT at one version, a SHOULD at the other", testReport(synthSummary(answers, 500, both...), false, nil, both...), 40},
		{"clean", "short, and honest about what was exercised least", testReport(synthSummary(silent, 500, both...), false, nil, both...), 30},
		{"partial", "interrupted, with nothing on disk", partial, 44},
		{"vacuous", "a required rule was not exercised", testReport(synthSummary(unasked, 500, modern), false, []string{"CANCEL-SILENCE"}, modern), 24},
		{"only-should", "exit 0 without strict", testReport(synthSummary(answers, 500, legacy), false, nil, legacy), 34},
		{"only-should-strict", "exit 1 with it", testReport(synthSummary(answers, 500, legacy), true, nil, legacy), 34},
		{"one-version", "one column", testReport(synthSummary(answers, 500, modern), false, nil, modern), 34},
		{"leaking", "QUALITY, goroutines told apart by the reference", testReport(synthSummary(leaking, 500, modern), true, nil, modern), 34},
		{"crashing", "incidents, undecided worlds, stock runtime", unseeded, 34},
		{"expected", "all that is broken was expected", testReport(foreseen, true, nil, both...), 42},
		{"stale", "an entry that no longer fails fails the run", testReport(outlived, false, nil, both...), 47},
		{"ascii", "no character beyond ASCII", plain, 40},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := Text(tt.report)
			golden(t, "report-"+tt.name+".txt", text)
			lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			assert.LessOrEqual(t, len(lines), tt.lines, tt.reason)
			for _, l := range lines {
				assert.LessOrEqual(t, utf8.RuneCountInString(l), width, "%q", l)
				assert.Equal(t, strings.TrimRight(l, " "), l, "no blanks at the end")
			}
			assert.Equal(t, tt.report.Decision.Line, lines[len(lines)-1], "the last line names the exit code")
		})
	}
}

func TestTextASCII(t *testing.T) {
	r := testReport(synthSummary(answers, 20, modern), false, nil, modern)
	r.Style.ASCII = true
	r.Summary.Findings[0].What = map[string]int{"gab «ß» zurück": 3}
	for _, c := range Text(r) {
		require.LessOrEqual(t, c, rune(unicode.MaxASCII))
	}
}

func TestTextColor(t *testing.T) {
	r := testReport(synthSummary(answers, 20, modern), false, nil, modern)
	plain := Text(r)
	assert.NotContains(t, plain, "\x1b")
	r.Style.Color = true
	colored := Text(r)
	assert.Contains(t, colored, "\x1b[31mFAILED\x1b[0m")
	for _, code := range []string{red, yellow, green, bold, "0"} {
		colored = strings.ReplaceAll(colored, "\x1b["+code+"m", "")
	}
	assert.Equal(t, plain, colored, "colour changes nothing else")
}

// A response that crossed the cancel in the same instant was written: the call
// is not silent. Blocks of the table add up all the same.
func TestSameInstantIsNotSilent(t *testing.T) {
	g := Group{Cancelled: 11, Sent: 10, Outcomes: []Outcome{
		{Phase: oracle.Running, Wire: oracle.Crossed, N: 1},
		{Phase: oracle.Queued, Wire: oracle.Crossed, N: 2},
		{Phase: oracle.Returned, Wire: oracle.Crossed, N: 1},
		{Phase: oracle.Running, Wire: oracle.Silent, N: 3},
		{Phase: oracle.Running, Wire: oracle.Answered, N: 2},
		{Phase: oracle.Queued, Wire: oracle.AnsweredTwice, N: 1},
	}}
	f := fateOf(g)
	assert.Equal(t, fate{unsent: 1, sent: 10, over: 4, open: 6, silent: 3, answered: 2, twice: 1}, f)
	assert.Equal(t, f.sent, f.undelivered+f.early+f.over+f.open)
	assert.Equal(t, f.open, f.silent+f.answered+f.twice)
}

// A target's error text is hostile until it is made printable.
func TestTextKeepsEscapesOut(t *testing.T) {
	r := testReport(synthSummary(answers, 20, modern), false, nil, modern)
	r.Summary.Findings[0].What = map[string]int{"x\x1b]0;title\a\nDONE exit 0 " + strings.Repeat("y", 300): 3}
	text := Text(r)
	assert.NotContains(t, text, "\x1b")
	assert.NotContains(t, text, "\a")
	assert.NotContains(t, text, "\nDONE exit 0")
}

func TestManyFindingsStayOnOneScreen(t *testing.T) {
	a := NewAggregate(testPair)
	var verdicts []oracle.Verdict
	for _, rule := range []string{"A", "B", "C", "D", "E", "F", "G", "H"} {
		verdicts = append(verdicts, broken(rule, oracle.Must, history.Server, 0))
	}
	mustAdd(a, bare(modern, 1, verdicts...))
	text := Text(testReport(a.Summary(), false, nil, modern))
	assert.Contains(t, text, "and 3 more, F6 MUST F at 2026-07-28")
	assert.Equal(t, shownFindings, strings.Count(text, "mcpsim replay"))
}

func TestPercents(t *testing.T) {
	tests := []struct {
		parts  []int
		want   []int
		shares []string
	}{
		{[]int{1, 1, 1}, []int{34, 33, 33}, []string{"34 %", "33 %", "33 %"}},
		{[]int{508, 2375}, []int{18, 82}, []string{"18 %", "82 %"}},
		{[]int{1, 1999}, []int{0, 100}, []string{"<1 %", ">99 %"}},
		{[]int{0, 7}, []int{0, 100}, []string{"0 %", "100 %"}},
		{[]int{0, 0}, []int{0, 0}, []string{"0 %", "0 %"}},
		{[]int{1, 2, 3, 4, 5, 6}, []int{5, 9, 14, 19, 24, 29}, []string{"5 %", "9 %", "14 %", "19 %", "24 %", "29 %"}},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, percents(tt.parts), "%v", tt.parts)
		assert.Equal(t, tt.shares, shares(tt.parts), "%v", tt.parts)
	}
}

func TestDuration(t *testing.T) {
	tests := map[int64]string{
		0: "0 s", 1: "1 ns", 999: "999 ns", 1500: "1.5 µs", 12_345: "12 µs", 999_499: "999 µs", 999_999: "1.0 ms", 9_960: "10 µs", 99_942_400: "100 ms",
		11_025_000: "11 ms", 620_000_000: "620 ms", 2_000_000_000: "2.0 s", 132_000_000_000: "132 s",
		5_000_000_000_000: "5,000 s",
	}
	for ns, want := range tests {
		assert.Equal(t, want, Duration(ns))
	}
}

func TestReplayLinesCanBePasted(t *testing.T) {
	m := testManifest(modern)
	for _, scenario := range []string{"cancel-storm", "dir with spaces/it's mine.yaml", strings.Repeat("long/", 40) + "x.yaml"} {
		m.Scenario = scenario
		words := m.Replay(modern, 12)
		lines := replayLines(words, "    ")
		joined := strings.ReplaceAll(lines, "\\\n", "")
		assert.Equal(t, strings.Fields(ShellLine(words)), strings.Fields(joined), "the same words in the same order")
	}
	assert.Equal(t, `'it'\''s mine'`, ShellLine([]string{"it's mine"}))
	assert.Equal(t, `'' a@v1.0 '$x'`, ShellLine([]string{"", "a@v1.0", "$x"}))
}

func TestFamilies(t *testing.T) {
	assert.Equal(t, []string{"CANCEL-A (MUST)", "CANCEL-B (MUST)", "CANCEL-C (MUST)", "CANCEL-D (MUST)", "TASK-* (4 rules)", "ID-A (MUST)"},
		families([]string{
			"CANCEL-A (MUST)", "CANCEL-B (MUST)", "CANCEL-C (MUST)", "CANCEL-D (MUST)", "TASK-A (MUST)", "TASK-B (SHOULD)", "ID-A (MUST)",
			"TASK-C (MUST)", "TASK-D (MUST)",
		}))
}

// A rule counts connections that broke under calls that nobody cancelled, and the table of
// cancelled calls does not: both are named.
func TestConnectionsThatBrokeAreTold(t *testing.T) {
	v := broken("CANCEL-STOP-WORK", oracle.Must, history.Server, make([]time.Duration, 4)...)
	v.Checked, v.Failed = 4, 4
	for i := range v.Violations {
		v.Violations[i].Handler, v.Violations[i].Phase = "chatty", oracle.Running
	}
	v.Violations[3].Phase = ""
	v.Exercised = []oracle.Exercise{{Handler: "chatty", Phase: oracle.Running, N: 3, Failed: 3}, {Handler: "chatty", N: 1, Failed: 1}}
	w := bare(modern, 1, v)
	w.Judgement.Calls = []oracle.CallResult{{Handler: "chatty", Cancelled: true, Sent: true, Phase: oracle.Running, Wire: oracle.Silent}}
	a := NewAggregate(testPair)
	mustAdd(a, w)
	r := testReport(a.Summary(), false, nil, modern)
	assert.NotContains(t, r.cancelledCalls(), "not in the table")
	r.Manifest.Transport = "streamable-http"
	assert.Contains(t, r.cancelledCalls(), "not in the table, though rules about cancels count them: 1 connection lost while nobody cancelled")
	p := Page{Manifest: r.Manifest, Summary: r.Summary, Finding: r.Summary.Findings[0], Rule: RuleTextOf(v.Rule)}
	assert.Contains(t, p.howOften(), "seen gone: running 3 of 3 · connection broken, nobody cancelled 1 of 1")
}

func TestOneIsNotInThePlural(t *testing.T) {
	for counted, want := range map[string]string{
		"worlds that were closed": "1 world that was closed", "exchanges that have to name it": "1 exchange that has to name it",
		"progress notifications of tasks": "1 progress notification of tasks", "POSTs and GETs": "1 POSTs and GETs",
		"cancels read while queued or running": "1 cancel read while queued or running",
	} {
		assert.Equal(t, want, numbered(1, counted))
		assert.Equal(t, "2 "+counted, numbered(2, counted))
	}
	assert.Equal(t, "this world", these(1, "world"))
	assert.Equal(t, "these 2 worlds", these(2, "world"))
}

// Before 2026-07-28 an answer convicts nobody over Streamable HTTP, and the table says so.
func TestAnswersThatAreNotJudged(t *testing.T) {
	r := testReport(synthSummary(answers, 20, legacy), false, nil, legacy)
	r.Summary.Findings = nil
	assert.NotContains(t, r.cancelledCalls(), "Q4")
	r.Manifest.Transport = "streamable-http"
	assert.Contains(t, r.cancelledCalls(), "\n  answered: not judged over Streamable HTTP before 2026-07-28, see mcpsim explain Q4")
	r.Summary = synthSummary(silent, 20, legacy)
	assert.NotContains(t, r.cancelledCalls(), "Q4")
}

// TestNotesBelow: three columns leave no room for the notes, which are not lost.
func TestNotesBelow(t *testing.T) {
	r := Report{Summary: Summary{}}
	for _, v := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		r.Summary.Groups = append(r.Summary.Groups, Group{Arm: ArmTarget, SpecVersion: v, Calls: 9, Cancelled: 3, Sent: 3,
			Outcomes: []Outcome{{Phase: oracle.BeforeRequest, N: 1}, {Phase: oracle.Crossing, N: 2}}})
	}
	text := r.cancelledCalls()
	for line := range strings.Lines(text) {
		assert.LessOrEqual(t, len([]rune(strings.TrimRight(line, " \n"))), width, line)
	}
	assert.Contains(t, text, "read before its request: benign race R4 · read after the call had ended: benign races R1-R3")
	r.Summary.Groups = r.Summary.Groups[1:]
	assert.Contains(t, r.cancelledCalls(), "   benign race R4\n")
}
