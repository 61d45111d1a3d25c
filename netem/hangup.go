package netem

import (
	"io"
	"time"
)

// hangUp ends the stream, with a reset that travels behind what was written if
// abort is set. It returns when that arrives, and whether it is the end of the
// stream: the second time only a reset is sent, and only the writing end's peer
// can make something of it.
func (p *pipe) hangUp(abort bool) (due time.Duration, isEnd bool) {
	p.mu.Lock()
	again := p.hungUp
	if again && !abort {
		defer p.mu.Unlock()
		return p.eofDue, false
	}
	p.hungUp = true
	p.mu.Unlock()

	if p.config.Tap.Hangup != nil {
		p.config.Tap.Hangup(abort)
	}
	travel := p.travel(Segment{Frame: new(Frame), EOF: true, Reset: abort})

	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	due = p.schedule(p.line.transmit(now, 0), travel)
	if !again {
		p.eofDue, p.aborted = due, abort
		if p.segments.len() == 0 {
			p.rouse(now)
		}
	}
	p.writers.Broadcast()
	return due, !again
}

// An echo is the reset that answers what reaches an end which nobody reads.
type echo struct {
	delay     time.Duration // on the way back
	notBefore time.Duration // when what was sent that way before is there
}

// deafen gives the reading end up, as the close of a connection does. Other than
// after Reader.Close, the writing end does not know: it goes on until the buffer is
// full or, at the latest, until it is refused. deafen reports whether something
// has arrived that nobody will read.
func (p *pipe) deafen() (unread bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deaf = true
	if p.segments.len() > 0 {
		p.knocked = p.segments.at(0).due
	}
	p.segments.truncate(0)
	p.readers.Broadcast()
	return p.knocked <= p.now()
}

// answer says how what reaches the deaf end is answered. The writing end has
// seen the end of the other direction by then, so it is not a reset to it.
func (p *pipe) answer(e echo) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.echo = &e
	p.heed()
}

// knock notes that something arrives at the deaf end.
func (p *pipe) knock(due time.Duration) {
	p.knocked = min(p.knocked, due)
	p.heed()
}

// heed works out when the writing end is refused, once that is known.
func (p *pipe) heed() {
	if p.refusal < never || p.knocked == never || p.echo == nil {
		return
	}
	p.refuseFrom(max(p.echo.notBefore, plus(p.knocked, p.echo.delay)), io.ErrClosedPipe)
}

// refuse makes Write return err from an instant on.
func (p *pipe) refuse(at time.Duration, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuseFrom(at, err)
}

func (p *pipe) refuseFrom(at time.Duration, err error) {
	p.refusal, p.refusedBy = at, err
	p.writers.Broadcast()
}
