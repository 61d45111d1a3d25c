package oracle

import (
	"fmt"
	"slices"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A legalClient asks on behalf of callers, and answers the server's pings.
type legalClient struct {
	*talk
	asked     []*dialogue // in the order in which they got their ids
	former    []*dialogue // in sessions that are gone
	closed    bool        // the application has closed it
	connected bool
	bereft    bool        // it has read the end of its input
	workers   legalServer // for what tools ask
}

// connect shakes hands: with initialize, which nobody cancels, or not at all. A
// client of the modern era may first ask who is there, and give that up like any
// other request (R18).
func (c *legalClient) connect() {
	c.note(history.Client, history.Connect, 0, "")
	if !c.modern {
		c.request(&dialogue{Call: history.Call{Method: "initialize"}, whenAnswered: func() {
			c.connected = true
			c.note(history.Client, history.Connected, 0, "")
			c.up.send(noticeFrame("notifications/initialized"))
			if c.web != nil {
				c.web.hears()
				c.web.mayRunOut()
			}
			c.begin()
		}})
		return
	}
	c.connected = true
	if c.often("discover") {
		d := &dialogue{Call: history.Call{Method: "server/discover"}, whenAnswered: func() {}}
		c.request(d)
		c.after(c.draw("patience", 1, 12), func() {
			if !d.answered {
				c.cancel(d)
			}
		})
	}
	c.note(history.Client, history.Connected, 0, "")
	c.begin()
}

// begin lets the callers and the server loose.
func (c *legalClient) begin() {
	for _, d := range c.calls {
		c.after(c.draw("issue", 0, 20), func() { c.issue(d) })
	}
	if !c.modern {
		c.server.begin()
	}
	c.end.begin()
}

// issue is a caller who asks, and perhaps gives up later.
func (c *legalClient) issue(d *dialogue) {
	if c.closed {
		return // there is nobody to ask
	}
	if c.web != nil && !c.connected {
		c.after(1, func() { c.issue(d) })
		return
	}
	c.note(history.Client, history.Issue, d.Call.Call, "")
	if c.up.closed || c.bereft {
		c.give(d, history.Event{Text: "not connected"})
		return
	}
	c.request(d)
	if c.often("cancel") || d.listens() {
		c.after(c.draw("patience", 0, 16), func() { c.giveUp(d) })
	}
}

// request hands a request to the writer.
func (c *legalClient) request(d *dialogue) {
	d.asker = history.Client
	d.id = c.freshID()
	if d.Handler != "" && c.often("progress") {
		d.token = c.freshToken()
	}
	c.asked = append(c.asked, d)
	p := requestFrame(d)
	p.begin = func() { d.begun = true }
	p.failed = func() { c.give(d, history.Event{Text: "broken pipe"}) }
	c.up.send(p)
}

// freshID returns an id that is free: in the legacy era one that was never used, in
// the modern one one whose request has been answered will do, too; that of a request
// that was cancelled and never answered never becomes free. 7 and "7" are two ids.
func (c *legalClient) freshID() string {
	for n := 0; ; n++ {
		id := fmt.Sprint(c.draw("id", 0, 5+n/4))
		switch c.draw("kind of id", 0, 5) {
		case 0, 1:
			id = `"` + id + `"`
		case 2:
			id = "-9" + id + "07"
		}
		i := slices.IndexFunc(c.asked, func(d *dialogue) bool { return d.id == id && !d.reused })
		switch {
		case i < 0:
			return id
		case c.modern && c.asked[i].answered:
			c.asked[i].reused = true
			return id
		}
	}
}

// freshToken returns a token that no active request has. One that was cancelled and
// not answered is taken to be active for ever.
func (c *legalClient) freshToken() string {
	for n := 0; ; n++ {
		token := fmt.Sprint(c.draw("token", 0, 5+n/4))
		if c.often("text") {
			token = `"` + token + `"`
		}
		if !slices.ContainsFunc(c.asked, func(d *dialogue) bool { return d.token == token && !d.answered }) {
			return token
		}
	}
}

// giveUp is a caller who does not want the answer any more. It gets control back at
// once; whether before or after the cancel goes to the writer is the client's affair.
func (c *legalClient) giveUp(d *dialogue) {
	if d.returned {
		if c.seldom("tidy") { // the end of a context that nobody needs
			c.note(history.Client, history.Cancel, d.Call.Call, "cancel")
		}
		return
	}
	c.note(history.Client, history.Cancel, d.Call.Call, c.pick("cause", "cancel", "deadline"))
	d.gaveUp = true
	back := func() { c.give(d, history.Event{Text: "context canceled"}) }
	if c.often("return first") {
		back()
		c.notify(d)
		return
	}
	c.notify(d)
	back()
}

// notify sends the cancel, where there is something to cancel: not if the request
// has not been begun and can be withdrawn. A client whose reader has the response
// already, while its caller has not, may send one: it believed that the request was
// in progress (R3).
func (c *legalClient) notify(d *dialogue) {
	switch {
	case !d.begun && c.often("withdraw"):
		c.up.withdraw(d)
		return
	case d.answered && c.often("aware"):
		return
	}
	c.cancel(d)
	if c.seldom("again") { // R6
		c.after(c.draw("again after", 0, 8), func() {
			if !d.reused && !c.up.closed && !c.bereft {
				c.cancel(d)
			}
		})
	}
}

func (c *legalClient) cancel(d *dialogue) {
	if c.web != nil {
		c.web.cancel(d)
		return
	}
	c.up.send(cancelFrame(d))
}

// withdraw takes back a request that waits for the writer.
func (s *stream) withdraw(d *dialogue) {
	s.waiting = slices.DeleteFunc(s.waiting, func(p *parcel) bool { return p.about == d })
	d.withdrawn = true
}

// give returns control to the caller of d, once.
func (c *legalClient) give(d *dialogue, e history.Event) {
	if d.returned || d.whenAnswered != nil {
		return
	}
	d.returned = true
	e.Side, e.Kind, e.Call = history.Client, history.Return, d.Call.Call
	c.add(e)
}

// read acts on what the client has read.
func (c *legalClient) read(p *parcel) {
	switch d := p.about; {
	case p.end:
		c.lost()
	case d == nil: // a notification
	case d.Parent > 0 && p.msg.Kind == history.Request:
		c.workers.arrive(d)
	case d.Parent > 0 && p.msg.IsCancel():
		c.workers.cancel(d)
	case p.msg.Kind == history.Request:
		d.arrived = true
		sid := c.sessionID()
		c.after(c.draw("answer after", 0, 3), func() {
			if d.cancelled == 0 && sid == c.sessionID() {
				c.up.send(resultFrame(d, ""))
			}
		})
	case p.msg.IsCancel():
		d.cancelled = c.now
	case p.msg.IsReply():
		c.reply(d, p)
	}
}

// reply is a response's being read. The caller has it at once, or still in this
// instant, and if it is late, never.
func (c *legalClient) reply(d *dialogue, p *parcel) {
	d.answered = true
	if d.whenAnswered != nil {
		d.whenAnswered()
		return
	}
	e := history.Event{Value: d.value()}
	if p.msg.Kind == history.ErrorReply {
		e = history.Event{Text: p.msg.Text}
	}
	if d.Handler == "" {
		e.Value = ""
	}
	if c.often("hand over") {
		c.give(d, e)
		return
	}
	c.after(0, func() { c.give(d, e) })
}

// lost is the end of the input: nobody who waits will get an answer.
func (c *legalClient) lost() {
	c.bereft = true
	c.release("connection closed")
}

// release gives all callers who wait control back, within the instant.
func (c *legalClient) release(text string) {
	for _, d := range slices.Concat(c.former, c.asked) {
		c.after(0, func() { c.give(d, history.Event{Text: text}) })
	}
}
