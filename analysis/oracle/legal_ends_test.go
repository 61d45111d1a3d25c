package oracle

import (
	"github.com/mcpsim/mcpsim/sim/history"
)

// An ending is how and when the session ends: when all is quiet, or with calls in
// flight.
type ending struct {
	*talk
	how string
	at  int
}

const (
	endClose     = "close"
	endHalfClose = "half-close"
	endExit      = "exit"
)

func (e *ending) draw() {
	e.how = e.pick("end", "", "", "", "", endClose, endHalfClose, endExit)
	if e.how != "" {
		e.at = e.talk.draw("end at", 0, 40)
	}
}

// begin sets the clock of an end with calls in flight.
func (e *ending) begin() {
	switch e.how {
	case endClose:
		e.after(e.at, e.close)
	case endHalfClose:
		e.after(e.at, func() {
			e.note(history.Client, history.HalfClose, 0, "")
			e.up.hangup("half-close")
		})
	case endExit:
		e.after(e.at, e.exit)
	}
}

// exit lets the server's process die: what it has written arrives, what it has not
// read is lost.
func (e *ending) exit() {
	e.note(history.Server, history.Exit, 0, "")
	e.exited = true
	e.up.sever()
	e.down.closed = true
	e.down.launch(&parcel{end: true})
}

// farewell is what the application does when everything is quiet: it asks for a sign
// of life, and closes the session.
func (e *ending) farewell() {
	e.now++
	e.note(history.World, history.Quiet, 0, "")
	if e.how == "" {
		e.probe()
		e.play()
	}
	e.close()
	e.play()
	e.up.leftovers()
	e.down.leftovers()
	e.leak()
}

// leak is what remains without being anybody's fault: of a tool, and of a server
// whose process is dead.
func (e *ending) leak() {
	left := history.Event{Side: history.World, Kind: history.Leak, N: 1, Text: toolCode + "leaky(0x1)\n\ttools.go:9\ncreated by main"}
	if e.seldom("a tool leaks") {
		e.add(left)
	}
	if e.exited && e.often("a dead server leaks") {
		left.Text = "example.org/x.(*Server).read(0x1)\n\tx.go:9\ncreated by example.org/x.(*Server).Run"
		e.add(left)
	}
}

func (e *ending) probe() {
	e.note(history.Client, history.Probe, 0, "")
	method := "ping"
	if e.modern {
		method = "tools/list"
	}
	e.client.request(&dialogue{Call: history.Call{Method: method}, whenAnswered: func() {
		e.note(history.Client, history.Probed, 0, "")
	}})
}

// close is the application's closing of the client: callers get control back, what
// waits for the writer is dropped, and when the server has hung up, or at once,
// Close returns.
func (e *ending) close() {
	if e.web != nil {
		e.web.close()
		return
	}
	if e.client.closed {
		return
	}
	e.client.closed = true
	e.note(history.Client, history.Close, 0, "")
	e.client.release("client closed")
	e.up.hangup("")
	e.closed()
}

// closed waits for the server and lets Close return.
func (e *ending) closed() {
	if !e.client.bereft && !e.seldom("hasty") {
		e.after(1, e.closed)
		return
	}
	e.after(0, func() {
		for _, d := range e.calls { // in this instant, but first
			if !d.returned && d.id != "" {
				e.after(0, func() { e.closed() })
				return
			}
		}
		e.down.sever()
		e.note(history.Client, history.Closed, 0, "")
	})
}

// hear is the end of the server's input. With the client gone, it tells its handlers
// and ends when they have. From a client that was only half closed it may have to
// expect that it waits for answers, and before 2026-07-28 it does.
func (s *legalServer) hear() {
	s.heard = true
	s.drain = s.end.how == endHalfClose && (!s.modern || s.often("drain"))
	if !s.drain || s.often("dismiss") {
		for _, d := range s.got {
			if d.started {
				s.after(0, func() { s.tell(d) })
			}
		}
	}
	s.leave()
}

// leave hangs up when nothing is left to do.
func (s *legalServer) leave() {
	for _, d := range s.got {
		if d.started && !d.ended || s.drain && !d.settled {
			s.after(1, s.leave)
			return
		}
	}
	s.down.whenIdle(func() {
		s.down.hangup("")
		s.note(history.Server, history.Served, 0, "")
	})
}
