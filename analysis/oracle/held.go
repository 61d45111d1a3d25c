package oracle

import (
	"fmt"

	"github.com/mcpsim/mcpsim/sim/history"
)

// The oracles of what a cancelled request goes on to hold. What shows of that is
// goroutines: how many there are between calls, and whose stacks remain.

func heldChecks() []check {
	return []check{
		{rule: "CANCEL-FREE", side: history.Server, level: always(Should), world: cancelFrees},
		{rule: "LATE-NO-LEAK", side: history.Client, level: always(Quality), world: lateFreed},
	}
}

// A tide is how many goroutines there are whenever nothing is in hand: no call
// pending, no handler running, no cancel under way.
type tide struct {
	inHand int // calls pending, handlers running, and cancels under way
	calls  int // calls made so far
	hits   int // cancels so far that were read while their request had no response
	sent   int // cancels so far that were written

	first, last *history.Event // the first count while nothing was in hand, and the last
	firstHits   int            // as of first
	lastHits    int            // as of last
	lastSent    int
	lastCalls   int
	alone       int // by how much the counts grew from one to the next without a cancel in between
	spared      int // calls that were made between two such
}

// count takes in a count of goroutines.
func (s *tide) count(e *history.Event) {
	if s.inHand != 0 {
		return
	}
	switch {
	case s.first == nil:
		s.first, s.firstHits = e, s.hits
	case s.sent == s.lastSent:
		s.alone += e.N - s.last.N
		s.spared += s.calls - s.lastCalls
	}
	s.last, s.lastHits, s.lastSent, s.lastCalls = e, s.hits, s.sent, s.calls
}

// enoughCancels is how many cancels it takes before a growth counts as in
// proportion to them.
const enoughCancels = 8

// cancels is how many cancels lie between the first count and the last.
func (s *tide) cancels() int { return s.lastHits - s.firstHits }

// growth is by how much the counts grew.
func (s *tide) growth() int {
	if s.first == nil {
		return 0
	}
	return s.last.N - s.first.N
}

// follows reports whether the goroutines grew with the cancels, at least one for
// each, and not with calls that nobody cancelled.
func (s *tide) follows() bool {
	return s.cancels() >= enoughCancels && s.growth() >= s.cancels() && s.spared > 0 && s.alone <= 0
}

// cancelFrees: a cancelled request holds nothing any more.
func cancelFrees(x *index, t *tally) {
	s := &x.lingered
	switch {
	case x.crash != nil || s.cancels() < enoughCancels:
	case s.growth() < s.cancels():
		t.pass()
	case !s.follows():
		t.leave(whyNotTheCancels)
	case x.clientsLeaks() >= s.cancels():
		t.leave(whyUnderLateLeak)
	default:
		t.fail(x.holding(), s.first, s.last)
	}
}

// holding is the breach of who goes on to hold what a cancelled call had. Whose
// goroutines they are does not show, unless they outlive the session.
func (x *index) holding() Violation {
	v := Violation{Side: history.World, Lateness: -1, What: fmt.Sprintf(
		"held %d goroutines more after %d cancels", x.lingered.growth(), x.lingered.cancels())}
	side := history.Side("")
	for _, e := range x.leaks {
		if whyNotTheirs(e.Text) == "" {
			side = common(side, sideOf(e.Text))
		}
	}
	if side != "" {
		v.Side = side
	}
	return v
}

// lateFreed: who has cancelled a call keeps nothing for the response that may
// still come.
func lateFreed(x *index, t *tally) {
	s := &x.lingered
	switch {
	case x.crash != nil || s.cancels() < enoughCancels:
	case s.follows() && x.clientsLeaks() >= s.cancels():
		t.fail(Violation{
			Side: history.Client, Lateness: -1,
			What: fmt.Sprintf("kept %d goroutines for %d calls that it had cancelled", s.growth(), s.cancels()),
		}, s.first, s.last)
	case s.growth() >= s.cancels():
		t.leave(whyUnderFree)
	default:
		t.pass()
	}
}

// clientsLeaks is how many goroutines remained that the client's code runs.
func (x *index) clientsLeaks() int {
	n := 0
	for _, e := range x.leaks {
		if whyNotTheirs(e.Text) == "" && sideOf(e.Text) == history.Client {
			n += e.N
		}
	}
	return n
}

// noteTide keeps the tide as events pass.
func (b *builder) noteTide(e *history.Event) {
	s := &b.lingered
	switch {
	case e.Kind == history.Goroutines:
		if b.connected != nil && b.probe == nil && b.over == nil {
			s.count(e)
		}
	case e.Kind == history.Issue:
		s.calls++
		s.inHand++
	case e.Kind == history.Return || e.Kind == history.End:
		s.inHand--
	case e.Kind == history.Start:
		s.inHand++
	}
}

// heldUnder returns the rule under which it is reported that these goroutines
// remained, if they are what grew with the cancels; "" if none is.
func (x *index) heldUnder(leaks []*history.Event) string {
	n := 0
	for _, e := range leaks {
		n += e.N
	}
	s := &x.lingered
	switch {
	case x.overHTTP || !s.follows() || n > s.growth():
		return ""
	case x.clientsLeaks() >= s.cancels():
		return "LATE-NO-LEAK"
	}
	return "CANCEL-FREE"
}
