package netem_test

import (
	"io"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/netem"
)

// TestLossIsGeometric: how often a segment is lost follows from the share, and
// what that costs from the timer.
func TestLossIsGeometric(t *testing.T) {
	const n = 200_000
	d := netem.Direction{Delay: netem.Delay{Distribution: netem.Constant, Value: 50 * ms}, Loss: 0.3}
	require.NoError(t, d.Validate())
	costs := map[time.Duration]int{}
	for i := range n {
		costs[lossy(d, netem.Segment{Frame: new(netem.Frame), Size: 1}, uint64(i))-50*ms]++
	}
	expected := float64(n) * 0.7
	for k, cost := range []time.Duration{0, 300 * ms, 900 * ms, 2100 * ms, 4500 * ms} {
		assert.InDelta(t, expected, costs[cost], 4*math.Sqrt(expected), "lost %d times", k)
		expected *= 0.3
	}
}

// lossy returns the delay of a segment whose bits follow from i.
func lossy(d netem.Direction, s netem.Segment, i uint64) time.Duration {
	next := i << 8
	return d.Travel(s, func() uint64 { next++; return next }, nil).Delay
}

func TestLossHasBounds(t *testing.T) {
	d := netem.Direction{Delay: netem.Delay{Distribution: netem.Constant, Value: time.Hour}, Loss: netem.MaxLoss}
	worst := time.Duration(0)
	for i := range uint64(300_000) {
		worst = max(worst, lossy(d, netem.Segment{Frame: new(netem.Frame)}, i))
	}
	assert.Equal(t, time.Hour+netem.MaxRetries*netem.MaxTimeout, worst)
	for _, loss := range []float64{-0.1, 0.51, math.NaN()} {
		assert.ErrorContains(t, netem.Direction{Loss: loss}.Validate(), "loss: ")
	}
}

// TestLossDrawsLast: without loss nothing more is drawn, and with it nothing else
// changes.
func TestLossDrawsLast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := netem.Direction{
			Delay:    netem.Delay{Distribution: netem.Exponential, Mean: 10 * ms},
			Coalesce: netem.Delay{Distribution: netem.Uniform, Max: ms},
			Split:    netem.Split{Pieces: rapid.IntRange(2, 5).Draw(t, "pieces"), Gap: netem.Delay{Distribution: netem.Uniform, Max: ms}},
		}
		s := netem.Segment{Frame: new(netem.Frame), Size: rapid.IntRange(1, 50).Draw(t, "size")}
		if rapid.Bool().Draw(t, "end") {
			s = netem.Segment{Frame: new(netem.Frame), EOF: true, Reset: rapid.Bool().Draw(t, "reset")}
		}
		start := rapid.Uint64().Draw(t, "bits")
		travel := func(d netem.Direction) (netem.Travel, uint64) {
			next := start
			return d.Travel(s, func() uint64 { next++; return next }, nil), next - start
		}
		without, few := travel(d)
		d.Loss = 0.4
		with, many := travel(d)
		if s.Reset {
			require.Equal(t, without, with)
			return
		}
		require.Equal(t, few+1, many)
		require.GreaterOrEqual(t, with.Delay, without.Delay)
		with.Delay = without.Delay
		require.Equal(t, without, with)
	})
}

// What is behind a segment that was lost waits for it.
func TestLossHoldsUpWhatIsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w, r := netem.NewPipe(netem.PipeConfig{Raw: true, Travel: delayed(func(s netem.Segment) time.Duration {
			if s.Frame.Index == 1 {
				return 10*ms + 220*ms
			}
			return 10 * ms
		})})
		write(t, w, "lost ")
		time.Sleep(ms)
		write(t, w, "behind")
		require.NoError(t, w.Close())
		all, err := io.ReadAll(r)
		require.NoError(t, err)
		assert.Equal(t, "lost behind", string(all))
		assert.Equal(t, 230*ms+2, time.Since(start))
	})
}
