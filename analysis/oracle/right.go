package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// rightCall: a cancel affects the request that it names and no other, however
// alike their ids are.
func rightCall(x *index, c *call, t *tally) {
	r := c.req
	switch {
	case r == nil || r.lookalike == nil && r.stale == nil:
		return
	case r.reused:
		t.leave(whyUnclearID)
		return
	}
	m := x.mistake(c)
	if m.at == nil {
		t.kept(c, "")
		return
	}
	c.hit = true
	t.fail(Violation{
		Call: c.Call.Call, Side: m.side, Handler: c.kind(), Method: c.otherMethod(),
		What: m.what, Cause: m.cause, Lateness: span(m.cancel, m.at),
	}, m.cancel, r.frame.read, m.at)
}

// A mistake is the harm that a call suffered from a cancel that did not name it,
// and could be taken for doing so.
type mistake struct {
	cancel *history.Event // its reading
	at     *history.Event // nil: there was none
	side   history.Side   // who made it
	what   string
	cause  string
}

// mistake returns the mistake of which the call is the victim. What its own cancel
// or the session's end explains is none.
func (x *index) mistake(c *call) mistake {
	r := c.req
	if r == nil || c.unclear() {
		return mistake{}
	}
	m := x.mistakenFor(c)
	if m.at == nil {
		m = x.revived(c)
	}
	if m.at != nil && m.at == c.told && x.grace > 0 && x.expiredAt(c) {
		return mistake{} // in wall time, the end of the session may be the reason
	}
	if m.at == nil || c.hadReason(m.at) || before(x.overFor(r), m.at) || x.overAt(r, m.at) {
		return mistake{}
	}
	return m
}

// mistakenFor is the mistake of a cancel whose id resembles that of c, or is that of
// a request of the other side's.
func (x *index) mistakenFor(c *call) mistake {
	r := c.req
	if r.mistaken == nil {
		return mistake{}
	}
	m := mistake{cancel: r.mistaken, side: r.mistaken.Side}
	m.cause = likeness(r.frame.msg.ID, said(r.mistaken).Ref)
	if r.mistaken.Client != r.frame.write.Client {
		m.cause = "a request of another client's with its id"
	}
	in := func(e *history.Event) bool { return before(m.cancel, e) && e.At <= m.cancel.At+x.grace }
	switch {
	case m.side == history.Client:
		if c.ret != nil && c.ret.Text != "" && in(c.ret) && !before(r.readReply, c.ret) && !r.frame.on.failed() {
			m.at, m.what = c.ret, "failed a call of its own when the server cancelled that id"
		}
	case c.told != nil && in(c.told):
		m.at, m.what = c.told, "told the handler of a call at a cancel that names "+m.cause
	case r.first.isError() && in(r.first.write) && !before(c.end, r.first.write) && !c.refused():
		m.at, m.what = r.first.write, "answered a call with an error at a cancel that names "+m.cause
	}
	return m
}

// revived is the mistake of a cancel that was for an earlier request with the id
// of c, and over with it.
func (x *index) revived(c *call) mistake {
	r, m := c.req, mistake{cancel: c.req.stale, side: history.Server, cause: staleCause}
	if m.cancel == nil {
		return mistake{}
	}
	began := r.frame.read
	if c.start != nil {
		began = c.start
	}
	switch end := x.lost(c); {
	case c.told != nil && began != nil && c.told.At <= began.At+x.grace:
		m.at, m.what = c.told, "told a handler because of a cancel that was for an earlier request with its id"
	case c.start == nil && r.first.isError() && !c.refused() && r.first.write.At <= began.At+x.grace:
		m.at, m.what = r.first.write, "answered with an error because of a cancel that was for an earlier request with its id"
	case c.start == nil && end != nil:
		m.at, m.what = end, "dropped a call because of a cancel that was for an earlier request with its id"
	}
	return m
}
