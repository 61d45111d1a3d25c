package sim_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
)

const subscription = quiet + cooperativeTool + "load: {requests: [{kind: subscriptions/listen, for: 1s}]}\nchanges: {count: 20, every: 100ms}\n"

// methodsTo lists what a side read for call 1, by name or as response or error.
func methodsTo(h *history.History, side history.Side) []string {
	var out []string
	for _, e := range h.Events {
		if e.Side == side && e.Kind == history.Read && e.Call == 1 {
			if e.Msg.Method != "" {
				out = append(out, e.Msg.Method)
			} else {
				out = append(out, string(e.Msg.Kind))
			}
		}
	}
	return out
}

// A subscription that its caller gives up: acknowledged, told of changes, cancelled,
// and then silent, although there would be more to tell.
func TestListen(t *testing.T) {
	h := runWorld(t, subscription, modern, nil)
	assert.Equal(t, []string{"subscriptions/listen", "notifications/cancelled"}, methodsTo(h, history.Server))
	heard := methodsTo(h, history.Client)
	require.NotEmpty(t, heard)
	assert.Equal(t, "notifications/subscriptions/acknowledged", heard[0])
	assert.Contains(t, heard, "notifications/resources/updated")
	assert.NotContains(t, heard, "response")
	ret := find(h, history.Client, history.Return, nil)
	require.NotNil(t, ret)
	assert.Equal(t, "context canceled", ret.Text)
	last := slices.IndexFunc(h.Events, func(e history.Event) bool { return e.Kind == history.Quiet })
	changed := slices.ContainsFunc(h.Events[:last], func(e history.Event) bool { return e.Kind == history.Change && e.At > ret.At })
	assert.True(t, changed, "changes go on after the cancel")
}

// Versions without subscriptions are not asked for any, and nothing changes there.
func TestListenNotAsked(t *testing.T) {
	h := runWorld(t, subscription, legacy, nil)
	assert.Equal(t, "2025-11-25 has no subscriptions/listen", h.Header.Calls[0].NotAsked)
	assert.False(t, slices.ContainsFunc(h.Events, func(e history.Event) bool { return e.Kind == history.Change }))
}

// A server that is told to stop ends its subscriptions by their responses, which are
// the last that it writes.
func TestServerStop(t *testing.T) {
	h := runWorld(t, subscription+"end: {how: server-stop, at: 500ms}\n", modern, nil)
	heard := methodsTo(h, history.Client)
	require.NotEmpty(t, heard)
	assert.Equal(t, "response", heard[len(heard)-1])
	ret := find(h, history.Client, history.Return, nil)
	require.NotNil(t, ret)
	assert.Empty(t, ret.Text, "an orderly end is none that fails")
	stop := slices.IndexFunc(h.Events, func(e history.Event) bool { return e.Kind == history.Stop })
	require.Positive(t, stop)
	served := slices.IndexFunc(h.Events, func(e history.Event) bool { return e.Kind == history.Served })
	require.Greater(t, served, stop)
	assert.Equal(t, h.Events[stop].At, h.Events[served].At)
}

// A session of any end ends in each way in some seed, and in none in some.
func TestAnyEnd(t *testing.T) {
	sc := parse(t, subscription+"end: {how: any, at: 500ms}\n")
	ways := map[string]int{}
	for seed := range uint64(100) {
		how := ""
		if end := expand(t, sc, seed).End; end != nil {
			how = end.How
		}
		ways[how]++
	}
	assert.Len(t, ways, len(sim.EndKinds())+1)
	for how, n := range ways {
		assert.Greater(t, n, 5, "%q", how)
	}
}

func TestChanges(t *testing.T) {
	sc := parse(t, quiet+cooperativeTool+"load: {calls: 4, requests: [{kind: subscriptions/listen, for: 1s}, {kind: tools/call}]}\nchanges: {count: 200, every: 10ms}\n")
	s := expand(t, sc, 3)
	require.Len(t, s.Changes, 200)
	tools := 0
	for i, c := range s.Changes {
		if i > 0 {
			assert.GreaterOrEqual(t, c.At-s.Changes[i-1].At, 10*time.Millisecond)
		}
		if c.Call == 0 {
			tools++
			continue
		}
		assert.Equal(t, "subscriptions/listen", s.Calls[c.Call-1].Method, "a resource that nobody can have asked for")
	}
	assert.InDelta(t, 100, tools, 40)
}
