package oracle

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/sim/history"
)

// TestMemoryNeverDenies: what was noted is remembered, and of whole numbers nothing
// else is, whatever their order.
func TestMemoryNeverDenies(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var m memory
		noted := map[int]bool{}
		for _, n := range rapid.SliceOf(rapid.IntRange(0, 60)).Draw(rt, "ids") {
			m.note(ofRequest, history.Client, strconv.Itoa(n))
			noted[n] = true
		}
		for n := range 61 {
			require.Equal(rt, noted[n], m.perhaps(ofRequest, history.Client, strconv.Itoa(n)), "%d", n)
			require.False(rt, m.perhaps(ofRequest, history.Server, strconv.Itoa(n)), "the other side's ids are others")
		}
		require.Nil(rt, m.others)
	})
}

func TestMemoryOfOtherNames(t *testing.T) {
	var m memory
	for _, name := range []string{`"a"`, "007", "-1", "1.0", "1e3", "null", "9999999999999999999"} {
		assert.False(t, m.perhaps(ofRequest, history.Client, name), name)
		m.note(ofRequest, history.Client, name)
		assert.True(t, m.perhaps(ofRequest, history.Client, name), name)
		assert.False(t, m.perhaps(ofToken, history.Client, name), "as a token, %s is another name", name)
	}
	assert.False(t, m.perhaps(ofRequest, history.Client, "7"), "which is not 007")
}

// TestMemoryIsBounded: where whole numbers are too scattered to be told apart, some
// that were never there are perhaps there; none that was is denied.
func TestMemoryIsBounded(t *testing.T) {
	var m memory
	for n := 0; n < 3*maxSpans; n++ {
		m.note(ofRequest, history.Client, strconv.Itoa(2*n))
	}
	assert.Len(t, m.numbers[0], maxSpans)
	wrong := 0
	for n := 0; n < 3*maxSpans; n++ {
		require.True(t, m.perhaps(ofRequest, history.Client, strconv.Itoa(2*n)))
		if m.perhaps(ofRequest, history.Client, strconv.Itoa(2*n+1)) {
			wrong++
		}
	}
	assert.Less(t, wrong, 3*maxSpans/100)
}

// TestMemoryErrsRarely holds the figure of memoryBits.
func TestMemoryErrsRarely(t *testing.T) {
	var m memory
	const names = 1_000_000
	for n := range names {
		m.note(ofToken, history.Client, strconv.Itoa(n))
	}
	wrong := 0
	for n := range names / 10 {
		if m.perhaps(ofToken, history.Client, strconv.Itoa(names+n)) {
			wrong++
		}
	}
	assert.InDelta(t, names/10/20, wrong, names/10/100)
}

// TestWindow holds a window to a map.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var w window[int]
		want := map[int]*int{}
		top := 0
		for range rapid.IntRange(0, 300).Draw(rt, "steps") {
			n := rapid.IntRange(0, top+3).Draw(rt, "n")
			if rapid.Bool().Draw(rt, "put") {
				want[n] = &n
				w.put(n, &n)
				top = max(top, n+1)
			} else {
				delete(want, n)
				w.drop(n)
			}
			require.Same(rt, want[n], w.get(n))
		}
		last, count := -1, 0
		for n := range w.all() {
			require.Greater(rt, *n, last)
			require.Same(rt, want[*n], n)
			last = *n
			count++
		}
		require.Equal(rt, len(want), count)
	})
}

// TestWindowLeavesStragglersBehind: one item that stays costs its own room alone.
func TestWindowLeavesStragglersBehind(t *testing.T) {
	var w window[int]
	stays := 0
	w.put(0, &stays)
	for n := 1; n < 5*maxSpan; n++ {
		w.put(n, &n)
		w.drop(n)
	}
	assert.Same(t, &stays, w.get(0))
	assert.LessOrEqual(t, cap(w.items), 4*maxSpan)
	assert.Len(t, w.old, 1)
}
