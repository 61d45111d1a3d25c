package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
)

// httpSeeds is how many seeds the tests try of worlds over HTTP; BenchmarkDigests takes as
// many as one likes.
const httpSeeds = 8

// TestSameSeedSameHistoryOverHTTP holds over HTTP what TestSameSeedSameHistory holds over
// stdio: with net/http at both ends, and its goroutines, between the SDK's.
func TestSameSeedSameHistoryOverHTTP(t *testing.T) {
	worker := builtWorker(t)
	for _, row := range []struct {
		scenario string
		choice   choice
		seeds    uint64
	}{
		{"cancel-storm", choice{transport: sim.StreamableHTTP}, httpSeeds},
		{"cancel-storm", choice{transport: sim.StreamableHTTP, server: "go-sdk+propagate+json"}, httpSeeds},
		{"cancel-storm", choice{transport: sim.StreamableHTTP, client: "reference", server: "reference"}, httpSeeds},
		{"testdata/determinism/crowd-http.yaml", choice{client: "go-sdk", server: "go-sdk"}, httpSeeds},
		{"testdata/determinism/crowd-h2c.yaml", choice{client: "go-sdk", server: "go-sdk"}, httpSeeds},
	} {
		t.Run(row.scenario+" "+row.choice.client+" "+row.choice.server, func(t *testing.T) {
			e := loaded(t, row.scenario, row.choice)
			require.Equal(t, sim.StreamableHTTP, e.scenario.Transport)
			leases := worldsOf(e, row.seeds)
			backwards := slices.Clone(leases)
			slices.Reverse(backwards)
			one := alone(t, worker, e, leases)
			t.Run("one after another in one process", func(t *testing.T) { assertSame(t, one, records(t, worker, e, leases, 1)) })
			t.Run("in the other order, by two", func(t *testing.T) { assertSame(t, one, records(t, worker, e, backwards, 2)) })
		})
	}
}
