package oracle

import "github.com/mcpsim/mcpsim/sim/history"

func (b *builder) application(e *history.Event) {
	if e.Kind == history.Cancel {
		b.orphan(e)
	}
	c := b.call(e.Call)
	if c == nil {
		return
	}
	switch {
	case e.Kind == history.Issue && c.issue == nil:
		c.issue = e
		if c.ret == nil {
			b.pending++
		}
	case e.Kind == history.Cancel && c.Task != "":
		c.revoke = earlier(c.revoke, e) // no end of a request's context
	case e.Kind == history.Cancel && c.cancel == nil && c.ret == nil:
		b.giveUp(c, e)
	case e.Kind == history.Return && c.ret == nil:
		b.returned(c, e)
	}
	b.touch(c, e)
}

// orphan notes of nested calls that the application has given up the call whose tool makes
// them.
func (b *builder) orphan(e *history.Event) {
	for _, n := range b.offspring[e.Call] {
		if c := b.call(n); c != nil && c.orphaned == nil {
			c.orphaned = e
		}
	}
}

func (b *builder) giveUp(c *call, e *history.Event) {
	c.cancel = e
	b.gaveUp = true
	b.learn(history.Client, e, true)
	if c.held = b.writing(c); c.held != nil {
		c.held.period = b.pen(c.held).share(b)
	}
}

func (b *builder) returned(c *call, e *history.Event) {
	c.ret, c.retKnown, c.retAny = e, b.know.of[seat(history.Client)], b.know.any
	if c.issue != nil {
		b.pending--
	}
	if e.Text != "" {
		b.noteHarm(c.req, history.Client, e)
	}
	if e.Text != "" || e.Value == "" || c.end != nil && c.end.Value == e.Value {
		return
	}
	if c.owner = b.root.values[e.Value]; c.owner != nil {
		c.owner.takers = append(c.owner.takers, c)
	} else {
		c.lostOwner = b.perhaps(ofTool, "", e.Value)
	}
}

func (b *builder) handler(e *history.Event) {
	c := b.call(e.Call)
	if c == nil {
		if e.Kind == history.Start && b.gone > 0 && b.callNumber(e.Call) != 0 {
			b.lateStarts++
		}
		return
	}
	switch {
	case e.Kind == history.Start && c.start == nil:
		c.start = e
		if c.end == nil {
			b.begun(c)
		}
	case e.Kind == history.Told && c.told == nil:
		c.told, c.toldKnown, b.root.lastTold = e, b.root.know.read[seat(history.Server)], c
		b.noteHarm(c.req, history.Server, e)
		if c.holdsOut && c.Obedient() {
			c.holdsOut = false
			b.holdingOut--
		}
	case e.Kind == history.End && c.end == nil:
		c.end = e
		b.ended(c)
	case e.Kind == history.Progress:
		if c.req == nil || c.req.c == nil {
			c.asked++
		} else {
			c.asks = append(c.asks, e)
		}
	}
	b.touch(c, e)
}

// begun keeps account of the tools that run.
func (b *builder) begun(c *call) {
	c.breaksAtStart = b.root.breaks
	if !c.Obedient() {
		b.stubborn++
	}
	if c.told == nil || !c.Obedient() {
		c.holdsOut = true
		b.holdingOut++
	}
}

// ended sorts in what the tool of c came to.
func (b *builder) ended(c *call) {
	if c.start != nil && !c.Obedient() {
		b.stubborn--
	}
	if c.holdsOut {
		c.holdsOut = false
		b.holdingOut--
	}
	c.endBusy, c.breaksAtEnd = b.writers[seat(history.Server)].busy(), b.root.breaks
	value := c.end.Value
	if value == "" {
		return
	}
	if first := b.root.values[value]; first != nil {
		first.twins++
		return
	}
	if b.perhaps(ofTool, "", value) {
		c.twins++
	}
	remember(&b.root.values, value, c)
}

func (b *builder) landmark(e *history.Event) {
	switch e.Kind {
	case history.Connected:
		b.connected = earlier(b.connected, e)
	case history.Quiet:
		b.settled = earlier(b.settled, e)
		b.quiet(e)
	case history.Probe:
		b.probe = earlier(b.probe, e)
	case history.Probed:
		b.first(&b.probed, e, true)
	case history.Closed:
		b.closed = earlier(b.closed, e)
	case history.Horizon:
		b.limit(e)
	case history.Close:
		b.abrupt = b.abrupt || b.close == nil && b.horizon == nil && b.pending > 0
		b.first(&b.close, e, true)
		b.over = earlier(b.over, e)
	case history.Crash:
		b.noteEnd(e)
		b.first(&b.crash, e, false)
		b.over = earlier(b.over, e)
	case history.HalfClose:
		b.halfClosed = earlier(b.halfClosed, e)
		b.over = earlier(b.over, e)
		b.abrupt = true
	case history.Exit:
		b.exit = earlier(b.exit, e)
		b.over = earlier(b.over, e)
		b.abrupt = true
	case history.Stop:
		b.first(&b.stop, e, false)
		b.over = earlier(b.over, e)
		b.abrupt = true
	case history.Hangup, history.EOF, history.Served:
		b.departure(e, partingOf(e))
	}
}

// first notes the first event of a kind, and how things stood then.
func (b *builder) first(landmark **history.Event, e *history.Event, frames bool) {
	if *landmark == nil {
		*landmark = e
		b.mark(e, frames)
	}
}

// limit sorts in that the world's limit was reached.
func (b *builder) limit(e *history.Event) {
	if b.horizon == nil || b.close != nil && b.stalled == nil {
		b.mark(e, true)
	}
	b.horizon = earlier(b.horizon, e)
	if b.close != nil {
		b.stalled = earlier(b.stalled, e)
	}
}

// A parting is a sign that one side is done with the connection.
type parting int

const (
	noParting parting = iota
	hearing           // the server learned that the client has gone
	bereaved          // the client, that the server has
	leaving           // the server left
	quitting          // the client did
)

func partingOf(e *history.Event) parting {
	switch {
	case e.Kind == history.EOF && e.Side == history.Server:
		return hearing
	case e.Kind == history.EOF && e.Side == history.Client:
		return bereaved
	case e.Side == history.Server:
		return leaving
	case e.Side == history.Client:
		return quitting
	}
	return noParting
}

// departure sorts in such a sign.
func (b *builder) departure(e *history.Event, p parting) {
	switch p {
	case hearing:
		b.heard = earlier(b.heard, e)
	case bereaved:
		b.bereft = earlier(b.bereft, e)
	case leaving:
		b.left = earlier(b.left, e)
	case quitting:
		b.quit = earlier(b.quit, e)
	}
	if e.Kind == history.Served {
		b.served = earlier(b.served, e)
	}
	if b.close == nil && b.halfClosed == nil && b.exit == nil && b.stop == nil {
		b.noteEnd(e)
		b.broken = earlier(b.broken, e)
	}
	b.over = earlier(b.over, e)
	if e == b.heard || e == b.left || e == b.broken {
		b.mark(e, false)
	}
}
