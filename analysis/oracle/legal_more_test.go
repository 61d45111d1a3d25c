package oracle

import (
	"fmt"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// What the model of a conversation over HTTP has beside calls: what tools ask of clients,
// by the stream of their call or by the one that the client has opened by GET;
// subscriptions; and servers of which cancels cannot mean anything.

// looseScenario is the name of a world in which a server need not heed cancels.
const looseScenario = "loose"

// drawLoose draws what the server makes of cancels. It has to heed them only in a session.
func (x *web) drawLoose() {
	switch {
	case x.modern:
		return
	case x.session == "" && x.often("deaf"):
		x.deaf = true
	case x.seldom("declines"):
		x.declines = true
	default:
		return
	}
	x.h.Header.Scenario = looseScenario
}

// drawNested draws which tools ask something of the client.
func (w *town) drawNested(talks []*talk) {
	n := len(w.h.Header.Calls)
	for _, t := range talks {
		for _, d := range t.calls {
			if w.modern || t.web.over != StreamableHTTP || d.Handler == "" || !w.seldom("asks the client") {
				continue
			}
			n++
			d.nested = &dialogue{asker: history.Server, Call: history.Call{
				Call: n, Parent: d.Call.Call, Method: "sampling/createMessage", Handler: t.pick("client's tool", "cooperative", "stubborn", "slow-cleanup"),
				Work: time.Duration(w.draw("client's work", 0, 6)) * time.Millisecond,
			}}
			w.h.Header.Nested = append(w.h.Header.Nested, d.nested.Call)
		}
	}
}

// hears opens the stream by which the server talks on its own, or does not. Either side may
// end that at any time, and the network may break it.
func (x *web) hears() {
	x.client.workers.talk, x.client.workers.at = x.talk, history.Client
	if x.modern || x.over != StreamableHTTP || !x.often("a GET") {
		return
	}
	l := x.openGet("", func() {})
	switch {
	case x.shaky && x.seldom("GET breaks"):
		x.after(x.draw("breaks at", 0, 30), l.breaks)
	case x.seldom("the server ends it"):
		x.after(x.draw("ends at", 3, 30), func() {
			if l.begun && l.down.headed && !l.known && !l.serverOver && len(l.down.writing) == 0 && len(l.down.waiting) == 0 {
				l.known = true
				l.finish(history.Server, "")
				l.after(l.draw("way back", 6, 9), func() {
					if !l.clientOver {
						l.finish(history.Client, "")
					}
				})
			}
		})
	}
}

// ask is a tool that asks something of the client, by the stream of its call or by another,
// if there is one.
func (s *legalServer) ask(d *dialogue) {
	n := d.nested
	if d.ended || d.told || d.dismissed || d.cancelled != 0 {
		return
	}
	l := d.leg
	if get := s.web.get; s.web.json || get.sends() && s.often("by GET") {
		l = get
	}
	if !l.sends() {
		return
	}
	n.id, n.leg, n.asking = fmt.Sprint(len(s.asked)), l, true
	s.asked = append(s.asked, n)
	s.note(history.Server, history.Issue, n.Call.Call, "")
	p := requestFrame(n)
	p.begin = func() { n.begun = true }
	l.down.send(p)
	s.after(s.draw("patience of the tool", 15, 30), func() { s.leaveNested(n, "deadline") })
}

// sends reports whether the server can send by l, for all that it knows.
func (l *leg) sends() bool { return l != nil && l.begun && !l.known && !l.serverOver }

// leaveNested is a tool that does not want the answer any more.
func (s *legalServer) leaveNested(n *dialogue, why string) {
	if !n.asking || n.returned {
		return
	}
	n.returned = true
	s.note(history.Server, history.Cancel, n.Call.Call, why)
	back := func() { s.note(history.Server, history.Return, n.Call.Call, "context canceled") }
	if s.often("return first") {
		back()
		back = func() {}
	}
	if n.leg.sends() {
		n.leg.down.send(cancelFrame(n))
	}
	back()
}

// told1 is the client's answer to what a tool asks.
func (s *legalServer) told1(n *dialogue, p *parcel) {
	if n.returned {
		return
	}
	n.returned = true
	e := history.Event{Side: history.Server, Kind: history.Return, Call: n.Call.Call, Value: n.value()}
	if p.msg.Kind == history.ErrorReply {
		e.Value, e.Text = "", p.msg.Text
	}
	s.add(e)
}

// subscribe takes a subscription, tells it of changes, and may end it: by a response, or by
// ending the stream (Q2).
func (s *legalServer) subscribe(d *dialogue) {
	if d.cancelled != 0 {
		d.settled = true
		return
	}
	l := d.leg
	open := func() bool { return d.cancelled == 0 && !d.settled && l.sends() }
	l.down.send(subscriptionFrame(d, acknowledgement, `,"notifications":{"toolsListChanged":true}`))
	for range s.draw("changes", 0, 3) {
		s.after(s.draw("change", 0, 20), func() {
			s.record(history.Event{Side: history.Server, Kind: history.Change, Value: changeOfTools})
			s.tellChange()
		})
	}
	s.after(s.draw("ends it", 2, 40), func() {
		if !open() {
			return
		}
		d.settled = true
		if s.often("by a result") {
			p := resultFrame(d, "")
			p.msg.Sub = d.id
			p.msg.Raw = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`, d.id, d.id)
			l.down.send(p)
			return
		}
		l.down.whenIdle(func() {
			if !l.sends() || d.cancelled != 0 {
				return
			}
			l.ends()
			s.after(10, func() { s.client.give(d, history.Event{Text: "the server ended it"}) })
		})
	})
}

// tellChange tells all who have asked, whoever's they are.
func (s *legalServer) tellChange() {
	for _, t := range s.talks {
		for _, d := range t.client.asked {
			if d.listens() && d.arrived && d.subscribed && d.cancelled == 0 && !d.settled && d.leg.sends() {
				d.leg.down.send(subscriptionFrame(d, toolsChanged, ""))
			}
		}
	}
}

// listenAgain makes a subscription again whose stream was cut.
func (c *legalClient) listenAgain(d *dialogue) {
	if c.closed || d.returned {
		return
	}
	c.request(&dialogue{Call: history.Call{Method: listenMethod}, whenAnswered: func() {}})
}

func subscriptionFrame(d *dialogue, method, more string) *parcel {
	m := &history.Message{Kind: history.Notification, Method: method, Sub: d.id}
	m.Raw = fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}%s}}`, method, d.id, more)
	return &parcel{msg: m, about: d, call: d.Call.Call, begin: func() {
		if method == acknowledgement {
			d.subscribed = true
		}
	}}
}
