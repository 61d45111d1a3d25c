package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim"
)

// generatedScenarios is how many scenarios are drawn, which are the same every time,
// and generatedSeeds how many worlds of each are run, a version.
const (
	generatedScenarios = 100
	generatedSeeds     = 2
)

// Whatever a scenario asks for, the reference on both sides is accused of nothing.
func TestGeneratedScenariosAccuseNobody(t *testing.T) {
	worker := builtWorker(t)
	exercised := map[string]bool{}
	for i := range generatedScenarios {
		text := rapid.Custom(scenarioText).Example(i)
		file := filepath.Join(t.TempDir(), "generated.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		e := loaded(t, file, choice{client: "reference", server: "reference"})
		for key, r := range records(t, worker, e, worldsOf(e, generatedSeeds), 2) {
			for _, v := range oracle.Judge(r.history).Verdicts {
				exercised[v.Rule] = exercised[v.Rule] || v.Checked > 0
				require.NotEqual(t, oracle.Fail, v.Status, "%s at %s, seed %d: %+v\n%s", v.Rule, key.SpecVersion, key.Seed, v.Violations, text)
			}
		}
	}
	for _, rule := range []string{"CANCEL-STOP-WORK", "CANCEL-SILENCE", "LATE-IGNORED", "CANCEL-NONBLOCKING", "SHUT-STDIO-SERVER", "EOF-DRAINS", "NO-LEAK"} {
		require.True(t, exercised[rule], "the scenarios must be worth running: %s", rule)
	}
}

// What is drawn can be read, and says the same when it is written out.
func TestGeneratedScenariosAreScenarios(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := scenarioText(rt)
		sc, err := sim.Parse("generated.yaml", []byte(text))
		require.NoError(rt, err, "%s", text)
		again, err := sim.Parse("again.yaml", sc.Marshal())
		require.NoError(rt, err)
		require.Equal(rt, sc, again)
	})
}

// scenarioText draws a scenario.
func scenarioText(rt *rapid.T) string {
	d := drawer{rt}
	var b strings.Builder
	fmt.Fprintf(&b, "name: generated\nsummary: Drawn by a test.\ntransport: stdio\nspec_versions: [2025-11-25, 2026-07-28]\nclient: reference\nserver: reference\n")
	fmt.Fprintf(&b, "load: %s\n", d.load())
	fmt.Fprintf(&b, "network: %s\n", d.network())
	b.WriteString("handlers:\n")
	for _, kind := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"cooperative", "checkpoint", "slow-cleanup", "chatty", "child", "swallow", "instant", "stubborn", "leaky",
	}), 1, 4, rapid.ID).Draw(rt, "kinds") {
		fmt.Fprintf(&b, "  - %s\n", d.handler(kind))
	}
	fmt.Fprintf(&b, "cancel: %s\n", d.cancel())
	// The end of a session is judged by what happens in the half hour after it.
	limits := "{horizon: 10m, settle: 5s}"
	if how := d.pick("end", "", "", "close", "half-close", "server-exit"); how != "" {
		fmt.Fprintf(&b, "end: {how: %s, at: {uniform: {min: 1ms, max: %s}}}\n", how, d.span("end at"))
		limits = "{horizon: 4h, settle: 30m}"
	}
	fmt.Fprintf(&b, "scheduler: %s\nlimits: %s\n", d.pick("scheduler", "shuffled", "fifo"), limits)
	return b.String()
}

// A drawer draws the parts of a scenario.
type drawer struct{ rt *rapid.T }

func (d drawer) pick(what string, from ...string) string {
	return rapid.SampledFrom(from).Draw(d.rt, what)
}

// span draws a time that something may take at most.
func (d drawer) span(what string) string { return d.pick(what, "2ms", "20ms", "200ms", "1s") }

// some draws a distribution of times.
func (d drawer) some(what string) string {
	return d.pick(what, "1ms", "{uniform: {min: 0s, max: 3ms}}", "{exponential: {mean: 20ms, cap: 1s}}", "{samples: [1ms, 1ms, 50ms]}")
}

func (d drawer) load() string {
	n := rapid.IntRange(1, 8).Draw(d.rt, "calls")
	arrivals := fmt.Sprintf("arrivals: closed, callers: %d, calls: %d, think: %s", rapid.IntRange(1, n).Draw(d.rt, "callers"), n, d.some("think"))
	if d.pick("arrivals", "closed", "open") == "open" {
		arrivals = fmt.Sprintf("arrivals: open, rate: %s, calls: %d", d.pick("rate", "5/s", "50/s", "500/s"), n)
	}
	other := d.pick("others", "", "", "resources/read", "prompts/get", "tools/list", "ping", "server/discover")
	if other == "" {
		return "{" + arrivals + "}"
	}
	return fmt.Sprintf("{%s, requests: [{kind: tools/call, weight: 2}, {kind: %s, weight: 1}]}", arrivals, other)
}

func (d drawer) network() string {
	if profile := d.pick("profile", "", "", "loopback", "lan", "wan", "mobile"); profile != "" {
		return "{profile: " + profile + "}"
	}
	return fmt.Sprintf("\n  client_to_server: %s\n  server_to_client: %s", d.link("up"), d.link("down"))
}

func (d drawer) link(name string) string {
	parts := []string{"delay: " + d.some(name)}
	for _, extra := range []string{
		"stall: {every: {exponential: {mean: 100ms, cap: 1s}}, for: {uniform: {min: 5ms, max: 200ms}}}",
		"coalesce: {uniform: {min: 0s, max: 20ms}}",
		"split: {pieces: 3, gap: {uniform: {min: 0s, max: 2ms}}}",
	} {
		if rapid.Bool().Draw(d.rt, "extra") {
			parts = append(parts, extra)
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (d drawer) handler(kind string) string {
	parts := []string{"kind: " + kind, fmt.Sprintf("weight: %d", rapid.IntRange(1, 3).Draw(d.rt, "weight"))}
	switch kind {
	case "instant":
		return "{" + strings.Join(parts, ", ") + "}"
	case "checkpoint", "chatty":
		parts = append(parts, "every: "+d.pick("every", "1ms", "10ms"))
	case "slow-cleanup":
		parts = append(parts, "cleanup: "+d.some("cleanup"))
	}
	parts = append(parts, "work: "+d.pick("work", "5ms", "{uniform: {min: 1ms, max: 100ms}}", "{exponential: {mean: 100ms, cap: 2s}}"))
	return "{" + strings.Join(parts, ", ") + "}"
}

func (d drawer) cancel() string {
	share := d.pick("share", "0.3", "0.8", "1")
	repeat := d.pick("repeat", "", ", repeat: 1", ", repeat: 3")
	if d.pick("aim", "uniform", "events") == "uniform" {
		return fmt.Sprintf("{share: %s, when: uniform, timeouts: %s%s}", share, d.pick("timeouts", "0", "0.5"), repeat)
	}
	event := d.pick("event", "issued", "written", "read", "started", "progress", "ended", "answered", "response-read", "returned")
	return fmt.Sprintf("{share: %s, when: [{event: %s, weight: 1, offset: %s}]%s}", share, event, d.some("offset"), repeat)
}
