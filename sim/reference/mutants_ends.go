package reference

import (
	"errors"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// The defects that show when a session ends, and those that get calls wrong that
// nobody cancels.
const (
	ignoresEOF     defect = "ignores-eof"
	dropsAtEOF     defect = "drops-at-eof"
	closeWaits     defect = "close-waits"
	strandsCallers defect = "strands-callers"

	quitsEarly     defect = "quits-early"
	losesRequests  defect = "loses-requests"
	limitsHandlers defect = "limits-handlers"
	staleAnswers   defect = "stale-answers"
)

func endMutants() []Mutant {
	return []Mutant{{
		Name: string(ignoresEOF), defect: ignoresEOF, Side: history.Server, Scenario: "abrupt-close",
		Doc:    "lets its handlers work to their end when the client has gone: SHUT-STDIO-SERVER",
		Legacy: []string{"SHUT-STDIO-SERVER"},
		Modern: []string{"SHUT-STDIO-SERVER"},
	}, {
		Name: string(dropsAtEOF), defect: dropsAtEOF, Side: history.Server, Scenario: "half-close",
		Doc:    "hangs up at the end of its input, whatever it still has to answer: EOF-DRAINS; no defect since 2026-07-28",
		Legacy: []string{"EOF-DRAINS"},
	}, {
		Name: string(closeWaits), defect: closeWaits, Side: history.Client, Scenario: "abrupt-close",
		Doc:    "does not close, and releases nobody, before all calls under way have been answered: CLOSE-BOUNDED",
		Legacy: []string{"CLOSE-BOUNDED"},
		Modern: []string{"CLOSE-BOUNDED"},
	}, {
		Name: string(strandsCallers), defect: strandsCallers, Side: history.Client, Scenario: "server-dies",
		Doc:    "reads the end of its input and does not tell those who wait for answers: CALLER-UNBLOCKS",
		Legacy: []string{"CALLER-UNBLOCKS"},
		Modern: []string{"CALLER-UNBLOCKS"},
	}}
}

func callMutants() []Mutant {
	return []Mutant{{
		Name: string(quitsEarly), defect: quitsEarly, Side: history.Server, Scenario: "no-cancels",
		Doc:    "hangs up when it has read the first call of a session: SESSION-SURVIVES",
		Legacy: []string{"SESSION-SURVIVES"},
		Modern: []string{"SESSION-SURVIVES"},
	}, {
		Name: string(losesRequests), defect: losesRequests, Side: history.Server, Scenario: "no-cancels",
		Doc:    "loses the second call of a session: REQUEST-DISPATCHED",
		Legacy: []string{"REQUEST-DISPATCHED"},
		Modern: []string{"REQUEST-DISPATCHED"},
	}, {
		Name: string(limitsHandlers), defect: limitsHandlers, Side: history.Server, Scenario: "no-cancels",
		Doc:    "tells every handler to stop after 100 ms: NO-SPURIOUS-CANCEL",
		Legacy: []string{"NO-SPURIOUS-CANCEL"},
		Modern: []string{"NO-SPURIOUS-CANCEL"},
	}, {
		Name: string(staleAnswers), defect: staleAnswers, Side: history.Server, Scenario: "no-cancels",
		Doc:    "answers each call with the text of the one that ended before it: ANSWER-OWN",
		Legacy: []string{"ANSWER-OWN"},
		Modern: []string{"ANSWER-OWN"},
	}}
}

// afterEOF runs in Serve when the client has hung up and the handlers have not
// been told of it.
func (n *session) afterEOF() {
	switch n.defect {
	case ignoresEOF:
		n.running.Wait()
	case dropsAtEOF:
		n.end(nil)
	case leaksAtEOF:
		n.leakAll()
	}
}

// handlerLimit is how long the server that limits handlers gives them.
const handlerLimit = 100 * time.Millisecond

// beforeCall runs in the server's reader when a call of a tool has been read. It
// reports whether the call is to be forgotten.
func (n *session) beforeCall(c *call) bool {
	switch n.defect {
	case quitsEarly:
		n.end(errors.New("a call came"))
		return true
	case limitsHandlers:
		time.AfterFunc(handlerLimit, c.tell) // harmless when the call is over by then
	case dropsAfterCancel:
		return n.skips()
	case losesRequests:
		n.mu.Lock()
		defer n.mu.Unlock()
		n.calls++
		return n.calls == 2
	}
	n.speakUp(c)
	return false
}

// textFor returns the text to answer a call with whose tool returned text.
func (n *session) textFor(text string) string {
	if n.defect != staleAnswers || text == "" {
		return text
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	stale := n.stale
	n.stale = text
	if stale == "" {
		return text
	}
	return stale
}

// beforeClose runs when the application closes the client. It reports whether Close
// is to return at once.
func (l *link) beforeClose() bool {
	switch l.defect {
	case hangsUpLate:
		l.hangUpLater()
		return true
	case closeWaits:
		for l.owed() {
			time.Sleep(time.Second)
		}
	}
	return false
}

// owed reports whether requests wait for their answer.
func (l *link) owed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting) > 0
}
