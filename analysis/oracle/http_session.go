package oracle

import (
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A client may have one session after another: it ends one by DELETE, or learns by a 404
// that the server has, and initializes anew. What is known of the end of one says nothing
// of the next.
//
//	session 1   ──call 1──▶ … ──DELETE──▶
//	session 2                              ──initialize──▶ ──call 2──▶ …
type sitting struct {
	former   bool           // there was one before it
	ended    *history.Event // the client began to end it by DELETE, and began another later
	expired  *history.Event // the client learned, by a 404, that the server had ended it
	disowned *history.Event // the client was told so by a 404 of whomever

	// What the server shows of its life.
	alive *history.Event // the latest beginning of an exchange in which it served it
	vital *history.Event // the last that it did for it, of which it then says that it does not know it
	dead  *history.Event // the first 404 by which it says that
	shut  *history.Event // the reading of the cancel in whose instant it ended the stream that the client had opened by GET
	torn  *history.Event // the reading of the cancel to which its end is owed; nil: nothing shows that
}

// The server may end a session at any time, and then has to answer what names it with 404
// (2025-03-26 to 2025-11-25, transports, session management). So a 404 after a cancel is
// no evidence that the session died of it, however early it comes: a client learns of the
// end of a session when it asks next, and idle sessions run out. It is held to have died of
// the cancel, which is a breach of a MUST, if it ended in the instant in which the server
// read that:
//
//   - in that instant the server took the cancel, and answered with 404 what came with it;
//   - or in that instant it ended the stream that the client had opened by GET, did nothing
//     more for the session, and said 404 to what came next.
//
// That the handlers of other calls were told then needs no 404: see toldWith. Otherwise a
// session that ends by itself while it is in use is no more than SESSION-SURVIVES counts,
// which no clause asks for, and one that had been idle for a while is nothing at all.

// unused reports whether the session had been unused for that long when the server said
// that it was gone.
func (s *sitting) unused(long time.Duration) bool {
	return s.vital == nil || span(s.vital, s.dead) > long
}

// lapsedBy reports whether the session may have been over at e, since the server ended it:
// the client has learned so, and nothing that began later was served.
func (s *sitting) lapsedBy(e *history.Event) bool {
	return s.expired != nil && e != nil && !before(e, s.alive)
}

// lostWith returns the session that was over when the server had been asked by r: it said
// then that it does not know it, or ended the exchange without an answer and said so next;
// nil if it did not.
func lostWith(r *request) *sitting {
	if r == nil || r.frame.on == nil {
		return nil
	}
	e := r.frame.on
	s := e.sitting
	if s == nil || s.dead == nil || e.answersWith() != notFound && (r.first != nil || !s.lapsedBy(e.finish[atServer])) {
		return nil
	}
	return s
}

// overFor is the first sign of the end of the session that r is of.
func (x *index) overFor(r *request) *history.Event {
	if r == nil || r.sitting == nil {
		return x.over
	}
	return earlier(r.sitting.ended, x.over)
}

// overAt reports whether that sign came in the instant of e.
func (x *index) overAt(r *request, e *history.Event) bool {
	over := x.overFor(r)
	return over != nil && e != nil && over.At == e.At
}

// overOf is the same of the session that an exchange is of.
func (x *index) overOf(e *exchange) *history.Event {
	if e.sitting == nil {
		return x.over
	}
	return earlier(e.sitting.ended, x.over)
}

// lastWordFor returns the last event that the session was alive for that r is of.
func (x *index) lastWordFor(r *request) *history.Event {
	if over := x.overFor(r); over != nil {
		return over
	}
	return x.last
}

// deletes notes that the client begins to end its session.
func (b *builder) deletes(ev *history.Event) {
	talk := &b.talk
	if talk.deleted == nil {
		talk.deleted, talk.abrupt = ev, b.abrupt
	}
	b.over = earlier(b.over, ev)
	b.abrupt = b.abrupt || b.pending > 0 && b.close == nil
}

// opens notes that the client begins a session with r. If it had one before, the names
// of that mean nothing any more, nor does its having been ended.
func (b *builder) opens(r *request) {
	talk := &b.talk
	if talk.settled != nil {
		talk.number++
		b.ids, b.memory.numbers = [2]map[string]*request{}, [2]spans{}
		b.leaveTokens()
		b.events, b.recentEvents, b.parted = nil, nil, nil
		b.resume()
	}
	talk.opening, talk.settled, talk.session = r, nil, nil
}

// leaveTokens notes that the progress tokens that were given are free. What still comes
// under one of them may be a former request's.
func (b *builder) leaveTokens() {
	for i, side := range [...]history.Side{history.Client, history.Server} {
		for token := range b.tokens[i] {
			b.note(ofToken, side, token)
		}
	}
	b.tokens, b.active = [2]map[string]*request{}, [2]map[string]int{}
}

// resume begins another session.
func (b *builder) resume() {
	former := b.sitting
	b.sitting = &sitting{former: true}
	if d := b.talk.deleted; d != nil && b.over == d && b.close == nil && b.stop == nil && b.exit == nil && b.crash == nil {
		former.ended, b.over, b.abrupt = d, nil, b.talk.abrupt
	}
}

// noteUnknown notes that the client learned, by a 404, that the server does not know its
// session.
func (b *builder) noteUnknown(e *exchange, ev *history.Event) {
	s := e.session
	if s == nil || e.head == nil || e.head.Session != s.id {
		return
	}
	now := s == b.talk.session
	if now {
		b.talk.unknown = earlier(b.talk.unknown, ev)
	}
	e.sitting.disowned = earlier(e.sitting.disowned, ev)
	ending := now && b.talk.deleted != nil && b.talk.deleted != e.begin[atClient] || e.leaving
	if e.fault == nil && (b.home == 0 || e.instance == b.home) && !ending { // to its own DELETE, it says that there was none to end
		e.sitting.expired = earlier(e.sitting.expired, ev)
		b.lapsed = true
	}
}

// noteLife takes note of what the server does for a session, or that it does not know it.
func (b *builder) noteLife(e *exchange, ev *history.Event) {
	s := e.sitting
	if s == nil || e.session == nil || e.head == nil || e.head.Session != e.session.id || e.fault != nil || s.dead != nil {
		return
	}
	if b.home != 0 && e.instance != b.home {
		return
	}
	cancel := b.know.read[seat(history.Server)]
	now := cancel != nil && b.grace == 0 && ev.At == cancel.At // in wall time nothing shows that
	switch {
	case ev.Kind == history.Status && ev.HTTP != nil && ev.HTTP.Status == notFound:
		s.dead, s.torn = ev, s.shut
		if s.torn == nil && now && b.took(cancel) {
			s.torn = cancel
		}
	case e.refused():
	case ev.Kind == history.Finish && now && e.isGet() && e.isStream() && e.disturbed() == nil && e.left() == nil:
		s.vital, s.shut = ev, cancel
	default:
		s.vital = ev
		if at := e.begin[atServer]; ev.Kind == history.Status && !before(at, s.alive) {
			s.alive = at
		}
		if s.shut != nil && ev.Kind == history.Status && before(s.shut, e.begin[atServer]) && ev.At > s.shut.At+b.grace {
			s.shut = nil // it lives
		}
	}
}

// whyFormerSession is why something was not counted.
const whyFormerSession = "sent while the client was beginning another session, and perhaps for the former"

// between reports whether a client sent f while it was beginning another session: it may
// answer what a server had asked in the former.
func (f *frame) between() bool {
	e := f.on
	return e != nil && !f.back && e.session == nil && e.sitting != nil && e.sitting.former
}

// formerly reports whether f is sent by an exchange of a former session. What it names, if
// that is not what the exchange asks for, is forgotten.
func (b *builder) formerly(f *frame) bool {
	return f.on != nil && f.on.sitting != nil && f.on.sitting != b.sitting
}

// formerRequest returns the request of a call that the cancel f, which is sent by an exchange
// of a former session, names: one that this exchange has carried, too; nil: none is known.
func (b *builder) formerRequest(f *frame) *request {
	for c := range b.calls.all() {
		if r := c.req; r != nil && r.frame.on == f.on && r.frame.side == f.side && r.frame.msg.ID == f.msg.Ref {
			return r
		}
	}
	return nil
}

// took reports whether the server has accepted the POST of a cancel that it had read.
func (b *builder) took(cancel *history.Event) bool {
	e := b.exchanges.get(cancel.Exchange)
	return e != nil && e.status[atServer] != nil && e.answersWith() < 300
}
