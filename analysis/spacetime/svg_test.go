package spacetime

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

// wellFormed reads all of an XML text.
func wellFormed(t *testing.T, svg []byte) (texts string) {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(svg))
	var b strings.Builder
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return b.String()
		}
		require.NoError(t, err)
		if c, ok := tok.(xml.CharData); ok {
			b.Write(c)
		}
	}
}

func TestSVG(t *testing.T) {
	for _, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			b, v := w.make()
			svg := SVG(b.h, b.j, Options{Finding: Finding{ID: "F1", Violation: v}})
			wellFormed(t, svg)
			path := filepath.Join("testdata", w.name+".svg")
			if *update {
				require.NoError(t, os.WriteFile(path, svg, 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(svg), "%s; to accept: go test ./analysis/spacetime -update, and look at it", path)
		})
	}
}

// What a target says may be anything.
func TestSVGEscapes(t *testing.T) {
	b, v := checkpointLate()
	nasty := "</text><script>&\x00\x1b[2J\xff \"'"
	for i := range b.h.Events {
		if m := b.h.Events[i].Msg; m != nil && m.Kind == history.ErrorReply {
			m.Text = nasty
		}
	}
	b.h.Header.Server.Target, v.What = nasty, nasty
	svg := SVG(b.h, b.j, Options{Finding: Finding{ID: "F1", Violation: v}})
	texts := wellFormed(t, svg)
	assert.NotContains(t, string(svg), "<script>")
	assert.Contains(t, texts, "</text><script>&")
}

// However long a world is, its diagram is not, and what convicts is in it.
func TestSVGIsBounded(t *testing.T) {
	b, v := chatter()
	call := v.Call
	long := b.h.Events
	for range 200 {
		for _, e := range b.h.Events {
			if e.Kind == history.Open || e.Kind == history.Start {
				e.Kind, e.At, e.Seq = history.Open, long[len(long)-1].At, len(long)
				long = append(long, e)
			}
		}
	}
	b.h.Events = long
	d := &diagram{sc: newScene(b.h, b.j, view{call: call}), g: unicodeGlyphs}
	require.Greater(t, len(d.sc.steps), 2*maxDrawn)
	d.sc.mark(Finding{ID: "F1", Violation: v})
	d.lay()
	assert.LessOrEqual(t, len(d.rows), maxDrawn+2)
	svg := string(SVG(b.h, b.j, Options{Finding: Finding{ID: "F1", Violation: v}}))
	assert.Contains(t, svg, "more steps …")
	assert.Contains(t, svg, "✗ F1: ")
}

// Two labels do not stand upon each other where there is another place on the arrow.
func TestSVGLabelsKeepClear(t *testing.T) {
	d := &diagram{g: unicodeGlyphs}
	a := arrow{x1: clientLine, y1: 100, x2: serverLine, y2: 130}
	share := d.free(a, "218 µs")
	assert.InDelta(t, along[0], share, 1e-9, "the best place is free")
	d.label(a.x1+(a.x2-a.x1)*share, a.y1+(a.y2-a.y1)*share, "218 µs", inkWire)
	b := arrow{x1: clientLine, y1: 96, x2: serverLine, y2: 140}
	assert.InDelta(t, along[1], d.free(b, "626 µs"), 1e-9, "and then it is not")
}
