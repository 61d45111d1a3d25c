package spacetime

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// SVG draws what Render lists as a space-time diagram: two lifelines, time running
// down, each frame an arrow as steep as its delay, the offence crossed out. Time is
// not to scale, since the microseconds of a race and the seconds of a tool would
// not fit on one page; each instant's time stands beside it. It obeys the options
// Call, Client, All and Finding. The drawing brings its own white ground, so that it can be
// read on a dark page, and tells nothing by colour alone.
func SVG(h *history.History, j oracle.Judgement, opts Options) []byte {
	sc := newScene(h, j, opts.view(h))
	sc.foldProgress(opts.Finding)
	sc.mark(opts.Finding)
	d := &diagram{sc: sc, finding: opts.Finding, g: unicodeGlyphs, origin: sc.origin()}
	d.lay()
	d.draw()
	return d.out.Bytes()
}

// A diagram is a scene laid out on a plane, in pixels.
type diagram struct {
	sc      *scene
	finding Finding
	g       glyphs
	origin  time.Duration
	rows    []drawn
	labels  []spot  // on arrows, drawn so far
	crossed bool    // an arrow of the violation has been drawn
	moment  string  // the first time that is written as a difference; empty: none is
	bottom  float64 // of the lifelines
	out     bytes.Buffer
}

// A drawn step has its place: y is the middle of its first line.
type drawn struct {
	step
	y     float64
	lines []string
	asks  []string // what the margin says of the cancel
	bad   []string // what it says of the offence
	time  string   // empty: the instant of the row above
}

// height is in lines.
func (r drawn) height() int { return len(r.lines) + len(r.asks) + len(r.bad) }

// The columns, by their x.
const (
	figureWidth = 980.0
	timesEnd    = 76.0
	clientLine  = 372.0
	serverLine  = 618.0
	textMargin  = 16.0 // from a lifeline to its text
	edge        = 14.0 // of the figure

	glyphWidth = 7.23 // of 12 pixel monospace
	lineHeight = 16.0
	headTop    = 84.0
	headHeight = 28.0
)

// maxDrawn bounds the steps of a diagram; history.txt has them all.
const maxDrawn = 80

// lay gives every step its place.
func (d *diagram) lay() {
	y := headTop + headHeight + 24
	steps := d.few()
	l := &listing{origin: d.origin} // for its times
	for i, s := range steps {
		if s.shape == gap && s.wrote == 0 {
			s.side = history.Client // who only read
		}
		r := drawn{step: s, lines: d.words(s)}
		if i > 0 {
			y += 4
		}
		if last := steps[max(0, i-1)].at; i == 0 || s.at != last {
			r.time = l.instant(s.at, last, i == 0)
			y += stretch(s.at - last)
		}
		r.y = y
		if s.aside != "" {
			r.asks = d.g.wrap(d.g.clean("◀ "+s.aside), columnsOf(s.side))
		}
		if s.finding != "" {
			r.bad = d.g.wrap(d.g.clean("✗ "+d.offence(s)), columnsOf(s.side))
		}
		d.rows = append(d.rows, r)
		y += lineHeight * float64(r.height())
	}
	d.moment, d.bottom = l.moment, y+6
}

// stretch is the room for a time that passes: a millisecond is seen, a second is
// not a thousand times as long.
func stretch(passed time.Duration) float64 {
	return min(44, math.Round(5+6*math.Log2(1+float64(passed)/float64(time.Millisecond))))
}

// few leaves out steps from the middle of a long story, but none that is marked.
func (d *diagram) few() []step {
	all := d.sc.steps
	over := len(all) - maxDrawn
	if over <= 0 {
		return all
	}
	var out []step
	hidden := 0
	for i, s := range all {
		if i < maxDrawn/2 || i >= maxDrawn/2+over || s.finding != "" {
			out = append(out, s)
			continue
		}
		if hidden == 0 {
			out = append(out, step{at: s.at, side: history.World})
		}
		hidden++
	}
	for i := range out {
		if out[i].shape == note && out[i].texts == nil {
			out[i].texts = []string{"… " + moreSteps(hidden) + " …"}
		}
	}
	return out
}

// words are the lines of a step's text.
func (d *diagram) words(s step) []string {
	text := ""
	switch {
	case s.shape == gap && s.wrote > 0 && s.reads > 0:
		text = frames(s.wrote, s.until(d.origin)+", "+strconv.Itoa(s.reads)+" read")
	case s.shape == gap && s.wrote > 0:
		text = frames(s.wrote, s.until(d.origin))
	case s.shape == gap:
		text = frames(s.reads, "read")
	default:
		text = s.texts[0]
	}
	text = d.sc.whose(s) + text
	columns := columnsOf(s.side)
	lines := d.g.wrap(d.g.clean(text), columns)
	for _, more := range s.more {
		lines = append(lines, d.g.cut(d.g.clean(shorten(more, columns)), columns))
	}
	return lines
}

// columnsOf is how many characters a line of a side's text may have.
func columnsOf(side history.Side) int {
	room := figureWidth - timesEnd - 2*edge
	switch side {
	case history.Client:
		room = clientLine - textMargin - timesEnd - edge
	case history.Server:
		room = figureWidth - serverLine - textMargin - edge
	}
	return int(room / glyphWidth)
}

// offence says in full what the margin of a listing has no room for.
func (d *diagram) offence(s step) string {
	if d.finding.ID == "" || s.seq != d.sc.proof(d.finding.Violation) {
		return s.finding
	}
	return d.finding.ID + ": " + d.sc.note(d.finding.Violation, s.seq)
}
