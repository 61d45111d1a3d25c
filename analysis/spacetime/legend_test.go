package spacetime

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLegend: what a listing abbreviates is explained below it, and nothing else is.
func TestLegend(t *testing.T) {
	b, _ := checkpointLate()
	assert.NotContains(t, Render(b.h, b.j, Options{}), "later than the row above")
	for i := range b.h.Events { // a nanosecond after the first, all of them
		if i > 0 {
			b.h.Events[i].At = b.h.Events[0].At + 1
		}
	}
	text := Render(b.h, b.j, Options{})
	assert.Contains(t, text, "\n   +1 ns ")
	assert.True(t, strings.HasSuffix(text, "\n\n+1 ns: "+momentWords+"\n"), text)
	assert.Contains(t, string(SVG(b.h, b.j, Options{})), "+1 ns: "+momentWords)
}
