package spacetime

import (
	"slices"

	"github.com/mcpsim/mcpsim/sim/history"
)

// stub is how long the arrow is of a frame whose other end is not drawn.
const stub = 3

// depart draws a frame's leaving: from its sender to its lane. A frame that
// the history never mentions again gets no lane and ends in a question mark.
func (l *listing) depart(r line, s step) {
	x, ok := 0, false
	if s.frame.landed >= 0 {
		x, ok = l.lanes.take(s.frame)
	}
	open := []rune(l.g.ellipsis)[0]
	switch {
	case s.frame.lost:
		open = l.g.lost
	case s.frame.landed < 0:
		open = '?'
	}
	if s.frame.from == history.Server {
		l.departServer(r, s, x, ok, open)
	} else {
		l.departClient(r, s, x, ok, open)
	}
	l.json(s)
}

func (l *listing) departClient(r line, s step, x int, ok bool, open rune) {
	// A text may run under lanes to the left of its own: only where lanes were
	// short can there be any.
	room := l.room()
	if !ok {
		room -= stub
	}
	text := l.fit(s.texts, room)
	from := l.client + width(text) + 1
	r.put(l.client, text, plain)
	if !ok {
		r.fill(from, from+stub, l.g.along(s.frame))
		r.set(from+stub, open, wire)
	} else {
		l.run(r, from, x, s.frame)
		r.set(x, l.g.leftTurn, wire)
	}
	below := l.margin(r, s, l.server)
	l.emit(r)
	for _, m := range below {
		l.under(m)
	}
}

func (l *listing) departServer(r line, s step, x int, ok bool, open rune) {
	if !ok {
		r.set(l.server-2-stub, open, wire)
		r.fill(l.server-1-stub, l.server-1, l.g.along(s.frame))
	} else {
		r.set(x, l.g.rightTurn, wire)
		l.run(r, x+1, l.server-1, s.frame)
	}
	l.serverText(r, s, s.texts[0])
}

// arrive draws a frame's landing: from its lane to its receiver, with the time
// that the network took.
func (l *listing) arrive(r line, s step) {
	x, ok := l.lanes.used[s.frame]
	delete(l.lanes.used, s.frame)
	open := []rune(l.g.ellipsis)[0]
	switch {
	case s.frame.sort == heading && s.frame.exchange.proxied():
		open = l.g.dash // it begins there
	case s.frame.sent < 0:
		open = '?'
	}
	if s.side == history.Server {
		l.arriveServer(r, s, x, ok, open)
	} else {
		l.arriveClient(r, s, x, ok, open)
	}
}

func (l *listing) arriveServer(r line, s step, x int, ok bool, open rune) {
	head := l.server - 2
	text := s.texts[0]
	if ok {
		r.set(x, l.g.rightLand, wire)
		l.run(r, x+1, head, s.frame)
	} else {
		r.set(head-stub-1, open, wire)
		r.fill(head-stub, head, l.g.along(s.frame))
	}
	if s.frame.flight >= 0 && (!ok || !l.delay(r, s.frame, x+1, head)) {
		text += l.slow(s.frame)
	}
	r.set(head, l.tip(s, l.g.rightHead), wire)
	l.serverText(r, s, text)
}

func (l *listing) arriveClient(r line, s step, x int, ok bool, open rune) {
	room := l.room()
	if ok {
		room = min(room, x-l.client-3)
	}
	text := l.arrivalText(s, room, x)
	head := l.client + width(text) + 1
	if !ok {
		r.fill(head+1, head+1+stub, l.g.along(s.frame))
		r.set(head+1+stub, open, wire)
	} else {
		l.run(r, head+1, x, s.frame)
		r.set(x, l.g.leftLand, wire)
		l.delay(r, s.frame, head+1, x)
	}
	r.set(head, l.tip(s, l.g.leftHead), wire)
	r.put(l.client, text, plain)
	below := l.margin(r, s, l.server)
	l.emit(r)
	for _, m := range below {
		l.under(m)
	}
}

// arrivalText is the first of the step's texts that leaves the arrow from lane
// x enough room for its delay, or else the first that has room to say it.
func (l *listing) arrivalText(s step, room, x int) string {
	if s.frame.flight < 0 {
		return l.fit(s.texts, room)
	}
	var said []string
	for _, text := range s.texts {
		t := l.g.clean(text)
		if _, ok := l.space(s.frame, l.client+width(t)+2, x); ok && width(t) <= room {
			return t
		}
		said = append(said, text+l.slow(s.frame))
	}
	return l.fit(append(said, s.texts...), room)
}

// tip is the head of an arrow: a cross where the frame was lost.
func (l *listing) tip(s step, head rune) rune {
	if s.frame.arrived < 0 {
		return l.g.lost
	}
	return head
}

// run draws the horizontal part of an arrow, behind the frames that it passes.
func (l *listing) run(r line, from, end int, f *frame) {
	active := l.lanes.active()
	for x := from; x < end; x++ {
		if !slices.Contains(active, x) {
			r.set(x, l.g.along(f), wire)
		}
	}
}

// delay prints the network's share onto an arrow's run. It reports whether
// there was room for it, or nothing to print.
func (l *listing) delay(r line, f *frame, from, end int) bool {
	if f.flight < 0 {
		return true
	}
	x, ok := l.space(f, from, end)
	if ok {
		r.put(x, l.label(f), plain)
	}
	return ok
}

// label is the network's share with a blank on either side.
func (l *listing) label(f *frame) string { return " " + l.g.clean(short(f.flight)) + " " }

// space is where a frame's label stands on its run: in the middle of the
// widest space between the frames that the run passes. Not ok if the label is
// too wide for it.
func (l *listing) space(f *frame, from, end int) (x int, ok bool) {
	best, size := from, 0
	for _, x := range append(l.lanes.active(), end) {
		if x < from || x > end {
			continue
		}
		if x-from > size {
			best, size = from, x-from
		}
		from = x + 1
	}
	free := size - width(l.label(f))
	return best + free/2, free >= 2
}

// slow says what delay could not.
func (l *listing) slow(f *frame) string { return " (" + short(f.flight) + ")" }

// straight reports whether b is the arrival of the frame that leaves in a, in
// the same instant and with nothing between: one arrow on one line.
func (l *listing) straight(a, b step) bool {
	return a.shape == depart && b.shape == arrive && a.frame == b.frame && a.at == b.at && a.frame.arrived >= 0
}

// pass draws a departure and an arrival on one line.
func (l *listing) pass(r line, a, b step) {
	if a.frame.from == history.Server {
		text := l.fit(b.texts, l.room())
		head := l.client + width(text) + 1
		r.put(l.client, text, plain)
		l.run(r, head+1, l.server-1, a.frame)
		l.delay(r, a.frame, head+1, l.server-1)
		r.set(head, l.g.leftHead, wire)
		a.finding = join(a.finding, b.finding)
		l.serverText(r, a, a.texts[0])
	} else {
		text := l.fit(a.texts, l.room())
		r.put(l.client, text, plain)
		l.run(r, l.client+width(text)+1, l.server-2, a.frame)
		l.delay(r, a.frame, l.client+width(text)+1, l.server-2)
		r.set(l.server-2, l.g.rightHead, wire)
		b.finding = join(a.finding, b.finding)
		l.serverText(r, b, b.texts[0])
	}
	l.json(a)
}

// join lists what two steps on one line are charged with.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}

// json prints the frame of a departure, cut at the width. Frames on their way
// are drawn beside it, not over it.
func (l *listing) json(s step) {
	if !l.opts.Wire || s.frame.msg == nil {
		return
	}
	r := l.blank()
	text := l.g.cutJSON(s.frame.msg.Raw, l.width-l.client)
	r.put(l.client, text, faint)
	r.set(l.client+width(text), ' ', plain)
	l.emit(r)
}
