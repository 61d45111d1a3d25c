package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// Where a message belongs tells, over HTTP, not only its id but also the exchange that
// carries it; and a message may come twice, since a client may ask for it again:
//
//	POST: call 1      ◀── progress 1 (event a) ── ✕
//	GET, after: a     ◀── result 1 (event b) ── ✕
//	GET, after: a     ◀── result 1 (event b) ──        a replay, and no second response

// ask notes that an exchange's body makes the request r.
func (b *builder) ask(r *request) {
	f := r.frame
	if f.on == nil || b.real(f.side) != history.Client {
		return
	}
	f.on.asks, r.byPost = append(f.on.asks, r), true
	if f.msg.Method == initializeMethod && b.transport == StreamableHTTP && !b.modern {
		b.opens(r)
	}
}

// answeredBy returns the request that the reply f is for: the one whose response it is
// carried by, or else one that has its id; nil if there is none.
func (b *builder) answeredBy(f *frame) *request {
	if f.on != nil && b.real(f.side) == history.Server {
		for _, r := range f.on.asks {
			if r.frame.msg.ID == f.msg.ID {
				return r
			}
		}
	}
	if f.declines() || b.formerly(f) {
		return nil
	}
	return addressee(b.ids[seat(f.side.Peer())][f.msg.ID], func(r *request) *request { return r.prev })
}

// reportedOn returns the request that the progress f is of: the one whose response it comes
// before on its exchange, or else one that has its token; nil if there is none.
func (b *builder) reportedOn(f *frame) *request {
	if f.on != nil && b.real(f.side) == history.Server {
		for _, r := range f.on.asks {
			if r.frame.msg.Token == f.msg.Token {
				return r
			}
		}
	}
	if b.formerly(f) {
		return nil
	}
	return addressee(b.tokens[seat(f.side.Peer())][f.msg.Token], func(r *request) *request { return r.prevToken })
}

// replayed sorts in a message that is sent again: to whom it is, and nothing else.
func (b *builder) replayed(f *frame) {
	switch {
	case f.msg.IsReply():
		f.req = b.answeredBy(f)
	case f.msg.Token != "":
		f.req = b.reportedOn(f)
	}
}

// copied reports whether the request f of the server's is the request r on another
// stream, and if so, sorts it in as that.
func (b *builder) copied(f *frame, r *request) bool {
	return r != nil && b.real(f.side) == history.Server && b.second(f, r.frame, r)
}

// copiedReply is the same of a reply, of the client's too.
func (b *builder) copiedReply(f *frame) bool {
	last := f.req.lastReply
	f.req.lastReply = f
	switch {
	case f.req.first == nil:
		return false
	case b.real(f.side) == history.Client:
		return f.sentAgain(last)
	}
	return b.second(f, f.req.first, f.req)
}

// sentAgain reports whether f is what the client had posted before by an exchange that came
// to nothing: it cannot know whether that has reached the server. If so, f is sorted in as
// that.
func (f *frame) sentAgain(last *frame) bool {
	if !last.on.failed() || !before(last.on.left(), f.write) || last.msg.Raw != f.msg.Raw {
		return false
	}
	f.first = last.write
	return true
}

// copiedProgress is the same of progress.
func (b *builder) copiedProgress(f *frame) bool {
	if f.on == nil {
		return false
	}
	last := f.req.lastReport
	f.req.lastReport = f
	return last != nil && b.real(f.side) == history.Server && b.second(f, last, f.req)
}

// second reports whether f says the same as the first frame did on another stream, and
// has a right to, or wants a second listener: the first stream is broken, or is open as
// well, or the client asked for it again. To say it again when all is over is another
// thing.
func (b *builder) second(f, first *frame, r *request) bool {
	from, to := first.on, f.on
	if from == nil || to == nil || from == to || f.twice || first.msg.Raw != f.msg.Raw {
		return false
	}
	live := openTo(from) && to.disturbed() == nil && (!to.resumes() || before(to.begin[atServer], first.write))
	if !live && !to.resumes() && from.disturbed() == nil && to.disturbed() == nil {
		return false
	}
	f.first, f.live, f.req = first.write, live, r
	return true
}

// doubled reports whether an event that was sent on one stream, and is sent on another
// under the same id, is sent on two that are both open. Of a message that has neither an id
// of JSON-RPC's nor a token, nothing else shows that it is the same one: a list may change
// twice, and be told once on each stream.
func (b *builder) doubled(s *sentEvent, to *exchange) bool {
	from := b.exchanges.get(s.on)
	return from != nil && from != to && openTo(from) && to.disturbed() == nil
}

// openTo reports whether both ends go on with the exchange.
func openTo(e *exchange) bool {
	return e.disturbed() == nil && e.left() == nil && e.finish[atServer] == nil
}

// onStream notes whether a message is on the stream that it belongs to, where the
// client resumes one. Which that is may show only by what is sent on it.
func (b *builder) onStream(f *frame) {
	e := f.on
	if e == nil || !e.resumes() || e.refused() || b.real(f.side) != history.Server {
		return
	}
	home := 0
	switch r := f.req; {
	case f.replay != nil:
		home = f.replay.root
		if from := b.exchanges.get(f.replay.on); from != nil && from != e && openTo(from) && before(e.begin[atServer], f.replay.at) {
			f.live = true
		}
	case e.ofGet || r == nil || r.frame.on == nil || r.reused || f.msg.Kind == history.Request:
	case f.isProgress() && (e.root == 0 || r.first != nil && startsTask(r.first)):
		// It may be a GET's that is resumed; a task's progress comes by any.
	default:
		home = r.frame.on.n
	}
	switch {
	case home == 0:
	case e.root == 0:
		e.root = home
	default:
		f.foreign = e.root != home
	}
}

// unanswerable reports whether no response can come for r any more, since its exchange
// is over: at once since 2026-07-28, and before only if it was refused.
func (r *request) unanswerable() bool {
	e := r.frame.on
	return e != nil && e.over() && (e.final || e.refused())
}

// quiet notes which exchanges the server has not ended when the world has settled.
func (b *builder) quiet(ev *history.Event) {
	if !b.overHTTP {
		return
	}
	for e := range b.exchanges.all() {
		if e.begin[atServer] != nil && e.finish[atServer] == nil && e.atQuiet == nil {
			e.atQuiet = ev
		}
	}
}

// keepEvent keeps an SSE event with an id.
func (b *builder) keepEvent(id string, s *sentEvent) {
	if b.events == nil {
		b.events = map[string]*sentEvent{}
	}
	b.sent++
	s.nth = b.sent
	b.events[id] = s
	if b.recentEvents = append(b.recentEvents, id); len(b.recentEvents) > maxEvents {
		oldest := b.recentEvents[0]
		b.note(ofEvent, history.Server, oldest)
		delete(b.events, oldest)
		b.recentEvents = b.recentEvents[1:]
	}
}

// sum is a digest of a message (FNV-1a, 64 bits).
func sum(raw string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(raw) {
		h = (h ^ uint64(raw[i])) * 1099511628211
	}
	return h
}
