package plots

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"math"
	"strings"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// width of every figure: 900 px at 96 px an inch.
const (
	width    = vg.Length(675)
	pngDPI   = 192
	sansName = "Liberation Sans"
	// The SVG names the font and does not carry it. Arial and Helvetica have
	// the same widths, so what fits here fits there.
	sansCSS = "'Liberation Sans',Arial,Helvetica,sans-serif"
)

// Sizes of text in points; three quarters of a pixel each.
const (
	sizeTitle   = vg.Length(12)
	sizeHeading = vg.Length(9.5)
	sizeText    = vg.Length(8.25)
	sizeSmall   = vg.Length(7.5)
	sizeTiny    = vg.Length(6.5)
)

// An ink measures and draws text. It holds the fonts.
type ink struct{ handler text.Plain }

func newInk() ink {
	return ink{text.Plain{Fonts: font.NewCache(liberation.Collection())}}
}

// A typeface is how a text looks.
type typeface struct {
	size  vg.Length
	bold  bool
	color color.Color
	x     text.XAlignment
	y     text.YAlignment
	turn  float64 // radians, counter-clockwise
}

func (k ink) style(t typeface) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: t.size}
	if t.bold {
		f.Weight = stdfont.WeightBold
	}
	return text.Style{Color: t.color, Font: f, Rotation: t.turn, XAlign: t.x, YAlign: t.y, Handler: k.handler}
}

// widthOf is how wide a line of text is.
func (k ink) widthOf(line string, t typeface) vg.Length {
	return k.style(t).Width(line)
}

// balance breaks a text into no more lines than width needs, of about one
// length.
func (k ink) balance(words string, t typeface, width vg.Length) []string {
	lines := k.wrap(words, t, width)
	for narrower := width * 0.95; len(lines) > 1 && narrower > width/2; narrower *= 0.95 {
		tighter := k.wrap(words, t, narrower)
		if len(tighter) > len(lines) || k.cutShort(tighter) {
			break
		}
		lines = tighter
	}
	return lines
}

func (k ink) cutShort(lines []string) bool {
	return strings.Contains(strings.Join(lines, ""), "…")
}

// wrap breaks a text at spaces into lines of at most width, not at those that
// tie. A word that is wider alone is cut and marked with an ellipsis.
func (k ink) wrap(words string, t typeface, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range strings.Split(words, " ") {
		word = k.cut(word, t, width)
		switch {
		case line == "":
			line = word
		case k.widthOf(line+" "+word, t) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// cut shortens a line to width.
func (k ink) cut(line string, t typeface, width vg.Length) string {
	if k.widthOf(line, t) <= width {
		return line
	}
	runes := []rune(line)
	for len(runes) > 1 && k.widthOf(string(runes)+"…", t) > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// A canvas is what a figure is drawn on. Y grows upwards.
type canvas struct {
	ink
	draw.Canvas
}

func (c *canvas) text(x, y vg.Length, t typeface, line string) {
	c.FillText(c.style(t), vg.Point{X: x, Y: y}, line)
}

func (c *canvas) line(l look, points ...vg.Point) {
	if len(points) > 1 {
		c.StrokeLines(l.stroke(), points)
	}
}

func (c *canvas) dot(l look, at vg.Point) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: l.color, Radius: l.width + 1, Shape: draw.CircleGlyph{}}, at)
}

// rect fills a rectangle and hatches it.
func (c *canvas) rect(l look, r vg.Rectangle) {
	if r.Max.X <= r.Min.X || r.Max.Y <= r.Min.Y {
		return
	}
	c.FillPolygon(l.color, []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}})
	var path vg.Path
	for _, s := range l.hatch.lines(r) {
		path.Move(s[0])
		path.Line(s[1])
	}
	if len(path) > 0 {
		c.SetLineStyle(draw.LineStyle{Color: l.hatchColor(), Width: 0.7})
		c.Stroke(path)
	}
}

// outline draws a rectangle's border.
func (c *canvas) outline(l look, r vg.Rectangle) {
	c.line(l, r.Min, vg.Point{X: r.Max.X, Y: r.Min.Y}, r.Max, vg.Point{X: r.Min.X, Y: r.Max.Y}, r.Min)
}

// render draws a figure in both formats.
func (k ink) render(f figure) (Plot, error) {
	svg, err := k.svg(f)
	if err != nil {
		return Plot{}, fmt.Errorf("svg: %w", err)
	}
	png, err := k.png(f)
	if err != nil {
		return Plot{}, fmt.Errorf("png: %w", err)
	}
	return Plot{Name: f.name, SVG: svg, PNG: png}, nil
}

func (k ink) svg(f figure) ([]byte, error) {
	c := vgsvg.New(width, f.height(k))
	f.draw(&canvas{k, draw.New(c)})
	var out bytes.Buffer
	_, err := c.WriteTo(&out)
	return finish(out.String(), f.title), err
}

func (k ink) png(f figure) ([]byte, error) {
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, f.height(k)), vgimg.UseDPI(pngDPI))}
	f.draw(&canvas{k, draw.New(c)})
	var out bytes.Buffer
	_, err := c.WriteTo(&out)
	return out.Bytes(), err
}

// finish gives the SVG fonts to fall back on and a title that is read aloud.
func finish(svg, title string) []byte {
	svg = strings.ReplaceAll(svg, "font-family:"+sansName, "font-family:"+sansCSS)
	head, rest, _ := strings.Cut(svg, "xlink\">\n")
	return []byte(head + "xlink\"\n\trole=\"img\">\n<title>" + html.EscapeString(title) + "</title>\n" + rest)
}

// A hatch is a pattern of lines, so that colours stay apart in grey print.
type hatch int

const (
	plain hatch = iota
	rising
	falling
	level
	upright
	crossed
	squares
)

// lines are the pattern's strokes inside a rectangle. They are anchored to the
// canvas, so that neighbours of one pattern join.
func (h hatch) lines(r vg.Rectangle) [][2]vg.Point {
	const gap = 4.5
	switch h {
	case rising:
		return slanted(r, +1, gap)
	case falling:
		return slanted(r, -1, gap)
	case crossed:
		return append(slanted(r, +1, gap+1), slanted(r, -1, gap+1)...)
	case level:
		return straight(r, gap-1, false)
	case upright:
		return straight(r, gap-1, true)
	case squares:
		return append(straight(r, gap, true), straight(r, gap, false)...)
	}
	return nil
}

func straight(r vg.Rectangle, gap vg.Length, vertical bool) [][2]vg.Point {
	lo, hi := r.Min.Y, r.Max.Y
	if vertical {
		lo, hi = r.Min.X, r.Max.X
	}
	var out [][2]vg.Point
	for i := math.Ceil(float64(lo / gap)); vg.Length(i)*gap < hi; i++ {
		at := vg.Length(i) * gap
		if vertical {
			out = append(out, [2]vg.Point{{X: at, Y: r.Min.Y}, {X: at, Y: r.Max.Y}})
		} else {
			out = append(out, [2]vg.Point{{X: r.Min.X, Y: at}, {X: r.Max.X, Y: at}})
		}
	}
	return out
}

// slanted lines are y = slope*x + k*gap*sqrt(2), cut to the rectangle.
func slanted(r vg.Rectangle, slope, gap vg.Length) [][2]vg.Point {
	gap *= vg.Length(math.Sqrt2)
	corners := []vg.Length{r.Min.Y - slope*r.Min.X, r.Min.Y - slope*r.Max.X, r.Max.Y - slope*r.Min.X, r.Max.Y - slope*r.Max.X}
	lo, hi := corners[0], corners[0]
	for _, k := range corners {
		lo, hi = min(lo, k), max(hi, k)
	}
	var out [][2]vg.Point
	for i := math.Ceil(float64(lo / gap)); vg.Length(i)*gap < hi; i++ {
		k := vg.Length(i) * gap
		xa, xb := (r.Min.Y-k)/slope, (r.Max.Y-k)/slope
		from, to := max(r.Min.X, min(xa, xb)), min(r.Max.X, max(xa, xb))
		if from < to {
			out = append(out, [2]vg.Point{{X: from, Y: slope*from + k}, {X: to, Y: slope*to + k}})
		}
	}
	return out
}
