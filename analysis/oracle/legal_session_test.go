package oracle

import (
	"fmt"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A session ends by its client's DELETE, or by the server's ending it, which that may at any
// time. Its client learns so when it asks next, by a 404, and begins another, in which all
// names are free again.

// mayRunOut draws whether and when the server ends the session.
func (x *web) mayRunOut() {
	if x.modern || x.over != StreamableHTTP || x.session == "" || x.h.Header.Instances > 1 || !x.seldom("runs out") {
		return
	}
	sid := x.session
	x.after(x.draw("runs out at", 2, 25), func() { x.runOut(sid) })
}

// runOut ends a session: what works for it is told or is never begun, and its streams end.
func (x *web) runOut(sid string) {
	switch {
	case x.deleted || x.client.closed || x.quiet: // a session that dies when it is asked whether it lives is SESSION-SURVIVES' to count
		return
	case x.partedAt == x.now || x.cancelledAt == x.now: // what happens in the instant of a disconnect, or a cancel, is owed to that
		x.after(1, func() { x.runOut(sid) })
		return
	}
	x.ranOutAt = x.now
	if x.dead == nil {
		x.dead = map[string]bool{}
	}
	x.dead[sid] = true
	for _, d := range x.server.got {
		switch {
		case d.started:
			x.server.tell(d)
		default:
			d.settled = true
		}
	}
	x.server.got = nil
	for _, l := range x.legs {
		if l.sid == sid && l.begun && !l.serverOver && (l.standalone || l.asks) {
			x.after(0, func() { l.down.whenIdle(l.cutShort) })
		}
	}
}

// cutShort is the server's ending an exchange whose session is over.
func (l *leg) cutShort() {
	if l.serverOver || l.replied {
		return
	}
	l.known = true
	if !l.down.headed {
		l.down.headed = true
		l.answers()
	}
	l.finish(history.Server, "")
	l.after(l.draw("way back", 6, 9), func() {
		if l.clientOver {
			return
		}
		if !l.down.begun {
			l.down.begun = true
			l.heard()
		}
		l.finish(history.Client, "")
		if l.asks && l.d != nil {
			l.client.give(l.d, history.Event{Text: "the stream ended"})
		}
	})
}

// learn is the client's reading of a 404. Whose session it was that is gone does not matter
// when it has another.
func (l *leg) learn() {
	if l.d != nil {
		l.client.give(l.d, history.Event{Text: "the session is gone"})
	}
	c := &l.web.talk.client
	if c.closed {
		return
	}
	again := func() {}
	if l.d != nil && l.d.whenAnswered != nil {
		again = func() { c.request(&dialogue{Call: history.Call{Method: l.d.Method}, whenAnswered: l.d.whenAnswered}) }
	}
	switch {
	case !c.connected:
		c.after(1, func() { l.retry(again) })
	case l.sid != l.session:
		again()
	default:
		l.web.anew(again)
	}
}

// retry asks again as soon as there is a session.
func (l *leg) retry(again func()) {
	switch c := &l.web.talk.client; {
	case c.closed:
	case !c.connected:
		l.after(1, func() { l.retry(again) })
	default:
		again()
	}
}

// anew begins another session.
func (x *web) anew(then func()) {
	c := &x.client
	c.connected = false
	c.former, c.asked = append(c.former, c.asked...), nil
	x.sessions++
	x.session = fmt.Sprintf("s%d.%d", x.n, x.sessions)
	x.get = nil
	c.request(&dialogue{Call: history.Call{Method: initializeMethod}, whenAnswered: func() {
		if c.closed {
			return // it came too late
		}
		c.connected = true
		c.up.send(noticeFrame("notifications/initialized"))
		x.hears()
		x.mayRunOut()
		then()
	}})
}

// sessionID is the session that the client has; empty: there are none.
func (c *legalClient) sessionID() string {
	if c.web == nil {
		return ""
	}
	return c.web.session
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
