package plots

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// A lateBucket is a class of lateness.
type lateBucket struct {
	name  string
	below time.Duration // where the next class begins; 0: never
}

// lateBuckets are the classes in ascending order.
var lateBuckets = []lateBucket{
	{"same instant", 1},
	{"< 1 ms", time.Millisecond},
	{"1–10 ms", 10 * time.Millisecond},
	{"10–100 ms", 100 * time.Millisecond},
	{"0.1–1 s", time.Second},
	{"≥ 1 s", 0},
}

// A late is the late responses of one arm at one version.
type late struct {
	exercised int64      // cancels read while the call was queued or running
	n         int64      // of those, answered late
	ranOn     int64      // answered because the tool ran on although told; not counted as late
	kinds     []lateKind // in order of name
}

// A lateKind is the late responses of one kind of handler.
type lateKind struct {
	kind      string
	exercised int64
	buckets   []int64 // one for each of lateBuckets
}

func (k lateKind) n() int64 {
	var n int64
	for _, b := range k.buckets {
		n += b
	}
	return n
}

func lateOf(g analysis.Group) late {
	exercised := map[string]int64{}
	l := late{}
	for _, o := range g.Outcomes {
		running := o.Phase == oracle.Queued || o.Phase == oracle.Running
		if running || o.Late {
			exercised[o.Handler] += int64(o.N)
			l.exercised += int64(o.N)
		}
		if running && !o.Late && (o.Wire == oracle.Answered || o.Wire == oracle.AnsweredTwice) {
			l.ranOn += int64(o.N)
		}
	}
	for kind := range g.Lateness {
		exercised[kind] += 0 // a kind with late responses is listed in any case
	}
	for _, kind := range slices.Sorted(maps.Keys(exercised)) {
		k := lateKind{kind: kind, exercised: exercised[kind], buckets: byLateness(g.Lateness[kind])}
		l.kinds, l.n = append(l.kinds, k), l.n+k.n()
	}
	l.exercised = max(l.exercised, l.n)
	return l
}

// byLateness sorts a distribution into lateBuckets.
func byLateness(d analysis.Distribution) []int64 {
	out := make([]int64, len(lateBuckets))
	for _, b := range buckets(d) {
		i := slices.IndexFunc(lateBuckets, func(l lateBucket) bool {
			return l.below == 0 || b.Value < int64(l.below)
		})
		out[i] += b.N
	}
	return out
}

// bucket is how many were late by so much, all kinds together.
func (l late) bucket(i int) int64 {
	var n int64
	for _, k := range l.kinds {
		n += k.buckets[i]
	}
	return n
}

func (l late) verdict() string { return nOfM(l.n, l.exercised) }

func lateFigure(versions []arms) figure {
	f := figure{
		title: "Late responses: no worlds of the target were run",
		note: "Same instant: the cancel was read, the handler told and the call answered without any time passing. " +
			"The recorded order of these steps convicts, not a clock. Bars are shares of each arm's own cancels, so that arms of different size compare.",
	}
	if len(versions) > 0 {
		f.title = "Late responses to cancels read while the call was running: " +
			each(versions, func(v arms) string { return lateOf(v.target).verdict() })
	}
	looks, top := byHandler(kindsOf(versions)), shareTop(versions)
	for _, v := range versions {
		f.panels = append(f.panels, latePanel(v, looks, top))
	}
	return f
}

// kindsOf lists the kinds of handlers of all versions.
func kindsOf(versions []arms) []string {
	kinds := map[string]bool{}
	for _, v := range versions {
		for _, k := range lateOf(v.target).kinds {
			kinds[k.kind] = true
		}
	}
	return slices.Sorted(maps.Keys(kinds))
}

func latePanel(v arms, looks map[string]look, top float64) panel {
	l := lateOf(v.target)
	if l.exercised+l.n == 0 {
		return wordsOnly(v.target.SpecVersion, v.say("No cancel was read while a call was running."))
	}
	return panel{
		heading: fmt.Sprintf(v.say("%s · answered late, after the cancel was read: %s"), v.target.SpecVersion, l.verdict()),
		left:    82,
		tall:    vg.Length(len(lateBuckets)) * 28, below: 32,
		key:  lateKey(v, l, looks),
		draw: func(f frame) { drawLate(f, v, l, lateScale{looks, top}) },
	}
}

func lateKey(v arms, l late, looks map[string]look) []entry {
	var key []entry
	for _, k := range l.kinds {
		key = append(key, entry{looks[k.kind], surfaceMark, k.kind + ": " + nOfM(k.n(), k.exercised)})
	}
	key = append(key,
		againstLate(v.reference, look{color: grey}, surfaceMark, "reference, same seeds"),
		againstLate(v.deaf, controlLook, hollowMark, "control, a mutant that ignores cancels"))
	if l.ranOn > 0 {
		key = append(key, entry{word: "not counted: " + comma(l.ranOn) + " answered by tools that ran on although told"})
	}
	return key
}

func againstLate(g *analysis.Group, l look, m mark, name string) entry {
	if g == nil {
		return entry{l, m, name + ": not run"}
	}
	return entry{l, m, name + ": " + lateOf(*g).verdict()}
}

// shareTop is where the axis of shares ends: the first round share that holds
// the longest bar of the figure.
func shareTop(versions []arms) float64 {
	longest := 0.0
	for _, v := range versions {
		for _, g := range []*analysis.Group{&v.target, v.reference, v.deaf} {
			for i := range lateBuckets {
				l := lateOrNone(g)
				longest = max(longest, ratio(l.bucket(i), l.exercised))
			}
		}
	}
	for _, top := range []float64{0.1, 0.2, 0.4, 0.6, 0.8} {
		if longest <= top {
			return top
		}
	}
	return 1
}

func lateOrNone(g *analysis.Group) late {
	if g == nil {
		return late{}
	}
	return lateOf(*g)
}

// A lateScale is what the panels of a figure have in common.
type lateScale struct {
	looks map[string]look
	top   float64 // share at the end of the axis
}

// A row is one class of lateness: the target's bar, and below it the marks of
// the reference and the control.
const (
	barDown, barTall   = vg.Length(4), vg.Length(11)
	markDown, markTall = vg.Length(18), vg.Length(5.5)
	// barRoom is the share of the plot's width for bars; the rest is for the
	// number behind the longest.
	barRoom = 0.84
)

func drawLate(f frame, v arms, l late, s lateScale) {
	for i := range 5 {
		x := f.x(barRoom * float64(i) / 4)
		f.line(gridLook, vg.Point{X: x, Y: f.Min.Y}, vg.Point{X: x, Y: f.Max.Y})
		f.xTick(x, tied(fmt.Sprintf("%.3g %%", s.top*25*float64(i))))
	}
	row := (f.Max.Y - f.Min.Y) / vg.Length(len(lateBuckets))
	for i, b := range lateBuckets {
		y := f.Max.Y - row*vg.Length(i)
		face := tickFace
		face.x, face.y = text.XRight, text.YCenter
		f.text(f.Min.X-5, y-barDown-barTall/2, face, b.name)
		f.lateBar(i, y-barDown, l, s)
		f.lateMarks(i, y-markDown, v, s)
	}
	f.border()
	f.axisLabels(v.say("share of the cancels that were read while the call was running"), 17, "lateness of the response")
}

// lateBar draws one class, stacked by kind of handler, with its number behind.
func (f frame) lateBar(bucket int, y vg.Length, l late, s lateScale) {
	x := 0.0
	for _, k := range l.kinds {
		w := ratio(k.buckets[bucket], l.exercised) / s.top * barRoom
		f.rect(s.looks[k.kind], vg.Rectangle{Min: vg.Point{X: f.x(x), Y: y - barTall}, Max: vg.Point{X: f.x(x + w), Y: y}})
		x += w
	}
	if x > 0 {
		f.outline(look{color: dark, width: 0.5}, vg.Rectangle{Min: vg.Point{X: f.x(0), Y: y - barTall}, Max: vg.Point{X: f.x(x), Y: y}})
	}
	face := tickFace
	face.y = text.YCenter
	f.text(f.x(x)+4, y-barTall/2, face, lateNumber(l.bucket(bucket), l.exercised))
}

func lateNumber(n, of int64) string {
	if n == 0 {
		return "0"
	}
	return comma(n) + "  (" + percent(ratio(n, of)) + ")"
}

// lateMarks draws the other arms: a grey bar for the reference, which is a tick
// where it has none, and a dashed outline for the control.
func (f frame) lateMarks(bucket int, y vg.Length, v arms, s lateScale) {
	mark := func(l late) vg.Rectangle {
		end := f.x(ratio(l.bucket(bucket), l.exercised) / s.top * barRoom)
		return vg.Rectangle{Min: vg.Point{X: f.Min.X, Y: y - markTall}, Max: vg.Point{X: max(end, f.Min.X+2.5), Y: y}}
	}
	if control := lateOrNone(v.deaf); control.bucket(bucket) > 0 {
		f.outline(controlLook, mark(control))
	}
	if reference := lateOrNone(v.reference); reference.exercised > 0 {
		f.rect(look{color: grey}, mark(reference))
	}
}
