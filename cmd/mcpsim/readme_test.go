package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis"
)

// referenceRun is the run that the README shows.
const referenceRun = "../../results/reference/cancel-storm-go-sdk-v1.8.0"

// TestReadmeShowsTheTruth runs what the README shows and compares word by word:
// the conversation by replaying it, the report from the summary that it was made
// of. A new SDK, or a changed history, asks for a new run under results/reference.
func TestReadmeShowsTheTruth(t *testing.T) {
	builtWorker(t)
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)

	var out, stderr bytes.Buffer
	code := run([]string{"replay", referenceRun, "F1", "--ascii=false"}, &out, &stderr)
	require.Equal(t, exitBroken, code, stderr.String())
	assert.Contains(t, string(readme), out.String(), "the conversation")
	assert.Contains(t, out.String(), "identical to the recorded one")

	result, err := analysis.Open(referenceRun)
	require.NoError(t, err)
	summary, err := result.Summary()
	require.NoError(t, err)
	m := result.Manifest
	text := analysis.Text(analysis.Report{
		Manifest: m, Summary: summary, Rules: analysis.RuleTexts(),
		Decision: analysis.Decide(summary, nil, false, ""), Elapsed: m.Finished.Sub(m.Started),
	})
	for line := range strings.Lines(text) {
		if strings.Contains(line, " s\n") && strings.HasPrefix(line, "network ") {
			continue // how long it took, of which the last files are no part
		}
		assert.Contains(t, string(readme), line)
	}
}

// TestReadmeOverHTTP follows the way from a finding to its fix that the README shows, and
// compares what it shows word by word.
func TestReadmeOverHTTP(t *testing.T) {
	builtWorker(t)
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "out")
	shown := func(want int, args ...string) string {
		var out, stderr bytes.Buffer
		require.Equal(t, want, run(append(args, "--ascii=false"), &out, &stderr), stderr.String())
		return out.String()
	}
	text := shown(exitBroken, "run", "disconnect-modern", "--client", "reference", "--server", "go-sdk", "--seeds", "0-99", "--controls=false", "--out", dir)
	start := strings.Index(text, "\nF1  ")
	require.Positive(t, start, text)
	finding, _, _ := strings.Cut(text[start:], "\nnotes: ")
	assert.Contains(t, string(readme), finding)
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "HTTP faults") || strings.HasPrefix(line, "DONE ") {
			assert.Contains(t, string(readme), line)
		}
	}
	assert.Contains(t, string(readme), "replay before F1\n"+shown(exitBroken, "replay", dir, "F1"))
	assert.Contains(t, string(readme), "replay before F1 --server go-sdk+propagate\n"+shown(exitOK, "replay", dir, "F1", "--server", "go-sdk+propagate"))
}

// TestReadmeGate holds a run against the README's expected failures, and compares what it shows
// of that, of a release's sentence and of mcpsim check.
func TestReadmeGate(t *testing.T) {
	builtWorker(t)
	data, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	readme, dir := string(data), t.TempDir()
	shown := func(want int, args ...string) string {
		var out, stderr bytes.Buffer
		require.Equal(t, want, run(append(args, "--ascii=false"), &out, &stderr), stderr.String())
		return out.String()
	}
	_, entries, found := strings.Cut(readme, "```yaml\n- rule: ")
	require.True(t, found)
	entries, _, _ = strings.Cut(entries, "```")
	expected, result := filepath.Join(dir, "expected.yaml"), filepath.Join(dir, "out")
	require.NoError(t, os.WriteFile(expected, []byte("- rule: "+entries), 0o644))
	t.Chdir(dir)

	seeds := []string{"run", "cancel-storm", "--seeds", "0-199", "--controls=false", "--out"}
	text := shown(exitBroken, append(seeds, result, "--expected-failures", "expected.yaml")...)
	block := func(from, until string) string {
		_, rest, found := strings.Cut(text, from)
		require.True(t, found, text)
		rest, _, _ = strings.Cut(rest, until)
		return from + rest
	}
	for _, part := range []string{block("FAILED ", "    mcpsim replay"), block("!   stale", "-   not exercised"), block("DONE ", "nothing")} {
		assert.Contains(t, readme, part)
	}
	t.Chdir(filepath.Join(result, analysis.HistoriesDir, "2026-07-28"))
	var out, stderr bytes.Buffer
	require.Equal(t, exitBroken, run([]string{"check", "0.ndjson.zst"}, &out, &stderr), stderr.String())
	assert.Contains(t, readme, "$ mcpsim check 0.ndjson.zst\n"+out.String())

	plain := filepath.Join(dir, "plain")
	shown(exitBroken, append(seeds, plain)...)
	sentence, _, _ := strings.Cut(shown(exitOK, "report", plain, "--format", "markdown"), "\n")
	assert.Contains(t, strings.ReplaceAll(readme, "\n> ", " "), " "+sentence)
}

// TestReadmeDocumentsEveryFile compares the table of a result directory's files
// with one that a run made.
func TestReadmeDocumentsEveryFile(t *testing.T) {
	builtWorker(t)
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "out")
	var out, stderr bytes.Buffer
	code := run([]string{"run", "cancel-storm", "--seeds", "0-9", "--out", dir}, &out, &stderr)
	require.Equal(t, exitBroken, code, stderr.String())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			assert.Contains(t, string(readme), "`"+e.Name(), "the README says nothing of it")
		}
	}
	var m analysis.Manifest
	data, err := os.ReadFile(filepath.Join(dir, analysis.ManifestFile))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &m))
	assert.Equal(t, analysis.Complete, m.State)
}
