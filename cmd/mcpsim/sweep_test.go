package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
)

// TestNarrow is at which versions a scenario runs when all do.
func TestNarrow(t *testing.T) {
	for _, c := range []struct {
		why              string
		own, asked, want []string
	}{
		{"it is about both eras", []string{"2025-11-25", "2026-07-28"}, []string{"2025-06-18", "2026-07-28"}, []string{"2025-06-18", "2026-07-28"}},
		{"it is about the newer one", []string{"2026-07-28"}, []string{"2025-11-25", "2026-07-28"}, []string{"2026-07-28"}},
		{"an older version of its era will do", []string{"2025-11-25"}, []string{"2025-06-18"}, []string{"2025-06-18"}},
		{"the run is about the other era", []string{"2026-07-28"}, []string{"2025-11-25"}, nil},
	} {
		e := &experiment{scenario: &sim.Scenario{SpecVersions: c.own}, specVersions: c.asked}
		err := e.narrow()
		if c.want == nil {
			assert.ErrorContains(t, err, "it is about 2026-07-28, and this run about 2025-11-25", c.why)
			continue
		}
		require.NoError(t, err, c.why)
		assert.Equal(t, c.want, e.specVersions, c.why)
	}
}

// TestSweepSharesItsTime: each scenario has an equal part of what is left.
func TestSweepSharesItsTime(t *testing.T) {
	s := &sweep{runCommand: &runCommand{}, legs: make([]*leg, 4)}
	assert.Zero(t, s.share(0).budget, "no bound")
	s.deadline = time.Now().Add(time.Hour)
	assert.InDelta(t, 15*time.Minute, s.share(0).budget, float64(time.Minute))
	assert.InDelta(t, 30*time.Minute, s.share(2).budget, float64(time.Minute))
	s.deadline = time.Now().Add(-time.Hour)
	assert.Equal(t, time.Millisecond, s.share(1).budget, "one seed, and no more")
}
