package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/lease"
)

// failures counts, per rule, what n seeds of an experiment break, at its newest
// version.
func failures(t *testing.T, scenario string, c choice, n uint64) (*experiment, map[string]int) {
	t.Helper()
	readSource(t)
	e := loaded(t, scenario, c)
	worker, err := e.build(t.Context(), io.Discard)
	require.NoError(t, err)
	failed := map[string]int{}
	pool := engine.Pool{Worker: worker, Setup: e.setup([]lease.Pair{e.tested()}), Jobs: 1, CPULimit: e.cpuLimit()}
	err = pool.Run(t.Context(), func(yield func(lease.Lease) bool) {
		for seed := range n {
			if !yield(lease.Lease{SpecVersion: e.specVersions[len(e.specVersions)-1], Seed: seed}) {
				return
			}
		}
	}, func(out engine.Outcome) error {
		w, err := e.judged(out, e.tested())
		for _, v := range w.Judgement.Verdicts {
			if v.Status == oracle.Fail && v.Implied == "" {
				failed[v.Rule] += v.Failed
			}
		}
		return err
	})
	require.NoError(t, err)
	return e, failed
}

// TestOwnTarget plugs in the example of the README, and finds its bug.
func TestOwnTarget(t *testing.T) {
	e, failed := failures(t, "cancel-storm", choice{client: "reference", server: "caching@./testdata/own/target"}, 20)
	assert.Equal(t, "caching", e.server.Name)
	assert.Positive(t, failed["CANCEL-STOP-WORK"], "its tools are never told: %v", failed)
	assert.Equal(t, map[string]string{"caching": "./testdata/own/target"}, e.manifest(engine.Worker{}).Sources)
}

// TestOwnWebTarget does so over HTTP: the log is what hides the closed streams, and where a
// closed stream is no cancel it hides nothing.
func TestOwnWebTarget(t *testing.T) {
	own := choice{client: "reference", server: "logging@./testdata/own/web"}
	e, failed := failures(t, "disconnect-modern", own, 10)
	assert.Equal(t, "streamable-http", e.scenario.Transport)
	assert.Positive(t, failed["DISC-IS-CANCEL"], "its tools are never told: %v", failed)
	_, failed = failures(t, "disconnect-legacy", own, 10)
	assert.Empty(t, failed, "its sessions are in order")
}

// TestOlderRelease runs the oldest release of the Go SDK that the adapter knows.
func TestOlderRelease(t *testing.T) {
	e, failed := failures(t, "cancel-storm", choice{client: "go-sdk@v1.6.1"}, 20)
	assert.Equal(t, "v1.6.1", e.client.Version)
	assert.Equal(t, "v1.6.1", e.server.Version, "a side that names no version takes what the other one asks for")
	assert.Equal(t, []string{"2025-11-25"}, e.specVersions, "it speaks no newer one")
	assert.Positive(t, failed["CANCEL-NO-RESPONSE"], "%v", failed)
}

// TestUnfitRecipes are what cannot be built or started: one error each, that
// says whose fault it is, and exit 2.
func TestUnfitRecipes(t *testing.T) {
	for _, c := range []struct{ why, source, err string }{
		{"code that does not compile", "package target\n\nfunc Target() int { return 1 }\n", "cannot use own0.Target()"},
		{"code without the function", "package target\n", "undefined: own0.Target"},
		{"code that panics at the start", "package target\n\nimport \"github.com/mcpsim/mcpsim/sim\"\n\n" +
			"func Target() sim.Target { return sim.Target{} }\n\nfunc init() { panic(\"not today\") }\n", "not today"},
	} {
		t.Run(c.why, func(t *testing.T) {
			readSource(t)
			dir := t.TempDir()
			for name, text := range map[string]string{"go.mod": "module example.com/unfit\n\ngo 1.26\n\nrequire github.com/mcpsim/mcpsim v0.1.0\n", "target.go": c.source} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
			}
			e := loaded(t, "cancel-storm", choice{client: "reference", server: "unfit@" + dir})
			_, err := e.build(t.Context(), io.Discard)
			assert.ErrorContains(t, err, c.err)
			assert.ErrorContains(t, err, "a worker with unfit uncommitted cannot be had")
			var exit *exitError
			if assert.ErrorAs(t, err, &exit) {
				assert.Equal(t, exitUsage, exit.code, "nothing was run")
			}
			assert.NotContains(t, err.Error(), "\x00", "without the headers of the virtual clock")
		})
	}
}
