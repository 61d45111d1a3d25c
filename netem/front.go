package netem

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// A Front is what stands between clients and a server: a reverse proxy, or a
// balancer before several of them. It is middleware: an http.Handler that knows
// HTTP and its streams of events, and not what they carry.
//
// A connection breaks by [Conn.Reset] if http.Server.ConnContext is [WithConn],
// and by a reset of a TCP connection likewise. By HTTP/2 a cut is the reset of one
// stream, as are timeouts; only a drop breaks the connection with all its streams.
// Where the connection is not known, it is closed, no earlier than when the handler
// returns.
//
// Whatever the fault, a backend that goes on although its client is gone can do
// so; what it writes fails. Each runs in the goroutine of its request, other than
// under a timeout, where it may outlive it, and where its panics are swallowed from
// then on: see Wait.
type Front struct {
	// Decide returns what happens to an exchange; its result must be valid. It is
	// called once a request, by the goroutine that serves it. nil: nothing.
	Decide func(*http.Request) FrontFault
	// Backends are the instances. They share nothing that they do not share
	// themselves.
	Backends []http.Handler
	// Pick returns which of the Backends an exchange goes to, from 0; for what is
	// none of them the answer is 502. It is called like Decide, and for faults by
	// which no backend hears of the exchange, too. nil: always the first.
	Pick func(*http.Request) int
	// Drop is called right before a drop breaks what carries an exchange, with the
	// request of that exchange, which may be over. By HTTP/2 other exchanges break
	// with it, and by HTTP/1.1 it may be another one alone. It is called by a
	// goroutine of the front's, which it must not hold up. nil: nobody is told.
	Drop func(*http.Request)

	// Halt, when it is closed, takes the front down, as happens to a sidecar with its
	// server: what it leaves unanswered breaks off. nil: never.
	Halt <-chan struct{}

	mu      sync.Mutex     // guards what follows
	running int            // backends under a timeout, and drops that are at it
	idle    chan struct{}  // closed when there are none; nil: nobody waits
	fuses   map[*fuse]bool // of TCP connections, and still burning
}

var _ http.Handler = (*Front)(nil)

// An exchange is one request on its way through a front.
type exchange struct {
	w       http.ResponseWriter
	r       *http.Request
	next    http.Handler
	fault   FrontFault
	arrived time.Time
	halt    <-chan struct{}
}

// ServeHTTP passes the exchange on, with what happens to it.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := exchange{w: w, r: r, arrived: time.Now(), halt: f.Halt}
	if f.Decide != nil {
		x.fault = f.Decide(r)
	}
	x.next = f.backend(r)
	switch x.fault.Kind {
	case "":
		x.next.ServeHTTP(w, r)
	case FrontSlowPost:
		x.slowPost()
	case FrontHold:
		x.hold()
	case FrontCut:
		x.cut()
	case FrontDrop:
		f.drop(x)
	case FrontBuffer:
		x.buffer()
	case FrontTimeout:
		f.timeout(x)
	case FrontBadGateway:
		badGateway(w, r)
	case FrontUnanswered:
		x.unanswered()
	default:
		panic(fmt.Sprintf("netem: front: %v", x.fault.Validate()))
	}
}

func (f *Front) backend(r *http.Request) http.Handler {
	i := 0
	if f.Pick != nil {
		i = f.Pick(r)
	}
	if i < 0 || i >= len(f.Backends) {
		return http.HandlerFunc(badGateway)
	}
	return f.Backends[i]
}

func badGateway(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, http.StatusText(http.StatusBadGateway), http.StatusBadGateway)
}

func (x *exchange) cut() {
	c := &cutter{exchange: x}
	defer c.finish()
	x.next.ServeHTTP(c, x.r)
}

func (x *exchange) buffer() {
	p := newPassage(x.w, true)
	defer p.leave()
	if x.fault.After > 0 {
		timer := time.AfterFunc(x.fault.After, p.open)
		defer timer.Stop()
	}
	x.next.ServeHTTP(p, x.r)
	p.finish()
}

// timeout gives up on a backend that is not done in time. It tells it by ending
// its context, and lets it run on.
func (f *Front) timeout(x exchange) {
	f.relay(x, func(p *passage) { p.giveUp(x.r) })
}

// drop lights a fuse at the connection; the exchange may be over when it burns
// down. Without a connection only the exchange itself can be broken off.
func (f *Front) drop(x exchange) {
	drops := func() {
		if f.Drop != nil {
			f.Drop(x.r)
		}
	}
	switch conn := x.r.Context().Value(connKey{}).(type) {
	case *Conn:
		conn.resetAfter(x.fault.After, drops)
	case *net.TCPConn:
		f.light(x.fault.After, func() {
			drops()
			resetConn(conn)
		})
	default:
		f.relay(x, func(p *passage) {
			drops()
			p.breakOff(x.r)
		})
		return
	}
	x.next.ServeHTTP(x.w, x.r)
}

// relay runs the backend in a goroutine of its own and returns when it does, or
// After later, once late has been called. It panics as the backend does; a panic
// that comes after late is swallowed, since what it would have broken off is over.
func (f *Front) relay(x exchange, late func(*passage)) {
	ctx, cancel := context.WithCancel(x.r.Context())
	defer cancel()
	p := newPassage(x.w, false)
	done := make(chan any, 1) // what the backend panicked with; nobody reads it after late
	over := f.runs()
	go func() {
		defer over()
		defer func() { done <- recover() }()
		x.next.ServeHTTP(p, x.r.WithContext(ctx))
	}()
	timer := time.NewTimer(x.fault.After)
	defer timer.Stop()
	select {
	case panicked := <-done:
		if panicked != nil {
			panic(panicked)
		}
		p.finish()
	case <-timer.C:
		late(p)
	}
}
