package reference

import (
	"fmt"
	"io"
	"sync"
)

// A lane is one way out of a session: what is written to it reaches the client in
// that order. A byte stream has one, which everybody shares. Over HTTP what a client
// posts has a lane of its own for what comes of it, and so has the client's own stream.
//
// The turn and whatever is guarded by it wait for the network; nothing that a reader
// needs does.
type lane struct {
	turn chan struct{} // holds a token while somebody writes
	out  outlet        // of who has the turn

	gathering *[][]byte // the answers to a batch, while they are put together; nil: frames are written. Of who has the turn

	mu      sync.Mutex    // guards the rest
	writers int           // who may still write to it without being asked to
	spent   bool          // there are none, nor will be
	asked   int           // requests that are answered by it
	dropped int           // of these, those that were cancelled
	over    chan struct{} // closed when the lane is spent
}

// An outlet takes the frames of a lane to the client. Send blocks until the network has
// taken one. What becomes of a frame that it does not take is the outlet's business.
type outlet interface{ send(frame []byte) }

// newLane makes a lane with one writer.
func newLane(out outlet) *lane {
	return &lane{turn: make(chan struct{}, 1), out: out, writers: 1, over: make(chan struct{})}
}

// take waits for the turn, yield gives it back.
func (l *lane) take() { l.turn <- struct{}{} }

func (l *lane) yield() { <-l.turn }

// write writes a frame, which the caller gives away. The caller has the turn.
func (l *lane) write(frame []byte) {
	if l.gathering != nil {
		*l.gathering = append(*l.gathering, frame)
		return
	}
	l.out.send(frame)
}

// join counts one more writer, until the function that it returns is called for the
// first time.
func (l *lane) join() (leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writers++
	return sync.OnceFunc(l.leave)
}

// leave counts one writer less. The last one ends the lane.
func (l *lane) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writers--
	if l.writers == 0 && !l.spent {
		l.spent = true
		close(l.over)
	}
}

func (l *lane) isOver() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.spent
}

// ask counts a request that is answered by the lane, drop one that is cancelled.
func (l *lane) ask() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
}

func (l *lane) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dropped++
}

// dead reports whether all requests that were to be answered by the lane are cancelled.
func (l *lane) dead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked > 0 && l.asked == l.dropped
}

// spawn runs f beside the reader. What f writes goes to l.
func (n *session) spawn(l *lane, f func()) {
	leave := l.join()
	n.running.Go(func() {
		defer leave()
		f()
	})
}

// say has frames written, one behind the other, without making the caller wait.
func (n *session) say(l *lane, frames ...[]byte) {
	n.spawn(l, func() {
		l.take()
		defer l.yield()
		for _, f := range frames {
			l.write(f)
		}
	})
}

// reaches reports whether what was written last has been taken to the client, as far as
// the server knows, and not only kept for who resumes. The caller has the turn.
func (l *lane) reaches() bool {
	st, ok := l.out.(*stream)
	return !ok || st.carrier != nil
}

// takeReaching takes the turn of a lane and returns it, or that of the session's own if
// nobody carries the first: what is said by the way is better said there than kept.
func (n *session) takeReaching(l *lane) *lane {
	l.take()
	if l.reaches() || l == n.lane {
		return l
	}
	l.yield()
	n.lane.take()
	return n.lane
}

// A lineOutlet writes frames to a byte stream, a line each. A write that fails ends the
// session, since the client cannot be answered any more.
type lineOutlet struct {
	session *session
	to      io.Writer
}

func (o lineOutlet) send(frame []byte) {
	if _, err := o.to.Write(append(frame, '\n')); err != nil {
		o.session.end(fmt.Errorf("write a frame: %w", err))
	}
}
