package reference

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A link is a client's side of a connection: a carrier that reads, a writer with a queue
// between it and the callers, and the requests that wait for their answer. The
// queue holds at most one frame for each request that was ever under way at once
// and maxReplies answers to the server; and while the network takes none, each
// cancel as often as it is repeated, and what mischief adds: the strays of each call.
type link struct {
	carrier carrier
	version string
	modern  bool
	defect  defect
	parked  <-chan struct{} // nobody closes it but a test; see leaksOnTimeout
	repeat  int             // how many times each cancel is written again
	ends    sync.WaitGroup  // the writer, and whoever reads
	posts   bool            // over HTTP, where each frame travels alone
	closes  bool            // and a request is cancelled by closing what carries it, not by a notification

	env  sim.ClientEnv
	ctx  context.Context // of the application's answers
	stop context.CancelFunc

	mu       sync.Mutex            // guards what follows; nobody waits for the network with it
	asked    map[string]*answering // what the server asks, by raw id
	changed  *sync.Cond            // the queue or down changed; the writer waits for it
	lastID   int64
	waiting  map[string]*waiter // by raw id; of several with one id, the oldest
	queue    []*outgoing        // frames that the writer has not begun
	writing  bool               // the writer is at a frame, see heldUp
	replying int                // what is not a request and on its way over HTTP
	pranks   pranks
	down     error    // why no request is taken any more; nil while it is up
	free     []string // ids that a mutant uses again
	held     *waiter  // whose request waits for something to be in a batch with
}

// closeGrace is how long a server has to hang up after its client did.
const closeGrace = 5 * time.Second

// maxReplies bounds how many answers may wait for a server that asks and does
// not read.
const maxReplies = 1024

var errClosing = errors.New("the session is closed")

// openLink starts the goroutines of a link. They end when the link goes down; close and
// abort wait for them.
func openLink(conn sim.Conn, c *client) *link {
	l := &link{
		version: c.caller.Version, modern: protocol.Modern(c.caller.Version), defect: c.defect, repeat: c.repeat, parked: c.parked,
		waiting: map[string]*waiter{}, env: c.env, asked: map[string]*answering{},
	}
	l.ctx, l.stop = context.WithCancel(context.Background())
	l.changed = sync.NewCond(&l.mu)
	switch c.env.Transport {
	case sim.StreamableHTTP, sim.HTTPSSE:
		l.posts, l.closes = true, l.modern || c.defect == onlyDrops
		l.carrier = newWeb(l, conn, c.env.Transport)
	default:
		l.carrier = newPipe(l, conn)
	}
	l.carrier.start()
	l.ends.Go(l.write)
	return l
}

// ask makes a request and blocks until it is answered, ctx ends or the link goes
// down.
func (l *link) ask(ctx context.Context, q question) (*history.Message, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w, err := l.issue(q)
	if err != nil {
		return nil, err
	}
	select {
	case m := <-w.reply:
		l.afterReply(ctx)
		return l.answered(w, m)
	case <-ctx.Done():
	}
	if l.giveUp(ctx, w) {
		return l.afterGivingUp(ctx, w)
	}
	return l.answered(w, <-w.reply)
}

// issue puts a request into the queue.
func (l *link) issue(q question) (*waiter, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down != nil {
		return nil, l.down
	}
	w := &waiter{id: l.newID(q.prank), fixed: q.fixed, prank: q.prank, reply: make(chan *history.Message, 1)}
	l.pranks.issued(w.id, q)
	w.outgoing = outgoing{line: append(q.frame(make([]byte, 0, frameSize), w.id), '\n'), request: true, of: w}
	l.await(w)
	l.send(w)
	l.afterIssue(w)
	return w, nil
}

// enqueue adds a frame to the queue. The caller holds mu.
func (l *link) enqueue(o *outgoing) {
	l.queue = append(l.queue, o)
	l.changed.Signal()
}

// answered turns what came out of a waiter's channel into ask's result.
func (l *link) answered(w *waiter, m *history.Message) (*history.Message, error) {
	if m != nil {
		return m, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return nil, cmp.Or(w.lost, l.down)
}

// isUp reports whether requests are still taken.
func (l *link) isUp() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.down == nil
}

// tell queues a notification.
func (l *link) tell(frame []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down != nil {
		return l.down
	}
	l.enqueue(&outgoing{line: append(frame, '\n')})
	return nil
}

// announce is tell for a notification that the server has to accept before anything else
// is said. Over a byte stream it need not, since it reads one frame after the other.
func (l *link) announce(ctx context.Context, frame []byte) error {
	o := &outgoing{line: append(frame, '\n'), seen: make(chan error, 1)}
	l.mu.Lock()
	err := l.down
	if err == nil {
		l.enqueue(o)
	}
	l.mu.Unlock()
	if err != nil || !l.posts {
		return err
	}
	select {
	case err := <-o.seen:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-l.ctx.Done():
		return l.whyDown()
	}
}

func (l *link) whyDown() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.down
}

// write is the writer: it writes the queue in order until the link goes down and
// the queue is empty, and then bids farewell.
func (l *link) write() {
	for o := l.next(); o != nil; o = l.next() {
		if err := l.carrier.carry(o); err != nil {
			l.fail(fmt.Errorf("write a frame: %w", err))
		}
		o.each((*outgoing).finish)
	}
	// Whoever waits for the writer hangs up and reports what this one says.
	_ = l.carrier.farewell()
}

// next blocks for the next frame to write; nil: there will be none. What it
// returns is written in the same step, so that begun is the truth.
func (l *link) next() *outgoing {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writing = false
	for len(l.queue) == 0 {
		if l.down != nil {
			return nil
		}
		l.changed.Wait()
	}
	i := l.pick()
	o := l.queue[i]
	l.queue = slices.Delete(l.queue, i, i+1)
	o.each(func(o *outgoing) { o.begun = true })
	l.writing = true
	return o
}

// receiveAll acts on a frame, which may be a batch.
func (l *link) receiveAll(m *history.Message) error {
	members := protocol.Members(m, l.version)
	if members == nil {
		return l.receive(m)
	}
	for _, m := range members {
		if err := l.receive(m); err != nil {
			return err
		}
	}
	return nil
}

// receive acts on one message. An error ends the link.
func (l *link) receive(m *history.Message) error {
	switch {
	case m.IsReply():
		return l.deliver(m)
	case m.Kind == history.Request && !l.modern:
		return l.serve(m)
	case m.IsCancel():
		if !l.modern {
			l.retracted(m.Ref)
		}
		return l.afterServerCancel(m)
	case m.Method == protocol.Progress:
		return l.afterProgress(m)
	case m.Kind == history.Invalid && !l.foreign(m):
		// It may have been the answer that somebody waits for.
		return fmt.Errorf("the server sent what is no JSON-RPC message: %.60q", m.Raw)
	}
	// Notifications need no action. In the modern era a server must not ask,
	// and a client must not answer.
	return nil
}

// foreign reports whether a damaged message names an id that nobody waits for.
func (l *link) foreign(m *history.Message) bool {
	id := protocol.Member(m.Raw, "id")
	l.mu.Lock()
	defer l.mu.Unlock()
	return id != "" && l.waiting[id] == nil
}

// deliver hands an answer to its caller. One that nobody waits for is dropped:
// the answer to a cancelled request, most likely.
func (l *link) deliver(m *history.Message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.waiterFor(m.ID)
	l.pranks.answered(m.ID, w != nil)
	if w == nil {
		return l.afterStrayReply(m)
	}
	l.drop(w)
	w.reply <- m
	w.settle()
	l.afterDelivery(w, m)
	return nil
}

// lose releases the caller of a request that will not be answered, because of err. It
// does nothing if nobody waits any more.
func (l *link) lose(w *waiter, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.drop(w) {
		w.lost = err
		close(w.reply)
	}
}

// reply queues the answer to a request of a legacy server's.
func (l *link) reply(frame []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.enqueueReply(frame)
}

// enqueueReply is reply for one who holds mu.
func (l *link) enqueueReply(frame []byte) error {
	if len(l.queue)+l.replying >= maxReplies+len(l.waiting) {
		return errTooMany
	}
	l.enqueue(&outgoing{line: append(frame, '\n')})
	return nil
}

// fail takes the link down because of err: nothing is written any more, both
// ends are closed.
func (l *link) fail(err error) {
	l.mu.Lock()
	l.takeDown(err)
	for _, o := range l.queue {
		o.each((*outgoing).finish)
	}
	l.queue = nil
	l.mu.Unlock()
	// Whoever waits for the link hangs up again and reports what this one says.
	_ = l.carrier.hangup()
}

// takeDown refuses further requests and releases the callers of those under way.
// The caller holds mu.
func (l *link) takeDown(err error) {
	if l.down == nil {
		l.down = err
	}
	for _, w := range l.waiting {
		for ; w != nil; w = w.behind {
			close(w.reply)
		}
	}
	clear(l.waiting)
	l.held = nil
	l.stop()
	l.changed.Signal()
}

// abort takes the link down and waits for its goroutines.
func (l *link) abort(err error) {
	l.fail(err)
	l.ends.Wait()
}

// close ends the session in an orderly way; see client.Close. What waits in the
// queue is written, except requests, whose callers have been released.
func (l *link) close() error {
	if l.beforeClose() {
		return nil
	}
	return l.shutDown()
}

func (l *link) shutDown() error {
	l.mu.Lock()
	l.takeDown(errClosing)
	l.strike(func(o *outgoing) bool { return o.request })
	l.mu.Unlock()
	grace := time.AfterFunc(closeGrace, func() { l.fail(errClosing) })
	l.ends.Wait()
	if !grace.Stop() {
		return errors.Join(fmt.Errorf("close: the server did not hang up within %v", closeGrace), l.carrier.hangup())
	}
	return l.carrier.hangup()
}
