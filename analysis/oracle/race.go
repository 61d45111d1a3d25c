package oracle

import (
	"slices"
	"strings"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// respondOnce: a request gets at most one response.
func respondOnce(x *index, r *request, t *tally) {
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

// raceGraceful: whatever crosses a cancel, the two processes, the session and
// all other calls survive it. What RESP-ONCE and LATE-IGNORED say already is not
// said again, and what no cancel can have had a part in is left to other rules.
func raceGraceful(x *index, t *tally) {
	if x.cancels == 0 && !x.gaveUp {
		return
	}
	if x.part == member {
		x.judgeMishap(t)
		return
	}
	x.judgeMishap(t)
	x.judgeClosing(t)
	if x.crash != nil && x.crash.Blame == toolsCrash {
		t.enter(afterAll)
		t.leave(whyToolCrashed)
		return // what the other cancels would have come to is not known
	}
	// What is put to the test is every cancel; a world of one cancel may end badly
	// in several ways.
	t.verdict.Checked = max(x.cancels, t.verdict.Failed)
}

// judgeMishap judges whether a process, or the session, died of a cancel.
func (x *index) judgeMishap(t *tally) {
	m := x.mishap(t)
	if m.at == nil {
		return
	}
	switch cancel, wayward := x.suspects(m); {
	case wayward != nil && wayward.Msg.IsCancel():
		t.leave(whyUnderInvalid)
	case wayward != nil:
		t.leave(whyWayward)
	case cancel != nil:
		m.Lateness = span(cancel, m.at)
		t.fail(m.Violation, cancel, m.at)
	case m.lost != nil:
		t.leave(whyServerEndedIt)
	default:
		t.leave(whyNoCancel)
	}
}

// enRoute reports whether the network still held something at that event: a frame
// that had been written and had not reached its receiver, or one that it did not
// take from its sender although the receiver had read everything before it. What
// is missed then may be the network's. Over HTTP nothing comes by an exchange that the
// client is done with.
func (x *index) enRoute(at *history.Event) bool {
	var idle [2]bool // by sender: something has reached the receiver, and waits to be read
	for _, f := range x.underWay(at) {
		if f.write == nil || !before(f.write, at) || before(f.read, at) || x.exit != nil && f.side == history.Client {
			continue // not under way; with a dead receiver, lost
		}
		if f.on != nil && f.read == nil && before(f.on.left(), at) {
			continue
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

// underWay lists the frames that were begun and not read at that event, by number; of
// what is no landmark, all that is remembered.
func (x *index) underWay(at *history.Event) []*frame {
	if m := x.moment(at); m != nil {
		return m.flying
	}
	return slices.Collect(x.frames.all())
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
	side, why := x.stuckClosing()
	switch {
	case why != "":
		t.leave(why)
	case side != "":
		t.fail(Violation{
			Side: side, What: "did not end the session that the application closed", Lateness: -1, Cause: stuckCause,
		}, x.close, x.stalled)
	}
}

// stuckClosing tells which side did not end a session after cancels, or why that
// is nobody's fault; nothing when the session ended, or when other rules judge.
func (x *index) stuckClosing() (side history.Side, why string) {
	end := x.stalled
	if end == nil || x.crash != nil || x.abrupt || x.overHTTP {
		return "", "" // over HTTP a server goes on, and a client waits for its DELETE
	}
	m := x.moment(end)
	if m.cancels == 0 {
		return "", ""
	}
	if x.enRoute(end) {
		return "", whyEnRoute
	}
	if m.holdsOut > 0 {
		return "", whyToolRuns
	}
	if !before(x.closed, end) {
		side = history.Client
	}
	switch {
	case before(x.served, end):
	case side == "" && x.inputOpen(end):
		return "", whyInputOpen
	default:
		side = common(side, history.Server)
	}
	return side, "" // no side, if both ended: the limit was not reached by the closing
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
	if c.req == nil && slices.Contains(x.unclaimed, c.Method) {
		return history.World
	}
	if c.req != nil && before(c.req.readReply, c.ret) && c.req.first.isError() {
		return history.Server
	}
	return history.Client
}

func (f *frame) isError() bool {
	return f != nil && (f.msg.Kind == history.ErrorReply || strings.Contains(f.msg.Raw, toolError))
}

// refused reports whether c was answered with an error that says what is wrong with its
// request itself, and no tool had begun to work on it: that needs no other reason.
func (c *call) refused() bool {
	if c.start != nil || c.req == nil || c.req.first == nil || c.req.first.msg.Kind != history.ErrorReply {
		return false
	}
	switch c.req.first.msg.Code {
	case invalidRequest, methodNotFound, invalidParams, resourceNotFound:
		return true
	}
	return false
}

// The errors of requests that are wrong themselves, beside those that a question about a
// task can get.
const (
	invalidRequest   = -32600
	resourceNotFound = -32002
)

// toolError marks a result that is an error of the tool's.
const toolError = `"isError":true`

func arrived(f *frame) bool {
	return f.read != nil || f.unread != nil && f.unread.Arrived > 0
}
