package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/sim"
)

const shakySeeds = 30

// TestShakyNetworkRepeats: stalls, windows and pieces are the seed's, too. A world
// is the same in another order, and among others.
func TestShakyNetworkRepeats(t *testing.T) {
	worker := builtWorker(t)
	e := loaded(t, "shaky-network", choice{})
	leases := worldsOf(e, shakySeeds)
	first := records(t, worker, e, leases, 2)
	slices.Reverse(leases)
	assertSame(t, first, records(t, worker, e, leases, 1))
}

// TestSharedInstantsAreExplored: where several frames become readable at once, the
// scheduler's seed decides what comes of it. Without a window every arrival has an
// instant of its own, and next to nothing is left to decide.
func TestSharedInstantsAreExplored(t *testing.T) {
	worker := builtWorker(t)
	different := func(change func(*sim.Link)) (n, of int) {
		var runs [2]map[analysis.HistoryKey]string
		for i, seed := range []string{"1", "2"} {
			e := loaded(t, "shaky-network", choice{schedulerSeed: seed})
			change(&e.scenario.Network.ClientToServer)
			change(&e.scenario.Network.ServerToClient)
			require.NoError(t, e.scenario.Validate())
			runs[i] = map[analysis.HistoryKey]string{}
			for k, r := range records(t, worker, e, worldsOf(e, shakySeeds), 2) {
				runs[i][k] = r.digest()
			}
		}
		for k := range runs[0] {
			if runs[0][k] != runs[1][k] {
				n++
			}
		}
		return n, len(runs[0])
	}
	with, of := different(func(*sim.Link) {})
	without, _ := different(func(l *sim.Link) { l.Coalesce = sim.Distribution{} })
	t.Logf("another scheduler seed changes %d of %d histories, and %d with arrivals apart", with, of, without)
	assert.Greater(t, with, of/4)
	assert.Greater(t, with, 2*without)
}
