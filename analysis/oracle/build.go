package oracle

import (
	"cmp"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A builder is the state of the one pass that fills an index.
type builder struct {
	*index
	ids    [2]map[string]*request // by the issuing side and the raw id: the latest request
	tokens [2]map[string]*request // likewise by the progress token
	open   [2]*frame              // what a side is just writing
	paces  [2]pacer
}

// seat numbers the two sides.
func seat(s history.Side) int {
	if s == history.Server {
		return 1
	}
	return 0
}

func (b *builder) take(e *history.Event) {
	switch e.Kind {
	case history.Write, history.Wrote, history.Read, history.Unread:
		b.wire(e)
	case history.Issue, history.Cancel, history.Return:
		b.application(e)
	case history.Start, history.Told, history.End, history.Progress:
		b.handler(e)
	case history.Leak:
		b.leaks = append(b.leaks, e)
		return // counted long after the world's end
	default:
		b.landmark(e)
	}
	b.last = e
}

func (b *builder) wire(e *history.Event) {
	if e.Frame < 1 || e.Frame >= len(b.frames) {
		return
	}
	f := &b.frames[e.Frame]
	if f.msg == nil {
		f.msg = e.Msg
	}
	if f.side == "" {
		f.side = e.Side
		if e.Kind == history.Read || e.Kind == history.Unread {
			f.side = e.Side.Peer()
		}
	}
	if f.msg == nil || f.side != history.Client && f.side != history.Server {
		return
	}
	switch {
	case e.Kind == history.Write && f.write == nil:
		f.write = e
		b.written(f)
	case e.Kind == history.Wrote && f.wrote == nil:
		f.wrote = e
		b.paces[seat(f.side)].idle = e
		if b.open[seat(f.side)] == f {
			b.open[seat(f.side)] = nil
		}
	case e.Kind == history.Read && f.read == nil:
		f.read = e
		b.readFrame(f)
	case e.Kind == history.Unread && f.unread == nil:
		f.unread = e
	}
}

// written sorts in a frame whose writing begins.
func (b *builder) written(f *frame) {
	f.busy = b.paces[seat(f.side)].since(f, b.open[seat(f.side)] != nil)
	if b.open[seat(f.side)] == nil {
		b.open[seat(f.side)] = f
	}
	peer := f.side.Peer()
	switch {
	case f.msg.Kind == history.Request:
		b.request(f)
	case f.msg.IsReply():
		if f.req = b.ids[seat(peer)][f.msg.ID]; f.req != nil {
			f.req.reply(f)
		}
	case f.msg.IsCancel():
		b.cancels = append(b.cancels, f)
		if f.req = b.ids[seat(f.side)][f.msg.Ref]; f.req == nil {
			return
		}
		if f.req.cancel == nil {
			f.req.cancel = f
		} else {
			f.req.repeated++
		}
	case f.msg.Token != "":
		if f.req = b.tokens[seat(peer)][f.msg.Token]; f.req != nil {
			f.req.progress = append(f.req.progress, f)
			f.nth = len(f.req.progress)
		}
	}
}

func (b *builder) request(f *frame) {
	if len(b.requests) == cap(b.requests) {
		return // a damaged history; growing would move the others
	}
	b.requests = append(b.requests, request{frame: f})
	r := &b.requests[len(b.requests)-1]
	f.req = r
	if prev := b.ids[seat(f.side)][f.msg.ID]; prev != nil && prev.readReply == nil {
		prev.reused, r.reused = true, true
	}
	remember(&b.ids[seat(f.side)], f.msg.ID, r)
	if f.msg.Token != "" {
		remember(&b.tokens[seat(f.side)], f.msg.Token, r)
	}
	if c := b.call(cmp.Or(f.msg.Call, f.write.Call)); c != nil && c.req == nil && f.side == history.Client {
		c.req, r.call = r, c
	}
}

func remember(m *map[string]*request, key string, r *request) {
	if *m == nil {
		*m = map[string]*request{}
	}
	(*m)[key] = r
}

func (r *request) reply(f *frame) {
	r.replies++
	switch r.replies {
	case 1:
		r.first = f
	case 2:
		r.second = f
	}
}

// readFrame sorts in a frame that was read.
func (b *builder) readFrame(f *frame) {
	switch r := f.req; {
	case r == nil:
	case f.msg.IsReply():
		if r.readReply == nil {
			r.readReply = f.read
		}
	case f.msg.IsCancel():
		if b.cancelled == nil && f.side == history.Client {
			b.cancelled = f.read
		}
		if r.frame.read == nil {
			r.early = earlier(r.early, f.read)
		} else if r.c == nil {
			r.c, r.readCancel = f.read, f
		}
	}
}

func (b *builder) application(e *history.Event) {
	c := b.call(e.Call)
	if c == nil {
		return
	}
	switch {
	case e.Kind == history.Issue && c.issue == nil:
		c.issue = e
	case e.Kind == history.Cancel && c.cancel == nil && c.ret == nil:
		c.cancel, c.held = e, b.open[seat(history.Client)]
	case e.Kind == history.Return && c.ret == nil:
		c.ret = e
	}
}

func (b *builder) handler(e *history.Event) {
	c := b.call(e.Call)
	if c == nil {
		return
	}
	switch {
	case e.Kind == history.Start && c.start == nil:
		c.start = e
	case e.Kind == history.Told && c.told == nil:
		c.told = e
	case e.Kind == history.End && c.end == nil:
		c.end = e
	case e.Kind == history.Progress:
		c.asks = append(c.asks, e)
	}
}

func (b *builder) landmark(e *history.Event) {
	switch e.Kind {
	case history.Connected:
		b.connected = earlier(b.connected, e)
	case history.Probe:
		b.probe = earlier(b.probe, e)
	case history.Probed:
		b.probed = earlier(b.probed, e)
	case history.Closed:
		b.closed = earlier(b.closed, e)
	case history.Horizon:
		b.horizon = earlier(b.horizon, e)
		if b.close != nil {
			b.stalled = earlier(b.stalled, e)
		}
	case history.Close:
		b.close = earlier(b.close, e)
		b.over = earlier(b.over, e)
	case history.Crash:
		b.crash = earlier(b.crash, e)
		b.over = earlier(b.over, e)
	case history.HalfClose:
		b.halfClosed = earlier(b.halfClosed, e)
		b.over = earlier(b.over, e)
	case history.Exit:
		b.exit = earlier(b.exit, e)
		b.over = earlier(b.over, e)
	case history.Hangup, history.EOF, history.Served:
		b.departure(e)
	}
}

// departure sorts in a sign that one side is done with the connection.
func (b *builder) departure(e *history.Event) {
	switch {
	case e.Kind == history.EOF && e.Side == history.Server:
		b.heard = earlier(b.heard, e)
	case e.Kind == history.EOF && e.Side == history.Client:
		b.bereft = earlier(b.bereft, e)
	case e.Side == history.Server:
		b.left = earlier(b.left, e)
	case e.Side == history.Client:
		b.quit = earlier(b.quit, e)
	}
	if e.Kind == history.Served {
		b.served = earlier(b.served, e)
	}
	if b.close == nil && b.halfClosed == nil && b.exit == nil {
		b.broken = earlier(b.broken, e)
	}
	b.over = earlier(b.over, e)
}
