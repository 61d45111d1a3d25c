package plots

import (
	"fmt"
	"math"
	"strconv"

	"github.com/mcpsim/mcpsim/analysis"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// A leaked is the goroutines above the baseline of one arm at one version,
// along the stages of a world.
type leaked struct {
	worlds, leaky int64
	left, cancels int64 // goroutines left after close, and cancels sent, all worlds together
	median, most  []reading
	ends          [analysis.Stages]int64 // median virtual time of each stage's end, ns; -1: no world got there
}

// A reading is a number of goroutines over a stretch of the stages: 0 is the
// start of the world, 1.5 the middle of the second stage.
type reading struct {
	from, to float64
	n        int64
}

func leakedOf(g analysis.Group) leaked {
	l := leaked{worlds: int64(g.Worlds), leaky: int64(g.LeakyWorlds), left: int64(g.Leaked), cancels: int64(g.Sent)}
	for stage, bins := range g.Goroutines {
		l.ends[stage] = -1
		if ends := g.StageEnds[stage]; ends.N() > 0 {
			l.ends[stage] = ends.Quantile(0.5)
		}
		for i, d := range bins {
			if d.N() == 0 {
				continue
			}
			from := float64(stage) + float64(i)/analysis.StageBins
			to := float64(stage) + float64(i+1)/analysis.StageBins
			l.median = append(l.median, reading{from, to, d.Quantile(0.5)})
			l.most = append(l.most, reading{from, to, d.Max()})
		}
	}
	return l
}

// verdict is "none in any of 1,000 worlds" or "1,950 in 998 of 1,000 worlds,
// 0.67 per cancel".
func (l leaked) verdict() string {
	if l.left == 0 {
		return tied("none in any of " + worlds(int(l.worlds)))
	}
	words := tied(comma(l.left) + " in " + comma(l.leaky) + " of " + worlds(int(l.worlds)))
	if l.cancels == 0 {
		return words
	}
	return words + ", " + perCancel(ratio(l.left, l.cancels))
}

func leakedFigure(versions []arms) figure {
	f := figure{
		title: "Leaked goroutines: no worlds of the target were run",
		note: "Goroutines above those before the pair was made. Worlds last differently long: each stage is drawn with one width, " +
			"the times are medians of its end.",
	}
	if len(versions) > 0 {
		left := int64(0)
		for _, v := range versions {
			left += int64(v.target.Leaked)
		}
		f.title = "No leaked goroutines · left after close: "
		if left > 0 {
			f.title = "Leaked goroutines · left after close: "
		}
		f.title += each(versions, func(v arms) string { return leakedOf(v.target).verdict() })
	}
	for _, v := range versions {
		f.panels = append(f.panels, leakedPanel(v))
	}
	return f
}

func leakedPanel(v arms) panel {
	l := leakedOf(v.target)
	heading := fmt.Sprintf(v.say("%s · left after close: %s (%s cancels sent)"), v.target.SpecVersion, l.verdict(), comma(l.cancels))
	if len(l.median) == 0 {
		return wordsOnly(heading, "No goroutines were sampled.")
	}
	return panel{
		heading: heading,
		above:   12, tall: 140, below: 32,
		key:  leakedKey(v, l),
		draw: func(f frame) { drawLeaked(f, v, l) },
	}
}

func leakedKey(v arms, l leaked) []entry {
	return []entry{
		{toldLook, bandMark, "target: the thick line is the median over " + worlds(int(l.worlds)) + ", the thin one the maximum"},
		againstLeaked(v.reference, referenceLook, "reference, same seeds"),
		againstLeaked(v.leaky, controlLook, "control, a mutant that leaks one per cancel"),
	}
}

func againstLeaked(g *analysis.Group, l look, name string) entry {
	if g == nil {
		return entry{l, strokeMark, name + ": not run"}
	}
	return entry{l, strokeMark, name + ": " + leakedOf(*g).verdict()}
}

// stages are the widths of the stages, as shares of the axis, and what ends them.
var stages = [analysis.Stages]struct {
	width float64
	until string
}{{0.4, "last cancel"}, {0.25, "quiet"}, {0.15, "closed"}, {0.2, "end"}}

// alongStages is the share of the axis at a place along the stages.
func alongStages(place float64) float64 {
	share := 0.0
	for i, s := range stages {
		share += s.width * min(max(place-float64(i), 0), 1)
	}
	return share
}

func drawLeaked(f frame, v arms, l leaked) {
	others := []struct {
		group *analysis.Group
		look  look
		name  string
	}{{v.reference, referenceLook, "reference"}, {v.leaky, controlLook, "control"}}
	top := peak(l)
	for _, o := range others {
		if o.group != nil {
			top = max(top, peak(leakedOf(*o.group)))
		}
	}
	f.levelTicks(top)
	f.stageTicks(l)
	median, most := f.levels(l.median, top), f.levels(l.most, top)
	f.between(look{color: paleSky}, l, top)
	var lines []named
	for _, o := range others {
		if o.group == nil {
			continue
		}
		other := leakedOf(*o.group)
		thin := o.look
		thin.width *= 0.5
		lines = append(lines, f.levels(other.most, top).named("", thin)...)
		lines = append(lines, f.levels(other.median, top).named(o.name, o.look)...)
	}
	thin := toldLook
	thin.width = 0.8
	lines = append(lines, most.named("maximum", thin)...)
	lines = append(lines, median.named("median", toldLook)...)
	for _, n := range lines {
		f.line(n.look, n.line...)
	}
	f.border()
	for i := range stages { // no name may cross a boundary
		x := alongStages(float64(i + 1))
		lines = append(lines, named{line: []vg.Point{f.at(x, 0), f.at(x, 1)}})
	}
	f.nameLines(lines)
	f.axisLabels("time since the start of the world (at each boundary the median over worlds)", 17, "goroutines above baseline")
}

// peak is the highest level.
func peak(l leaked) int64 {
	top := int64(0)
	for _, m := range l.most {
		top = max(top, m.n)
	}
	return top
}

// levelTicks is the y axis from 0 to a whole number at or above top.
func (f frame) levelTicks(top int64) {
	for n := int64(0); n <= levelTop(top); n += levelStep(top) {
		f.yTick(float64(n)/float64(levelTop(top)), strconv.FormatInt(n, 10))
	}
}

// levelStep is 1, 2 or 5 times a power of ten, so that there are at most six.
func levelStep(top int64) int64 {
	size := int64(1)
	for {
		for _, m := range []int64{1, 2, 5} {
			if top <= 5*m*size {
				return m * size
			}
		}
		size *= 10
	}
}

func levelTop(top int64) int64 {
	step := levelStep(top)
	return max((top+step-1)/step, 1) * step
}

// stageTicks marks the boundaries of the stages.
func (f frame) stageTicks(l leaked) {
	f.below(f.Min.X, 4, "0 s")
	for i, s := range stages {
		x := f.x(alongStages(float64(i + 1)))
		f.line(look{color: grey, width: 0.8}, vg.Point{X: x, Y: f.Min.Y - 3}, vg.Point{X: x, Y: f.Max.Y + 2})
		face := tickFace
		face.x, face.bold = text.XCenter, true
		f.text(x, f.Max.Y+3, face, s.until)
		if l.ends[i] >= 0 {
			f.below(x, 4, duration(l.ends[i]))
		}
	}
}

// runs are lines of steps, one for each stretch without a gap.
type runs [][]vg.Point

// levels turns levels into lines.
func (f frame) levels(levels []reading, top int64) runs {
	var out runs
	end := math.Inf(-1)
	for _, l := range levels {
		y := f.y(float64(l.n) / float64(levelTop(top)))
		if math.Abs(l.from-end) > 1e-9 {
			out = append(out, nil)
		}
		last := &out[len(out)-1]
		*last = append(*last, vg.Point{X: f.x(alongStages(l.from)), Y: y}, vg.Point{X: f.x(alongStages(l.to)), Y: y})
		end = l.to
	}
	return out
}

// named gives the longest run the name.
func (r runs) named(name string, l look) []named {
	var out []named
	longest := 0
	for i, line := range r {
		out = append(out, named{look: l, line: line})
		if len(line) > len(r[longest]) {
			longest = i
		}
	}
	if len(out) > 0 {
		out[longest].name = name
	}
	return out
}

// between fills the surface between the median and the maximum.
func (f frame) between(l look, levels leaked, top int64) {
	high, low := f.levels(levels.most, top), f.levels(levels.median, top)
	for i, line := range high {
		surface := append([]vg.Point{}, line...)
		for j := len(low[i]) - 1; j >= 0; j-- {
			surface = append(surface, low[i][j])
		}
		f.FillPolygon(l.color, surface)
	}
}
