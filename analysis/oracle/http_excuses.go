package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// What the rules of all transports leave uncounted over HTTP, where the network, and the
// client, can take away the one way by which an answer could come.

// Why something was not counted, of messages that travel by HTTP.
const (
	whyStreamGone      = "the stream of the response was broken off"
	whyRefusedByHTTP   = "the exchange was refused by an HTTP status"
	whyNoStream        = "the stream by which the server had asked was gone, and no other is for it"
	whyStreamEnded     = "the server had ended the stream, and nobody asked for the rest"
	whyOtherInstance   = "it went to another instance of the server, which does not know the session"
	whyFaulty          = "the network had been at fault"
	whyExchangeOver    = "the exchange of the request was over when the caller gave up"
	whyServerDead      = "the scenario had let the server's process die"
	whyHalfSent        = "the request had not left the client when its caller gave up"
	whySentAgain       = "the same request again, whose exchange had failed"
	whyTurnedDown      = "the body of an HTTP response that refuses the cancel"
	whyUnderScoped     = reportedUnder + "DISC-SCOPED"
	whyUnderNotCancel  = reportedUnder + "DISC-NOT-CANCEL"
	whyUnderRetry      = reportedUnder + "RETRY-NEW-ID"
	whyUnderNoRequests = reportedUnder + "SERVER-NO-REQUESTS"
)

// failed reports whether the exchange came to nothing by the network's doing, or because
// the server refused it.
func (e *exchange) failed() bool {
	switch {
	case e == nil:
		return false
	case e.fault != nil || e.refused() || e.gone != nil && e.drop == nil:
		return true
	}
	at := e.finish[atClient]
	return at != nil && at.Text != ""
}

// refusal is the client's reading of the status by which the exchange is refused, of which
// the body may still be on its way; nil if there is none.
func (e *exchange) refusal() *history.Event {
	if at := e.status[atClient]; at != nil && at.HTTP != nil && at.HTTP.Status >= 400 {
		return at
	}
	return nil
}

// nameless reports whether the server refused a request that did not name the session of its
// client, as it may. HTTP-SESSION judges that.
func (e *exchange) nameless() bool {
	return e.refused() && e.session != nil && e.head != nil && e.head.Session != e.session.id
}

// leftAlone reports whether the client had read the exchange of c to its end, and no response
// to it, when the call returned: there is reason enough to fail it.
func (c *call) leftAlone() bool {
	e := c.req.frame.on
	return e != nil && c.req.readReply == nil && before(e.finish[atClient], c.ret)
}

// abandoned reports whether the client is done with the exchange of r and has had no
// response to it.
func (r *request) abandoned() bool {
	e := r.frame.on
	return e != nil && r.readReply == nil && e.left() != nil
}

// whyNoWay tells why no answer to r can be expected, "" if one can.
func (x *index) whyNoWay(r *request) string {
	e := r.frame.on
	switch {
	case e == nil:
		return ""
	case e.refused():
		return whyRefusedByHTTP
	case x.astrayAt(e):
		return whyOtherInstance
	case e.panicked() != nil:
		return whyPanicked
	case e.disturbed() != nil:
		return whyStreamGone
	case e.finish[atServer] != nil && !e.final && r.first == nil && x.transport == StreamableHTTP && r.frame.side == history.Client:
		return whyStreamEnded
	}
	return ""
}

// astrayAt reports whether the exchange went to an instance of the server that knows
// nothing of the client's session.
func (x *index) astrayAt(e *exchange) bool {
	return e.session != nil && x.home != 0 && e.instance != 0 && e.instance != x.home
}

// brokenOffUnanswered reports whether the server ended the exchange of c without a
// response, although nobody had cancelled it by then nor had ended the session, and nothing
// but that exchange could have carried one: since 2026-07-28, and before where it was no
// stream. A subscription may end so (Q2).
func (x *index) brokenOffUnanswered(c *call) bool {
	e := c.req.frame.on
	if e == nil || !e.final && (x.transport != StreamableHTTP || !e.isObject()) || c.listens() || c.req.first != nil || e.refused() || e.panicked() != nil {
		return false
	}
	end := e.finish[atServer]
	if e.fault != nil || before(e.disturbed(), end) || before(c.reason(), end) {
		return false
	}
	return end != nil && !before(x.overFor(c.req), end) && !x.overAt(c.req, end) && !c.req.sitting.lapsedBy(end)
}

func (x *index) judgeBrokenOff(c *call, t *tally) {
	end := c.req.frame.on.finish[atServer]
	t.fail(Violation{
		Call: c.Call.Call, Side: history.Server, Handler: c.kind(), Method: c.otherMethod(), Lateness: span(c.req.frame.read, end),
		What: "ended the exchange of a request without answering it",
	}, c.req.frame.read, c.end, end)
}

// deniedTo returns the event by which it is plain that the client of c, which had asked for
// the rest of a stream that was broken, does not get the response that the server had to
// give: the server ended what it resumed without that, and the client has not asked again,
// or it had still not said it at the world's limit. It is nil where anything but the
// server's own doing may have been the reason.
func (x *index) deniedTo(c *call) *history.Event {
	r := c.req
	end := r.denied
	if end == nil && x.withholds(c) {
		end = x.horizon
	}
	if end == nil || r.readReply != nil || c.again || c.Task != "" || before(c.reason(), end) {
		return nil
	}
	if before(x.overFor(r), end) || x.overAt(r, end) || r.sitting.lapsedBy(end) {
		return nil
	}
	return end
}

// withholds reports whether the caller of c still waits at the world's limit, for a response
// that the server had to give before that, and not in that instant, by a stream which the
// client has resumed and which is open.
func (x *index) withholds(c *call) bool {
	e, owed := c.req.resumed, c.req.owedSince()
	if e == nil || owed == nil || !c.pending(x.horizon) || !e.isStream() || e.answered != nil || x.enRoute(x.horizon) {
		return false
	}
	given := earlier(e.disturbed(), earlier(e.left(), e.finish[atServer]))
	return !before(given, x.horizon) && max(owed.At, e.status[atServer].At)+x.grace < x.horizon.At
}

func (x *index) judgeDenied(c *call, t *tally) {
	owed, end := c.req.owedSince(), x.deniedTo(c)
	v := Violation{
		Call: c.Call.Call, Side: history.Server, Handler: c.kind(), Method: c.otherMethod(), Lateness: span(owed, end),
		What: "ended a resumed stream without the response that it had to give",
	}
	if end == x.horizon {
		v.What = "did not say on a resumed stream the response that it had to give"
	}
	if x.tookForCancel(c) != nil {
		t.failUnder("DISC-NOT-CANCEL", v, owed, end)
		return
	}
	t.fail(v, owed, end)
}

// droppedInQueue returns the event by which it is plain that the server will not begin with
// c, whose stream was broken off when it had read the request: the world had settled, or
// reached its limit, after more time than all tools together need. Before 2026-07-28 that is
// no cancel, and the response waits for the client; that there is no way for it now is no
// reason not to work on it. It is nil where a cancel, the session's end or a refusal may
// have been the reason.
func (x *index) droppedInQueue(c *call) *history.Event {
	r, e := c.req, c.req.frame.on
	if x.transport != StreamableHTTP || x.modern || x.swapped || e == nil || e.gone == nil || c.Handler == "" || c.Task != "" {
		return nil
	}
	if c.start != nil || r.first != nil || r.cancel != nil || e.refused() || e.panicked() != nil || x.astrayAt(e) {
		return nil
	}
	end := earlier(x.settled, x.horizon)
	if !before(e.gone, end) || before(x.overFor(r), end) || r.sitting.dead != nil || r.sitting.expired != nil || span(r.frame.read, end) < x.patience {
		return nil
	}
	return end
}

func (x *index) judgeDropped(c *call, t *tally) {
	end := x.droppedInQueue(c)
	t.fail(Violation{
		Call: c.Call.Call, Side: history.Server, Handler: c.kind(), Method: c.otherMethod(), Lateness: span(c.req.frame.on.gone, end),
		What: "never began with a request that it had read, and whose stream was then broken off",
	}, c.req.frame.read, c.req.frame.on.gone, end)
}

// whyNothingToCancel tells why a client need not tell the server of a caller who has given
// up, over HTTP; "" if it must.
func (x *index) whyNothingToCancel(c *call) string {
	r := c.req
	e := r.frame.on
	switch {
	case e == nil:
		return ""
	case r.frame.side == history.Client && !sentBefore(c) && (r.frame.read == nil || r.frame.inVain()):
		return whyHalfSent
	case before(c.issue, r.sitting.expired) && before(r.sitting.expired, c.cancel):
		return whyServerEndedIt
	case x.swapped && x.unhearable(c):
		return whyNoStream
	case before(e.left(), c.cancel) && (e.final || e.status[atClient] == nil), !e.final && before(e.refusal(), c.cancel):
		return whyExchangeOver
	case before(c.issue, r.sitting.disowned) && before(r.sitting.disowned, c.cancel):
		return whyDisowned
	}
	return ""
}

// unhearable reports whether the stream by which the server had asked c of the client was
// gone, or went, when the tool was told to stop. What belongs to a call is not to be sent by
// the stream that a client opens by GET, so that there is no other way for the cancel; and
// that the server itself ended the stream of a cancelled call is the one end that there is
// for it (Q4), unless it had an answer to say by it.
func (x *index) unhearable(c *call) bool {
	e := c.req.frame.on
	end := earlier(e.disturbed(), e.left())
	if !before(c.cancel, e.answered) {
		end = earlier(end, e.finish[atServer])
	}
	return end != nil && end.At <= c.cancel.At+x.grace
}

// expiredAt reports whether the session had been ended by the server, which may do so at
// any time, when the handler of c was told to stop for no other reason: the client has
// learned so since, and no stream broke in that instant.
func (x *index) expiredAt(c *call) bool {
	d := x.tookForCancel(c)
	return c.req.sitting.lapsedBy(c.told) && (d == nil || x.grace > 0 || c.told.At > d.At) // in wall time, of which of the two is not known
}

// whyProbeFails tells why nobody is to blame for a health probe that failed at a side, over
// HTTP. A server that has a request in hand is not excused by what the network did to
// others.
func (x *index) whyProbeFails(side history.Side, witness *history.Event) string {
	switch {
	case !x.overHTTP:
		return ""
	case x.probing != nil && x.probing.frame.on.failed():
		return x.whyFailed(x.probing.frame.on)
	case side != history.Server && before(x.faulty, witness):
		return whyFaulty
	case x.probing != nil && x.probing.frame.on != nil && x.astrayAt(x.probing.frame.on):
		return whyOtherInstance
	}
	return ""
}

// whyFailed tells whose doing it is that an exchange failed, "" if it is the server's own.
func (x *index) whyFailed(e *exchange) string {
	switch {
	case e.nameless():
		return whyRefusedByHTTP
	case x.astrayAt(e):
		return whyOtherInstance
	case e.fault != nil || e.gone != nil && e.drop == nil:
		return whyFaulty
	case e.refused() && x.talk.unknown != nil && x.faulty != nil:
		return whyFaulty // the session had been lost, or given up, by what the network did
	}
	return ""
}

// deadEnd is why the caller of c is due to get control back once nothing can bring a
// response any more: when the client is done with the exchange, since 2026-07-28, or when
// that was refused, or the server's process has died. A response may else come by a stream
// that the client resumes.
func (x *index) deadEnd(c *call) (wait, bool) {
	if c.req == nil || c.cancel != nil || c.Task != "" || c.unclear() || c.listens() || c.req.readReply != nil {
		return wait{}, false
	}
	w := wait{until: x.horizon}
	switch e := c.req.frame.on; {
	case e == nil:
	case e.final || e.refused():
		w.due, w.what = e.left(), "held its caller, whose exchange was over"
	case x.transport == StreamableHTTP && x.deserted != nil:
		w.due, w.what = e.left(), "held its caller, whose server had died"
		if before(w.due, x.deserted) {
			w.due = x.deserted
		}
	}
	return w, c.pending(w.due)
}

// judgeServerStop judges how a server that serves HTTP stops when its application wants it
// to, which is after the clients have gone.
func (x *index) judgeServerStop(t *tally) {
	end := x.served
	if end == nil {
		end = x.last
	}
	switch {
	case x.crash != nil:
		t.leave(whyCrashed)
	case span(x.stop, end) < history.ClosePatience:
		if x.served != nil {
			t.pass()
		}
	case x.stubbornRuns(x.stop):
		t.leave(whyToolRuns)
	default:
		t.fail(Violation{Side: history.Server, What: "did not stop when its application had told it to", Lateness: span(x.stop, end)}, x.stop, end)
	}
}
