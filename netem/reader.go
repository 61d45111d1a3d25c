package netem

import (
	"io"
	"os"
	"time"
)

// A Reader is the reading end of a pipe. Its methods may be called from any
// number of goroutines.
type Reader struct{ p *pipe }

var _ io.ReadCloser = (*Reader)(nil)

// Read hands over what has arrived, as much of it as b holds, and blocks while
// that is nothing.
//
// It does not end between a frame and its line end if both have arrived and b
// has room for more than that: a receiver that acts on a closing brace without
// waiting for the newline would else be ahead of Tap.Read.
//
// It returns io.EOF when the writer was closed and everything was handed over,
// ErrReset after a reset, io.ErrClosedPipe after Close.
func (r *Reader) Read(b []byte) (n int, err error) {
	p := r.p
	p.mu.Lock()
	for p.reading {
		p.readers.Wait()
	}
	p.reading = true
	n, err = p.await(b)
	atEnd := err == io.EOF && !p.ended
	p.ended = p.ended || atEnd
	p.handOver(n)
	if len(p.done) > 0 || atEnd {
		p.mu.Unlock()
		p.show(atEnd)
		p.mu.Lock()
	}
	p.release(n)
	p.mu.Unlock()
	return n, err
}

// Close gives the pipe up: what was not handed over never will be, blocked and
// later Reads and Writes fail with io.ErrClosedPipe. It does not block, may be
// repeated, and always returns nil.
func (r *Reader) Close() error {
	p := r.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.closed = true
		p.cut(p.now())
	}
	return nil
}

// Reset does what [Writer.Reset] does.
func (r *Reader) Reset() { r.p.reset() }

// Unread returns the frames of which at least one byte was sent and which no
// Read has handed over in full, in order. Arrived is 0 for those whose line
// end has not reached the receiver, or never will. Call it when the pipe is at
// rest: it shows frames that a Write may still be changing.
func (r *Reader) Unread() []*Frame {
	p := r.p
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if p.cutAt > 0 {
		now = p.cutAt
	}
	var unread []*Frame
	for i := range p.frames.len() {
		f := *p.frames.at(i)
		if f.cut {
			continue
		}
		if f.first >= p.accepted {
			break
		}
		if f.Complete && f.end <= p.accepted && f.due <= now {
			f.Arrived = f.due
		}
		unread = append(unread, f)
	}
	return unread
}

// await blocks until there is something to hand over, or a reason to give up.
func (p *pipe) await(b []byte) (int, error) {
	defer p.noTimer()
	for {
		if p.closed || p.deaf {
			return 0, io.ErrClosedPipe
		}
		now := p.now()
		if p.readBy <= now {
			return 0, os.ErrDeadlineExceeded
		}
		switch n := p.take(b, now); {
		case n > 0 || len(b) == 0:
			return n, nil
		case p.broken:
			return 0, ErrReset
		case p.segments.len() == 0 && p.eofDue > 0 && p.eofDue <= now:
			return 0, p.end()
		}
		p.waiting = true
		p.rouse(now)
		p.readers.Wait()
		p.waiting = false
	}
}

// end is what Read returns at the end of the stream.
func (p *pipe) end() error {
	if p.aborted {
		return ErrReset
	}
	return io.EOF
}

// take fills b with what has arrived.
func (p *pipe) take(b []byte, now time.Duration) (n int) {
	for n < len(b) && p.segments.len() > 0 {
		s := p.segments.at(0)
		if s.due > now {
			break
		}
		k := portion(p.framing, s.data, len(b)-n)
		if k == 0 && n > 0 {
			break
		}
		k = copy(b[n:], s.data[:max(k, 1)])
		n += k
		s.data = s.data[k:]
		if len(s.data) > 0 {
			break
		}
		p.segments.pop()
	}
	return n
}

// handOver moves the frames that end within the next n bytes to p.done.
func (p *pipe) handOver(n int) {
	p.handed += int64(n)
	p.done = p.done[:0]
	final := p.eofDue > 0 && !p.breaking && p.segments.len() == 0 // nothing follows
	for p.frames.len() > 0 {
		f := *p.frames.at(0)
		if f.end > p.handed || !f.Complete && !final {
			return
		}
		p.frames.pop()
		if f.cut {
			continue
		}
		f.Arrived = f.due
		p.done = append(p.done, f)
	}
}

// show tells the tap what the Read that has the turn is about to return.
func (p *pipe) show(atEnd bool) {
	if p.config.Tap.Read != nil {
		for _, f := range p.done {
			p.config.Tap.Read(f)
		}
	}
	if atEnd && p.config.Tap.EOF != nil {
		p.config.Tap.EOF()
	}
}

// release makes room for n bytes and passes the turn to read on. It comes
// after the tap, so that a Write that needs the room follows Tap.Read.
func (p *pipe) release(n int) {
	clear(p.done)
	p.free += n
	p.reading = false
	p.readers.Broadcast()
	if n > 0 {
		p.writers.Broadcast()
	}
}
