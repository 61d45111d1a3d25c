package netem_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/netem"
)

// TestRawNothingIsLost: in a raw pipe each Write is a frame with all its bytes,
// under any delays, windows, cuts, stalls, bandwidth and buffer.
func TestRawNothingIsLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := drawConversation(rt)
		direction := netem.Direction{
			Bandwidth: rapid.SampledFrom([]int64{0, 1000, 1_000_000_007}).Draw(rt, "bandwidth"),
			Buffer:    rapid.SampledFrom([]int{0, 1, 2, 7, 64}).Draw(rt, "buffer"),
		}
		rule, stall := drawTravels(rt), drawStall(rt)
		var seen recorder
		var got []byte
		var unread []*netem.Frame
		var err error
		synctest.Test(t, func(*testing.T) {
			w, r := netem.NewPipe(netem.PipeConfig{Direction: direction, Raw: true, Travel: rule, Stall: stall, Tap: seen.tap()})
			got, err = c.run(w, r)
			unread = r.Unread()
		})
		require.NoError(rt, err)
		require.Equal(rt, string(c.stream()), string(got), "bytes")
		require.Equal(rt, c.writes, append([]string{}, texts(seen.read())...), "frames")
		require.Empty(rt, unread)
		events := seen.take()
		requireTrueOrder(rt, events)
		for _, e := range events {
			require.True(rt, e.frame == nil || e.complete, "%v", e)
		}
	})
}

// A Write of several lines is one segment, which a Read may leave anywhere.
func TestRawKnowsNoLines(t *testing.T) {
	var seen recorder
	var sizes []int
	w, r := netem.NewPipe(netem.PipeConfig{Raw: true, Tap: seen.tap(), Travel: func(s netem.Segment) netem.Travel {
		sizes = append(sizes, s.Size)
		return netem.Travel{}
	}})
	write(t, w, "one\ntwo\r\n")
	write(t, w, "{}\r\n")
	assert.Equal(t, "one\ntwo\r", read(t, r, 8))
	assert.Empty(t, seen.read(), "its last byte is still there")
	assert.Equal(t, "\n{}\r", read(t, r, 4))
	assert.Equal(t, "\n", read(t, r, 4))
	assert.Equal(t, []string{"one\ntwo\r\n", "{}\r\n"}, texts(seen.read()))
	assert.Equal(t, []int{9, 4}, sizes)
	closeBoth(t, w, r)
}
