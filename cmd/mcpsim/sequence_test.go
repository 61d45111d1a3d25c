package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/lease"
)

// sequenceSeeds is how many seeds each scenario of TestAloneAsInSequence tries.
// A worker that carried anything over showed in 2 of 60.
const sequenceSeeds = 60

// TestAloneAsInSequence runs seeds in a worker of their own each, and the same
// seeds one after the other in one worker. The scenarios are made of ties, in
// which the runtime's chance decides what happens first: there it shows if a
// process is not the same for its first world as for its hundredth.
func TestAloneAsInSequence(t *testing.T) {
	worker := builtWorker(t)
	for _, scenario := range []string{"crowded", "tied", "clogged", "torn"} {
		for _, c := range []choice{
			{client: "reference", server: "reference"},
			{client: "go-sdk", server: "go-sdk"},
			{client: "mcp-go", server: "reference"}, // never sees a second world
		} {
			t.Run(scenario+" "+c.client+" "+c.server, func(t *testing.T) {
				e, err := c.load("testdata/determinism/" + scenario + ".yaml")
				require.NoError(t, err)
				leases := worldsOf(e, sequenceSeeds/uint64(len(e.specVersions)))
				assertSame(t, alone(t, worker, e, leases), records(t, worker, e, leases, 1))
			})
		}
	}
}

// alone runs each lease in a worker of its own.
func alone(t *testing.T, worker engine.Worker, e *experiment, leases []lease.Lease) map[analysis.HistoryKey]record {
	t.Helper()
	out := map[analysis.HistoryKey]record{}
	for _, l := range leases {
		for k, r := range records(t, worker, e, []lease.Lease{l}, 1) {
			out[k] = r
		}
	}
	return out
}
