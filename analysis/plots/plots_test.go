package plots

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// cases are summaries of every kind, the odd ones first.
func cases() map[string]*analysis.Summary {
	bare := func(g analysis.Group) *analysis.Summary { return &analysis.Summary{Groups: []analysis.Group{g}} }
	alone := run(60, goLike)
	alone.Groups = alone.Groups[:1]
	unread := run(60, behaviour{unread: 1})
	long := run(60, goLike)
	for i := range long.Groups {
		long.Groups[i].SpecVersion += "-draft-with-a-name-that-is-longer-than-any-that-was-ever-published"
	}
	return map[string]*analysis.Summary{
		"no worlds":         {},
		"no target":         bare(analysis.Group{Arm: analysis.ArmReference, SpecVersion: "2026-07-28", Worlds: 1}),
		"no cancels":        bare(analysis.Group{Arm: analysis.ArmTarget, SpecVersion: "2026-07-28", Worlds: 3, Calls: 12}),
		"no other arms":     alone,
		"nothing read":      unread,
		"one world":         run(1, goLike),
		"go-like":           run(200, goLike),
		"clean":             run(200, strict),
		"deaf":              run(200, deafOne),
		"broken":            run(200, broken),
		"long names":        long,
		"all in an instant": instant(),
		"left over HTTP":    overHTTP(analysis.Remains{Closed: 800, Alive: 800, Exchanges: 7208, Open: 3, Asked: 7214, Waiting: 12, Worlds: 4, Leaky: 4}),
		"clean over HTTP":   overHTTP(analysis.Remains{Closed: 800, Exchanges: 6414, Asked: 6414, Worlds: 4}),
		"not asked":         overHTTP(analysis.Remains{}),
	}
}

// instant is a target whose every time is zero.
func instant() *analysis.Summary {
	s := run(30, goLike)
	for i := range s.Groups {
		g := &s.Groups[i]
		zeros := spread([2]int64{0, 3})
		g.SentToRead, g.ReadToTold, g.ToldToEnd, g.CancelToReturn = zeros, zeros, zeros, zeros
		for work := range g.ReadToEnd {
			g.ReadToEnd[work] = zeros
		}
		for kind := range g.Lateness {
			g.Lateness[kind] = zeros
		}
	}
	return s
}

// overHTTP is a run with that left by the target, and nothing by the reference.
func overHTTP(left analysis.Remains) *analysis.Summary {
	s := run(30, goLike)
	for i := range s.Groups {
		r := analysis.Remains{Closed: 800, Exchanges: 123_456, Asked: 123_456, Worlds: 4}
		if s.Groups[i].Arm == analysis.ArmTarget {
			r = left
		}
		s.Groups[i].Remains = &r
	}
	return s
}

func TestEverySummaryIsDrawn(t *testing.T) {
	for name, s := range cases() {
		t.Run(name, func(t *testing.T) {
			ink := newInk()
			for _, f := range figures(s, info) {
				svg, err := ink.svg(f)
				require.NoError(t, err)
				checkSVG(t, f.name, svg)
			}
		})
	}
}

func checkSVG(t *testing.T, name string, svg []byte) {
	t.Helper()
	assert.Less(t, len(svg), 300_000, name)
	for _, bad := range []string{"NaN", "Inf", "%!"} {
		assert.NotContains(t, string(svg), bad, name)
	}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err, "%s is well-formed", name)
	}
}

func TestPlotsHaveTheirNamesAndBothFormats(t *testing.T) {
	all, err := All(&analysis.Summary{}, info)
	require.NoError(t, err)
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
		checkSVG(t, p.Name, p.SVG)
		img, err := png.DecodeConfig(bytes.NewReader(p.PNG))
		require.NoError(t, err)
		assert.Equal(t, 1800, img.Width, "900 px at twice the density")
	}
	assert.Equal(t, []string{"orphaned-work", "late-responses", "leaked-goroutines", "cancel-latency", "results-by-offset"}, names)
}

// Over HTTP there is one plot more; where nobody counted, there is not.
func TestLeftOverIsDrawnOverHTTP(t *testing.T) {
	names := func(s *analysis.Summary) (out []string) {
		for _, f := range figures(s, info) {
			out = append(out, f.name)
		}
		return out
	}
	assert.NotContains(t, names(run(3, goLike)), LeftOverHTTP)
	assert.Contains(t, names(overHTTP(analysis.Remains{Worlds: 1})), LeftOverHTTP)
}

func TestSameSummarySameBytes(t *testing.T) {
	first, err := All(run(80, broken), info)
	require.NoError(t, err)
	second, err := All(run(80, broken), info)
	require.NoError(t, err)
	assert.Equal(t, first, second)

	written, err := json.Marshal(run(80, broken))
	require.NoError(t, err)
	var read analysis.Summary
	require.NoError(t, json.Unmarshal(written, &read))
	other := figures(run(81, broken), info)
	for i, f := range figures(&read, info) {
		svg, err := newInk().svg(f)
		require.NoError(t, err)
		assert.Equal(t, string(first[i].SVG), string(svg), "%s of a summary that was written and read back", f.name)
		svg, err = newInk().svg(other[i])
		require.NoError(t, err)
		assert.NotEqual(t, string(first[i].SVG), string(svg), "%s of another summary", f.name)
	}
}

// A written is a text on a figure and the box that it fills.
type written struct {
	text string
	box  vg.Rectangle
}

// texts lists what a figure says and where.
func texts(f figure) ([]written, vg.Rectangle) {
	k := newInk()
	var rec recorder.Canvas
	c := &canvas{k, draw.NewCanvas(&rec, width, f.height(k))}
	f.draw(c)
	var out []written
	turn := 0.0
	for _, a := range rec.Actions {
		switch a := a.(type) {
		case *recorder.Rotate:
			turn = a.Angle
		case *recorder.Pop:
			turn = 0
		case *recorder.FillString:
			face := k.handler.Fonts.Lookup(a.Font, a.Size)
			ascent, descent := a.Size*0.72, a.Size*0.2 // of letters, not of the font
			r := vg.Rectangle{Min: vg.Point{X: a.Point.X, Y: a.Point.Y - descent}, Max: vg.Point{X: a.Point.X + face.Width(a.String), Y: a.Point.Y + ascent}}
			if turn != 0 {
				r = vg.Rectangle{Min: vg.Point{X: -r.Max.Y, Y: r.Min.X}, Max: vg.Point{X: -r.Min.Y, Y: r.Max.X}}
			}
			out = append(out, written{a.String, r})
		}
	}
	return out, c.Rectangle
}

func TestNoTextOverlapsOrIsCutOff(t *testing.T) {
	for name, s := range cases() {
		for _, f := range figures(s, info) {
			said, page := texts(f)
			require.NotEmpty(t, said)
			for j, a := range said {
				where := fmt.Sprintf("%s, %s: %q", name, f.name, a.text)
				assert.True(t, a.box.Min.X >= 2 && a.box.Min.Y >= 2 && a.box.Max.X <= page.Max.X-2 && a.box.Max.Y <= page.Max.Y-2, "%s is on the page", where)
				for _, b := range said[:j] {
					assert.False(t, overlap(a.box, b.box), "%s over %q", where, b.text)
				}
			}
		}
	}
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

func TestAnEmptyClassIsSaidInWords(t *testing.T) {
	for _, row := range []struct {
		s      *analysis.Summary
		figure func([]arms) figure
		want   string
	}{
		{run(60, strict), orphanedFigure, "never told (the SDK's): none of"},
		{run(60, goLike), lateFigure, "reference, same seeds: none of"},
		{cases()["no other arms"], leakedFigure, "reference, same seeds: not run"},
		{cases()["no other arms"], orphanedFigure, "control, a mutant that ignores cancels: not run"},
		{cases()["no cancels"], orphanedFigure, "No cancel was read while a handler was running."},
		{cases()["no cancels"], latencyFigure, "No cancel was sent."},
		{cases()["no cancels"], offsetFigure, "No call was cancelled."},
		{cases()["nothing read"], orphanedFigure, "lay unread until their call had ended"},
		{cases()["nothing read"], orphanedFigure, "Orphaned work · cancels unread until their call had ended"},
		{instant(), orphanedFigure, "all ended in the same instant"},
		{&analysis.Summary{}, lateFigure, "no worlds of the target were run"},
		{cases()["clean over HTTP"], leftFigure, "Nothing left over HTTP after close"},
		{cases()["clean over HTTP"], leftFigure, "none of 800 sessions and 6,414 exchanges"},
		{cases()["clean over HTTP"], leftFigure, "this version has no sessions"},
		{cases()["left over HTTP"], leftFigure, "800 of 800 sessions and 3 of 7,208 exchanges of the server and 12 of 7,214 exchanges of the client"},
		{cases()["left over HTTP"], leftFigure, "reference, same seeds: none of 800 sessions"},
		{cases()["not asked"], leftFigure, "not counted"},
	} {
		said, _ := texts(row.figure(byVersion(row.s)))
		var all []string
		for _, w := range said {
			all = append(all, untied(w.text))
		}
		assert.Contains(t, strings.Join(all, " "), row.want)
	}
}

func TestHatchesStayInsideTheirRectangle(t *testing.T) {
	r := vg.Rectangle{Min: vg.Point{X: 3, Y: 5}, Max: vg.Point{X: 40.5, Y: 17}}
	for h := rising; h <= squares; h++ {
		lines := h.lines(r)
		assert.NotEmpty(t, lines, "hatch %d", h)
		for _, l := range lines {
			for _, p := range l {
				const slack = 1e-9
				assert.False(t, p.X < r.Min.X-slack || p.X > r.Max.X+slack || p.Y < r.Min.Y-slack || p.Y > r.Max.Y+slack, "hatch %d: %v", h, p)
			}
		}
	}
	assert.Empty(t, plain.lines(r))
}

func TestKindsOfHandlersKeepTheirLook(t *testing.T) {
	few, many := byHandler([]string{"chatty"}), byHandler([]string{"a", "b", "chatty", "cooperative"})
	assert.Equal(t, few["chatty"], many["chatty"], "whatever else is in the figure")
	seen := map[string]string{}
	for kind, l := range many {
		key := fmt.Sprint(l.color, l.hatch)
		assert.NotContains(t, seen, key, "%s looks like %s", kind, seen[key])
		seen[key] = kind
	}
}

// Thousands of steps closer than a hair are drawn as few, and end where the
// curve ends.
func TestFineStepsAreThinned(t *testing.T) {
	c := curve{n: 1, atZero: 1}
	const n = 5000
	for i := range n {
		c.steps = append(c.steps, step{at: ms + int64(i), share: 1 - float64(i+1)/n})
	}
	a := timeAxis{frame{Rectangle: vg.Rectangle{Max: vg.Point{X: 400, Y: 100}}}, 5, 8}
	line := a.points(c, 1, 0.5)
	assert.Less(t, len(line), 20)
	assert.InDelta(t, 0, float64(line[len(line)-1].Y), 1e-9)
	for i := 1; i < len(line); i++ {
		assert.GreaterOrEqual(t, line[i].X, line[i-1].X-1e-9)
		assert.LessOrEqual(t, float64(line[i].Y), float64(line[i-1].Y)+1e-9, "a survival curve only falls")
		assert.False(t, math.IsNaN(float64(line[i].X)))
	}
}
