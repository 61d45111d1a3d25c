package oracle

import (
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// promptly is how long a server may take, once it has read the end of its input,
// to tell its handlers and, once they have ended, to end itself. No text sets a
// figure; clients that end their servers by force wait for some seconds before.
const promptly = 10 * time.Second

// shutdown: a server whose client has gone tells its handlers and ends. Judged
// when the application closed the client, since a client of which only the
// writing half is closed waits for what the handlers return.
func shutdown(x *index, t *tally) {
	if x.crash != nil || x.exit != nil || !before(x.close, x.heard) || before(x.served, x.heard) {
		return
	}
	free := x.freed(history.Server, x.heard)
	ranOn := false
	for i := range x.calls {
		ranOn = x.judgeRunning(&x.calls[i], free, t) || ranOn
	}
	if !ranOn {
		x.judgeServed(t)
	}
}

// judgeRunning judges how a handler was told that its client had gone, of a server
// that was free to tell it from the event free on. It reports whether it was not
// told, or late.
func (x *index) judgeRunning(c *call, free *history.Event, t *tally) bool {
	if c.start == nil || before(c.end, x.heard) {
		return false
	}
	from := free
	if from == nil {
		t.leave(whyServerHeld)
		return false
	}
	if before(from, c.start) {
		from = c.start
	}
	told := c.told
	switch {
	case before(told, x.heard):
		return false // it knew before: by its cancel
	case before(x.stalled, told):
		told = nil // by the end of the world
	}
	if told != nil && told.At <= from.At+promptly {
		t.kept(c, "")
		return false
	}
	witness := earlier(told, earlier(c.end, x.stalled))
	if witness == nil {
		witness = x.last
	}
	switch {
	case witness.At <= from.At+promptly:
		if c.end != nil && c.end.At > from.At {
			t.leave(whyEndedSoon)
		}
		return false
	case x.served != nil && !before(x.stalled, x.served) && x.served.At <= from.At+promptly:
		t.leave(whyServed)
		return false
	}
	v := Violation{
		Call: c.Call.Call, Side: history.Server, Handler: c.kind(), Method: c.otherMethod(), Lateness: span(from, witness),
		What: "let the handler work on after the client had gone, without telling it",
	}
	if told != nil {
		v.What = "told the handler late that the client had gone"
	}
	t.fail(v, x.close, x.heard, c.start, witness)
	return true
}

// judgeServed judges whether the server ended, once its handlers had.
func (x *index) judgeServed(t *tally) {
	from := x.heard
	for i := range x.calls {
		c := &x.calls[i]
		switch {
		case c.start == nil || before(c.end, from):
		case c.end == nil || before(x.stalled, c.end):
			t.leave(whyToolRuns)
			return
		default:
			from = c.end
		}
	}
	witness := x.served
	if witness == nil || before(x.stalled, witness) {
		witness = x.stalled
	}
	switch from = x.freed(history.Server, from); {
	case from == nil:
		t.leave(whyServerHeld)
	case witness == nil:
		t.leave(whyCrashed)
	case witness.At <= from.At+promptly:
		if witness == x.served {
			t.pass()
		}
	default:
		v := Violation{Side: history.Server, What: "did not end when the client had gone", Lateness: span(from, witness)}
		t.failClosing(witness == x.stalled && x.raceReportsClosing(), v, x.close, x.heard, from, witness)
	}
}

// freed returns the event from which on a side's writer had a moment to itself: e,
// or the end of the last of the Writes that were under way one behind the other,
// since the network did not take them; nil if that did not come.
func (x *index) freed(side history.Side, e *history.Event) *history.Event {
	for i := range x.frames {
		f := &x.frames[i]
		if f.side != side || !before(f.write, e) || before(f.wrote, e) {
			continue
		}
		if e = f.wrote; e == nil {
			return nil
		}
	}
	return e
}

// eofDrains: what a server has read before the end of its input it answers, since
// a client that closed only its writing half reads on.
func eofDrains(x *index, t *tally) {
	if x.halfClosed == nil || x.heard == nil || x.crash != nil {
		return
	}
	deaf := x.clientDeaf()
	for i := range x.calls {
		c := &x.calls[i]
		switch r := c.req; {
		case r == nil || r.frame.read == nil || c.cancel != nil || r.cancel != nil:
		case r.reused:
			t.leave(whyUnclearID)
		case r.first == nil || r.first.inVain():
			x.judgeOwed(c, deaf, t)
		case before(x.heard, r.first.write):
			t.kept(c, "")
		}
	}
}

// inVain reports whether the writing of f failed.
func (f *frame) inVain() bool { return f.wrote != nil && f.wrote.Text != "" }

// clientDeaf returns the first event by which the client had stopped reading: a
// Write of the server's failed, which had not closed its end itself; nil if it
// read on.
func (x *index) clientDeaf() *history.Event {
	var deaf *history.Event
	for i := range x.frames {
		if f := &x.frames[i]; f.side == history.Server && f.inVain() && !before(x.left, f.wrote) {
			deaf = earlier(deaf, f.wrote)
		}
	}
	return deaf
}

// judgeOwed judges a request that was read before the end of the input and not
// answered. From deaf on, if it is not nil, an answer would not have been heard.
func (x *index) judgeOwed(c *call, deaf *history.Event, t *tally) {
	witness, what := x.left, "left without answering a request that it had read"
	if end := x.ended(); witness == nil || before(end, witness) {
		witness, what = end, "never answered a request that it had read"
		running := c.start != nil && !before(c.end, end)
		waiting := c.start == nil && span(c.req.frame.read, end) < x.patience
		if running || waiting {
			t.leave(whyToolRuns)
			return
		}
	}
	switch {
	case witness == nil:
		t.leave(whyCrashed)
	case before(deaf, witness):
		t.leave(whyDeaf)
	case x.freed(history.Server, witness) != witness:
		t.leave(whyServerHeld)
	default:
		t.fail(Violation{
			Call: c.Call.Call, Side: history.Server, Handler: c.kind(), Method: c.otherMethod(), What: what, Lateness: span(x.heard, witness),
		}, x.halfClosed, c.req.frame.read, x.heard, c.end, witness)
	}
}

// closeBounded: Close returns, and so does the run of a server that is told to stop.
func closeBounded(x *index, t *tally) {
	x.judgeStop(t)
	end := x.stalled
	switch {
	case x.close == nil || x.crash != nil:
	case x.closed != nil && !before(end, x.closed):
		t.pass()
	case end == nil:
		t.leave(whyCrashed)
	case x.exit == nil && x.stubbornRuns(end):
		t.leave(whyToolRuns)
	case x.freed(history.Client, end) != end:
		t.leave(whyWriterHeld)
	case x.enRoute(end):
		t.leave(whyEnRoute)
	default:
		v := Violation{Side: history.Client, What: "did not return from Close", Lateness: span(x.close, end)}
		t.failClosing(x.raceReportsClosing(), v, x.close, end)
	}
}

// stopBound is how long a server may take to stop, as long as a client to close.
const stopBound = 10 * time.Minute

// judgeStop judges how the server's run returned once its application had ended it.
func (x *index) judgeStop(t *tally) {
	if x.stop == nil {
		return
	}
	end := earlier(x.served, x.close)
	switch {
	case x.served != nil && !before(end, x.served) && span(x.stop, x.served) < stopBound:
		t.pass()
	case x.crash != nil || end == nil:
		t.leave(whyCrashed)
	case span(x.stop, end) < stopBound:
		// The client was closed before it could be seen.
	case x.stubbornRuns(x.stop):
		t.leave(whyToolRuns)
	case x.freed(history.Server, x.stop) != x.stop:
		t.leave(whyServerHeld)
	default:
		t.fail(Violation{Side: history.Server, What: "did not stop when its application had told it to", Lateness: span(x.stop, end)}, x.stop, end)
	}
}

// stubbornRuns reports whether a tool was running at e that does not stop when
// told.
func (x *index) stubbornRuns(e *history.Event) bool {
	for i := range x.calls {
		if c := &x.calls[i]; !c.Obedient() && before(c.start, e) && !before(c.end, e) {
			return true
		}
	}
	return false
}

// failClosing fails on a session that did not end, which RACE-GRACEFUL may report.
func (t *tally) failClosing(race bool, v Violation, events ...*history.Event) {
	if race {
		t.failUnder("RACE-GRACEFUL", v, events...)
		return
	}
	t.fail(v, events...)
}

// raceReportsClosing reports whether it is a breach of RACE-GRACEFUL that the session
// did not end.
func (x *index) raceReportsClosing() bool {
	side, _ := x.stuckClosing()
	return side != ""
}
