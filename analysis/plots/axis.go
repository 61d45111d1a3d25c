package plots

import (
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

var (
	tickFace  = typeface{size: sizeText, color: black}
	labelFace = typeface{size: sizeText, color: black}
)

// at is the point at shares fx and fy of the frame's width and height.
func (f frame) at(fx, fy float64) vg.Point {
	return vg.Point{X: f.x(fx), Y: f.y(fy)}
}

func (f frame) x(share float64) vg.Length { return f.Min.X + vg.Length(share)*(f.Max.X-f.Min.X) }
func (f frame) y(share float64) vg.Length { return f.Min.Y + vg.Length(share)*(f.Max.Y-f.Min.Y) }

// border draws the lines of the two axes.
func (f frame) border() {
	f.line(frameLook, vg.Point{X: f.Min.X, Y: f.Max.Y}, f.Min, vg.Point{X: f.Max.X, Y: f.Min.Y})
}

// yTick labels the height of share and draws the grid line there.
func (f frame) yTick(share float64, label string) {
	y := f.y(share)
	f.line(gridLook, vg.Point{X: f.Min.X, Y: y}, vg.Point{X: f.Max.X, Y: y})
	face := tickFace
	face.x, face.y = text.XRight, text.YCenter
	f.text(f.Min.X-5, y, face, label)
}

// shareTicks is a y axis from 0 % to 100 %.
func (f frame) shareTicks() {
	for _, share := range []float64{0, 0.25, 0.5, 0.75, 1} {
		f.yTick(share, percent(share))
	}
}

// xTick labels the position x below the axis, with a small stroke.
func (f frame) xTick(x vg.Length, label string) {
	f.line(frameLook, vg.Point{X: x, Y: f.Min.Y}, vg.Point{X: x, Y: f.Min.Y - 3})
	f.below(x, 4, label)
}

// below writes a line centred at x, down points below the axis.
func (f frame) below(x, down vg.Length, label string) {
	face := tickFace
	face.x, face.y = text.XCenter, text.YTop
	f.text(x, f.Min.Y-down, face, label)
}

// axisLabels names both axes. The x label stands down points below the axis.
func (f frame) axisLabels(x string, down vg.Length, y string) {
	f.below((f.Min.X+f.Max.X)/2, down, x)
	face := labelFace
	face.x, face.y, face.turn = text.XCenter, text.YTop, math.Pi/2
	f.text(margin, (f.Min.Y+f.Max.Y)/2, face, y)
}

// zone is the part of a time axis that stands for "no time passed".
const zone = vg.Length(62)

// A timeAxis is a logarithmic axis of time with room for zero at its left,
// where everything of one instant is, behind a break.
type timeAxis struct {
	frame
	lo, hi int // powers of ten of a nanosecond
}

// pos is where t > 0 is.
func (a timeAxis) pos(t int64) vg.Length {
	share := (math.Log10(float64(t)) - float64(a.lo)) / float64(a.hi-a.lo)
	return a.Min.X + zone + vg.Length(share)*(a.Max.X-a.Min.X-zone)
}

// grid draws what lies behind the curves.
func (a timeAxis) grid() {
	a.rect(look{color: mist}, vg.Rectangle{Min: a.Min, Max: vg.Point{X: a.Min.X + zone, Y: a.Max.Y}})
	a.shareTicks()
	for exp := a.lo; exp <= a.hi; exp++ {
		x := a.decade(exp)
		a.line(gridLook, vg.Point{X: x, Y: a.Min.Y}, vg.Point{X: x, Y: a.Max.Y})
	}
}

// draw draws the axes, with the ticks and the break.
func (a timeAxis) draw(xLabel, yLabel string) {
	end := a.Min.X + zone
	a.below(a.Min.X+zone/2, 4, "same instant")
	every := 1 + (a.hi-a.lo)/8
	for exp := a.lo; exp <= a.hi; exp++ {
		x := a.decade(exp)
		a.minor(exp)
		if (a.hi-exp)%every == 0 && a.clear(x, decade(exp)) {
			a.xTick(x, decade(exp))
		}
	}
	a.border()
	for _, x := range []vg.Length{end - 2, end + 2} {
		a.line(look{color: white, width: 2}, vg.Point{X: x - 2, Y: a.Min.Y - 4}, vg.Point{X: x + 2, Y: a.Min.Y + 4})
		a.line(frameLook, vg.Point{X: x - 2, Y: a.Min.Y - 4}, vg.Point{X: x + 2, Y: a.Min.Y + 4})
	}
	a.axisLabels(xLabel, 17, yLabel)
}

func (a timeAxis) decade(exp int) vg.Length {
	return a.Min.X + zone + vg.Length(float64(exp-a.lo)/float64(a.hi-a.lo))*(a.Max.X-a.Min.X-zone)
}

// clear says whether a tick's label keeps off the label of the instant.
func (a timeAxis) clear(x vg.Length, label string) bool {
	instant := a.Min.X + zone/2 + a.widthOf("same instant", tickFace)/2
	return x-a.widthOf(label, tickFace)/2 > instant+4
}

// minor draws the strokes at two to nine times a decade.
func (a timeAxis) minor(exp int) {
	if exp == a.hi || a.decade(a.lo+1)-a.decade(a.lo) < 30 {
		return
	}
	for i := 2; i < 10; i++ {
		x := a.decade(exp) + vg.Length(math.Log10(float64(i)))*(a.decade(exp+1)-a.decade(exp))
		a.line(frameLook, vg.Point{X: x, Y: a.Min.Y}, vg.Point{X: x, Y: a.Min.Y - 1.5})
	}
}

// fine is the distance in points below which two steps are drawn as one.
const fine = vg.Length(0.4)

// points is a curve as a line from the left edge at the share before, through
// the instant, where it jumps at the share slot of the zone's width.
func (a timeAxis) points(c curve, before, slot float64) []vg.Point {
	jump := a.Min.X + vg.Length(slot)*zone
	out := []vg.Point{{X: a.Min.X, Y: a.y(before)}, {X: jump, Y: a.y(before)}, {X: jump, Y: a.y(c.atZero)}}
	y, drawn := a.y(c.atZero), a.Min.X
	for i, s := range c.steps {
		x := a.pos(s.at)
		if i == 0 || i == len(c.steps)-1 || x-drawn >= fine {
			out = append(out, vg.Point{X: x, Y: y}, vg.Point{X: x, Y: a.y(s.share)})
			drawn = x
		} else {
			out[len(out)-1].Y = a.y(s.share)
		}
		y = a.y(s.share)
	}
	return out
}

// under fills the surface between a curve's line and the axis.
func (a timeAxis) under(l look, line []vg.Point) {
	last := line[len(line)-1]
	surface := append([]vg.Point{{X: line[0].X, Y: a.Min.Y}}, line...)
	a.FillPolygon(l.color, append(surface, vg.Point{X: last.X, Y: a.Min.Y}))
}
