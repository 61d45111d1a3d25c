package analysis

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMarkdownReport(t *testing.T) {
	s := synthSummary(answers, 500, legacy, modern)
	r := testReport(s, false, nil, legacy, modern)
	golden(t, "report-failing.md", MarkdownReport(r))
	assertFirstSentence(t, MarkdownReport(r))

	expecting(Expectation{Rule: "CANCEL-SILENCE"}, Expectation{Rule: "RACE-GRACEFUL"}, Expectation{Rule: "NO-LEAK", Scenario: "other"}).Apply(&s, false)
	r = testReport(s, false, nil, legacy, modern)
	r.Style.Color = true
	text := MarkdownReport(r)
	golden(t, "report-stale.md", text)
	assert.NotContains(t, text, "\x1b", "Markdown has no colours")

	clean := testReport(synthSummary(silent, 500, modern), false, nil, modern)
	clean.Manifest.Client.Target, clean.Manifest.Client.Version = "reference", ""
	first := assertFirstSentence(t, MarkdownReport(clean))
	assert.Contains(t, first, "against go-sdk v1.8.0 (server) with reference (client) over stdio", "the target comes before the reference")
	assert.Contains(t, first, ": no rule broken; held: ")

	partial := testReport(s, false, nil, legacy, modern)
	partial.Decision = Decide(s, nil, false, "interrupted")
	assert.Contains(t, assertFirstSentence(t, MarkdownReport(partial)), "; the run stopped early: interrupted.")
}

// assertFirstSentence returns the first paragraph, which is one line and one
// sentence.
func assertFirstSentence(t *testing.T, text string) string {
	t.Helper()
	first, _, _ := strings.Cut(text, "\n\n")
	assert.NotContains(t, first, "\n")
	assert.True(t, strings.HasSuffix(first, ".") && strings.Count(first, ". ") == 0, first)
	return first
}

// TestMarkdownReportOfHostileText: a target's words stay in their cell.
func TestMarkdownReportOfHostileText(t *testing.T) {
	s := synthSummary(answers, 20, modern)
	s.Findings[0].What = map[string]int{"a | b `c`\n<script>": 1}
	text := MarkdownReport(testReport(s, false, nil, modern))
	assert.Contains(t, text, "`a \\| b 'c' <script>` (1) |\n")
}

func TestJSONReport(t *testing.T) {
	s := synthSummary(answers, 20, modern)
	r := testReport(s, false, nil, modern)
	data, err := JSON(r)
	require.NoError(t, err)
	var back Summary
	require.NoError(t, json.Unmarshal(data, &back))
	assert.Equal(t, s, back, "the keys of summary.json are where they are there")
	var rest struct {
		Decision Decision
		Manifest Manifest
	}
	require.NoError(t, json.Unmarshal(data, &rest))
	assert.Equal(t, r.Decision, rest.Decision)
	assert.Equal(t, r.Manifest, rest.Manifest)
	assert.Equal(t, 1, strings.Count(string(data), "\n"), "one line")
}

// TestStoredReport: what report renders is what run showed.
func TestStoredReport(t *testing.T) {
	s := synthSummary(answers, 20, modern)
	m := testManifest(modern)
	m.Flags = map[string]string{"strict": "true"}
	d, err := CreateAt(filepath.Join(t.TempDir(), "out"), m)
	require.NoError(t, err)
	require.NoError(t, d.WriteSummary(s))
	decision := Decide(s, []string{"CANCEL-INVALID-IGNORED"}, true, "")
	d.Amend(func(m *Manifest) { m.Decision, m.Ended = &decision, "at the first finding, seed 3" })
	require.NoError(t, d.Finish("", m.Started.Add(5*time.Second)))
	run, err := Open(d.Path())
	require.NoError(t, err)
	r, err := StoredReport(run)
	require.NoError(t, err)
	assert.Equal(t, decision, r.Decision)
	assert.Equal(t, 5*time.Second, r.Elapsed)
	assert.Contains(t, Text(r), "\nended at the first finding, seed 3, after 20 worlds\n")

	run.Manifest.Decision = nil
	r, err = StoredReport(run)
	require.NoError(t, err)
	assert.Contains(t, r.Decision.Line, "exit 1", "decided anew where no decision was stored")
}

func TestNewest(t *testing.T) {
	root := t.TempDir()
	_, err := Newest(root)
	assert.ErrorContains(t, err, "there is no result below "+root)
	started := time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC)
	make := func(scenario string, at time.Time) string {
		m := testManifest(modern)
		m.Scenario, m.Started = scenario, at
		d, err := CreateRun(root, m)
		require.NoError(t, err)
		require.NoError(t, d.Finish("", at))
		return d.Path()
	}
	make("a", started)
	want := make("b", started.Add(time.Hour))
	make("c", started.Add(time.Minute))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "d", "damaged"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(root, "d", "damaged", ManifestFile), []byte("{"), 0o666))
	got, err := Newest(root)
	require.NoError(t, err)
	assert.Equal(t, want, got, "by when it began, not by name; the latest beside each is no run of its own")
}
