package oracle

import (
	"fmt"

	"github.com/mcpsim/mcpsim/sim/history"
)

// The oracles of how a session over HTTP ends, and of ids when a request is made again.

func httpEndChecks() []check {
	return []check{
		{rule: "SHUT-HTTP", side: history.Client, world: clientDeletes},
		{rule: "SESSION-ENDS", side: history.Server, world: sessionsEnd},
		{rule: "RETRY-NEW-ID", side: history.Client, request: retriesUnderNewID},
	}
}

// Why something was not counted.
const (
	whyServerEndedIt = "the server had ended the session"
	whyDisowned      = "the client had been told that its session is gone"
	whyStillOpen     = "exchanges that were still open, whose tools may go on"
)

// clientDeletes: a client that is done with a session says so.
func clientDeletes(x *index, t *tally) {
	if x.part == host || x.close == nil || x.crash != nil {
		return
	}
	v := Violation{Side: history.Client, What: "closed without ending its session", Lateness: span(x.close, x.last)}
	talk := &x.talk
	switch {
	case x.transport == HTTPSSE && x.quit != nil, talk.session != nil && talk.deleted != nil:
		t.pass()
	case x.transport != HTTPSSE && talk.session == nil:
		// It has none.
	case talk.unknown != nil:
		t.leave(whyServerEndedIt)
	case before(x.deserted, x.close):
		t.leave(whyServerDead)
	case x.faulty != nil:
		t.leave(whyFaulty)
	case x.renewedAtClose():
		t.leave(whyNotYet)
	case x.closed == nil || before(x.stalled, x.closed):
		// What it waits for is CLOSE-BOUNDED's to ask.
	case x.last.At > x.closed.At+x.grace:
		t.fail(v, x.close, x.closed, x.last)
	}
}

// renewedAtClose reports whether the client, which had had a session before, was given its
// last one in the instant in which the application closed it: what has read the answer need
// not have been heard by what closes. Of a first session the application is told that there
// is one before it can close anything.
func (x *index) renewedAtClose() bool {
	s := x.talk.session
	return x.talk.number > 0 && s.since.At <= x.close.At+x.grace && x.close.At <= s.since.At+x.grace
}

// sessionsEnd: a session that its client has ended does not live on. Those that no client
// has ended may.
func sessionsEnd(x *index, t *tally) {
	if x.part == member || x.alive == nil || x.alive.N < 0 || x.crash != nil || x.exit != nil || !before(x.close, x.alive) {
		return
	}
	allowed := len(x.lent)
	switch left := x.alive.N - allowed; {
	case left <= 0:
		if x.handedBack > 0 || allowed == 0 && x.reached > 0 {
			t.pass()
		}
	case left <= x.opened:
		t.leave(whyStillOpen)
	default:
		t.fail(Violation{
			Side: history.Server, Lateness: -1, Cause: "sessions left",
			What: fmt.Sprintf("kept %d sessions alive that no client has", left),
		}, x.close, x.alive)
	}
}

// retriesUnderNewID: a request that is made again, since its stream was lost, gets another
// id.
func retriesUnderNewID(x *index, r *request, t *tally) {
	switch {
	case r.frame.side != history.Client || r.frame.msg.ID == nullID || r.frame.noticed():
	case r.turnedDown:
		t.leave(whySentAgain)
	case r.lost:
		t.fail(r.offence("used the id of a request again whose stream was lost"), r.sameID, r.frame.write)
	case before(x.loss, r.frame.write):
		t.pass()
	}
}
