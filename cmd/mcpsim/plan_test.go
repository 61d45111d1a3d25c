package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/sim"
)

func TestManyClientsTakeFewerSeeds(t *testing.T) {
	for clients, want := range map[int]string{0: defaultSeeds, 1: defaultSeeds, 5: "0-199", 20: "0-49", 1000: "0-9"} {
		assert.Equal(t, want, seedsFor(clients), "%d clients", clients)
	}
}

func TestPlanned(t *testing.T) {
	for _, tt := range []struct {
		reason, seeds string
		given         bool
		budget        time.Duration
		want          string
		total         int
	}{
		{"nothing said", defaultSeeds, false, 0, "seeds 0-999", 1000},
		{"seeds", "3,9", true, 0, "seeds 3,9", 2},
		{"time alone decides how many", defaultSeeds, false, 10 * time.Minute, "seeds from 0 on for 10m0s", 0},
		{"whichever is over first", "0-999", true, 10 * time.Minute, "seeds 0-999 for 10m0s", 1000},
	} {
		p, err := planned(tt.seeds, tt.given, tt.budget)
		require.NoError(t, err, tt.reason)
		assert.Equal(t, tt.want, p.String(), tt.reason)
		assert.Equal(t, tt.total, p.total(), tt.reason)
	}
}

// TestPlannedAtRandom: a draw is a range like any other, and another one each time.
func TestPlannedAtRandom(t *testing.T) {
	for _, tt := range []struct {
		seeds  string
		budget time.Duration
		count  int
		open   bool
	}{
		{"random", 0, 1000, false},
		{"random:1", 0, 1, false},
		{"random:250", time.Minute, 250, false},
		{"random", time.Minute, sim.MaxSeeds, true},
	} {
		a, err := planned(tt.seeds, true, tt.budget)
		require.NoError(t, err, tt.seeds)
		again, err := sim.ParseSeeds(a.seeds.String())
		require.NoError(t, err, "it can be typed")
		assert.Equal(t, tt.count, again.Count(), tt.seeds)
		assert.Equal(t, tt.open, a.open, tt.seeds)
		b, err := planned(tt.seeds, true, tt.budget)
		require.NoError(t, err)
		assert.NotEqual(t, a.seeds.String(), b.seeds.String(), "two draws of a million millions")
		drawn := a.seeds.String()
		assert.Equal(t, []string{"mcpsim", "run", "x", "--seeds", drawn}, a.typed([]string{"mcpsim", "run", "x", "--seeds", tt.seeds}))
		assert.Equal(t, []string{"mcpsim", "run", "x", "--seeds=" + drawn}, a.typed([]string{"mcpsim", "run", "x", "--seeds=" + tt.seeds}))
	}
}

func TestPlanTakes(t *testing.T) {
	p, err := planned(defaultSeeds, false, time.Minute)
	require.NoError(t, err)
	now := time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC)
	assert.True(t, p.take(0, now), "the clock starts with the first seed")
	assert.True(t, p.take(1, now.Add(59*time.Second)))
	assert.False(t, p.take(2, now.Add(60*time.Second)))
	assert.Equal(t, uint64(1), p.last)
	assert.Equal(t, "when its 1m0s were over", p.ended)

	endless, err := planned("0-9", true, 0)
	require.NoError(t, err)
	assert.True(t, endless.take(0, now))
	assert.True(t, endless.take(1, now.Add(1000*time.Hour)), "no bound")
}

// TestSequence counts the same worlds in whatever order they end.
func TestSequence(t *testing.T) {
	world := func(seed uint64, version string) arrived {
		return arrived{world: analysis.World{Seed: seed, SpecVersion: version}}
	}
	found := func(w analysis.World) bool { return w.Seed >= 5 }
	for _, order := range [][]uint64{{2, 5, 6, 9}, {9, 6, 5, 2}, {6, 2, 9, 5}} {
		s := newSequence(2)
		for _, seed := range []uint64{2, 5, 6, 9} {
			require.True(t, s.handOut(seed))
		}
		var counted []uint64
		count := func(a arrived) error { counted = append(counted, a.world.Seed); return nil }
		for _, version := range []string{"b", "a"} {
			for _, seed := range order {
				require.NoError(t, s.arrive(world(seed, version), found, count))
			}
		}
		assert.Equal(t, []uint64{2, 2, 5, 5}, counted, "both worlds of each seed up to the smallest with a finding: %v", order)
		assert.True(t, s.stopped)
		assert.Equal(t, uint64(5), s.at)
		assert.False(t, s.handOut(10), "no more")
	}
}
