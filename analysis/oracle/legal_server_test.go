package oracle

import (
	"fmt"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A legalServer runs tools, tells them of cancels in the instant in which it reads
// them, and stays silent about what was cancelled.
type legalServer struct {
	*talk
	got   []*dialogue  // requests that it has read
	asked []*dialogue  // its own
	heard bool         // it has read the end of its input
	drain bool         // and answers what it has read nevertheless
	at    history.Side // empty: the server's; the client works on what tools ask
}

// seat is the side that it is at.
func (s *legalServer) seat() history.Side {
	if s.at == "" {
		return history.Server
	}
	return s.at
}

// put hands a message to the writer of its side.
func (s *legalServer) put(p *parcel) {
	if s.at == history.Client {
		s.up.send(p)
		return
	}
	s.down.send(p)
}

// begin lets the server of the legacy era talk on its own: pings, which it may give
// up, and log messages.
func (s *legalServer) begin() {
	for range s.draw("pings", 0, 2) {
		d := &dialogue{Call: history.Call{Method: "ping"}, asker: history.Server, id: fmt.Sprint(len(s.asked))}
		s.asked = append(s.asked, d)
		s.after(s.draw("ping", 0, 25), func() { s.ping(d) })
	}
	if s.seldom("log") {
		s.after(s.draw("log at", 0, 25), func() { s.down.send(noticeFrame("notifications/message")) })
	}
}

// ping has an id of the server's own, which the client's may equal.
func (s *legalServer) ping(d *dialogue) {
	p := requestFrame(d)
	p.begin = func() { d.begun = true }
	s.down.send(p)
	if s.often("patient") {
		return
	}
	sid := s.client.sessionID()
	s.after(s.draw("patience", 0, 10), func() {
		if d.begun && !d.answered && sid == s.client.sessionID() {
			s.down.send(cancelFrame(d))
		}
	})
}

// read acts on what the server has read.
func (s *legalServer) read(p *parcel) {
	switch d := p.about; {
	case p.end:
		s.hear()
	case d == nil: // a notification
	case p.msg.Kind == history.Request:
		s.arrive(d)
	case p.msg.IsCancel():
		s.cancel(d)
	case p.msg.IsReply():
		d.answered = true
		if d.Parent > 0 {
			s.told1(d, p)
		}
	}
}

// arrive takes a request on: at once, later in this instant, or when its turn comes.
func (s *legalServer) arrive(d *dialogue) {
	d.arrived = true
	s.got = append(s.got, d)
	if s.often("at once") {
		s.work(d)
		return
	}
	queued := 0
	if s.seldom("busy") {
		queued = s.draw("queued", 1, 6)
	}
	s.after(queued, func() { s.work(d) })
}

// work begins with a request.
func (s *legalServer) work(d *dialogue) {
	switch {
	case d.settled:
	case s.heard && !s.drain:
		d.settled = true // nobody waits for it
	case d.listens():
		s.subscribe(d)
	case d.Handler == "":
		s.finish(d)
	case d.cancelled == 0 || d.cancelled == s.now && s.often("unaware"):
		s.start(d)
		if d.cancelled != 0 {
			s.after(0, func() { s.tell(d) })
		}
	case s.often("drop"):
		d.settled = true // it was cancelled in the queue
	default: // begun with a context that is done
		s.start(d)
		s.tell(d)
	}
}

func (s *legalServer) start(d *dialogue) {
	d.started = true
	s.note(s.seat(), history.Start, d.Call.Call, "")
	work := int(d.Work / time.Millisecond)
	for range s.draw("bumps", 0, 3) + s.zeal() {
		s.after(s.draw("bump", 0, work), func() { s.bump(d) })
	}
	s.after(work, func() { s.finish(d) })
	if d.nested != nil {
		s.after(s.draw("asks", 0, work), func() { s.ask(d) })
	}
}

// zeal is how often more a tool reports where that lets a client resume a stream.
func (s *legalServer) zeal() int {
	if s.web != nil && s.web.resumable && s.web.shaky {
		return 2
	}
	return 0
}

// cancel is the cancel's being read. Running handlers are told in this instant, but
// what else the instant holds may come first: the server's threads do not wait for
// each other (R14).
func (s *legalServer) cancel(d *dialogue) {
	s.cancelledAt = s.now
	if d.cancelled != 0 || s.web != nil && s.web.deaf && s.seat() == history.Server {
		return // R6
	}
	if d.listens() {
		d.cancelled = s.now
		return
	}
	if !d.arrived { // R4, over HTTP: the id is unknown
		d.settled = s.often("remember")
		return
	}
	d.cancelled = s.now
	if d.started {
		s.after(0, func() { s.tell(d) })
	}
}

// tell ends the handler's context. What the tool does then is its own affair.
func (s *legalServer) tell(d *dialogue) {
	if d.ended || d.told || d.dismissed {
		return
	}
	d.told = d.cancelled != 0
	d.dismissed = !d.told
	s.note(s.seat(), history.Told, d.Call.Call, "context canceled")
	if d.nested != nil {
		s.leaveNested(d.nested, "cancel")
	}
	stop := func() { s.stop(d) }
	switch d.Handler {
	case "stubborn":
	case "swallow":
		s.finish(d)
	case "slow-cleanup", "checkpoint":
		s.after(s.draw("cleanup", 0, 4), stop)
	default:
		stop()
	}
}

// stop is a tool that returns because it was told.
func (s *legalServer) stop(d *dialogue) {
	d.failure = "context canceled"
	s.finish(d)
}

// finish is the end of a tool, and of what has none. An answer is owed unless the
// request was cancelled. If it was, and its handler had been told, nothing may be
// sent any more, except that before 2026-07-28 a tool that cannot be stopped may be
// answered for. Where the handler had not been told, this is still the instant of
// the cancel: the answer may pass it.
func (s *legalServer) finish(d *dialogue) {
	if d.ended {
		return
	}
	if n := d.nested; n != nil && n.asking && !n.returned {
		s.after(1, func() { s.finish(d) }) // it waits for the client
		return
	}
	d.ended = true
	if d.Handler != "" {
		e := history.Event{Side: s.seat(), Kind: history.End, Call: d.Call.Call, Text: d.failure}
		if d.failure == "" {
			e.Value = d.value()
		}
		s.add(e)
	}
	switch {
	case d.told:
		if d.Handler == "stubborn" && !s.modern && s.often("answer") {
			s.answer(d)
		}
		d.settled = true
	case d.cancelled != 0 && (d.cancelled != s.now || s.often("silent")):
		d.settled = true
	case s.seldom("slow to answer"):
		s.after(s.draw("answer after", 0, 3), func() { s.answerUnlessCancelled(d) })
	default:
		s.answer(d)
	}
}

// answerUnlessCancelled: a cancel that is read when the handler has ended may be
// ignored (R2). Without a handler nobody can tell that the work was over, so that
// such a request counts as unanswered until its response is in the writer's hands.
func (s *legalServer) answerUnlessCancelled(d *dialogue) {
	if d.cancelled != 0 && (d.Handler == "" && d.cancelled != s.now || s.often("silent")) {
		d.settled = true
		return
	}
	s.answer(d)
}

// answer hands the response to the writer. What it has in hand it writes.
func (s *legalServer) answer(d *dialogue) {
	if d.settled {
		return
	}
	d.settled, d.answering = true, true
	switch {
	case d.failure == "":
		s.put(resultFrame(d, d.value()))
	default:
		s.put(errorFrame(d, d.failure))
	}
}

// bump is a tool that reports progress. Told tools have stopped, except stubborn
// ones, for which a server of the legacy era may go on.
func (s *legalServer) bump(d *dialogue) {
	if d.ended || d.dismissed || d.told && d.Handler != "stubborn" {
		return
	}
	s.note(s.seat(), history.Progress, d.Call.Call, "")
	switch {
	case d.token == "" || s.seldom("skip"):
		return
	case d.told && s.modern:
		return
	}
	d.steps++
	s.down.send(progressFrame(d))
}
