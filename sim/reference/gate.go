package reference

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A call is a request that the server has read and not yet answered.
type call struct {
	id     string // raw JSON
	lane   *lane  // what is said of it goes there
	batch  *batch // that it came in; nil: none
	passed func() // says, once, that the batch need not wait for it any longer
	leave  func() // says, once, that nothing more will be said of it
	token  string // progress token, raw JSON; empty: none was given
	fixed  bool   // cannot be cancelled
	ctx    context.Context
	tell   context.CancelFunc // tells the handler to stop

	born     time.Time // when it was read
	control  bool      // nobody is going to cancel it, for all that the scenario knows
	pranks   []string  // what the scenario has the server do with it
	answerAs string    // of a mutant's: the id to answer under. Guarded by gate.mu

	closed bool    // nothing more may be sent for it. Guarded by gate.mu
	figure float64 // of the last progress. Guarded by gate.mu
}

// dismiss has the exchange end that carries what is said of c; see [sim.Dismiss].
func (c *call) dismiss(wait time.Duration) {
	if st, ok := c.lane.out.(*stream); ok {
		st.part(wait)
	}
}

// A gate is what decides whether something may still be said of a call. Whoever wants
// to write waits for the turn of the call's lane, then asks under mu whether the call is
// still open, and writes at once. The reader needs mu alone, which nobody holds while
// waiting. Hence:
//
//	reader   … Read returns cancel 7 ─▶ closes call 7 …
//	handler  … waits for its turn ────────────────────▶ finds 7 closed, writes nothing
type gate struct {
	complaints chan struct{} // holds a token for each error reply without an id under way

	mu       sync.Mutex       // guards the rest, and closed and figure of every call
	inflight map[string]*call // by raw id
	subs     []*subscription  // those that are open, in the order in which they were acknowledged
	retired  bool             // subscriptions end as soon as they have begun
	deafened bool             // see keepsSecret
	over     bool             // the session has an outcome
	err      error            // the outcome
	stale    string           // the text of the result before; see textFor
	spoken   string           // the text of the latest result; see speak
	calls    int              // of tools, so far; see beforeCall
	load     loaded
	tasks    []*task // in the order in which they began
}

// maxComplaints bounds the error replies without an id that wait to be written.
// They are advice that no caller waits for; further ones are not given.
const maxComplaints = 16

func newGate() gate {
	return gate{
		complaints: make(chan struct{}, maxComplaints),
		inflight:   map[string]*call{},
		load:       newLoaded(),
	}
}

// register makes a request known, so that it can be cancelled and answered. It
// refuses an id that cannot be answered without being mistaken for another.
func (n *session) register(m *history.Message, l *lane) (*call, error) {
	if !proper(m.ID) {
		return nil, fmt.Errorf("the id %s is neither a string nor an integer", m.ID)
	}
	c := &call{id: m.ID, lane: l, token: m.Token, figure: math.Inf(-1), born: time.Now()}
	c.fixed = m.Method == protocol.Initialize && !protocol.Modern(n.version) || n.beyondCancel(m.Method)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.inflight[c.id] != nil {
		return nil, fmt.Errorf("the id %s belongs to a request that is not answered yet", m.ID)
	}
	n.inflight[c.id] = c
	l.ask()
	return c, nil
}

// cancelled acts on a notifications/cancelled. An id that is missing, unknown or answered already is ignored, and so is one of a
// request that cannot be cancelled.
func (n *session) cancelled(m *history.Message) {
	if n.defect == ignoresCancel {
		return
	}
	n.elsewhere(m.Ref)
	c := n.forget(m.Ref)
	if c == nil {
		n.afterStrayCancel(m)
		return
	}
	n.tellHandler(c)
	c.passed()
	n.afterCancel(c)
	n.hold()
}

// forget closes the call with this id and returns it, or nil.
func (n *session) forget(id string) *call {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.inflight[n.heeded(id)]
	if c == nil || c.fixed {
		return nil
	}
	if n.deafTo(c) {
		return nil
	}
	c.closed = true
	delete(n.inflight, c.id)
	c.lane.drop()
	return c
}

// answer writes the frame that answers c, unless c was cancelled before its turn
// came.
func (n *session) answer(c *call, frame []byte) {
	if c.batch != nil {
		c.batch.add(c, frame)
		return
	}
	c.lane.take()
	defer c.lane.yield()
	n.respond(c, frame)
}

// respond is answer for one who has the turn.
func (n *session) respond(c *call, frame []byte) {
	switch {
	case n.settle(c):
		c.lane.write(n.readdress(c, frame))
		n.besideResponse(c, frame)
		n.behind(c, frame)
		n.afterAnswer(c)
	case c.does(sim.LateAnswer):
		c.lane.write(frame)
	default:
		n.afterSilence(c, frame)
	}
}

// settle closes c, which is about to be answered. It reports false when c is
// closed already.
func (n *session) settle(c *call) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.shut(c) {
		return false
	}
	c.closed = true
	delete(n.inflight, c.id)
	return true
}

// stopped returns why the handler of c is to stop, nil if it is not to.
func (n *session) stopped(c *call) error {
	if n.left() {
		return n.exchange.Err()
	}
	return c.ctx.Err()
}

// left reports whether the client has gone, where that cancels what it asked.
func (n *session) left() bool {
	return n.exchange != nil && n.exchange.Err() != nil && n.defect != ignoresCancel
}

// shut reports whether nothing more may be said of c. Where a client cancels by going, it
// may have gone before the session has been told. The caller holds mu.
func (n *session) shut(c *call) bool {
	return c.closed || n.left()
}

var errClosed = errors.New("nothing more may be sent for this request")

// progress reports progress of c if the client gave a token for it.
func (n *session) progress(c *call, figure float64) error {
	if c.token == "" {
		return nil
	}
	l := n.progressLane(c)
	l.take()
	defer l.yield()
	if err := n.advance(c, figure); err != nil {
		return fmt.Errorf("report progress %v: %w", figure, err)
	}
	l.write(n.reported(protocol.AppendProgress(nil, c.token, figure)))
	n.afterProgress(c, figure)
	return nil
}

// advance moves the progress of c to figure, if c is open and figure is more
// than before.
func (n *session) advance(c *call, figure float64) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.shut(c):
		return errClosed
	case !(figure > c.figure) || math.IsInf(figure, 1):
		return fmt.Errorf("the last figure was %v, and it must grow", c.figure)
	}
	c.figure = figure
	return nil
}

// complain writes an error reply without an id, for a frame that cannot be
// answered otherwise. It does not block the reader, who calls it.
func (n *session) complain(l *lane, e protocol.RPCError) {
	select {
	case n.complaints <- struct{}{}:
	default:
		return
	}
	n.spawn(l, func() {
		l.take()
		defer l.yield()
		l.write(protocol.AppendError(nil, "", e))
		<-n.complaints
	})
}

// end gives the session an outcome, if it has none, and closes the connection,
// which ends the reader.
func (n *session) end(err error) {
	n.conclude(err)
	// Serve closes too, and reports what this one says.
	_ = n.hangup()
}

// clientLeft gives the session its good outcome. The connection stays open for
// what is still to be written.
func (n *session) clientLeft() { n.conclude(nil) }

func (n *session) conclude(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.over {
		n.over, n.err = true, err
	}
}

func (n *session) outcome() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.err
}
