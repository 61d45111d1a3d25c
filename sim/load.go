package sim

import (
	"context"
	"sync"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// begin connects the clients and starts the callers of each as soon as it is
// connected. The channel is closed when all callers have finished. It reports whether
// there are any: with one client, whether that is connected.
func (w *world) begin() (connected bool, callers <-chan struct{}) {
	if len(w.seats) == 1 {
		if !w.connect(w.seats[0]) {
			return false, nil
		}
		return true, w.load()
	}
	return true, w.arrive()
}

// connect does the handshake of a client and waits for it, at most until the horizon.
func (w *world) connect(s *seat) bool {
	var err error
	ok := w.within(func() { err = w.handshake(s) })
	if !ok {
		w.overdue("the handshake did not end")
	}
	return ok && err == nil
}

func (w *world) handshake(s *seat) error {
	w.shaking.Add(1)
	defer w.shaking.Add(-1)
	w.act(s, history.Connect, nil)
	err := s.client.Connect(context.Background(), w.wire.conn(s))
	w.act(s, history.Connected, err)
	s.ready = err == nil
	return err
}

// ready returns the seats of the clients that are connected.
func (w *world) ready() []*seat {
	var out []*seat
	for _, s := range w.seats {
		if s.ready {
			out = append(out, s)
		}
	}
	return out
}

// each does the same for several clients, at once but for an instant between one and
// the next, and waits for them.
func (w *world) each(seats []*seat, do func(*seat)) {
	if len(seats) == 1 {
		do(seats[0])
		return
	}
	var all sync.WaitGroup
	for _, s := range seats {
		all.Add(1)
		w.spawn(func() {
			defer all.Done()
			do(s)
		})
		time.Sleep(ownInstant)
	}
	all.Wait()
}

// arrive has each of several clients connect at its instant and then make its calls.
func (w *world) arrive() <-chan struct{} {
	return w.together(func(start func(func())) {
		calls := w.schedule.ByCaller()
		for _, s := range w.seats {
			start(func() {
				time.Sleep(w.schedule.Connects[s.n-1])
				if w.over() || w.handshake(s) != nil {
					return
				}
				time.Sleep(ownInstant)
				var own sync.WaitGroup
				for _, list := range calls {
					if list[0].Client == s.n {
						own.Add(1)
						w.spawn(func() {
							defer own.Done()
							w.call(list)
						})
					}
				}
				own.Wait()
			})
		}
		if len(w.schedule.Changes) > 0 {
			start(w.change)
		}
	})
}

// load starts the callers of the one client.
func (w *world) load() <-chan struct{} {
	return w.together(func(start func(func())) {
		for _, calls := range w.schedule.ByCaller() {
			start(func() { w.call(calls) })
		}
		if len(w.schedule.Changes) > 0 {
			start(w.change)
		}
	})
}

// together lets f start what it likes. The channel is closed when all of that has
// returned.
func (w *world) together(f func(start func(func()))) <-chan struct{} {
	var running sync.WaitGroup
	f(func(do func()) {
		running.Add(1)
		w.spawn(func() {
			defer running.Done()
			do()
		})
	})
	done := make(chan struct{})
	w.spawn(func() {
		defer close(done)
		running.Wait()
	})
	return done
}

// call makes the calls of one caller, one after the other, until the session ends.
func (w *world) call(calls []ScheduledCall) {
	for _, call := range calls {
		time.Sleep(call.Think)
		if w.over() {
			return
		}
		if w.header.Calls[call.Call-1].NotAsked == "" {
			w.makeCall(call)
		}
	}
}
