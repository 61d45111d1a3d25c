package spacetime

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// The colours, of a palette that colour-blind readers tell apart, dark enough for
// text on white.
const (
	inkText    = "#1f2328"
	inkFaint   = "#59636e"
	inkWire    = "#0067a3" // frames
	inkSilence = "#8a5a00" // the cancel, and the silence that it asks for
	inkOffence = "#b3380a"
	fillWork   = "#a8d8f5" // a handler at work
	fillCall   = "#d5dae0" // a caller that waits
	fillQuiet  = "#f0c25e"
	fillBand   = "#f3f5f7" // behind what concerns the whole world
)

// draw writes the figure: what lies behind first.
func (d *diagram) draw() {
	d.open(figureWidth, d.bottom+58+noteHeight*float64(len(d.notes())-1))
	d.titles()
	d.lifelines()
	d.bars()
	d.bands()
	for i := range d.rows {
		d.arrow(i)
	}
	for _, r := range d.rows {
		d.row(r)
	}
	d.legend(d.bottom + 22)
	d.close()
}

// titles say what the figure shows.
func (d *diagram) titles() {
	sc, h := d.sc, d.sc.h.Header
	l := newListing(sc, Options{Wire: true}, d.g) // for its words
	what, times := sc.shown(), l.clock()+" since the start of the world"
	outcome := ""
	if sc.client != 0 {
		outcome = "the other " + strconv.Itoa(h.Clients-1) + " clients are left out; to see them, replay with --client-number N, or --all"
	}
	if sc.call != 0 {
		head := l.callHeading()
		what, times = strings.TrimSuffix(head[0], l.hint()), head[len(head)-1]
		outcome = strings.Join(head[1:len(head)-1], "")
	}
	lines := []string{
		dotted(d.finding.ID, sc.ruleOf(d.finding), what),
		outcome,
		dotted(h.Scenario, "seed "+uint64Text(h.Seed), h.SpecVersion, h.Transport, times),
	}
	style, room := look{ink: inkText, bold: true}, figureWidth-2*edge
	y := 24.0
	for _, text := range lines {
		if text == "" {
			continue
		}
		d.text(edge, y, d.g.cut(d.g.clean(text), int(room/glyphWidth)), style)
		style = look{ink: inkFaint}
		y += 19
	}
}

// dotted joins those of the parts that there are.
func dotted(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// ruleOf names the rule that the finding is about.
func (sc *scene) ruleOf(f Finding) string {
	for _, v := range sc.judged.Verdicts {
		for _, o := range v.Violations {
			if v.Implied == "" && sameAct(o, f.Violation) {
				return v.Rule
			}
		}
	}
	return ""
}

// lifelines draws the two ends with their names.
func (d *diagram) lifelines() {
	h := d.sc.h.Header
	d.text(timesEnd, headTop+headHeight/2, "ms", look{ink: inkFaint, anchor: "end"})
	for _, end := range []struct {
		x    float64
		name string
	}{{clientLine, "CLIENT " + peer(h.Client)}, {serverLine, "SERVER " + peer(h.Server)}} {
		name := d.g.cut(d.g.clean(end.name), 30) // so that the two boxes keep apart
		half := glyphWidth*float64(width(name))/2 + 12
		d.line(end.x, headTop+headHeight, end.x, d.bottom, stroke{ink: "#8c959f", width: 1.2})
		d.box(end.x-half, headTop, 2*half, headHeight, "#ffffff", "#8c959f")
		d.text(end.x, headTop+headHeight/2, name, look{ink: inkText, bold: true, anchor: "middle"})
	}
}

// bars draws, for one call, how long its caller waited and its handler worked, and
// since when the server should have been silent.
func (d *diagram) bars() {
	l := d.sc.calls[d.sc.call]
	if d.sc.call == 0 || l == nil {
		return
	}
	d.bar(clientLine-5, 10, l.issue, l.returned, fillCall, "#8c959f")
	d.bar(serverLine-5, 10, l.start, l.end, fillWork, inkWire)
	for _, r := range d.rows {
		if r.aside == silence {
			d.box(serverLine+6, r.y, 4, d.bottom-r.y, fillQuiet, "none")
		}
	}
}

// bar spans from one event to another, or to the end of the figure.
func (d *diagram) bar(x, w float64, from, to int, fill, ink string) {
	top, end := d.heightOf(from), d.heightOf(to)
	if top < 0 {
		return
	}
	if end < 0 {
		end = d.bottom
	}
	d.box(x, top-3, w, end-top+6, fill, ink)
}

// heightOf is where an event is drawn; -1 if it is not.
func (d *diagram) heightOf(seq int) float64 {
	for _, r := range d.rows {
		if r.observed && r.seq == seq && seq >= 0 {
			return r.y
		}
	}
	return -1
}

// bands lie under what concerns the whole world, so that its text can be read over
// the lifelines.
func (d *diagram) bands() {
	x := timesEnd + edge - 6
	for _, r := range d.rows {
		if r.side != history.Client && r.side != history.Server {
			d.box(x, r.y-lineHeight/2, figureWidth-edge-x, lineHeight*float64(r.height()), fillBand, "none")
		}
	}
}

// row writes one step's time, text and remarks.
func (d *diagram) row(r drawn) {
	d.text(timesEnd, r.y, r.time, look{ink: inkFaint, anchor: "end"})
	x, style := timesEnd+edge, look{ink: inkText}
	switch r.side {
	case history.Client:
		x, style.anchor = clientLine-textMargin, "end"
	case history.Server:
		x = serverLine + textMargin
	}
	y := r.y
	put := func(text string, style look) {
		d.text(x, y, text, style)
		y += lineHeight
	}
	for _, text := range r.lines {
		put(text, style)
	}
	for _, text := range r.asks {
		put(text, look{ink: inkSilence, anchor: style.anchor, bold: r.aside == silence})
	}
	for _, text := range r.bad {
		put(text, look{ink: inkOffence, anchor: style.anchor, bold: true})
	}
}

// arrow draws the frame that leaves, or lands from nowhere, in the i-th row.
func (d *diagram) arrow(i int) {
	r := d.rows[i]
	if r.frame == nil || r.shape != depart && r.shape != arrive {
		return
	}
	from, to := clientLine, serverLine
	if r.frame.from == history.Server {
		from, to = to, from
	}
	other := slices.IndexFunc(d.rows, func(o drawn) bool {
		return o.frame == r.frame && o.shape != r.shape && (o.shape == depart || o.shape == arrive)
	})
	a := arrow{x1: from, y1: r.y, x2: to, y2: r.y, frame: r.frame, offence: r.finding != ""}
	switch {
	case r.shape == arrive && other >= 0:
		return // drawn where it left
	case r.shape == arrive:
		a.x1, a.open = to-(to-from)/3, "…"
		if r.frame.sent < 0 {
			a.open = "?"
		}
	case other < 0:
		a.x2, a.y2, a.lost = from+(to-from)/3, r.y+8, true
	default:
		a.y2 = d.rows[other].y
		a.lost = r.frame.arrived < 0
	}
	d.drawArrow(a)
}
