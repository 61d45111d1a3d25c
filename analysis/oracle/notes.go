package oracle

import (
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Notes are what the builder puts down about ids and stray messages when an event
// passes, so that nobody has to look for it among others later. They are by the
// side that reads. They hold events and not frames, so that they keep nothing else
// from being forgotten.
type notes struct {
	answerable [2]*frame         // the last cancel that the side has read, until something replies to it
	wayward    [2]*history.Event // its reading of the last message that nobody had a right to send
	strayRead  [2]*history.Event // of the last cancel among those
	validRead  [2]bool           // it has read a cancel that names a request
	owed       [2]int            // replies without an id that it may owe for what it cannot answer otherwise
	fatal      [2]*history.Event // its reading of the wayward message in whose instant the session broke off
}

// said is what the frame of an event says; nothing in a history that is damaged.
func said(e *history.Event) *history.Message {
	if e.Msg == nil {
		return &history.Message{}
	}
	return e.Msg
}

// malformed reports whether a cancel names what can be no request's id.
func (f *frame) malformed() bool { return !isID(f.msg.Ref) }

// late reports whether a cancel was read when its request had been answered.
func (f *frame) late() bool {
	return f.req != nil && f.req.first != nil && before(f.req.first.write, f.read)
}

// isWayward reports whether nobody had a right to send f: a cancel for no request, an
// answer to none or a second one, progress of none, or of one that is answered.
func (f *frame) isWayward() bool {
	switch m := f.msg; {
	case f.forgotten || f.again() || f.declines():
		return false
	case m.IsCancel():
		return f.req == nil && !f.ends || f.malformed()
	case m.IsReply():
		return f.req == nil || f.req.first != f
	case m.Method == progressMethod:
		return f.req == nil || f.req.first != nil && before(f.req.first.write, f.write)
	}
	return f.msg.Kind == history.Invalid
}

// noteRead takes note of a frame that was read.
func (b *builder) noteRead(f *frame) {
	reader := seat(f.side.Peer())
	if f.isWayward() {
		b.wayward[reader], b.root.wayward[reader] = f.read, f.read
	}
	if f.msg.Batch == 1 {
		b.owed[reader]++ // the batch may be refused as a whole
	}
	switch {
	case f.msg.IsCancel():
		b.noteCancel(f)
	case f.msg.Kind == history.Request && f.req != nil:
		f.req.noteRead()
		if f.req.reused || strings.HasPrefix(f.msg.Method, "notifications/") {
			b.owed[reader]++
		}
	case f.msg.Kind == history.Invalid, f.msg.Kind == history.Request:
		b.owed[reader]++
	}
}

// noteRead takes note of what the reading of a request settles: of the earlier one
// with its id or token nothing more can come.
func (r *request) noteRead() {
	if r.prev != nil {
		r.stale = r.prev.lastCancel
	}
	r.prev, r.prevToken = nil, nil
}

func (b *builder) noteCancel(f *frame) {
	reader := seat(f.side.Peer())
	b.answerable[reader] = f
	if f.isWayward() {
		b.strayRead[reader], b.root.strayRead[reader] = f.read, f.read
	} else {
		b.validRead[reader], b.root.validRead[reader] = true, true
		if f.req != nil {
			f.req.lastCancel = f.read
		}
	}
	lookalikes(f.msg.Ref, func(id string) {
		if r := b.ids[seat(f.side)][id]; r != nil && r != f.req && r.frame.read != nil && r.first == nil && r.c == nil && !(b.overHTTP && r.over()) {
			r.lookalike = f.read
		}
	})
	if f.ends {
		b.endHeard(f)
		return
	}
	// The reader's own request of that id is not meant either.
	if r := b.ids[reader][f.msg.Ref]; r != nil && r.readReply == nil && r.c == nil && !(b.overHTTP && r.over()) {
		r.lookalike = f.read
	}
}

// noteHarm takes note of an event that does r harm, if it is in the instant in which
// that side had read a cancel that can be taken for one of r.
func (b *builder) noteHarm(r *request, side history.Side, e *history.Event) {
	if r != nil && r.mistaken == nil && r.lookalike != nil && r.lookalike.Side == side && e.At <= r.lookalike.At+b.grace {
		r.mistaken = r.lookalike
	}
}

// noteReply takes note of a reply whose writing begins and that answers no request.
func (b *builder) noteReply(f *frame) {
	writer := seat(f.side)
	if f.on != nil && (!f.on.isGet() || f.on.refused()) {
		b.noteBody(f)
		return
	}
	if f.msg.ID == "" || f.msg.ID == nullID {
		if b.owed[writer] > 0 {
			b.owed[writer]--
			return
		}
	}
	if b.misspelt(f) {
		return
	}
	if c := b.answerable[writer]; c != nil && f.write.At <= c.read.At+b.grace && repliesTo(c.msg.Ref, f.msg.ID) {
		c.provoked, b.answerable[writer] = f.write, nil
		f.named = true
	}
}

// noteBody takes note of such a reply that comes in the HTTP response to what a POST
// carried: if that was a cancel, to it.
func (b *builder) noteBody(f *frame) {
	if c := f.on.notice; c != nil && c.msg.IsCancel() && len(f.on.asks) == 0 {
		c.provoked, f.named = f.write, true
	}
}

// repliesTo reports whether a reply under the id can be one to a cancel that named
// ref: it has none, what stands for none in a typed language, or the one named.
func repliesTo(ref, id string) bool {
	found := id == "" || id == ref
	same := func(other string) { found = found || id == other }
	lookalikes("", same)
	lookalikes(ref, same)
	return found
}

// misspelt reports whether the id of a reply resembles that of a request which it
// is meant for, most likely.
func (b *builder) misspelt(f *frame) bool {
	found := false
	lookalikes(f.msg.ID, func(id string) {
		found = found || b.ids[seat(f.side.Peer())][id] != nil
	})
	return found
}

// noteEnd takes note of the wayward messages that were read in the instant in which
// the session breaks off.
func (b *builder) noteEnd(e *history.Event) {
	for i, read := range b.wayward {
		if b.fatal[i] == nil && read != nil && e.At <= read.At+b.grace {
			b.fatal[i] = read
		}
	}
}

// addressee returns the request that a reply with that id, or progress with that
// token, is for: the latest that the one who sends it has read, since of a later one
// it cannot know yet.
func addressee(latest *request, older func(*request) *request) *request {
	for r := latest; r != nil; r = older(r) {
		if r.frame.read != nil {
			return r
		}
	}
	return latest
}
