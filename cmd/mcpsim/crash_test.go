package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/lease"
)

func TestStableStacks(t *testing.T) {
	const report = `goroutine 52 [running]:
github.com/mcpsim/mcpsim/sim.(*handler).panicking(0xc00017e000, {0x8f3a28?, 0xc00011c0f0?})
	/src/sim/tools.go:121 +0x27
github.com/modelcontextprotocol/go-sdk/mcp.(*Server).callTool(...)
	/src/mcp/server.go:690
created by github.com/modelcontextprotocol/go-sdk/internal/jsonrpc2.(*Connection).handleAsync in goroutine 40
	/src/internal/jsonrpc2/conn.go:272 +0x5a5`
	const want = `goroutine [running]:
github.com/mcpsim/mcpsim/sim.(*handler).panicking
	/src/sim/tools.go:121
github.com/modelcontextprotocol/go-sdk/mcp.(*Server).callTool
	/src/mcp/server.go:690
created by github.com/modelcontextprotocol/go-sdk/internal/jsonrpc2.(*Connection).handleAsync
	/src/internal/jsonrpc2/conn.go:272`
	assert.Equal(t, want, strings.Join(stable(strings.Split(report, "\n")), "\n"))
}

// TestToolThatPanics takes the process down where the SDK does not recover it.
// That is the tool's own crash: it repeats, and convicts nobody.
func TestToolThatPanics(t *testing.T) {
	worker := builtWorker(t)
	e := loaded(t, "testdata/crash/panicking.yaml", choice{client: "reference", server: "go-sdk"})
	first, again := judgedWorlds(t, worker, e), judgedWorlds(t, worker, e)
	crashed := 0
	for k, w := range first {
		assert.Equal(t, w.Digest, again[k].Digest, "%v", k)
		for _, v := range w.Judgement.Verdicts {
			if v.Rule != "RACE-GRACEFUL" || len(v.Uncounted) == 0 {
				continue
			}
			crashed++
			assert.Equal(t, oracle.Vacuous, v.Status, "%v: %+v", k, v)
			assert.Equal(t, "the scenario's own tool crashed the process", v.Uncounted[0].Why)
		}
	}
	require.Positive(t, crashed, "or the test says nothing")
}

// judgedWorlds runs a few worlds, each of which may kill its worker.
func judgedWorlds(t *testing.T, worker engine.Worker, e *experiment) map[analysis.HistoryKey]analysis.World {
	pool := engine.Pool{Worker: worker, Setup: e.setup([]lease.Pair{e.tested()}), Jobs: 1, CPULimit: e.cpuLimit()}
	out := map[analysis.HistoryKey]analysis.World{}
	err := pool.Run(t.Context(), slices.Values(worldsOf(e, 3)), func(o engine.Outcome) error {
		w, err := e.judged(o, e.tested())
		out[analysis.HistoryKey{SpecVersion: o.Lease.SpecVersion, Seed: o.Lease.Seed}] = w
		return err
	})
	require.NoError(t, err)
	return out
}
