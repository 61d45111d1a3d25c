package analysis

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

// What a server has left counts when all its clients have closed: what it ends because it
// is told to stop comes too late.
func TestRemainsAreCountedBeforeTheServerIsStopped(t *testing.T) {
	h := &history.History{Header: history.Header{SpecVersion: legacy, Transport: "streamable-http", Clients: 2}}
	add := func(side history.Side, k history.Kind, exchange, n int) {
		h.Events = append(h.Events, history.Event{Seq: len(h.Events), Side: side, Kind: k, Exchange: exchange, N: n})
	}
	for x := 1; x <= 3; x++ {
		add(history.Client, history.Begin, x, 0)
		add(history.Server, history.Begin, x, 0)
	}
	add(history.Server, history.Finish, 1, 0)
	add(history.Client, history.Finish, 1, 0)
	add(history.Client, history.Closed, 0, 0)
	add(history.Client, history.Closed, 0, 0)
	add(history.Server, history.Sessions, 0, 1)
	add(history.Server, history.Stop, 0, 0)
	add(history.Server, history.Finish, 2, 0)
	want := Remains{Closed: 2, Alive: 1, Exchanges: 3, Open: 2, Asked: 3, Waiting: 2, Worlds: 1, Leaky: 1}
	w := Observe(ArmTarget, h)
	assert.Equal(t, &want, w.Remains)
	o := NewObserver(ArmTarget, h.Header)
	for i := range h.Events {
		o.Event(&h.Events[i])
	}
	assert.Equal(t, &want, o.World("").Remains, "event by event, too")

	a := NewAggregate(Pair{})
	assert.NoError(t, a.Add(w))
	first := a.Summary()
	assert.NoError(t, a.Add(w))
	assert.Equal(t, Remains{Closed: 4, Alive: 2, Exchanges: 6, Open: 4, Asked: 6, Waiting: 4, Worlds: 2, Leaky: 2}, *a.Summary().Groups[0].Remains)
	assert.Equal(t, want, *first.Groups[0].Remains, "a summary shares nothing with what is added later")
}

func TestWorldsOverStdioHaveNoRemains(t *testing.T) {
	h := &history.History{Header: history.Header{SpecVersion: legacy, Transport: "stdio"},
		Events: []history.Event{{Side: history.Client, Kind: history.Closed}}}
	assert.Nil(t, Observe(ArmTarget, h).Remains)
}
