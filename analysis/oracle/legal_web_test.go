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
//	legal_web_test.go      sessions, what goes by which exchange, how it ends
//	legal_leg_test.go      one exchange: its two ends, and what befalls it
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

// openGet opens a stream by GET, or resumes one; then, when it is there, goes on.
func (x *web) openGet(after string, then func()) *leg {
	l := x.begin(&history.HTTPHead{Method: "GET", Accept: streamType, LastEvent: after})
	x.after(x.draw("way", 1, 3), func() {
		if l.clientOver {
			l.up.cut = true // it never comes there
			return
		}
		l.serves()
		if x.dead[l.sid] {
			l.accept(notFound)
			return
		}
		l.down.headed = true
		l.status(history.Server, &history.HTTPHead{Status: 200, ContentType: streamType})
		x.after(x.draw("way back", 0, 3), func() {
			if !l.clientOver {
				l.heard()
				then()
			}
		})
	})
	return l
}

// begin begins an exchange of the client's.
func (x *web) begin(head *history.HTTPHead) *leg {
	x.exchanges++
	l := &leg{web: x, n: x.exchanges}
	l.up = &stream{talk: x.talk, from: history.Client, on: l.n, first: l.serves, deliver: l.reached}
	l.down = &stream{talk: x.talk, from: history.Server, on: l.n, head: l.answers, first: l.heard, deliver: l.received, done: l.said}
	x.legs = append(x.legs, l)
	l.sid = x.session
	if head.Method != "DELETE" && head.Accept == "" {
		head.Accept = jsonType + ", " + streamType
	}
	if x.client.connected && !x.modern && x.over == StreamableHTTP {
		head.Session = x.session
		if x.version >= "2025-06-18" {
			head.Version = x.version
		}
	}
	x.add(history.Event{Side: history.Client, Kind: history.Begin, Exchange: l.n, HTTP: head})
	if l.standalone = head.Method == "GET" && head.LastEvent == ""; l.standalone {
		x.get = l
	}
	return l
}

// send lets a message go by the exchange that it is for.
func (x *web) send(from history.Side, p *parcel) {
	if from == history.Client {
		x.post(p)
		return
	}
	l := x.get
	switch d := p.about; {
	case x.over != StreamableHTTP || d == nil:
	case d.Parent > 0:
		l = d.leg
	case d.asker == history.Client && !x.json:
		l = d.leg
		x.number(p)
	case d.asker == history.Client && (p.msg.IsReply() || d.listens()):
		l = d.leg
	case d.asker == history.Client && x.often("cannot be told"):
		return
	}
	switch {
	case l == nil || !l.begun: // nobody listens yet
	case l.known:
		// The stream is gone; what has an id waits for the client to come back.
	default:
		l.down.send(p)
	}
}

// number keeps what may have to be sent again.
func (x *web) number(p *parcel) {
	d := p.about
	if x.resumable && d != nil && d.asker == history.Client {
		p.event = fmt.Sprintf("%d.%d-%d", x.n, d.root, len(d.story))
		d.story = append(d.story, p)
	}
}

// post makes a POST of a message.
func (x *web) post(p *parcel) {
	if x.client.closed && !x.modern && x.deleted {
		return
	}
	head := &history.HTTPHead{Method: "POST", ContentType: jsonType}
	if x.modern && p.msg.Kind == history.Request {
		head.Version, head.MCPMethod = x.version, p.msg.Method
		if about, named := subject(p.msg); named {
			head.MCPName = about
		}
	}
	if d := p.about; d != nil && d.leg != nil && d.leg.sid != x.session && p.msg.Kind != history.Request {
		return // of a session that is gone
	}
	l := x.begin(head)
	l.asks = p.msg.Kind == history.Request
	if l.asks {
		l.d, p.about.leg, p.about.root = p.about, l, l.n
	}
	l.misled = p.msg.IsCancel() && x.h.Header.Instances > 1 && x.often("misled")
	l.up.send(p)
	if l.asks && x.shaky && p.msg.Method != "initialize" && (x.resumable || x.often("breaks")) {
		x.after(x.draw("breaks at", 0, 12), l.breaks)
	}
}

// cancel is the client's telling the server that a request is not wanted any more: by
// closing its exchange, or by a message.
func (x *web) cancel(d *dialogue) {
	if !x.modern {
		x.post(cancelFrame(d))
		if x.over == StreamableHTTP && x.seldom("drop, too") {
			d.leg.drop("body closed")
		}
		return
	}
	if x.seldom("post, too") { // R17
		x.post(cancelFrame(d))
	}
	d.leg.drop("context canceled")
}

// close is the application's closing of the client: it ends its session, if it has one,
// and lets go of all exchanges.
func (x *web) close() {
	if x.client.closed {
		return
	}
	x.client.closed = true
	x.note(history.Client, history.Close, 0, "")
	x.client.release("client closed")
	end := func() {
		x.after(0, func() { x.note(history.Client, history.Closed, 0, "") })
	}
	if x.session != "" && x.client.connected {
		x.delete(end)
	} else {
		x.after(0, end)
	}
	for _, l := range x.legs {
		if l.asks || l.standalone {
			x.after(0, func() { l.drop("context canceled") })
		}
	}
}

// delete ends the session.
func (x *web) delete(then func()) {
	l := x.begin(&history.HTTPHead{Method: "DELETE"})
	x.after(x.draw("way", 1, 3), func() {
		l.serves()
		code := 204
		if x.dead[l.sid] {
			code = notFound
		} else if x.refuses {
			code = 405
		} else {
			x.deleted = true
			x.server.dismissAll()
		}
		l.status(history.Server, &history.HTTPHead{Status: code})
		l.finish(history.Server, "")
		x.after(x.draw("way back", 0, 3), func() {
			l.status(history.Client, &history.HTTPHead{Status: code})
			l.finish(history.Client, "")
			then()
		})
	})
}

// dismissAll tells all handlers that the session is over.
func (s *legalServer) dismissAll() {
	for _, d := range s.got {
		if d.started {
			s.after(0, func() { s.tell(d) })
		}
	}
	s.heard = true
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

// TestLegalWebConversationsAreNeverConvicted: whoever keeps every rule over HTTP is accused
// of nothing either.
func TestLegalWebConversationsAreNeverConvicted(t *testing.T) {
	seen := census{}
	drawn(t, 2000, func(rt *rapid.T) *history.History { return legalWeb(rt, t) }, func(rt *rapid.T, h *history.History) {
		j := Judge(h)
		requireSound(t, h, j)
		requireInnocent(rt, h, j, Pass, Vacuous)
		seen.take(h, j)
		seen.web(h)
		h.Header.Clock = "wall"
		requireInnocent(rt, h, Judge(h), Pass, Vacuous, Ambiguous)
	})
	for _, what := range worthSeeingOverHTTP() {
		if seen[what] == 0 {
			t.Errorf("the conversations must be worth judging: %s", what)
		}
	}
}

// web counts what the exchanges had in them.
func (c census) web(h *history.History) {
	c["transport "+h.Header.Transport]++
	if h.Header.Clients > 0 {
		c["many clients"]++
	}
	gets, begun := map[int]bool{}, map[int]bool{}
	for _, e := range h.Events {
		switch e.Kind {
		case history.Status:
			if e.HTTP.ContentType == jsonType {
				c["JSON"]++
			}
		case history.Write:
			if e.Side == history.Server && e.Msg.Kind == history.Request && e.Call > 0 && gets[e.Exchange] {
				c["asked by GET"]++
			}
			if e.Msg.Method == initializeMethod {
				if begun[e.Client] {
					c["session again"]++
				}
				begun[e.Client] = true
			}
			if e.Msg.Method == listenMethod && e.Call == 0 {
				c["subscription made again"]++
			}
		case history.Drop, history.Gone, history.Fault, history.Sessions:
			c[string(e.Kind)]++
		case history.Begin:
			gets[e.Exchange] = gets[e.Exchange] || e.HTTP.Method == "GET"
			if e.HTTP.LastEvent != "" {
				c["resumed"]++
			}
		}
	}
}

func worthSeeingOverHTTP() []string {
	out := []string{
		"transport " + string(StreamableHTTP), "transport " + string(HTTPSSE), "many clients", "resumed", "drop", "gone", "fault",
		whyResponseBefore, whyHandlerOver, whySameInstant, whyPremature, whyOnlyTold, whyResumed, whyPosted, whyNoCleanEnd, whyRefused,
		whyReplyFirst, whyClosing, whyResponseRead, whyRepeated, whyNoSession, whyNotTaken, whyNoStream, "JSON", "subscription made again", "asked by GET", "session again",
		"phase before-request", "phase queued", "phase running", "phase returned", "phase crossing", "phase after-response", "phase undelivered",
	}
	for _, r := range Rules() {
		if r.Judged(StreamableHTTP) && !slices.Contains(neverDrawn(), r.ID) {
			out = append(out, "rule "+r.ID)
		}
	}
	return out
}

// neverDrawn are the rules that legal conversations over HTTP do not put to the test.
func neverDrawn() []string {
	return []string{
		"CANCEL-FREE", "LATE-NO-LEAK", "CANCEL-TASK-VIA-TASKS", "TASK-CANCEL-TERMINAL", "TASK-CANCEL-TRANSITION", "TASK-STOP-WORK",
		"TASK-CANCEL-STICKY", "TASK-TERMINAL-FINAL", "TASK-RESULT-BLOCK", "TASK-UNKNOWN", "PROGRESS-TASK",
		"LISTEN-NO-REQ-SCOPED", "CANCEL-NONBLOCKING",
		"CANCEL-INIT", "CANCEL-SAME-DIRECTION",
	}
}

// drawn holds a property to n histories, or to as many as -rapid.checks says.
func drawn(t *testing.T, n int, draw func(*rapid.T) *history.History, property func(*rapid.T, *history.History)) {
	withChecks(t, n, func() {
		rapid.Check(t, func(rt *rapid.T) { property(rt, draw(rt)) })
	})
}
