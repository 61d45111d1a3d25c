package oracle

import (
	"fmt"
	"strconv"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A server that holds no connection for as long as a call takes: it tells the client from
// where and when to resume the stream, and ends the exchange.

// polls reports whether the server may do so with this exchange, of a call.
func (l *leg) polls() bool {
	return l.web.over == StreamableHTTP && l.version == lastLegacy && l.resumable && !l.json && l.d != nil && !l.d.listens() && l.d.Method != initializeMethod
}

// prime is the first event of the stream.
func (l *leg) prime() {
	if l.polls() && l.often("primes") {
		l.wait = l.draw("retry", 0, 9)
		l.primed = fmt.Sprintf("%d.%d-p", l.talk.n, l.n)
		l.d.primed = l.primed
		l.cue(history.Server)
	}
}

// hearPrime is its being read.
func (l *leg) hearPrime() {
	if l.primed != "" {
		l.lastRead = l.primed
		l.cue(history.Client)
	}
}

func (l *leg) cue(side history.Side) {
	l.add(history.Event{Side: side, Kind: history.Cue, Exchange: l.n, EventID: l.primed, Value: strconv.Itoa(l.wait)})
}

// retreats is the server's ending the exchange of a call that goes on.
func (l *leg) retreats() {
	d := l.d
	busy := len(l.down.writing)+len(l.down.waiting) > 0
	if l.serverOver || l.known || l.broken || l.replied || l.clientOver || busy || d.settled || d.cancelled != 0 || d.returned {
		return
	}
	if !l.down.headed {
		l.down.headed = true
		l.answers()
	}
	if l.primed == "" {
		return
	}
	l.finish(history.Server, "")
	l.after(l.draw("way back", 4, 6), l.comesBack) // behind all that is on its way
}

// comesBack is the client's reading the end of the stream, and resuming it in due time.
func (l *leg) comesBack() {
	if l.clientOver {
		return
	}
	if !l.down.begun {
		l.down.begun = true
		l.heard()
	}
	l.finish(history.Client, "")
	l.after(l.wait+l.draw("longer", 0, 2), func() {
		if !l.d.returned {
			l.resume(l.d, l.lastRead)
		}
	})
}
