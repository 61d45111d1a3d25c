package spacetime

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A listing is a scene laid out in columns: the time, the call where there are
// several, the client, the wire, the server with the margin behind it.
type listing struct {
	sc     *scene
	opts   Options
	g      glyphs
	width  int
	times  int // width of the time column
	number int // right edge of the call's number; 0: no such column
	client int // first column of the client's text
	middle int // of the wire
	server int // first column of the server's text
	origin time.Duration
	moment string // the first time that is written as a difference; empty: none is
	lanes  *lanes
	out    []string
}

// Columns that do not depend on the width.
const (
	minTimes   = 8  // "1234.567"
	minText    = 24 // what lanes leave to the client's text
	wireRight  = 13 // from the wire's middle to the server's text
	asideIndex = 28 // where the margin begins behind a short text
)

func newListing(sc *scene, opts Options, g glyphs) *listing {
	l := &listing{sc: sc, opts: opts, g: g, width: opts.width(), times: minTimes, origin: sc.origin()}
	for _, s := range sc.steps {
		l.times = max(l.times, len(millis(s.at-l.origin)))
	}
	l.client = l.times + 3
	if sc.call == 0 {
		l.number = l.times + 6
		l.client = l.number + 2
	}
	l.middle = l.client + (l.width-l.client)*39/100
	l.server = l.middle + wireRight
	l.lanes = newLanes(min(l.client+minText, l.middle-3), l.middle, l.server-2)
	return l
}

// body draws the columns' heads and every step.
func (l *listing) body() []string {
	l.head()
	last, first := time.Duration(0), true
	for i := 0; i < len(l.sc.steps); i++ {
		s := l.sc.steps[i]
		r := l.row(s)
		if first || s.at != last {
			r.put(0, pad(l.instant(s.at, last, first), l.times), faint)
		}
		last, first = s.at, false
		if i+1 < len(l.sc.steps) && l.straight(s, l.sc.steps[i+1]) {
			l.pass(r, s, l.sc.steps[i+1])
			i++
			continue
		}
		l.step(r, s)
	}
	return l.out
}

// instant is how a row's time is written. An instant that follows the last one
// by less than the column shows is written as the difference, so that it is not
// taken for the same.
func (l *listing) instant(at, last time.Duration, first bool) string {
	text := millis(at - l.origin)
	if !first && at > last && text == millis(last-l.origin) {
		text = "+" + short(at-last)
		if l.moment == "" {
			l.moment = text
		}
	}
	return text
}

// pad right-aligns s in n columns.
func pad(s string, n int) string {
	return strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s))) + s
}

// head names the columns.
func (l *listing) head() {
	r := newLine(l.width)
	r.put(0, pad("ms", l.times), faint)
	if l.number > 0 {
		r.put(l.number-4, "call", faint)
	}
	h := l.sc.h.Header
	r.put(l.client, l.g.cut(l.g.clean("CLIENT "+peer(h.Client)), l.middle-l.client-4), plain)
	way := "wire"
	if l.sc.overHTTP() {
		way = "HTTP"
	}
	r.put(l.middle-2, way, faint)
	r.put(l.server, l.g.cut(l.g.clean("SERVER "+peer(h.Server)), l.width-l.server), plain)
	l.emit(r)
}

// peer is a target with its version.
func peer(p history.Peer) string {
	if p.Version == "" || strings.HasSuffix(p.Target, p.Version) {
		return p.Target
	}
	return p.Target + " " + p.Version
}

// emit ends a line.
func (l *listing) emit(r line) { l.out = append(l.out, r.String(l.opts.Colour)) }

// blank is a line with nothing but the frames that are on their way.
func (l *listing) blank() line {
	r := newLine(l.width)
	for f, x := range l.lanes.used {
		r.set(x, l.g.down(f), wire)
	}
	return r
}

// row is the first line of a step, but for its time.
func (l *listing) row(s step) line {
	r := l.blank()
	if n := s.number(l.sc); l.number > 0 && n != "" {
		r.put(l.number-len(n), n, faint)
	}
	return r
}

// number is what the column of the calls says: which call a step is of, or of no call
// which of several clients.
func (s step) number(sc *scene) string {
	switch c := sc.stranger(s); {
	case s.call != 0:
		return strconv.Itoa(s.call)
	case c > 0:
		return "c" + strconv.Itoa(c)
	}
	return ""
}

// step draws one step whose first line is r.
func (l *listing) step(r line, s step) {
	switch s.shape {
	case depart:
		l.depart(r, s)
	case arrive:
		l.arrive(r, s)
	case gap:
		l.gap(r, s)
	default:
		l.note(r, s)
	}
}

// note draws a step that is no arrow.
func (l *listing) note(r line, s step) {
	if s.side == history.Server {
		l.serverText(r, s, s.texts[0])
		return
	}
	room := l.width - l.client // of the world: over the frames on their way
	if s.side == history.Client {
		room = l.server - 2 - l.client
		for _, x := range l.lanes.active() {
			room = min(room, x-1-l.client)
		}
	}
	text := s.texts[0]
	for _, t := range slices.Backward(s.texts) {
		if width(l.g.clean(t)) <= room {
			text = t
		}
	}
	l.block(r, s, l.client, l.g.wrap(l.g.clean(text), room))
}

// serverText writes into the server's column, where the margin follows.
func (l *listing) serverText(r line, s step, text string) {
	l.block(r, s, l.server, l.g.wrap(l.g.clean(text), l.width-l.server))
}

// block writes lines from column x, the first into r, the step's margin behind
// the first, or below where it does not fit, and what more there is to it.
func (l *listing) block(r line, s step, x int, lines []string) {
	l.text(r, x, lines[0])
	below := l.margin(r, s, max(l.server, x+width(lines[0])+2))
	l.emit(r)
	for _, text := range lines[1:] {
		r = l.blank()
		l.text(r, x, text)
		l.emit(r)
	}
	for _, m := range below {
		l.under(m)
	}
	for _, text := range s.more {
		r = l.blank()
		l.text(r, x, l.g.cut(l.g.clean(shorten(text, l.width-x)), l.width-x))
		l.emit(r)
	}
}

// text writes a clean text and keeps a column free behind it.
func (l *listing) text(r line, x int, text string) {
	r.put(x, text, plain)
	if end := x + width(text); end < len(r) && (r[end].r == l.g.bar || r[end].r == l.g.dotBar) {
		r.set(end, ' ', plain)
	}
}

// A margin is one remark beside a step.
type margin struct {
	text  string
	style style
}

// margin writes what the step's margin says into r, from column free on, and
// returns what did not fit.
func (l *listing) margin(r line, s step, free int) []margin {
	var below []margin
	if s.aside != "" {
		below = append(below, margin{l.g.clean(l.g.here + s.aside), notice})
	}
	if s.finding != "" {
		below = append(below, margin{l.g.clean(s.finding), alarm})
	}
	if len(below) == 0 {
		return nil
	}
	m := below[0]
	if free+width(m.text) > l.width {
		return below
	}
	r.put(max(free, min(l.server+asideIndex, l.width-width(m.text))), m.text, m.style)
	return below[1:]
}

// under writes a remark on lines of its own, pointing at the step above.
func (l *listing) under(m margin) {
	text := strings.TrimPrefix(m.text, l.g.here)
	for i, t := range l.g.wrap(text, l.width-l.server-2) {
		r := l.blank()
		lead := "  "
		if i == 0 {
			lead = l.g.higher
		}
		r.put(l.server, lead+t, m.style)
		l.emit(r)
	}
}

// gap draws what was folded away: what the server wrote and the client read.
func (l *listing) gap(r line, s step) {
	if s.wrote+s.reads == 0 {
		return
	}
	if s.reads > 0 {
		r.put(l.client, l.g.cut(l.g.clean(frames(s.reads, "read")), l.room()), faint)
	}
	if s.wrote > 0 {
		r.put(l.server, l.g.clean(frames(s.wrote, s.until(l.origin))), faint)
	}
	l.emit(r)
}

// frames counts folded progress frames.
func frames(n int, done string) string {
	what := " progress frames"
	if n == 1 {
		what = " progress frame"
	}
	return strings.TrimRight("… "+strconv.Itoa(n)+what+" "+done, " ") + " …"
}

// until says until when a gap's frames were written.
func (g step) until(origin time.Duration) string {
	if g.end == g.at {
		return ""
	}
	return "until " + millis(g.end-origin)
}

// room is the width of the client's text on a line with an arrow: up to the
// first frame on its way.
func (l *listing) room() int {
	end := l.middle - 1
	if xs := l.lanes.active(); len(xs) > 0 {
		end = min(end, xs[0])
	}
	return end - l.client - 2
}

// fit is the first of texts that is at most n columns wide, or the last of
// them, cut.
func (l *listing) fit(texts []string, n int) string {
	i := slices.IndexFunc(texts, func(s string) bool { return width(l.g.clean(s)) <= n })
	if i < 0 {
		i = len(texts) - 1
	}
	return l.g.cut(l.g.clean(texts[i]), n)
}
