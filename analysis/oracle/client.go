package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// onlyIssued: a cancel names a request that its sender has issued before.
func onlyIssued(x *index, f *frame, t *tally) {
	v := Violation{Call: x.callNumber(f.write.Call), Side: f.side, What: "cancelled an id that it had never used"}
	switch {
	case x.modern && f.side == history.Server:
		// Another rule forbids it, whatever the id.
	case !isID(f.msg.Ref):
		t.leave(whyNamesNothing)
	case f.forgotten:
		t.leave(whyForgotten)
		t.pass()
	case f.req == nil && f.theirs != nil && !x.modern:
		t.failUnder("CANCEL-SAME-DIRECTION", v, f.theirs, f.write)
	case f.req == nil && before(x.batch[seat(f.side)], f.write):
		t.leave(whyBatched)
	case f.req == nil:
		t.fail(v, f.write)
	default:
		if f.req.cancel != f {
			t.leave(whyRepeated)
		} else if before(f.req.readReply, f.write) {
			t.leave(whyResponseRead)
		}
		t.pass()
	}
}

// callNumber returns the number of a call, forgotten or not, 0 if the header has none
// of that number.
func (x *index) callNumber(n int) int {
	if x.call(n) == nil && (x.gaps || n < x.lowest || n > x.highest) {
		return 0
	}
	return n
}

// notifies: a client whose caller gives up a pending call tells the server.
func notifies(x *index, c *call, t *tally) {
	if c.cancel != nil && !c.timedOut() {
		x.judgeNotifying(c, "wrote no cancel for a call that its caller had given up", t)
	}
}

// notifiesTimeouts: a client whose caller's time is up tells the server.
func notifiesTimeouts(x *index, c *call, t *tally) {
	if c.cancel != nil && c.timedOut() {
		x.judgeNotifying(c, "wrote no cancel for a call whose time was up", t)
	}
}

// timedOut reports whether c was ended by its deadline, and not by its caller.
func (c *call) timedOut() bool { return c.cancel.Text == "deadline" }

// judgeNotifying judges what became of c, whose caller had given up.
func (x *index) judgeNotifying(c *call, what string, t *tally) {
	if c.req == nil {
		return
	}
	if c.req.cancel != nil {
		t.kept(c, "")
		return
	}
	if why := x.whyNotNotified(c); why != "" {
		t.leave(why)
		return
	}
	end := earlier(x.lastWordFor(c.req), x.horizon)
	if end == nil || end.At <= c.cancel.At+x.grace {
		return
	}
	t.fail(Violation{
		Call: c.Call.Call, Side: history.Client, Handler: c.kind(), Method: c.otherMethod(),
		What: what, Lateness: span(c.cancel, end),
	}, c.req.frame.write, c.cancel, end)
}

// whyNotNotified tells why the client may leave the cancel of c unwritten, "" if
// it may not.
func (x *index) whyNotNotified(c *call) string {
	reply := c.req.readReply
	switch {
	case c.unclear():
		return whyUnclearID
	case reply != nil && (before(reply, c.cancel) || reply.At <= c.cancel.At+x.grace):
		return whyReplyFirst
	case before(x.overFor(c.req), c.cancel) || x.overAt(c.req, c.cancel):
		return whyClosing
	case x.overHTTP && x.whyNothingToCancel(c) != "":
		return x.whyNothingToCancel(c)
	case c.held != nil && x.heldUntil(c.held, reply):
		return whyWriterHeld
	}
	return ""
}

// heldUntil reports whether the client's writer, which was writing f when a call
// was given up, had no moment to itself until the reply was read, the session
// ended or the world was over: a cancel that waited for its turn never got one. In the
// very instant of that end it may not have had the time.
func (x *index) heldUntil(f *frame, reply *history.Event) bool {
	free := freeAfter(f)
	if free == nil || before(reply, free) {
		return true
	}
	end := earlier(x.lastWordFor(f.req), x.horizon)
	return before(end, free) || end != nil && end.At <= free.At+x.grace
}

// lateIgnored: a client drops the response that it reads after it wrote the
// cancel.
func lateIgnored(x *index, c *call, t *tally) {
	if owner := c.stray(); owner != nil && x.lateTaken(c, owner) != nil {
		c.hit = true
	}
	read := x.readAfterCancel(c)
	if read == nil {
		return
	}
	v := Violation{
		Call: c.Call.Call, Side: history.Client, Handler: c.kind(), Method: c.otherMethod(), Phase: x.phase(c),
		Lateness: span(c.req.cancel.write, read),
	}
	switch taken := x.lateTakers(c); {
	case before(read, c.ret) && c.ret.Text == "":
		v.What = "returned the value of a response that it had read after writing the cancel"
		t.fail(v, c.req.cancel.write, read, c.ret)
	case len(taken) > 0:
		v.What = "gave the response of a cancelled call to another call"
		t.fail(v, append([]*history.Event{c.req.cancel.write, read}, taken...)...)
	default:
		t.kept(c, v.Phase)
	}
}

// lateTakers lists the returns of other calls that were given the late response to c,
// which was cancelled.
func (x *index) lateTakers(c *call) []*history.Event {
	out := c.taken
	for _, taker := range c.takers {
		if taker.stray() == c && x.lateTaken(taker, c) != nil {
			out = append(out, taker.ret)
		}
	}
	return out
}

// readAfterCancel returns the reading of the response to c if it came after the
// client had written the cancel; nil otherwise, and in the instant in which an exchange
// was given up: what had come by then, the client may have in hand.
func (x *index) readAfterCancel(c *call) *history.Event {
	if c.req == nil || c.req.cancel == nil || c.req.reused || c.Task != "" || !before(c.req.cancel.write, c.req.readReply) {
		return nil
	}
	if f := c.req.cancel; f.closing && c.req.readReply.At <= f.write.At+x.grace {
		return nil
	}
	return c.req.readReply
}

// stray returns the call whose tool had returned the value that c returned instead of
// its own; nil if there is none. Values that several tools returned prove nothing.
func (c *call) stray() *call {
	if c.Task != "" || c.owner == nil || c.owner.twins > 0 || c.end != nil && c.end.Value == c.ret.Value {
		return nil
	}
	return c.owner
}

// lateTaken returns the reading of the response to the cancelled call owner, if
// the client gave its value to c afterwards; nil if it did not, or if the server
// had put that value into the answer to c.
func (x *index) lateTaken(c, owner *call) *history.Event {
	read := x.readAfterCancel(owner)
	if !before(read, c.ret) || x.mixer(c, owner) == history.Server {
		return nil
	}
	return read
}

// A wait is a reason for which a caller is due to get control back.
type wait struct {
	due   *history.Event // from here on
	until *history.Event // it has waited in vain by then; nil: the history ends before
	what  string
}

// callerUnblocks: a caller that gave up, whose connection is gone, or whose response
// has come, gets control back.
func callerUnblocks(x *index, c *call, t *tally) {
	var room [5]wait
	if waits := x.waits(c, room[:0]); len(waits) > 0 {
		x.judgeWaits(c, waits, t)
	}
}

// waitGivenUp is from when on a caller is due to get control back who gives up waiting for
// a task, which begins when the task is there; nil: from nowhere.
func (c *call) waitGivenUp() *history.Event {
	switch {
	case c.Task != "wait" || c.revoke == nil || c.req == nil || c.req.readReply == nil:
		return nil
	case before(c.revoke, c.req.readReply):
		return c.req.readReply
	}
	return c.revoke
}

// waits adds to out why the caller of c is due to get control back, in the order in
// which one would say so. In vain is what lasts until the world's limit, which comes
// ten minutes after the closing where the application closes the session first: what
// is still under way then is the closing's to release.
func (x *index) waits(c *call, out []wait) []wait {
	if c.cancel != nil {
		out = append(out, wait{c.cancel, x.horizon, "held its caller, who had given up"})
	} else if due := c.waitGivenUp(); c.pending(due) {
		out = append(out, wait{due, x.horizon, "held its caller, who had given up"})
	} else if gone := x.connectionGone(); c.pending(gone) {
		out = append(out, wait{gone, x.horizon, "held its caller, whose connection was gone"})
	}
	if w, found := x.deadEnd(c); found {
		out = append(out, w)
	}
	if x.broken == nil && x.abrupt && c.pending(x.bereft) && !before(x.close, x.bereft) {
		out = append(out, wait{x.bereft, x.horizon, "held its caller, although it had read that the server was gone"})
	}
	if c.unserved(x.horizon) && !before(x.overFor(c.req), x.horizon) {
		out = append(out, wait{c.req.readReply, x.horizon, "held its caller, whose response it had read"})
	}
	if x.abrupt && x.ended() == x.close && c.pending(x.close) && x.closed != nil && !before(x.stalled, x.closed) {
		out = append(out, wait{x.closed, x.stalled, "held its caller after Close had returned"})
	}
	return out
}

// unserved reports whether the caller of c, who had not given up, waited at e although
// the client had read the response. Callers who did not wait are not counted: that a
// response releases its caller goes without saying.
func (c *call) unserved(e *history.Event) bool {
	return c.cancel == nil && c.Task == "" && c.req != nil && !c.req.reused && c.pending(c.req.readReply) && before(c.req.readReply, e) && c.pending(e)
}

// connectionGone returns the first event by which the client knew that a session
// which nobody had asked to end was over: it had hung up itself, or it had read the
// end of its input. It is nil of other sessions.
func (x *index) connectionGone() *history.Event {
	if x.broken == nil {
		return nil
	}
	return earlier(x.bereft, x.quit)
}

func (x *index) judgeWaits(c *call, waits []wait, t *tally) {
	for _, w := range waits {
		if c.ret != nil && !before(w.until, c.ret) {
			continue
		}
		if w.until == nil {
			t.leave(whyCrashed)
			return
		}
		if c.heldByRequest(w) {
			t.leave(whyOwnRequest)
			return
		}
		if w.until.At > w.due.At+x.grace {
			c.overdue = true
			t.fail(Violation{
				Call: c.Call.Call, Side: history.Client, Handler: c.kind(), Method: c.otherMethod(), What: w.what, Lateness: span(w.due, w.until),
			}, w.due, w.until, c.ret)
			return
		}
	}
	switch {
	case c.ret == nil: // the world had no time left
	case x.abrupt && before(x.bereft, c.cancel) && c.cancel.At > x.bereft.At:
		t.leave(whyGaveUp)
	case before(c.cancel, x.close) && before(x.close, c.ret) && x.close.At > c.cancel.At+x.grace:
		t.leave(whyClosing)
	default:
		t.kept(c, "")
	}
}

// heldByRequest reports whether the request of c, whose caller gave up, was half
// written then and for as long as the caller waited.
func (c *call) heldByRequest(w wait) bool {
	return w.due == c.cancel && c.req != nil && before(c.req.frame.write, w.due) && !before(c.req.frame.wrote, w.until)
}
