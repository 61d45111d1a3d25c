package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

func TestParseExpected(t *testing.T) {
	got, err := parseExpected("known.yaml", []byte(`# what we know
- rule: CANCEL-SILENCE
  scenario: cancel-storm
  target: go-sdk@v1.8.0
  side: server
  spec_version: 2026-07-28
  reason: "answers: although told"
  link: https://example.com/issues/1#comment
- {rule: RESP-ONCE, reason: twice, link: http://example.com}
`))
	require.NoError(t, err)
	assert.Equal(t, []analysis.Expectation{
		{File: "known.yaml", Line: 2, Rule: "CANCEL-SILENCE", Scenario: "cancel-storm", Target: "go-sdk@v1.8.0", Side: history.Server,
			SpecVersion: "2026-07-28", Reason: "answers: although told", Link: "https://example.com/issues/1#comment"},
		{File: "known.yaml", Line: 9, Rule: "RESP-ONCE", Reason: "twice", Link: "http://example.com"},
	}, got)
}

// TestParseExpectedRefuses: everything that is wrong is told at once, with where
// and what to do.
func TestParseExpectedRefuses(t *testing.T) {
	const rest = ", reason: r, link: https://example.com}"
	for _, tt := range []struct{ reason, file, want string }{
		{"a misspelt rule", "- {rule: CANCEL-SILENSE" + rest,
			`f:1:10: [0].rule: there is no rule "CANCEL-SILENSE"; did you mean CANCEL-SILENCE? mcpsim list rules shows them`},
		{"a rule that looks like none", "- {rule: X" + rest, `f:1:10: [0].rule: there is no rule "X"; mcpsim list rules shows them`},
		{"no side", "- {rule: RESP-ONCE, side: both" + rest, `f:1:27: [0].side: "both" is no side; write client or server, or leave it out`},
		{"not the rule's side", "- {rule: CANCEL-SILENCE, side: client" + rest,
			"f:1:32: [0].side: CANCEL-SILENCE binds the server; write server, or leave it out"},
		{"no version", "- {rule: RESP-ONCE, spec_version: 2026-07-29" + rest,
			`f:1:35: [0].spec_version: "2026-07-29" is no version that mcpsim speaks; write one of ` + strings.Join(sim.SpecVersions(), ", ") + ", or leave it out"},
		{"a version without the rule", "- {rule: CANCEL-SILENCE, spec_version: 2025-11-25" + rest,
			"f:1:40: [0].spec_version: CANCEL-SILENCE does not bind at 2025-11-25; mcpsim list rules shows where it does"},
		{"placeholders", "- {rule: RESP-ONCE, reason: \"TODO: why?\", link: TODO}",
			"f:1:29: [0].reason: the reason is still to be written; say in a few words why the failure is put up with\n" +
				`f:1:49: [0].link: "TODO" is no link; give the address where it is being dealt with, such as ` + exampleLink},
		{"an empty reason", "- {rule: RESP-ONCE, reason: \" \", link: https://example.com}",
			"f:1:29: [0].reason: this is empty; give it a value, or leave the key out"},
		{"no reason and no link", "- rule: RESP-ONCE",
			"f:1:3: [0].reason: this is missing; write reason: answers although told to stop\n" +
				"f:1:3: [0].link: this is missing; write link: " + exampleLink},
		{"a target with a space", "- {rule: RESP-ONCE, target: go-sdk v1.8.0" + rest,
			`f:1:29: [0].target: "go-sdk v1.8.0" is no target; write its NAME, or NAME@VERSION; one that is built from a directory has its NAME alone`},
		{"a target with a path", "- {rule: RESP-ONCE, target: go-sdk@../go-sdk" + rest,
			`f:1:29: [0].target: "go-sdk@../go-sdk" is no target; write its NAME, or NAME@VERSION; one that is built from a directory has its NAME alone`},
		{"the same twice", "- {rule: RESP-ONCE, reason: a, link: https://a.example}\n- {rule: RESP-ONCE, reason: b, link: https://b.example}",
			"f:2:10: [1].rule: line 1 expects the same failure; leave one out"},
	} {
		_, err := parseExpected("f", []byte(tt.file+"\n"))
		if assert.Error(t, err, tt.reason) {
			assert.Equal(t, tt.want, err.Error(), tt.reason)
		}
	}
}

// TestExpectedRoundTrips: what is written is read as what it was.
func TestExpectedRoundTrips(t *testing.T) {
	rules := oracle.Rules()
	rapid.Check(t, func(t *rapid.T) {
		rule := rapid.SampledFrom(rules).Draw(t, "rule")
		want := analysis.Expectation{
			File: "f", Line: 6, Rule: rule.ID,
			Scenario:    rapid.StringMatching(`[a-z0-9-]{1,8}|true|7|0x1|1e3|~`).Draw(t, "scenario"),
			Target:      rapid.StringMatching(`[!-.0-\[\]-~]{1,8}`).Draw(t, "target"),
			SpecVersion: rapid.SampledFrom(whereBinds(rule)).Draw(t, "version"),
			Reason:      rapid.StringMatching(`[!-~é… "\n\t]{0,20}[a-z]`).Draw(t, "reason"),
			Link:        "https://example.com/" + rapid.StringMatching(`[a-z0-9#/?&=-]{0,10}`).Draw(t, "path"),
		}
		if strings.HasPrefix(want.Reason, placeholder) {
			t.Skip("a placeholder is refused")
		}
		s := analysis.Summary{Expected: []analysis.ExpectedFailure{
			{Expectation: want, Fulfilment: analysis.Unexercised},
			{Expectation: analysis.Expectation{Rule: "RESP-ONCE"}, Fulfilment: analysis.Stale},
		}}
		file := writeExpected(analysis.Manifest{Scenario: "cancel-storm"}, "cancel-storm", s)
		got, err := parseExpected("f", file)
		require.NoError(t, err, "%s", file)
		require.Equal(t, []analysis.Expectation{want}, got, "%s", file)
	})
}

// whereBinds lists the versions at which a rule binds.
func whereBinds(r oracle.Rule) []string {
	return slices.DeleteFunc(protocol.Versions(), func(v string) bool {
		return !slices.ContainsFunc(oracle.Transports(), func(t oracle.Transport) bool { return r.LevelOver(t, v) != "" })
	})
}

func TestWriteExpected(t *testing.T) {
	m := analysis.Manifest{Scenario: "./mine.yaml", Client: history.Peer{Target: "reference"}, Server: history.Peer{Target: "go-sdk", Version: "v1.8.0"}}
	known := analysis.Expectation{Rule: "RESP-ONCE"}
	s := analysis.Summary{Findings: []analysis.Finding{
		{ID: "F1", Rule: "CANCEL-SILENCE", Level: oracle.MustNot, Side: history.Server, SpecVersion: "2026-07-28", Checked: 3, Failed: 2, ExampleSeed: 7},
		{ID: "F2", Rule: "RESP-ONCE", Side: history.Server, Expected: &known},
		{ID: "F3", Rule: "NO-LEAK", Level: oracle.Quality, Side: history.World, SpecVersion: "2026-07-28"},
		{ID: "F4", Rule: "NO-LEAK", Level: oracle.Quality, Side: history.World, SpecVersion: "2026-07-28"},
	}}
	text := string(writeExpected(m, "mine", s))
	assert.Contains(t, text, "# F1 MUST NOT, 2 of 3. See it: mcpsim replay ./mine.yaml --seed 7 --spec-version 2026-07-28 --client reference --server go-sdk@v1.8.0\n"+
		"- rule: CANCEL-SILENCE\n  scenario: mine\n  target: go-sdk\n  side: server\n  spec_version: 2026-07-28\n")
	assert.NotContains(t, text, "F4", "F3's entry stands for it")
	assert.NotContains(t, text, "RESP-ONCE", "it is foreseen, and its entry is not in the summary here")
	assert.Contains(t, text, "- rule: NO-LEAK\n  scenario: mine\n  spec_version: 2026-07-28\n", "nobody knows whose: no target, no side")
	_, err := parseExpected("f", []byte(text))
	var faults *sim.ScenarioError
	require.ErrorAs(t, err, &faults, "a person has to say why")
	assert.Len(t, faults.Faults, 4)

	none := string(writeExpected(m, "mine", analysis.Summary{}))
	got, err := parseExpected("f", []byte(none))
	assert.NoError(t, err, "a run without findings gives a file without entries")
	assert.Empty(t, got)
}

func TestChosenRules(t *testing.T) {
	got, err := chosenRules([]string{"RESP-ONCE", "CANCEL-SILENCE", "RESP-ONCE"})
	require.NoError(t, err)
	assert.Equal(t, []string{"CANCEL-SILENCE", "RESP-ONCE"}, got, "each once, in the order of the catalogue")
	got, err = chosenRules(nil)
	require.NoError(t, err)
	assert.Empty(t, got, "none named: all")
}
