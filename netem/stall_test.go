package netem_test

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/netem"
)

// every stalls for so long, after so long, again and again.
func every(d, length time.Duration) func(time.Duration) time.Duration {
	return netem.Stall{Every: fixed(d), For: fixed(length)}.Rule(func(_ int, d netem.Delay) time.Duration { return d.Value })
}

func TestStallRule(t *testing.T) {
	assert.Nil(t, netem.Stall{}.Rule(nil))
	rule := every(10*ms, 3*ms)
	for _, step := range []struct{ now, until time.Duration }{
		{0, 0}, {10*ms - 1, 0}, {10 * ms, 13 * ms}, {13*ms - 1, 13 * ms}, {13 * ms, 0}, {24 * ms, 26 * ms}, {130 * ms, 0}, {140 * ms, 143 * ms},
	} {
		assert.Equal(t, step.until, rule(step.now), "at %v", step.now)
	}
	var asked []int
	never := netem.Stall{Every: fixed(1), For: fixed(1)}.Rule(func(n int, _ netem.Delay) time.Duration { asked = append(asked, n); return 0 })
	assert.Equal(t, time.Duration(6), never(5), "what is drawn as nothing is a nanosecond, or there would be no end")
	assert.Equal(t, []int{0, 1, 2, 3, 4, 5}, asked, "each duration has a number of its own")
}

func TestStallValidate(t *testing.T) {
	require.NoError(t, netem.Direction{Stall: netem.Stall{Every: fixed(ms), For: fixed(ms)}}.Validate())
	err := netem.Direction{
		Stall:           netem.Stall{For: fixed(-1)},
		Coalesce:        fixed(-1),
		Split:           netem.Split{Pieces: 1, Gap: fixed(-1)},
		Correlation:     1,
		CorrelationTime: -1,
	}.Validate()
	assert.EqualError(t, err, `correlation: 1 is not from 0 to 0.99
stall: every and for go together
for: constant: value -1ns is negative
coalesce: constant: value -1ns is negative
split: pieces: 1 is not from 2 to 100; 0 means whole
gap: constant: value -1ns is negative`)
	assert.ErrorContains(t, netem.Direction{CorrelationTime: -1}.Validate(), "correlation_time: -1ns is not from 0s to 24h0m0s; 0s means 100ms")
	assert.ErrorContains(t, netem.Direction{Split: netem.Split{Gap: fixed(1)}}.Validate(), "split: pieces is missing")
}

// A Write that falls into a stall blocks until it is over, and so does the one
// behind it; what was taken before arrives meanwhile.
func TestWriteWaitsForTheEndOfAStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		start := time.Now()
		w, r := netem.NewPipe(netem.PipeConfig{Travel: constant(5 * ms), Stall: every(10*ms, 30*ms), Tap: seen.tap()})
		time.Sleep(9 * ms)
		write(t, w, "before\n")
		time.Sleep(2 * ms)
		for _, text := range []string{"first\n", "second\n"} {
			go func() {
				write(t, w, text)
				assert.Equal(t, 40*ms, time.Since(start), text)
			}()
			time.Sleep(ms)
		}
		assert.Equal(t, "before\n", read(t, r, 100))
		assert.Equal(t, 14*ms, time.Since(start))
		assert.Equal(t, []string{
			`write 1 "before"`, `wrote 1`, `write 2 "first"`, `write 3 "second"`, `read 1 "before"`,
		}, seen.log(), "a Write shows when it was entered")
		assert.Equal(t, "first\n", read(t, r, 100))
		assert.Equal(t, 45*ms, time.Since(start))
		closeBoth(t, w, r)
	})
}

// Whoever ends the pipe releases a Write that waits for the end of a stall.
func TestEndsDuringAStall(t *testing.T) {
	for _, test := range []struct {
		how  string
		want error
	}{{"close", io.ErrClosedPipe}, {"close reader", io.ErrClosedPipe}, {"reset", netem.ErrReset}} {
		t.Run(test.how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, r := netem.NewPipe(netem.PipeConfig{Stall: every(1, time.Hour)})
				start := time.Now()
				time.Sleep(ms)
				go func() {
					time.Sleep(ms)
					endBy(test.how, w, r)
				}()
				_, err := w.Write([]byte("x\n"))
				assert.Equal(t, test.want, err)
				assert.Equal(t, 2*ms, time.Since(start))
				closeBoth(t, w, r)
			})
		})
	}
}
