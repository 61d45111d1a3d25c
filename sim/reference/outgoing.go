package reference

import (
	"context"
	"errors"
	"net/http"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A question is a request to be made.
type question struct {
	frame func(b []byte, id string) []byte // adds the request with this id
	fixed bool                             // never to be cancelled by a notification
	task  bool                             // a call made as a task
	prank *sim.Mischief                    // what to do with it on purpose; nil: nothing
}

// A waiter is a request that waits for its answer.
type waiter struct {
	outgoing
	id    string
	fixed bool
	reply chan *history.Message // gets the answer; closed without one when the link goes down
	// cancel is the frame that cancels the request; nil until it is given up.
	cancel *outgoing
	prank  *sim.Mischief
	behind *waiter // a younger one with the same id, which only mischief can make
	lost   error   // why reply was closed, if not because the link went down. Guarded by link.mu
}

// An outgoing is a frame in the queue or beyond it.
type outgoing struct {
	line    []byte
	request bool
	begun   bool // its Write has begun. Guarded by link.mu
	// gone, unless nil, is closed when the frame has been written, or never will be.
	gone chan struct{}
	with []*outgoing // what is written with it, as one batch
	of   *waiter     // whose request it is; nil: it is none
	// Over HTTP, guarded by link.mu:
	post  *post             // what carries it; nil: nothing yet
	left  bool              // it is cancelled by closing that, or by not sending it
	brief bool              // it is to be closed as soon as it has been sent
	spoil func(http.Header) // what a mutant does to its head; nil: nothing
	// seen, unless nil, gets what the server says to a notification over HTTP: nil when
	// it accepts it.
	seen chan error
}

func (o *outgoing) finish() {
	if o.gone != nil {
		close(o.gone)
	}
}

// giveUp forgets a request whose caller does not want it any more, and has the
// server told if the server may know of it. It reports false when the request is
// decided already: its answer, or the end of the link, is in w.reply.
func (l *link) giveUp(ctx context.Context, w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.drop(w) {
		return false
	}
	l.pranks.abandon(w)
	switch {
	case w.prank != nil && w.prank.Together:
		l.sendTogether(ctx, w)
	case l.held == w:
		l.giveUpHeld(ctx, w)
	case !w.begun:
		l.takeBack(&w.outgoing)
	case w.fixed || l.keepsQuiet(ctx):
	case l.closes:
		if l.defect != leavesStreams {
			w.abandon()
		}
	default:
		line := l.cancelLine(ctx, w)
		w.cancel = l.cancelOf(line)
		l.sendOrJoin(w.cancel)
		l.besideCancel(w)
		for range l.repeat {
			l.enqueue(&outgoing{line: line})
		}
	}
	w.settle()
	return true
}

// cancelLine is the cancel of w with its line end.
func (l *link) cancelLine(ctx context.Context, w *waiter) []byte {
	return append(protocol.AppendCancelled(nil, l.idToCancel(w), reasonOf(ctx)), '\n')
}

// reasonOf tells the server why a caller gave up: in its own words, if it has any.
func reasonOf(ctx context.Context) string {
	switch cause := context.Cause(ctx); {
	case cause == nil || errors.Is(cause, context.Canceled):
		return "the caller gave up"
	case errors.Is(cause, context.DeadlineExceeded):
		return "the caller's time was up"
	default:
		return cause.Error()
	}
}
