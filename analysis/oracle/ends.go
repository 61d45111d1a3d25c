package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// shutdown: a server whose client has gone tells its handlers and ends. Judged
// when the application closed the client, since a client of which only the
// writing half is closed waits for what the handlers return.
func shutdown(x *index, t *tally) {
	if x.crash != nil || x.exit != nil || !before(x.close, x.heard) || before(x.served, x.heard) {
		return
	}
	free := x.freed(history.Server, x.heard)
	ranOn := false
	for c := range x.calls.all() {
		ranOn = x.judgeRunning(c, free, t) || ranOn
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
	if c.task != nil {
		t.leave(whyTaskGoesOn)
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
	if told != nil && told.At <= from.At+x.promptly() {
		t.kept(c, "")
		return false
	}
	witness := earlier(told, earlier(c.end, x.stalled))
	if witness == nil {
		witness = x.last
	}
	switch {
	case witness.At <= from.At+x.promptly():
		if c.end != nil && c.end.At > from.At {
			t.leave(whyEndedSoon)
		}
		return false
	case x.served != nil && !before(x.stalled, x.served) && x.served.At <= from.At+x.promptly():
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
	from, free := x.heard, x.freed(history.Server, x.heard)
	for c := range x.calls.all() {
		switch {
		case c.start == nil || before(c.end, from):
		case c.end == nil || before(x.stalled, c.end):
			t.leave(whyToolRuns)
			return
		default:
			from, free = c.end, c.end
			if c.endBusy != nil {
				free = c.endBusy.free
			}
		}
	}
	witness := x.served
	if witness == nil || before(x.stalled, witness) {
		witness = x.stalled
	}
	switch from = free; {
	case from == nil:
		t.leave(whyServerHeld)
	case witness == nil:
		t.leave(whyCrashed)
	case witness.At <= from.At+x.promptly():
		if witness == x.served {
			t.pass()
			t.took(span(from, witness))
		}
	default:
		v := Violation{Side: history.Server, What: "did not end when the client had gone", Lateness: span(from, witness)}
		t.failClosing(witness == x.stalled && x.raceReportsClosing(), v, x.close, x.heard, from, witness)
	}
}

// eofDrains: what a server has read before the end of its input it answers, since
// a client that closed only its writing half reads on.
func eofDrains(x *index, c *call, t *tally) {
	if x.halfClosed == nil || x.heard == nil || x.crash != nil {
		return
	}
	switch r := c.req; {
	case r == nil || r.frame.read == nil || c.cancel != nil || r.cancel != nil:
	case r.reused:
		t.leave(whyUnclearID)
	case r.first == nil || r.first.inVain():
		x.judgeOwed(c, t)
	case before(x.heard, r.first.write):
		t.kept(c, "")
	}
}

// inVain reports whether the writing of f failed.
func (f *frame) inVain() bool { return f.wrote != nil && f.wrote.Text != "" }

// judgeOwed judges a request that was read before the end of the input and not
// answered. From deaf on, if there is that, an answer would not have been heard.
func (x *index) judgeOwed(c *call, t *tally) {
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
	case before(x.deaf, witness):
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
	if x.part != member {
		x.judgeStop(t)
	}
	if x.part == host {
		return
	}
	end := x.stalled
	switch {
	case x.close == nil || x.crash != nil:
	case x.closed != nil && !before(end, x.closed):
		t.pass()
		t.took(span(x.close, x.closed))
	case end == nil:
		t.leave(whyCrashed)
	case x.exit == nil && x.stubbornRuns(end):
		t.leave(whyToolRuns)
	case x.freed(history.Client, end) != end:
		t.leave(whyWriterHeld)
	case x.enRoute(end) && !x.overHTTP:
		t.leave(whyEnRoute)
	default:
		v := Violation{Side: history.Client, What: "did not return from Close", Lateness: span(x.close, end)}
		t.failClosing(x.raceReportsClosing(), v, x.close, end)
	}
}

// judgeStop judges how the server's run returned once its application had ended it: it
// may take as long as a client to close.
func (x *index) judgeStop(t *tally) {
	if x.stop == nil {
		return
	}
	if x.overHTTP {
		x.judgeServerStop(t)
		return
	}
	end := earlier(x.served, x.close)
	switch {
	case x.served != nil && !before(end, x.served) && span(x.stop, x.served) < history.ClosePatience:
		t.pass()
	case x.crash != nil || end == nil:
		t.leave(whyCrashed)
	case span(x.stop, end) < history.ClosePatience:
		// The client was closed before it could be seen.
	case x.stubbornRuns(x.stop):
		t.leave(whyToolRuns)
	case x.freed(history.Server, x.stop) != x.stop:
		t.leave(whyServerHeld)
	default:
		t.fail(Violation{Side: history.Server, What: "did not stop when its application had told it to", Lateness: span(x.stop, end)}, x.stop, end)
	}
}

// stubbornRuns reports whether a tool was running at the landmark e that does not stop when
// told.
func (x *index) stubbornRuns(e *history.Event) bool {
	m := x.moment(e)
	return m != nil && m.stubborn > 0
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
