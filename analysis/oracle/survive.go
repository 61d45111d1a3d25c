package oracle

import (
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// sessionSurvives: a session lives until somebody asks for its end. Where a cancel
// can have had a part in its death, that is RACE-GRACEFUL's.
func sessionSurvives(x *index, t *tally) {
	if x.part == member && x.crash != nil {
		return // the host judges that
	}
	put := len(t.verdict.Uncounted)
	m := x.mishap(t)
	cancel, wayward := x.suspects(m)
	switch {
	case x.crash != nil && x.crash.Blame == toolsCrash:
		t.leave(whyToolCrashed)
	case m.at == nil:
		switch {
		case !x.outlasted() || len(t.verdict.Uncounted) > put:
		case x.lapsed:
			t.leave(whyServerEndedIt)
		default:
			t.pass()
		}
	case m.lost != nil && m.lost.torn == nil && m.lost.unused(x.idled()):
		t.leave(whyServerEndedIt)
	case wayward != nil && wayward.Msg.IsCancel():
		m.Lateness = span(wayward, m.at)
		t.failUnder("CANCEL-INVALID-IGNORED", m.Violation, wayward, m.at)
	case wayward != nil:
		m.Lateness = span(wayward, m.at)
		t.fail(m.Violation, wayward, m.at)
	case cancel != nil:
		m.Lateness = span(cancel, m.at)
		t.failUnder("RACE-GRACEFUL", m.Violation, cancel, m.at)
	default:
		t.fail(m.Violation, x.connected, m.at)
	}
}

// outlasted reports whether the session was alive when the application or the
// scenario ended it.
func (x *index) outlasted() bool {
	asked := x.close != nil || x.halfClosed != nil || x.exit != nil || x.stop != nil
	return asked && x.crash == nil && x.broken == nil && x.connected != nil && x.connected.Text == ""
}

// A mishap is what shows that a process or the session is dead, which nobody asked
// for.
type mishap struct {
	Violation
	at   *history.Event // nil: all is well, or not known
	lost *sitting       // it is that the server does not know this session any more
}

// suspects returns what can have had a part in a mishap: the last cancel that its side knew
// of, and the message, if it was one, that nobody had a right to send.
func (x *index) suspects(m mishap) (cancel, wayward *history.Event) {
	switch torn := m.lost.cause(); {
	case m.lost == nil:
		return x.known(m.Side, m.at), x.waywardCause(m)
	case torn != nil && torn == x.strayRead[seat(m.Side)]:
		return torn, torn
	default:
		return torn, nil
	}
}

// cause is the reading of the cancel to which the end of a session is owed; nil: none is
// known.
func (s *sitting) cause() *history.Event {
	if s == nil {
		return nil
	}
	return s.torn
}

// mishap returns the mishap of the world.
func (x *index) mishap(t *tally) mishap {
	switch {
	case x.crash != nil && x.part == member:
		return mishap{}
	case x.crash != nil:
		return x.crashed(t)
	case x.fall != nil:
		return x.panicking()
	case x.strangeFall != nil:
		t.unknown = true
	case x.broken != nil:
		return x.brokenOff(t)
	}
	return x.deadProbe(t)
}

func (x *index) crashed(t *tally) mishap {
	if x.crash.Blame == toolsCrash {
		return mishap{}
	}
	side, known := blamed(x.crash.Blame)
	if !known || x.exit != nil && side != history.Client { // the code of a process that was dead already
		t.unknown = true
		return mishap{}
	}
	v := Violation{Side: side, What: "crashed: " + firstLine(x.crash.Text), Lateness: -1, Cause: crashCause(x.crash.Text)}
	return mishap{Violation: v, at: x.crash}
}

// brokenOff judges a session that ended without the application's asking.
func (x *index) brokenOff(t *tally) mishap {
	side := x.broken.Side
	if x.broken.Kind == history.EOF || x.broken.Kind == history.Gone || x.broken.Kind == history.Finish && side == history.Client {
		side = side.Peer() // nobody saw who hung up, but one reads the end of what the other writes
	}
	if x.overHTTP && (x.faulty != nil || x.broken.Kind == history.Gone) {
		t.leave(whyFaulty)
		return mishap{}
	}
	if side.Peer() == history.World || x.connected == nil || x.connected.Text != "" || before(x.broken, x.connected) {
		return mishap{} // the network's doing, or no session yet
	}
	if before(x.garbage[seat(side)], x.broken) {
		t.leave(whyPeersGarbage)
		return mishap{}
	}
	return mishap{Violation: Violation{Side: side, What: "ended the session without having been asked to", Lateness: -1}, at: x.broken}
}

// deadProbe judges the sign of life that is asked for when everything is quiet. A
// probe that the application's own closing cut short proves nothing.
func (x *index) deadProbe(t *tally) mishap {
	if x.probe == nil || before(x.horizon, x.probe) {
		return mishap{}
	}
	witness, what := x.probed, "failed the health probe"
	if witness == nil || before(x.close, witness) {
		witness, what = x.ended(), "did not answer the health probe"
		if witness == nil || span(x.probe, witness) < max(x.header.Settle, 1) {
			return mishap{}
		}
	} else if witness.Text == "" {
		return mishap{}
	}
	if x.enRoute(witness) {
		t.leave(whyEnRoute)
		return mishap{}
	}
	side := x.silentSide(x.probing, witness)
	if why := x.whyProbeFails(side, witness); why != "" {
		t.leave(why)
		return mishap{}
	}
	if before(x.garbage[seat(side)], witness) {
		t.leave(whyPeersGarbage)
		return mishap{}
	}
	if lost := lostWith(x.probing); lost != nil {
		return mishap{Violation: Violation{Side: side, What: "ended the session without having been asked to", Lateness: -1}, at: witness, lost: lost}
	}
	return mishap{Violation: Violation{Side: side, What: what, Lateness: -1, Cause: stuckCause}, at: witness}
}

// toolsCrash is the blame for a crash in the scenario's own tool, which took the
// process with it: that is what a panic that nobody recovers does, and no clause
// asks an SDK to recover what is not its own.
const toolsCrash = "tool"

func blamed(blame string) (side history.Side, known bool) {
	switch blame {
	case "client":
		return history.Client, true
	case "server":
		return history.Server, true
	case "pair":
		return history.World, true
	}
	return "", false
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s[:min(len(s), maxQuote)]
}
