package history

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// MaxEvents bounds the events of one world.
const MaxEvents = 5_000_000

// ErrFull is what [Recorder.Err] returns once MaxEvents have been recorded and
// more were offered.
var ErrFull = errors.New("the history is full")

// A Recorder collects the events of one world in the order in which they are
// added. It is safe for concurrent use. A nil Recorder records nothing, so that
// what is observed can be switched off without a condition at every tap.
type Recorder struct {
	now   func() time.Duration
	sink  func(*Event) error
	limit int

	mu     sync.Mutex // guards what follows, and makes At rise with Seq
	events []Event
	dead   Side // of which nothing is recorded any more; "": both live
	err    error
}

// firstEvents is the room that a recorder begins with: a world of four calls
// fits without growing.
const firstEvents = 192

// NewRecorder returns an empty recorder. now tells the time since the start of
// the world. sink, unless it is nil, gets every event as soon as it is recorded,
// for worlds that may take the process with them; after its first error it is
// not called again. Both are called under the recorder's lock and must not call
// the recorder.
func NewRecorder(now func() time.Duration, sink func(*Event) error) *Recorder {
	return &Recorder{now: now, sink: sink, limit: MaxEvents, events: make([]Event, 0, firstEvents)}
}

// Add appends e, after setting its Seq and At, and returns its Seq. It returns
// -1 when nothing is recorded: on a nil recorder, when the history is full, or
// when e is of a side that has had its last event.
func (r *Recorder) Add(e Event) int {
	if r == nil {
		return -1
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.add(e)
}

// AddLast is Add for the last event of a side. Of what is offered for the side
// afterwards only Unread is recorded, which is no act of its own.
func (r *Recorder) AddLast(e Event) int {
	if r == nil {
		return -1
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { r.dead = e.Side }()
	return r.add(e)
}

// add is Add under the lock.
func (r *Recorder) add(e Event) int {
	if r.dead != "" && e.Side == r.dead && e.Kind != Unread {
		return -1
	}
	if len(r.events) >= r.limit {
		if r.err == nil {
			r.err = fmt.Errorf("record event %d: %w", r.limit, ErrFull)
		}
		return -1
	}
	e.Seq, e.At = len(r.events), r.now()
	r.events = append(r.events, e)
	r.stream(&r.events[e.Seq])
	return e.Seq
}

func (r *Recorder) stream(e *Event) {
	if r.sink == nil {
		return
	}
	if err := r.sink(e); err != nil {
		r.sink = nil
		r.err = errors.Join(r.err, fmt.Errorf("stream event %d: %w", e.Seq, err))
	}
}

// Len is the number of events so far.
func (r *Recorder) Len() int {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.events)
}

// Err says why the history is not whole: [ErrFull], or the sink's first error.
func (r *Recorder) Err() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// History returns what was recorded so far under the given header, or nil from a
// nil recorder. Events that are added later do not show in it.
func (r *Recorder) History(h Header) *History {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return &History{Header: h, Events: r.events[:len(r.events):len(r.events)]}
}
