package netem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// The kinds of a [FrontFault].
const (
	FrontSlowPost   = "slow-post"   // the body reaches the server piece by piece, its end After later: another request overtakes it
	FrontHold       = "hold"        // the server hears of the request only After later, if the client has not given up by then
	FrontCut        = "cut"         // so many whole events get through and half of the next, then the connection breaks
	FrontDrop       = "drop"        // the connection breaks After later, whatever it carries by then
	FrontBuffer     = "buffer"      // nothing of the response is passed on before it is complete or, if that is not 0, After has passed
	FrontTimeout    = "timeout"     // the front gives up After later: 504 if no head was sent yet, otherwise the stream is cut
	FrontBadGateway = "bad-gateway" // 502, and the server never hears of it
	FrontUnanswered = "unanswered"  // nothing comes, and the server never hears of it, until the client gives up
)

// FrontFaults returns the kinds of faults, in alphabetical order.
func FrontFaults() []string {
	return []string{FrontBadGateway, FrontBuffer, FrontCut, FrontDrop, FrontHold, FrontSlowPost, FrontTimeout, FrontUnanswered}
}

// A FrontFault is what happens to one exchange at a [Front]. The zero FrontFault
// is nothing.
type FrontFault struct {
	// Kind is one of [FrontFaults], or empty for none.
	Kind string
	// After is when it happens, counted from the moment at which the front has the
	// request's head. Only the kinds that name it use it.
	After time.Duration
	// Events is how many whole events a cut lets through. What is no stream of
	// events is cut in half if this is 0, and otherwise not at all.
	Events int
}

// Validate reports every fault of f, joined, or nil.
func (f FrontFault) Validate() error {
	var errs []error
	if f.Kind != "" && !slices.Contains(FrontFaults(), f.Kind) {
		return fmt.Errorf("unknown kind %q: it must be %s", f.Kind, strings.Join(FrontFaults(), ", "))
	}
	untimed := []string{"", FrontBadGateway, FrontCut, FrontUnanswered}
	switch {
	case f.After < 0 || f.After > MaxDelay:
		errs = append(errs, fmt.Errorf("after: %v is not from 0s to %v", f.After, MaxDelay))
	case f.After > 0 && slices.Contains(untimed, f.Kind):
		errs = append(errs, fmt.Errorf("%s: after %v has no meaning here", cmp.Or(f.Kind, "no fault"), f.After))
	}
	switch {
	case f.Events < 0:
		errs = append(errs, fmt.Errorf("events: %d is negative", f.Events))
	case f.Events > 0 && f.Kind != FrontCut:
		errs = append(errs, fmt.Errorf("%s: events %d has no meaning here", cmp.Or(f.Kind, "no fault"), f.Events))
	}
	return errors.Join(errs...)
}

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

// A fuse breaks a connection of the machine's own when it has burnt down. It does not
// notice when that is closed before.
type fuse struct{ timer *time.Timer }

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

// Wait blocks until all backends have returned on which the front has given up, or
// ctx has ended, of which it returns the error. It is for the end, when all
// connections are closed: drops of TCP connections that have not come by then do not
// come any more.
func (f *Front) Wait(ctx context.Context) error {
	f.mu.Lock()
	for lit := range f.fuses {
		lit.timer.Stop()
	}
	clear(f.fuses)
	if f.running == 0 {
		f.mu.Unlock()
		return nil
	}
	if f.idle == nil {
		f.idle = make(chan struct{})
	}
	idle := f.idle
	f.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// light has f.Wait keep burn from being called so much later, or wait for it.
func (f *Front) light(after time.Duration, burn func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fuses == nil {
		f.fuses = map[*fuse]bool{}
	}
	lit := &fuse{}
	lit.timer = time.AfterFunc(after, func() {
		if over, burns := f.burns(lit); burns {
			defer over()
			burn()
		}
	})
	f.fuses[lit] = true
}

// burns counts a fuse that has burnt down, as runs does, unless it was put out in the
// last moment.
func (f *Front) burns(x *fuse) (over func(), burns bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.fuses[x] {
		return nil, false
	}
	delete(f.fuses, x)
	return f.count(), true
}

// runs counts a backend that may outlive its exchange; the returned function counts
// it out.
func (f *Front) runs() (over func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count()
}

func (f *Front) count() (over func()) {
	f.running++
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.running--; f.running == 0 && f.idle != nil {
			close(f.idle)
			f.idle = nil
		}
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
