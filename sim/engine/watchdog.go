package engine

import (
	"os"
	"sync"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

// A watchdog ends a worker that makes no progress. Progress is judged by the
// processor time that the worker spends without a word, so that a busy machine
// accuses nobody. Only a worker that uses no processor at all for two minutes is
// ended by the wall's clock, as it waits for what its world cannot bring.
type watchdog struct {
	limit time.Duration // of processor time without progress
	quit  chan struct{} // closed by stop
	done  sync.WaitGroup

	mu    sync.Mutex // guards what follows
	fresh bool       // there was progress since the last look
	why   string     // set when the worker was ended
}

const (
	watchEvery = 500 * time.Millisecond
	// idleLimit is for a worker that uses no processor at all: it waits for
	// something outside its world, which virtual time cannot bring.
	idleLimit = 2 * time.Minute
	// The reasons that a Death gives.
	howSpins  = "busy loop"
	howStalls = "blocked outside virtual time"
)

func watch(p *os.Process, limit time.Duration) *watchdog {
	w := &watchdog{limit: limit, quit: make(chan struct{}), fresh: true}
	w.done.Go(func() { w.run(p) })
	return w
}

func (w *watchdog) run(p *os.Process) {
	ticks := time.NewTicker(watchEvery)
	defer ticks.Stop()
	var since, idleSince float64 // processor seconds at the last progress, and at the last movement
	idle := time.Duration(0)
	for {
		select {
		case <-w.quit:
			return
		case <-ticks.C:
		}
		used, ok := processorSeconds(p.Pid)
		if !ok {
			return
		}
		if w.takeFresh() {
			since, idle = used, 0
		}
		if idle += watchEvery; used > idleSince+0.05 {
			idleSince, idle = used, 0
		}
		if used-since > w.limit.Seconds() {
			w.endWorker(p, howSpins)
			return
		}
		if idle > idleLimit {
			w.endWorker(p, howStalls)
			return
		}
	}
}

// processorSeconds is what the process has used so far; false once it is gone.
func processorSeconds(pid int) (float64, bool) {
	handle, err := process.NewProcess(int32(pid))
	if err != nil {
		return 0, false
	}
	times, err := handle.Times()
	if err != nil {
		return 0, false
	}
	return times.User + times.System, true
}

// endWorker asks for stacks first and kills if that does not help.
func (w *watchdog) endWorker(p *os.Process, why string) {
	w.mu.Lock()
	w.why = why
	w.mu.Unlock()
	if askForStacks(p) == nil {
		select {
		case <-w.quit:
			return
		case <-time.After(exitGrace):
		}
	}
	_ = p.Kill() // it may have died meanwhile
}

// progress notes that the worker said something.
func (w *watchdog) progress() {
	w.mu.Lock()
	w.fresh = true
	w.mu.Unlock()
}

func (w *watchdog) takeFresh() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	fresh := w.fresh
	w.fresh = false
	return fresh
}

// stop ends the watch and returns why the worker was ended, if it was.
func (w *watchdog) stop() string {
	close(w.quit)
	w.done.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.why
}
