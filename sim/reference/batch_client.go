package reference

import (
	"context"
	"slices"
	"time"

	"github.com/mcpsim/mcpsim/sim/protocol"
)

// What a client does that sends batches, which one version of the protocol has.
// A request that is to be in one is held back until the client has another request
// to send, or the cancel of an earlier one, or its own; these are never held back
// for it. All of it is guarded by the link's mu.

// heldFor is how long a request is held back at most. Then it goes alone.
const heldFor = 20 * time.Millisecond

// hold keeps a request back until there is something to send with it.
func (l *link) hold(w *waiter) {
	if l.held != nil {
		l.sendOrJoin(&w.outgoing)
		return
	}
	l.held = w
	time.AfterFunc(heldFor, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.held == w && l.down == nil {
			l.held = nil
			l.enqueue(&w.outgoing)
		}
	})
}

// sendOrJoin queues a frame, behind the request that is held back for one, if any,
// and in one batch with it.
func (l *link) sendOrJoin(o *outgoing) {
	if l.held == nil {
		l.enqueue(o)
		return
	}
	first := &l.held.outgoing
	l.held = nil
	first.with = append(first.with, o)
	l.enqueue(first)
}

// giveUpHeld sends the request that is held back, which nobody wants any more, in one
// batch with its cancel.
func (l *link) giveUpHeld(ctx context.Context, w *waiter) {
	if l.keepsQuiet(ctx) {
		l.held = nil
		return
	}
	l.sendOrJoin(&outgoing{line: l.cancelLine(ctx, w), request: true}) // nobody needs the one without the other
}

// takeBack has a request not written that was not begun.
func (l *link) takeBack(o *outgoing) { l.strike(func(other *outgoing) bool { return other == o }) }

// strike takes those out of the queue, and out of the batches in it, that are
// unwanted. What was in a batch with them stays.
func (l *link) strike(unwanted func(*outgoing) bool) {
	var left []*outgoing
	for _, o := range l.queue {
		with := slices.DeleteFunc(o.with, unwanted)
		o.with = nil
		if !unwanted(o) {
			with = slices.Insert(with, 0, o)
		}
		if len(with) > 0 {
			with[0].with = with[1:]
			left = append(left, with[0])
		}
	}
	l.queue = left
}

// bytes is what is written of o: its line, or a batch of it and what goes with it.
func (o *outgoing) bytes() []byte {
	if len(o.with) == 0 {
		return o.line
	}
	frames := [][]byte{o.frame()}
	for _, other := range o.with {
		frames = append(frames, other.frame())
	}
	return append(protocol.AppendBatch(nil, frames...), '\n')
}

// frame is the line without its end.
func (o *outgoing) frame() []byte { return o.line[:len(o.line)-1] }

// each calls f with o and what goes with it.
func (o *outgoing) each(f func(*outgoing)) {
	f(o)
	for _, other := range o.with {
		f(other)
	}
}
