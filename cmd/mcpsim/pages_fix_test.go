package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/history"
)

// TestAfterFix: what a page tells people to run can be run, over the transport of the
// page's world, once a checkout stands for PATH.
func TestAfterFix(t *testing.T) {
	for _, c := range []struct {
		why, scenario string
		choice        choice
	}{
		{"over a pipe", "cancel-storm", choice{}},
		{"the second scenario is the first", "careless-tools", choice{}},
		{"over another transport, by another budget", "cancel-storm", choice{transport: "streamable-http", budgets: []string{"shutdown=5s"}}},
		{"over HTTP+SSE, which has one version", "cancel-storm", choice{transport: "http-sse"}},
		{"over HTTP by the scenario's own word, with options", "disconnect-modern", choice{client: "reference", server: "go-sdk+propagate+json"}},
		{"opposite a mutant, which has no checkout", "disconnect-modern", choice{client: "mutant:late-value", server: "go-sdk"}},
	} {
		e := loaded(t, c.scenario, c.choice)
		g := &gathering{experiment: e, manifest: e.manifest(engine.Worker{})}
		var lines []string
		for line := range strings.Lines(g.afterFix(analysis.RuleText{})) {
			if !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
		assert.Len(t, lines, map[bool]int{true: 1, false: 2}[c.scenario == careless], c.why)
		for _, line := range lines {
			words := strings.Fields(strings.ReplaceAll(line, "@PATH", ""))
			require.Equal(t, []string{"mcpsim", "run"}, words[:2])
			r := &runCommand{}
			flags := newRun()
			require.NoError(t, flags.ParseFlags(words[2:]), "%s: %s", c.why, line)
			get := func(name string) string {
				value, err := flags.Flags().GetString(name)
				require.NoError(t, err)
				return value
			}
			r.client, r.server, r.transport = get("client"), get("server"), get("transport")
			again, err := r.load(words[2])
			if assert.NoError(t, err, "%s: %s", c.why, line) {
				assert.Equal(t, e.scenario.Transport, again.scenario.Transport, c.why)
			}
		}
	}
}

// TestUnchosen: a page names the options of its side that mean something there and were not
// chosen.
func TestUnchosen(t *testing.T) {
	names := func(c choice, side history.Side) (out []string) {
		e := loaded(t, "cancel-storm", c)
		for _, o := range (&gathering{experiment: e, manifest: e.manifest(engine.Worker{})}).unchosen(side) {
			out = append(out, o.Target+"+"+o.Name)
		}
		return out
	}
	over := choice{transport: "streamable-http", client: "reference", server: "go-sdk+json"}
	assert.Equal(t, []string{"go-sdk+stateless", "go-sdk+propagate", "go-sdk+store"}, names(over, history.Server))
	assert.Empty(t, names(over, history.Client), "the reference has none")
	assert.Empty(t, names(choice{client: "reference", server: "go-sdk"}, history.Server), "they mean nothing over a pipe")
	assert.Equal(t, []string{"go-sdk+discover"}, names(choice{client: "go-sdk", server: "reference"}, history.Client))
}
