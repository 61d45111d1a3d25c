package oracle

import (
	"cmp"
	"slices"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// An index is a history sorted by what it is about: frames, requests and calls,
// and the landmarks of the session. It is built in one pass and then only read.
// Pointers to events point into events, where events[i].Seq is i; nil means that
// no such event was observed.
type index struct {
	header   history.Header
	events   []history.Event
	modern   bool
	grace    time.Duration // wall time only: how long order alone proves nothing
	patience time.Duration // longer than a server that runs one tool at a time needs for all
	calls    []call        // in the header's order
	numbers  map[int]*call // by number; nil where calls[i] is call i+1
	frames   []frame       // by number
	requests []request     // in the order in which they were written
	cancels  []*frame      // notifications/cancelled, in the order in which they were written
	session
}

// A session holds the landmarks of a world, each at its first occurrence.
type session struct {
	connected *history.Event
	probe     *history.Event
	probed    *history.Event
	close     *history.Event
	closed    *history.Event
	horizon   *history.Event
	stalled   *history.Event // the world's limit, reached while the session was being closed
	served    *history.Event
	crash     *history.Event
	over      *history.Event // the first sign of the session's end: close, hangup, end of stream, server's return, crash, an end that the scenario brought about
	broken    *history.Event // the first such sign that nobody had asked for: neither the application's closing nor the scenario came before
	last      *history.Event // the last that was observed while the world lived
	leaks     []*history.Event
	cancelled *history.Event // the first cancel's being read by the server

	halfClosed *history.Event // the scenario closed the client's writing end
	exit       *history.Event // the scenario let the server's process die
	heard      *history.Event // the server read the end of its input
	bereft     *history.Event // the client read the end of its input
	left       *history.Event // the server hung up, or its run returned
	quit       *history.Event // the client hung up
	abrupt     bool           // the session ended with calls in flight, by the application's or the scenario's doing
}

// A call is one line of the header with what became of it.
type call struct {
	history.Call
	req *request // the request that the client wrote for it

	issue, cancel, ret *history.Event
	start, told, end   *history.Event
	asks               []*history.Event // for progress
	held               *frame           // what the client was just writing when the application cancelled
	hit                bool             // by what befell another call
}

// kind is what reports call c by: the kind of its handler, or its method where no
// code of the application's answers.
func (c *call) kind() string { return cmp.Or(c.Handler, c.Method) }

// otherMethod is the method of c, empty for the usual one.
func (c *call) otherMethod() string {
	if c.Method == "tools/call" {
		return ""
	}
	return c.Method
}

// A request is a request frame with what belongs to it.
type request struct {
	frame      *frame
	call       *call          // nil: none of the application's calls
	cancel     *frame         // the first cancel that names it, as written
	repeated   int            // further cancels
	c          *history.Event // C: the first cancel's being read after the request was read
	early      *history.Event // a cancel's being read before the request was
	replies    int
	first      *frame // the first reply
	second     *frame // the second reply
	progress   []*frame
	reused     bool // its id was used again before it was answered: what belongs to which is not known
	readReply  *history.Event
	readCancel *frame // the frame of c
}

// A frame is one message on the wire.
type frame struct {
	pace
	msg                        *history.Message
	side                       history.Side // the sender
	write, wrote, read, unread *history.Event
	req                        *request // the request that it answers, cancels or reports on
	nth                        int      // progress: which of its request's, from 1
}

func newIndex(h *history.History) *index {
	x := &index{header: h.Header, events: numbered(h.Events), modern: h.Header.Modern()}
	if h.Header.Clock == "wall" {
		x.grace = wallGrace
	}
	x.makeRoom()
	b := builder{index: x}
	for i := range x.events {
		b.take(&x.events[i])
	}
	x.abrupt = x.endedAbruptly()
	return x
}

// wallGrace is how long after the cancel's being read an act in wall time may
// still be a crossing.
const wallGrace = 50 * time.Millisecond

// numbered returns events with Seq equal to the position; a damaged history is
// copied for that.
func numbered(events []history.Event) []history.Event {
	for i := range events {
		if events[i].Seq != i {
			fresh := append([]history.Event(nil), events...)
			for j := range fresh {
				fresh[j].Seq = j
			}
			return fresh
		}
	}
	return events
}

// makeRoom allocates everything once, so that pointers stay valid.
func (x *index) makeRoom() {
	requests, top, cancels := 0, 0, 0
	for i := range x.events {
		e := &x.events[i]
		// A frame has a number of its own, so more frames than events are damage.
		if e.Frame > top && e.Frame <= len(x.events) {
			top = e.Frame
		}
		if e.Kind != history.Write || e.Msg == nil {
			continue
		}
		if e.Msg.Kind == history.Request {
			requests++
		} else if e.Msg.IsCancel() {
			cancels++
		}
	}
	x.frames = make([]frame, top+1)
	x.requests = make([]request, 0, requests)
	x.cancels = make([]*frame, 0, cancels)
	x.calls = make([]call, len(x.header.Calls))
	x.patience = x.header.Settle
	inOrder := true
	for i, c := range x.header.Calls {
		x.patience += 2 * c.Work
		x.calls[i].Call = c
		inOrder = inOrder && c.Call == i+1
	}
	if inOrder {
		return
	}
	x.numbers = make(map[int]*call, len(x.calls))
	for i := range x.calls {
		x.numbers[x.calls[i].Call.Call] = &x.calls[i]
	}
}

// call returns the call with that number, or nil.
func (x *index) call(n int) *call {
	if x.numbers != nil {
		return x.numbers[n]
	}
	if n < 1 || n > len(x.calls) {
		return nil
	}
	return &x.calls[n-1]
}

// ended returns the event by which the application would not wait any longer:
// the world's limit, or the closing of the session; nil when neither was seen.
func (x *index) ended() *history.Event { return earlier(x.horizon, x.close) }

// endedAbruptly reports whether the session ended with calls in flight because
// the application or the scenario wanted it to.
func (x *index) endedAbruptly() bool {
	if x.exit != nil || x.halfClosed != nil {
		return true
	}
	return x.ended() == x.close && slices.ContainsFunc(x.calls, func(c call) bool { return c.pending(x.close) })
}

// pending reports whether the caller of c was waiting at e.
func (c *call) pending(e *history.Event) bool { return before(c.issue, e) && !before(c.ret, e) }

// lastWord returns the last event that the session was alive for.
func (x *index) lastWord() *history.Event {
	if x.over != nil {
		return x.over
	}
	return x.last
}

// lastCancel returns the frame of the last cancel that was written before e, or
// nil.
func (x *index) lastCancel(e *history.Event) *frame {
	low, high := 0, len(x.cancels)
	for low < high {
		if mid := (low + high) / 2; before(x.cancels[mid].write, e) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == 0 {
		return nil
	}
	return x.cancels[low-1]
}

// before reports whether both were observed, a earlier.
func before(a, b *history.Event) bool { return a != nil && b != nil && a.Seq < b.Seq }

// earlier returns the earlier of two events, of which either may be missing.
func earlier(a, b *history.Event) *history.Event {
	if a == nil || before(b, a) {
		return b
	}
	return a
}

// span is the time from a to b, never negative in a history that is not damaged;
// -1 when either is missing.
func span(a, b *history.Event) time.Duration {
	if a == nil || b == nil || b.At < a.At {
		return -1
	}
	return b.At - a.At
}
