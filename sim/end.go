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
	w.wire.abandon()
	w.kill()
}
