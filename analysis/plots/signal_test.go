package plots

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/analysis"
)

// written are all words of a run's figures.
func writtenOver(s *analysis.Summary, transport string) string {
	var b strings.Builder
	for _, f := range figures(s, Info{Transport: transport}) {
		said, _ := texts(f)
		for _, w := range said {
			b.WriteString(untied(w.text) + "\n")
		}
	}
	return b.String()
}

func TestClosedStreamsAreCalledSo(t *testing.T) {
	both := run(40, broken)
	over := writtenOver(both, "streamable-http")
	for _, want := range []string{"time since the cancel was read", "time since the client was seen gone", "sent → read", "closed → seen",
		"cancels sent)", "streams closed)", "share of the closed streams that were seen", "2026-07-28 on a cancel is"} {
		assert.Contains(t, over, want)
	}
	stdio := writtenOver(both, "stdio")
	for _, never := range []string{"closed stream", "seen"} {
		assert.NotContains(t, stdio, never)
	}

	alone := &analysis.Summary{Schema: both.Schema}
	for _, g := range both.Groups {
		if g.SpecVersion == "2026-07-28" {
			alone.Groups = append(alone.Groups, g)
		}
	}
	closing := writtenOver(alone, "streamable-http")
	for _, never := range []string{"cancel was read", "cancels read", "sent → read", "instant of reading", "on a cancel is"} {
		assert.NotContains(t, closing, never, "where no version has another cancel")
	}
}

// A cancel that came before its request is benign, and no surprise over HTTP.
func TestOvertakingCancelsAreStackedWhereThereAreAny(t *testing.T) {
	s := run(40, strict)
	assert.NotContains(t, writtenOver(s, "streamable-http"), "cancel read before its request")
	s.Groups[0].OffsetBins[3][analysis.ResultOvertook] = 5
	assert.Contains(t, writtenOver(s, "streamable-http"), "cancel read before its request")
}
