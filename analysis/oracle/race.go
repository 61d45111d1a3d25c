package oracle

import (
	"cmp"
	"strings"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// respondOnce: a request gets at most one response.
func respondOnce(x *index, t *tally) {
	for i := range x.requests {
		r := &x.requests[i]
		switch {
		case r.replies == 0:
		case r.reused:
			t.leave(whyUnclearID)
		case r.replies == 1:
			t.pass()
		default:
			v := Violation{Side: r.first.side, What: "answered a request twice", Lateness: -1}
			if r.call != nil {
				v.Call, v.Handler, v.Method = r.call.Call.Call, r.call.kind(), r.call.otherMethod()
				v.Lateness = span(r.c, r.second.write)
			}
			t.fail(v, r.first.write, r.second.write)
		}
	}
}

// raceGraceful: whatever crosses a cancel, the two processes, the session and
// all other calls survive it. What RESP-ONCE and LATE-IGNORED say already is not
// said again.
func raceGraceful(x *index, t *tally) {
	if x.crash != nil || x.broken != nil {
		x.judgeEnd(t)
	} else {
		x.judgeProbe(t)
	}
	x.judgeClosing(t)
	if len(x.cancels) > 0 {
		owners := x.ownersByTaker()
		for i := range x.calls {
			x.judgeBystander(&x.calls[i], owners[&x.calls[i]], t)
		}
	}
	if x.crash != nil && x.crash.Blame == toolsCrash {
		t.leave(whyToolCrashed)
		return // what the other cancels would have come to is not known
	}
	// What is put to the test is every cancel; a world of one cancel may end badly
	// in several ways, and one without any may, too.
	t.verdict.Checked = max(len(x.cancels), t.verdict.Failed)
}

// judgeEnd judges a world that crashed, or whose session ended without the
// application's asking.
func (x *index) judgeEnd(t *tally) {
	if x.crash != nil && x.crash.Blame == toolsCrash {
		return
	}
	if x.crash != nil {
		side, known := blamed(x.crash.Blame)
		if !known || x.exit != nil && side != history.Client { // the code of a process that was dead already
			t.unknown = true
			return
		}
		t.failAt(x, x.crash, Violation{Side: side, What: "crashed: " + firstLine(x.crash.Text), Cause: crashCause(x.crash.Text)})
		return
	}
	side := x.broken.Side
	if x.broken.Kind == history.EOF {
		side = side.Peer() // nobody saw who hung up, but one reads the end of what the other writes
	}
	if side.Peer() == history.World || x.connected == nil || x.connected.Text != "" || before(x.broken, x.connected) {
		return // the network's doing, or no session yet
	}
	t.failAt(x, x.broken, Violation{Side: side, What: "ended the session without having been asked to"})
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

// failAt fails on the evidence of e, and of the last cancel before it.
func (t *tally) failAt(x *index, e *history.Event, v Violation) {
	v.Lateness, v.BeforeCancel = -1, true
	var cancel *history.Event
	if f := x.lastCancel(e); f != nil {
		cancel = f.write
		v.Lateness, v.BeforeCancel = span(cancel, e), false
	}
	t.fail(v, cancel, e)
}

// judgeProbe judges the sign of life after the race. A probe that the
// application's own closing cut short proves nothing.
func (x *index) judgeProbe(t *tally) {
	if x.probe == nil || before(x.horizon, x.probe) {
		return
	}
	witness, what := x.probed, "failed the health probe"
	if witness == nil || before(x.close, witness) {
		witness, what = x.ended(), "did not answer the health probe"
		if witness == nil || span(x.probe, witness) < max(x.header.Settle, 1) {
			return
		}
	} else if witness.Text == "" {
		return
	}
	if x.enRoute(witness) {
		t.leave(whyEnRoute)
		return
	}
	t.failAt(x, witness, Violation{Side: x.silentSide(x.probeRequest(), witness), What: what, Cause: stuckCause})
}

// enRoute reports whether the network still held something at that event: a frame
// that had been written and had not reached its receiver, or one that it did not
// take from its sender although the receiver had read everything before it. What
// is missed then may be the network's.
func (x *index) enRoute(at *history.Event) bool {
	var idle [2]bool // by sender: something has reached the receiver, and waits to be read
	for i := range x.frames {
		f := &x.frames[i]
		if f.write == nil || !before(f.write, at) || before(f.read, at) || x.exit != nil && f.side == history.Client {
			continue // not under way; with a dead receiver, lost
		}
		switch reached := f.reached(); {
		case reached > 0 && reached <= at.At:
			idle[seat(f.side)] = true
		case f.read != nil || f.unread != nil:
			return true
		case !before(f.wrote, at) && !idle[seat(f.side)]:
			return true
		}
	}
	return false
}

// reached is the instant at which the frame reached its receiver, 0 if it did not,
// or nobody knows.
func (f *frame) reached() time.Duration {
	switch {
	case f.read != nil:
		return f.read.Arrived
	case f.unread != nil:
		return f.unread.Arrived
	}
	return 0
}

// judgeClosing judges a session that the application closed when everything was
// quiet, and that did not end: somebody waits for what will never come.
func (x *index) judgeClosing(t *tally) {
	end := x.stalled
	if end == nil || x.crash != nil || x.lastCancel(end) == nil || x.abrupt {
		return
	}
	if x.enRoute(end) {
		t.leave(whyEnRoute)
		return
	}
	for i := range x.calls {
		if x.calls[i].holdsOut(end) {
			t.leave(whyToolRuns)
			return
		}
	}
	v := Violation{What: "did not end the session that the application closed", Lateness: -1, Cause: stuckCause}
	if !before(x.closed, end) {
		v.Side = common(v.Side, history.Client)
	}
	if !before(x.served, end) {
		v.Side = common(v.Side, history.Server)
	}
	if v.Side == "" {
		return // both ended: the limit was not reached by the closing
	}
	t.fail(v, x.close, end)
}

// holdsOut reports whether the tool of c was still running at end by its own
// doing: nobody had told it, or it does not stop when told.
func (c *call) holdsOut(end *history.Event) bool {
	running := before(c.start, end) && !before(c.end, end)
	return running && !(c.Obedient() && before(c.told, end))
}

// probeRequest returns the request that the client wrote for its probe, or nil.
func (x *index) probeRequest() *request {
	for i := len(x.requests) - 1; i >= 0; i-- {
		r := &x.requests[i]
		if before(r.frame.write, x.probe) {
			break
		}
		if r.call == nil && r.frame.side == history.Client {
			return r
		}
	}
	return nil
}

// silentSide tells with whom a request lay when its caller should have had a
// good answer: World if it was with the network.
func (x *index) silentSide(r *request, by *history.Event) history.Side {
	switch {
	case r == nil || before(by, r.frame.write):
		return history.Client
	case r.first == nil || before(by, r.first.write):
		if r.frame.read == nil && !arrived(r.frame) {
			return history.World
		}
		return history.Server
	case r.readReply == nil || before(by, r.readReply):
		if !arrived(r.first) {
			return history.World
		}
		return history.Client
	case r.first.isError():
		return history.Server
	}
	return history.Client
}

// failingSide tells which side made an error of the call c, which returned one:
// the server if it sent one. It is World where it cannot be told which request
// was the call's.
func (x *index) failingSide(c *call) history.Side {
	if c.req == nil && x.unclaimed(c.Method) {
		return history.World
	}
	if c.req != nil && before(c.req.readReply, c.ret) && c.req.first.isError() {
		return history.Server
	}
	return history.Client
}

// unclaimed reports whether the client wrote a request of that method that is
// none of the calls' for all that is known, the probe's aside.
func (x *index) unclaimed(method string) bool {
	for i := range x.requests {
		r := &x.requests[i]
		if r.call == nil && r.frame.msg.Method == method && r.frame.side == history.Client && !before(x.probe, r.frame.write) {
			return true
		}
	}
	return false
}

func (f *frame) isError() bool {
	return f != nil && (f.msg.Kind == history.ErrorReply || strings.Contains(f.msg.Raw, toolError))
}

// toolError marks a result that is an error of the tool's.
const toolError = `"isError":true`

func arrived(f *frame) bool {
	return f.read != nil || f.unread != nil && f.unread.Arrived > 0
}

// judgeBystander judges a call that nobody cancelled: it must not notice the
// cancels around it. owner is the call whose value it returned, if any.
func (x *index) judgeBystander(c, owner *call, t *tally) {
	if c.cancel != nil || c.req != nil && (c.req.cancel != nil || c.req.reused) {
		return
	}
	if e, v := x.harm(c, owner, t); e != nil {
		c.hit = true
		v.Call, v.Handler, v.Method, v.Cause = c.Call.Call, c.kind(), c.otherMethod(), cmp.Or(v.Cause, hitCause)
		t.failAt(x, e, v)
	}
}

// harm returns what befell c, and the event that shows it; nil when it is well.
func (x *index) harm(c, owner *call, t *tally) (*history.Event, Violation) {
	switch {
	case before(x.cancelled, c.told) && !before(x.over, c.told):
		return c.told, Violation{Side: history.Server, What: "told a handler whose call nobody had cancelled"}
	case owner != nil && x.lateTaken(c, owner) == nil && x.lastCancel(c.ret) != nil:
		return c.ret, Violation{Side: x.mixer(c, owner), What: "gave a call the answer of another one"}
	case c.ret != nil && c.ret.Text != "" && !before(x.over, c.ret) && x.lastCancel(c.ret) != nil:
		if c.end != nil && c.end.Text != "" {
			t.leave(whyOwnError)
			return nil, Violation{}
		}
		return c.ret, Violation{Side: x.failingSide(c), What: "failed a call that nobody had cancelled"}
	}
	if end := x.stuck(c); end != nil && x.lastCancel(end) != nil {
		if x.enRoute(end) {
			t.leave(whyEnRoute)
			return nil, Violation{}
		}
		if side := x.silentSide(c.req, end); side != history.World {
			return end, Violation{Side: side, What: "never finished a call that nobody had cancelled", Cause: stuckCause}
		}
	}
	return nil, Violation{}
}

// mixer tells which side gave c the value of owner: the server, if it is on the
// wire like that.
func (x *index) mixer(c, owner *call) history.Side {
	if c.req != nil && c.req.first != nil && strings.Contains(c.req.first.msg.Raw, owner.end.Value) {
		return history.Server
	}
	return history.Client
}

// stuck returns the world's limit if c, which nobody cancelled, was not finished
// by then although nothing but the targets can have held it up: its handler had
// ended, or had not begun in twice the time that all tools together need.
func (x *index) stuck(c *call) *history.Event {
	end := x.horizon
	if !before(c.issue, end) || before(c.ret, end) || before(x.over, end) {
		return nil
	}
	if c.end != nil {
		if before(c.end, end) && end.At > c.end.At {
			return end
		}
		return nil
	}
	if c.start != nil || c.req == nil || c.req.frame.read == nil {
		return nil
	}
	if span(c.req.frame.read, end) < x.patience {
		return nil
	}
	return end
}
