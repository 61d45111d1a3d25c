package sim

import (
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// endEarly ends the session at its instant, whether or not calls are in flight,
// and takes the world from there to its close. callers is closed when all callers
// have finished.
//
//	close        closes the client and waits for Close, the callers and the server
//	half-close   cuts the client's writing end, waits for the callers, then closes
//	server-exit  cuts the server off, waits for the callers, then closes
//	server-stop  ends the server's run, waits for that and the callers, then closes
//
// After the last three the world settles before the application closes its client.
// A session with an end like that is not probed: there is nobody to answer.
func (w *world) endEarly(end ScheduledEnd, callers <-chan struct{}) {
	time.Sleep(end.At)
	close(w.ending)
	switch end.How {
	case EndClose:
		w.close(callers)
	case EndHalfClose:
		w.halfClose()
		w.finish(callers)
		w.settle()
		w.close()
	case EndExit:
		w.exit()
		w.finish(callers)
		w.settle()
		w.close()
	case EndStop:
		w.stopServer()
		w.finish(callers)
		w.settle()
		w.close()
	default:
		panic("sim: a session cannot end by " + end.How)
	}
}

// close ends the sessions as an application would, and waits for that, for what else
// has to follow from it, and for a server that ends with its sessions. If something
// then goes on, the server's run is ended from outside, so that one world cannot hold
// up the next.
func (w *world) close(also ...<-chan struct{}) {
	closed := make(chan struct{})
	w.spawn(func() {
		defer close(closed)
		w.each(w.seats, w.leave)
	})
	patience := time.NewTimer(history.ClosePatience)
	defer patience.Stop()
	if !w.wire.lasting() && !w.dead() {
		also = append(also, w.served)
	}
	for _, done := range append([]<-chan struct{}{closed}, also...) {
		select {
		case <-done:
		case <-patience.C:
			w.overdue("close did not end")
			w.stop()
			return
		}
	}
	time.Sleep(w.header.Settle)
	w.remains()
	w.stop()
}

// leave closes a client.
func (w *world) leave(s *seat) {
	w.act(s, history.Close, nil)
	w.act(s, history.Closed, s.client.Close())
	w.wire.left(s)
}

// dead reports whether the server's process has died.
func (w *world) dead() bool { return w.schedule.End != nil && w.schedule.End.How == EndExit }

// remains records what is left when all clients have gone, and ends a server that is
// still there, as its application would.
func (w *world) remains() {
	w.countSessions()
	w.goroutines()
	if !w.wire.lasting() || w.stopped() {
		return
	}
	w.stopServer()
	time.Sleep(w.header.Settle)
	w.goroutines()
}

// stopped reports whether the server's run has returned.
func (w *world) stopped() bool {
	select {
	case <-w.served:
		return true
	default:
		return false
	}
}

// countSessions records how many sessions are alive at the servers, where they tell.
func (w *world) countSessions() {
	n := 0
	for _, s := range w.servers {
		counting, can := s.(HTTPServer)
		if !can || !w.wire.lasting() {
			return
		}
		alive := counting.Sessions()
		if alive < 0 {
			return
		}
		n += alive
	}
	w.note(history.Event{Side: history.Server, Kind: history.Sessions, N: n})
}

// halfClose closes the client's writing end under the client.
func (w *world) halfClose() {
	w.event(history.Client, history.HalfClose, 0, nil)
	w.wire.halfClose()
}

// stopServer ends the server's run as its application would, and waits for that,
// for as long as closing may take.
func (w *world) stopServer() {
	w.event(history.Server, history.Stop, 0, nil)
	w.kill()
	patience := time.NewTimer(history.ClosePatience)
	defer patience.Stop()
	select {
	case <-w.served:
		time.Sleep(ownInstant)
	case <-patience.C:
	}
}

// exit lets the server's process die. Its code cannot really be stopped; it is
// told that it has ended, its ends of the wire are taken away as the operating
// system would, and what it does after that is not observed.
func (w *world) exit() {
	w.rec.AddLast(history.Event{Side: history.Server, Kind: history.Exit})
	w.exited.Store(true)
	w.wire.abandon()
	w.kill()
}
