package main

import (
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/scenarios"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/lease"
)

// How many seeds the tests try; BenchmarkDigests takes as many as one likes.
const (
	determinismSeeds = 40
	crowdedSeeds     = 20 // of worlds with many more events
	catalogueSeeds   = 10 // of each scenario
)

// TestSameSeedSameHistory holds the promise that everything else rests on: a seed
// is a history, byte for byte, whatever happens around the world. The unmodified
// Go SDK plays on both sides, with all its goroutines, maps and timers.
func TestSameSeedSameHistory(t *testing.T) {
	worker := builtWorker(t)
	e := loaded(t, "cancel-storm", choice{})
	require.Equal(t, bothVersions(), e.specVersions)
	leases := worldsOf(e, determinismSeeds)
	alone := map[analysis.HistoryKey]record{}
	for _, l := range leases {
		maps.Copy(alone, records(t, worker, e, []lease.Lease{l}, 1))
	}
	backwards := slices.Clone(leases)
	slices.Reverse(backwards)
	for _, row := range []struct {
		name   string // what is otherwise than in a process of its own
		leases []lease.Lease
		jobs   int
		env    map[string]string // of the parent
		busy   int               // goroutines of the parent that only burn processor time
	}{
		{name: "one after another in one process: nothing of a world stays for the next", leases: leases, jobs: 1},
		{name: "in the other order: what stayed would be something else", leases: backwards, jobs: 1},
		{name: "two workers: who gets which world is up to the machine", leases: leases, jobs: 2},
		{name: "a collector that runs all the time", leases: leases, jobs: 2, env: map[string]string{"GOGC": "1", "GOMEMLIMIT": "1MiB"}},
		{name: "no collector, many processors", leases: leases, jobs: 2, env: map[string]string{"GOGC": "off", "GOMAXPROCS": "16"}},
		{name: "another place on Earth, and a runtime that is told to behave otherwise", leases: leases, jobs: 2, env: map[string]string{
			"TZ": "Pacific/Kiritimati", "LANG": "ar_EG.UTF-8", "GODEBUG": "asyncpreemptoff=1,randautoseed=0,asynctimerchan=1",
		}},
		{name: "a busy machine", leases: leases, jobs: 2, busy: 4},
	} {
		t.Run(row.name, func(t *testing.T) {
			for name, value := range row.env {
				t.Setenv(name, value)
			}
			defer burn(row.busy)()
			assertSame(t, alone, records(t, worker, e, row.leases, row.jobs))
		})
	}
}

// burn keeps n goroutines busy until the function that it returns is called.
func burn(n int) (stop func()) {
	var over atomic.Bool
	for range n {
		go func() {
			for !over.Load() {
			}
		}()
	}
	return func() { over.Store(true) }
}

// assertSame names the first event that differs, of each world.
func assertSame(t *testing.T, want, got map[analysis.HistoryKey]record) {
	t.Helper()
	for k, w := range want {
		if g := got[k]; w.encoded != g.encoded {
			assert.Fail(t, "the history is another", "seed %d at %s, from event %d on",
				k.Seed, k.SpecVersion, history.FirstDifference(w.history.Events, g.history.Events))
		}
	}
}

// TestCatalogueRepeats holds the same for what the other scenarios have: calls of
// every kind, open arrivals, deadlines, and cancels that wait for an event.
func TestCatalogueRepeats(t *testing.T) {
	worker := builtWorker(t)
	for _, name := range scenarios.Names() {
		t.Run(name, func(t *testing.T) {
			e := loaded(t, name, choice{})
			leases := worldsOf(e, catalogueSeeds)
			backwards := slices.Clone(leases)
			slices.Reverse(backwards)
			assertSame(t, records(t, worker, e, leases, 2), records(t, worker, e, backwards, 1))
		})
	}
}

// TestListenersRepeat holds whom a server tells first, of several sessions: mcp-go keeps
// them in a sync.Map by their addresses. The Go SDK does in a map, which goes by the
// addresses as soon as it has more than eight entries: with thirty such clients 0 of 40
// seeds gave the same history twice, with eight all do.
func TestListenersRepeat(t *testing.T) {
	worker := builtWorker(t)
	for _, sdk := range []string{"go-sdk", "mcp-go"} {
		t.Run(sdk, func(t *testing.T) {
			e := loaded(t, "testdata/determinism/listeners-http.yaml", choice{client: sdk, server: sdk})
			leases := worldsOf(e, catalogueSeeds)
			backwards := slices.Clone(leases)
			slices.Reverse(backwards)
			assertSame(t, records(t, worker, e, leases, 2), records(t, worker, e, backwards, 1))
		})
	}
}

// TestNeighboursDiffer makes sure that the digests say anything at all: a seed
// that changed nothing would repeat perfectly.
func TestNeighboursDiffer(t *testing.T) {
	e := loaded(t, "cancel-storm", choice{})
	seeds := map[string]analysis.HistoryKey{}
	for k, r := range records(t, builtWorker(t), e, worldsOf(e, determinismSeeds), 2) {
		other, taken := seeds[r.digest()]
		assert.False(t, taken, "%v and %v have the same history", k, other)
		seeds[r.digest()] = k
	}
}

// crowded is a scenario in which several goroutines can often run at one instant.
// In cancel-storm every act has an instant of its own.
const crowded = "testdata/determinism/crowded.yaml"

// TestSchedulerSeed changes nothing but the order in which goroutines run that
// could run at the same instant.
func TestSchedulerSeed(t *testing.T) {
	worker := builtWorker(t)
	for _, row := range []struct {
		name     string
		one, two choice
		differ   bool
		why      string
	}{
		{"shuffled, another seed", choice{scheduler: sim.Shuffled, schedulerSeed: "1"}, choice{scheduler: sim.Shuffled, schedulerSeed: "2"},
			true, "the order within an instant is explored, so it must matter to somebody"},
		{"shuffled, the same seed", choice{scheduler: sim.Shuffled, schedulerSeed: "1"}, choice{scheduler: sim.Shuffled, schedulerSeed: "1"},
			false, "what is explored can be shown again"},
		{"fifo, another seed", choice{scheduler: sim.FIFO, schedulerSeed: "1"}, choice{scheduler: sim.FIFO, schedulerSeed: "2"},
			false, "first in, first out has nothing to be seeded"},
		{"shuffled and fifo", choice{scheduler: sim.Shuffled}, choice{scheduler: sim.FIFO},
			true, "they are different orders"},
	} {
		t.Run(row.name, func(t *testing.T) {
			one, two := loaded(t, crowded, row.one), loaded(t, crowded, row.two)
			a := records(t, worker, one, worldsOf(one, crowdedSeeds), 2)
			b := records(t, worker, two, worldsOf(two, crowdedSeeds), 2)
			different := 0
			for k := range a {
				if a[k].digest() != b[k].digest() {
					different++
				}
				assert.Equal(t, a[k].history.Header.Calls, b[k].history.Header.Calls, "the plan is the seed's alone")
			}
			t.Logf("%d of %d histories differ", different, len(a))
			assert.Equal(t, row.differ, different > 0, row.why)
		})
	}
}

// BenchmarkDigests runs each of b.N seeds in two processes of its own, with each
// SDK on both sides, and counts how many give the same history twice. It fails
// unless all do.
//
//	go test -run - -bench Digests -benchtime 1000x ./cmd/mcpsim
func BenchmarkDigests(b *testing.B) {
	worker := builtWorker(b)
	for _, row := range []struct{ name, target, scenario, transport string }{
		{"go-sdk", "go-sdk", "cancel-storm", sim.Stdio},
		{"mcp-go", "mcp-go", "cancel-storm", sim.Stdio},
		{"go-sdk/http", "go-sdk", "cancel-storm", sim.StreamableHTTP},
		{"go-sdk/h2c", "go-sdk", "testdata/determinism/storm-h2c.yaml", sim.StreamableHTTP},
		{"go-sdk/clients", "go-sdk", "testdata/determinism/crowd-http.yaml", sim.StreamableHTTP},
	} {
		for _, version := range bothVersions() {
			b.Run(row.name+"/"+version, func(b *testing.B) {
				e := loaded(b, row.scenario, choice{client: row.target, server: row.target, transport: row.transport, specVersions: []string{version}})
				countDigests(b, e, worker)
			})
		}
	}
}

func countDigests(b *testing.B, e *experiment, worker engine.Worker) {
	same := 0
	for seed := range uint64(b.N) {
		first, second := digestOf(b, e, worker, seed), digestOf(b, e, worker, seed)
		if first == second {
			same++
		} else {
			b.Errorf("seed %d gave two histories", seed)
		}
	}
	b.Logf("%d of %d seeds gave the same history in two processes of their own", same, b.N)
	b.ReportMetric(float64(same), "same")
	b.ReportMetric(float64(b.N), "seeds")
}

func digestOf(b *testing.B, e *experiment, worker engine.Worker, seed uint64) string {
	h, err := e.runOne(b.Context(), worker, seed)
	require.NoError(b, err)
	return history.Digest(h.Events)
}

// TestLargeMapsRepeat holds the order of large maps, which a process hashes by
// keys of its own: when a session is closed, a client fails its pending calls in
// the order of the map that holds them.
func TestLargeMapsRepeat(t *testing.T) {
	worker := builtWorker(t)
	c := choice{client: "reference", server: "reference", specVersions: []string{"2025-11-25"}}
	e, err := c.load("testdata/determinism/clogged.yaml")
	require.NoError(t, err)
	first, err := e.runOne(t.Context(), worker, 2)
	require.NoError(t, err)
	again, err := e.runOne(t.Context(), worker, 2)
	require.NoError(t, err)
	waiting := 0
	for _, ev := range first.Events {
		if ev.Kind == history.Return && ev.Text == "the session is closed" {
			waiting++
		}
	}
	require.Greater(t, waiting, 16, "or the map is not a large one")
	require.Equal(t, -1, history.FirstDifference(first.Events, again.Events))
	for _, v := range oracle.Judge(first).Verdicts {
		assert.NotEqual(t, oracle.Fail, v.Status, "%s: it is the network that holds everything up", v.Rule)
	}
}
