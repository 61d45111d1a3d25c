package analysis

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
		Replay:  ShellLine(m.Replay(f.SpecVersion, f.ExampleSeed)),
		Handler: "for now().Before(end) {\n\tsleep(25 * time.Millisecond)\n}",
		AfterFix: "# callers that still wait for the answer would hang\n" +
			"mcpsim run cancel-storm --client go-sdk@PATH",
	}
}

func TestMarkdown(t *testing.T) { golden(t, "page-F1.md", Markdown(testPage(t))) }

func TestMarkdownOfALeak(t *testing.T) {
	p := testPage(t)
	p.Summary = synthSummary(leaking, 500, modern)
	p.Finding = p.Summary.Findings[0]
	p.Rule = textOf(testRules, "NO-LEAK")
	p.Handler, p.AfterFix = "", ""
	p.Replay = ShellLine(p.Manifest.Replay(p.Finding.SpecVersion, p.Finding.ExampleSeed))
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
		"0.1 to 1 s 1 · 1 s and more 2", strings.Join(byLateness(d), " · "))
}
