// Package plots draws what a run came to: five figures, and a sixth of a run over
// HTTP, each as SVG and PNG,
// from an [analysis.Summary] alone. It judges nothing, reads no history and
// writes no file; the same summary gives the same bytes.
//
// Each figure has one panel for every protocol version of the target's arm,
// the reference on the same seeds in grey and a mutant dashed: an empty panel
// is a statement only beside what a fault would look like. The conclusion with
// its n is the title, the conditions are the subtitle, and a class without
// members is said in words.
//
// The figures are laid out here and only stroked by gonum/plot's canvases: its
// Plot type has no broken logarithmic axis, no axis made of stages and no
// labels that keep clear of curves.
//
// Read in this order: [All] and [Info]; series.go for the arithmetic; one file
// a figure (orphaned.go, late.go, leaked.go, latency.go, offset.go, leftover.go), each with
// its data first, then its words, then its drawing; figure.go for the layout.
package plots

import (
	"fmt"
	"strings"

	"github.com/mcpsim/mcpsim/analysis"
)

// A Plot is one figure in both formats.
type Plot struct {
	Name string // without extension: "orphaned-work"
	SVG  []byte // 900 px wide, its fonts named and not embedded
	PNG  []byte // 1,800 px wide, for 900 px at twice the density
}

// The names of the plots, in the order in which All returns them.
const (
	OrphanedWork     = "orphaned-work"
	LateResponses    = "late-responses"
	LeakedGoroutines = "leaked-goroutines"
	CancelLatency    = "cancel-latency"
	ResultsByOffset  = "results-by-offset"
	LeftOverHTTP     = "left-over-http" // where anybody counted: over HTTP
)

// Info is the conditions of a run, in the words that a subtitle shows. Empty
// fields are left out.
type Info struct {
	Scenario  string // "cancel-storm"
	Client    string // "go-sdk v1.8.0"
	Server    string // "go-sdk v1.8.0"
	Transport string // "stdio"
	Clock     string // "virtual time"
	Network   string // "wan (5 ms + exp 20 ms each way)"
	Seeds     string // as they were typed: "0-999"
	Command   string // makes the figures again; printed at the foot
}

// subtitle is the conditions in one line.
func (i Info) subtitle() string {
	parts := []struct{ label, value string }{
		{"", i.Scenario}, {"client ", i.Client}, {"server ", i.Server}, {"", i.Transport},
		{"", i.Clock}, {"network ", i.Network}, {"seeds ", i.Seeds},
	}
	var out []string
	for _, p := range parts {
		if p.value != "" {
			out = append(out, p.label+p.value)
		}
	}
	return strings.Join(out, " · ")
}

// All draws the plots. It errs only when a canvas does, and takes about a
// second.
func All(s *analysis.Summary, info Info) ([]Plot, error) {
	ink := newInk()
	var out []Plot
	for _, f := range figures(s, info) {
		plot, err := ink.render(f)
		if err != nil {
			return nil, fmt.Errorf("draw %s: %w", f.name, err)
		}
		out = append(out, plot)
	}
	return out, nil
}

// figures lays out the plots.
func figures(s *analysis.Summary, info Info) []figure {
	versions := signalled(byVersion(s), info.Transport)
	out := []figure{
		orphanedFigure(versions), lateFigure(versions), leakedFigure(versions), latencyFigure(versions), offsetFigure(versions),
	}
	names := []string{OrphanedWork, LateResponses, LeakedGoroutines, CancelLatency, ResultsByOffset}
	if counted(versions) {
		out, names = append(out, leftFigure(versions)), append(names, LeftOverHTTP)
	}
	for i, name := range names {
		if name != LeftOverHTTP { // which is not about cancels
			out[i] = explained(out[i], versions)
		}
		out[i].name, out[i].subtitle, out[i].command = name, info.subtitle(), info.Command
	}
	return out
}
