package analysis

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

func testPage(t *testing.T) Page {
	t.Helper()
	s := synthSummary(answers, 500, legacy, modern)
	require.NotEmpty(t, s.Findings)
	m := testManifest(legacy, modern)
	f := s.Findings[0]
	return Page{
		Manifest: m, Summary: s, Finding: f, Rule: textOf(testRules, f.Rule), Digest: "9c41e07bd2a85f13",
		Listing: "  0.000  client calls\n 69.800  server reads the cancel\n 80.825  server answers   F1\n",
		Replay:  m.Replay(f.SpecVersion, f.ExampleSeed),
		Files:   []string{"`F1/conversation.svg` (this as a diagram)"},
		Handler: "for now().Before(end) {\n\tsleep(25 * time.Millisecond)\n}",
		AfterFix: "# callers that still wait for the answer would hang\n" +
			"mcpsim run cancel-storm --client go-sdk@PATH",
	}
}

func TestMarkdown(t *testing.T) { golden(t, "page-F1.md", Markdown(testPage(t))) }

// TestMarkdownOptions: what a target was run without is the first thing that its maintainer asks.
func TestMarkdownOptions(t *testing.T) {
	p := testPage(t)
	assert.NotContains(t, Markdown(p), "Options")
	p.Options = []OptionText{{"sdk", "json", "answers with one <object>"}, {"sdk", "store", "keeps it"}}
	head, _, _ := strings.Cut(Markdown(p), "## ")
	assert.Contains(t, head, "\n<br>Options that were not chosen: `sdk+json`: answers with one \\<object\\> · `sdk+store`: keeps it\n")
}

func TestMarkdownOfALeak(t *testing.T) {
	p := testPage(t)
	p.Summary = synthSummary(leaking, 500, modern)
	p.Finding = p.Summary.Findings[0]
	p.Rule = textOf(testRules, "NO-LEAK")
	p.Handler, p.AfterFix = "", ""
	p.Stack = strings.Repeat("frame\n", stackLines+1)
	assert.Contains(t, Markdown(p), "## The stack\n\n```text\n"+strings.Repeat("frame\n", stackLines)+"...\n```", "cut where it is long")
	p.Stack = ""
	p.Replay = p.Manifest.Replay(p.Finding.SpecVersion, p.Finding.ExampleSeed)
	text := Markdown(p)
	golden(t, "page-leak.md", text)
	assert.NotContains(t, text, "benign race", "nothing to say is not said")
	assert.Contains(t, text, "No clause demands it, but every user counts on it.")
	assert.NotContains(t, text, "by lateness", "a leak is not late")
}

func TestMarkdownWithoutAnyText(t *testing.T) {
	p := testPage(t)
	text := Markdown(Page{Manifest: p.Manifest, Summary: p.Summary, Finding: p.Finding})
	assert.Contains(t, text, "# go-sdk v1.8.0 server does not keep CANCEL-SILENCE (2026-07-28, stdio)")
	assert.NotContains(t, text, "```", "no empty code blocks")
	assert.NotContains(t, text, "What the specification says")
}

func TestMarkdownFences(t *testing.T) {
	p := testPage(t)
	p.Listing = "a frame says ```\nand ````"
	p.Finding.What = map[string]int{"has a `tick` and\na line": 1}
	text := Markdown(p)
	assert.Contains(t, text, "`````text\na frame says ```\nand ````\n`````", "the fence is longer than what it holds")
	assert.Contains(t, text, "`has a 'tick' and a line`")
}

func TestByLatenessLosesNothing(t *testing.T) {
	var d Distribution
	for _, v := range []int64{0, 1, 999_000, 1_000_000, 50_000_000, 500_000_000, 3_000_000_000, 1 << 60} {
		d.Add(v)
	}
	assert.Equal(t, "same instant (order proven) 1 · under 1 ms 2 · 1 to 10 ms 1 · 10 to 100 ms 1 · "+
		"100 ms and more 3", strings.Join(byLateness(d), " · "))
}

// recordedPage is about a history that was recorded, in the rules' own words.
func recordedPage(t *testing.T) Page {
	t.Helper()
	data, err := os.Open("oracle/testdata/lateness-zero-after.ndjson")
	require.NoError(t, err)
	h, err := history.Decode(data)
	require.NoError(t, errors.Join(err, data.Close()))
	h.Header.SpecVersion = modern
	a := NewAggregate(testPair)
	mustAdd(a, Observe(ArmTarget, h))
	s := a.Summary()
	require.NotEmpty(t, s.Findings)
	p := Page{Manifest: testManifest(modern), Summary: s, Finding: s.Findings[0], Rule: RuleTextOf(s.Findings[0].Rule)}
	also, _ := oracle.FindRule("CANCEL-NO-RESPONSE")
	p.Also = []oracle.Rule{also}
	p.Objections = p.Rule.Objections(h, p.Finding.Example)
	return p
}

func TestMarkdownOfARecordedWorld(t *testing.T) {
	golden(t, "page-recorded.md", Markdown(recordedPage(t)))
}

func TestClausesOfEveryLevel(t *testing.T) {
	text := recordedPage(t).clauses()
	levels := regexp.MustCompile(`(?m)^- \*\*([A-Z ]+)\*\*`).FindAllStringSubmatch(text, -1)
	var got []string
	for _, l := range levels {
		got = append(got, l[1])
	}
	assert.Equal(t, []string{"MUST NOT", "SHOULD", "MAY"}, got, "strongest first, each once")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "- ") {
			assert.Contains(t, line, "](https://modelcontextprotocol.io/specification/2026-07-28/basic/")
		}
	}
}

// TestPageLeansOnNothing: pasted elsewhere, a page must not point to a file.
func TestPageLeansOnNothing(t *testing.T) {
	for _, p := range []Page{testPage(t), recordedPage(t)} {
		for _, link := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(Markdown(p), -1) {
			assert.True(t, strings.HasPrefix(link[1], "https://"), link[1])
		}
	}
}

func TestTitles(t *testing.T) {
	race, silence := RuleTextOf("RACE-GRACEFUL"), RuleTextOf("CANCEL-SILENCE")
	for _, tt := range []struct {
		why  string
		rule RuleText
		f    Finding
		want string
	}{
		{"a late answer is called so", silence, Finding{Rule: silence.ID, Cause: oracle.AnsweredCause}, "answers a request after reading its cancel"},
		{"late progress is no answer", silence, Finding{Rule: silence.ID, Cause: "reported progress"}, silence.Says},
		{"what a target says is code", race, Finding{Rule: race.ID, Example: oracle.Violation{What: "crashed: panic: @all #1 *x*"}}, "crashed: `panic: @all #1 *x*`"},
		{"our own words are text", race, Finding{Rule: race.ID, Example: oracle.Violation{What: "left (*T).f_g behind"}}, `left (\*T).f\_g behind`},
		{"several causes have no words in common", race, Finding{Rule: race.ID, Cause: OtherCauses, Example: oracle.Violation{What: "x"}}, race.Says},
	} {
		assert.Equal(t, tt.want, Page{Rule: tt.rule, Finding: tt.f}.says(), tt.why)
	}
	progress := Page{Rule: silence, Finding: Finding{Rule: silence.ID, Cause: "reported progress"}, Also: []oracle.Rule{{ID: "PROGRESS-AFTER-CANCEL"}}}
	assert.Equal(t, "reports progress of a request after reading its cancel", progress.says(), "the rule that the act also breaks has its name")
}

func TestComparisons(t *testing.T) {
	p := testPage(t)
	p.Finding.Opposite = &Opposite{Worlds: 20, Bad: 19, Checked: 40, Failed: 37}
	assert.Contains(t, p.comparisons()[0], "The same server opposite the reference client, the 20 smallest seeds: 19 of 20 worlds show it (37 of 40 cancels")
	p.Finding.Opposite = nil
	p.Manifest.Client = history.Peer{Target: "reference"}
	assert.Equal(t, "It sat opposite the reference client.", p.comparisons()[0])
}

// TestSpreadOfManyViolations: a verdict lists few of many violations, and a page
// must not pass those off as all.
func TestSpreadOfManyViolations(t *testing.T) {
	v := broken("CANCEL-SILENCE", oracle.MustNot, history.Server, make([]time.Duration, 16)...)
	for i := range v.Violations {
		v.Violations[i].Handler, v.Violations[i].Phase = "chatty", oracle.Running
	}
	v.Checked, v.Failed = 60, 40
	page := func(v oracle.Verdict) string {
		a := NewAggregate(testPair)
		mustAdd(a, bare(modern, 1, v))
		s := a.Summary()
		return Page{Manifest: testManifest(modern), Summary: s, Finding: s.Findings[0], Rule: RuleTextOf(v.Rule)}.howOften()
	}
	text := page(v)
	assert.Contains(t, text, "by handler: chatty 16 · of the 16 kept in detail")
	assert.Contains(t, text, "by lateness: same instant (order proven) 16 · of the 16 kept in detail")
	assert.Regexp(t, "by answer: `[^`]+`\n", text)
	v.Exercised = []oracle.Exercise{{Handler: "chatty", Phase: oracle.Running, N: 50, Failed: 40}, {Handler: "cooperative", Phase: oracle.Running, N: 10}}
	text = page(v)
	assert.Contains(t, text, "by handler: chatty 40 of 50 · cooperative 0 of 10\n", "exact, and what was never bad is told too")
	v.Violations[0].Cause = "another"
	assert.Contains(t, page(v), "by handler: chatty 15 of 50 · of the 15 kept in detail", "of two causes")
}

func TestWaysAreFew(t *testing.T) {
	f := Finding{What: map[string]int{}}
	for i := range 20 {
		f.What[fmt.Sprintf("answered with error %02d", i)] = 20 - i
	}
	ways := f.ways()
	assert.Len(t, ways, pageWays+1)
	assert.Equal(t, "78 otherwise", ways[pageWays])
}

// TestWhatIsOnlyCounted: of violations beyond those that are kept only the number is known,
// which must not read as another kind of failure.
func TestWhatIsOnlyCounted(t *testing.T) {
	f := Finding{What: map[string]int{notListed: 270, "failed the health probe": 32}}
	assert.Equal(t, "failed the health probe", f.whats(1))
	assert.Equal(t, "`failed the health probe`", f.inCode(1))
	f.What["died"] = 8
	assert.Equal(t, "failed the health probe (32), died (8), of the 40 kept in detail", f.whats(3))
	assert.Equal(t, "failed the health probe (32), otherwise (8), of the 40 kept in detail", f.whats(1))
	assert.Equal(t, "`failed the health probe` (32), `died` (8), of the 40 kept in detail", f.inCode(3))
	delete(f.What, notListed)
	assert.Equal(t, "failed the health probe (32), died (8)", f.whats(3))
}
