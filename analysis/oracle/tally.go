package oracle

import (
	"cmp"
	"slices"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A tally is a verdict in the making. Items are judged when they are over, which is
// not the order in which a verdict lists them; so what it notes has a place.
type tally struct {
	verdict   Verdict
	undecided int  // occurrences that wall time leaves open
	unknown   bool // the history does not suffice
	here      place
	sides     history.Side // of what failed
	failures  []failure    // the first MaxViolations
	exercises []exercise
	leavings  []leaving
	elsewhere *elsewhere
}

// A place is where something stands in a verdict: by the item, and by the order in
// which its oracle came to it.
type place struct{ item, step int }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.item, q.item), cmp.Compare(p.step, q.step))
}

func (p place) before(q place) bool { return p.compare(q) < 0 }

type failure struct {
	Violation
	place
}

type exercise struct {
	Exercise
	place
}

type leaving struct {
	Uncounted
	place
}

// What is reported under a stricter rule.
type elsewhere struct {
	stricter string // of the first
	place
	tally // all of it: counted, and left uncounted
}

func newTally(c check, specVersion string) tally {
	return tally{verdict: Verdict{
		Rule: c.rule, Status: Vacuous, Side: c.side, Violations: []Violation{}, Level: c.level(specVersion),
	}}
}

// enter begins with another item.
func (t *tally) enter(item int) { t.here = place{item: item} }

// step returns the next place.
func (t *tally) step() place {
	p := t.here
	t.here.step++
	return p
}

// pass counts an occurrence at which the rule was kept.
func (t *tally) pass() { t.verdict.Checked++ }

// kept counts a call with which the rule was kept.
func (t *tally) kept(c *call, p Phase) {
	t.pass()
	t.exercise(c.kind(), p).N++
}

// exercise returns the count of checks on calls with that tool and phase.
func (t *tally) exercise(handler string, p Phase) *exercise {
	at := t.step()
	for i := range t.exercises {
		if x := &t.exercises[i]; x.Handler == handler && x.Phase == p {
			if at.before(x.place) {
				x.place = at
			}
			return x
		}
	}
	t.exercises = append(t.exercises, exercise{Exercise{Handler: handler, Phase: p}, at})
	return &t.exercises[len(t.exercises)-1]
}

// fail counts an occurrence at which the rule was broken, on the evidence of
// events, which may be missing in part but not all.
func (t *tally) fail(v Violation, events ...*history.Event) {
	t.verdict.Checked++
	t.verdict.Failed++
	if v.Handler != "" {
		x := t.exercise(v.Handler, v.Phase)
		x.N++
		x.Failed++
	}
	t.sides = common(t.sides, v.Side)
	at := t.step()
	if n := len(t.failures); n == MaxViolations {
		if !at.before(t.failures[n-1].place) {
			return
		}
		t.failures = t.failures[:n-1]
	}
	v.Events = evidence(events)
	i := len(t.failures)
	for i > 0 && at.before(t.failures[i-1].place) {
		i--
	}
	t.failures = slices.Insert(t.failures, i, failure{v, at})
}

// failUnder fails on an act that is reported under a stricter rule.
func (t *tally) failUnder(stricter string, v Violation, events ...*history.Event) {
	at := t.step()
	if t.elsewhere == nil {
		t.elsewhere = &elsewhere{stricter: stricter, place: at}
	}
	e := t.elsewhere
	if at.before(e.place) {
		e.stricter, e.place = stricter, at
	}
	e.here = at
	e.fail(v, events...)
	t.here.step += 2 // as many as that took
	e.leave(reportedUnder + stricter)
}

// settle counts the breaches that are reported under a stricter rule. A verdict is
// implied as a whole or not at all, so beside breaches of the rule's own they are
// left uncounted.
func (t *tally) settle() {
	e := t.elsewhere
	switch {
	case e == nil:
	case t.verdict.Failed > 0:
		e.sort()
		for i, l := range e.leavings {
			t.leavings = append(t.leavings, leaving{l.Uncounted, place{afterAll, i}})
		}
	default:
		t.verdict.Checked += e.verdict.Checked
		t.verdict.Failed = e.verdict.Failed
		t.sides, t.failures = e.sides, e.failures
		e.sort()
		t.enter(afterAll)
		for _, x := range e.exercises {
			own := t.exercise(x.Handler, x.Phase)
			own.N += x.N
			own.Failed += x.Failed
		}
		t.verdict.Implied = e.stricter
	}
}

// leave counts an occurrence that looks like a breach and is none.
func (t *tally) leave(why string) {
	at := t.step()
	for i := range t.leavings {
		if l := &t.leavings[i]; l.Why == why {
			l.N++
			if at.before(l.place) {
				l.place = at
			}
			return
		}
	}
	t.leavings = append(t.leavings, leaving{Uncounted{Why: why, N: 1}, at})
}

// sum returns the verdict. end is the world's, which takes the place of tomorrow.
func (t *tally) sum(end *history.Event) Verdict {
	t.settle()
	v := &t.verdict
	switch {
	case v.Failed > 0:
		v.Status, v.Side = Fail, t.sides
	case t.unknown:
		v.Status = Unknown
	case t.undecided > 0:
		v.Status = Ambiguous
	case v.Checked > 0:
		v.Status = Pass
	}
	t.list(end)
	return *v
}

// sort puts in order what was noted as it came.
func (t *tally) sort() {
	slices.SortFunc(t.exercises, func(a, b exercise) int { return a.compare(b.place) })
	slices.SortFunc(t.leavings, func(a, b leaving) int { return a.compare(b.place) })
}

// list fills in the verdict's lists.
func (t *tally) list(end *history.Event) {
	v := &t.verdict
	t.sort()
	for _, x := range t.exercises {
		v.Exercised = append(v.Exercised, x.Exercise)
	}
	for _, l := range t.leavings {
		v.Uncounted = append(v.Uncounted, l.Uncounted)
	}
	for _, f := range t.failures {
		v.Violations = append(v.Violations, f.until(end))
	}
}

// until puts the world's end in the place of tomorrow.
func (v Violation) until(end *history.Event) Violation {
	last := len(v.Events) - 1
	if last < 0 || v.Events[last] != tomorrow || end == nil {
		return v
	}
	v.Events[last] = end.Seq
	if v.Lateness >= 0 {
		v.Lateness -= tomorrow - end.At
	}
	return v
}

func evidence(events []*history.Event) []int {
	out := make([]int, 0, len(events))
	for _, e := range events {
		if e != nil {
			out = append(out, e.Seq)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// reportedUnder comes before the stricter rule that counts something.
const reportedUnder = "reported under "

// Why something was not counted. The rules of the catalogue explain each.
const (
	whyResponseBefore = "response already written when the cancel was read"
	whyResponseRead   = "cancel for a call whose response the client had read"
	whyHandlerOver    = "handler had ended before the cancel was read"
	whySameInstant    = "in the instant in which the cancel was read, and not provably because of it"
	whyPremature      = "cancel read before its request"
	whyUnclearID      = "id used again before it was answered"
	whyStubborn       = "the tool does not stop when told"
	whyProgressBefore = "progress written before the cancel was read, and delivered after it was sent"
	whyProgressAsked  = "progress that the tool had asked for before the cancel was read"
	whyRepeated       = "repeated cancel for one call"
	whyNamesNothing   = "cancel without a request id"
	whyReplyFirst     = "response had reached the client when the caller gave up"
	whyClosing        = "the connection was closing"
	whyWriterHeld     = "the client's writer was held up by the network"
	whyOwnRequest     = "the request itself was still being written when the caller gave up"
	whyHeldOtherwise  = "the caller was held by something else than the writing of its cancel"
	whyWithinGrace    = "within the grace of wall time"
	whyCrashed        = "the process crashed before it could be seen"
	whyToolsOwn       = "goroutines that the scenario's tool left behind"
	whySimulators     = "goroutines of the simulator that wait for the target"
	whyToolCrashed    = "the scenario's own tool crashed the process"
	whyToolRuns       = "a tool was still running when the closing was given up"
	whyOwnError       = "the tool itself failed"
	whyProcessGone    = "goroutines that a dead server's process would have taken with it"
	whyGaveUp         = "the caller gave up before its connection's loss could show"
	whyUnderRace      = reportedUnder + "RACE-GRACEFUL"
	whyUnderLate      = reportedUnder + "LATE-IGNORED"
	whyNoCancel       = "before the side that did it knew of a cancel"
	whyDeaf           = "the client had stopped reading"
	whyServerHeld     = "the server's writer was held up by the network"
	whyEndedSoon      = "the handler ended by itself soon after the client had gone"
	whyServed         = "the server's run had returned, and with it its process would have ended"
	whyEnRoute        = "the network had not delivered everything when the world ended"
	whyForgotten      = "about what was over so long ago that the judge has forgotten it"
)
