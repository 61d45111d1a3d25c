package analysis

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// TestUnconnected follows a failed handshake from the history to the report: the
// first thing that goes wrong with a target of one's own.
func TestUnconnected(t *testing.T) {
	failed := Observe(ArmTarget, &history.History{
		Header: history.Header{SpecVersion: legacy, Seed: 7},
		Events: []history.Event{{Side: history.Client, Kind: history.Connected, Text: "no such version"}},
	})
	require.Equal(t, "no such version", failed.Refusal)
	smaller := failed
	smaller.Seed, smaller.Refusal = 3, "another version"
	fine := Observe(ArmTarget, &history.History{
		Header: history.Header{SpecVersion: legacy, Seed: 1},
		Events: []history.Event{{Side: history.Client, Kind: history.Connected}},
	})
	require.Empty(t, fine.Refusal)
	for _, order := range [][]World{{failed, smaller, fine}, {fine, smaller, failed}} {
		a := NewAggregate(testPair)
		for _, w := range order {
			mustAdd(a, w)
		}
		s := a.Summary()
		assert.Equal(t, &Refusal{Worlds: 2, Seed: 3, Why: "another version"}, s.Tested()[0].Unconnected, "whatever came first")
		text := Text(Report{Summary: s, Decision: Decide(s, nil, false, "")})
		assert.Contains(t, text, "!   no session came about in 2 of 3 worlds at "+legacy+". Seed 3: another version")
	}
	// Where none came about at all, that says everything.
	a := NewAggregate(testPair)
	mustAdd(a, failed)
	d := Decide(a.Summary(), []string{"CANCEL-STOP-WORK at " + legacy, "RESP-ONCE at " + legacy}, false, "")
	assert.Len(t, d.Missing, 2)
	assert.Contains(t, d.Line, "required and not exercised: all at "+legacy+", where no session came about)")
	assert.NotContains(t, Text(Report{Summary: a.Summary(), Decision: d}), "required and not exercised: CANCEL")
	a = NewAggregate(testPair)
	mustAdd(a, bare(legacy, 1, oracle.Verdict{Rule: "HELD", Level: oracle.Must, Status: oracle.Pass, Checked: 1}))
	assert.NotContains(t, Text(Report{Summary: a.Summary()}), "no session came about")
}
