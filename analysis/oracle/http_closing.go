package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// The oracles of streams that a server ends before all is said, and of the client's coming
// back for the rest.

// Why something was not counted.
const (
	whyResumable = "the client could resume the stream behind an event whose id it was told"
	whyTorn      = "the stream had broken off before its end"
	whyLongWait  = "a longer time to wait than a day"
)

// A streamEnd is how the server ended the stream of a call.
type streamEnd struct {
	at   *history.Event
	owes *request // whose response was still to come; nil: nobody's
	why  string   // that convicts nobody; empty: it may
}

// endingOf returns how the server ended the stream of a call; nil if it did not, or there
// is none.
func (x *index) endingOf(e *exchange) *streamEnd {
	end := e.finish[atServer]
	if len(e.asks) == 0 || !e.isStream() || end == nil || e.refused() {
		return nil
	}
	s := &streamEnd{at: end, owes: e.unkept}
	if len(e.asks) == 1 && before(e.answered, end) {
		s.owes = nil // whatever its id was
	}
	switch r := s.owes; {
	case r == nil && e.answered == nil:
		s.why = whyNoCleanEnd
	case r == nil:
	case e.mixes():
		s.why = whyUnclearID
	case e.panicked() != nil:
		s.why = whyPanicked
	case before(e.disturbed(), end) || e.fault != nil:
		s.why = whyStreamGone
	case before(x.overFor(r), end) || x.overAt(r, end):
		s.why = whyClosing
	case r.sitting.lapsedBy(end):
		s.why = whyServerEndedIt
	}
	return s
}

// notClosedEarly: the stream of a call is not closed before it has carried the response.
func notClosedEarly(x *index, e *exchange, t *tally) {
	switch s := x.endingOf(e); {
	case s == nil:
	case s.why != "":
		t.leave(s.why)
	case s.owes == nil:
		t.pass()
	case x.header.SpecVersion == lastLegacy && e.resumable:
		t.leave(whyResumable)
	default:
		v := s.owes.offence("closed the stream of a call before it had carried the response")
		v.Side, v.Lateness = history.Server, span(s.owes.frame.read, s.at)
		t.fail(v, s.owes.frame.read, s.at)
	}
}

// tellsWhen: a server that ends an exchange before the stream is at its end has said when
// the client is to resume it.
func tellsWhen(x *index, e *exchange, t *tally) {
	s := x.endingOf(e)
	switch {
	case s == nil || s.why != "" || s.owes == nil || !e.resumable:
	case before(e.told, s.at):
		t.pass()
	default:
		v := s.owes.offence("ended the exchange of a call whose stream the client was to resume, and had not said when")
		v.Side, v.Lateness = history.Server, -1
		t.fail(v, s.owes.frame.read, s.at)
	}
}

// waitsToResume: a client that resumes a stream has waited for as long as the server had
// said.
func waitsToResume(_ *index, e *exchange, t *tally) {
	p, again := e.resumed, e.begin[atClient]
	if p == nil || again == nil {
		return
	}
	wait, judged := p.wait()
	waited := again.At - p.end.At
	switch {
	case p.torn:
		t.leave(whyTorn)
	case !judged:
		t.leave(whyLongWait)
	case waited >= wait:
		t.pass()
	default:
		v := e.wrong(history.Client, "resumed a stream sooner than the server had said")
		t.fail(v, p.heard, p.end, again)
	}
}
