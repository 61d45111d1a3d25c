package analysis

import (
	"time"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// Observe judges a history and takes from it what a summary needs.
func Observe(arm Arm, h *history.History) World {
	w := unobserved(arm, h.Header)
	w.Digest, w.Events, w.Judgement = history.Digest(h.Events), len(h.Events), oracle.Judge(h)
	var left census
	var faults faultLog
	var bodies bodyLog
	for i := range h.Events {
		w.observe(&h.Events[i])
		w.count(left.see(&h.Events[i]))
		faults.see(&h.Events[i])
		bodies.see(&h.Events[i])
	}
	w.Faults, w.Bodies = faults.counts, bodies.bodies()
	return w
}

// count takes what a census came to, if it did.
func (w *World) count(r *Remains) {
	if r != nil {
		w.Remains = r
	}
}

func unobserved(arm Arm, h history.Header) World {
	w := World{
		Arm: arm, SpecVersion: h.SpecVersion, Seed: h.Seed,
		LastCancel: -1, Quiet: -1, Closed: -1,
	}
	w.asked(h.Calls)
	for _, why := range h.Unavailable {
		w.unavailable(why, 0)
	}
	return w
}

// asked counts the calls that could not be made.
func (w *World) asked(calls []history.Call) {
	for _, c := range calls {
		if c.NotAsked != "" {
			w.unavailable(c.NotAsked, 1)
		}
	}
}

// unavailable counts what a world was asked for and could not do.
func (w *World) unavailable(why string, n int) {
	if w.Unavailable == nil {
		w.Unavailable = map[string]int{}
	}
	w.Unavailable[why] += n
}

// An Observer does what [Observe] does, event by event, for a history that is too
// long to be held. What would grow with its length it leaves out: the outcomes of the
// calls, and the numbers of goroutines.
type Observer struct {
	world  World
	judge  *oracle.Stream
	left   census
	faults faultLog
	bodies bodyLog
}

// NewObserver returns an observer of a history with that header.
func NewObserver(arm Arm, h history.Header) *Observer {
	return &Observer{world: unobserved(arm, h), judge: oracle.NewStream(h, func(oracle.CallResult) {})}
}

// Calls takes further calls of the header, before the first event of any of them.
func (o *Observer) Calls(more []history.Call) {
	o.world.asked(more)
	o.judge.Calls(more)
}

// Event takes the next event, which may be reused afterwards; its message must not be.
func (o *Observer) Event(e *history.Event) {
	o.world.Events++
	if e.Kind == history.Goroutines {
		o.world.Simulated = max(o.world.Simulated, e.At)
	} else {
		o.world.observe(e)
	}
	o.world.count(o.left.see(e))
	o.faults.see(e)
	o.bodies.see(e)
	o.judge.Event(e)
}

// World says that there are no more events, which had that digest, and returns what
// they come to.
func (o *Observer) World(digest string) World {
	o.world.Digest, o.world.Judgement = digest, o.judge.Judgement()
	o.world.Faults, o.world.Bodies = o.faults.counts, o.bodies.bodies()
	return o.world
}

func (w *World) observe(e *history.Event) {
	switch e.Kind {
	case history.Connected:
		w.Refusal = e.Text
	case history.Goroutines:
		w.Goroutines = append(w.Goroutines, Sample{At: e.At, N: e.N})
	case history.Cancel:
		w.LastCancel = e.At
	case history.Quiet:
		w.Quiet = e.At
	case history.Closed:
		w.Closed = e.At
	case history.Leak:
		w.Leaked += e.N
		return // counted long after the world's end
	}
	w.Simulated = max(w.Simulated, e.At)
}

// Stage tells in which stage of its world an instant lies, from 0 to Stages-1,
// and how far into it, in [0, 1]. A stage that never came is empty.
func (w World) Stage(at time.Duration) (stage int, share float64) {
	begin := time.Duration(0)
	for i, end := range w.stageEnds() {
		if at <= end && end > begin {
			return i, float64(at-begin) / float64(end-begin)
		}
		begin = max(begin, end)
	}
	return Stages - 1, 1
}

func (w World) stageEnds() [Stages]time.Duration {
	return [Stages]time.Duration{w.LastCancel, w.Quiet, w.Closed, w.Simulated}
}
