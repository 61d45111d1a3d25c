package oracle

import (
	"math"
	"strconv"

	"github.com/mcpsim/mcpsim/sim/history"
)

// In a world with many clients each has a conversation of its own with the one server:
// ids, progress tokens and sessions are its own. So each is judged by itself, by a member
// of the stream, and the host judges what befalls all of them, once. All bring what they
// find before one panel, so that an act is counted once.
//
//	              ┌▶ member 1: client 1's calls, messages, exchanges
//	events ──────▶│  member 2: client 2's
//	              └▶ host: crashes, leaks, the server's stopping
//
// What only a shared server can mix up is noted across them: what the server knows, what
// tools returned, and the ids that cancels name.

// A part is what an index has of a world.
type part int

const (
	whole  part = iota // all of it
	member             // one client's of many
	host               // what is not one client's
)

// maxClients bounds the clients that are told apart. Worlds have a thousand at most; those
// of others count as the first's, or as nobody's.
const maxClients = 1 << 13

// farAhead is the first number of a window that a member uses, so that all that are
// below find their place apart: a member sees few of the world's numbers.
const farAhead = math.MaxInt / 2

// fewRemembered is how many items that are over a member keeps at least.
const fewRemembered = 128

// gather makes the members, and gives them the calls of the header.
func (s *Stream) gather(h history.Header) {
	s.part = host
	s.owners = map[int]int{}
	s.calls, s.numbers, s.highest = window[call]{}, nil, 0
	bare := h
	bare.Calls = nil
	for n := range min(h.Clients, maxClients) {
		m := &Stream{builder: *newBuilder(bare), panel: s.panel, limit: max(fewRemembered, remembered/h.Clients)}
		m.root, m.part = &s.builder, member
		m.last.Seq -= n + 1
		m.shared, m.prefix = &s.memory, strconv.Itoa(n)+" "
		m.calls.base, m.frames.base, m.exchanges.base = farAhead, farAhead, farAhead
		s.members = append(s.members, m)
	}
	s.places, s.patience = 0, h.Settle
	s.assign(h.Calls)
}

// assign gives each line of the header to the client whose call it is.
func (s *Stream) assign(calls []history.Call) {
	for i := range calls {
		s.patience += 2 * calls[i].Work
		n := calls[i].Client
		if n < 1 || n > len(s.members) {
			n = 1
		}
		s.owners[calls[i].Call] = n
		s.highest = max(s.highest, calls[i].Call)
		s.members[n-1].enter(calls[i], s.places)
		s.places++
	}
	for _, m := range s.members {
		m.patience = s.patience // one server has the work of all
	}
}

// distribute gives an event to whom it concerns.
func (s *Stream) distribute(e *history.Event) {
	n := e.Client
	if n == 0 && e.Call > 0 {
		n = s.owners[e.Call]
	}
	switch {
	case n > len(s.members) || n < 0 || n == 0 && (e.Call > 0 || e.Exchange > 0 || e.Frame > 0):
		s.lastSeen = e // nobody's, for all that is known
		if e.Kind == history.Start && e.Call > 0 && e.Call <= s.highest {
			s.lateStarts++ // of a call that is forgotten
		}
	case n > 0:
		s.members[n-1].accept(e)
		s.lastSeen = e
		s.across(s.members[n-1], e)
	case e.Kind == history.Goroutines || e.Kind == history.Leak || e.Kind == history.Sessions:
		s.take(e)
	default:
		for _, m := range s.members {
			m.accept(e)
		}
		s.take(e)
	}
}

// across notes what an event of one client's means for others, and for all.
func (s *Stream) across(m *Stream, e *history.Event) {
	switch {
	case e.Kind == history.Cancel:
		s.gaveUp = true
	case e.Kind == history.Close || e.Kind == history.Closed:
		s.landmark(e)
	case e.Kind == history.Read && e.Side == history.Server && e.Msg.IsCancel():
		on := m.exchanges.get(e.Exchange)
		for _, other := range s.members {
			if other != m {
				other.overhear(e, on)
			}
		}
	}
}

// overhear notes that the server read, by an exchange, a cancel of another client's that
// names an id which this client has in use.
func (b *builder) overhear(e *history.Event, on *exchange) {
	r := b.ids[seat(history.Client)][e.Msg.Ref]
	if r != nil && !apart(on, r.frame.on) && r.frame.read != nil && r.first == nil && r.c == nil && !r.over() {
		r.lookalike = e
	}
}
