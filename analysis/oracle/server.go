package oracle

import (
	"fmt"

	"github.com/mcpsim/mcpsim/sim/history"
)

// noResponse: a receiver should not answer a request that was cancelled while it
// was queued or running. Tools that go on although told are counted beside it,
// as a request that cannot be cancelled.
func noResponse(x *index, c *call, t *tally) {
	if c.listens() {
		return // LISTEN-CANCEL
	}
	s := x.standing(c)
	if s != live && s != loose { // where one is loose, an answer is told and held against nobody
		t.excuse(x, c, s)
		return
	}
	late := x.late(c, s)
	switch {
	case c.req.frame.msg.Batch > 0:
		if late != nil {
			t.leave(whyInBatch)
		}
	case !c.Obedient() && late != nil:
		t.leave(whyStubborn)
	case !c.Obedient():
	case late == nil:
		t.kept(c, x.phase(c))
	default:
		t.fail(x.offence(c, late, answer(late)).dueTo(AnsweredCause), c.req.c, x.telling(c), c.end, late.write)
	}
}

// silence: nothing at all may be written for a cancelled request, whatever the
// tool does.
func silence(x *index, c *call, t *tally) {
	if c.listens() {
		return // LISTEN-CANCEL
	}
	s := x.standing(c)
	if s != live {
		t.excuse(x, c, s)
		return
	}
	first, what, cause := x.late(c, s), "", AnsweredCause
	if p := x.lateProgress(c, t); p != nil && (first == nil || before(p.write, first.write)) {
		first, what, cause = p, progressed, progressed
	} else if first != nil {
		what = answer(first)
	}
	if first == nil {
		t.kept(c, x.phase(c))
		return
	}
	t.fail(x.offence(c, first, what).dueTo(cause), c.req.c, x.telling(c), endBefore(c, first), first.write)
}

// progressAfterCancel: no progress is reported for a request that was cancelled
// while it ran.
func progressAfterCancel(x *index, c *call, t *tally) {
	if c.req == nil || c.asked+len(c.asks)+c.req.reported == 0 {
		return
	}
	s := x.standing(c)
	if s != live && s != loose {
		return
	}
	p := x.lateProgress(c, t)
	switch {
	case s == loose:
		if p != nil {
			t.leave(x.whyLoose(c))
		}
	case !x.modern && !c.Obedient():
		if p != nil {
			t.leave(whyStubborn)
		}
	case p == nil:
		t.kept(c, x.phase(c))
	case !x.modern && p.needless():
		t.failUnder("PROGRESS-STOP", x.offence(c, p, progressed), c.req.c, x.telling(c), c.req.first.write, p.write)
	default:
		t.fail(x.offence(c, p, progressed), c.req.c, x.telling(c), p.write)
	}
}

// lateProgress returns the first progress frame for c whose writing began after
// the cancel was read and which was not under way by then; nil when there is
// none. What looks like one is put down in t.
func (x *index) lateProgress(c *call, t *tally) *frame {
	if c.req.shared {
		if len(c.req.progress) > 0 {
			t.leave(whySharedToken)
		}
		return nil
	}
	under := x.askedBefore(c)
	for _, f := range c.req.progress {
		switch x.after(c, f.write) {
		case notAfter:
			if c.req.cancel != nil && before(c.req.cancel.write, f.read) {
				t.leave(whyProgressBefore)
			}
		case sameInstant:
			t.leave(whySameInstant)
		case withinGrace:
			t.undecided++
			t.leave(whyWithinGrace)
		case knowing:
			if f.nth > under {
				return f
			}
			t.leave(whyProgressAsked)
		}
	}
	return nil
}

// askedBefore is how often the tool of c, for which a cancel was read, asked for
// progress when the server could not have known of that.
func (x *index) askedBefore(c *call) int {
	n := c.asked
	for _, ask := range c.asks {
		if x.after(c, ask) != knowing {
			n++
		}
	}
	return n
}

// stopWork: the handler of a cancelled request is told, and none is begun.
// Whether the tool then stops is the tool's affair.
func stopWork(x *index, c *call, t *tally) {
	if c.Handler == "" {
		return // no handler of ours: whether it was told is not to be seen
	}
	switch s := x.standing(c); s {
	case live:
		x.judgeTelling(c, t)
	case crossing, undecided, unclear, premature, loose:
		t.excuse(x, c, s)
	}
}

func (x *index) judgeTelling(c *call, t *tally) {
	told := x.telling(c)
	v := Violation{Call: c.Call.Call, Side: history.Server, Handler: c.kind(), Method: c.otherMethod(), Phase: x.phase(c), Cause: untoldCause}
	if tardy := x.toldLate(c); tardy != nil {
		v.What, v.Lateness = "told the handler late", span(c.req.c, tardy)
		if x.orphan(c) != nil {
			v.What = "began the handler after reading the cancel, and told the handler late"
		}
		t.fail(v, c.req.c, c.start, tardy)
		return
	}
	if start := x.orphan(c); start != nil {
		v.What, v.Lateness = "began the handler after reading the cancel, and did not tell it", span(c.req.c, start)
		t.fail(v, c.req.c, start)
		return
	}
	if witness := x.outlived(c); witness != nil {
		v.What, v.Lateness = "never told the handler, which ran on", span(c.req.c, witness)
		t.fail(v, c.req.c, c.start, witness)
		return
	}
	switch {
	case told != nil || c.start == nil:
		t.kept(c, v.Phase)
	case before(x.overFor(c.req), c.req.c) || x.overAt(c.req, c.req.c):
		t.leave(whyClosing)
	}
}

// excuse puts down a call that cannot be held against the server, if what it did
// looks like a breach.
func (t *tally) excuse(x *index, c *call, s standing) {
	if s == undecided {
		t.undecided++
	}
	if why := x.whyExcused(c, s); why != "" {
		t.leave(why)
	}
}

func (x *index) whyExcused(c *call, s standing) string {
	replied := c.req != nil && c.req.first != nil
	switch {
	case s == responded && c.req.cancel != nil && before(c.req.cancel.write, c.req.readReply):
		return whyResponseBefore
	case s == finished && replied:
		return whyHandlerOver
	case s == crossing:
		return whySameInstant
	case s == undecided:
		return whyWithinGrace
	case s == waiting:
		return whyServerHeld
	case s == unclear:
		return whyUnclearID
	case s == loose && (replied || c.start != nil):
		return x.whyLoose(c)
	case s == premature && c.req.frame.msg.Batch > 0:
		return whyOneBatch
	case s == premature && replied:
		return whyPremature
	}
	return ""
}

// offence is what the server's act f for c has in common with others.
func (x *index) offence(c *call, f *frame, what string) Violation {
	return Violation{
		Call: c.Call.Call, Side: history.Server, What: what, Handler: c.kind(), Method: c.otherMethod(),
		Phase: x.phase(c), Lateness: span(c.req.c, f.write),
	}
}

func endBefore(c *call, f *frame) *history.Event {
	if before(c.end, f.write) {
		return c.end
	}
	return nil
}

// maxQuote bounds what is quoted of a target's own words, in bytes.
const maxQuote = 80

// excerpt is as much of a target's words as is quoted; an ellipsis says that there is more.
func excerpt(s string) string {
	if len(s) <= maxQuote {
		return s
	}
	return cutAt(s, maxQuote) + "…"
}

func answer(f *frame) string {
	if f.msg.Kind == history.ErrorReply {
		return fmt.Sprintf("answered with error %d %q", f.msg.Code, excerpt(f.msg.Text))
	}
	return "answered with a result"
}
