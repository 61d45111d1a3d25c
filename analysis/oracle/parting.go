package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// The oracles of pings, and of how a client takes its leave.

func partingChecks() []check {
	return []check{
		{rule: "SHUT-STDIO-CLIENT", side: history.Client, level: always(Should), world: clientLeaves},
		{rule: "PING-PROMPT", side: history.World, level: until(lastLegacy, Must), request: pingPrompt},
	}
}

// clientLeaves: a client that is closed closes the server's input, which is how the
// server learns of it.
func clientLeaves(x *index, t *tally) {
	gone := earlier(x.exit, x.left)
	switch {
	case x.close == nil || x.crash != nil || x.halfClosed != nil || before(x.quit, x.close):
	case before(gone, x.close) || gone != nil && (x.quit == nil || before(gone, x.quit)):
		t.leave(whyServerGone)
	case x.quit != nil && !before(x.stalled, x.quit) && (x.closed == nil || x.quit.At <= x.closed.At+x.promptly()):
		t.pass()
	case x.closed == nil:
		// What it waits for is CLOSE-BOUNDED's to ask.
	default:
		x.judgeOpenInput(t)
	}
}

// judgeOpenInput judges a client that had not closed the server's input soon after
// its Close had returned.
func (x *index) judgeOpenInput(t *tally) {
	witness := earlier(x.quit, x.stalled)
	if witness == nil {
		witness = x.last
	}
	if !before(x.closed, witness) || witness.At <= x.closed.At+x.promptly() {
		return
	}
	t.fail(Violation{
		Side: history.Client, Lateness: span(x.closed, witness), What: "left the server's input open when it had been closed",
	}, x.close, x.closed, witness)
}

// inputOpen reports whether the client had left the server's input open until then,
// so that the server could not know that it had gone.
func (x *index) inputOpen(at *history.Event) bool {
	return !x.overHTTP && x.heard == nil && !before(x.quit, at)
}

const pingMethod = "ping"

// pingPrompt: a ping is answered x.promptly().
func pingPrompt(x *index, r *request, t *tally) {
	if r.frame.msg.Method != pingMethod || r.frame.read == nil || !isID(r.frame.msg.ID) {
		return
	}
	reply := r.first
	switch {
	case r.reused:
		t.leave(whyUnclearID)
	case reply != nil && span(r.frame.read, reply.write) <= x.pong():
		x.judgePong(r, t)
	case r.c != nil || r.cancel != nil:
		t.leave(whyPingCancelled)
	case r.busy || x.pongWaits(r):
		t.leave(whyPongHeld)
	case x.whyNoWay(r) != "":
		t.leave(x.whyNoWay(r))
	default:
		x.judgeTardy(r, t)
	}
}

// pongWaits reports whether the answer to a ping that came late, or not at all, may have
// waited in time for what its side was writing.
func (x *index) pongWaits(r *request) bool {
	since := x.writingSince(r.frame.side.Peer(), earlier(x.overFor(r), x.horizon))
	if r.first != nil {
		since = r.first.since
	}
	return since != nil && since.At <= r.frame.read.At+x.pong()
}

// judgePong judges the answer to a ping that came in time.
func (x *index) judgePong(r *request, t *tally) {
	if r.first.msg.Kind == history.Response {
		t.pass()
		return
	}
	v := r.offence("answered a ping with an error")
	v.Side = r.first.side
	if before(r.c, r.first.write) {
		t.leave(whyPingCancelled)
		return
	}
	t.fail(v, r.frame.read, r.first.write)
}

// judgeTardy judges a ping that had no answer in time.
func (x *index) judgeTardy(r *request, t *tally) {
	var witness *history.Event
	if r.first != nil {
		witness = r.first.write
	}
	if end := earlier(x.overFor(r), x.horizon); witness == nil || before(end, witness) {
		witness = end
	}
	if witness == nil || span(r.frame.read, witness) <= x.pong() {
		t.leave(whyClosing)
		return
	}
	v := r.offence("did not answer a ping promptly")
	v.Side, v.Lateness = r.frame.side.Peer(), span(r.frame.read, witness)
	t.fail(v, r.frame.read, witness)
}
