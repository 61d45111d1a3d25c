package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// TestEveryVersion has each target speak each version that it lists, on either
// side: a session comes about, calls are answered, cancels are read.
func TestEveryVersion(t *testing.T) {
	worker := builtWorker(t)
	for _, c := range []struct{ client, server string }{
		{"reference", "reference"},
		{"go-sdk", "reference"}, {"reference", "go-sdk"}, {"go-sdk", "go-sdk"},
		{"mcp-go", "reference"}, {"reference", "mcp-go"}, {"mcp-go", "mcp-go"},
	} {
		t.Run(c.client+" to "+c.server, func(t *testing.T) {
			e := loaded(t, "cancel-storm", choice{client: c.client, server: c.server, specVersions: []string{allVersions}})
			require.Equal(t, sim.SpecVersions(), e.specVersions, "each side of it speaks all")
			for k, r := range records(t, worker, e, worldsOf(e, 2), 2) {
				assert.Equal(t, k.SpecVersion, r.history.Header.SpecVersion)
				spoke(t, r.history)
			}
		})
	}
}

// spoke makes sure that the version of the header was really spoken.
func spoke(t *testing.T, h *history.History) {
	version, named, values, cancels := h.Header.SpecVersion, false, 0, 0
	for _, e := range h.Events {
		switch {
		case e.Kind == history.Connected:
			require.Empty(t, e.Text, "%s: no session came about", version)
		case e.Kind == history.Return && e.Text == "":
			values++
		case e.Kind == history.Read && e.Msg.IsCancel():
			cancels++
		case e.Kind == history.Read && e.Msg.Kind == history.Response && !named && !protocol.Modern(version):
			// The first response is that to initialize.
			named = protocol.Member(protocol.Member(e.Msg.Raw, "result"), "protocolVersion") == `"`+version+`"`
		case e.Kind == history.Read && e.Msg.Method == protocol.ToolsCall && protocol.Modern(version):
			meta := protocol.Member(protocol.Member(e.Msg.Raw, "params"), "_meta")
			named = protocol.Member(meta, protocol.MetaVersion) == `"`+version+`"`
		}
	}
	assert.True(t, named, "%s is not what the two spoke", version)
	assert.Positive(t, values, "%s: no call was answered", version)
	assert.Positive(t, cancels, "%s: no cancel was read", version)
}

// TestVersionsByName is what may be typed for a version.
func TestVersionsByName(t *testing.T) {
	for _, c := range []struct {
		why         string
		typed, want []string
	}{
		{"nothing: what the scenario says", nil, bothVersions()},
		{"a date", []string{"2024-11-05"}, []string{"2024-11-05"}},
		{"the draft is the newest", []string{"draft"}, []string{"2026-07-28"}},
		{"and so is not run twice", []string{"2026-07-28", "draft", "2025-03-26"}, []string{"2025-03-26", "2026-07-28"}},
		{"all that both speak", []string{"all"}, sim.SpecVersions()},
	} {
		e := loaded(t, "cancel-storm", choice{client: "reference", server: "reference", specVersions: c.typed})
		assert.Equal(t, c.want, e.specVersions, c.why)
	}
}

// TestRequiredAtOldVersions: what a version does not have cannot be required of it.
func TestRequiredAtOldVersions(t *testing.T) {
	e := &experiment{specVersions: sim.SpecVersions(), scenario: &sim.Scenario{Transport: sim.Stdio, Require: []sim.Requirement{
		{AnyOf: []string{"TIMEOUT-CANCEL"}}, {AnyOf: []string{"CANCEL-SILENCE"}},
	}}}
	assert.Equal(t, []string{
		"CANCEL-SILENCE at 2026-07-28", "TIMEOUT-CANCEL at 2025-03-26", "TIMEOUT-CANCEL at 2025-06-18",
		"TIMEOUT-CANCEL at 2025-11-25", "TIMEOUT-CANCEL at 2026-07-28",
	}, e.required(nil))
}
