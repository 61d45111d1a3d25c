package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// What the rules of HTTP need to know of other exchanges, of the session, or of what an
// exchange's requests had come to is noted when an event passes.

// exchangeNotes are what is noted of an exchange.
type exchangeNotes struct {
	root     int            // the exchange that began the stream; 0: not known
	ofGet    bool           // that was a GET
	behind   int            // it resumes the stream: the number of the event that the client named; 0: not known
	unkept   *request       // the first request that had no response when the server ended the exchange, and that nobody had cancelled
	atQuiet  *history.Event // the world had settled, and the server had not ended the exchange
	heldBy   *history.Event // POST of a cancel: the end of the cancelled call's handler, in whose instant, and not before, the server answered
	session  *sessionID     // the session that the client had when it began; nil: none, or not settled
	sitting  *sitting       // likewise; nil: its beginning was not seen
	versions *history.Event // the client had read the result of initialize when it began
	leaving  bool           // the client had ended its session
}

// A sessionID is a session as a client knows it.
type sessionID struct {
	id    string
	since *history.Event // the client has it
}

// A conversation is what a client and a server agreed upon by initialize, over
// Streamable HTTP before 2026-07-28.
type conversation struct {
	number  int        // of initializes that had a result before, in this world
	opening *request   // an initialize that has no response yet
	session *sessionID // nil: the server gave none
	settled *history.Event
	deleted *history.Event // the client began to end the session by DELETE
	abrupt  bool           // session.abrupt before that
	unknown *history.Event // the server does not know it, or no more
}

// exchangeBegun takes note of the state of things at the beginning of an exchange.
func (b *builder) exchangeBegun(e *exchange, end int, ev *history.Event) {
	if end == atServer {
		b.root.reached++
		b.root.opened++
		if ev.HTTP != nil {
			e.instance = ev.HTTP.Instance
		}
		return
	}
	e.head = ev.HTTP
	if e.root == 0 && !e.resumes() {
		e.root, e.ofGet = e.n, e.isGet()
	}
	talk := &b.talk
	e.leaving, e.sitting = talk.deleted != nil, b.sitting
	if talk.opening == nil {
		e.session, e.versions = talk.session, talk.settled
	}
	if e.resumes() {
		b.takeUp(e)
		if from := b.events[e.head.LastEvent]; from != nil {
			e.root, e.ofGet = from.root, from.ofGet
			if e.behind = from.nth; from.root == 0 {
				e.behind = 0
			}
			b.asksAgain(e)
		}
	}
	if e.head != nil && e.head.Method == "DELETE" {
		b.deletes(ev)
	}
}

// exchangeAnswered takes note of the head of a response.
func (b *builder) exchangeAnswered(e *exchange, end int, ev *history.Event) {
	if end == atServer {
		b.noteHeld(e, ev)
		b.noteLife(e, ev)
	}
	if end == atServer && ev.HTTP != nil {
		b.noteSession(e, ev.HTTP)
	}
	if end == atClient && ev.HTTP != nil && ev.HTTP.Status == notFound {
		b.noteUnknown(e, ev)
	}
}

// noteHeld takes note of a cancel whose POST the server answered when, and not before,
// the handler of the cancelled call had ended.
func (b *builder) noteHeld(e *exchange, ev *history.Event) {
	f := e.notice
	if f == nil || !f.msg.IsCancel() || f.read == nil || f.req == nil || f.req.call == nil {
		return
	}
	if end := f.req.call.end; end != nil && end.At > f.read.At+b.grace && ev.At <= end.At+b.grace {
		e.heldBy = end
	}
}

// noteSession keeps account of the sessions that the server has given away and taken
// back.
func (b *builder) noteSession(e *exchange, head *history.HTTPHead) {
	opens := len(e.asks) > 0 && e.asks[0].frame.msg.Method == initializeMethod
	switch {
	case opens && head.Session != "" && head.Status < 300:
		if b.root.lent == nil {
			b.root.lent = map[string]bool{}
		}
		b.root.lent[head.Session] = true
	case e.head != nil && e.head.Method == "DELETE" && head.Status < 300:
		delete(b.root.lent, e.head.Session)
		b.root.handedBack++
	}
}

// notFound is the status with which a server answers what names a session that it does not
// know.
const notFound = 404

// exchangeFinished takes note of what an exchange leaves undone.
func (b *builder) exchangeFinished(e *exchange, end int, ev *history.Event) {
	if b.transport == HTTPSSE && e.isGet() {
		if e.refused() {
			return // that began no session
		}
		b.departure(ev, [...]parting{atClient: bereaved, atServer: leaving}[end])
	}
	if end == atClient {
		b.noteLoss(e, ev)
		b.leaveStream(e, ev)
		if b.exit != nil && ev.Text != "" {
			b.deserted = earlier(b.deserted, ev)
		}
		return
	}
	b.notePanic(ev)
	b.noteLife(e, ev)
	b.noteDenied(e, ev)
	if e.begin[atServer] != nil {
		b.root.opened--
	}
	for _, r := range e.asks {
		if s := r.listen; s != nil && r.c == nil {
			s.ended = earlier(s.ended, ev)
		}
		if e.unkept == nil && r.first == nil && r.cancel == nil && r.c == nil && r.early == nil {
			e.unkept = r
		}
	}
}

// asksAgain notes that the client resumes a stream: what an earlier attempt came to is of no
// account.
func (b *builder) asksAgain(e *exchange) {
	if from := b.exchanges.get(e.root); from != nil {
		for _, r := range from.asks {
			r.denied, r.resumed = nil, e
		}
	}
}

// noteDenied notes that the server ended a stream which the client had resumed, and which
// had carried no response, although there was one.
func (b *builder) noteDenied(e *exchange, ev *history.Event) {
	if e.behind == 0 || e.answered != nil || !e.isStream() || e.refused() || e.disturbed() != nil {
		return
	}
	from := b.exchanges.get(e.root)
	if from == nil {
		return
	}
	for _, r := range from.asks {
		if before(r.owedSince(), e.begin[atServer]) && r.readReply == nil {
			r.denied = ev
		}
	}
}

// owedSince returns the event since when the server has had a response to r to give: it had
// written it under an event id, or, where none was written, the handler had returned. It is
// nil where that does not show.
func (r *request) owedSince() *history.Event {
	switch f := r.first; {
	case f != nil && f.write.EventID != "":
		return f.write
	case f == nil && r.call != nil:
		return r.call.end
	}
	return nil
}

// noteLoss notes that the client is done with an exchange, if it has not had all responses.
func (b *builder) noteLoss(e *exchange, ev *history.Event) {
	for _, r := range e.asks {
		if r.readReply == nil {
			b.loss = earlier(b.loss, ev)
		}
	}
}

// strike notes that the network was at fault in an exchange, which may resume another.
func (b *builder) strike(e *exchange) {
	if e.root == 0 || e.root == e.n {
		return
	}
	if from := b.exchanges.get(e.root); from != nil {
		for _, r := range from.asks {
			r.struck = true
		}
	}
}

// agreed notes that the client read the response to an initialize.
func (b *builder) agreed(r *request, f *frame) {
	talk := &b.talk
	if talk.opening != r {
		return
	}
	talk.opening = nil
	if f.msg.Kind != history.Response || r.frame.on == nil {
		return
	}
	talk.session, talk.settled, talk.deleted, talk.unknown = nil, f.read, nil, nil
	b.home = r.frame.on.instance
	if at := r.frame.on.status[atClient]; at != nil && at.HTTP != nil && at.HTTP.Session != "" {
		talk.session = &sessionID{at.HTTP.Session, f.read}
	}
}

// A sentEvent is an SSE event with an id, which the server has begun to send.
type sentEvent struct {
	at    *history.Event
	nth   int    // of those that were kept, in the order in which they were begun, from 1
	root  int    // of its stream; 0: not known
	ofGet bool   // that was begun by a GET
	on    int    // the exchange that it was sent by
	last  int    // the exchange that it was last sent by
	sum   uint64 // of what it says
	cue   bool   // it holds no message
}

// A batchEvent is the last SSE event with an id that was begun, for the members of its
// batch that follow.
type batchEvent struct {
	on     int
	id     string
	replay *sentEvent
}

// maxEvents bounds the event ids of a session that are told apart. Of older ones it is
// known that they perhaps were there.
const maxEvents = 1 << 12

// sort notes what an SSE event has to do with others of its id.
func (b *builder) sort(f *frame) {
	id := f.write.EventID
	if id == "" || b.modern {
		return
	}
	if f.msg.Batch > 1 { // it is part of the event that began with the first of its batch
		if e := b.lastEvent; e.on == f.on.n && e.id == id {
			f.replay = e.replay
		}
		return
	}
	defer func() { b.lastEvent = batchEvent{f.on.n, id, f.replay} }()
	digest := sum(f.msg.Raw)
	before := b.events[id]
	if before != nil && before.cue { // which some take for none, since it is handed to nobody
		before = nil
	}
	switch {
	case before != nil && before.sum == digest && before.last == f.on.n && f.on.resumes() && f.on.disturbed() == nil && f.msg.IsReply():
		f.twice = true
	case before != nil && before.sum == digest && (f.on.resumes() || f.on.n == before.root && f.on.disturbed() != nil):
		f.replay = before // or it comes, behind its replay, on the stream that was broken, which nobody reads
		f.rewound = f.on.behind > 0 && before.root == f.on.root && before.nth <= f.on.behind
		f.doubled = before.last == f.on.n && f.on.disturbed() == nil
	case before != nil:
		f.clash = before
		f.live = before.sum == digest && b.doubled(before, f.on)
		before.ofGet = false // which stream the id stands for nobody knows from here on
		before.root = 0
	case !b.perhaps(ofEvent, history.Server, id):
		b.keepEvent(id, &sentEvent{at: f.write, root: f.on.root, ofGet: f.on.ofGet, on: f.on.n, last: f.on.n, sum: digest})
	case f.on.resumes():
		f.replay = &sentEvent{at: f.write, root: f.on.root, on: f.on.n} // one that is forgotten, for all that is known
	}
	if before != nil {
		before.last = f.on.n
	}
}
