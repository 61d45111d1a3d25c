package plots

import (
	"fmt"

	"github.com/mcpsim/mcpsim/analysis"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// stack is what becomes of a cancelled call, from the bottom up, and how it is
// drawn.
var stack = []struct {
	result analysis.Result
	look   look
	remark string
	rare   bool // shown only where it comes up
}{
	{analysis.ResultBeforeSent, look{color: faint}, " (benign)", false},
	{analysis.ResultEnded, look{color: pale}, " (benign)", false},
	{analysis.ResultOvertook, look{color: faint, hatch: rising}, " (benign)", true},
	{analysis.ResultSilent, look{color: green}, "", false},
	{analysis.ResultLate, look{color: vermillion, hatch: rising}, "", false},
	{analysis.ResultOther, look{color: black, hatch: crossed}, "", false},
}

// An offsets is what became of the cancelled calls of one arm at one version,
// by when in the call's undisturbed life they were cancelled.
type offsets struct {
	n     int64
	bins  []offsetBin
	total []int64 // one for each of stack
}

// An offsetBin is the calls cancelled in one twentieth of their life.
type offsetBin struct {
	n      int64
	shares []float64 // one for each of stack; they add up to 1, or to 0 in an empty bin
}

func offsetsOf(g analysis.Group) offsets {
	o := offsets{total: make([]int64, len(stack))}
	for _, results := range g.OffsetBins {
		b := offsetBin{shares: make([]float64, len(stack))}
		for i, s := range stack {
			n := int64(results[s.result])
			b.n, o.total[i] = b.n+n, o.total[i]+n
		}
		for i, s := range stack {
			b.shares[i] = ratio(int64(results[s.result]), b.n)
		}
		o.n, o.bins = o.n+b.n, append(o.bins, b)
	}
	return o
}

// of is how many calls had a result.
func (o offsets) of(r analysis.Result) int64 {
	for i, s := range stack {
		if s.result == r {
			return o.total[i]
		}
	}
	return 0
}

func offsetFigure(versions []arms) figure {
	f := figure{
		title: "Results by cancel offset: no worlds of the target were run",
		note: "A column is a twentieth of the life that the call would have had without the cancel; the last holds all cancels beyond. Dashed: where the call would have ended. " +
			"“Ended before” is the benign race, which either side may win.",
	}
	if len(versions) > 0 {
		f.title = "Cancelled calls by the cancel's offset · answered late: " +
			each(versions, func(v arms) string { o := offsetsOf(v.target); return nOfM(o.of(analysis.ResultLate), o.n) })
	}
	for _, v := range versions {
		f.panels = append(f.panels, offsetPanel(v))
	}
	return f
}

func offsetPanel(v arms) panel {
	o := offsetsOf(v.target)
	if o.n == 0 {
		return wordsOnly(v.target.SpecVersion, "No call was cancelled.")
	}
	return panel{
		heading: fmt.Sprintf("%s · answered late: %s · silent: %s", v.target.SpecVersion,
			nOfM(o.of(analysis.ResultLate), o.n), nOfM(o.of(analysis.ResultSilent), o.n)),
		above: 26, tall: 140, below: 32,
		key:  offsetKey(v, o),
		draw: func(f frame) { drawOffsets(f, o) },
	}
}

// offsetKey is in the order of the stack, top first.
func offsetKey(v arms, o offsets) []entry {
	var key []entry
	for i := len(stack) - 1; i >= 0; i-- {
		if stack[i].rare && o.total[i] == 0 {
			continue
		}
		key = append(key, entry{stack[i].look, surfaceMark, v.say(string(stack[i].result)) + stack[i].remark + ": " + nOfM(o.total[i], o.n)})
	}
	return key
}

func drawOffsets(f frame, o offsets) {
	f.shareTicks()
	column := 1 / float64(len(o.bins))
	most := int64(1)
	for _, b := range o.bins {
		most = max(most, b.n)
	}
	for i, b := range o.bins {
		left, right := f.x(float64(i)*column)+0.8, f.x(float64(i+1)*column)-0.8
		f.stackUp(left, right, b)
		f.countAbove(left, right, b.n, most)
	}
	f.offsetTicks(column)
	f.border()
	f.axisLabels("when the call was cancelled, in % of its undisturbed life", 17, "share of cancelled calls")
}

// stackUp draws one column.
func (f frame) stackUp(left, right vg.Length, b offsetBin) {
	y := 0.0
	for i, s := range stack {
		if s.rare && b.shares[i] == 0 {
			continue
		}
		f.rect(s.look, vg.Rectangle{Min: vg.Point{X: left, Y: f.y(y)}, Max: vg.Point{X: right, Y: f.y(y + b.shares[i])}})
		y += b.shares[i]
	}
}

// countAbove draws how many calls a column stands for.
func (f frame) countAbove(left, right vg.Length, n, most int64) {
	base := f.Max.Y + 4
	f.rect(look{color: pale}, vg.Rectangle{
		Min: vg.Point{X: left, Y: base}, Max: vg.Point{X: right, Y: base + 12*vg.Length(ratio(n, most))},
	})
	face := typeface{size: sizeTiny, color: black, x: text.XCenter}
	f.text((left+right)/2, base+1+12*vg.Length(ratio(n, most)), face, compact(n))
}

func (f frame) offsetTicks(column float64) {
	for share := 0; share <= 100; share += 25 {
		f.xTick(f.x(float64(share)/5*column), fmt.Sprintf("%d %%", share))
	}
	face := tickFace
	face.x, face.y = text.XRight, text.YCenter
	f.text(f.Min.X-5, f.Max.Y+9, face, "n")
	f.below(f.x(1-column/2), 4, tied("≥ 120 %"))
	x := f.x(20 * column)
	f.line(look{color: black, width: 1, dash: []vg.Length{3, 2}}, vg.Point{X: x, Y: f.Min.Y}, vg.Point{X: x, Y: f.Max.Y})
}
