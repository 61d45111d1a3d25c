package analysis

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// Which kinds of requests a rule is broken for is said where it is not the usual
// one alone.
func TestFindingsByMethod(t *testing.T) {
	for _, row := range []struct {
		why     string
		methods []string // of the violations; empty: tools/call
		want    map[string]int
	}{
		{"tools alone", []string{"", ""}, nil},
		{"something else alone", []string{"ping"}, map[string]int{"ping": 1}},
		{"both", []string{"", "prompts/get", ""}, map[string]int{"tools/call": 2, "prompts/get": 1}},
	} {
		v := broken("RACE-GRACEFUL", oracle.Must, history.Server, make([]time.Duration, len(row.methods))...)
		for i, m := range row.methods {
			v.Violations[i].Method, v.Violations[i].Handler = m, "cooperative"
		}
		a := NewAggregate(testPair)
		mustAdd(a, bare(modern, 1, v))
		assert.Equal(t, row.want, a.Summary().Findings[0].Methods, row.why)
	}
}

// What could not be asked is counted and said, and no more.
func TestUnavailable(t *testing.T) {
	h := &history.History{Header: history.Header{
		SpecVersion: modern, Unavailable: []string{"client x repeats no cancels"},
		Calls: []history.Call{
			{Call: 1, Method: "ping", NotAsked: "2026-07-28 has no ping"},
			{Call: 2, Method: "tools/call", Handler: "cooperative"},
			{Call: 3, Method: "ping", NotAsked: "2026-07-28 has no ping"},
		},
	}}
	w := Observe(ArmTarget, h)
	want := map[string]int{"2026-07-28 has no ping": 2, "client x repeats no cancels": 0}
	assert.Equal(t, want, w.Unavailable)
	a := NewAggregate(testPair)
	mustAdd(a, w)
	mustAdd(a, w)
	s := a.Summary()
	require.Len(t, s.Groups, 1)
	assert.Equal(t, map[string]int{"2026-07-28 has no ping": 4, "client x repeats no cancels": 0}, s.Groups[0].Unavailable)
	assert.Equal(t, "-   not available, and not judged: 2026-07-28 has no ping (4 calls), client x repeats no cancels",
		Report{Summary: s}.unavailable())
	assert.Empty(t, Report{}.unavailable())
}
