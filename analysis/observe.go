package analysis

import (
	"time"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// Observe judges a history and takes from it what a summary needs.
func Observe(arm Arm, h *history.History) World {
	w := World{
		Arm: arm, SpecVersion: h.Header.SpecVersion, Seed: h.Header.Seed,
		Digest: history.Digest(h.Events), Events: len(h.Events),
		Judgement:  oracle.Judge(h),
		LastCancel: -1, Quiet: -1, Closed: -1,
	}
	for _, e := range h.Events {
		w.observe(e)
	}
	w.Unavailable = unavailable(h.Header)
	return w
}

// unavailable counts what a world was asked for and could not do; nil for
// nothing.
func unavailable(h history.Header) map[string]int {
	var out map[string]int
	count := func(why string, n int) {
		if out == nil {
			out = map[string]int{}
		}
		out[why] += n
	}
	for _, c := range h.Calls {
		if c.NotAsked != "" {
			count(c.NotAsked, 1)
		}
	}
	for _, why := range h.Unavailable {
		count(why, 0)
	}
	return out
}

func (w *World) observe(e history.Event) {
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
