package netem

import (
	"io"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestSampleAtTheEnds: the extremes of the hash give the extremes of the
// distribution, and never an infinity that a conversion turns into nonsense.
func TestSampleAtTheEnds(t *testing.T) {
	least, most := fraction(0), fraction(math.MaxUint64)
	require.Positive(t, least)
	require.Less(t, most, 1.0)
	for _, mean := range []time.Duration{0, time.Millisecond, MaxDelay} {
		for _, dev := range []time.Duration{1, time.Millisecond, MaxDelay} {
			d := Delay{Distribution: Normal, Mean: mean, StdDev: dev}
			require.NoError(t, d.Validate())
			for _, u := range []float64{least, most} {
				assert.GreaterOrEqual(t, d.normal(u), time.Duration(0), "mean %v, deviation %v, u %v", mean, dev, u)
				assert.LessOrEqual(t, d.normal(u), mean+9*dev, "mean %v, deviation %v, u %v", mean, dev, u)
			}
		}
		d := Delay{Distribution: Exponential, Offset: MaxDelay, Mean: mean}
		assert.GreaterOrEqual(t, d.exponential(most), MaxDelay)
		assert.LessOrEqual(t, d.exponential(least), MaxDelay+40*mean)
	}
}

func TestLineDoesNotOverflow(t *testing.T) {
	l := line{rate: 1}
	assert.Equal(t, time.Second, l.transmit(0, 1))
	assert.Equal(t, forever, l.transmit(0, math.MaxInt64-1))
	assert.Equal(t, time.Duration(1), span(1, math.MaxInt64), "rounded up")
	assert.Equal(t, time.Second, span(math.MaxInt64, math.MaxInt64))
}

func TestFifoBehavesLikeASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var queue fifo[int]
		var model []int
		next := 0
		check := func(t *rapid.T) {
			require.Equal(t, len(model), queue.len())
			for i := range model {
				require.Equal(t, model[i], *queue.at(i))
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"": check,
			"push": func(*rapid.T) {
				next++
				queue.push(next)
				model = append(model, next)
			},
			"pop": func(t *rapid.T) {
				if len(model) == 0 {
					t.Skip("empty")
				}
				queue.pop()
				model = model[1:]
			},
			"truncate": func(t *rapid.T) {
				n := rapid.IntRange(0, len(model)).Draw(t, "n")
				queue.truncate(n)
				model = model[:n]
			},
		})
	})
}

// TestNoResumptionRemains: nor does the timer of a Write that waited for the end
// of a stall.
func TestNoResumptionRemains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := NewPipe(PipeConfig{Stall: func(time.Duration) time.Duration { return time.Hour }})
		go func() { _, _ = w.Write([]byte("x\n")) }()
		synctest.Wait()
		require.NotNil(t, w.p.resumption)
		require.NoError(t, w.Close())
		synctest.Wait()
		assert.False(t, w.p.resumption.Stop(), "a timer was still running")
	})
}

// TestNoTimerRemains: a timer exists only while a Read waits, whatever ends it.
func TestNoTimerRemains(t *testing.T) {
	for _, test := range []struct {
		why string
		end func(*Writer, *Reader)
	}{
		{"close by the reader", func(_ *Writer, r *Reader) { _ = r.Close() }},
		{"reset by the writer", func(w *Writer, _ *Reader) { w.Reset() }},
		{"both ends at once", func(w *Writer, r *Reader) { _, _ = r.Close(), w.Close() }},
		{"close by the writer, and the end of the stream", func(w *Writer, _ *Reader) {
			_ = w.Close()
			time.Sleep(2 * time.Hour)
		}},
	} {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, r := NewPipe(PipeConfig{Travel: func(Segment) Travel { return Travel{Delay: time.Hour} }})
				_, err := w.Write([]byte("x\n"))
				require.NoError(t, err)
				require.Nil(t, r.p.timer, "nobody waits yet")
				go func() { _, _ = io.ReadAll(r) }()
				synctest.Wait()
				require.NotNil(t, r.p.timer)
				test.end(w, r)
				synctest.Wait()
				assert.False(t, r.p.timer.Stop(), "a timer was still running")
			})
		})
	}
}
