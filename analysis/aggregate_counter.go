package analysis

import (
	"maps"
	"slices"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// A counter counts by words. Some of the words are a target's own error texts,
// which may hold ids and so never repeat; therefore it keeps the maxWords first
// in the alphabet and adds the others up. Which ones are kept does not depend
// on the order in which they come: a word that was pushed out has maxWords
// smaller ones before it for ever.
type counter map[string]int

const (
	maxWords   = 64
	otherWords = "~ other" // sorts behind letters, so it is never pushed out by one
)

func (c counter) add(word string, n int) {
	if n == 0 {
		return
	}
	c[word] += n
	if len(c) <= maxWords+btoi(c[otherWords] > 0) {
		return
	}
	last := ""
	for w := range c {
		if w != otherWords && w > last {
			last = w
		}
	}
	rest := c[last]
	delete(c, last)
	c[otherWords] += rest
}

// merge counts everything that other counted.
func (c counter) merge(other counter) {
	for _, word := range slices.Sorted(maps.Keys(other)) {
		if word != otherWords {
			c.add(word, other[word])
		}
	}
	if n := other[otherWords]; n > 0 {
		c[otherWords] += n
	}
}

func (c counter) clone() map[string]int { return maps.Clone(c) }

// uncounted lists the counts in the alphabet of their reasons.
func (c counter) uncounted() []oracle.Uncounted {
	out := make([]oracle.Uncounted, 0, len(c))
	for _, why := range slices.Sorted(maps.Keys(c)) {
		out = append(out, oracle.Uncounted{Why: why, N: c[why]})
	}
	return out
}
