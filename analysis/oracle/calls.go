package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// What these rules ask of every call, RACE-GRACEFUL asks of those that nobody
// cancelled while others were. There it is a MUST, and is reported as such; here
// is what is left.

// requestDispatched: a request that was read is handled or answered.
func requestDispatched(x *index, t *tally) {
	for i := range x.calls {
		c := &x.calls[i]
		if c.req == nil || c.req.frame.read == nil || c.req.reused {
			continue
		}
		if c.start != nil || c.req.first != nil {
			t.kept(c, "")
			continue
		}
		end := x.stuck(c)
		switch {
		case end == nil || c.cancel != nil || c.req.cancel != nil:
		case x.enRoute(end):
			t.leave(whyEnRoute)
		case x.lastCancel(end) != nil:
			t.leave(whyUnderRace)
		default:
			t.fail(Violation{
				Call: c.Call.Call, Side: history.Server, Handler: c.kind(), Method: c.otherMethod(),
				What: "neither handled nor answered a request that it had read", Lateness: span(c.req.frame.read, end),
			}, c.req.frame.read, end)
		}
	}
}

// noSpuriousCancel: a handler is told to stop only for a reason.
func noSpuriousCancel(x *index, t *tally) {
	for i := range x.calls {
		c := &x.calls[i]
		reason := c.reason()
		switch {
		case c.start == nil || c.req == nil:
		case c.req.reused:
			t.leave(whyUnclearID)
		case c.told == nil:
			if c.end != nil && reason == nil {
				t.kept(c, "")
			}
		case before(reason, c.told) || before(x.over, c.told):
		case x.over != nil && x.over.At == c.told.At:
			t.leave(whyClosing)
		case reason == nil && before(x.cancelled, c.told):
			t.leave(whyUnderRace)
		default:
			t.fail(Violation{
				Call: c.Call.Call, Side: history.Server, Handler: c.kind(), Method: c.otherMethod(), Lateness: -1,
				What: "told a handler to stop, and nobody had asked for that",
			}, c.start, c.told)
		}
	}
}

// reason returns the first event for which the handler of c may be told to stop:
// its caller gave up, or a cancel for it was written; nil if there is none.
func (c *call) reason() *history.Event {
	if c.req == nil || c.req.cancel == nil {
		return c.cancel
	}
	return earlier(c.cancel, c.req.cancel.write)
}

// answerOwn: a call returns its own tool's value and no other's.
func answerOwn(x *index, t *tally) {
	owners := x.ownersByTaker()
	for i := range x.calls {
		c := &x.calls[i]
		owner := owners[c]
		switch {
		case c.ret == nil || c.ret.Text != "":
		case owner == nil:
			if c.end != nil && c.end.Value != "" && c.end.Value == c.ret.Value {
				t.kept(c, "")
			}
		case x.lateTaken(c, owner) != nil:
			t.leave(whyUnderLate)
		case c.reason() == nil && x.lastCancel(c.ret) != nil:
			t.leave(whyUnderRace)
		default:
			t.fail(Violation{
				Call: c.Call.Call, Side: x.mixer(c, owner), Handler: c.kind(), Method: c.otherMethod(), Lateness: -1,
				What: "gave a call the answer of another one",
			}, owner.end, c.ret)
		}
	}
}
