package oracle

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Over HTTP the model of a legal conversation has exchanges in the place of its two
// streams: each message of the client's is a POST that travels alone, and what the server
// sends goes by the response to what it is for. Connections break, and streams are
// resumed; one town may have several clients.
//
//	legal_web_test.go      the clients, and how the world goes from its beginning to its end
//	legal_ways_test.go     what goes by which exchange
//	legal_leg_test.go      one exchange: its two ends, and what befalls it
//	legal_session_test.go  how a session ends, and the next begins
type web struct {
	*talk
	over      Transport
	session   string          // empty: there is none
	resumable bool            // events have ids
	shaky     bool            // connections break
	refuses   bool            // the server lets nobody delete a session
	deleted   bool            // the server has ended the session
	json      bool            // responses are JSON objects
	deaf      bool            // there is no session, and the server makes nothing of cancels
	declines  bool            // the server refuses cancels
	dead      map[string]bool // sessions that the server has ended
	ranOutAt  int             // when
	partedAt  int             // when an exchange was last dropped, or the server saw that
	sessions  int             // that the client has begun again
	get       *leg            // the stream that the client has opened by GET
	legs      []*leg
}

// legalWeb draws a conversation over HTTP, or those of several clients.
func legalWeb(rt *rapid.T, _ testing.TB) *history.History {
	over := rapid.SampledFrom([]Transport{StreamableHTTP, StreamableHTTP, StreamableHTTP, HTTPSSE}).Draw(rt, "transport")
	all := slices.DeleteFunc(versions(), func(v string) bool { return !over.In(v) })
	w := newTown(rt, append(all, all[len(all)-1]))
	w.h.Header.Transport = string(over)
	clients := 1
	if w.seldom("many clients") {
		clients = w.draw("clients", 2, 3)
		w.h.Header.Clients = clients
	}
	if over == StreamableHTTP && !w.modern && w.seldom("instances") {
		w.h.Header.Instances = 2
	}
	var talks []*talk
	for n := range clients {
		talks = append(talks, w.inhabitant(over, n+1))
	}
	w.talks = talks
	w.drawNested(talks)
	w.live(talks)
	return &w.h
}

// inhabitant makes one client with its conversation.
func (w *town) inhabitant(over Transport, n int) *talk {
	t := &talk{town: w}
	if w.h.Header.Clients > 0 {
		t.n = n
	}
	t.up = &stream{talk: t, from: history.Client}
	t.down = &stream{talk: t, from: history.Server}
	t.client.talk, t.server.talk, t.end.talk = t, t, t
	t.web = &web{talk: t, over: over, shaky: w.often("shaky"), refuses: w.seldom("no DELETE")}
	if over == StreamableHTTP && !w.modern {
		t.web.resumable = w.often("event ids")
		if w.often("session") {
			t.web.session = fmt.Sprintf("s%d", n)
		}
		t.web.drawLoose()
	}
	t.web.json = over == StreamableHTTP && w.seldom("JSON")
	for range w.draw("calls", 1, 6) {
		d := t.drawCall(len(w.h.Header.Calls) + 1)
		d.Client = t.n
		t.calls = append(t.calls, d)
		w.h.Header.Calls = append(w.h.Header.Calls, d.Call)
	}
	t.end.how = t.pick("end", "", "", "", endClose)
	t.end.at = t.draw("end at", 0, 40)
	return t
}

// live takes the world from its connections to its end.
func (w *town) live(talks []*talk) {
	for _, t := range talks {
		w.after(w.draw("arrives", 0, 2), t.web.arrive)
	}
	w.play()
	w.now++
	w.record(history.Event{Side: history.World, Kind: history.Quiet})
	w.quiet = true
	for _, t := range talks {
		if !t.client.closed && !t.client.bereft && t.client.connected {
			t.end.probe()
		}
	}
	w.play()
	for _, t := range talks {
		t.web.close()
	}
	w.play()
	w.now += 10
	alive := 0
	for _, t := range talks {
		if t.web.session != "" && t.client.connected && !t.web.deleted {
			alive++
		}
	}
	w.record(history.Event{Side: history.Server, Kind: history.Sessions, N: w.draw("alive", 0, alive)})
	w.record(history.Event{Side: history.Server, Kind: history.Stop})
	w.record(history.Event{Side: history.Server, Kind: history.Served})
	for _, t := range talks {
		for _, l := range t.web.legs {
			l.up.leftovers()
			l.down.leftovers()
		}
	}
	if w.seldom("a tool leaks") {
		w.record(history.Event{Side: history.World, Kind: history.Leak, N: 1, Text: toolCode + "leaky(0x1)\n\ttools.go:9\ncreated by main"})
	}
}

// arrive is the client's beginning: over HTTP+SSE with the stream, to which the endpoint
// comes that all else is posted to.
func (x *web) arrive() {
	if x.over != HTTPSSE {
		x.client.connect()
		return
	}
	x.note(history.Client, history.Connect, 0, "")
	x.openGet("", func() { x.client.connectOver() })
}

// connectOver is connect where the client has begun already.
func (c *legalClient) connectOver() {
	c.request(&dialogue{Call: history.Call{Method: "initialize"}, whenAnswered: func() {
		c.connected = true
		c.note(history.Client, history.Connected, 0, "")
		c.up.send(noticeFrame("notifications/initialized"))
		c.begin()
	}})
}
