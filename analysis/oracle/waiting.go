package oracle

import (
	"github.com/mcpsim/mcpsim/sim/history"
)

// cancelNonblocking: the delivery of a cancel does not hold the caller. It is put
// to the test where the client's writer was held up when the caller gave up, or
// when the cancel's own writing began.
func cancelNonblocking(x *index, c *call, t *tally) {
	if c.cancel == nil || c.req == nil || before(c.req.readReply, c.cancel) {
		return
	}
	if x.overHTTP {
		x.judgeHeldByPost(c, t)
		return
	}
	if !sentBefore(c) {
		if c.ret != nil && c.ret.At > c.cancel.At+x.grace {
			t.leave(whyOwnRequest)
		}
		return
	}
	taken := x.taken(c)
	switch {
	case taken == nil || c.ret == nil || taken.At <= c.cancel.At+x.grace:
		// The network took the cancel at once, or never; or the caller never got
		// control back, which is another rule's.
	case c.ret.At <= c.cancel.At+x.grace:
		t.pass()
	case before(taken, c.ret) && c.ret.At <= taken.At+x.grace:
		t.fail(Violation{
			Call: c.Call.Call, Side: history.Client, Handler: c.kind(), Method: c.otherMethod(),
			What: "held its caller until the network took the cancel", Lateness: span(c.cancel, c.ret),
		}, c.cancel, taken, c.ret)
	default:
		t.leave(whyHeldOtherwise)
	}
}

// judgeHeldByPost is the same over HTTP, where what can hold the caller is the POST of the
// cancel: until it was sent, or answered. It is put to the test where that took time.
func (x *index) judgeHeldByPost(c *call, t *tally) {
	f := c.req.cancel
	if f == nil || f.on == nil || f.wrote == nil || f.wrote.Text != "" || c.ret == nil || !sentBefore(c) {
		return
	}
	last := f.wrote
	for _, at := range [...]*history.Event{f.wrote, f.on.status[atClient], f.on.finish[atClient]} {
		if at == nil || at.At <= c.cancel.At+x.grace {
			continue
		}
		if last = at; before(at, c.ret) && c.ret.At <= at.At+x.grace && !before(c.req.readReply, c.ret) && !x.leftAsReturned(c) {
			t.fail(Violation{
				Call: c.Call.Call, Side: history.Client, Handler: c.kind(), Method: c.otherMethod(),
				What: "held its caller until the POST of the cancel had been answered", Lateness: span(c.cancel, c.ret),
			}, c.cancel, at, c.ret)
			return
		}
	}
	switch {
	case last.At <= c.cancel.At+x.grace:
	case c.ret.At <= c.cancel.At+x.grace:
		t.pass()
	default:
		t.leave(whyHeldOtherwise)
	}
}

// leftAsReturned reports whether the client read the end of the exchange of c, which it had
// not dropped, in the instant in which the call returned: its caller may have waited for that.
func (x *index) leftAsReturned(c *call) bool {
	e := c.req.frame.on
	if e == nil {
		return false
	}
	end := e.finish[atClient]
	return before(end, c.ret) && c.ret.At <= end.At+x.grace && !before(e.drop, end)
}

// sentBefore reports whether the request of c had left the client when its caller
// gave up. One that had not holds its caller by itself.
func sentBefore(c *call) bool { return before(c.req.frame.wrote, c.cancel) }

// taken returns the event by which the network had taken the cancel of c, if all
// that delayed it was the network: from the caller's giving up until then the
// client's writer had no moment to itself. Otherwise nil, also if the network never
// took it.
func (x *index) taken(c *call) *history.Event {
	f := c.req.cancel
	if f == nil || f.wrote == nil || f.wrote.Text != "" {
		return nil
	}
	first := c.held
	if first == nil && f.write.At <= c.cancel.At+x.grace {
		first = f
	}
	if first == nil {
		return nil
	}
	if free := freeAfter(first); free != nil && f.wrote.At > free.At+x.grace {
		return nil
	}
	return f.wrote
}

// cancelOrder: a cancel is written before later messages of its sender that were
// decided after it.
func cancelOrder(x *index, f *frame, t *tally) {
	c := f.cancelled()
	if c == nil || c.cancel.At+x.grace >= x.lastIssue {
		return // nothing was decided after it
	}
	switch o := f.overtaker; {
	case f.req.reused:
		t.leave(whyUnclearID)
	case !sentBefore(c):
		t.leave(whyOwnRequest)
	case before(f.req.readReply, c.cancel):
		t.leave(whyReplyFirst)
	case o.issue != nil && o.issue.At > c.cancel.At+x.grace:
		t.fail(Violation{
			Call: c.Call.Call, Side: history.Client, Handler: c.kind(), Method: c.otherMethod(),
			What:     "wrote a later call before the cancel, which had been decided earlier",
			Lateness: span(c.cancel, f.write),
		}, c.cancel, o.issue, o.write, f.write)
	default:
		t.pass()
	}
}

// cancelled returns the call that f is the first cancel of, given up by its
// caller; nil if there is none.
func (f *frame) cancelled() *call {
	if f.req == nil || f.req.cancel != f || f.req.call == nil || f.side != history.Client {
		return nil
	}
	if c := f.req.call; before(c.cancel, f.write) {
		return c
	}
	return nil
}
