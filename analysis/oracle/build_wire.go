package oracle

import (
	"cmp"

	"github.com/mcpsim/mcpsim/sim/history"
)

// maxAhead is how far a frame's number can be ahead of all others. A frame has a number
// of its own, the next one; what is further ahead is damage.
const maxAhead = 1 << 10

// frame returns the frame of e, or nil.
func (b *builder) frame(e *history.Event) *frame {
	f := b.frames.get(e.Frame)
	if f != nil || e.Frame <= b.lastGone || e.Frame > b.frames.top()+maxAhead {
		return f
	}
	f = b.frameSlab.next()
	f.n = e.Frame
	b.frames.put(f.n, f)
	return f
}

func (b *builder) wire(e *history.Event) {
	f := b.frame(e)
	if f == nil {
		return
	}
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
		b.wrote(f)
	case e.Kind == history.Read && f.read == nil:
		f.read = e
		if f.back {
			f.on.reads(f.write.EventID)
		}
		b.readFrame(f)
		b.hear(f)
		b.landed(f, f.unread)
	case e.Kind == history.Unread && f.unread == nil:
		f.unread = e
		b.landed(f, f.read)
	}
}

// written sorts in a frame whose writing begins.
func (b *builder) written(f *frame) {
	b.carry(f)
	b.pen(f).begin(f)
	switch {
	case f.replay != nil:
		b.replayed(f)
	case f.msg.Kind == history.Request:
		b.request(f)
	case f.msg.Kind == history.Invalid:
		b.placeDamage(f)
	case f.msg.IsReply():
		b.reply(f)
	case f.msg.IsCancel():
		b.cancel(f)
	case f.msg.Token != "":
		b.progress(f)
	}
	if !f.again() {
		b.taskWritten(f)
		b.subscribe(f)
	}
	b.onStream(f)
	if f.wrote == nil {
		f.flying++
	}
	if f.read == nil && f.unread == nil {
		f.flying++
	}
	if f.on != nil {
		f.on.flying += f.flying
	}
	if r := f.req; r != nil {
		r.flying += f.flying
		r.touched = f.write.At
	}
}

func (b *builder) request(f *frame) {
	side := seat(f.side)
	if b.copied(f, b.ids[side][f.msg.ID]) {
		return
	}
	r := b.requestSlab.next()
	r.frame, r.nth = f, b.root.requests
	b.root.requests++
	f.req = r
	b.ask(r)
	r.sitting = b.sitting
	r.prev = b.ids[side][f.msg.ID]
	again := r.prev != nil || b.perhaps(ofRequest, f.side, f.msg.ID)
	r.reused = !plain(f.msg.ID) || again && !b.modern
	if r.prev != nil && r.prev.readReply == nil {
		r.prev.reused, r.reused = true, true
	}
	b.placeRequest(r, r.prev)
	remember(&b.ids[side], f.msg.ID, r)
	if f.msg.Token != "" {
		r.prevToken = b.tokens[side][f.msg.Token]
		remember(&b.tokens[side], f.msg.Token, r)
	}
	if f.side != history.Client {
		return
	}
	if c := b.call(cmp.Or(f.msg.Call, f.write.Call)); c != nil && c.req == nil {
		b.claim(c, r)
	} else {
		b.noteUnclaimed(r)
		b.noteRetry(c)
	}
}

// claim notes that the client wrote r for c.
func (b *builder) claim(c *call, r *request) {
	c.req, r.call = r, c
	if c.issue != nil && c.issue.At > b.lastIssue {
		b.lastIssue = c.issue.At
		b.latest = decision{c.issue, r.frame.write}
	}
}

// someNames is how many names a map has room for at first: those of a small world.
const someNames = 8

func remember[T any](m *map[string]*T, key string, item *T) {
	if *m == nil {
		*m = make(map[string]*T, someNames)
	}
	(*m)[key] = item
}

func (b *builder) reply(f *frame) {
	f.known = b.know.of[seat(f.side)]
	asker := f.side.Peer()
	f.req = b.answeredBy(f)
	if f.req == nil {
		if f.forgotten = b.formerly(f) || b.perhaps(ofRequest, asker, f.msg.ID); !f.forgotten {
			b.noteReply(f)
		}
		b.placeReply(f)
		return
	}
	if b.copiedReply(f) || b.misnamed(f) {
		return
	}
	if f.req.reply(f); f.req.replies > 1 {
		b.noteAstray(f, "RESP-ONCE")
	}
	if f.isError() {
		b.noteHarm(f.req, f.side, f.write)
	}
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

func (b *builder) cancel(f *frame) {
	f.nth, f.overtaker = b.count(), b.latest
	r := b.ids[seat(f.side)][f.msg.Ref]
	if f.posted = b.disconnects && f.side == history.Client; f.posted {
		f.req = r
		if r != nil {
			r.posted = earlier(r.posted, f.write)
		} else {
			f.forgotten = b.perhaps(ofRequest, f.side, f.msg.Ref)
		}
		return
	}
	b.learn(f.side, f.write, true)
	if b.formerly(f) {
		if r = b.formerRequest(f); r == nil {
			f.forgotten = true
			return
		}
	}
	if f.req = r; r == nil {
		f.forgotten = b.perhaps(ofRequest, f.side, f.msg.Ref)
		b.placeCancel(f)
		return
	}
	if r.cancel != nil {
		r.repeated++
		return
	}
	r.cancel = f
	b.lingered.inHand++
	b.lingered.sent++
	if f.side == history.Client {
		f.period = b.pen(f).share(b)
	}
}

func (b *builder) progress(f *frame) {
	f.req = b.reportedOn(f)
	if f.req == nil {
		f.forgotten = b.formerly(f) || b.perhaps(ofToken, f.side.Peer(), f.msg.Token)
		b.placeProgress(f)
		return
	}
	if b.copiedProgress(f) {
		return
	}
	f.req.progress = append(f.req.progress, f)
	f.req.reported++
	f.nth = f.req.reported
	b.placeProgress(f)
}

// wrote sorts in the end of a frame's writing.
func (b *builder) wrote(f *frame) {
	if f.side == history.Server && f.inVain() && b.left == nil {
		b.deaf = earlier(b.deaf, f.wrote)
	}
	if f.write == nil {
		return
	}
	b.pen(f).end(f)
	if f.on != nil && f.msg.IsReply() && b.real(f.side) == history.Server {
		f.on.answered = f.wrote
	}
	b.land(f, f.wrote)
}

// readFrame sorts in a frame that was read.
func (b *builder) readFrame(f *frame) {
	f.taskRead()
	if f.write != nil && f.msg.IsCancel() && !f.posted {
		b.learn(f.side.Peer(), f.read, false)
	}
	if f.write != nil {
		b.noteRead(f)
	}
	switch r := f.req; {
	case f.msg.Kind == history.Invalid:
		b.readDamage(f)
	case r == nil || f.posted:
	case f.msg.Kind == history.Request:
		r.busy = b.writers[seat(f.side.Peer())].open != nil
	case f.msg.IsReply():
		if r.readReply == nil {
			r.readReply = f.read
			b.leaveToken(r)
			b.agreed(r, f)
		}
	case f.msg.IsCancel():
		if f == r.cancel {
			b.lingered.inHand--
		}
		if b.cancelled == nil && f.side == history.Client {
			b.cancelled = f.read
		}
		if f.astrayFrom(r) {
			r.elsewhere = true
		} else if r.frame.read == nil || r.frame.beside(f.read) {
			r.early = earlier(r.early, f.read)
		} else if r.c == nil {
			r.c, r.readCancel = f.read, f
			if r.first == nil {
				b.lingered.hits++
			}
		}
	}
}

// landed notes the end of a frame's way, if it had not ended otherwise before.
func (b *builder) landed(f *frame, before *history.Event) {
	if f.write != nil && before == nil {
		b.land(f, earlier(f.read, f.unread))
	}
}

// land notes that one of the acts of the network that f waited for has come.
func (b *builder) land(f *frame, e *history.Event) {
	f.flying--
	if f.on != nil {
		f.on.flying--
		b.settleExchange(f.on)
	}
	r := f.req
	if r != nil {
		r.flying--
		r.touched = e.At
	}
	if r == nil || !r.owns(f) {
		if f.flying == 0 {
			b.done(item{frame: f, at: e.At})
		}
	}
	if r != nil {
		b.settle(r)
	}
}
