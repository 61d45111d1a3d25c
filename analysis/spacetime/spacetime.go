// Package spacetime renders one history as a space-time listing: time runs
// down, the client stands on the left, the server on the right, and every
// frame is an arrow between them.
//
//	   ms  CLIENT                      wire      SERVER
//	0.000  caller calls "checkpoint"
//	       tools/call 103 ───────────────┐
//	30.825                               └─ 30.8 ms ─▶ read tools/call 103
//
// It is text for people, made from a history and what was concluded from it.
// It judges nothing and reads nothing else: the same arguments give the same
// text.
//
// Read in this order: [Render] draws the listing, [Sequence] and [Story] tell
// the same steps as sentences for a finding's page.
package spacetime

import (
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// DefaultWidth is the width of a listing, in columns, that nobody asked to be
// of another one. MinWidth is the least in which two columns are readable.
const (
	DefaultWidth = 100
	MinWidth     = 72
)

// Options say how a listing is drawn. The zero value draws the whole world, or one of
// several clients, in 100 columns.
type Options struct {
	// Call is the one call to show. Zero leaves the choice to Render: the call
	// of the finding's violation if there is one, else all of them.
	Call int
	// Client is the one of several clients to show, where no one call is. Zero leaves the
	// choice to Render: see [ClientOf].
	Client int
	// All shows every call of every client and the session's own messages, whatever Call
	// and Client say.
	All bool
	// Wire prints each frame's JSON under its arrow.
	Wire bool
	// ASCII draws without box characters and escapes what is not ASCII.
	ASCII bool
	// Colour adds ANSI escapes; they take no width.
	Colour bool
	// Width in columns: zero means DefaultWidth, less than MinWidth means
	// MinWidth. No line is longer.
	Width int
	// Finding is what the margin points at. Its zero value marks every
	// violation of the judgement by the name of its rule.
	Finding Finding
}

// A Finding is a violation under the name by which a report knows it.
type Finding struct {
	ID        string // "F1"; empty: no finding
	Violation oracle.Violation
}

// A view is the part of a world that a scene shows. Its zero value is all of it.
type view struct {
	call     int   // 0: all of them
	client   int   // whose calls, of several clients; 0: of all
	evidence []int // events that are shown whoever they are of
}

// view is what the options choose in h.
func (o Options) view(h *history.History) view {
	v := view{call: o.call(h)}
	if o.All || v.call != 0 || h.Header.Clients < 2 {
		return v
	}
	v.client, v.evidence = o.Client, o.Finding.Violation.Events
	if v.client == 0 {
		v.client = ClientOf(h, o.Finding.Violation)
	}
	return v
}

// ClientOf is the client, of several, that a violation is about: that of its call, or of
// the last of its events that is any client's, or else the first. Zero where there is one
// client alone.
func ClientOf(h *history.History, v oracle.Violation) int {
	if h.Header.Clients < 2 {
		return 0
	}
	for _, c := range h.Header.Calls {
		if v.Call != 0 && c.Call == v.Call {
			return max(c.Client, 1)
		}
	}
	for _, seq := range slices.Backward(v.Events) {
		if seq >= 0 && seq < len(h.Events) && h.Events[seq].Client > 0 {
			return h.Events[seq].Client
		}
	}
	return 1
}

// call is the call that the options choose in h; zero for all of them.
func (o Options) call(h *history.History) int {
	switch {
	case o.All:
		return 0
	case o.Call != 0:
		return o.Call
	case o.Client != 0 && h.Header.Clients > 1:
		return 0
	case o.Finding.ID != "":
		return o.Finding.Violation.Call
	case len(h.Header.Calls) == 1:
		return h.Header.Calls[0].Call
	}
	return 0
}

// width is the width to draw in.
func (o Options) width() int {
	if o.Width == 0 {
		return DefaultWidth
	}
	return max(o.Width, MinWidth)
}

// Render draws h. It shows one call, one client or the whole world, as opts say, below a
// heading that says which, what became of the call, and since when times
// count. Every line ends in a line feed. A history that lacks events or names
// frames that nobody wrote is drawn as far as it goes.
func Render(h *history.History, j oracle.Judgement, opts Options) string {
	g := unicodeGlyphs
	if opts.ASCII {
		g = asciiGlyphs
	}
	sc := newScene(h, j, opts.view(h))
	if !opts.All && !opts.Wire {
		sc.foldProgress(opts.Finding)
	}
	sc.mark(opts.Finding)
	l := newListing(sc, opts, g)
	return l.heading() + "\n" + strings.Join(l.body(), "") + l.legend()
}
