// Package sdktest is what the tests of the adapters have in common: worlds in which
// everything that an adapter lists has to come through it.
package sdktest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A Pair is who plays, at which version and over which transport.
type Pair struct {
	Client, Server sim.Target
	SpecVersion    string
	Transport      string
}

func (p Pair) String() string {
	return fmt.Sprintf("%s %s %s to %s", p.Transport, p.SpecVersion, p.Client.Name, p.Server.Name)
}

// Play runs one world of a scenario with that in it, and returns its history.
func (p Pair) Play(t *testing.T, what string) *history.History {
	t.Helper()
	text := "name: one\nsummary: one world\ntransport: " + p.Transport + "\nspec_versions: [" + p.SpecVersion + "]\n" + what
	sc, err := sim.Parse("test.yaml", []byte(text))
	require.NoError(t, err)
	schedule, err := sim.Expand(sc, 1, nil)
	require.NoError(t, err)
	var h *history.History
	synctest.Test(t, func(t *testing.T) {
		h, _, err = sim.Run(sim.WorldConfig{
			Scenario: sc, Schedule: schedule, SpecVersion: p.SpecVersion, Client: p.Client, Server: p.Server, Clock: "virtual", Observe: true,
		})
		require.NoError(t, err)
	})
	return h
}

// Pairs lists every choice of the options of both targets, over every transport of
// HTTP that both have, at each version of both.
func Pairs(client, server sim.Target) []Pair {
	var out []Pair
	for _, transport := range []string{sim.StreamableHTTP, sim.HTTPSSE} {
		if !slices.Contains(client.Transports, transport) || !slices.Contains(server.Transports, transport) {
			continue
		}
		for _, version := range client.SpecVersions {
			if !slices.Contains(server.SpecVersions, version) || !sim.InVersion(transport, version) {
				continue
			}
			for _, c := range Variants(client, history.Client, transport) {
				for _, s := range Variants(server, history.Server, transport) {
					out = append(out, Pair{c, s, version, transport})
				}
			}
		}
	}
	return out
}

// Variants lists a target without options, with each of those that are for that side and
// transport, and with all of them.
func Variants(target sim.Target, side history.Side, transport string) []sim.Target {
	out := []sim.Target{target}
	with := func(options ...string) {
		t := target.With(options)
		t.Name = sim.With(target.Name, options)
		out = append(out, t)
	}
	var all []string
	for _, o := range target.Options {
		if slices.Contains(o.Sides, side) && slices.Contains(o.Transports, transport) {
			all = append(all, o.Name)
			with(o.Name)
		}
	}
	if len(all) > 1 {
		with(all...)
	}
	return out
}

// EveryMethod makes calls of every method, one after the other. Each that both sides
// offer has to come through, with the application's own answer and with as many of its
// three reports of progress as reports allows; and no session may stay when the client
// has closed.
func (p Pair) EveryMethod(t *testing.T, reports func(method string) []int) {
	t.Helper()
	var kinds []string
	for _, m := range sim.Methods() {
		if m != protocol.Listen { // it is answered only at its end
			kinds = append(kinds, "{kind: "+m+"}")
		}
	}
	h := p.Play(t, "handlers: [{kind: chatty, every: 4ms, work: 10ms}]\n"+
		"load: {calls: 60, requests: ["+strings.Join(kinds, ", ")+"]}\n")
	drawn := map[string]bool{}
	for _, call := range h.Header.Calls {
		drawn[call.Method] = true
		if call.NotAsked == "" {
			came(t, h, call, reports(call.Method))
		}
	}
	assert.Len(t, drawn, len(kinds), "calls of every method")
	assert.Equal(t, []int{0}, Sessions(h), "sessions after the client's close")
	assert.Empty(t, Failed(h))
}

// Sessions lists what the server said of how many sessions it had.
func Sessions(h *history.History) []int {
	var out []int
	for _, e := range h.Events {
		if e.Kind == history.Sessions {
			out = append(out, e.N)
		}
	}
	return out
}

// Failed lists what ended in an error that should have ended well.
func Failed(h *history.History) []string {
	var out []string
	for _, e := range h.Events {
		switch e.Kind {
		case history.Connected, history.Probed, history.Closed, history.Return, history.Horizon, history.Served:
			if e.Text != "" {
				out = append(out, fmt.Sprintf("%s %s: %s", e.Side, e.Kind, e.Text))
			}
		}
	}
	return out
}

// came checks what came of one call.
func came(t *testing.T, h *history.History, call history.Call, reports []int) {
	t.Helper()
	value, arrived := "", 0
	for _, e := range h.Events {
		switch {
		case e.Call != call.Call:
		case e.Kind == history.Return:
			value = e.Value
		case e.Kind == history.Read && e.Side == history.Server && e.Msg.Kind == history.Request:
			assert.Equal(t, call.Method, e.Msg.Method)
		case e.Kind == history.Read && e.Side == history.Client && e.Msg.Method == "notifications/progress":
			arrived++
		}
	}
	want := ""
	if call.Handler != "" {
		want = fmt.Sprintf("call %d done", call.Call)
	} else {
		reports = []int{0}
	}
	assert.Equal(t, want, value, "call %d: %s", call.Call, call.Method)
	assert.Contains(t, reports, arrived, "call %d: progress of %s", call.Call, call.Method)
}

// EveryQuestion has a tool ask the client each thing that the server can ask, where the
// protocol version has it. The question and its answer have to come through.
func (p Pair) EveryQuestion(t *testing.T) {
	t.Helper()
	for _, kind := range sim.Questions() {
		t.Run(kind, func(t *testing.T) {
			work := ", work: 20ms"
			if kind == protocol.RootsList {
				work = ""
			}
			h := p.Play(t, "handlers: [{kind: asking, work: 10ms, asks: {kind: "+kind+work+"}}]\n")
			if why := h.Header.Calls[0].NotAsked; why != "" {
				t.Log(why)
				return
			}
			answered(t, h, kind)
			assert.Empty(t, Failed(h))
		})
	}
}

// answered checks that call 1, of a tool, has asked and got its answer as call 2.
func answered(t *testing.T, h *history.History, kind string) {
	t.Helper()
	returned, asked := map[int]string{}, 0
	for _, e := range h.Events {
		switch {
		case e.Kind == history.Return:
			assert.Empty(t, e.Text)
			returned[e.Call] = e.Value
		case e.Kind == history.Read && e.Side == history.Client && e.Msg.Kind == history.Request && e.Msg.Method == kind:
			asked++
		}
	}
	assert.Equal(t, 1, asked)
	assert.Equal(t, "call 1 done", returned[1])
	assert.Contains(t, returned, 2)
	if kind != protocol.RootsList { // which is answered by the target itself
		assert.Equal(t, "call 2 done", returned[2])
	}
}

// Polling has a tool send its client away in the middle of its work, where the server can
// do that and the version has it: the client has to come back for the answer, and no
// sooner than it is told. Elsewhere no exchange may end early, and the answer has to come
// by the first.
func (p Pair) Polling(t *testing.T) {
	t.Helper()
	h := p.Play(t, "load: {calls: 1}\nhandlers: [{kind: polling, work: 1s, every: 700ms}]\n")
	told, back := away(h)
	if p.Server.Polls && p.Transport == sim.StreamableHTTP && p.SpecVersion == protocol.V20251125 {
		assert.NotZero(t, told, "the server says when to come back")
		assert.GreaterOrEqual(t, back-told, 700*time.Millisecond)
	} else {
		assert.Equal(t, []time.Duration{0, 0}, []time.Duration{told, back}, "nobody is sent away")
	}
	came(t, h, h.Header.Calls[0], []int{0})
	assert.Empty(t, Failed(h))
}

// away returns when the client heard that it is to come back in 700 ms, and when it began
// to resume a stream; zero: never.
func away(h *history.History) (told, back time.Duration) {
	for _, e := range h.Events {
		switch {
		case e.Side != history.Client:
		case e.Kind == history.Cue && e.Value == "700":
			told = e.At
		case e.Kind == history.Begin && e.HTTP.LastEvent != "":
			back = e.At
		}
	}
	return told, back
}

// Listen subscribes once, at 2026-07-28, and gives that up while the server still has
// something to tell. It has to be taken, told of, and ended by the client's closing of
// the stream, which the server has to see.
func (p Pair) Listen(t *testing.T) {
	t.Helper()
	h := p.Play(t, "handlers: [{kind: instant}]\nload: {requests: [{kind: subscriptions/listen, for: 2s}]}\nchanges: {count: 60, every: 50ms}\n")
	if why := h.Header.Calls[0].NotAsked; why != "" {
		t.Skip(why)
	}
	heard, ended := map[string]int{}, map[history.Kind]int{}
	for _, e := range h.Events {
		switch {
		case e.Kind == history.Read && e.Call == 1:
			heard[e.Msg.Method]++
		case e.Kind == history.Drop || e.Kind == history.Gone:
			ended[e.Kind]++
		case e.Kind == history.Return && e.Call == 1:
			assert.Contains(t, e.Text, "context canceled")
		}
	}
	for _, method := range []string{protocol.Listen, "notifications/subscriptions/acknowledged"} {
		assert.Positive(t, heard[method], method)
	}
	assert.Positive(t, heard["notifications/resources/updated"]+heard["notifications/tools/list_changed"], "nothing was told: %v", heard)
	assert.Positive(t, ended[history.Drop], "the client closes the stream")
	assert.Positive(t, ended[history.Gone], "and the server sees that")
	assert.Equal(t, []int{0}, Sessions(h), "sessions after the client's close")
}
