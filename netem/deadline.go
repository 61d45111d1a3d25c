package netem

import (
	"os"
	"time"
)

// instant turns a deadline into an instant of the pipe. The zero time is none.
func (p *pipe) instant(deadline time.Time) time.Duration {
	if deadline.IsZero() {
		return never
	}
	return min(deadline.Sub(p.config.Epoch), forever)
}

// setReadDeadline makes Reads return os.ErrDeadlineExceeded from an instant on,
// those that wait and those to come, even if there is something to read.
func (p *pipe) setReadDeadline(t time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readBy = p.instant(t)
	p.rouse(p.now())
}

// setWriteDeadline does the same for Writes; what such a Write has sent arrives.
func (p *pipe) setWriteDeadline(t time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writeBy = p.instant(t)
	p.writers.Broadcast()
}

// giveUp takes the bytes of a frame that were not sent out of the stream if it
// goes on without them: what was entered behind them begins earlier by so much.
// Where the stream ends with the error, nothing behind them is ever sent.
func (p *pipe) giveUp(f *Frame, unsent int, err error) {
	if err != os.ErrDeadlineExceeded {
		return
	}
	f.cut = true
	f.end -= int64(unsent)
	p.entered -= int64(unsent)
	for i := range p.frames.len() {
		if behind := *p.frames.at(i); behind.first > f.first {
			behind.first -= int64(unsent)
			behind.end -= int64(unsent)
		}
	}
}
