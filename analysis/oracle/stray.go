package oracle

import "github.com/mcpsim/mcpsim/sim/history"

func strayChecks() []check {
	return []check{
		{rule: "CANCEL-RIGHT-CALL", side: history.World, level: always(Must), call: rightCall, cancel: lateStray, request: lateHeir},
		{rule: "CANCEL-INVALID-IGNORED", side: history.World, level: always(Should), cancel: ignored, world: outlivedStrays},
		{rule: "CANCEL-NO-REPLY", side: history.World, level: always(MustNot), cancel: noReply},
	}
}

// noReply: a notification gets no response.
func noReply(_ *index, f *frame, t *tally) {
	switch {
	case f.read == nil:
	case f.provoked == nil:
		t.pass()
	case f.turnedDown():
		t.leave(whyTurnedDown)
	default:
		t.fail(replyTo(f), f.read, f.provoked)
	}
}

// turnedDown reports whether what a cancel was answered with is the body of an HTTP
// response that refuses it, and no response to it.
func (f *frame) turnedDown() bool {
	return f.provoked != nil && f.on != nil && f.on.n == f.provoked.Exchange && f.on.refused() && said(f.provoked).Kind == history.ErrorReply
}

func replyTo(f *frame) Violation {
	return Violation{
		Side: f.side.Peer(), What: "replied to a cancel, under no request's id: " + answer(&frame{msg: said(f.provoked)}),
		Lateness: span(f.read, f.provoked),
	}
}

// ignored: a cancel that is malformed, names nothing, or comes when all is over is
// not replied to.
func ignored(_ *index, f *frame, t *tally) {
	switch {
	case f.read != nil && f.forgotten:
		t.leave(whyForgotten)
	case f.read == nil || !f.isWayward() && !f.late():
	case f.turnedDown():
		t.leave(whyTurnedDown)
	case f.provoked != nil:
		t.failUnder("CANCEL-NO-REPLY", replyTo(f), f.read, f.provoked)
	default:
		t.pass()
	}
}

// outlivedStrays: neither does the session end of it.
func outlivedStrays(x *index, t *tally) {
	if x.strayRead == [2]*history.Event{} {
		return
	}
	aside := tally{verdict: &Verdict{}} // what RACE-GRACEFUL and SESSION-SURVIVES put down
	if m := x.mishap(&aside); m.at != nil {
		if _, read := x.suspects(m); read != nil && read.Msg.IsCancel() {
			m.Lateness = span(read, m.at)
			t.fail(m.Violation, read, m.at)
		}
	}
}

// waywardCause returns the reading of the message that nobody had a right to send, in
// whose instant the mishap came about; and for a probe that failed the last cancel of
// that kind, if the side has read no other.
func (x *index) waywardCause(m mishap) *history.Event {
	if m.Side != history.Client && m.Side != history.Server {
		return nil
	}
	reader := seat(m.Side)
	if m.at == x.broken || m.at == x.crash || m.at == x.fall {
		return x.fatal[reader]
	}
	if x.validRead[reader] {
		return nil
	}
	return x.strayRead[reader]
}
