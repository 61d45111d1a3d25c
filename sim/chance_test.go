package sim_test

import (
	"math/bits"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
)

// Recorded seeds have to replay in later versions, so these figures must not
// change unless the README says that seeds have a new meaning.
func TestStreamIsPinned(t *testing.T) {
	s := sim.NewStream(12, "work", 3)
	got := []uint64{s.Uint64(), s.Uint64(), s.Uint64()}
	assert.Equal(t, []uint64{0x9fe0d56f41919da9, 0x1eef702b2398f482, 0x2f950bc4892c8c65}, got)
}

func TestDelayHashIsPinned(t *testing.T) {
	got := sim.DelayHash(12, frame())
	assert.Equal(t, uint64(0x570aeb0509095bbf), got)
}

func frame() sim.FrameIdentity {
	return sim.FrameIdentity{Direction: "client_to_server", Kind: history.Request, Method: "tools/call", ID: "7"}
}

func TestStreamsDiffer(t *testing.T) {
	base := sim.NewStream(12, "work", 3).Uint64()
	rows := []struct {
		why    string
		stream *sim.Stream
	}{
		{"another seed", sim.NewStream(13, "work", 3)},
		{"another label", sim.NewStream(12, "think", 3)},
		{"another number", sim.NewStream(12, "work", 4)},
		{"a number that continues the label is no other label", sim.NewStream(12, "work3", 0)},
	}
	for _, row := range rows {
		assert.NotEqual(t, base, row.stream.Uint64(), row.why)
	}
}

// Streams of neighbouring seeds and calls are where a weak hash would show.
func TestNeighbouringStreamsAreUnrelated(t *testing.T) {
	var total, n int
	for seed := range uint64(100) {
		for call := range 10 {
			here := sim.NewStream(seed, "work", call).Uint64()
			total += bits.OnesCount64(here ^ sim.NewStream(seed+1, "work", call).Uint64())
			total += bits.OnesCount64(here ^ sim.NewStream(seed, "work", call+1).Uint64())
			n += 2
		}
	}
	assert.InDelta(t, 32, float64(total)/float64(n), 0.5, "half of 64 bits should differ, give or take 5 standard errors")
}

func TestDelayHashTellsFramesApart(t *testing.T) {
	rows := []struct {
		why    string
		change func(*sim.FrameIdentity)
	}{
		{"direction", func(f *sim.FrameIdentity) { f.Direction = "server_to_client" }},
		{"kind", func(f *sim.FrameIdentity) { f.Kind = history.Notification }},
		{"method", func(f *sim.FrameIdentity) { f.Method = "tools/list" }},
		{"number and text are different ids", func(f *sim.FrameIdentity) { f.ID = `"7"` }},
		{"occurrence", func(f *sim.FrameIdentity) { f.Occurrence = 1 }},
		{"the same letters, cut elsewhere", func(f *sim.FrameIdentity) { f.Method, f.ID = "tools/call7", "" }},
	}
	seen := map[uint64]string{sim.DelayHash(12, frame()): "the frame", sim.DelayHash(13, frame()): "seed"}
	for _, row := range rows {
		f := frame()
		row.change(&f)
		h := sim.DelayHash(12, f)
		assert.Empty(t, seen[h], "%s collides", row.why)
		seen[h] = row.why
	}
	assert.Equal(t, sim.DelayHash(12, frame()), sim.DelayHash(12, frame()), "a hash depends on its arguments only")
}

func TestBelowIsEven(t *testing.T) {
	counts := make([]int, 7)
	s := sim.NewStream(1, "test", 0)
	for range 70_000 {
		counts[s.Below(7)]++
	}
	for value, n := range counts {
		assert.InDelta(t, 10_000, n, 500, "value %d", value) // five standard deviations are 463
	}
	assert.Zero(t, s.Below(0))
}

func TestFloat64IsBelowOne(t *testing.T) {
	s := sim.NewStream(1, "test", 0)
	sum := 0.0
	for range 10_000 {
		x := s.Float64()
		assert.True(t, 0 <= x && x < 1, "%v", x)
		sum += x
	}
	assert.InDelta(t, 0.5, sum/10_000, 0.015)
}

func TestDitheredIsNeverZeroAndNeverRound(t *testing.T) {
	rows := []struct {
		why   string
		d     sim.Distribution
		least time.Duration
		most  time.Duration
	}{
		{"nothing", sim.Distribution{}, 1, 999},
		{"a constant", sim.Fixed(time.Second), time.Second + 1, time.Second + 999},
		{"uniform", sim.Distribution{Distribution: netem.Uniform, Min: 1000, Max: 2000}, 1001, 2999},
	}
	for _, row := range rows {
		s, seen := sim.NewStream(1, "test", 0), map[time.Duration]bool{}
		for range 1000 {
			d := s.Dithered(row.d)
			assert.GreaterOrEqual(t, d, row.least, row.why)
			assert.LessOrEqual(t, d, row.most, row.why)
			seen[d] = true
		}
		assert.Greater(t, len(seen), 500, row.why)
	}
}

// A stream that serves two kinds of distribution must not get out of step.
func TestDurationTakesOneDraw(t *testing.T) {
	for _, d := range []sim.Distribution{
		{}, sim.Fixed(time.Second),
		{Distribution: netem.Uniform, Max: time.Second},
		{Distribution: netem.Normal, Mean: time.Second, StdDev: time.Second},
		{Distribution: netem.Exponential, Mean: time.Second},
	} {
		a, b := sim.NewStream(1, "test", 0), sim.NewStream(1, "test", 0)
		a.Duration(d)
		b.Uint64()
		assert.Equal(t, b.Uint64(), a.Uint64(), "%s", d.Distribution)
	}
}
