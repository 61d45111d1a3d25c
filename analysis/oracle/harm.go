package oracle

import (
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// bystander judges a call of which the cancels of others are none of its business.
func bystander(x *index, c *call, t *tally) {
	if c.unclear() {
		return
	}
	h := x.harm(c, c.stray())
	switch {
	case h.why != "":
		t.leave(h.why)
	case h.cancel != nil:
		if m := x.mistake(c); m.at != nil {
			t.leave(whyUnderRight)
			return
		}
		c.hit = true
		v := Violation{
			Call: c.Call.Call, Side: h.side, Handler: c.kind(), Method: c.otherMethod(),
			What: h.what, Cause: hitCause, Lateness: span(h.cancel, h.at),
		}
		t.fail(v, h.cancel, h.at)
	}
}

// A harm is what a call suffered from the cancel of another one.
type harm struct {
	cancel, at *history.Event
	side       history.Side
	what       string
	why        string // it is nobody's fault
}

// harm returns what the cancel of another call did to c; an empty one when it is
// well, and where nothing shows that the cancel did it.
func (x *index) harm(c, owner *call) harm {
	if cancel := x.toldWith(c); cancel != nil && x.grace > 0 && x.expiredAt(c) {
		return harm{why: whyServerEndedIt} // in wall time, of which of the two is not known
	} else if cancel != nil && x.disconnects {
		return harm{why: whyUnderScoped}
	} else if cancel != nil && x.tookForCancel(c) != nil {
		return harm{why: whyUnderNotCancel}
	} else if cancel != nil {
		return harm{cancel: cancel, at: c.told, side: history.Server,
			what: "told a handler whose call nobody had cancelled by then"}
	}
	if cancel := x.mixedUp(c, owner); cancel != nil {
		return harm{cancel: cancel, at: c.ret, side: history.Server,
			what: "gave a call the answer of a cancelled one"}
	}
	cancel := x.failedUnder(c)
	if cancel != nil && c.req != nil && c.req.frame.beside(cancel) {
		return harm{why: whyBatchRefused}
	}
	if cancel != nil && c.end != nil && c.end.Text != "" && !(x.overHTTP && before(c.ret, c.end)) {
		return harm{why: whyOwnError}
	}
	return harm{cancel: cancel, at: c.ret, side: x.failingSide(c), what: "failed a call that nobody had cancelled"}
}

// toldWith returns the cancel with which the handler of c was told to stop: that
// of another call, read in the instant in which the handler was told; nil if it was
// told for another reason, or for none.
func (x *index) toldWith(c *call) *history.Event {
	if c.told == nil || c.hadReason(c.told) || before(x.overFor(c.req), c.told) || x.overAt(c.req, c.told) {
		return nil
	}
	cancel := c.toldKnown
	if cancel == nil || c.told.At > cancel.At+x.grace {
		return nil
	}
	return cancel
}

// mixedUp returns the cancel of owner if the server had read it while owner was
// queued or running, and then put owner's value into the answer to c.
func (x *index) mixedUp(c, owner *call) *history.Event {
	if owner == nil || x.mixer(c, owner) != history.Server || x.standing(owner) != live || !before(owner.req.c, c.req.first.write) {
		return nil
	}
	return owner.req.c
}

// failedUnder returns the cancel of another call in whose instant a call that nobody
// had cancelled was made to fail: learned of by the side that did it while it had c in
// hand. It is nil where c fails at another time, or did not fail; and of a subscription
// that its server has ended, which may have any reason.
func (x *index) failedUnder(c *call) *history.Event {
	if c.req != nil && (c.req.frame.on.failed() || c.leftAlone()) || c.Task != "" || c.endedByServer() || c.mayFail() || c.ret == nil || c.ret.Text == "" || before(x.overFor(c.req), c.ret) {
		return nil
	}
	cancel, from, act := c.retKnown, c.issue, c.ret
	switch x.failingSide(c) {
	case history.Server:
		if c.refused() {
			return nil
		}
		cancel, from, act = c.req.first.known, c.req.frame.read, c.req.first.write
	case history.World:
		cancel = c.retAny
	}
	if cancel == nil || before(cancel, from) || act.At > cancel.At+x.grace {
		return nil
	}
	return cancel
}

// mayFail reports whether there is a reason for which c may fail: its caller gave up, or a
// cancel was written for it. That its client closed its stream unasked is none.
func (c *call) mayFail() bool {
	if c.cancel == nil && c.req != nil && c.req.cancel != nil && c.req.cancel.closing && c.req.posted == nil {
		return false
	}
	return c.reason() != nil
}

// mixer tells which side gave c the value of owner: the server, if it is on the
// wire like that.
func (x *index) mixer(c, owner *call) history.Side {
	if c.req != nil && (c.req.first.tells(owner.end.Value) || c.req.foreign.tells(owner.end.Value)) {
		return history.Server
	}
	return history.Client
}

// tells reports whether f, which may be nil, has the value of a tool in it.
func (f *frame) tells(value string) bool { return f != nil && strings.Contains(f.msg.Raw, value) }

// stuck returns the world's limit if c, which nobody cancelled, was not finished
// by then although nothing but the targets can have held it up: its handler had
// ended, or had not begun in twice the time that all tools together need.
func (x *index) stuck(c *call) *history.Event {
	end := x.horizon
	if !before(c.issue, end) || before(c.ret, end) || before(x.overFor(c.req), end) {
		return nil
	}
	if c.end != nil {
		if before(c.end, end) && end.At > c.end.At {
			return end
		}
		return nil
	}
	if c.start != nil || c.req == nil || c.req.frame.read == nil || c.acknowledged() || c.endedByServer() {
		return nil
	}
	if span(c.req.frame.read, end) < x.patience {
		return nil
	}
	return end
}
