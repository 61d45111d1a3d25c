package sim

import (
	"errors"
	"sync/atomic"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A flood bounds what the two sides of a world over HTTP say, so that a peer which never
// stops costs neither the machine's memory nor the worker's life. At the bound the world
// has reached its limit, as at its horizon. Whoever says more gets an error, and nothing of
// it is observed; what says nothing, as a DELETE, can still be done.
type flood struct {
	messages int64        // and others together, at most
	room     int64        // of bytes
	others   atomic.Int64 // exchanges begun, and cues
}

const (
	floodBytes      = 256 << 20 // of bodies and streams, in a world
	floodMessages   = 50_000    // and others, in a world
	floodPerCall    = 50        // and as many more for each call
	floodPerMessage = 2 << 10   // bytes more for each message that there may be
	floodPerPiece   = 256       // bytes that each Write counts for besides its own
)

var errFlood = errors.New("the two sides said more than a world can hold")

// bound sets how many messages and exchanges a world may have, and how many bytes: far more
// than come of its calls, of the progress that their tools report, and of what its clients
// are told.
func (f *flood) bound(w *world) {
	n := int64(floodMessages) + int64(w.Scenario.Changes.Count)*int64(2*w.clients())
	for _, c := range w.schedule.Calls {
		n += floodPerCall
		if c.Every > 0 {
			n += 2 * int64(c.Work/c.Every)
		}
	}
	f.messages, f.room = n, floodBytes+n*floodPerMessage
}

// weigh takes account of so many bytes that are about to be said, and returns errFlood if
// nothing more may be.
func (x *httpWire) weigh(bytes int) error {
	if bytes > 0 {
		x.world.said.Add(int64(bytes + floodPerPiece))
	}
	if !x.full() || bytes == 0 && x.messages() <= 2*x.flood.messages {
		return nil
	}
	return errFlood
}

// full reports whether nothing more may be said, and if so, has the world reach its limit.
func (x *httpWire) full() bool {
	if x.world.said.Load() <= x.flood.room && x.messages() <= x.flood.messages {
		return false
	}
	x.world.limit(errFlood)
	return true
}

// messages is how many there were, and others.
func (x *httpWire) messages() int64 { return x.frames.Load() + x.flood.others.Load() }

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
