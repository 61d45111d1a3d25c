package sim

import (
	"slices"
	"sync"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A watch knows the calls that something waits for: an event of theirs that their
// cancel is aimed at, or their deadline.
type watch struct {
	mu        sync.Mutex // guards the rest
	aimed     map[int]*pending
	deadlines []*pending // in the order in which they were made
	asked     []*asked   // what tools wait for, likewise
}

func (w *world) watch(p *pending) {
	w.watched.mu.Lock()
	defer w.watched.mu.Unlock()
	if p.call.Deadline {
		w.watched.deadlines = append(w.watched.deadlines, p)
		return
	}
	if w.watched.aimed == nil {
		w.watched.aimed = map[int]*pending{}
	}
	w.watched.aimed[p.call.Call] = p
}

func (w *world) unwatch(p *pending) {
	w.watched.mu.Lock()
	defer w.watched.mu.Unlock()
	delete(w.watched.aimed, p.call.Call)
	w.watched.deadlines = slices.DeleteFunc(w.watched.deadlines, func(q *pending) bool { return q == p })
}

// saw starts the clock of a cancel that is aimed at this event of the call. It
// does not block, and may be called with the network's locks held.
func (w *world) saw(event string, call int) {
	w.watched.mu.Lock()
	p := w.watched.aimed[call]
	w.watched.mu.Unlock()
	if p != nil {
		p.saw(event)
	}
}

func (p *pending) saw(event string) {
	aim := p.call.Aim
	wait := aim.Offset
	if wait < 0 { // before the end of the handler, which its start tells
		wait = max(p.call.Work+wait, 1)
		if event == AtEnded {
			return
		}
		if event == AtStarted {
			event = AtEnded
		}
	}
	if event != aim.Event || !p.first() {
		return
	}
	p.after(wait)
}

// first reports whether the event that the call's cancel is aimed at has come for
// the first time.
func (p *pending) first() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := !p.reached
	p.reached = true
	return first
}

// expire has every deadline that has come recorded, before what may follow from it
// is: what the side writes next. On the server's side these are the ends of the tools
// that ask the client.
func (w *world) expire(writer history.Side) {
	w.watched.mu.Lock()
	due, asked := slices.Clone(w.watched.deadlines), slices.Clone(w.watched.asked)
	w.watched.mu.Unlock()
	if writer == history.Server {
		for _, q := range asked {
			q.expire()
		}
		return
	}
	for _, p := range due {
		p.expire()
	}
}

// sawFrame is saw for what the wire shows of a frame: kind is what happened to it
// where sender is who wrote it.
func (w *world) sawFrame(sender history.Side, kind history.Kind, msg *history.Message, call int) {
	if call == 0 || msg == nil {
		return
	}
	switch {
	case sender == history.Client && msg.Kind == history.Request && kind == history.Wrote:
		w.saw(AtWritten, call)
	case sender == history.Client && msg.Kind == history.Request && kind == history.Read:
		w.saw(AtRead, call)
	case sender == history.Server && msg.IsReply() && kind == history.Write:
		w.saw(AtAnswered, call)
	case sender == history.Server && msg.IsReply() && kind == history.Read:
		w.saw(AtResponseRead, call)
	}
}
