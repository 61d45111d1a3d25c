package analysis

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// TestWords: every phase that a table may show is explained, under any spelling, and no
// word means two things.
func TestWords(t *testing.T) {
	for _, p := range phasesInOrder() {
		assert.NotEmpty(t, meaning(p), "%s", p)
	}
	for _, typed := range []string{"told-ran-on", "Told ran on", "TOLDRANON", "+1 ns", "crossed"} {
		_, ok := FindWord(typed)
		assert.True(t, ok, typed)
	}
	_, ok := FindWord("nonsense")
	assert.False(t, ok)
	seen := map[string]bool{}
	for _, w := range Words() {
		assert.False(t, seen[w.Word], "%s is there twice", w.Word)
		seen[w.Word] = true
	}
	text := phaseWords([]oracle.Phase{oracle.Queued, oracle.Crossing}, phaseName)
	assert.Contains(t, text, "queued: the request had been read, and no handler had begun · crossing: ")
}
