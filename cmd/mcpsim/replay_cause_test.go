package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// TestReplayAsksForTheCause: another crash in the same world does not keep a finding
// from being gone.
func TestReplayAsksForTheCause(t *testing.T) {
	j := oracle.Judgement{Verdicts: []oracle.Verdict{{
		Rule: "RACE-GRACEFUL", Status: oracle.Fail, Failed: 2,
		Violations: []oracle.Violation{
			{Side: history.Server, Cause: "crash in f", What: "crashed: f"},
			{Side: history.Client, Cause: "crash in f", What: "crashed: f"},
		},
	}}}
	for _, tt := range []struct {
		why   string
		rec   recorded
		there bool
	}{
		{"the cause is there", recorded{side: history.Server, cause: "crash in f"}, true},
		{"another one is", recorded{side: history.Server, cause: "crash in g"}, false},
		{"a result of an older version names none", recorded{side: history.Server}, true},
		{"whatever was beyond the bound", recorded{cause: analysis.OtherCauses}, true},
		{"no finding at all, but a rule", recorded{}, true},
	} {
		r := replayCommand{rule: "RACE-GRACEFUL"}
		assert.Equal(t, tt.there, len(r.broken(j, tt.rec)) > 0, tt.why)
	}
}

func TestAgainst(t *testing.T) {
	f := analysis.Finding{Side: history.Server, SpecVersion: "2026-07-28", Seeds: []uint64{3, 5}}
	of := func(client, server string) *experiment {
		e := &experiment{}
		e.client.Name, e.server.Name = client, server
		return e
	}
	assert.Len(t, of("go-sdk", "go-sdk").against(f), 2)
	assert.Empty(t, of("reference", "go-sdk").against(f), "it sits opposite the reference already")
	f.Side = history.World
	assert.Empty(t, of("go-sdk", "go-sdk").against(f), "nobody knows whose it is")
	f.Side = history.Client
	pairs := of("go-sdk", "mutant:x").opposedPairs()
	for _, o := range of("go-sdk", "mutant:x").against(f) {
		assert.Equal(t, "reference", pairs[o.pair].Server, "the accused stays on its side")
		assert.Equal(t, "go-sdk", pairs[o.pair].Client)
	}
}
