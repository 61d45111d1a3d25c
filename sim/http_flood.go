package sim

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A flood bounds what the two sides of a world over HTTP say, so that a peer which never
// stops costs neither the machine's memory nor the worker's life. At the bound the world
// has reached its limit, as at its horizon; the network breaks, and nothing that is said
// afterwards is observed.
type flood struct {
	messages  int64        // and exchanges together, at most
	room      int64        // of bytes
	exchanges atomic.Int64 // begun
	bytes     atomic.Int64
	once      sync.Once
}

const (
	floodBytes    = 256 << 20 // of bodies and streams, in a world
	floodMessages = 50_000    // and exchanges, in a world
	floodPerCall  = 50        // and as many more for each call
)

var errFlood = errors.New("the two sides said more than a world can hold")

// floodLimit is how many messages and exchanges a world may have: far more than come of
// its calls, of the progress that their tools report, and of what its clients are told.
func floodLimit(w *world) int64 {
	n := int64(floodMessages) + int64(w.Scenario.Changes.Count)*int64(2*w.clients())
	for _, c := range w.schedule.Calls {
		n += floodPerCall
		if c.Every > 0 {
			n += 2 * int64(c.Work/c.Every)
		}
	}
	return n
}

// weigh takes account of so many bytes that are being said, and reports whether they are
// to be observed.
func (x *httpWire) weigh(bytes int) bool {
	f := &x.flood
	if f.bytes.Add(int64(bytes)) <= f.room && x.frames.Load()+f.exchanges.Load() <= f.messages {
		return true
	}
	f.once.Do(func() {
		x.world.limit(errFlood)
		x.world.spawn(x.stop) // it takes the locks that the caller may hold
	})
	return false
}

// limit has the world reach its limit early, because of err.
func (w *world) limit(err error) {
	w.limited.Do(func() {
		w.event(history.World, history.Horizon, 0, err)
		w.cut.Store(true)
		close(w.horizon)
	})
}

// overdue records that the horizon has come while the world waited for something, unless
// it has been recorded.
func (w *world) overdue(what string) {
	if !w.cut.Load() {
		w.event(history.World, history.Horizon, 0, errors.New(what))
	}
}
