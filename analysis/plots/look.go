package plots

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The palette of Okabe and Ito, which the common kinds of colour blindness tell
// apart, and greys.
var (
	orange     = color.RGBA{0xE6, 0x9F, 0x00, 0xFF}
	sky        = color.RGBA{0x56, 0xB4, 0xE9, 0xFF}
	green      = color.RGBA{0x00, 0x9E, 0x73, 0xFF}
	yellow     = color.RGBA{0xF0, 0xE4, 0x42, 0xFF}
	blue       = color.RGBA{0x00, 0x72, 0xB2, 0xFF}
	vermillion = color.RGBA{0xD5, 0x5E, 0x00, 0xFF}
	purple     = color.RGBA{0xCC, 0x79, 0xA7, 0xFF}
	black      = color.RGBA{0x1A, 0x1A, 0x1A, 0xFF}
	white      = color.RGBA{0xFF, 0xFF, 0xFF, 0xFF}

	dark    = color.RGBA{0x55, 0x55, 0x55, 0xFF} // control, secondary text
	grey    = color.RGBA{0x9C, 0x9C, 0x9C, 0xFF} // reference
	pale    = color.RGBA{0xC8, 0xC8, 0xC8, 0xFF}
	faint   = color.RGBA{0xE4, 0xE4, 0xE4, 0xFF} // grid
	mist    = color.RGBA{0xF3, 0xF3, 0xF3, 0xFF} // background of the instant
	paleSky = color.RGBA{0xCF, 0xE6, 0xF6, 0xFF} // surfaces of the target
	salmon  = color.RGBA{0xF0, 0xB4, 0x8C, 0xFF} // surface of what was never told
)

// A look is how a curve or a surface is drawn.
type look struct {
	color color.RGBA
	width vg.Length
	dash  []vg.Length
	hatch hatch
}

func (l look) stroke() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: l.width, Dashes: l.dash}
}

// ink is the look's colour for text, darker where the colour is too light to
// read on white.
func (l look) ink() color.RGBA {
	switch l.color {
	case grey:
		return color.RGBA{0x60, 0x60, 0x60, 0xFF}
	case vermillion:
		return color.RGBA{0x9A, 0x43, 0x00, 0xFF}
	case orange:
		return color.RGBA{0x96, 0x66, 0x00, 0xFF}
	}
	return l.color
}

// surface is the pale colour below a line of the look.
func (l look) surface() color.RGBA {
	if l.color == vermillion {
		return salmon
	}
	return paleSky
}

// hatchColor stands out from the surface.
func (l look) hatchColor() color.RGBA {
	light := 0.299*float64(l.color.R) + 0.587*float64(l.color.G) + 0.114*float64(l.color.B)
	if light > 140 {
		return black
	}
	return white
}

// The looks that recur.
var (
	gridLook      = look{color: faint, width: 0.6}
	frameLook     = look{color: grey, width: 0.7}
	referenceLook = look{color: grey, width: 3.4}
	controlLook   = look{color: dark, width: 1.2, dash: []vg.Length{5, 3}}
)

// A kindLook is a kind of handler with its look.
type kindLook struct {
	kind string
	look look
}

// handlerKinds are the kinds of tools that have a look of their own, so that
// one kind looks the same in every figure.
var handlerKinds = []kindLook{
	{"cooperative", look{color: blue}},
	{"checkpoint", look{color: sky, hatch: rising}},
	{"slow-cleanup", look{color: orange, hatch: upright}},
	{"chatty", look{color: green, hatch: falling}},
	{"stubborn", look{color: vermillion, hatch: level}},
	{"leaky", look{color: purple, hatch: crossed}},
}

// otherKinds are for the rest, in order of name.
var otherKinds = []look{
	{color: yellow, hatch: crossed}, {color: pale, hatch: squares}, {color: black}, {color: white, hatch: crossed},
	{color: yellow}, {color: pale, hatch: rising}, {color: black, hatch: falling}, {color: white, hatch: level},
}

// byHandler gives each kind a look. kinds are sorted; from the ninth unknown
// kind on the looks repeat.
func byHandler(kinds []string) map[string]look {
	out := map[string]look{}
	others := 0
	for _, kind := range kinds {
		i := slices.IndexFunc(handlerKinds, func(h kindLook) bool { return h.kind == kind })
		if i >= 0 {
			out[kind] = handlerKinds[i].look
			continue
		}
		out[kind] = otherKinds[others%len(otherKinds)]
		others++
	}
	return out
}
