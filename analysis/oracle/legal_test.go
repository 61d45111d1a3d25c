package oracle

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A talk is a small abstract model of a legal conversation: a client, a server and
// two streams, each with clocks of its own, that keep every rule and otherwise do
// what chance says. What it records is legal by construction; where that is not
// plain, a comment at the choice argues it.
//
//	legal_test.go         what is drawn, and the order of acts
//	legal_wire_test.go    the streams: order kept, writers that stall, frames in clusters
//	legal_client_test.go  callers, cancels, late responses, ids
//	legal_server_test.go  handlers, what they are told, progress, requests of the server's
//	legal_ends_test.go    how the session ends
//
// An instant is a millisecond. Few of them lie between things, so that ties and
// crossings are frequent; which act of an instant comes first is drawn, too, as far
// as nothing makes one wait for another.
type talk struct {
	*town
	n    int     // the client's number, 0: there is one
	up   *stream // what the client writes
	down *stream // what the server writes
	web  *web    // over HTTP, in the place of the two; nil over stdio

	calls  []*dialogue // of the application's
	exited bool        // the server's process is dead
	client legalClient
	server legalServer
	end    ending
}

// A town is what all conversations of a world have in common.
type town struct {
	rt          *rapid.T
	h           history.History
	version     string
	modern      bool
	now         int
	agenda      map[int][]func()
	last        int // the latest instant on the agenda
	frames      int
	exchanges   int
	talks       []*talk // over HTTP
	cancelledAt int     // when a cancel was last read
	quiet       bool    // all that was to be done is done
}

// legalHistory draws a conversation.
func legalHistory(rt *rapid.T, _ testing.TB) *history.History {
	return newTalk(rt).run()
}

// versions are those of the protocol.
func versions() []string {
	return []string{"2024-11-05", "2025-03-26", "2025-06-18", legacyVersion, modernVersion}
}

func newTown(rt *rapid.T, versions []string) *town {
	w := &town{rt: rt, agenda: map[int][]func(){}, now: 1}
	w.version = rapid.SampledFrom(versions).Draw(rt, "version")
	w.modern = w.version >= modernVersion
	w.h.Header = history.Header{
		Schema: history.Schema, Scenario: "legal", SpecVersion: w.version, Transport: "stdio", Clock: "virtual",
		Client: history.Peer{Target: "reference"}, Server: history.Peer{Target: "reference"},
		Horizon: time.Minute, Settle: time.Millisecond,
	}
	return w
}

func newTalk(rt *rapid.T) *talk {
	w := &talk{town: newTown(rt, versions())}
	w.up = &stream{talk: w, from: history.Client, deliver: w.server.read}
	w.down = &stream{talk: w, from: history.Server, deliver: w.client.read}
	w.client.talk, w.server.talk, w.end.talk = w, w, w
	return w
}

// run plays the conversation to its end and returns what was observed.
func (w *talk) run() *history.History {
	n := w.draw("calls", 1, 7)
	for i := range n {
		w.calls = append(w.calls, w.drawCall(i+1))
		w.h.Header.Calls = append(w.h.Header.Calls, w.calls[i].Call)
	}
	w.end.draw()
	w.client.connect()
	w.play()
	w.end.farewell()
	return &w.h
}

// play runs the agenda down: in each instant one act after the other, in an order
// that is drawn. An act may add to its own instant.
func (w *town) play() {
	for ; w.now <= w.last; w.now++ {
		for len(w.agenda[w.now]) > 0 {
			acts := w.agenda[w.now]
			i := 0
			if len(acts) > 1 {
				i = w.draw("next", 0, len(acts)-1)
			}
			act := acts[i]
			w.agenda[w.now] = append(acts[:i:i], acts[i+1:]...)
			act()
		}
		delete(w.agenda, w.now)
	}
}

// after puts an act on the agenda, 0 for this very instant.
func (w *town) after(instants int, act func()) {
	at := w.now + instants
	w.agenda[at] = append(w.agenda[at], act)
	w.last = max(w.last, at)
}

func (w *town) draw(what string, low, high int) int {
	return rapid.IntRange(low, high).Draw(w.rt, what)
}

// often is true in most draws, seldom in few. They shrink to false.
func (w *town) often(what string) bool  { return w.draw(what, 0, 9) > 3 }
func (w *town) seldom(what string) bool { return w.draw(what, 0, 9) > 7 }

func (w *town) pick(what string, from ...string) string {
	return from[w.draw(what, 0, len(from)-1)]
}

// add records an event. Nothing is seen any more of a process that is dead.
func (w *talk) add(e history.Event) {
	if w.exited && e.Side == history.Server && e.Kind != history.Unread {
		return
	}
	if e.Client == 0 && (e.Side == history.Client || e.Frame > 0 || e.Exchange > 0) {
		e.Client = w.n
	}
	w.record(e)
}

func (w *town) record(e history.Event) {
	e.Seq, e.At = len(w.h.Events), time.Duration(w.now)*time.Millisecond
	w.h.Events = append(w.h.Events, e)
}

func (w *talk) note(side history.Side, kind history.Kind, call int, text string) {
	w.add(history.Event{Side: side, Kind: kind, Call: call, Text: text})
}

// A dialogue is one request of either side, with what both know of it.
type dialogue struct {
	history.Call        // its number is 0 if it is none of the application's
	id, token    string // raw JSON
	asker        history.Side

	// What the asker knows.
	begun, returned, answered bool
	gaveUp, withdrawn         bool
	reused                    bool   // another has its id now
	whenAnswered              func() // instead of a caller's return; nil: there is a caller

	nested     *dialogue // what its tool asks of the client; nil: nothing
	asking     bool      // nested: it is asked
	subscribed bool      // its subscription has been acknowledged

	leg       *leg      // over HTTP: the exchange of the request, or that by which its stream is resumed
	root      int       // the first of these
	primed    string    // id of the event before them, which holds no message
	story     []*parcel // what has been sent for it, where events have ids
	answering bool      // its response is in somebody's hands

	// What the other side knows.
	arrived, started, ended, settled bool // settled: its response is on its way to the writer, or there will be none
	told                             bool // by its cancel
	dismissed                        bool // by the session's end
	cancelled                        int  // the instant at which the cancel was read, 0 if it was not
	steps                            int  // of progress that were written
	failure                          string
}

func (d *dialogue) listens() bool { return d != nil && d.Method == listenMethod }

func (d *dialogue) value() string { return fmt.Sprintf("done %d", d.Call.Call) }

// drawCall draws one call of the application's.
func (w *talk) drawCall(n int) *dialogue {
	d := &dialogue{asker: history.Client}
	method := w.pick("method", append([]string{
		"tools/call", "tools/call", "tools/call", "resources/read", "tools/list", "prompts/list",
	}, map[bool]string{false: "ping", true: "server/discover"}[w.modern])...)
	if w.web != nil && w.modern && w.web.over == StreamableHTTP && w.seldom("listens") {
		method = listenMethod
	}
	d.Call = history.Call{Call: n, Method: method, Life: 20 * time.Millisecond}
	if method == "tools/call" || method == "resources/read" {
		d.Handler = w.pick("tool", "cooperative", "slow-cleanup", "chatty", "checkpoint", "swallow", "stubborn")
		d.Work = time.Duration(w.draw("work", 0, 9)) * time.Millisecond
		if w.seldom("fails") {
			d.failure = "disk full"
		}
	}
	return d
}
