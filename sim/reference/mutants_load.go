package reference

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// The defects that take a certain load to show: more calls than workers, deadlines,
// a network that takes nothing, a close under work.
const (
	queueDeaf        defect = "queue-deaf"
	dropsAfterCancel defect = "drops-after-cancel"
	keepsResults     defect = "keeps-results"
	leaksAtEOF       defect = "leaks-at-eof"

	leaksOnTimeout    defect = "leaks-on-timeout"
	waitsPastDeadline defect = "waits-past-deadline"
	losesHeldCancels  defect = "loses-held-cancels"
	staleTimers       defect = "stale-timers"
)

func loadMutants() []Mutant {
	return []Mutant{{
		Name: string(queueDeaf), defect: queueDeaf, Side: history.Server, Scenario: "queued-behind-busy",
		Doc:    "works on five calls at a time, and ignores cancels of those that wait: CANCEL-STOP-WORK",
		Legacy: []string{"CANCEL-NO-RESPONSE", "CANCEL-STOP-WORK"},
		Modern: []string{"CANCEL-SILENCE", "CANCEL-STOP-WORK"},
	}, {
		Name: string(dropsAfterCancel), defect: dropsAfterCancel, Side: history.Server,
		Doc:    "loses the call that it reads next after a cancel that hit: REQUEST-DISPATCHED",
		Legacy: []string{"REQUEST-DISPATCHED"},
		Modern: []string{"REQUEST-DISPATCHED"},
	}, {
		Name: string(keepsResults), defect: keepsResults, Side: history.Server, Scenario: "aimed-cancels",
		Doc:    "keeps errors of cancelled calls to itself, and sends what their tools returned all the same: CANCEL-NO-RESPONSE, CANCEL-SILENCE",
		Legacy: []string{"CANCEL-NO-RESPONSE"},
		Modern: []string{"CANCEL-SILENCE"},
	}, {
		Name: string(leaksAtEOF), defect: leaksAtEOF, Side: history.Server, Scenario: "close-with-work-in-flight",
		Doc:    "leaves a goroutine behind for every call that was under way when the client went: NO-LEAK",
		Legacy: []string{"NO-LEAK"},
		Modern: []string{"NO-LEAK"},
	}, {
		Name: string(leaksOnTimeout), defect: leaksOnTimeout, Side: history.Client, Scenario: "soak-for-leaks",
		Doc:    "leaves a goroutine behind for every call whose time was up: NO-LEAK",
		Legacy: []string{"NO-LEAK"},
		Modern: []string{"NO-LEAK"},
	}, {
		Name: string(waitsPastDeadline), defect: waitsPastDeadline, Side: history.Client, Scenario: "timeout-storm",
		Doc:    "cancels when the time is up, and holds the caller until a response comes: CALLER-UNBLOCKS",
		Legacy: []string{"CALLER-UNBLOCKS"},
		Modern: []string{"CALLER-UNBLOCKS"},
	}, {
		Name: string(losesHeldCancels), defect: losesHeldCancels, Side: history.Client, Scenario: "stalled-writer",
		Doc:    "forgets a cancel that cannot be written at once: CANCEL-STDIO-REQUIRED, CANCEL-CLIENT-NOTIFIES",
		Legacy: []string{"CANCEL-CLIENT-NOTIFIES"},
		Modern: []string{"CANCEL-STDIO-REQUIRED"},
	}, {
		Name: string(staleTimers), defect: staleTimers, Side: history.Client, Scenario: "timeout-storm",
		Doc:    "lets the timer of an answered call run on, which then cancels an id that is yet to be used: CANCEL-ONLY-ISSUED",
		Legacy: []string{"CANCEL-ONLY-ISSUED"},
		Modern: []string{"CANCEL-ONLY-ISSUED"},
	}}
}

// maxWorkers is how many calls the server with a deaf queue works on at a time.
const maxWorkers = 5

// A loaded is what the mutants of a server remember of its load.
type loaded struct {
	workers chan struct{}  // holds a token for each call that is worked on
	waiting map[*call]bool // for a worker. Guarded by gate.mu
	skip    bool           // the next call. Guarded by gate.mu
}

func newLoaded() loaded {
	return loaded{workers: make(chan struct{}, maxWorkers), waiting: map[*call]bool{}}
}

// enter runs before a call is worked on, and returns what is to run after it.
func (n *session) enter(c *call) (leave func()) {
	if n.defect != queueDeaf {
		return func() {}
	}
	n.wait(c, true)
	n.load.workers <- struct{}{}
	n.wait(c, false)
	return func() { <-n.load.workers }
}

func (n *session) wait(c *call, waits bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.load.waiting[c] = waits
}

// deafTo reports whether a cancel of c is ignored for now. The caller holds mu.
func (n *session) deafTo(c *call) bool { return n.load.waiting[c] }

// skipNext has the call forgotten that is read next.
func (n *session) skipNext() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.load.skip = true
}

// skips reports whether a call is to be forgotten.
func (n *session) skips() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	skip := n.load.skip
	n.load.skip = false
	return skip
}

// leakAll leaves a goroutine behind for each call that is under way.
func (n *session) leakAll() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for range n.inflight {
		go func() { <-n.parked }()
	}
}

// succeeded reports whether a frame is a result, and none of a tool that failed.
func succeeded(frame []byte) bool {
	return bytes.Contains(frame, []byte(`"isError":false`))
}

// afterReply runs in a caller whose call was answered in time.
func (l *link) afterReply(ctx context.Context) {
	deadline, timed := ctx.Deadline()
	if l.defect != staleTimers || !timed {
		return
	}
	time.AfterFunc(time.Until(deadline), func() {
		l.mu.Lock()
		next := strconv.FormatInt(l.lastID+1, 10)
		l.mu.Unlock()
		// A link that is down takes no notification.
		_ = l.tell(protocol.AppendCancelled(nil, next, "a timer fired"))
	})
}

// afterTimeout runs in a caller whose time was up, once its request is forgotten.
func (l *link) afterTimeout(ctx context.Context, w *waiter) {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return
	}
	switch l.defect {
	case leaksOnTimeout:
		go func() { <-l.parked }()
	case waitsPastDeadline:
		if l.expectAgain(w) {
			<-w.reply
		}
	}
}

// heldUp reports whether a cancel is forgotten because the writer is busy. The
// caller holds mu.
func (l *link) heldUp() bool { return l.defect == losesHeldCancels && l.writing }
