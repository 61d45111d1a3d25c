package oracle

import (
	"cmp"
	"slices"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A tally is a verdict in the making. Items are judged when they are over, which is
// not the order in which a verdict lists them; so what it notes has a place.
type tally struct {
	verdict   *Verdict
	undecided int  // occurrences that wall time leaves open
	unknown   bool // the history does not suffice
	here      place
	failures  []place // of the verdict's violations, which are in order
	exercises []place // of what it exercised, as it came
	leavings  []place // of what it left uncounted, as it came
	elsewhere *elsewhere
	// deliberate lists what the scenario has a side break on purpose; see
	// history.Header.
	deliberate []string
}

// A place is where something stands in a verdict: by the item, and by the order in
// which its oracle came to it.
type place struct{ item, step int }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.item, q.item), cmp.Compare(p.step, q.step))
}

func (p place) before(q place) bool { return p.compare(q) < 0 }

// What is reported under a stricter rule: all of it, counted and left uncounted.
type elsewhere struct {
	tally
	stricter string // of the first
	first    place
}

// newTallies returns those of the checks that are for the transport of the history, and
// for each a tally and a verdict.
func newTallies(all []check, h history.Header) ([]check, []tally, []Verdict) {
	const some = 2 // so that most need no more room
	rules := newLeveller(h)
	checks := slices.DeleteFunc(all, func(c check) bool { return !rules.knows(c) })
	tallies, verdicts := make([]tally, len(checks)), make([]Verdict, len(checks))
	room := make([]place, 2*some*len(checks))
	for i, c := range checks {
		verdicts[i] = Verdict{
			Rule: c.rule, Status: Vacuous, Side: c.side, Violations: []Violation{}, Level: rules.level(c),
		}
		own := room[2*some*i:]
		tallies[i] = tally{verdict: &verdicts[i], deliberate: h.Deliberate, exercises: own[:0:some], leavings: own[some : some : 2*some]}
	}
	return checks, tallies, verdicts
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
func (t *tally) exercise(handler string, p Phase) *Exercise {
	at, list := t.step(), t.verdict.Exercised
	for i := range list {
		if x := &list[i]; x.Handler == handler && x.Phase == p {
			if at.before(t.exercises[i]) {
				t.exercises[i] = at
			}
			return x
		}
	}
	t.verdict.Exercised = append(list, Exercise{Handler: handler, Phase: p})
	t.exercises = append(t.exercises, at)
	return &t.verdict.Exercised[len(list)]
}

// fail counts an occurrence at which the rule was broken, on the evidence of
// events, which may be missing in part but not all.
func (t *tally) fail(v Violation, events ...*history.Event) {
	if t.onPurpose(v) || t.onlyTold(v) {
		return
	}
	t.verdict.Checked++
	t.verdict.Failed++
	if v.Handler != "" {
		x := t.exercise(v.Handler, v.Phase)
		x.N++
		x.Failed++
	}
	if t.verdict.Failed == 1 {
		t.verdict.Side = v.Side
	} else if t.verdict.Side != v.Side {
		t.verdict.Side = history.World
	}
	t.list(v, events)
}

// onPurpose reports whether the scenario had that side do it, and then puts it down.
func (t *tally) onPurpose(v Violation) bool {
	found := slices.Contains(t.deliberate, string(v.Side)+":"+t.verdict.Rule)
	if found {
		t.leave(whyDeliberate)
	}
	return found
}

// onlyTold reports whether the rule is one that is told and holds nobody to anything, and
// then puts that down.
func (t *tally) onlyTold(v Violation) bool {
	if t.verdict == nil || t.verdict.Level != Info {
		return false
	}
	t.pass()
	if v.Handler != "" {
		t.exercise(v.Handler, v.Phase).N++
	}
	t.leave(whyOnlyTold)
	return true
}

// list lists a violation, if it is one of the first.
func (t *tally) list(v Violation, events []*history.Event) {
	at := t.step()
	i := len(t.failures)
	for i > 0 && at.before(t.failures[i-1]) {
		i--
	}
	if i == MaxViolations {
		return
	}
	if len(t.failures) == MaxViolations {
		t.failures = t.failures[:MaxViolations-1]
		t.verdict.Violations = t.verdict.Violations[:MaxViolations-1]
	}
	v.Events = evidence(events)
	t.failures = slices.Insert(t.failures, i, at)
	t.verdict.Violations = slices.Insert(t.verdict.Violations, i, v)
}

// failUnder fails on an act that is reported under a stricter rule.
func (t *tally) failUnder(stricter string, v Violation, events ...*history.Event) {
	if t.onPurpose(v) || t.onlyTold(v) {
		return
	}
	e := t.elsewhere
	if e == nil {
		e = &elsewhere{tally: tally{verdict: &Verdict{}}, stricter: stricter, first: t.here}
		t.elsewhere = e
	}
	if t.here.before(e.first) {
		e.stricter, e.first = stricter, t.here
	}
	e.here = t.here
	e.fail(v, events...)
	e.leave(reportedUnder + stricter)
	t.here = e.here
}

// settle counts the breaches that are reported under a stricter rule. A verdict is
// implied as a whole or not at all, so beside breaches of the rule's own they are
// left uncounted.
func (t *tally) settle() {
	e := t.elsewhere
	if e == nil {
		return
	}
	e.sort()
	own, theirs := t.verdict, e.verdict
	if own.Failed > 0 {
		own.Uncounted = append(own.Uncounted, theirs.Uncounted...)
		return
	}
	own.Checked += theirs.Checked
	own.Failed, own.Side, own.Violations, own.Implied = theirs.Failed, theirs.Side, theirs.Violations, e.stricter
	t.enter(afterAll)
	for _, x := range theirs.Exercised {
		mine := t.exercise(x.Handler, x.Phase)
		mine.N += x.N
		mine.Failed += x.Failed
	}
}

// leave counts an occurrence that looks like a breach and is none.
func (t *tally) leave(why string) {
	at, list := t.step(), t.verdict.Uncounted
	for i := range list {
		if list[i].Why == why {
			list[i].N++
			if at.before(t.leavings[i]) {
				t.leavings[i] = at
			}
			return
		}
	}
	t.verdict.Uncounted = append(list, Uncounted{Why: why, N: 1})
	t.leavings = append(t.leavings, at)
}

// sum completes the verdict. end tells which event takes the place of tomorrow's.
func (t *tally) sum(end func(seq int) *history.Event) {
	t.sort()
	t.settle()
	v := t.verdict
	switch {
	case v.Failed > 0:
		v.Status = Fail
	case t.unknown:
		v.Status = Unknown
	case t.undecided > 0:
		v.Status = Ambiguous
	case v.Checked > 0:
		v.Status = Pass
	}
	for i := range v.Violations {
		v.Violations[i].until(end)
	}
}

// sort puts in order what was noted as it came.
func (t *tally) sort() {
	arrange(t.exercises, t.verdict.Exercised)
	arrange(t.leavings, t.verdict.Uncounted)
}

// arrange sorts a few items by their places.
func arrange[T any](places []place, items []T) {
	for i := range places {
		for j := i; j > 0 && places[j].before(places[j-1]); j-- {
			places[j], places[j-1] = places[j-1], places[j]
			items[j], items[j-1] = items[j-1], items[j]
		}
	}
}

// until puts the world's end in the place of tomorrow.
func (v *Violation) until(end func(seq int) *history.Event) {
	i := len(v.Events) - 1
	if i < 0 || v.Events[i] <= tomorrowSeq-maxClients {
		return
	}
	last := end(v.Events[i])
	if last == nil {
		return
	}
	v.Events[i] = last.Seq
	if v.Lateness >= 0 {
		v.Lateness -= tomorrow - last.At
	}
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
	whyUnclearID      = "id that the requester had no right to use"
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
	whyDeliberate     = "done on purpose by the scenario"
	whyWayward        = "a message that nobody had a right to send had just been read"
	whyUnderRight     = reportedUnder + "CANCEL-RIGHT-CALL"
	whyUnderInvalid   = reportedUnder + "CANCEL-INVALID-IGNORED"
	whyUnderNoReply   = reportedUnder + "CANCEL-NO-REPLY"
	whyEnRoute        = "the network had not delivered everything when the world ended"
	whyOnlyTold       = "of a kind that is told at this version, and held against nobody"
	whyForgotten      = "about what was over so long ago that the judge has forgotten it"
)
