package oracle

import (
	"strconv"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A server need not keep a connection open for as long as a call takes. It says from where a
// client can resume the stream, and when, and ends the exchange:
//
//	POST: call 1            ◀── id: a, retry: 500 ── ◀── end
//	                           (500 ms)
//	GET, after: a           ◀── result 1 ──

// exchangeCues are what an exchange says of its stream's being resumed.
type exchangeCues struct {
	resumable bool           // the server has sent an event id by it
	told      *history.Event // the server has said in it how long to wait
	place     string         // the id of the last event that the client has of the stream
	heard     *history.Event // the client has read how long to wait; the last one counts
	resumed   *parted        // the stream that it resumes, if the client knows how long to wait
}

// A parted stream is one whose exchange has ended, and that a client may resume.
type parted struct {
	heard, end *history.Event
	torn       bool // the client had not read it to its end
}

// maxWait is the longest time to wait that is judged: whether a client can count further,
// or wants to, nobody says.
const maxWait = 24 * time.Hour

// cued takes note of what an SSE event says that holds no message.
func (b *builder) cued(ev *history.Event) {
	e := b.exchange(ev.Exchange)
	end, known := b.end(ev)
	switch {
	case e == nil || !known:
	case end == atServer:
		if ev.Value != "" {
			e.told = ev
		}
		b.sendsID(e, ev)
	default:
		if ev.Value != "" {
			e.heard = ev
		}
		e.reads(ev.EventID)
	}
}

// sendsID takes note of the id of an event that holds no message, by which a client may
// resume the stream.
func (b *builder) sendsID(e *exchange, ev *history.Event) {
	id := ev.EventID
	if id == "" {
		return
	}
	e.resumable = true
	if b.modern || b.events[id] != nil || b.perhaps(ofEvent, history.Server, id) {
		return
	}
	b.keepEvent(id, &sentEvent{at: ev, root: e.root, ofGet: e.ofGet, on: e.n, last: e.n, cue: true})
}

// reads takes note of the id of an event that the client has read.
func (e *exchange) reads(id string) {
	if id != "" {
		e.place = id
	}
}

// leaveStream takes note that the client is done with an exchange, whose stream it may resume.
func (b *builder) leaveStream(e *exchange, ev *history.Event) {
	if e.heard == nil || e.place == "" {
		return
	}
	if b.parted == nil {
		b.parted = map[string]*parted{}
	}
	if b.parted[e.place] == nil && len(b.parted) >= maxEvents {
		return
	}
	b.parted[e.place] = &parted{heard: e.heard, end: ev, torn: ev.Kind == history.Drop || ev.Text != ""}
}

// takeUp takes note of which stream an exchange resumes that begins.
func (b *builder) takeUp(e *exchange) {
	e.place = e.head.LastEvent
	e.resumed = b.parted[e.place]
	delete(b.parted, e.place)
}

// wait is how long the client was to wait. A time that is longer than any is told apart by
// the second result.
func (p *parted) wait() (d time.Duration, judged bool) {
	ms, err := strconv.ParseInt(p.heard.Value, 10, 64)
	if err != nil || ms < 0 || ms > maxWait.Milliseconds() {
		return 0, false
	}
	return time.Duration(ms) * time.Millisecond, true
}
