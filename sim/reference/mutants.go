package reference

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A defect is what is wrong with a mutant; none, with the strict peers. Code
// consults it at the one place where it makes a difference.
type defect string

const none defect = ""

// The server's defects.
const (
	ignoresCancel       defect = "ignores-cancel"
	orphansWork         defect = "orphans-work"
	tellsLate           defect = "tells-late"
	answersCancelled    defect = "answers-cancelled"
	answersTwice        defect = "answers-twice"
	progressAfterCancel defect = "progress-after-cancel"
	leaksOnCancel       defect = "leaks-on-cancel"
	diesOnStrayCancel   defect = "dies-on-stray-cancel"
	heedsToolsOnly      defect = "heeds-tools-only"
)

// The client's defects.
const (
	neverNotifies      defect = "never-notifies"
	forgetsTimeouts    defect = "forgets-timeouts"
	cancelsUnissued    defect = "cancels-unissued"
	lateValue          defect = "late-value"
	callerBlocks       defect = "caller-blocks"
	diesOnLateResponse defect = "dies-on-late-response"
	returnsWhenSent    defect = "returns-when-sent"
	cancelsLast        defect = "cancels-last"
)

// A Mutant is the reference with one defect.
type Mutant struct {
	Name string
	Doc  string       // the defect, and the rule that must catch it
	Side history.Side // the side that the defect is on
	// Legacy and Modern are the rules that must fail in the two eras when the
	// other side is the reference, sorted. No other rule may fail. Verdicts that
	// are marked as implied by a stricter one are not listed.
	//
	// They hold for a load that gives every defect its chance: tools that stop
	// when told, one of which reports progress that was asked for, and a network
	// slow enough for cancels and responses to cross.
	Legacy, Modern []string
	// Only lists the versions that have what the defect is about; nil: all of them.
	Only []string
	// Over lists the transports that have what the defect is about. Legacy and Modern hold
	// for that of the scenario.
	Over []string
	// Scenario is the one of the catalogue that is such a load; empty: cancel-storm.
	Scenario string
	// Until is the last protocol version at which it is a defect; empty: it is one to
	// this day, or as Legacy and Modern say.
	Until string

	defect defect
}

// Target is the mutant's name as a target.
func (m Mutant) Target() string { return "mutant:" + m.Name }

// Expect returns the rules that must fail under a version of the specification.
func (m Mutant) Expect(version string) []string {
	if m.Until != "" && version > m.Until || m.Only != nil && !slices.Contains(m.Only, version) {
		return nil
	}
	if protocol.Modern(version) {
		return m.Modern
	}
	return m.Legacy
}

// Mutants returns the table of all mutants: those of the server, then those of
// the client, those whose defect shows when a session ends, those that get calls
// wrong that nobody cancels, those whose messages are wrong in themselves, those
// that take a certain load, those of what servers ask, those that mischief
// brings out, those of tasks and subscriptions, and those of HTTP.
func Mutants() []Mutant {
	all := slices.Concat(serverMutants(), clientMutants(), endMutants(), callMutants(), wireMutants(), loadMutants(),
		nestedMutants(), idMutants(), taskMutants(), listenMutants(), httpMutants())
	for i := range all {
		switch m := &all[i]; {
		case m.Over != nil:
		case slices.Contains(ofStreams(), m.defect):
			m.Over = []string{sim.Stdio}
		default:
			m.Over = sim.Transports()
		}
	}
	return all
}

// ofStreams are the defects of what only a byte stream has: an end that one side closes
// and the other reads, and an order in which everything is written.
func ofStreams() []defect {
	return []defect{ignoresEOF, dropsAtEOF, leaksAtEOF, strandsCallers, hangsUpLate, returnsWhenSent, cancelsLast, losesHeldCancels}
}

func serverMutants() []Mutant {
	return []Mutant{{
		Name: string(ignoresCancel), defect: ignoresCancel, Side: history.Server,
		Doc:    "never tells the handler and answers as if nothing had happened: CANCEL-STOP-WORK",
		Legacy: []string{"CANCEL-NO-RESPONSE", "CANCEL-STOP-WORK", "PROGRESS-AFTER-CANCEL"},
		Modern: []string{"CANCEL-SILENCE", "CANCEL-STOP-WORK"},
	}, {
		Name: string(orphansWork), defect: orphansWork, Side: history.Server,
		Doc:    "falls silent, but never tells the handler: CANCEL-STOP-WORK",
		Legacy: []string{"CANCEL-STOP-WORK"},
		Modern: []string{"CANCEL-STOP-WORK"},
	}, {
		Name: string(tellsLate), defect: tellsLate, Side: history.Server,
		Doc:    "falls silent, and tells the handler 50 ms later: CANCEL-STOP-WORK",
		Legacy: []string{"CANCEL-STOP-WORK"},
		Modern: []string{"CANCEL-STOP-WORK"},
	}, {
		Name: string(answersCancelled), defect: answersCancelled, Side: history.Server,
		Doc:    "tells the handler and answers with an error once it has stopped: CANCEL-NO-RESPONSE, CANCEL-SILENCE",
		Legacy: []string{"CANCEL-NO-RESPONSE"},
		Modern: []string{"CANCEL-SILENCE"},
	}, {
		Name: string(answersTwice), defect: answersTwice, Side: history.Server,
		Doc:    "answers with an error at the cancel, and again with what the handler returns: RESP-ONCE",
		Legacy: []string{"CANCEL-NO-RESPONSE", "RESP-ONCE"},
		Modern: []string{"CANCEL-SILENCE", "RESP-ONCE"},
	}, {
		Name: string(progressAfterCancel), defect: progressAfterCancel, Side: history.Server,
		Doc:    "does not answer, but reports progress once more when the handler has stopped: PROGRESS-AFTER-CANCEL, CANCEL-SILENCE",
		Legacy: []string{"PROGRESS-AFTER-CANCEL"},
		Modern: []string{"CANCEL-SILENCE"},
	}, {
		Name: string(leaksOnCancel), defect: leaksOnCancel, Side: history.Server,
		Doc:    "leaves a goroutine behind for every cancel that hits: NO-LEAK",
		Legacy: []string{"NO-LEAK"},
		Modern: []string{"NO-LEAK"},
	}, {
		Name: string(diesOnStrayCancel), defect: diesOnStrayCancel, Side: history.Server,
		Doc:    "closes the session when a cancel names a call that it does not know any more: RACE-GRACEFUL",
		Legacy: []string{"RACE-GRACEFUL"},
		Modern: []string{"RACE-GRACEFUL"},
	}, {
		Name: string(heedsToolsOnly), defect: heedsToolsOnly, Side: history.Server,
		Doc:      "heeds cancels of tools/call, and ignores those of everything else: CANCEL-STOP-WORK",
		Scenario: "every-call",
		Legacy:   []string{"CANCEL-NO-RESPONSE", "CANCEL-STOP-WORK", "PROGRESS-AFTER-CANCEL"},
		Modern:   []string{"CANCEL-SILENCE", "CANCEL-STOP-WORK"},
	}}
}

func clientMutants() []Mutant {
	return []Mutant{{
		Name: string(neverNotifies), defect: neverNotifies, Side: history.Client,
		Doc:    "returns to the caller and tells the server nothing: CANCEL-STDIO-REQUIRED, CANCEL-CLIENT-NOTIFIES",
		Legacy: []string{"CANCEL-CLIENT-NOTIFIES"},
		Modern: []string{"CANCEL-STDIO-REQUIRED"},
	}, {
		Name: string(forgetsTimeouts), defect: forgetsTimeouts, Side: history.Client,
		Doc:      "returns to a caller whose time is up, and tells the server nothing: TIMEOUT-CANCEL",
		Scenario: "every-call",
		Legacy:   []string{"TIMEOUT-CANCEL"},
		Modern:   []string{"TIMEOUT-CANCEL"},
	}, {
		Name: string(cancelsUnissued), defect: cancelsUnissued, Side: history.Client,
		Doc:    "cancels an id that it never used instead of the call's: CANCEL-ONLY-ISSUED",
		Legacy: []string{"CANCEL-CLIENT-NOTIFIES", "CANCEL-ONLY-ISSUED"},
		Modern: []string{"CANCEL-ONLY-ISSUED", "CANCEL-STDIO-REQUIRED"},
	}, {
		Name: string(lateValue), defect: lateValue, Side: history.Client,
		Doc:    "cancels, and still returns the value of a response that comes within a second: LATE-IGNORED",
		Legacy: []string{"LATE-IGNORED"},
		Modern: []string{"LATE-IGNORED"},
	}, {
		Name: string(callerBlocks), defect: callerBlocks, Side: history.Client,
		Doc:    "cancels, and holds the caller until a response comes: CALLER-UNBLOCKS",
		Legacy: []string{"CALLER-UNBLOCKS"},
		Modern: []string{"CALLER-UNBLOCKS"},
	}, {
		Name: string(diesOnLateResponse), defect: diesOnLateResponse, Side: history.Client,
		Doc:    "closes the session when a response comes that nobody waits for: RACE-GRACEFUL",
		Legacy: []string{"RACE-GRACEFUL"},
		Modern: []string{"RACE-GRACEFUL"},
	}, {
		Name: string(returnsWhenSent), defect: returnsWhenSent, Side: history.Client, Scenario: "shaky-network",
		Doc:    "cancels, and holds the caller until the network has taken the cancel: CANCEL-NONBLOCKING",
		Legacy: []string{"CANCEL-NONBLOCKING"},
		Modern: []string{"CANCEL-NONBLOCKING"},
	}, {
		Name: string(cancelsLast), defect: cancelsLast, Side: history.Client, Scenario: "shaky-network",
		Doc:    "writes requests before the cancels that wait to be written, however old: CANCEL-ORDER",
		Legacy: []string{"CANCEL-ORDER"},
		Modern: []string{"CANCEL-ORDER"},
	}}
}

// What follows is what the mutants do. The strict peers call these functions at
// the moments that the names say, and nothing happens.

// lateBy is how long the server that tells late waits.
const lateBy = 50 * time.Millisecond

// beyondCancel reports whether a mutant takes a request for one that cannot be
// cancelled.
func (n *session) beyondCancel(method string) bool {
	return n.defect == heedsToolsOnly && method != protocol.ToolsCall
}

// tellHandler runs in the server's reader when a cancel has closed c.
func (n *session) tellHandler(c *call) {
	switch n.defect {
	case orphansWork:
	case tellsLate:
		time.AfterFunc(lateBy, c.tell) // harmless when the call is over by then
	default:
		c.tell()
	}
}

// afterCancel runs in the server's reader when a cancel has closed c
// and the handler's turn to be told is over.
func (n *session) afterCancel(c *call) {
	switch n.defect {
	case answersTwice:
		n.say(c.lane, refused(c))
	case leaksOnCancel:
		go func() { <-n.parked }()
	case dropsAfterCancel:
		n.skipNext()
	}
	n.hit(c)
}

// afterSilence runs when the handler of the cancelled c has ended and frame,
// which would answer it, is not written. The caller has the turn.
func (n *session) afterSilence(c *call, frame []byte) {
	switch n.defect {
	case answersCancelled:
		c.lane.write(refused(c))
	case answersByOwnStream:
		if n.exchange == nil {
			n.say(n.lane, refused(c))
		}
	case answersTwice:
		c.lane.write(frame)
	case keepsResults:
		if succeeded(frame) {
			c.lane.write(frame)
		}
	case progressAfterCancel:
		if c.token != "" {
			c.lane.write(protocol.AppendProgress(nil, c.token, n.oneMore(c)))
		}
	}
}

// afterStrayCancel runs in the server's reader when a cancel has hit nothing.
func (n *session) afterStrayCancel(m *history.Message) {
	if n.defect == diesOnStrayCancel && m.Ref != "" {
		n.end(errors.New("a cancel names the unknown request " + m.Ref))
	}
	n.strayed(m)
}

func refused(c *call) []byte {
	return protocol.AppendError(nil, c.id, protocol.RPCError{Code: protocol.InternalError, Message: "request cancelled"})
}

// oneMore returns a figure of progress that is higher than the last.
func (n *session) oneMore(c *call) float64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return max(c.figure, 0) + 1
}

// keepsQuiet reports whether the client tells the server nothing of a caller that
// gave up.
func (l *link) keepsQuiet(ctx context.Context) bool {
	return l.defect == neverNotifies || l.heldUp() || l.defect == forgetsTimeouts && errors.Is(ctx.Err(), context.DeadlineExceeded)
}

// idToCancel returns the id that the client's cancel of w names.
func (l *link) idToCancel(w *waiter) string {
	if l.defect != cancelsUnissued {
		return w.id
	}
	id, err := strconv.Atoi(w.id)
	if err != nil {
		return `"never used"` // the id is one that a scenario wants
	}
	return strconv.Itoa(id + 1_000_000)
}

// afterGivingUp runs in the caller once its request is forgotten, and returns
// what the caller gets.
func (l *link) afterGivingUp(ctx context.Context, w *waiter) (*history.Message, error) {
	if w.cancel != nil && w.cancel.gone != nil {
		<-w.cancel.gone
	}
	l.afterTimeout(ctx, w)
	if l.defect != lateValue && l.defect != callerBlocks || !l.expectAgain(w) {
		return nil, ctx.Err()
	}
	if l.defect == callerBlocks {
		<-w.reply
		return nil, ctx.Err()
	}
	patience := time.NewTimer(time.Second)
	defer patience.Stop()
	select {
	case m := <-w.reply:
		return l.answered(w, m)
	case <-patience.C:
		return nil, ctx.Err()
	}
}

// cancelOf makes the frame of a cancel.
func (l *link) cancelOf(line []byte) *outgoing {
	o := &outgoing{line: line}
	if l.defect == returnsWhenSent {
		o.gone = make(chan struct{})
	}
	return o
}

// pick chooses which frame of the queue, which is not empty, is written next. The
// caller holds mu.
func (l *link) pick() int {
	if l.defect != cancelsLast {
		return 0
	}
	return max(slices.IndexFunc(l.queue, func(o *outgoing) bool { return o.request }), 0)
}

// expectAgain takes a request up again that was given up. It reports false when
// the link is down.
func (l *link) expectAgain(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down == nil {
		l.await(w)
	}
	return l.down == nil
}

// afterStrayReply runs in the client's reader when nobody waits for m.
func (l *link) afterStrayReply(m *history.Message) error {
	if l.defect == diesOnLateResponse && m.ID != "" || l.defect == diesOnStrayAnswer && !l.everUsed(m.ID) {
		return errors.New("nobody waits for the response to request " + m.ID)
	}
	return nil
}
