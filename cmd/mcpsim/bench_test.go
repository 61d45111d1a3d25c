package main

import (
	"cmp"
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/lease"
)

// BenchmarkWorlds measures four-call worlds of the Go SDK on one core: bare,
// with everything observed, and judged too. Read the ratios within one run.
//
//	go test -run - -bench Worlds -benchtime 2000x ./cmd/mcpsim
func BenchmarkWorlds(b *testing.B) {
	for _, mode := range []lease.Mode{lease.Bare, lease.Record, lease.Judge} {
		b.Run(string(mode), func(b *testing.B) {
			benchmark(b, bench{scenario: "cancel-storm", client: "go-sdk", server: "go-sdk", mode: mode, jobs: 1})
		})
	}
}

// BenchmarkOverHTTP measures the same worlds over HTTP, of either era.
//
//	go test -run - -bench OverHTTP -benchtime 1000x ./cmd/mcpsim
func BenchmarkOverHTTP(b *testing.B) {
	for _, version := range bothVersions() {
		for _, mode := range []lease.Mode{lease.Bare, lease.Record, lease.Judge} {
			b.Run(version+"/"+string(mode), func(b *testing.B) {
				benchmark(b, bench{
					scenario: "cancel-storm", client: "go-sdk", server: "go-sdk", mode: mode, jobs: 1,
					transport: sim.StreamableHTTP, version: version,
				})
			})
		}
	}
}

// BenchmarkJobs measures judged worlds with one worker and with two.
func BenchmarkJobs(b *testing.B) {
	for name, jobs := range map[string]int{"1": 1, "2": 2} {
		b.Run(name, func(b *testing.B) {
			benchmark(b, bench{scenario: "cancel-storm", client: "go-sdk", server: "go-sdk", mode: lease.Judge, jobs: jobs})
		})
	}
}

// BenchmarkReferenceCalls measures judged calls between our own peers on one core.
func BenchmarkReferenceCalls(b *testing.B) {
	benchmark(b, bench{scenario: "testdata/bench/many-calls.yaml", client: "reference", server: "reference", mode: lease.Judge, jobs: 1})
}

// BenchmarkPatience measures how much faster than the wall a world runs in which
// hardly anything happens.
func BenchmarkPatience(b *testing.B) {
	benchmark(b, bench{scenario: "testdata/bench/patient.yaml", client: "go-sdk", server: "go-sdk", mode: lease.Judge, jobs: 1})
}

type bench struct {
	scenario, client, server string
	transport, version       string // empty: the scenario's, and the older one
	mode                     lease.Mode
	jobs                     int
}

// benchmark runs b.N worlds at one protocol version and reports worlds,
// calls and simulated seconds a second, and the processor time of a world.
func benchmark(b *testing.B, want bench) {
	ctx := context.Background()
	worker, err := engine.Build(ctx, engine.Recipe{}, func(line string) { b.Log(line) })
	require.NoError(b, err)
	version := cmp.Or(want.version, "2025-11-25")
	c := choice{client: want.client, server: want.server, transport: want.transport, specVersions: []string{version}}
	e, err := c.load(want.scenario)
	require.NoError(b, err)
	setup := e.setup([]lease.Pair{e.tested()})
	setup.Mode = want.mode
	pool := engine.Pool{Worker: worker, Setup: setup, Jobs: want.jobs, CPULimit: e.cpuLimit()}
	var simulated atomic.Int64
	before := childrensCPU(b)
	b.ResetTimer()
	err = pool.Run(ctx, func(yield func(lease.Lease) bool) {
		for seed := range uint64(b.N) {
			if !yield(lease.Lease{SpecVersion: version, Seed: seed}) {
				return
			}
		}
	}, func(out engine.Outcome) error {
		if want.mode != lease.Judge {
			return nil
		}
		w, err := e.judged(out, e.tested())
		simulated.Add(int64(w.Simulated))
		return err
	})
	require.NoError(b, err)
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(float64((childrensCPU(b)-before).Microseconds())/1e3/float64(b.N), "cpu-ms/world")
	b.ReportMetric(float64(b.N)/seconds, "worlds/s")
	b.ReportMetric(float64(b.N*e.scenario.Load.Total())/seconds, "calls/s")
	if want.mode == lease.Judge {
		b.ReportMetric(float64(simulated.Load())/1e9/seconds, "simulated-s/s")
	}
}
