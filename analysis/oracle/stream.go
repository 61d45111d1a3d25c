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
	checks  []check
	tallies []tally
	verdict []Verdict
	limit   int // of items that are over and kept
	each    func(CallResult)
	results []CallResult
	nested  *Stream // of what tools ask of the client; nil: they ask nothing
}

// NewStream returns a judge of a history with that header. each, unless it is nil, is
// handed the outcome of every call as soon as it is known, in no particular order;
// the [Judgement] then lists none.
func NewStream(h history.Header, each func(CallResult)) *Stream {
	s := newStream(h, checks(), each)
	s.nested = newNested(h)
	return s
}

func newStream(h history.Header, checks []check, each func(CallResult)) *Stream {
	s := &Stream{builder: *newBuilder(h), checks: checks, limit: remembered, each: each}
	s.tallies, s.verdict = newTallies(checks, h)
	return s
}

// Calls takes further lines of the header, where a history has more of them than
// its first line lists. They come before the first event of any of their calls.
func (s *Stream) Calls(more []history.Call) { s.announce(more) }

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
	s.take(e)
	for range 2 { // some are not ready; so the queue shrinks again
		if s.queue.len() <= s.limit {
			return
		}
		i := s.queue.pop()
		switch {
		case i.request != nil && !i.request.over():
			i.request.queued = false // it will be back
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
	s.judgeRest()
	end := earlier(s.lastWord(), s.horizon)
	for i := range s.tallies {
		if t := &s.tallies[i]; t.verdict.Level != "" && s.checks[i].world != nil {
			t.enter(wholeWorld)
			s.checks[i].world(&s.index, t)
		}
		s.tallies[i].sum(end)
	}
	s.addNested()
	imply(s.verdict)
	return Judgement{Verdicts: s.verdict, Calls: s.results}
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

func (s *Stream) judgeFrame(f *frame) {
	for i := range s.checks {
		k, t := &s.checks[i], &s.tallies[i]
		if t.verdict.Level == "" {
			continue
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
