package netem

import (
	"bytes"
	"io"
	"time"
)

// A Writer is the writing end of a pipe. Its methods may be called from any
// number of goroutines.
type Writer struct{ p *pipe }

var _ io.WriteCloser = (*Writer)(nil)

// A piece is what one Write carries of one frame.
type piece struct {
	data  []byte
	frame *Frame
	part  int
	first bool // the frame begins here
	last  bool // the frame ends here
}

// Write sends b and blocks until all of it is in the pipe's buffer. Writes
// are sent one after the other, in the order in which they entered.
//
// It returns io.ErrClosedPipe when either end is or gets closed, ErrReset after
// a reset; n bytes were sent by then, and those before a mere Writer.Close
// still arrive.
func (w *Writer) Write(b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, w.p.checkWrite()
	}
	var few [4]piece // most Writes carry one frame
	pieces, ticket := w.p.enter(b, few[:0])
	w.p.awaitTurn(ticket)
	n, err = w.p.send(pieces)
	w.p.report(pieces, err)
	w.p.passTurn()
	return n, err
}

// Close ends the stream: what was written is still delivered, then Read
// returns io.EOF, which travels like a segment. A blocked Write fails. Close
// does not block, may be repeated, and always returns nil.
func (w *Writer) Close() error {
	p := w.p
	p.mu.Lock()
	if p.hungUp {
		p.mu.Unlock()
		return nil
	}
	p.hungUp = true
	p.mu.Unlock()

	if p.config.Tap.Hangup != nil {
		p.config.Tap.Hangup(false)
	}
	delay := p.delay(Segment{Frame: new(Frame), EOF: true})

	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	p.eofDue = p.schedule(p.line.transmit(now, 0), delay)
	if p.segments.len() == 0 {
		p.rouse(now)
	}
	p.writers.Broadcast()
	return nil
}

// Reset breaks the pipe, as [Reader.Reset] does: what is under way is lost.
// Read still returns what has arrived, then ErrReset; Write returns ErrReset.
// It does nothing once a Read has returned the end of the stream. It does not
// block and may be repeated.
func (w *Writer) Reset() { w.p.reset() }

func (p *pipe) checkWrite() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.writeError()
}

func (p *pipe) delay(s Segment) time.Duration {
	if p.config.Delay == nil {
		return 0
	}
	p.asking.Lock()
	defer p.asking.Unlock()
	return p.config.Delay(s)
}

// enter takes a ticket for b and shows its frames to the tap, before it waits
// for anything: a Write has begun when it was entered, even if the one before
// it is still blocked. What an earlier Write carries is known by then, so the
// framing is too; and if that one fails, so will this one.
func (p *pipe) enter(b []byte, pieces []piece) ([]piece, uint64) {
	b = bytes.Clone(b) // the frames' own bytes, and those that travel
	p.entry.Lock()
	defer p.entry.Unlock()
	pieces, ticket := p.divide(b, pieces)
	if p.config.Tap.Write == nil {
		return pieces, ticket
	}
	for i := range pieces {
		if pieces[i].first {
			p.config.Tap.Write(pieces[i].frame)
		}
	}
	return pieces, ticket
}

func (p *pipe) divide(b []byte, pieces []piece) ([]piece, uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	refused := p.writeError() != nil
	for len(b) > 0 {
		end, last := len(b), false
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			end, last = i+1, true
		}
		pieces = append(pieces, p.extend(b[:end], last, now, refused))
		b = b[end:]
	}
	p.tickets++
	return pieces, p.tickets - 1
}

// extend adds a chunk to the open frame, or begins one. A chunk that is
// refused shows in frames of its own only: the reader may be looking at the
// open one.
func (p *pipe) extend(chunk []byte, last bool, now time.Duration, refused bool) piece {
	f := p.open
	first := f == nil
	if first {
		f = &Frame{Index: int(p.config.Counter.Add(1)), Written: now, first: p.entered}
		if !refused {
			p.frames.push(f)
		}
	}
	part := f.parts
	f.parts++
	if first || !refused {
		f.grow(chunk, last)
	}
	if !refused {
		p.entered += int64(len(chunk))
		f.end = p.entered
	}
	p.open = f
	if last {
		p.open = nil
	}
	return piece{data: chunk, frame: f, part: part, first: first, last: last}
}

func (p *pipe) awaitTurn(ticket uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.turn != ticket {
		p.writers.Wait()
	}
}

func (p *pipe) passTurn() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn++
	p.writers.Broadcast()
}

func (p *pipe) send(pieces []piece) (n int, err error) {
	for i := range pieces {
		delay := p.delay(Segment{Frame: pieces[i].frame, Part: pieces[i].part, Size: len(pieces[i].data)})
		sent, err := p.accept(&pieces[i], delay)
		n += sent
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// accept lets one piece into the buffer, by as much as there is room for at a
// time. If that takes several times, each is sent and arrives by itself, all
// with the same delay.
func (p *pipe) accept(piece *piece, delay time.Duration) (n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for rest := piece.data; len(rest) > 0; rest = piece.data[n:] {
		for p.admits(rest) == 0 && p.writeError() == nil {
			p.writers.Wait()
		}
		if err := p.writeError(); err != nil {
			return n, err
		}
		k := p.admits(rest)
		piece.frame.due = p.launch(rest[:k], delay)
		n += k
	}
	return n, nil
}

// admits returns how many bytes of rest to let in now, 0 if they must wait for
// more room. Like Read it keeps a frame's last byte and its line end together,
// unless the whole buffer is too small for both.
func (p *pipe) admits(rest []byte) int {
	k := portion(rest, p.free)
	if k == 0 && p.free == p.buffer {
		return 1
	}
	return k
}

// launch puts data on its way and returns when it arrives.
func (p *pipe) launch(data []byte, delay time.Duration) time.Duration {
	now := p.now()
	due := p.schedule(p.line.transmit(now, len(data)), delay)
	p.accepted += int64(len(data))
	p.free -= len(data)
	p.segments.push(segment{data, due})
	if p.segments.len() == 1 {
		p.rouse(now)
	}
	return due
}

func (p *pipe) report(pieces []piece, err error) {
	if p.config.Tap.Wrote == nil {
		return
	}
	for i := range pieces {
		if pieces[i].last || err != nil {
			p.config.Tap.Wrote(pieces[i].frame, err)
		}
	}
}
