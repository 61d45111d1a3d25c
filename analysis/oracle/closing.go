package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// What it means that an exchange is broken off depends on the era. Before 2026-07-28
// it means nothing: a call goes on, and its response waits for the client to resume the
// stream. Since, it is the cancel of the request that the exchange was for:
//
//	client  ──POST: call 1──▶            ✕ (drop)
//	server                     ▶ work …    ✕ (gone): C        nothing more
//
// So that all the oracles of cancels can judge it, the builder takes the closing for a
// cancel's frame, which is written by the drop and read when the server sees it. It has
// no number, and no other oracle of frames gets to see it. A connection that the network
// broke is read and was never written.

// noteRetry notes that the client made the call c again by another request, since the
// exchange of the first had come to nothing, or had ended without a response. Whose doing
// what the handler then does is, and what becomes of the call, nobody can tell.
func (b *builder) noteRetry(c *call) {
	if b.overHTTP && c != nil && c.req.abandoned() {
		c.again = true
		c.req.reused = c.req.reused || c.req.frame.on.failed()
	}
}

// unclear reports whether it cannot be told what belongs to the request of c: others have
// its id, or the client made the call again by another one.
func (c *call) unclear() bool { return c.again || c.req != nil && c.req.reused }

// dropped sorts in that the client gave an exchange up. One that comes when the
// response had been read only tidies up.
func (b *builder) dropped(e *exchange, ev *history.Event) {
	if b.transport == HTTPSSE && e.isGet() {
		b.departure(ev, quitting)
		return
	}
	b.noteLoss(e, ev)
	if !b.disconnects {
		return
	}
	for _, r := range e.asks {
		if r.readReply == nil && r.cancel == nil {
			b.closing(r, ev)
		}
	}
}

// closing makes the cancel's frame of a closing.
func (b *builder) closing(r *request, drop *history.Event) {
	f := &frame{
		msg:  &history.Message{Kind: history.Notification, Method: cancelMethod, Ref: r.frame.msg.ID},
		side: history.Client, write: drop, wrote: drop, req: r, on: r.frame.on, closing: true,
	}
	f.nth = b.count()
	if r.call == nil || r.call.cancel != nil { // otherwise it is no wish of the caller's
		b.learn(history.Client, drop, true)
	}
	r.cancel, r.touched = f, drop.At
	b.lingered.inHand++
	b.lingered.sent++
	b.settle(r)
}

// disconnected sorts in that the server saw the end of an exchange that it had not
// ended itself. When it had written its response, there is nothing to cancel.
func (b *builder) disconnected(e *exchange, ev *history.Event) {
	if b.transport == HTTPSSE && e.isGet() {
		b.departure(ev, hearing)
		return
	}
	for _, r := range e.asks {
		r.touched = ev.At
		if c := b.toldBy(r, ev); b.disconnects && (c != ev || r.first == nil || r.first.wrote == nil) {
			b.unwanted(r, c, ev)
		}
		b.settle(r)
	}
}

// toldBy returns the event by which the server knew that the exchange of r was broken
// off, which was seen at ev. What it told the handler in the same instant, it told
// because of that, whichever of the two was seen first.
func (b *builder) toldBy(r *request, ev *history.Event) *history.Event {
	if r.call == nil || r.call.told == nil {
		return ev
	}
	told, late := r.call.told, r.first != nil && before(r.first.write, r.call.told)
	if !late && (told.At == ev.At || told.At+b.grace >= ev.At && before(r.frame.on.disturbed(), told)) {
		return told
	}
	return ev
}

// unwanted notes that the server learned by c that the request r is cancelled, since its
// exchange was broken off, which was seen at ev.
func (b *builder) unwanted(r *request, c, ev *history.Event) {
	b.learn(history.Server, ev, false)
	if b.cancelled == nil {
		b.cancelled = ev
	}
	b.root.breaks++
	b.noteBeside(r.call, ev)
	if r.cancel != nil && r.cancel.closing {
		r.cancel.read = ev
		r.lastCancel = ev
		b.lingered.inHand--
	}
	if r.frame.read == nil {
		r.early = earlier(r.early, c)
		return
	}
	if r.c == nil {
		r.c, r.gone, r.readCancel = c, ev, r.cancel
		if r.first == nil {
			b.lingered.hits++
		}
	}
}

// noteBeside notes that another handler was told in the very instant of a disconnect,
// and shortly before it was seen.
func (b *builder) noteBeside(own *call, ev *history.Event) {
	if c := b.root.lastTold; c != nil && c != own && c.told != nil && c.told.At == ev.At {
		c.toldKnown = ev
	}
}
