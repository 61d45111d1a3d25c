package oracle

import (
	"math"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Remembered is how many items that are over a [Stream] keeps before it judges and
// forgets the first of them: exchanges, and frames that belong to none. What is said
// of an item so much later is left uncounted, since it cannot be told any more.
const remembered = 2048

// A Stream judges a history event by event. It keeps what is under way, a bounded
// number of items that are over, and what is to be said of the rest, so that the
// room it takes grows with what is under way at one time and not with the history's
// length; calls that never end are under way for ever. It is to be used by one
// goroutine at a time.
type Stream struct {
	builder
	*panel
	limit   int       // of items that are over and kept
	nested  *Stream   // of what tools ask of the client; nil: they ask nothing
	members []*Stream // one a client, of a world with many; see crowd.go
}

// A panel is the judges' side of a stream. In a world with many clients all conversations
// come before one.
type panel struct {
	checks  []check
	tallies []tally
	verdict []Verdict
	each    func(CallResult)
	results []CallResult
}

// NewStream returns a judge of a history with that header. each, unless it is nil, is
// handed the outcome of every call as soon as it is known, in no particular order;
// the [Judgement] then lists none.
func NewStream(h history.Header, each func(CallResult)) *Stream {
	s := newStream(h, checks(), each)
	s.nested = newNested(h)
	return s
}

func newStream(h history.Header, all []check, each func(CallResult)) *Stream {
	p := &panel{each: each}
	p.checks, p.tallies, p.verdict = newTallies(all, h)
	s := &Stream{builder: *newBuilder(h), panel: p, limit: remembered}
	s.root = &s.builder
	if h.Clients > 0 {
		s.gather(h)
	}
	return s
}

// Calls takes further lines of the header, where a history has more of them than
// its first line lists. They come before the first event of any of their calls.
func (s *Stream) Calls(more []history.Call) {
	if s.members != nil {
		s.assign(more)
		return
	}
	s.announce(more)
}

// Event takes the next event. It is not changed, and may be reused afterwards; its
// message must not be.
func (s *Stream) Event(e *history.Event) {
	kept := *e
	kept.Seq = s.seen
	s.event(&kept)
}

// event is Event for one that stays as it is.
func (s *Stream) event(e *history.Event) {
	if s.nested != nil {
		s.nested.event(exchanged(e))
	}
	s.seen++
	if s.members != nil {
		s.distribute(e)
		return
	}
	s.accept(e)
}

// accept takes an event of this very conversation, and judges what is over.
func (s *Stream) accept(e *history.Event) {
	s.take(e)
	for range 2 { // some are not ready; so the queue shrinks again
		if s.queue.len() <= s.limit {
			return
		}
		i := s.queue.pop()
		switch {
		case i.request != nil && !i.request.over():
			i.request.queued = false // it will be back
		case i.call != nil && s.calls.get(i.call.place) != i.call:
			// It was over twice, since its context ended after its return.
		case i.call != nil && i.call.req != nil:
			s.settle(i.call.req) // it is part of that
		case s.ready(i):
			s.judge(i)
			s.forget(i)
		default:
			s.queue.push(i)
		}
	}
}

// Judgement says that there are no more events, and returns what is concluded from
// all of them. The stream is of no use afterwards.
func (s *Stream) Judgement() Judgement {
	s.finish()
	for _, m := range s.members {
		m.lastSeen = s.lastSeen
		m.finish()
		m.judgeRest()
	}
	s.judgeRest()
	for i := range s.tallies {
		if t := &s.tallies[i]; t.verdict.Level != "" && s.checks[i].world != nil {
			t.enter(wholeWorld)
			for _, m := range s.members {
				s.checks[i].world(&m.index, t)
			}
			s.checks[i].world(&s.index, t)
		}
		s.tallies[i].sum(s.endOf)
	}
	s.addNested()
	imply(s.verdict)
	return Judgement{Verdicts: s.verdict, Calls: s.results}
}

// endOf is the end of the world, or, in one with many clients, of the conversation, for
// which that event of tomorrow stands.
func (s *Stream) endOf(seq int) *history.Event {
	if n := tomorrowSeq - seq; n > 0 && n <= len(s.members) {
		s = s.members[n-1]
	}
	return earlier(s.lastWord(), s.horizon)
}

// The world as a whole is judged last and listed first.
const wholeWorld, afterAll = -1, math.MaxInt

// judge judges an item that is over.
func (s *Stream) judge(i item) {
	switch {
	case i.request != nil:
		r := i.request
		if r.call != nil {
			s.judgeCall(r.call)
		}
		s.judgeRequest(r)
		for _, f := range [...]*frame{r.frame, r.cancel, r.first, r.second} {
			if f != nil {
				s.judgeFrame(f)
			}
		}
	case i.call != nil:
		s.judgeCall(i.call)
	case i.exchange != nil:
		s.judgeExchange(i.exchange)
	default:
		s.judgeFrame(i.frame)
	}
}

// judgeRest judges what is still there at the end.
func (s *Stream) judgeRest() {
	for c := range s.calls.all() {
		s.judgeCall(c)
	}
	for f := range s.frames.all() {
		if f.write == nil || f.msg == nil {
			continue
		}
		if r := f.req; r != nil && r.frame == f {
			s.judgeRequest(r)
		}
		s.judgeFrame(f)
	}
	for e := range s.exchanges.all() {
		s.judgeExchange(e)
	}
}

func (s *Stream) judgeCall(c *call) {
	for i := range s.checks {
		if k := &s.checks[i]; k.call != nil && s.tallies[i].verdict.Level != "" {
			s.tallies[i].enter(c.place)
			k.call(&s.index, c, &s.tallies[i])
		}
	}
	r := s.result(c)
	r.Incident = s.incident(c)
	if s.each != nil {
		s.each(r)
		return
	}
	for len(s.results) <= c.place {
		s.results = append(s.results, CallResult{})
	}
	s.results[c.place] = r
}

func (s *Stream) judgeRequest(r *request) {
	for i := range s.checks {
		if k := &s.checks[i]; k.request != nil && s.tallies[i].verdict.Level != "" {
			s.tallies[i].enter(r.nth)
			k.request(&s.index, r, &s.tallies[i])
		}
	}
}

func (s *Stream) judgeExchange(e *exchange) {
	for i := range s.checks {
		if k := &s.checks[i]; k.exchange != nil && s.tallies[i].verdict.Level != "" {
			s.tallies[i].enter(e.n)
			k.exchange(&s.index, e, &s.tallies[i])
		}
	}
}

// judgeFrame judges what was on the wire: a closing was not.
func (s *Stream) judgeFrame(f *frame) {
	if f.closing {
		return
	}
	for i := range s.checks {
		k, t := &s.checks[i], &s.tallies[i]
		if t.verdict.Level == "" {
			continue
		}
		if f.again() && !k.streams {
			continue // it says nothing new
		}
		if k.cancel != nil && f.msg.IsCancel() {
			t.enter(f.nth)
			k.cancel(&s.index, f, t)
		}
		if k.frame != nil {
			t.enter(f.n)
			k.frame(&s.index, f, t)
		}
	}
}
