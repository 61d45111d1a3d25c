package oracle

import (
	"slices"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// An item is what is judged and forgotten at a time: an exchange, which is a request
// with its call, its first cancel and its first two replies; a call without a request;
// a frame of no exchange, or one more of one.
type item struct {
	request  *request
	call     *call
	frame    *frame
	exchange *exchange
	at       time.Duration // when it was over
}

// A queue holds items that are over, first in, first out.
type queue struct {
	items []item
	front int
}

func (q *queue) len() int { return len(q.items) - q.front }

func (q *queue) push(i item) { q.items = append(q.items, i) }

func (q *queue) pop() item {
	i := q.items[q.front]
	q.items[q.front] = item{}
	q.front++
	if 2*q.front >= len(q.items) && q.front >= 64 {
		left := copy(q.items, q.items[q.front:])
		clear(q.items[left:])
		q.items, q.front = q.items[:left], 0
	}
	return i
}

// done puts an item that is over into the queue of those to be judged.
func (b *builder) done(i item) {
	if !b.keep {
		b.queue.push(i)
	}
}

// touch notes that e is about c.
func (b *builder) touch(c *call, e *history.Event) {
	if r := c.req; r != nil {
		r.touched = e.At
		b.settle(r)
	} else if c.over() {
		b.done(item{call: c, at: e.At})
	}
}

// settle puts an exchange that is over into the queue, unless it is there.
func (b *builder) settle(r *request) {
	if !r.queued && r.over() {
		r.queued = true
		b.done(item{request: r, at: r.touched})
	}
}

// over reports whether nothing more is to come for c, as far as the rules go.
func (c *call) over() bool { return c.ret != nil && (c.start == nil || c.end != nil) }

// over reports whether nothing more is to come for r, as far as the rules go: it was
// answered or cancelled, all that was said has been heard, and over HTTP its exchange is.
func (r *request) over() bool {
	heard := r.readReply != nil || r.c != nil || r.early != nil && !r.accepted() || r.listen != nil && r.listen.endRead || r.unanswerable()
	done := !r.byPost || r.frame.on.over()
	return heard && done && r.flying == 0 && (r.call == nil || r.call.over())
}

// accepted reports whether the exchange of r has ended and says nothing of what becomes of
// it, as over HTTP+SSE.
func (r *request) accepted() bool { return r.byPost && r.frame.on.answersWith() == 202 }

// owns reports whether f is judged and forgotten with r.
func (r *request) owns(f *frame) bool {
	return f == r.frame || f == r.cancel || f == r.first || f == r.second
}

// ready reports whether all is known that an oracle may ask of i: time has passed
// since, so that what comes is later, and no check needs it still.
func (b *builder) ready(i item) bool {
	since := i.at
	c := i.call
	if r := i.request; r != nil {
		if !r.over() {
			return false
		}
		since, c = max(since, r.touched), r.call
	}
	return b.now > since+b.grace && (c == nil || !b.stays(c) && !b.unsettled(c))
}

// unsettled reports whether it is still to be seen what became of the value of c or of
// its cancel: a call that was given the value has not returned its own, the client's
// writer has had no moment for the cancel yet, or it was written and whether anything
// was decided later is not known yet.
func (b *builder) unsettled(c *call) bool {
	switch {
	case slices.ContainsFunc(c.takers, func(taker *call) bool { return !taker.over() }):
		return true
	case c.cancel == nil || c.req == nil:
		return false
	case b.overHTTP:
		return c.req.cancel.posting() // no order of what the client writes is judged
	case c.req.cancel != nil:
		return c.req.cancel.cancelled() != nil && c.cancel.At+b.grace >= b.lastIssue
	case c.held == nil:
		return false
	}
	free := freeAfter(c.held)
	return free == nil || b.now <= free.At+b.grace
}

// stays reports whether c is needed until the end: how a server deals with what it
// has in hand when its client goes shows only then, and likewise a client that the
// application closes.
func (x *index) stays(c *call) bool {
	if c.pending(x.close) {
		return true
	}
	if x.heard == nil {
		return false
	}
	ran := c.start != nil && !before(c.end, x.heard)
	return ran || c.req != nil && (c.req.first == nil || !before(c.req.first.write, x.heard))
}

// forget forgets an item. What others may still ask of it is noted. The pointers from
// one item to another are cut, so that what is alive does not keep all that was.
func (b *builder) forget(i item) {
	if r := i.request; r != nil {
		b.forgetRequest(r)
	}
	if c := i.call; c != nil {
		b.forgetCall(c)
	}
	if e := i.exchange; e != nil {
		b.forgetExchange(e)
	}
	if f := i.frame; f != nil {
		b.forgetFrame(f)
		if r := f.req; r != nil && r.cancel == nil && len(r.progress) > 0 && r.progress[0] == f {
			r.progress = r.progress[1:] // it was reported before any cancel, and read
		}
	}
}

func (b *builder) forgetRequest(r *request) {
	side, msg := r.frame.side, r.frame.msg
	if r.sitting == b.sitting { // the names of a former session mean nothing in this one
		b.note(ofRequest, side, msg.ID)
	}
	if b.ids[seat(side)][msg.ID] == r {
		delete(b.ids[seat(side)], msg.ID)
	}
	if msg.Token != "" {
		b.note(ofToken, side, msg.Token)
		if b.tokens[seat(side)][msg.Token] == r {
			delete(b.tokens[seat(side)], msg.Token)
		}
		if r.readReply == nil {
			b.leaveToken(r)
		}
	}
	for _, f := range [...]*frame{r.frame, r.cancel, r.first, r.second} {
		if f != nil {
			b.forgetFrame(f)
		}
	}
	if r.call != nil {
		b.forgetCall(r.call)
	}
}

func (b *builder) forgetCall(c *call) {
	b.gone++
	b.calls.drop(c.place)
	delete(b.numbers, c.Call.Call)
	delete(b.root.owners, c.Call.Call)
	b.leaveOwner(c)
	c.held, c.takers = nil, nil
	if c.task != nil && c.task.call == c {
		c.task.leaveCall()
	}
	if c.end == nil || c.end.Value == "" {
		return
	}
	b.note(ofTool, "", c.end.Value)
	if b.root.values[c.end.Value] == c {
		delete(b.root.values, c.end.Value)
	}
}

// leaveOwner notes with the owner of the value that c returned what c had of it.
func (b *builder) leaveOwner(c *call) {
	o := c.owner
	if o == nil {
		return
	}
	if c.stray() == o && b.lateTaken(c, o) != nil {
		o.taken = append(o.taken, c.ret)
	}
	o.takers = slices.DeleteFunc(o.takers, func(taker *call) bool { return taker == c })
	c.owner = nil
}

func (b *builder) forgetFrame(f *frame) {
	if f.closing {
		return // it is none
	}
	b.frames.drop(f.n)
	b.lastGone = max(b.lastGone, f.n)
}

func (b *builder) forgetExchange(e *exchange) {
	b.exchanges.drop(e.n)
	b.lastExchange = max(b.lastExchange, e.n)
}
