package plots

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// The columns of a figure, in points: labels of the y axis, the plot, the key.
const (
	margin   = vg.Length(12)
	plotLeft = vg.Length(62)
	keyWidth = vg.Length(170)
	keyLeft  = width - margin - keyWidth
	plotEnd  = keyLeft - 14
	sample   = vg.Length(24) // room for a key's sample, with the gap behind it
)

// The leading of a line of text, as a multiple of its size.
const leading = 1.25

var (
	titleFace    = typeface{size: sizeTitle, bold: true, color: black, y: text.YTop}
	subtitleFace = typeface{size: sizeText, color: dark, y: text.YTop}
	headingFace  = typeface{size: sizeHeading, bold: true, color: black, y: text.YTop}
	keyFace      = typeface{size: sizeText, color: black, y: text.YTop}
	noteFace     = typeface{size: sizeSmall, color: dark, y: text.YTop}
)

// A figure is a title and a panel for each protocol version, one below the
// other.
type figure struct {
	name     string
	title    string
	subtitle string
	panels   []panel
	note     string // how to read it
	command  string
}

// A panel is one plot with its heading above and its key to the right.
type panel struct {
	heading string
	left    vg.Length // of the plot; 0 is plotLeft
	above   vg.Length // room between the heading and the plot
	tall    vg.Length // of the plot
	below   vg.Length // room for ticks and the label of the x axis
	key     []entry
	draw    func(frame) // nil: only the key's words
}

// A frame is where a panel draws.
type frame struct {
	*canvas
	vg.Rectangle
}

// An entry of a key is a sample and what it stands for.
type entry struct {
	look look
	mark mark
	word string
}

// A mark is the form of a key's sample.
type mark int

const (
	noMark mark = iota
	strokeMark
	surfaceMark // filled, hatched
	hollowMark  // outlined
	bandMark    // a line over a filled surface
)

// wordsOnly is a panel that has nothing to draw.
func wordsOnly(heading, words string) panel {
	return panel{heading: heading, tall: 14, key: []entry{{word: words}}}
}

func (t typeface) lead(lines int) vg.Length { return vg.Length(lines) * t.size * leading }

// height is what the figure needs.
func (f figure) height(k ink) vg.Length {
	h := margin
	f.walk(k, func(_ block, tall vg.Length) { h += tall })
	return h + margin/2
}

// A block is one piece of a figure from top to bottom: text or a panel.
type block struct {
	lines []string
	face  typeface
	panel *panel
}

// walk calls visit for each block with the height that it takes, gap included.
func (f figure) walk(k ink, visit func(block, vg.Length)) {
	full := width - 2*margin
	say := func(words string, face typeface, gap vg.Length) {
		if lines := k.wrap(words, face, full); len(lines) > 0 {
			visit(block{lines: lines, face: face}, face.lead(len(lines))+gap)
		}
	}
	title := k.balance(f.title, titleFace, full)
	visit(block{lines: title, face: titleFace}, titleFace.lead(len(title))+3)
	say(f.subtitle, subtitleFace, 10)
	for i := range f.panels {
		p := &f.panels[i]
		say(p.heading, headingFace, 5)
		visit(block{panel: p}, p.height(k)+12)
	}
	if len(f.panels) > 0 {
		say(f.note, noteFace, 0)
	}
	say(f.command, noteFace, 0)
}

// height of a panel without its heading: the plot's or the key's, whichever is
// taller.
func (p panel) height(k ink) vg.Length {
	return max(p.above+p.tall+p.below, p.keyHeight(k))
}

func (p panel) keyHeight(k ink) vg.Length {
	h := vg.Length(0)
	for _, e := range p.key {
		h += e.height(k, p.keyRoom()) + 4
	}
	return h
}

// keyRoom is the width of a key's words: the whole figure when there is no plot.
func (p panel) keyRoom() vg.Length {
	if p.draw == nil {
		return width - 2*margin
	}
	return keyWidth - sample
}

func (e entry) height(k ink, room vg.Length) vg.Length {
	return keyFace.lead(len(k.wrap(e.word, keyFace, room)))
}

// draw draws the figure from the top of the canvas down.
func (f figure) draw(c *canvas) {
	y := c.Max.Y - margin
	c.rect(look{color: white}, c.Rectangle)
	f.walk(c.ink, func(b block, tall vg.Length) {
		for i, line := range b.lines {
			c.text(margin, y-b.face.lead(i), b.face, line)
		}
		if b.panel != nil {
			b.panel.place(c, y)
		}
		y -= tall
	})
}

// place draws a panel whose top is at y.
func (p panel) place(c *canvas, y vg.Length) {
	p.drawKey(c, y-p.above)
	if p.draw == nil {
		return
	}
	left := p.left
	if left == 0 {
		left = plotLeft
	}
	top := y - p.above
	p.draw(frame{c, vg.Rectangle{
		Min: vg.Point{X: left, Y: top - (p.height(c.ink) - p.above - p.below)},
		Max: vg.Point{X: plotEnd, Y: top},
	}})
}

func (p panel) drawKey(c *canvas, y vg.Length) {
	x, words := keyLeft, keyLeft+sample
	if p.draw == nil {
		x, words = margin, margin
	}
	for _, e := range p.key {
		c.sample(e, x, y-keyFace.size*0.62)
		for i, line := range c.wrap(e.word, keyFace, p.keyRoom()) {
			c.text(words, y-keyFace.lead(i), keyFace, line)
		}
		y -= e.height(c.ink, p.keyRoom()) + 4
	}
}

// sample draws a key's sample, its middle at y.
func (c *canvas) sample(e entry, x, y vg.Length) {
	box := vg.Rectangle{Min: vg.Point{X: x, Y: y - 4}, Max: vg.Point{X: x + sample - 6, Y: y + 4}}
	stroke := []vg.Point{{X: x, Y: y}, {X: x + sample - 6, Y: y}}
	switch e.mark {
	case strokeMark:
		c.line(e.look, stroke...)
	case surfaceMark:
		c.rect(e.look, box)
		c.outline(look{color: dark, width: 0.5}, box)
	case hollowMark:
		c.outline(e.look, box)
	case bandMark:
		c.rect(look{color: e.look.surface()}, box)
		c.line(e.look, stroke...)
	}
}
