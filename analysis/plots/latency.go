package plots

import (
	"fmt"

	"github.com/mcpsim/mcpsim/analysis"
	"gonum.org/v1/plot/vg"
)

// A latency is one of the times that a cancel takes, from one source: the
// injected network, the SDK or the tools.
type latency struct {
	name  string // "cancel sent → read"
	whose string
	curve curve
	p50   int64 // ns
	p99   int64
	most  int64
	zeros int64 // how many took no time
}

// latenciesOf lists the four latencies of an arm.
func latenciesOf(g analysis.Group) []latency {
	return []latency{
		latencyOf("sent → read", "the injected network's", g.SentToRead),
		latencyOf("read → told", "the SDK's; CPU not counted in virtual time", g.ReadToTold),
		latencyOf("told → ended", "the tools' own", g.ToldToEnd),
		latencyOf("cancel → caller's return", "the client SDK's", g.CancelToReturn),
	}
}

func latencyOf(name, whose string, d analysis.Distribution) latency {
	l := latency{name: name, whose: whose, curve: ecdf(buckets(d)), p50: d.Quantile(0.5), p99: d.Quantile(0.99), most: d.Max()}
	for _, b := range buckets(d) {
		if b.Value == 0 {
			l.zeros += b.N
		}
	}
	return l
}

// words is the entry of the key.
func (l latency) words() string {
	head := l.name + " (" + l.whose + "): "
	switch {
	case l.curve.n == 0:
		return head + "none"
	case l.zeros == l.curve.n:
		return head + "0" + nbsp + "s in all, " + tied("n = "+comma(l.curve.n))
	}
	return head + fmt.Sprintf("p50\u00a0%s, p99\u00a0%s, max\u00a0%s, n\u00a0=\u00a0%s", duration(l.p50), duration(l.p99), duration(l.most), comma(l.curve.n))
}

// latencyLooks are in the order of latenciesOf.
var latencyLooks = []look{
	{color: orange, width: 1.8},
	{color: vermillion, width: 2.4, dash: []vg.Length{7, 2.5}},
	{color: blue, width: 1.6},
	{color: black, width: 1.6, dash: []vg.Length{2, 2}},
}

func latencyFigure(versions []arms) figure {
	f := figure{
		title: "Cancel latency: no worlds of the target were run",
		note: "Each curve is the share of cancels that took at most so long, and ends with a dot at the slowest. " +
			"The three sources are never added up: the network's delay is injected by the scenario, the time to end is the tools' own.",
	}
	if len(versions) > 0 {
		f.title = latencyTitle(versions)
	}
	lo, hi := span(latencyCurves(versions)...)
	for _, v := range versions {
		f.panels = append(f.panels, latencyPanel(v, lo, hi))
	}
	return f
}

func latencyTitle(versions []arms) string {
	told := int64(0)
	for _, v := range versions {
		told += v.target.ReadToTold.N()
	}
	if told == 0 {
		return "Cancel latency: no handler was told of a cancel"
	}
	return "Cancel latency · handlers told in the instant of reading: " + each(versions, toldAtOnce)
}

func toldAtOnce(v arms) string {
	l := latencyOf("", "", v.target.ReadToTold)
	if l.curve.n == 0 {
		return "no handler was told"
	}
	return nOfM(l.zeros, l.curve.n)
}

func latencyPanel(v arms, lo, hi int) panel {
	ls := latenciesOf(v.target)
	for i := range ls {
		ls[i].name = v.say(ls[i].name)
	}
	var key []entry
	drawn := false
	for i, l := range ls {
		key = append(key, entry{latencyLooks[i], strokeMark, l.words()})
		drawn = drawn || l.curve.n > 0
	}
	if !drawn {
		return wordsOnly(v.target.SpecVersion, v.say("No cancel was sent."))
	}
	if n := orphanedOf(v.target).neverTold; n > 0 {
		key = append(key, entry{word: v.say("handlers never told, not in read → told: ") + comma(n)})
	}
	return panel{
		heading: fmt.Sprintf(v.say("%s · told in the instant of reading: %s"), v.target.SpecVersion, toldAtOnce(v)),
		tall:    160, below: 32,
		key:  key,
		draw: func(f frame) { drawLatency(timeAxis{f, lo, hi}, ls) },
	}
}

// latencyCurves are all curves of a figure, which share one axis.
func latencyCurves(versions []arms) []curve {
	var out []curve
	for _, v := range versions {
		for _, l := range latenciesOf(v.target) {
			out = append(out, l.curve)
		}
	}
	return out
}

func drawLatency(axis timeAxis, ls []latency) {
	axis.grid()
	slots := []float64{0.2, 0.4, 0.6, 0.8}
	var lines []named
	for i, l := range ls {
		if l.curve.n > 0 {
			lines = append(lines, named{name: l.name, look: latencyLooks[i], line: axis.points(l.curve, 0, slots[i])})
		}
	}
	axis.draw("time taken (log scale)", "share of cancels")
	for _, n := range lines {
		axis.line(n.look, n.line...)
		axis.dot(n.look, n.line[len(n.line)-1])
	}
	axis.nameLines(lines)
}
