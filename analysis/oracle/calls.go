package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// What these rules ask of every call, RACE-GRACEFUL asks of those that, as order and
// equality of times prove, the cancel of another one has harmed. There it is a MUST,
// and is reported as such.

// requestDispatched: a request that was read is handled and answered.
func requestDispatched(x *index, c *call, t *tally) {
	if c.req == nil || c.req.frame.read == nil || c.req.reused {
		return
	}
	end := x.lost(c)
	switch {
	case x.deniedTo(c) != nil:
		x.judgeDenied(c, t)
	case x.brokenOffUnanswered(c):
		x.judgeBrokenOff(c, t)
	case x.droppedInQueue(c) != nil:
		x.judgeDropped(c, t)
	case end == nil:
		if c.start != nil || c.req.first != nil {
			t.kept(c, "")
		}
	case x.enRoute(end):
		t.leave(whyEnRoute)
	case x.whyNoWay(c.req) != "":
		t.leave(x.whyNoWay(c.req))
	default:
		x.judgeLost(c, end, t)
	}
}

// lost returns the world's limit if the server had read the request of c and never
// began to answer it although nothing held it up; nil otherwise, and where a cancel
// may have been the reason.
func (x *index) lost(c *call) *history.Event {
	if c.req.first != nil || c.reason() != nil {
		return nil
	}
	return x.stuck(c)
}

func (x *index) judgeLost(c *call, end *history.Event, t *tally) {
	v := Violation{
		Call: c.Call.Call, Side: history.Server, Handler: c.kind(), Method: c.otherMethod(),
		What: "neither handled nor answered a request that it had read", Lateness: span(c.req.frame.read, end),
	}
	if c.start != nil {
		v.What, v.Lateness = "handled a request, and never answered it", span(c.end, end)
	}
	switch astray := c.req.astray; {
	case x.mistake(c).at != nil:
		t.failUnder("CANCEL-RIGHT-CALL", v, c.req.frame.read, c.end, end)
	case astray.at != nil:
		t.failUnder(astray.under, v, c.req.frame.read, c.end, astray.at, end)
	default:
		t.fail(v, c.req.frame.read, c.end, end)
	}
}

// noSpuriousCancel: a handler is told to stop only for a reason.
func noSpuriousCancel(x *index, c *call, t *tally) {
	reason := c.reason()
	switch {
	case c.start == nil || c.req == nil:
	case c.unclear():
		t.leave(whyUnclearID)
	case c.told == nil:
		if c.end != nil && reason == nil {
			t.kept(c, "")
		}
	case c.hadReason(c.told) || before(x.overFor(c.req), c.told):
	case x.overAt(c.req, c.told):
		t.leave(whyClosing)
	default:
		x.judgeSpurious(c, t)
	}
}

func (x *index) judgeSpurious(c *call, t *tally) {
	v := Violation{
		Call: c.Call.Call, Side: history.Server, Handler: c.kind(), Method: c.otherMethod(), Lateness: -1,
		What: "told a handler to stop, and nobody had asked for that",
	}
	switch {
	case x.mistake(c).at != nil:
		t.failUnder("CANCEL-RIGHT-CALL", v, c.start, c.told)
	case (x.toldWith(c) == nil || x.grace > 0) && x.expiredAt(c):
		t.leave(whyServerEndedIt)
	case x.tookForCancel(c) != nil:
		t.failUnder("DISC-NOT-CANCEL", v, c.start, x.tookForCancel(c), c.told)
	case x.toldWith(c) != nil && x.disconnects:
		t.failUnder("DISC-SCOPED", v, c.start, c.told)
	case x.toldWith(c) != nil:
		t.failUnder("RACE-GRACEFUL", v, c.start, c.told)
	default:
		t.fail(v, c.start, c.told)
	}
}

// reason returns the first event for which the handler of c may be told to stop:
// its caller gave up, a cancel for it or for its task was written, or it was cancelled by
// a disconnect; of a nested call also that the handler's own application has given up the
// call whose tool asks. nil if there is none.
func (c *call) reason() *history.Event {
	first := earlier(c.cancel, c.orphaned)
	if r := c.req; r != nil {
		if r.cancel != nil {
			first = earlier(first, r.cancel.write)
		}
		if r.gone != nil {
			first = earlier(first, r.c)
		}
		first = earlier(first, r.posted)
	}
	if c.task != nil {
		first = earlier(first, c.task.revoked)
	}
	return first
}

// hadReason reports whether there was a reason at e to tell the handler of c to stop. A
// disconnect is one in its whole instant, since nobody sees which of its listeners the
// system woke first.
func (c *call) hadReason(e *history.Event) bool {
	reason := c.reason()
	return before(reason, e) || reason != nil && reason == e
}

// answerOwn: a call returns its own tool's value, no other's, and no error instead.
func answerOwn(x *index, c *call, t *tally) {
	owner := c.stray()
	switch {
	case c.ret == nil || c.Task != "": // of a task, TASK-RESULT-BLOCK judges the answer
	case c.ret.Text != "":
		x.judgeError(c, t)
	case c.end != nil && c.end.Value != "" && c.end.Value == c.ret.Value:
		t.kept(c, "")
	case owner == nil:
		if c.lostOwner {
			t.leave(whyForgotten)
		}
	case c.req != nil && c.req.reused || owner.req != nil && owner.req.reused:
		t.leave(whyUnclearID)
	default:
		x.judgeStray(c, owner, t)
	}
}

// judgeError judges a call that returned an error: its tool had returned none, and its
// answer had come.
func (x *index) judgeError(c *call, t *tally) {
	answered := c.req != nil && !c.req.reused && before(c.req.readReply, c.ret)
	fine := c.end != nil && c.end.Text == "" && before(c.end, c.ret)
	if !answered || !fine || c.reason() != nil || before(x.overFor(c.req), c.ret) {
		return
	}
	if x.transport == HTTPSSE && c.req.frame.on.failed() {
		t.leave(whyFaulty) // the POST had come to nothing, whatever came by the stream
		return
	}
	v := Violation{
		Call: c.Call.Call, Side: x.failingSide(c), Handler: c.kind(), Method: c.otherMethod(), Lateness: -1,
		What: "failed a call whose tool had returned a result",
	}
	switch {
	case x.mistake(c).at != nil:
		t.failUnder("CANCEL-RIGHT-CALL", v, c.end, c.ret)
		return
	case x.failedUnder(c) != nil:
		t.failUnder("RACE-GRACEFUL", v, c.end, c.ret)
		return
	case v.Side == history.Client && before(x.garbage[seat(history.Client)], c.ret):
		t.leave(whyPeersGarbage)
		return
	}
	t.fail(v, c.end, c.ret)
}

func (x *index) judgeStray(c, owner *call, t *tally) {
	v := Violation{
		Call: c.Call.Call, Side: x.mixer(c, owner), Handler: c.kind(), Method: c.otherMethod(), Lateness: -1,
		What: "gave a call the answer of another one",
	}
	if c.Client != owner.Client {
		v.What = "gave a call the answer of another client's"
	}
	switch {
	case c.req != nil && c.req.foreign.tells(owner.end.Value):
		t.failUnder("RESP-SAME-ID", v, owner.end, c.req.foreign.write, c.ret)
	case x.lateTaken(c, owner) != nil:
		t.failUnder("LATE-IGNORED", v, owner.end, c.ret)
	case x.mixedUp(c, owner) != nil:
		t.failUnder("RACE-GRACEFUL", v, owner.end, c.ret)
	default:
		t.fail(v, owner.end, c.ret)
	}
}
