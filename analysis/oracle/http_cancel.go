package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// The oracles of how a call is cancelled over HTTP, and of what a disconnect means.

func httpCancelChecks() []check {
	return []check{
		{rule: "CANCEL-HTTP-EXPLICIT", side: history.Client, call: notifies},
		{rule: "CANCEL-HTTP-CLOSE", side: history.Client, call: closesStream},
		{rule: "DISC-NOT-CANCEL", side: history.Server, call: disconnectIsNone},
		{rule: "DISC-IS-CANCEL", side: history.Server, call: stopWork}, // there, every cancel is a disconnect
		{rule: "DISC-SCOPED", side: history.Server, call: disconnectScoped},
		{rule: "EXCHANGE-ENDED", side: history.Server, exchange: exchangeEnded},
	}
}

// Why something was not counted.
const (
	whyPosted     = "a cancel was posted, which is neither required nor expected"
	whyNoCleanEnd = "the exchange of a cancelled call, for which the text has no clean end"
)

// closesStream: a modern client whose caller gives up a pending call closes the stream of
// its response.
func closesStream(x *index, c *call, t *tally) {
	if c.cancel == nil || c.timedOut() || c.req == nil || c.req.frame.on == nil {
		return
	}
	r, e := c.req, c.req.frame.on
	if r.posted != nil {
		t.leave(whyPosted)
	}
	v := Violation{Call: c.Call.Call, Side: history.Client, Handler: c.kind(), Method: c.otherMethod()}
	if r.cancel != nil {
		if v.Lateness = span(c.cancel, r.cancel.write); v.Lateness <= x.promptly() {
			t.kept(c, "")
			return
		}
		v.What = "closed the stream of a call late that its caller had given up"
		t.fail(v, r.frame.write, c.cancel, r.cancel.write)
		return
	}
	if why := x.whyNotNotified(c); why != "" {
		t.leave(why)
		return
	}
	end := earlier(earlier(x.lastWordFor(r), x.horizon), e.left())
	if end == nil || end.At <= c.cancel.At+x.grace {
		return
	}
	v.What, v.Lateness = "did not close the stream of a call that its caller had given up", span(c.cancel, end)
	t.fail(v, r.frame.write, c.cancel, end)
}

// tookForCancel returns the disconnect for which the handler of c was told to stop before
// 2026-07-28, when a disconnect is no cancel; nil if it was told for another reason, or
// not at all. To close a stream whose response has been read is to tidy up, and tells
// nobody anything.
func (x *index) tookForCancel(c *call) *history.Event {
	if c.req == nil || c.told == nil || x.transport != StreamableHTTP || x.disconnects {
		return nil
	}
	e := c.req.frame.on
	if e == nil || e.gone == nil && e.drop == nil {
		return nil
	}
	if read := earlier(c.req.c, c.req.early); read != nil && read.At <= c.told.At+x.grace {
		return nil
	}
	d := earlier(e.gone, e.drop)
	seen := before(d, c.told) || d.At == c.told.At || d.At <= c.told.At+x.grace && before(e.disturbed(), c.told)
	if seen && !before(c.req.readReply, d) {
		return d
	}
	return nil
}

// disconnectIsNone: a legacy server does not take a disconnect for a cancel.
func disconnectIsNone(x *index, c *call, t *tally) {
	if c.start == nil || c.req == nil || c.req.frame.on == nil {
		return
	}
	d, gone := x.tookForCancel(c), c.req.frame.on.gone
	switch {
	case d == nil && (gone == nil || c.told != nil):
		// There was none, or it was told otherwise.
	case c.unclear():
		t.leave(whyUnclearID)
	case before(x.overFor(c.req), c.told) || x.overAt(c.req, c.told):
		t.leave(whyClosing)
	case x.expiredAt(c):
		t.leave(whyServerEndedIt)
	case d != nil:
		t.fail(Violation{
			Call: c.Call.Call, Side: history.Server, Handler: c.kind(), Method: c.otherMethod(), Lateness: span(d, c.told),
			What: "told a handler to stop because the client's stream was gone",
		}, c.start, d, c.told)
	case before(c.start, gone) && before(gone, c.end) && !before(x.overFor(c.req), gone) && c.req.cancel == nil:
		t.kept(c, "")
	}
}

// disconnectScoped: a disconnect cancels the request of its stream and no other.
func disconnectScoped(x *index, c *call, t *tally) {
	if c.start == nil || c.req == nil {
		return
	}
	cause := x.toldWith(c)
	switch {
	case cause != nil && c.unclear():
		t.leave(whyUnclearID)
	case cause != nil && x.mistake(c).at != nil:
		t.leave(whyUnderRight)
	case cause != nil:
		c.hit = true
		v := Violation{
			Call: c.Call.Call, Side: history.Server, Handler: c.kind(), Method: c.otherMethod(), Lateness: span(cause, c.told),
			What: "told a handler to stop when the stream of another request was closed", Cause: hitCause,
		}
		if cause.Client != c.req.frame.write.Client {
			v.What = "told a handler to stop when the stream of another client's request was closed"
		}
		t.fail(v, cause, c.start, c.told)
	case c.told == nil && c.end != nil && c.othersBroke():
		t.kept(c, "")
	}
}

// othersBroke reports whether a request beside that of c was cancelled by a disconnect
// while its handler ran.
func (c *call) othersBroke() bool {
	n := c.breaksAtEnd - c.breaksAtStart
	if gone := c.req.gone; before(c.start, gone) && before(gone, c.end) {
		n--
	}
	return n > 0
}

// exchangeEnded: an exchange does not outlive its call.
func exchangeEnded(x *index, e *exchange, t *tally) {
	if len(e.asks) == 0 || e.begin[atServer] == nil {
		return
	}
	r := e.asks[0]
	c, cancelled := r.call, earlier(r.c, r.early)
	switch {
	case cancelled == nil || before(e.finish[atServer], cancelled):
	case e.atQuiet == nil && e.finish[atServer] != nil:
		t.pass()
	case e.atQuiet == nil || !before(cancelled, e.atQuiet) || e.atQuiet.At <= cancelled.At+x.grace:
	case before(x.exit, e.atQuiet):
		t.leave(whyServerDead)
	case c != nil && c.start != nil && !before(c.end, e.atQuiet):
		t.leave(whyToolRuns)
	default:
		v := r.offence("left the exchange of a cancelled call open, of which nothing else was left")
		v.Side, v.Lateness = history.Server, span(cancelled, e.atQuiet)
		t.fail(v, cancelled, e.atQuiet)
	}
}
