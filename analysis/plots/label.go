package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// A named is a line on a plot with the name to write beside it.
type named struct {
	name    string
	look    look
	line    []vg.Point
	surface bool // the line bounds a surface below it, where the name belongs
}

// A spot is where a name may stand: its box, and whether it is read upwards.
type spot struct {
	box vg.Rectangle
	up  bool
}

// nameLines writes each line's name beside it, where it keeps clear of all
// lines and of the other names. A name that fits nowhere is left to the key.
func (f frame) nameLines(lines []named) {
	var taken []vg.Rectangle
	for i, n := range lines {
		if n.name == "" {
			continue
		}
		best, found := f.roomFor(i, lines, taken)
		if !found {
			continue
		}
		taken = append(taken, best.box)
		face := typeface{size: sizeText, bold: true, color: n.look.ink()}
		if best.up {
			face.turn = math.Pi / 2
			f.text(best.box.Max.X-1.5, best.box.Min.Y, face, n.name)
			continue
		}
		f.text(best.box.Min.X, best.box.Min.Y+1.5, face, n.name)
	}
}

// roomFor looks along a line for the spot beside it that is farthest from
// everything else: below a line with a surface, else anywhere, else turned.
func (f frame) roomFor(own int, lines []named, taken []vg.Rectangle) (spot, bool) {
	n := lines[own]
	w := f.widthOf(n.name, typeface{size: sizeText, bold: true})
	choices := []func(vg.Point) []spot{
		func(p vg.Point) []spot { return beside(p, w, sizeText+1) },
		func(p vg.Point) []spot { return turned(p, w, sizeText+1) },
	}
	if n.surface {
		choices = append([]func(vg.Point) []spot{func(p vg.Point) []spot { return inside(n.line, p, w, sizeText+1) }}, choices...)
	}
	for _, choice := range choices {
		best, bestScore := spot{}, vg.Length(0)
		for _, p := range along(n.line, 5) {
			if !alone(p, own, lines) {
				continue
			}
			for _, s := range choice(p) {
				if score := f.score(s.box, own, lines, taken); score > bestScore {
					best, bestScore = s, score
				}
			}
		}
		if bestScore > 0 {
			return best, true
		}
	}
	return spot{}, false
}

// inside are the spots around a point that are below the line.
func inside(line []vg.Point, p vg.Point, w, h vg.Length) []spot {
	return slices.DeleteFunc(beside(p, w, h), func(s spot) bool { return !covers(line, s.box) })
}

// covers says whether a box is below a line of steps.
func covers(line []vg.Point, box vg.Rectangle) bool {
	spanned := false
	for i := 1; i < len(line); i++ {
		part := around(line[i-1], line[i])
		if part.Max.X < box.Min.X || part.Min.X > box.Max.X {
			continue
		}
		if part.Min.Y < box.Max.Y {
			return false
		}
		spanned = true
	}
	return spanned
}

// alone says whether a point of a line can be seen, and not be taken for
// another line's: no line drawn later hides it, no other has its colour there.
func alone(p vg.Point, own int, lines []named) bool {
	for i, n := range lines {
		for j := 1; j < len(n.line); j++ {
			confuses := n.name != "" && (i > own || i != own && n.look.color == lines[own].look.color)
			if confuses && gap(vg.Rectangle{Min: p, Max: p}, around(n.line[j-1], n.line[j])) < 3 {
				return false
			}
		}
	}
	return true
}

// around is the smallest rectangle with both points.
func around(a, b vg.Point) vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: min(a.X, b.X), Y: min(a.Y, b.Y)},
		Max: vg.Point{X: max(a.X, b.X), Y: max(a.Y, b.Y)},
	}
}

// beside are the spots around a point, those above it first.
func beside(p vg.Point, w, h vg.Length) []spot {
	return []spot{
		{box: box(p.X+4, p.Y+3, w, h)}, {box: box(p.X-w-4, p.Y+3, w, h)},
		{box: box(p.X-w-4, p.Y-h-3, w, h)}, {box: box(p.X+4, p.Y-h-3, w, h)},
	}
}

// turned are the spots left and right of a point for a name that is read
// upwards.
func turned(p vg.Point, w, h vg.Length) []spot {
	return []spot{{box: box(p.X+3, p.Y, h, w), up: true}, {box: box(p.X-h-3, p.Y, h, w), up: true}}
}

func box(x, y, w, h vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + w, Y: y + h}}
}

// score is how far a box is from the other lines and names, up to a distance
// that is as good as any; 0 where it may not be.
func (f frame) score(at vg.Rectangle, own int, lines []named, taken []vg.Rectangle) vg.Length {
	const enough, inner = vg.Length(24), vg.Length(2)
	if at.Min.X < f.Min.X+inner || at.Max.X > f.Max.X-inner || at.Min.Y < f.Min.Y+inner || at.Max.Y > f.Max.Y {
		return 0
	}
	score := min(enough, at.Min.Y-f.Min.Y)
	for _, t := range taken {
		score = min(score, gap(at, t))
	}
	for i, n := range lines {
		for j := 1; j < len(n.line) && score >= inner; j++ {
			d := gap(at, around(n.line[j-1], n.line[j]))
			if i != own || d < inner {
				score = min(score, d)
			}
		}
	}
	if score < inner {
		return 0
	}
	return score
}

// gap is the distance between two rectangles, 0 when they touch. A line of
// steps is made of rectangles without a surface.
func gap(a, b vg.Rectangle) vg.Length {
	dx := max(0, b.Min.X-a.Max.X, a.Min.X-b.Max.X)
	dy := max(0, b.Min.Y-a.Max.Y, a.Min.Y-b.Max.Y)
	return vg.Length(math.Hypot(float64(dx), float64(dy)))
}

// along lists points on a line, every so many points of length.
func along(line []vg.Point, every vg.Length) []vg.Point {
	var out []vg.Point
	rest := vg.Length(0)
	for i := 1; i < len(line); i++ {
		from, to := line[i-1], line[i]
		length := vg.Length(math.Hypot(float64(to.X-from.X), float64(to.Y-from.Y)))
		for ; rest < length; rest += every {
			share := rest / length
			out = append(out, vg.Point{X: from.X + share*(to.X-from.X), Y: from.Y + share*(to.Y-from.Y)})
		}
		rest -= length
	}
	return out
}
