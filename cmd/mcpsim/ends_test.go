package main

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/lease"
)

// endScenarios are those of the catalogue whose sessions end while calls are in
// flight, with the event by which the history says so.
func endScenarios() map[string]history.Kind {
	return map[string]history.Kind{
		"abrupt-close": history.Close,
		"half-close":   history.HalfClose,
		"server-dies":  history.Exit,
	}
}

// TestSessionsEndOnTime looks at how the simulator ends sessions, and at what the
// history says of that, for targets that behave and for some that do not.
func TestSessionsEndOnTime(t *testing.T) {
	worker := builtWorker(t)
	for scenario, act := range endScenarios() {
		for _, c := range []choice{
			{client: "reference", server: "reference"},
			{client: "go-sdk", server: "go-sdk"},
			{client: "mutant:close-waits", server: "mutant:ignores-eof"},
			{client: "mutant:strands-callers", server: "mutant:drops-at-eof"},
		} {
			t.Run(fmt.Sprintf("%s with %s and %s", scenario, c.client, c.server), func(t *testing.T) {
				e := loaded(t, scenario, c)
				inFlight := 0
				for key, r := range records(t, worker, e, worldsOf(e, 15), 2) {
					schedule, err := sim.Expand(e.scenario, key.Seed, nil)
					require.NoError(t, err)
					inFlight += requireEnd(t, r.history, act, schedule.End.At)
				}
				assert.Positive(t, inFlight, "an end that nobody notices tests nothing")
			})
		}
	}
}

// requireEnd holds a history to its end, and returns how many calls were in
// flight.
func requireEnd(t *testing.T, h *history.History, act history.Kind, at time.Duration) int {
	t.Helper()
	find := func(kind history.Kind) int {
		return slices.IndexFunc(h.Events, func(e history.Event) bool { return e.Kind == kind })
	}
	connected, end := find(history.Connected), find(act)
	require.Positive(t, end, "no %s", act)
	require.InDelta(t, float64(at), float64(h.Events[end].At-h.Events[connected].At), float64(2*time.Microsecond),
		"it comes when the schedule says, since the load began")
	require.Negative(t, find(history.Probe), "nobody is there to be probed")
	inFlight := 0
	for i, e := range h.Events {
		switch {
		case e.Kind == history.Issue && i < end:
			inFlight++
		case e.Kind == history.Return && i < end:
			inFlight--
		case e.Kind == history.Issue:
			require.Failf(t, "a call was made", "event %d, after the end", i)
		}
	}
	requireAct(t, h, h.Events[end:])
	return inFlight
}

// requireAct holds what follows on the end to what that is.
func requireAct(t *testing.T, h *history.History, rest []history.Event) {
	t.Helper()
	switch rest[0].Kind {
	case history.HalfClose:
		require.Equal(t, history.Hangup, rest[1].Kind)
		require.Equal(t, history.Client, rest[1].Side)
	case history.Exit:
		for _, e := range rest[1:] {
			require.False(t, e.Side == history.Server && e.Kind != history.Unread, "event %d: a dead server does nothing", e.Seq)
		}
	}
	require.True(t, slices.ContainsFunc(rest, func(e history.Event) bool { return e.Kind == history.Close }), "the application closes its client in the end")
	last := slices.ContainsFunc(rest, func(e history.Event) bool { return e.Kind == history.Goroutines }) ||
		slices.ContainsFunc(rest, func(e history.Event) bool { return e.Kind == history.Horizon })
	require.True(t, last, "the world says how it ended: counted, or at its limit")
	require.NotEmpty(t, h.Header.Calls)
}

// TestEndsRepeat is TestSameSeedSameHistory for sessions that end early: what is
// torn down with calls in flight wakes many goroutines in one instant.
func TestEndsRepeat(t *testing.T) {
	worker := builtWorker(t)
	for _, scenario := range slices.Sorted(maps.Keys(endScenarios())) {
		t.Run(scenario, func(t *testing.T) { requireRepeats(t, worker, scenario, "go-sdk") })
	}
	for _, target := range []string{"reference", "go-sdk"} {
		for _, scenario := range []string{"torn", "torn-crowd"} {
			t.Run(scenario+" "+target, func(t *testing.T) { requireRepeats(t, worker, "testdata/determinism/"+scenario+".yaml", target) })
		}
	}
}

func requireRepeats(t *testing.T, worker engine.Worker, scenario, target string) {
	t.Helper()
	e := loaded(t, scenario, choice{client: "reference", server: target})
	leases := worldsOf(e, 20)
	backwards := slices.Clone(leases)
	slices.Reverse(backwards)
	once := records(t, worker, e, leases, 1)
	assertSame(t, once, records(t, worker, e, backwards, 2))
	for _, l := range []lease.Lease{leases[0], leases[len(leases)-1]} { // in a process of its own
		assertSame(t, records(t, worker, e, []lease.Lease{l}, 1), once)
	}
}
