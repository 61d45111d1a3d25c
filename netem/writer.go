package netem

import (
	"bytes"
	"io"
	"os"
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
	w.p.hangUp(false)
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
	now := p.now()
	if err := p.writeError(now); err != nil {
		return err
	}
	if p.writeBy <= now {
		return os.ErrDeadlineExceeded
	}
	return nil
}

func (p *pipe) travel(s Segment) Travel {
	if p.config.Travel == nil {
		return Travel{}
	}
	p.asking.Lock()
	defer p.asking.Unlock()
	return p.config.Travel(s)
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
	refused := p.writeError(now) != nil
	for len(b) > 0 {
		end, last := p.framing.first(b)
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
		f.grow(chunk)
		if last {
			f.complete(p.framing.ending(f.Bytes))
		}
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
		travel := p.travel(Segment{Frame: pieces[i].frame, Part: pieces[i].part, Size: len(pieces[i].data)})
		sent, err := p.accept(&pieces[i], travel)
		n += sent
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// accept lets one piece into the buffer, by as much as there is room for at a
// time and as soon as the line takes something. If that takes several times, each
// is sent and arrives by itself, all with the same delay; such a piece is parted
// by that already, and not cut.
func (p *pipe) accept(piece *piece, travel Travel) (n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.noResumption()
	for rest := piece.data; len(rest) > 0; rest = piece.data[n:] {
		if err := p.awaitRoom(rest); err != nil {
			p.giveUp(piece.frame, len(rest), err)
			return n, err
		}
		k := p.admits(rest)
		if k < len(piece.data) {
			travel.Cuts = nil
		}
		piece.frame.due = p.launch(rest[:k], travel)
		n += k
	}
	return n, nil
}

// awaitRoom blocks until the pipe takes some of rest, or says why it does not.
func (p *pipe) awaitRoom(rest []byte) error {
	for {
		now := p.now()
		if err := p.writeError(now); err != nil {
			return err
		}
		if p.writeBy <= now {
			return os.ErrDeadlineExceeded
		}
		until := never // a Read makes room, and says so
		if p.admits(rest) > 0 {
			if until = p.stalled(now); until <= now {
				return nil
			}
		}
		p.resume(min(until, p.writeBy, p.refusal), now)
		p.writers.Wait()
	}
}

// stalled returns when the line takes something again, or 0 when it does.
func (p *pipe) stalled(now time.Duration) time.Duration {
	if p.config.Stall == nil {
		return 0
	}
	return p.config.Stall(now)
}

// resume sees to it that the waiting Write looks again at an instant to come.
func (p *pipe) resume(at, now time.Duration) {
	switch {
	case at == never:
	case p.resumption == nil:
		p.resumption = time.AfterFunc(at-now, p.wakeWriters)
	default:
		p.resumption.Reset(at - now)
	}
}

func (p *pipe) noResumption() {
	if p.resumption != nil {
		p.resumption.Stop()
	}
}

func (p *pipe) wakeWriters() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writers.Broadcast()
}

// admits returns how many bytes of rest to let in now, 0 if they must wait for
// more room. Like Read it keeps a frame's last byte and its line end together,
// unless the whole buffer is too small for both.
func (p *pipe) admits(rest []byte) int {
	k := portion(p.framing, rest, p.free)
	if k == 0 && p.free == p.buffer {
		return 1
	}
	return k
}

// launch puts data on its way, cut as travel says, and returns when the last of
// it arrives. A cut that would part a frame's last byte from its line end is made
// before that byte.
func (p *pipe) launch(data []byte, travel Travel) time.Duration {
	now := p.now()
	due := p.schedule(p.line.transmit(now, len(data)), travel)
	p.accepted += int64(len(data))
	p.free -= len(data)
	if p.deaf {
		p.knock(due)
		return due
	}
	idle := p.segments.len() == 0
	done := 0
	for _, cut := range travel.Cuts {
		k := portion(p.framing, data, cut.At-done)
		if k < 1 || k == len(data) {
			continue
		}
		p.segments.push(segment{data[:k], due})
		data, done = data[k:], done+k
		due = p.scheduleAfter(cut.Gap)
	}
	p.segments.push(segment{data, due})
	if idle {
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
