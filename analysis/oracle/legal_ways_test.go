package oracle

import (
	"fmt"

	"github.com/mcpsim/mcpsim/sim/history"
)

// By which exchange a message goes: each of the client's by a POST of its own, and what the
// server sends by the response to what it is for, or by the stream that the client has
// opened by GET.

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
	if l.sends() { // otherwise nobody listens yet, or any more; what has an id waits for the client to come back
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
