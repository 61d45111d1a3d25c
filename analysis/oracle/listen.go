package oracle

import (
	"maps"
	"slices"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

func listenChecks() []check {
	return []check{
		{rule: "LISTEN-CANCEL", side: history.Server, level: modern(MustNot), request: listenCancel},
		{rule: "LISTEN-ACK-FIRST", side: history.Server, level: modern(Must), frame: listenAckFirst},
		{rule: "LISTEN-ONLY-ASKED", side: history.Server, level: modern(MustNot), frame: listenOnlyAsked},
		{rule: "LISTEN-TAG", side: history.Server, level: modern(Must), frame: listenTag},
		{rule: "LISTEN-DELIVERS", side: history.Server, level: modern(Should), request: listenDelivers},
		{rule: "LISTEN-NO-REQ-SCOPED", side: history.Server, level: modern(Quality), frame: listenNoReqScoped},
	}
}

// listenCancel: nothing is sent for a subscription whose cancel was read, not even
// a response. A notification in that instant may have been on its way out; a
// response cannot, since a subscription has no end of its own.
func listenCancel(x *index, r *request, t *tally) {
	s := r.listen
	switch {
	case s == nil || r.c == nil:
		return
	case r.reused:
		t.leave(whyUnclearID)
		return
	case r.first != nil && before(r.first.write, r.c):
		t.leave(whyResponseBefore)
		return
	case before(s.ended, r.c):
		t.leave(whyEndsListen)
		return
	}
	offence := s.late
	if at := s.at; at != nil && (offence == nil || at.msg.IsReply()) {
		switch {
		case x.grace > 0:
			t.undecided++
			t.leave(whyWithinGrace)
		case at.msg.IsReply() && x.provesEnd(r):
			offence = at
		default:
			t.leave(whySameInstant)
		}
	}
	switch {
	case offence != nil:
		v := r.violation(toldAfter(offence), span(r.c, offence.write))
		v.Cause = toldAfter(offence)
		t.fail(v, r.c, offence.write)
	case s.held:
		t.leave(whyServerHeld)
	default:
		r.kept(t)
	}
}

// provesEnd reports whether nothing but the reading of its cancel can have ended
// the subscription r in that instant: it had been open for a while, and the session
// was not ending.
func (x *index) provesEnd(r *request) bool {
	return r.listen.ack != nil && r.listen.ack.write.At < r.c.At && (x.over == nil || x.over.At > r.c.At)
}

func toldAfter(f *frame) string {
	switch {
	case f.msg.Kind == history.ErrorReply:
		return "answered a cancelled subscription with an error"
	case f.msg.IsReply():
		return "answered a cancelled subscription with a result"
	}
	return "told a cancelled subscription of something"
}

// violation is one of the server's about the subscription r.
func (r *request) violation(what string, late time.Duration) Violation {
	v := Violation{Side: history.Server, What: what, Lateness: late, Handler: listenMethod, Method: listenMethod}
	if r.call != nil {
		v.Call = r.call.Call.Call
	}
	return v
}

// kept counts a subscription with which a rule was kept.
func (r *request) kept(t *tally) {
	t.pass()
	t.exercise(listenMethod, "").N++
}

// listenAckFirst: the acknowledgement is the first message of a subscription.
func listenAckFirst(_ *index, f *frame, t *tally) {
	a := f.account
	switch {
	case a == nil || a.of == nil || a.nth != 1 || a.after || f.msg.Kind == history.ErrorReply:
	case a.of.reused:
		t.leave(whyUnclearID)
	case f.msg.Method == acknowledgement:
		a.of.kept(t)
	default:
		what := "told a subscription of a change before acknowledging it"
		if f.msg.IsReply() {
			what = "ended a subscription that it had not acknowledged"
		}
		t.fail(a.of.violation(what, -1), a.of.frame.write, f.write)
	}
}

// listenOnlyAsked: changes are told to those who asked for them.
func listenOnlyAsked(_ *index, f *frame, t *tally) {
	a := f.account
	switch {
	case a == nil || !tellsChange(f.msg) || a.after:
	case a.of == nil && f.msg.Sub != "": // of nobody's: LISTEN-TAG
	case a.of == nil && a.wanted: // likewise
	case a.of == nil && a.ending:
		t.leave(whySameInstant)
	case a.of == nil:
		t.fail(Violation{Side: history.Server, What: "told of a change that no open subscription was for", Lateness: -1}, f.write)
	case a.of.reused:
		t.leave(whyUnclearID)
	case a.of.listen.asked.wants(f.msg):
		a.of.kept(t)
	default:
		t.fail(a.of.violation("told a subscription of a change that it was not for", -1), a.of.frame.write, f.write)
	}
}

// listenTag: every message of a subscription carries its id.
func listenTag(_ *index, f *frame, t *tally) {
	a := f.account
	if a == nil || a.after || f.msg.Kind == history.ErrorReply || scoped(f.msg) {
		return
	}
	fail := func(what string) {
		if a.of != nil {
			t.fail(a.of.violation(what, -1), a.of.frame.write, f.write)
			return
		}
		t.fail(Violation{Side: history.Server, What: what, Lateness: -1}, f.write)
	}
	switch {
	case a.unclear:
		t.leave(whyUnclearID)
	case f.msg.Kind == history.Response && f.msg.Sub == "":
		fail("ended a subscription by a response that does not carry its id")
	case f.msg.Kind == history.Response && f.msg.Sub != f.msg.ID:
		fail("ended a subscription, or answered a call, by a response with the id of another subscription")
	case a.of != nil:
		a.of.kept(t)
	case f.msg.Sub != "":
		fail("sent a message with the id of a subscription that nobody had opened")
	case f.msg.Method == acknowledgement:
		fail("acknowledged a subscription without its id")
	case a.wanted:
		fail("told of a change without the id of the subscription that was for it")
	}
}

// tellBound is how long a server may take to tell a change. Some gather changes for
// a while.
const tellBound = 10 * time.Second

// listenDelivers: a change is told to the subscriptions that are for it.
func listenDelivers(x *index, r *request, t *tally) {
	s := r.listen
	if s == nil || s.ack == nil {
		return
	}
	end := earlier(earlier(earlier(r.c, s.ended), x.over), x.last)
	if r.cancel != nil {
		end = earlier(end, r.cancel.write)
	}
	if r.first != nil {
		end = earlier(end, r.first.write)
	}
	for _, what := range slices.Sorted(maps.Keys(s.owed)) {
		e := s.owed[what]
		switch {
		case span(e.Event, end) <= tellBound:
			continue // it had no time
		case r.reused:
			t.leave(whyUnclearID)
		case e.clogged():
			t.leave(whyServerHeld)
		default:
			told := "a change of the list of tools"
			if what != changeOfTools {
				told = "a change of a resource"
			}
			t.fail(r.violation("did not tell a subscription "+told+" that it was for", span(e.Event, end)), s.ack.write, e.Event, end)
		}
		return
	}
	if s.told > 0 {
		r.kept(t)
	}
}

const misdirected = "sent what belongs to a call with the id of a subscription"

// listenNoReqScoped: what belongs to a call is not sent as a subscription's. It is
// put to the test by every such message while a subscription is open.
func listenNoReqScoped(_ *index, f *frame, t *tally) {
	a := f.account
	switch {
	case a == nil || !scoped(f.msg):
	case f.msg.Sub == "":
		if a.open {
			t.pass()
		}
	case a.of != nil:
		t.fail(a.of.violation(misdirected, -1), a.of.frame.write, f.write)
	default:
		t.fail(Violation{Side: history.Server, What: misdirected, Lateness: -1}, f.write)
	}
}
