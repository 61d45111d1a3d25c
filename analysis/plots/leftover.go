package plots

import (
	"cmp"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"github.com/mcpsim/mcpsim/analysis"
)

// A leftover is one kind of thing that HTTP can leave behind, of one arm at one version.
type leftover struct {
	name  string // what there is too much of, and on which side
	n, of int64  // left, of those that there were
	none  string // why there is nothing to count; empty: there is
}

// leftovers are the rows of a panel, the same for every arm.
func leftovers(g *analysis.Group) []leftover {
	var r analysis.Remains
	if g != nil && g.Remains != nil {
		r = *g.Remains
	}
	rows := []leftover{
		{name: "server: sessions alive", n: int64(r.Alive), of: int64(r.Closed)},
		{name: "server: exchanges open", n: int64(r.Open), of: int64(r.Exchanges)},
		{name: "client: exchanges open", n: int64(r.Waiting), of: int64(r.Asked)},
	}
	if g != nil && analysis.WithoutSessions(g.SpecVersion) {
		rows[0].of = max(rows[0].n, 0)
		if rows[0].n == 0 {
			rows[0].none = "this version has no sessions"
		}
	}
	for i := range rows {
		if rows[i].of == 0 {
			rows[i].none = cmp.Or(rows[i].none, "not counted")
		}
	}
	return rows
}

// number is what stands behind a row's bar.
func (l leftover) number() string {
	switch {
	case l.none != "":
		return l.none
	case l.n == 0:
		return nOfM(0, l.of)
	}
	return nOfM(l.n, l.of) + "  (" + percent(ratio(l.n, l.of)) + ")"
}

// leftVerdict is "none" or "800 of 800 sessions and 3 of 9,001 exchanges" of an arm.
func leftVerdict(g *analysis.Group) string {
	rows := leftovers(g)
	var parts []string
	for i, what := range []string{"sessions", "exchanges of the server", "exchanges of the client"} {
		if rows[i].n > 0 {
			parts = append(parts, tied(nOfM(rows[i].n, rows[i].of)+" "+what))
		}
	}
	if len(parts) > 0 {
		return strings.Join(parts, " and ")
	}
	if rows[0].none == "" {
		return tied("none of " + comma(rows[0].of) + " sessions and " + comma(rows[1].of) + " exchanges")
	}
	return tied("none of " + comma(rows[1].of) + " exchanges")
}

// counted reports whether anybody counted what was left, which is so over HTTP alone.
func counted(versions []arms) bool {
	for _, v := range versions {
		if v.target.Remains != nil {
			return true
		}
	}
	return false
}

func leftFigure(versions []arms) figure {
	f := figure{
		note: "Counted when all clients had closed and the world had been left alone, before the server was told to stop. Sessions are by the " +
			"server's own account. An exchange is open at the server while its handler has not returned, and at the client while that has " +
			"neither read its response to the end nor given it up: nobody is there any more to do either. Those that never reached the server are the client's alone.",
	}
	left := int64(0)
	for _, v := range versions {
		for _, row := range leftovers(&v.target) {
			left += row.n
		}
	}
	f.title = "Nothing left over HTTP after close · left: "
	if left > 0 {
		f.title = "Left over HTTP after close: "
	}
	f.title += each(versions, func(v arms) string { return leftVerdict(&v.target) })
	for _, v := range versions {
		f.panels = append(f.panels, leftPanel(v))
	}
	return f
}

// The rows of a panel: the target's bar, and below it the reference's.
const (
	leftRow   = vg.Length(28)
	leftNames = vg.Length(112) // room for the rows' names
	leftRoom  = 0.66           // share of the plot's width for bars; the rest is for the number behind the longest
)

func leftPanel(v arms) panel {
	if v.target.Remains == nil {
		return wordsOnly(v.target.SpecVersion, "Nobody counted what was left.")
	}
	rows := leftovers(&v.target)
	return panel{
		heading: v.target.SpecVersion + " · left after close: " + leftVerdict(&v.target) + " (" + worlds(v.target.Remains.Worlds) + ")",
		left:    leftNames, tall: leftRow * vg.Length(len(rows)), below: 32,
		key: []entry{
			{look{color: vermillion}, surfaceMark, "target: left in " + nOfM(int64(v.target.Remains.Leaky), int64(v.target.Remains.Worlds)) + nbsp + "worlds"},
			againstLeft(v.reference),
			{word: "control: none is run. The mutants keeps-sessions and keeps-exchanges, as the server, have bars"},
		},
		draw: func(f frame) { drawLeft(f, rows, v.reference) },
	}
}

func againstLeft(g *analysis.Group) entry {
	look, name := look{color: grey}, "reference, same seeds: "
	if g == nil || g.Remains == nil {
		return entry{look, surfaceMark, name + "not run"}
	}
	return entry{look, surfaceMark, name + strings.ReplaceAll(leftVerdict(g), nbsp, " ")}
}

func drawLeft(f frame, rows []leftover, reference *analysis.Group) {
	for i := range 5 {
		x := f.x(leftRoom * float64(i) / 4)
		f.line(gridLook, vg.Point{X: x, Y: f.Min.Y}, vg.Point{X: x, Y: f.Max.Y})
		f.xTick(x, percent(float64(i)/4))
	}
	strict := leftovers(reference)
	for i, row := range rows {
		top := f.Max.Y - leftRow*vg.Length(i)
		face := tickFace
		face.x, face.y = text.XRight, text.YCenter
		f.text(f.Min.X-5, top-barDown-barTall/2, face, row.name)
		f.leftBar(row, look{color: vermillion}, top-barDown)
		if reference != nil && reference.Remains != nil && strict[i].none == "" {
			f.leftMark(strict[i], top-markDown)
		}
	}
	f.border()
	f.below(f.x(leftRoom/2), 17, "share of those that there were")
}

// leftBar draws the target's share, a hair wide where it is nothing, and its number.
func (f frame) leftBar(row leftover, l look, y vg.Length) {
	end := f.x(leftRoom * ratio(row.n, row.of))
	if row.n > 0 {
		end = max(end, f.Min.X+2.5) // few of many are seen, too
		bar := vg.Rectangle{Min: vg.Point{X: f.Min.X, Y: y - barTall}, Max: vg.Point{X: end, Y: y}}
		f.rect(l, bar)
		f.outline(look{color: dark, width: 0.5}, bar)
	}
	face := tickFace
	face.y = text.YCenter
	f.text(end+4, y-barTall/2, face, row.number())
}

// leftMark draws the reference's share, a tick where it is nothing.
func (f frame) leftMark(row leftover, y vg.Length) {
	end := max(f.x(leftRoom*ratio(row.n, row.of)), f.Min.X+2.5)
	f.rect(look{color: grey}, vg.Rectangle{Min: vg.Point{X: f.Min.X, Y: y - markTall}, Max: vg.Point{X: end, Y: y}})
}
