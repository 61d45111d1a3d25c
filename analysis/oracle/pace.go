package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// A pace says what the network let the sender of a frame do.
type pace struct {
	busy *history.Event // since when its writer had not had a moment to itself, when the frame's writing began
}

// A pacer follows one side's writer, whose Writes come one behind the other while the
// network is slower than its sender.
type pacer struct {
	busy *history.Event // the first Write of those that came without a pause
	idle *history.Event // the end of the latest
}

// since returns since when the writer has been busy, of a frame whose writing begins;
// open tells whether another one is being written. What begins in the instant in which
// the Write before it ends may have waited for that.
func (p *pacer) since(f *frame, open bool) *history.Event {
	if !open && (p.idle == nil || p.idle.At != f.write.At) {
		p.busy = f.write
	}
	return p.busy
}
