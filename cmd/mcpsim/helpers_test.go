package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/lease"
)

// bothVersions are the protocol versions that the scenarios of the catalogue run at.
func bothVersions() []string { return []string{"2025-11-25", "2026-07-28"} }

// readSource reads all Go code of the module. The go command notes which files a
// test opened, and so does not take an earlier result for one of code that has
// changed since, although the test only hands that code to other programs.
func readSource(tb testing.TB) {
	tb.Helper()
	require.NoError(tb, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "results" || strings.HasPrefix(d.Name(), ".") && !strings.HasPrefix(d.Name(), "..")):
			return filepath.SkipDir
		case filepath.Ext(path) != ".go":
			return nil
		}
		_, err = os.ReadFile(path)
		return err
	}))
}

// builtWorker returns the worker, which is built once and then found in the
// user's cache.
func builtWorker(tb testing.TB) engine.Worker {
	tb.Helper()
	readSource(tb)
	worker, err := engine.Build(tb.Context(), engine.Recipe{}, func(line string) { tb.Log(line) })
	require.NoError(tb, err)
	require.True(tb, worker.Seeded, "without the seeded runtime nothing repeats: %s", worker.Caveat)
	return worker
}

// loaded is a scenario with the flags of a choice.
func loaded(tb testing.TB, scenario string, c choice) *experiment {
	tb.Helper()
	e, err := c.load(scenario)
	require.NoError(tb, err)
	return e
}

// worldsOf lists the leases of n seeds at the experiment's versions.
func worldsOf(e *experiment, n uint64) []lease.Lease {
	var out []lease.Lease
	for seed := range n {
		for _, v := range e.specVersions {
			out = append(out, lease.Lease{SpecVersion: v, Seed: seed, SchedulerSeed: e.schedulerSeed, Keep: true})
		}
	}
	return out
}

// A record is what a world left: its history as it was encoded, byte for byte.
type record struct {
	encoded string
	history *history.History
}

func (r record) digest() string { return history.Digest(r.history.Events) }

// records runs the leases with so many workers and returns their histories.
func records(tb testing.TB, worker engine.Worker, e *experiment, leases []lease.Lease, jobs int) map[analysis.HistoryKey]record {
	tb.Helper()
	pool := engine.Pool{Worker: worker, Setup: e.setup([]lease.Pair{e.tested()}), Jobs: jobs, CPULimit: e.cpuLimit()}
	out := map[analysis.HistoryKey]record{}
	var mu sync.Mutex // guards out
	err := pool.Run(tb.Context(), func(yield func(lease.Lease) bool) {
		for _, l := range leases {
			if !yield(l) {
				return
			}
		}
	}, func(o engine.Outcome) error {
		r, err := recordOf(e, o)
		mu.Lock()
		defer mu.Unlock()
		out[analysis.HistoryKey{SpecVersion: o.Lease.SpecVersion, Seed: o.Lease.Seed}] = r
		return err
	})
	require.NoError(tb, err)
	require.Len(tb, out, len(leases), "every world gives one history")
	return out
}

func recordOf(e *experiment, o engine.Outcome) (record, error) {
	if _, err := e.judged(o, e.tested()); err != nil {
		return record{}, err
	}
	h, err := history.Decode(bytes.NewReader(o.Reply.History))
	return record{string(o.Reply.History), h}, err
}
