package netem_test

import (
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/netem"
)

func fixed(d time.Duration) netem.Delay {
	return netem.Delay{Distribution: netem.Constant, Value: d}
}

// bitsFrom returns a source of bits that begins at n.
func bitsFrom(n uint64) func() uint64 {
	return func() uint64 { n++; return n << 20 }
}

func sentAt(at time.Duration) netem.Segment {
	return netem.Segment{Frame: &netem.Frame{Written: at}, Size: 100}
}

// TestCorrelation measures, over many weathers, how much the delays of two frames
// resemble each other, against the formula.
func TestCorrelation(t *testing.T) {
	const n, T = 20_000, netem.DefaultCorrelationTime
	for _, test := range []struct {
		why         string
		correlation float64
		first, lag  time.Duration
		want        float64 // of the normal scores
	}{
		{"one instant: the correlation itself", 0.8, 30 * ms, 0, 0.8},
		{"one instant, a weak one", 0.25, 30 * ms, 0, 0.25},
		{"none", 0, 30 * ms, 0, 0},
		{"at a knot and half-way to the next", 0.8, T, T / 2, 0.8 / math.Sqrt2},
		{"one knot and the next have nothing in common", 0.8, T, T, 0},
		{"half-way and half-way share the knot between them", 0.8, T / 2, T, 0.4},
		{"two times apart: nothing", 0.8, 90 * ms, 2 * T, 0},
	} {
		t.Run(test.why, func(t *testing.T) {
			d := netem.Direction{
				Delay:       netem.Delay{Distribution: netem.Normal, Mean: time.Hour, StdDev: time.Second},
				Correlation: test.correlation,
			}
			require.NoError(t, d.Validate())
			var xx, xy float64
			for i := range uint64(n) {
				slot := func(k uint64) uint64 { return i<<32 + k<<8 }
				score := func(at time.Duration, own uint64) float64 {
					return (d.Travel(sentAt(at), bitsFrom(own), slot).Delay - time.Hour).Seconds()
				}
				x, y := score(test.first, i<<2), score(test.first+test.lag, 1<<30+i<<2)
				xx += x * x
				xy += x * y
			}
			assert.InDelta(t, 1, xx/n, 0.06, "the distribution stays")
			assert.InDelta(t, test.want, xy/n, 0.05)
		})
	}
}

// Whatever the weather, each distribution keeps its mean and its bounds.
func TestCorrelationKeepsTheDistribution(t *testing.T) {
	for _, delay := range []netem.Delay{fixed(ms), wanDelay, paretoDelay, tableDelay,
		{Distribution: netem.Uniform, Min: 10 * ms, Max: 20 * ms}, {Distribution: netem.Normal, Mean: ms, StdDev: ms}} {
		t.Run(string(delay.Distribution), func(t *testing.T) {
			plain, correlated := netem.Direction{Delay: delay}, netem.Direction{Delay: delay, Correlation: 0.9, CorrelationTime: ms}
			var want, got []time.Duration
			for i := range uint64(20_000) {
				slot := func(k uint64) uint64 { return i<<32 + k }
				want = append(want, plain.Travel(sentAt(0), bitsFrom(i), slot).Delay)
				got = append(got, correlated.Travel(sentAt(300*time.Microsecond), bitsFrom(i), slot).Delay)
			}
			slices.Sort(want)
			slices.Sort(got)
			for _, q := range []int{2000, 6000, 12_000, 16_000, 19_000} {
				assert.InEpsilon(t, float64(want[q]), float64(got[q]), 0.06, "quantile %d of 20,000", q)
			}
		})
	}
}

// A frame's delay depends on itself and on the instant, so a frame more between
// two others changes neither.
func TestOneFrameMoreShiftsNothing(t *testing.T) {
	d := netem.Direction{Delay: wanDelay, Correlation: 0.7, Coalesce: fixed(ms), Split: netem.Split{Pieces: 3, Gap: wanDelay}}
	slot := func(n uint64) uint64 { return n }
	before := d.Travel(sentAt(5*ms), bitsFrom(7), slot)
	d.Travel(sentAt(6*ms), bitsFrom(8), slot)
	assert.Equal(t, before, d.Travel(sentAt(5*ms), bitsFrom(7), slot))
}

// What a direction does not have takes no bits but for the delay, so that adding it
// leaves what is drawn before it.
func TestTravelDrawsWhatItNeeds(t *testing.T) {
	draws := 0
	draw := func() uint64 { draws++; return uint64(draws) << 40 }
	for _, test := range []struct {
		why       string
		direction netem.Direction
		eof       bool
		want      int
	}{
		{"a perfect link, as if it had a delay", netem.Direction{}, false, 1},
		{"a delay", netem.Direction{Delay: wanDelay}, false, 1},
		{"and a window", netem.Direction{Delay: wanDelay, Coalesce: wanDelay}, false, 2},
		{"and two cuts of two draws", netem.Direction{Delay: wanDelay, Coalesce: wanDelay, Split: netem.Split{Pieces: 3}}, false, 6},
		{"the end of the stream is neither held back nor cut", netem.Direction{Delay: wanDelay, Coalesce: wanDelay, Split: netem.Split{Pieces: 3}}, true, 1},
	} {
		draws = 0
		segment := sentAt(0)
		segment.EOF = test.eof
		test.direction.Travel(segment, draw, nil)
		assert.Equal(t, test.want, draws, test.why)
	}
}

func TestCutsPartTheSegment(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		pieces := rapid.IntRange(2, netem.MaxPieces).Draw(rt, "pieces")
		size := rapid.IntRange(1, 300).Draw(rt, "size")
		d := netem.Direction{Split: netem.Split{Pieces: pieces, Gap: fixed(ms)}}
		require.NoError(rt, d.Validate())
		segment := sentAt(0)
		segment.Size = size
		cuts := d.Travel(segment, bitsFrom(rapid.Uint64().Draw(rt, "bits")), nil).Cuts
		require.Len(rt, cuts, min(pieces, size)-1)
		last := 0
		for _, cut := range cuts {
			require.Greater(rt, cut.At, last)
			require.Equal(rt, ms, cut.Gap)
			last = cut.At
		}
		require.Less(rt, last, size)
	})
}

// travelling gives the n-th segment of a pipe the n-th travel, and later ones the
// last.
func travelling(all ...netem.Travel) func(netem.Segment) netem.Travel {
	n := 0
	return func(s netem.Segment) netem.Travel {
		if s.EOF {
			return netem.Travel{}
		}
		n++
		return all[min(n, len(all))-1]
	}
}

// TestReads shows what a reader that waits gets from each Read, and when.
func TestReads(t *testing.T) {
	type got struct {
		at   time.Duration
		text string
	}
	window, cut := netem.Travel{Delay: ms, Window: 5 * ms}, netem.Travel{Delay: ms, Cuts: []netem.Cut{{At: 2, Gap: 3 * ms}}}
	for _, test := range []struct {
		why    string
		rule   func(netem.Segment) netem.Travel
		frames []string // a millisecond apart
		size   int
		want   []got
		read   []time.Duration // arrivals that the tap saw
	}{
		{"frames of one window arrive at one instant, in one Read", travelling(window), []string{"a\n", "b\n", "c\n"}, 100,
			[]got{{6 * ms, "a\nb\nc\n"}}, []time.Duration{6 * ms, 6 * ms, 6 * ms}},
		{"if there is room for them", travelling(window), []string{"a\n", "b\n"}, 2,
			[]got{{6 * ms, "a\n"}, {6 * ms, "b\n"}}, []time.Duration{6 * ms, 6 * ms}},
		{"a frame behind the window opens the next", travelling(window), []string{"a\n", "b\n", "c\n", "d\n", "e\n", "f\n", "g\n"}, 100,
			[]got{{6 * ms, "a\nb\nc\nd\ne\nf\n"}, {12 * ms, "g\n"}}, []time.Duration{6 * ms, 6 * ms, 6 * ms, 6 * ms, 6 * ms, 6 * ms, 12 * ms}},
		{"without a window they are a nanosecond apart", travelling(netem.Travel{Delay: 9 * ms}, netem.Travel{}), []string{"a\n", "b\n"}, 100,
			[]got{{9 * ms, "a\n"}, {9*ms + 1, "b\n"}}, []time.Duration{9 * ms, 9*ms + 1}},
		{"a frame in two pieces", travelling(cut), []string{"abcd\n"}, 100,
			[]got{{ms, "ab"}, {4 * ms, "cd\n"}}, []time.Duration{4 * ms}},
		{"the next one waits for the last piece", travelling(cut), []string{"abcd\n", "efgh\n"}, 100,
			[]got{{ms, "ab"}, {4 * ms, "cd\n"}, {4*ms + 1, "ef"}, {7*ms + 1, "gh\n"}}, []time.Duration{4 * ms, 7*ms + 1}},
		{"a frame's last byte stays with its line end", travelling(netem.Travel{Cuts: []netem.Cut{{At: 1, Gap: ms}, {At: 4, Gap: ms}}}), []string{"abc\r\n"}, 100,
			[]got{{1, "a"}, {ms + 1, "b"}, {2*ms + 1, "c\r\n"}}, []time.Duration{2*ms + 1}},
		{"where that leaves nothing to cut, it is not", travelling(netem.Travel{Cuts: []netem.Cut{{At: 1, Gap: ms}}}), []string{"a\n"}, 100,
			[]got{{1, "a\n"}}, []time.Duration{1}},
		{"the tail of one frame comes with the head of the next", travelling(
			netem.Travel{Delay: ms, Window: 5 * ms, Cuts: []netem.Cut{{At: 2, Gap: 3 * ms}}}), []string{"abcd\n", "efgh\n"}, 100,
			[]got{{6 * ms, "ab"}, {9 * ms, "cd\nef"}, {12 * ms, "gh\n"}}, []time.Duration{9 * ms, 12 * ms}},
	} {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var seen recorder
				start := time.Now()
				w, r := netem.NewPipe(netem.PipeConfig{Travel: test.rule, Tap: seen.tap()})
				go func() {
					for i, text := range test.frames {
						if i > 0 {
							time.Sleep(ms)
						}
						write(t, w, text)
					}
				}()
				for _, want := range test.want {
					assert.Equal(t, want, got{text: read(t, r, test.size), at: time.Since(start)})
				}
				assert.Equal(t, test.read, arrivals(seen.read()))
				requireTrueOrder(t, seen.take())
				closeBoth(t, w, r)
			})
		})
	}
}

// The end of the stream goes with what is held back, too.
func TestEndWithinTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w, r := netem.NewPipe(netem.PipeConfig{Travel: travelling(netem.Travel{Window: 5 * ms})})
		write(t, w, "a\n")
		require.NoError(t, w.Close())
		assert.Equal(t, "a\n", read(t, r, 100))
		_, err := r.Read(make([]byte, 1))
		assert.EqualError(t, err, "EOF")
		assert.Equal(t, 5*ms+1, time.Since(start))
		require.NoError(t, r.Close())
	})
}
