package oracle

import (
	"github.com/mcpsim/mcpsim/sim/history"
)

// A leg is one exchange of a model's conversation.
type leg struct {
	*web
	n          int
	sid        string // the session that the client had when it began
	asks       bool
	standalone bool      // the client has opened it by GET, and resumes nothing
	misled     bool      // it goes to another instance of the server
	d          *dialogue // that it asks for
	up, down   *stream
	clientOver bool
	begun      bool // by the server
	serverOver bool
	known      bool // the server knows that the client, or the connection, is gone
	broken     bool
	replied    bool   // the response has been written
	lastRead   string // id of the last event that the client has read
	primed     string // id of the first event, which holds no message; empty: there is none
	wait       int    // that it says
}

func (l *leg) event(side history.Side, kind history.Kind, text string) {
	l.add(history.Event{Side: side, Kind: kind, Exchange: l.n, Text: text})
}

func (l *leg) status(side history.Side, head *history.HTTPHead) {
	l.add(history.Event{Side: side, Kind: history.Status, Exchange: l.n, HTTP: head})
}

// serves is the server's beginning with it.
func (l *leg) serves() {
	if l.begun {
		return
	}
	l.begun = true
	head := &history.HTTPHead{Conn: 1}
	if l.h.Header.Instances > 1 {
		head.Instance = 1
		if l.misled {
			head.Instance = 2
		}
	}
	l.add(history.Event{Side: history.Server, Kind: history.Begin, Exchange: l.n, HTTP: head})
}

// reached is the request's being read.
func (l *leg) reached(p *parcel) {
	if p.msg.IsCancel() {
		l.cancelledAt = l.now
	}
	switch {
	case l.dead[l.sid]:
		l.accept(notFound)
	case l.misled: // which has never heard of the session
		l.accept(404)
	case !l.asks && l.declines && p.msg.IsCancel():
		l.accept([...]int{400, 405, 422}[l.draw("refused with", 0, 2)])
	case !l.asks && (p.about == nil || p.msg.IsCancel() && p.about.settled) && l.seldom("refuse"):
		l.accept(400) // it says nothing, or is too late
	case !l.asks:
		l.server.read(p)
		l.accept(202)
	default:
		l.server.read(p)
		if l.web.over == HTTPSSE {
			l.accept(202)
			return
		}
		if l.polls() && l.often("retreats") {
			l.after(l.draw("retreats at", 0, 9), l.retreats)
		}
		l.mind()
	}
}

// accept answers a POST that is not answered by messages.
func (l *leg) accept(code int) {
	l.status(history.Server, &history.HTTPHead{Status: code})
	l.finish(history.Server, "")
	l.after(l.draw("way back", 0, 4), func() {
		if !l.clientOver {
			l.status(history.Client, &history.HTTPHead{Status: code})
			l.finish(history.Client, "")
			if code == notFound && l.dead[l.sid] {
				l.learn()
			}
		}
	})
}

// answers is the head of a response that carries messages.
func (l *leg) answers() {
	l.status(history.Server, l.headOf())
	l.prime()
}

// heard is the client's having it.
func (l *leg) heard() {
	l.status(history.Client, l.headOf())
	l.hearPrime()
}

func (l *leg) headOf() *history.HTTPHead {
	head := &history.HTTPHead{Status: 200, ContentType: streamType}
	if l.json && l.d != nil && !l.d.listens() {
		head.ContentType = jsonType
	}
	if l.d != nil && l.d.Method == "initialize" {
		head.Session = l.session
	}
	return head
}

// received is a message's being read by the client.
func (l *leg) received(p *parcel) {
	if p.event != "" {
		l.lastRead = p.event
	}
	if l.sid == l.session || p.msg.Kind != history.Request { // what a server asked in a former session nobody answers
		l.client.read(p)
	}
	if l.d != nil && p.msg.IsReply() && p.about == l.d && !l.clientOver && l.web.over == StreamableHTTP {
		if l.seldom("tidy") {
			l.clientOver, l.down.cut = true, true
			l.event(history.Client, history.Drop, "body closed")
			l.after(l.draw("seen", 0, 2), l.seesGone)
			return
		}
		l.finish(history.Client, "")
	}
}

// said is a message's having been written by the server: after the response the stream
// ends.
func (l *leg) said(p *parcel) {
	if l.d == nil || !p.msg.IsReply() || p.about != l.d || l.web.over != StreamableHTTP {
		return
	}
	l.replied = true
	l.after(l.draw("ends", 0, 1), func() { l.finish(history.Server, "") })
}

// finish is one side's being done with it.
func (l *leg) finish(side history.Side, text string) {
	over := &l.clientOver
	if side == history.Server {
		over = &l.serverOver
	}
	if *over {
		return
	}
	*over = true
	l.event(side, history.Finish, text)
	if side == history.Client {
		l.down.cut = true
	}
}

// drop is the client's giving it up.
func (l *leg) drop(how string) {
	switch {
	case l == nil || l.clientOver:
		return
	case l.ranOutAt == l.now:
		l.after(1, func() { l.drop(how) })
		return
	}
	l.partedAt = l.now
	l.clientOver, l.down.cut = true, true
	l.event(history.Client, history.Drop, how)
	if !l.begun && l.often("never arrives") {
		l.up.cut = true
	}
	l.after(l.draw("seen", 0, 5), l.seesGone)
}

// breaks is the network's breaking it.
func (l *leg) breaks() {
	if l.clientOver || l.serverOver && l.replied || l.dead[l.sid] { // of a lost session the client is to learn
		return
	}
	l.broken, l.down.cut = true, true
	l.add(history.Event{Side: history.World, Kind: history.Fault, Exchange: l.n, Client: l.talk.n, Text: "drop"})
	if !l.begun {
		l.up.cut = true
	}
	l.after(l.draw("client sees", 0, 3), l.lost)
	l.after(l.draw("server sees", 0, 3), l.seesGone)
}

// lost is the client's learning that it is broken: since 2026-07-28 its call is over, and
// before, the client may resume the stream.
func (l *leg) lost() {
	if l.clientOver {
		return
	}
	l.finish(history.Client, "connection reset")
	d := l.d
	switch {
	case l.standalone:
		return
	case d.listens() && !d.returned && !l.client.closed && l.often("listen again"):
		l.after(l.draw("pause", 0, 3), func() { l.client.listenAgain(d) })
		return
	}
	if l.lastRead != "" && !l.client.closed && !l.seldom("leave it") {
		l.after(l.draw("pause", 0, 3), func() { l.resume(d, l.lastRead) })
		return
	}
	l.client.give(d, history.Event{Text: "connection reset"})
}

// resume takes the stream of d up again, behind an event.
func (l *leg) resume(d *dialogue, after string) {
	switch {
	case l.client.closed || d.returned:
		return
	case l.sid != l.session: // that stream was of a session that is gone
		l.client.give(d, history.Event{Text: "the session is gone"})
		return
	}
	next := l.openGet(after, func() {})
	next.asks, next.d, next.lastRead = true, d, after
	next.down.head = nil
	next.after(4, func() {
		if next.begun && !next.clientOver {
			d.leg = next
			next.replay(d, after)
			next.mind()
		}
	})
}

// replay sends again what came after the event.
func (l *leg) replay(d *dialogue, after string) {
	if d.cancelled != 0 {
		return // of what was cancelled nothing is said for the first time
	}
	found := after == d.primed
	for _, p := range d.story {
		if found {
			again := *p
			again.n = 0
			l.down.send(&again)
		}
		found = found || p.event == after
	}
}

// seesGone is the server's learning that nobody listens any more.
func (l *leg) seesGone() {
	switch {
	case l.serverOver || l.known:
		return
	case !l.begun && !l.up.cut || l.ranOutAt == l.now:
		l.after(1, l.seesGone) // it is still on its way
		return
	case !l.begun:
		return
	}
	l.known, l.partedAt = true, l.now
	l.event(history.Server, history.Gone, "")
	if l.standalone {
		l.finish(history.Server, "")
		if l.web.over == HTTPSSE {
			l.server.dismissAll()
		}
		return
	}
	if l.modern && l.d != nil && l.d.arrived && !l.replied {
		l.server.cancel(l.d)
	}
	l.mind()
}

// mind ends it when nothing is left to do: that the client is gone, or the call was
// cancelled and gets no response. For the latter no text has a clean end.
func (l *leg) mind() {
	d := l.d
	idle := (d == nil || d.listens() && d.cancelled != 0 || d.settled && (!d.started || d.ended)) && len(l.down.writing) == 0 && len(l.down.waiting) == 0
	switch {
	case l.serverOver || l.replied && !l.known:
	case l.known && idle:
		l.finish(history.Server, "")
	case !l.known && idle && l.silent():
		if l.often("end silently") {
			l.ends()
		}
	case l.now < 400:
		l.after(1, l.mind)
	}
}

// silent reports whether the call has come to an end without a response.
func (l *leg) silent() bool {
	d := l.d
	return d != nil && !d.listens() && !l.replied && len(l.down.writing) == 0 && len(l.down.waiting) == 0 && !d.answering
}

// ends is the server's ending it without a response.
func (l *leg) ends() {
	if !l.down.headed {
		l.down.headed = true
		l.answers()
	}
	l.finish(history.Server, "")
	l.after(l.draw("way back", 0, 3), func() {
		if !l.clientOver {
			if !l.down.begun {
				l.heard()
			}
			l.finish(history.Client, "")
		}
	})
}
