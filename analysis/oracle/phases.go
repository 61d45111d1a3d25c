package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// A standing is how a call stood when the server read its cancel, as far as it
// matters to what the server may still do.
type standing int

const (
	uncancelled standing = iota // no cancel for it was read
	unclear                     // it cannot be told which call an id meant
	premature                   // the cancel was read before its request (R4)
	responded                   // the response had been begun (R1, R3)
	finished                    // the handler had ended (R2)
	loose                       // over HTTP: it need not mean anything to the server, and did not; see whyLoose
	crossing                    // the handler ended in the same instant, without having been told (R14)
	undecided                   // the same in wall time, within the grace
	waiting                     // its response, begun later, may have waited for the writer since before
	live                        // queued or running: from here on the server knows
)

// A certainty says whether an act came after the cancel's being read in the sense
// that counts: the receiver could have known.
type certainty int

const (
	notAfter    certainty = iota
	sameInstant           // later in the record, in the same instant, not provably because of it
	withinGrace           // wall time: later, but not by more than the grace
	knowing
)

// after judges an act of the server's for c. What lies later in time follows the
// cancel. Within the instant it does if the handler had been told in between,
// since the server then had acted on the cancel already.
func (x *index) after(c *call, act *history.Event) certainty {
	cancel := c.req.c
	switch {
	case !before(cancel, act):
		return notAfter
	case before(x.telling(c), act):
		return knowing
	case act.At > cancel.At+x.grace:
		return knowing
	case x.grace > 0:
		return withinGrace
	}
	return sameInstant
}

// telling returns the event by which the handler of c learned of its cancel, or
// nil. What it is told after the session's end, it is told because of that.
func (x *index) telling(c *call) *history.Event {
	if c.told == nil || c.told != c.req.c && !before(c.req.c, c.told) || before(x.overFor(c.req), c.told) {
		return nil
	}
	return c.told
}

// standing tells how c stood when its cancel was read.
func (x *index) standing(c *call) standing {
	s := x.stood(c)
	if s == live && !x.heeded(c) && x.whyLoose(c) != "" {
		return loose
	}
	return s
}

// stood is how c stood, whatever the server had to make of the cancel.
func (x *index) stood(c *call) standing {
	switch {
	case c.req == nil || c.Task != "":
		return uncancelled // no request holds a task: other rules speak of its cancel
	case c.again, c.req.reused && (c.cancel != nil || c.req.cancel != nil):
		return unclear
	case c.req.c == nil && c.req.early == nil:
		return uncancelled
	case c.req.c == nil:
		return premature
	case c.req.first != nil && before(c.req.first.write, c.req.c):
		return responded
	case before(c.end, c.req.c):
		return finished
	}
	// The end of the handler decides, or, where no handler began, the response. A
	// response given while the handler ran cannot come from its end.
	act := c.end
	if c.start == nil && c.req.first != nil {
		act = c.req.first.write
	}
	if c.start != nil && c.req.first != nil && (c.end == nil || before(c.req.first.write, c.end)) {
		return live
	}
	if act == nil {
		return live
	}
	switch x.after(c, act) {
	case sameInstant:
		if c.start == nil && c.acknowledged() && x.provesEnd(c.req) {
			if c.req.listen.held {
				return waiting
			}
			return live // see listenCancel
		}
		return crossing
	case withinGrace:
		return undecided
	}
	if c.start == nil && c.req.first != nil && x.after(c, c.req.first.since) != knowing {
		return waiting
	}
	return live
}

// late returns the late response to c, or nil.
func (x *index) late(c *call, s standing) *frame {
	if s != live && s != loose {
		return nil
	}
	return c.req.first
}

// outlived returns the event that proves that time passed while the handler of c
// ran on without having been told of its cancel; nil when there is none. The
// session's end counts as long as it did not come in the same instant.
func (x *index) outlived(c *call) *history.Event {
	if c.start == nil || x.telling(c) != nil || before(c.told, c.req.c) || before(x.overFor(c.req), c.req.c) {
		return nil
	}
	witness := c.end
	if witness == nil || before(x.overFor(c.req), witness) {
		witness = x.lastWordFor(c.req)
	}
	if witness == nil || witness.At <= max(c.req.c.At, c.start.At)+x.soon() {
		return nil
	}
	return witness
}

// toldLate returns the event by which the handler of c learned of its cancel, if
// time had passed by then in which it ran with a context that was not done; nil
// when it was told in time or not at all.
func (x *index) toldLate(c *call) *history.Event {
	told := x.telling(c)
	if told == nil || c.start == nil || told.At <= max(c.req.c.At, c.start.At)+x.soon() {
		return nil
	}
	return told
}

// orphan returns the start of a handler that began when the cancel had been read
// already, with a context that was not done; nil when there is none.
func (x *index) orphan(c *call) *history.Event {
	start := c.start
	if !before(c.req.c, start) || start.At <= c.req.c.At+x.grace || before(x.overFor(c.req), start) {
		return nil
	}
	if c.told != nil && c.told.At <= start.At+x.soon() {
		return nil // begun with a context that was done
	}
	if last := x.lastWordFor(c.req); c.told == nil && c.end == nil && last.At <= start.At+x.grace {
		return nil // what its context was, nobody saw
	}
	return start
}

// phase tells where C fell in the call's life. The call was cancelled by the
// application.
func (x *index) phase(c *call) Phase {
	r := c.req
	switch {
	case r == nil:
		return NeverIssued
	case r.cancel == nil:
		return ""
	case r.c == nil && r.early == nil && r.cancel.closing && r.first != nil:
		return Crossing // the server had ended the exchange before it could see the closing
	case r.c == nil && r.early == nil:
		return Undelivered
	case r.c == nil:
		return BeforeRequest
	case r.first != nil && before(r.first.write, r.c):
		if before(r.readReply, r.cancel.write) {
			return AfterResponse
		}
		return Crossing
	case before(c.end, r.c):
		return Returned
	case before(c.start, r.c) || c.acknowledged():
		return Running
	}
	return Queued
}

// work tells what became of the work of a call whose cancel was written.
func (x *index) work(c *call, s standing) Work {
	if x.layUnread(c) {
		return NotRead
	}
	switch s {
	case live, undecided, loose:
	default:
		return Ended
	}
	told := x.telling(c)
	switch {
	case c.start == nil:
		return Stopped
	case x.outlived(c) != nil || told == nil && x.orphan(c) != nil:
		return NeverTold
	case told == nil:
		return Ended
	case c.end != nil && (c.end.Text != "" || c.end.At == told.At):
		return Stopped
	}
	return ToldRanOn
}

// layUnread reports whether the cancel of c had arrived before the handler's end
// and was not read until after.
func (x *index) layUnread(c *call) bool {
	r := c.req
	arrived := r.cancel.unread
	if r.readCancel != nil && r.readCancel.read != nil {
		arrived = r.readCancel.read
		if !before(c.end, arrived) {
			return false
		}
	}
	if arrived == nil || arrived.Arrived <= 0 || c.start == nil {
		return false
	}
	return c.end == nil || c.end.At > arrived.Arrived
}

// wire tells what the server sent for a call whose cancel was written.
func (x *index) wire(c *call, s standing) Wire {
	switch {
	case c.req.replies > 1:
		return AnsweredTwice
	case x.late(c, s) != nil:
		return Answered
	case c.req.replies == 1:
		return Crossed
	}
	return Silent
}
