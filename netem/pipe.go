package netem

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// ErrReset is what Read and Write return after a reset.
var ErrReset = errors.New("stream reset")

// A PipeConfig says what a pipe does and who watches it. The zero PipeConfig
// is a perfect link that nobody watches.
type PipeConfig struct {
	// Direction gives the bandwidth and the buffer. It must be valid. What else it
	// says takes chance, so it is a description and no rule: see Travel and Stall.
	Direction Direction
	// Raw makes what one Write carries one frame and one segment, whatever its
	// bytes are: no line is looked for. Otherwise frames are lines.
	Raw bool
	// Travel decides how each segment travels; [Direction.Travel] draws it from the
	// distributions. It is asked once a segment, in the order of the stream, one
	// call at a time, while the pipe's state is not locked; it must not use the
	// pipe. It should depend on the identity of the segment alone, since a segment
	// may still be refused when the pipe is closed meanwhile. nil: everything
	// travels at once and whole.
	Travel func(Segment) Travel
	// Stall decides whether the line takes nothing at an instant: it returns when
	// it will again, which is later, or 0 when it does. Instants never decrease. It
	// is called with the pipe's state locked, so it must not use the pipe or block.
	// [Stall.Rule] makes one. nil: the line never stalls.
	Stall func(now time.Duration) (until time.Duration)
	// Tap watches the frames.
	Tap Tap
	// Epoch is the instant from which Frame.Written and Frame.Arrived count. The
	// zero time: the moment of NewPipe.
	Epoch time.Time
	// Counter numbers the frames; pipes that share it share the numbering. Its
	// value is the last index that was given. nil: a counter of the pipe's own.
	Counter *atomic.Int64
}

// NewPipe returns the two ends of a one-way byte pipe. It panics when the
// direction is not valid. Close both ends to be rid of it.
func NewPipe(config PipeConfig) (*Writer, *Reader) {
	if err := config.Direction.Validate(); err != nil {
		panic(fmt.Sprintf("netem: new pipe: %v", err))
	}
	if config.Epoch.IsZero() {
		config.Epoch = time.Now()
	}
	if config.Counter == nil {
		config.Counter = new(atomic.Int64)
	}
	buffer := config.Direction.buffer()
	p := &pipe{config: config, framing: byLine{}, buffer: buffer, free: buffer, line: line{rate: config.Direction.Bandwidth}}
	if config.Raw {
		p.framing = byWrite{}
	}
	p.readBy, p.writeBy, p.knocked, p.refusal = never, never, never, never
	p.readers.L, p.writers.L = &p.mu, &p.mu
	return &Writer{p}, &Reader{p}
}

// A pipe is what the two ends share.
//
//	sent      entered by Write ─▶ accepted into segments ─▶ handed over by Read
//	offsets   entered           ≥ accepted                ≥ handed
type pipe struct {
	config  PipeConfig
	framing framing
	buffer  int // bytes, > 0

	// These two guard no data of the pipe. entry orders the Writes as they enter
	// and is held across Tap.Write; asking is held across the rule, which a Close
	// may want while a Write has the turn.
	entry, asking sync.Mutex

	mu      sync.Mutex // guards everything below
	readers sync.Cond  // something arrived, the end came nearer, or the turn to read is free
	writers sync.Cond  // there is room, the pipe broke, or the turn to write passed on

	// The writing end. Writes take tickets when they enter and send in that order.
	tickets, turn uint64
	open          *Frame // begun, line end not yet entered
	entered       int64
	accepted      int64
	line          line
	reached       time.Duration // when the last that was sent reached the receiving end
	holding       time.Duration // until when that holds back what reaches it; 0: it does not
	lastDue       time.Duration // the last arrival so far
	resumption    *time.Timer   // wakes a waiting Write for the next that it waits for
	writeBy       time.Duration // when a Write gives up
	free          int           // room in the buffer, 0 to buffer bytes
	hungUp        bool          // no more bytes are accepted
	eofDue        time.Duration
	aborted       bool          // the end that arrives then is a reset
	refusal       time.Duration // when the writing end learns that it is not heard
	refusedBy     error         // what Write returns from then on

	// What is between the ends.
	segments fifo[segment]
	frames   fifo[*Frame] // entered, and not handed over in full
	timer    *time.Timer  // wakes a waiting Read for the next arrival
	cutAt    time.Duration
	breaking bool // Reset was called
	broken   bool // and has taken effect

	// The reading end.
	reading bool          // a Read has the turn
	waiting bool          // and waits for something to arrive
	readBy  time.Duration // when a Read gives up
	done    []*Frame      // handed over by the Read that has the turn
	handed  int64
	ended   bool          // a Read has returned io.EOF
	closed  bool          // by Reader.Close
	deaf    bool          // by deafen
	knocked time.Duration // when the first arrives that nobody reads any more
	echo    *echo         // how that is answered; nil: not known yet
}

// A segment is a run of bytes that arrives as one.
type segment struct {
	data []byte // not handed over yet
	due  time.Duration
}

func (p *pipe) now() time.Duration { return time.Since(p.config.Epoch) }

// writeError says why nothing more can be written from now on, or nil.
func (p *pipe) writeError(now time.Duration) error {
	switch {
	case p.breaking:
		return ErrReset
	case p.hungUp, p.closed:
		return io.ErrClosedPipe
	case p.refusal <= now:
		return p.refusedBy
	}
	return nil
}

// schedule returns when what is sent completely at the given instant arrives. It
// reaches the receiving end first, behind everything before it. If that end holds
// something back, it arrives together with that; otherwise it is held back itself
// for as long as its window.
func (p *pipe) schedule(sent time.Duration, t Travel) time.Duration {
	p.reached = max(p.reached+1, plus(sent, t.Delay))
	if p.reached <= p.holding {
		p.lastDue = max(p.lastDue, p.holding)
		return p.lastDue
	}
	p.reached = max(p.reached, p.lastDue+1)
	p.lastDue, p.holding = p.reached, 0
	if t.Window > 0 {
		p.lastDue = plus(p.reached, t.Window)
		p.holding = p.lastDue
	}
	return p.lastDue
}

// scheduleAfter returns when the next piece of a segment arrives.
func (p *pipe) scheduleAfter(gap time.Duration) time.Duration {
	p.lastDue = plus(p.lastDue, max(gap, 1))
	return p.lastDue
}

// plus adds a span to an instant. Less than nothing is nothing, and nothing
// comes later than twice forever, unless it has to keep an order there.
func plus(at, d time.Duration) time.Duration {
	return at + min(max(d, 0), forever, max(2*forever-at, 1))
}

// nextDue returns when the next thing arrives, or 0 when nothing is under way.
func (p *pipe) nextDue() time.Duration {
	if p.segments.len() > 0 {
		return p.segments.at(0).due
	}
	return p.eofDue
}

// rouse sees to it that the waiting Read, if there is one, runs as soon as the
// next thing has arrived or its deadline has passed.
func (p *pipe) rouse(now time.Duration) {
	if !p.waiting || p.cutAt > 0 {
		return
	}
	at := p.nextDue()
	if at == 0 || p.readBy < at {
		at = p.readBy
	}
	switch {
	case at == never:
		p.noTimer()
	case at <= now:
		p.readers.Broadcast()
	case p.timer == nil:
		p.timer = time.AfterFunc(at-now, p.wakeReaders)
	default:
		p.timer.Reset(at - now)
	}
}

func (p *pipe) noTimer() {
	if p.timer != nil {
		p.timer.Stop()
	}
}

func (p *pipe) wakeReaders() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readers.Broadcast()
}

// cut ends all travel at this instant: what has arrived so far is all that
// ever will.
func (p *pipe) cut(now time.Duration) {
	if p.cutAt == 0 {
		p.cutAt = max(now, 1)
	}
	n := 0
	for n < p.segments.len() && p.segments.at(n).due <= p.cutAt {
		n++
	}
	p.segments.truncate(n)
	p.noTimer()
	p.readers.Broadcast()
	p.writers.Broadcast()
}

// reset breaks the pipe; both ends offer it.
func (p *pipe) reset() {
	p.mu.Lock()
	if p.breaking || p.ended {
		p.mu.Unlock()
		return
	}
	p.breaking, p.hungUp = true, true
	p.mu.Unlock()

	if p.config.Tap.Hangup != nil {
		p.config.Tap.Hangup(true)
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = true
	p.cut(p.now())
}
