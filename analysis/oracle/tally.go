package oracle

import (
	"slices"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A tally is a verdict in the making.
type tally struct {
	verdict   Verdict
	undecided int  // occurrences that wall time leaves open
	unknown   bool // the history does not suffice
	elsewhere []breach
}

// A breach is a violation that is reported under a stricter rule.
type breach struct {
	stricter string
	Violation
	events []*history.Event
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
	list := t.verdict.Exercised
	for i := range list {
		if x := &list[i]; x.Handler == handler && x.Phase == p {
			return x
		}
	}
	t.verdict.Exercised = append(list, Exercise{Handler: handler, Phase: p})
	return &t.verdict.Exercised[len(list)]
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
	if t.verdict.Failed == 1 {
		t.verdict.Side = v.Side
	} else if t.verdict.Side != v.Side {
		t.verdict.Side = history.World
	}
	if len(t.verdict.Violations) < MaxViolations {
		v.Events = evidence(events)
		t.verdict.Violations = append(t.verdict.Violations, v)
	}
}

// failUnder fails on an act that is reported under a stricter rule.
func (t *tally) failUnder(stricter string, v Violation, events ...*history.Event) {
	t.elsewhere = append(t.elsewhere, breach{stricter, v, events})
}

// settle counts the breaches that are reported under a stricter rule. A verdict is
// implied as a whole or not at all, so beside breaches of the rule's own they are
// left uncounted.
func (t *tally) settle() {
	own := t.verdict.Failed > 0
	for _, b := range t.elsewhere {
		if own {
			t.leave(reportedUnder + b.stricter)
			continue
		}
		t.fail(b.Violation, b.events...)
		t.verdict.Implied = t.elsewhere[0].stricter
	}
}

// leave counts an occurrence that looks like a breach and is none.
func (t *tally) leave(why string) {
	for i := range t.verdict.Uncounted {
		if t.verdict.Uncounted[i].Why == why {
			t.verdict.Uncounted[i].N++
			return
		}
	}
	t.verdict.Uncounted = append(t.verdict.Uncounted, Uncounted{Why: why, N: 1})
}

func (t *tally) sum() Verdict {
	t.settle()
	v := &t.verdict
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
	return *v
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
)
