package spacetime

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// A look is how text is written.
type look struct {
	ink    string
	anchor string // "start", "middle", "end"; empty: start
	bold   bool
}

// A stroke is how a line is drawn.
type stroke struct {
	ink   string
	width float64
	dash  string
}

func (d *diagram) put(format string, args ...any) { fmt.Fprintf(&d.out, format+"\n", args...) }

func (d *diagram) open(w, h float64) {
	d.put(`<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img" `+
		`font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="12">`, w, h, w, h)
	d.put(`<title>%s</title>`, inXML(d.caption()))
	d.put(`<rect x="0.5" y="0.5" width="%.0f" height="%.0f" rx="6" fill="#ffffff" stroke="#d0d7de"/>`, w-1, h-1)
}

func (d *diagram) close() { d.put("</svg>") }

// caption is the figure in one sentence, for who cannot see it.
func (d *diagram) caption() string {
	h := d.sc.h.Header
	what := "The whole world"
	switch {
	case d.sc.call != 0:
		what = "Call " + strconv.Itoa(d.sc.call)
	case d.sc.client != 0:
		what = "Client " + strconv.Itoa(d.sc.client) + " of " + strconv.Itoa(h.Clients)
	}
	if v := d.finding.Violation.What; v != "" {
		what += ": the " + string(d.finding.Violation.Side) + " " + v
	}
	return what + " (" + peer(h.Client) + " and " + peer(h.Server) + ", " + h.SpecVersion + ", seed " + uint64Text(h.Seed) + ")"
}

func uint64Text(n uint64) string { return strconv.FormatUint(n, 10) }

// inXML makes text fit to stand in an element.
func inXML(s string) string {
	var b escapeBuffer
	// The buffer cannot fail.
	_ = xml.EscapeText(&b, []byte(s))
	return string(b)
}

type escapeBuffer []byte

func (b *escapeBuffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

// text writes a line whose middle is at y.
func (d *diagram) text(x, y float64, s string, l look) {
	if s == "" {
		return
	}
	more := ""
	if l.anchor != "" {
		more += fmt.Sprintf(` text-anchor="%s"`, l.anchor)
	}
	if l.bold {
		more += ` font-weight="bold"`
	}
	d.put(`<text x="%.1f" y="%.1f" fill="%s" xml:space="preserve"%s>%s</text>`, x, y+4, l.ink, more, inXML(s))
}

func (d *diagram) line(x1, y1, x2, y2 float64, s stroke) {
	dash := ""
	if s.dash != "" {
		dash = fmt.Sprintf(` stroke-dasharray="%s"`, s.dash)
	}
	d.put(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%.1f"%s/>`, x1, y1, x2, y2, s.ink, s.width, dash)
}

func (d *diagram) box(x, y, w, h float64, fill, ink string) {
	d.put(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="2" fill="%s" stroke="%s"/>`, x, y, w, h, fill, ink)
}

// An arrow is a frame on its way.
type arrow struct {
	x1, y1, x2, y2 float64
	frame          *frame
	offence        bool
	lost           bool   // it is not known to have arrived
	open           string // what stands at its beginning if that was not seen
}

// drawArrow draws the way of a frame, with the network's share beside it.
func (d *diagram) drawArrow(a arrow) {
	s := d.strokeOf(a.frame)
	if a.offence {
		s, d.crossed = stroke{ink: inkOffence, width: 3}, true
	}
	dx, dy := a.x2-a.x1, a.y2-a.y1
	length := math.Hypot(dx, dy)
	ux, uy := dx/length, dy/length
	from, to := 6.0, length-6
	d.line(a.x1+from*ux, a.y1+from*uy, a.x1+(to-8)*ux, a.y1+(to-8)*uy, s)
	tipX, tipY := a.x1+to*ux, a.y1+to*uy
	if a.lost {
		d.cross(tipX, tipY, 5, s.ink)
	} else {
		d.put(`<path d="M%.1f %.1f L%.1f %.1f L%.1f %.1f Z" fill="%s"/>`, tipX, tipY,
			tipX-11*ux-5*uy, tipY-11*uy+5*ux, tipX-11*ux+5*uy, tipY-11*uy-5*ux, s.ink)
	}
	if a.offence {
		d.cross(a.x1+length*ux/6, a.y1+length*uy/6, 7, s.ink)
	}
	if a.open != "" {
		d.label(a.x1, a.y1, a.open, s.ink)
	}
	if a.frame.flight >= 0 {
		text := short(a.frame.flight)
		share := d.free(a, text)
		d.label(a.x1+dx*share, a.y1+dy*share, text, s.ink)
	}
}

// strokeOf is how a frame is drawn: a cancel apart from the others, and over HTTP what is
// no message finer.
func (d *diagram) strokeOf(f *frame) stroke {
	cancel := stroke{ink: inkSilence, width: 1.5, dash: "7 3"}
	switch {
	case f.msg.IsCancel(), f.sort == closing && d.sc.closingCancels():
		return cancel
	case f.sort == closing:
		return stroke{ink: inkFaint, width: 1.5, dash: "2 3"}
	case f.sort == heading:
		return stroke{ink: inkWire, width: 0.8}
	}
	return stroke{ink: inkWire, width: 1.5}
}

// closes reports whether the figure shows a stream being closed that is no cancel.
func (d *diagram) closes() bool {
	return !d.sc.closingCancels() && slices.ContainsFunc(d.rows, func(r drawn) bool { return r.frame != nil && r.frame.sort == closing })
}

// A spot is the middle of a label, and its width.
type spot struct{ x, y, w float64 }

// along are the shares of an arrow's length at which its label may stand, best first: off
// the middle, where frames that pass each other cross.
var along = [...]float64{0.36, 0.64, 0.24, 0.76}

// free is the first of them at which no other label stands.
func (d *diagram) free(a arrow, text string) float64 {
	w := d.labelWidth(text)
	for _, share := range along {
		x, y := a.x1+(a.x2-a.x1)*share, a.y1+(a.y2-a.y1)*share
		taken := slices.ContainsFunc(d.labels, func(o spot) bool {
			return math.Abs(o.x-x) < (o.w+w)/2 && math.Abs(o.y-y) < lineHeight-2
		})
		if !taken {
			return share
		}
	}
	return along[0]
}

func (d *diagram) labelWidth(text string) float64 {
	return glyphWidth*float64(width(d.g.clean(text))) + 8
}

// label writes onto an arrow.
func (d *diagram) label(x, y float64, s, ink string) {
	w := d.labelWidth(s)
	s = d.g.clean(s)
	d.labels = append(d.labels, spot{x, y, w})
	d.box(x-w/2, y-lineHeight/2, w, lineHeight, "#ffffff", "none")
	d.text(x, y, s, look{ink: ink, anchor: "middle"})
}

// cross marks what must not be, or what was lost.
func (d *diagram) cross(x, y, r float64, ink string) {
	s := stroke{ink: ink, width: 3}
	d.put(`<circle cx="%.1f" cy="%.1f" r="%.1f" fill="#ffffff"/>`, x, y, r+2)
	d.line(x-r, y-r, x+r, y+r, s)
	d.line(x-r, y+r, x+r, y-r, s)
}

// noteHeight is that of a line below the legend.
const noteHeight = 17.0

// notes say how to read the figure, a line each.
func (d *diagram) notes() []string {
	out := []string{"Time runs down, not to scale. On the arrows: what the network took."}
	if d.moment != "" {
		out = append(out, d.moment+": "+momentWords)
	}
	if d.sc.showsHeld() {
		out = append(out, heldWords)
	}
	return out
}

// legend says what is what.
func (d *diagram) legend(y float64) {
	d.line(edge, y-14, figureWidth-edge, y-14, stroke{ink: "#d0d7de", width: 1})
	x := edge
	item := func(w float64, sample func(x float64), text string) {
		sample(x)
		d.text(x+w+6, y+4, text, look{ink: inkFaint})
		x += w + 6 + glyphWidth*float64(width(text)) + 18
	}
	if d.sc.call != 0 {
		item(8, func(x float64) { d.box(x, y-4, 8, 16, fillCall, "#8c959f") }, "caller waits")
		item(8, func(x float64) { d.box(x, y-4, 8, 16, fillWork, inkWire) }, "handler at work")
		item(4, func(x float64) { d.box(x, y-4, 4, 16, fillQuiet, "none") }, "silence asked for")
	}
	item(30, func(x float64) {
		d.line(x, y+4, x+30, y+4, stroke{ink: inkSilence, width: 1.5, dash: "7 3"})
	}, "cancel")
	if d.closes() {
		item(30, func(x float64) { d.line(x, y+4, x+30, y+4, stroke{ink: inkFaint, width: 1.5, dash: "2 3"}) }, "client gives up")
	}
	if d.finding.ID != "" && d.crossed {
		item(30, func(x float64) {
			d.line(x, y+4, x+30, y+4, stroke{ink: inkOffence, width: 3})
			d.cross(x+15, y+4, 6, inkOffence)
		}, d.g.clean(d.finding.ID)+", the violation")
	}
	for i, text := range d.notes() {
		d.text(edge, y+24+noteHeight*float64(i), d.g.clean(text), look{ink: inkFaint})
	}
}
