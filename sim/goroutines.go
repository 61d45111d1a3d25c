package sim

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/stack"
)

const (
	firstStep = 20 * time.Millisecond // between two samples, at first
	perStep   = 32                    // samples before the step doubles
	// worldCalls is how many calls a world may make before it collects garbage
	// at an instant of its own; smaller worlds are collected between worlds.
	worldCalls = 250
	// worldEvents and worldBytes are the same for the events of a world, and for what is
	// said in one over HTTP.
	worldEvents = 100_000
	worldBytes  = 32 << 20
)

// sample counts goroutines at instants of its own until sampling ends. The step
// doubles as the world grows older, so that the number of samples stays bounded.
func (w *world) sample() {
	step, at := firstStep+317*time.Nanosecond, w.burden()
	for n := 1; ; n++ {
		timer := time.NewTimer(step)
		select {
		case <-w.sampling:
			timer.Stop()
			return
		case <-timer.C:
		}
		w.goroutines()
		if now := w.burden(); now.calls-at.calls >= worldCalls || now.events-at.events >= worldEvents || now.bytes-at.bytes >= worldBytes {
			at = now
			runtime.GC()
		}
		if n%perStep == 0 {
			step *= 2
		}
	}
}

// A burden is what makes garbage in a world, so far.
type burden struct {
	calls, bytes int64
	events       int
}

func (w *world) burden() burden { return burden{w.issued.Load(), w.said.Load(), w.rec.Len()} }

// goroutines records how many goroutines there are above the empty world's, the
// simulator's own left out.
func (w *world) goroutines() {
	if w.rec == nil {
		return
	}
	n := runtime.NumGoroutine() - w.baseline - int(w.own.Load())
	w.note(history.Event{Side: history.World, Kind: history.Goroutines, N: n})
}

// drain lets everything that is still on its way happen, counts what stays, and
// returns how many goroutines that is after the scenario's own tools let go.
func (w *world) drain() int {
	if w.ground != nil {
		close(w.counted)
		return 0
	}
	time.Sleep(drainTime)
	if n := runtime.NumGoroutine() - w.baseline; n > 0 && w.rec != nil {
		w.leaks()
	}
	close(w.counted)
	time.Sleep(ownInstant)
	return runtime.NumGoroutine() - w.baseline
}

// drainTime is far beyond every timer that a target is known to leave behind. In
// virtual time it costs next to nothing.
const drainTime = time.Hour

// leaks records the goroutines that stayed, grouped by their stack.
func (w *world) leaks() {
	groups := map[string]int{}
	for id, where := range stacks() {
		if !w.present[id] {
			groups[where]++
		}
	}
	for _, where := range slices.Sorted(maps.Keys(groups)) {
		w.note(history.Event{Side: history.World, Kind: history.Leak, N: groups[where], Text: where})
	}
}

// stacks returns the stack of every goroutine but the caller's by the
// goroutine's number, without what differs from run to run: arguments, addresses
// and waiting times.
func stacks() map[string]string {
	buf := make([]byte, 1<<13)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) || len(buf) >= 64<<20 {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	out := map[string]string{}
	_, others, _ := strings.Cut(string(buf), "\n\n") // the caller comes first
	if others == "" {
		return out
	}
	for block := range strings.SplitSeq(others, "\n\n") {
		head, frames, _ := strings.Cut(block, "\n")
		id, state, _ := strings.Cut(strings.TrimPrefix(head, "goroutine "), " ")
		state, _, _ = strings.Cut(strings.Trim(state, "[]:"), ",")
		out[id] = state + "\n" + stack.Clean(frames)
	}
	return out
}
