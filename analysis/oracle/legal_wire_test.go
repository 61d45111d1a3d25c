package oracle

import (
	"fmt"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A stream carries what one side writes, in order and without loss. Its writer
// writes one thing at a time, and may be held up; several frames may be written at
// once, and read at once.
type stream struct {
	*talk
	from    history.Side
	deliver func(*parcel)

	waiting []*parcel // for the writer
	writing []*parcel
	flying  []*parcel // written, in order
	arrival int       // of the latest
	reading int       // instant of the latest reading, which those behind it wait for
	closed  bool      // the writing end
	cut     bool      // the reading end: nobody will read any more
	onIdle  func()    // once, when nothing is being written or waits
	on      int       // over HTTP: the exchange that it is one direction of
	head    func()    // before the first frame is written; nil: nothing is
	headed  bool
	first   func() // likewise, read
	begun   bool
	done    func(*parcel) // a frame was written; nil: nobody cares
}

// A parcel is one frame, or the end of the stream.
type parcel struct {
	n       int
	about   *dialogue // nil: none
	call    int
	msg     *history.Message
	arrived int
	landed  bool // it reached the receiver
	end     bool
	begin   func() // its writing begins; nil: nothing depends on it
	failed  func() // its writing failed
	event   string // id of the SSE event that it is
}

// send hands a frame to the writer.
func (s *stream) send(p *parcel) {
	if s.closed {
		return
	}
	if s.web != nil && s.on == 0 {
		s.web.send(s.from, p)
		return
	}
	s.waiting = append(s.waiting, p)
	s.write()
}

// write writes what waits, unless the writer is busy: one frame, or several in one
// Write. In virtual time that takes none, unless the network takes nothing.
func (s *stream) write() {
	if len(s.writing) > 0 || len(s.waiting) == 0 {
		return
	}
	n := 1
	if len(s.waiting) > 1 {
		n = s.draw("cluster", 1, len(s.waiting))
	}
	s.writing, s.waiting = s.waiting[:n:n], s.waiting[n:]
	if s.head != nil && !s.headed {
		s.headed = true
		s.head()
	}
	for _, p := range s.writing {
		s.frames++
		p.n = s.frames
		s.wire(s.from, history.Write, p, "")
		if p.begin != nil {
			p.begin()
		}
	}
	if s.seldom("stall") {
		s.after(s.draw("stalled", 1, 6), s.written)
		return
	}
	s.written()
}

// written ends a Write. To a dead receiver it fails.
func (s *stream) written() {
	done := s.writing
	s.writing = nil
	if s.exited && s.from == history.Server {
		return // half a frame, of which nobody will see the rest
	}
	for _, p := range done {
		if s.cut {
			s.wire(s.from, history.Wrote, p, "broken pipe")
			if p.failed != nil {
				p.failed()
			}
			continue
		}
		s.wire(s.from, history.Wrote, p, "")
		s.launch(p)
	}
	if s.done != nil {
		for _, p := range done {
			s.done(p)
		}
	}
	s.write()
	if idle := s.onIdle; idle != nil && len(s.writing) == 0 && len(s.waiting) == 0 {
		s.onIdle = nil
		idle()
	}
}

// launch lets a frame fly. It lands behind all that flew before it, and is read
// when it lands, or when a lazy reader comes to it.
func (s *stream) launch(p *parcel) {
	s.arrival = max(s.arrival, s.now+s.draw("way", 0, 5))
	p.arrived = s.arrival
	lag := 0
	if s.seldom("lazy") {
		lag = s.draw("lag", 1, 3)
	}
	s.reading = max(s.reading, p.arrived+lag)
	s.flying = append(s.flying, p)
	s.after(p.arrived-s.now, func() { p.landed = !s.cut })
	s.after(s.reading-s.now, s.read)
}

// read returns the next frame to the receiver, or with it all others that are there:
// several that came in one Read are acted on after it, one by one.
func (s *stream) read() {
	if s.cut || len(s.flying) == 0 || s.flying[0].arrived > s.now {
		return // read before, with others
	}
	n := 1
	for n < len(s.flying) && s.flying[n].arrived <= s.now && !s.flying[n].end && !s.flying[0].end && s.often("at once") {
		n++
	}
	batch := s.flying[:n:n]
	s.flying = s.flying[n:]
	if s.first != nil && !s.begun {
		s.begun = true
		s.first()
	}
	for _, p := range batch {
		if p.end {
			s.note(s.from.Peer(), history.EOF, 0, "")
			continue
		}
		s.wire(s.from.Peer(), history.Read, p, "")
	}
	for _, p := range batch {
		s.deliver(p)
	}
}

// hangup closes the writing end. What still waited for the writer is dropped: it
// was never begun.
func (s *stream) hangup(text string) {
	if s.closed {
		return
	}
	s.closed, s.waiting = true, nil
	s.whenIdle(func() {
		s.note(s.from, history.Hangup, 0, text)
		s.launch(&parcel{end: true})
	})
}

// whenIdle acts once nothing is being written or waits for it.
func (s *stream) whenIdle(act func()) {
	if len(s.writing) == 0 && len(s.waiting) == 0 {
		act()
		return
	}
	s.onIdle = act
}

// sever takes the reading end away, as a process that dies does.
func (s *stream) sever() { s.cut = true }

// leftovers records what nobody ever read.
func (s *stream) leftovers() {
	for _, p := range s.flying {
		if p.end {
			continue
		}
		e := history.Event{Side: s.from.Peer(), Kind: history.Unread, Frame: p.n, Msg: p.msg, Call: p.call, Exchange: s.on}
		if p.landed {
			e.Arrived = time.Duration(p.arrived) * time.Millisecond
		}
		s.add(e)
	}
}

func (s *stream) wire(side history.Side, kind history.Kind, p *parcel, text string) {
	e := history.Event{Side: side, Kind: kind, Frame: p.n, Msg: p.msg, Call: p.call, Text: text, Exchange: s.on, EventID: p.event}
	if kind == history.Read {
		e.Arrived = time.Duration(p.arrived) * time.Millisecond
	}
	s.add(e)
}

// What the frames say.

func requestFrame(d *dialogue) *parcel {
	m := &history.Message{Kind: history.Request, Method: d.Method, ID: d.id, Token: d.token, Call: d.Call.Call}
	if d.listens() {
		m.Raw = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"call":%d,"notifications":{"toolsListChanged":true}}}`, d.id, d.Method, d.Call.Call)
		return &parcel{msg: m, about: d, call: d.Call.Call}
	}
	meta := ""
	if d.token != "" {
		meta = fmt.Sprintf(`,"_meta":{"progressToken":%s}`, d.token)
	}
	m.Raw = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"arguments":{"call":%d}%s}}`, d.id, d.Method, d.Call.Call, meta)
	return &parcel{msg: m, about: d, call: d.Call.Call}
}

func cancelFrame(d *dialogue) *parcel {
	m := &history.Message{Kind: history.Notification, Method: "notifications/cancelled", Ref: d.id}
	m.Raw = fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{"requestId":%s}}`, m.Method, d.id)
	return &parcel{msg: m, about: d, call: d.Call.Call}
}

func resultFrame(d *dialogue, value string) *parcel {
	m := &history.Message{Kind: history.Response, ID: d.id}
	m.Raw = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}],"isError":false}}`, d.id, value)
	return &parcel{msg: m, about: d, call: d.Call.Call}
}

func errorFrame(d *dialogue, text string) *parcel {
	m := &history.Message{Kind: history.ErrorReply, ID: d.id, Code: -32603, Text: text}
	m.Raw = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%q}}`, d.id, text)
	return &parcel{msg: m, about: d, call: d.Call.Call}
}

func progressFrame(d *dialogue) *parcel {
	m := &history.Message{Kind: history.Notification, Method: "notifications/progress", Token: d.token}
	m.Raw = fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{"progressToken":%s,"progress":%d}}`, m.Method, d.token, d.steps)
	return &parcel{msg: m, about: d, call: d.Call.Call}
}

func noticeFrame(method string) *parcel {
	m := &history.Message{Kind: history.Notification, Method: method}
	m.Raw = fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{"level":"info","data":"a word"}}`, method)
	return &parcel{msg: m}
}
