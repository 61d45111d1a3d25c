package netem_test

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/netem"
)

// A network without faults is the identity: what is written is there, at the
// instant at which it was written, one nanosecond apart in one instant.
func TestNoFaultsIsIdentity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		start := time.Now()
		w, r := netem.NewPipe(netem.PipeConfig{Tap: seen.tap()})
		defer closeBoth(t, w, r)
		time.Sleep(ms)
		write(t, w, "one\n")
		assert.Equal(t, "one\n", read(t, r, 100))
		assert.Equal(t, ms, time.Since(start), "nobody had to wait")
		time.Sleep(ms)
		write(t, w, "two\nthree\r\n\n")
		assert.Equal(t, "two\nthree\r\n\n", string(readN(t, r, 12)))
		assert.Equal(t, []string{"one", "two", "three", ""}, texts(seen.read()))
		assert.Equal(t, []time.Duration{ms, 2 * ms, 2*ms + 1, 2*ms + 2}, arrivals(seen.read()))
		assert.Equal(t, []string{
			`write 1 "one"`, `wrote 1`, `read 1 "one"`,
			`write 2 "two"`, `write 3 "three"`, `write 4 ""`, `wrote 2`, `wrote 3`, `wrote 4`,
			`read 2 "two"`, `read 3 "three"`, `read 4 ""`,
		}, seen.log())
	})
}

// TestArrivals holds the arrivals of frames that are all written at once to
// the arithmetic: max(previous + 1ns, end of transmission + delay).
func TestArrivals(t *testing.T) {
	for _, test := range []struct {
		why       string
		bandwidth int64
		delays    []time.Duration // of the n-th frame, the last one of all that follow
		frames    string
		want      []time.Duration
	}{
		{"bytes queue behind earlier bytes", 1000, nil, strings.Repeat("123456789\n", 3),
			[]time.Duration{10 * ms, 20 * ms, 30 * ms}},
		{"a third of a second does not add up to an error", 3, nil, strings.Repeat("\n", 6),
			[]time.Duration{333_333_334, 666_666_667, time.Second, 1_333_333_334, 1_666_666_667, 2 * time.Second}},
		{"the delay comes on top of the transmission", 1000, []time.Duration{5 * ms}, strings.Repeat("123456789\n", 2),
			[]time.Duration{15 * ms, 25 * ms}},
		{"a short delay does not overtake a long one", 0, []time.Duration{10 * ms, ms, 20 * ms}, "a\nb\nc\n",
			[]time.Duration{10 * ms, 10*ms + 1, 20 * ms}},
		{"a delayed frame does not occupy the line", 1000, []time.Duration{100 * ms, 0}, strings.Repeat("123456789\n", 2),
			[]time.Duration{110 * ms, 110*ms + 1}},
		{"equal delays leave frames a nanosecond apart", 0, []time.Duration{ms}, "a\nb\nc\n",
			[]time.Duration{ms, ms + 1, ms + 2}},
		{"less than nothing is nothing", 0, []time.Duration{-time.Hour}, "a\nb\n",
			[]time.Duration{1, 2}},
	} {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var seen recorder
				w, r := netem.NewPipe(netem.PipeConfig{
					Direction: netem.Direction{Bandwidth: test.bandwidth},
					Tap:       seen.tap(),
					Travel: delayed(func(s netem.Segment) time.Duration {
						if len(test.delays) == 0 || s.EOF {
							return 0
						}
						return test.delays[min(s.Frame.Index, len(test.delays))-1]
					}),
				})
				start := time.Now()
				write(t, w, test.frames)
				var handed []time.Duration
				for range test.want {
					read(t, r, 1000)
					handed = append(handed, time.Since(start))
				}
				closeBoth(t, w, r)
				assert.Equal(t, test.want, arrivals(seen.read()))
				assert.Equal(t, test.want, handed, "a waiting reader has it in that instant")
			})
		})
	}
}

// An idle line starts anew: what it did not send yesterday it cannot send today.
func TestIdleLineSavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		w, r := netem.NewPipe(netem.PipeConfig{Direction: netem.Direction{Bandwidth: 1000}, Tap: seen.tap()})
		defer closeBoth(t, w, r)
		write(t, w, "1234\n")
		time.Sleep(time.Second)
		write(t, w, "1234\n1234\n")
		readN(t, r, 15)
		assert.Equal(t, []time.Duration{5 * ms, time.Second + 5*ms, time.Second + 10*ms}, arrivals(seen.read()))
	})
}

// A frame that stalls in its middle shows as such: its parts travel by
// themselves, and it is completed in place.
func TestPartsOfAFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		var asked []netem.Segment
		w, r := netem.NewPipe(netem.PipeConfig{Tap: seen.tap(), Travel: func(s netem.Segment) netem.Travel {
			asked = append(asked, s)
			return netem.Travel{Delay: ms}
		}})
		start := time.Now()
		write(t, w, "zero\n{\"half")
		time.Sleep(time.Second)
		assert.Equal(t, "zero\n{\"half", read(t, r, 100))
		assert.Equal(t, []string{`write 1 "zero"`, `write 2 "{\"half" ...`, `wrote 1`, `read 1 "zero"`}, seen.log())

		write(t, w, "\"}\r")
		write(t, w, "\nnext\n")
		assert.Equal(t, []string{`write 3 "next"`, `wrote 2`, `wrote 3`}, seen.log())
		assert.Equal(t, "\"}\r", read(t, r, 100))
		assert.Equal(t, "\n", read(t, r, 100))
		assert.Equal(t, "next\n", read(t, r, 100))
		assert.Equal(t, time.Second+ms+2, time.Since(start))
		assert.Equal(t, []string{`read 2 "{\"half\"}"`, `read 3 "next"`}, seen.log())
		closeBoth(t, w, r)

		type segment struct{ index, part, size int }
		var got []segment
		for _, s := range asked {
			got = append(got, segment{s.Frame.Index, s.Part, s.Size})
		}
		assert.Equal(t, []segment{{1, 0, 5}, {2, 0, 6}, {2, 1, 3}, {2, 2, 1}, {3, 0, 5}, {0, 0, 0}}, got)
		assert.True(t, asked[5].EOF)
	})
}

// A receiver may act on a closing brace before it has the newline, so a Read
// that could include both does not end between them.
func TestReadKeepsTheLineEnd(t *testing.T) {
	for _, test := range []struct {
		why    string
		stream string
		buffer int
		sizes  []int
		want   []string
	}{
		{"the last byte waits for its newline", "{ab}\n{c}\n", 0, []int{4, 4, 9}, []string{"{ab", "}\n{c", "}\n"}},
		{"so does the carriage return", "{ab}\r\n", 0, []int{5, 5}, []string{"{ab", "}\r\n"}},
		{"with room for one byte there is no choice", "x\n", 0, []int{1, 1}, []string{"x", "\n"}},
		{"a frame of one byte waits behind another", "abc\nx\n", 0, []int{5, 5}, []string{"abc\n", "x\n"}},
		{"in the middle of a frame it does not matter", "abcdef\n", 0, []int{3, 9}, []string{"abc", "def\n"}},
		{"a blank line can be parted from another", "\n\n", 0, []int{1, 1}, []string{"\n", "\n"}},
		{"a full buffer does not part them either", "12345\n", 5, []int{9, 9}, []string{"1234", "5\n"}},
		{"unless it can never hold both", "x\n", 1, []int{9, 9}, []string{"x", "\n"}},
	} {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, r := netem.NewPipe(netem.PipeConfig{Direction: netem.Direction{Buffer: test.buffer}})
				go func() { write(t, w, test.stream) }()
				for i, size := range test.sizes {
					time.Sleep(ms)
					assert.Equal(t, test.want[i], read(t, r, size))
				}
				closeBoth(t, w, r)
			})
		})
	}
}

func TestBackpressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		w, r := netem.NewPipe(netem.PipeConfig{
			Direction: netem.Direction{Buffer: 10},
			Travel:    constant(ms),
			Tap:       seen.tap(),
		})
		written := make(chan time.Duration, 1)
		start := time.Now()
		go func() {
			write(t, w, "0123456789abcdefghijkl\n")
			written <- time.Since(start)
		}()
		time.Sleep(time.Second)
		assert.Equal(t, []string{`write 1 "0123456789abcdefghijkl"`}, seen.log(), "blocked, with the frame in sight")

		assert.Equal(t, "01234", read(t, r, 5))
		time.Sleep(time.Second)
		assert.Empty(t, written, "still 8 bytes to go")
		assert.Equal(t, "56789abcde", read(t, r, 100), "what the first Read made room for has arrived too")
		assert.Equal(t, "fghijkl\n", read(t, r, 100))
		assert.Equal(t, 2*time.Second, <-written, "it ended when there was room")
		assert.Equal(t, 2*time.Second+ms, time.Since(start), "the rest was sent then, and delayed like the rest of its segment")
		closeBoth(t, w, r)
		assert.Equal(t, []string{`wrote 1`, `read 1 "0123456789abcdefghijkl"`, `close`}, seen.log())
	})
}

// A Write has begun when it was entered, though it must wait for its turn.
func TestWriteShowsBeforeItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		w, r := netem.NewPipe(netem.PipeConfig{Direction: netem.Direction{Buffer: 4}, Tap: seen.tap()})
		for _, text := range []string{"first, long\n", "second\n", "third\n"} {
			go func() { write(t, w, text) }()
			time.Sleep(ms)
		}
		assert.Equal(t, []string{`write 1 "first, long"`, `write 2 "second"`, `write 3 "third"`}, seen.log())
		assert.Equal(t, "first, long\nsecond\nthird\n", string(readN(t, r, 25)))
		synctest.Wait()
		assert.Len(t, seen.log(), 6, "three times wrote and read")
		closeBoth(t, w, r)
	})
}

// The tap sees a Read before the room that it makes lets a Write go on.
func TestReadTapComesBeforeTheWriteItLetsGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		w, r := netem.NewPipe(netem.PipeConfig{Direction: netem.Direction{Buffer: 2}, Tap: seen.tap()})
		go func() { write(t, w, "a\nb\n") }()
		synctest.Wait()
		assert.Equal(t, "a\n", read(t, r, 10))
		synctest.Wait()
		assert.Equal(t, []string{`write 1 "a"`, `write 2 "b"`, `read 1 "a"`, `wrote 1`, `wrote 2`}, seen.log())
		closeBoth(t, w, r)
	})
}

func TestUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, r := netem.NewPipe(netem.PipeConfig{
			Direction: netem.Direction{Buffer: 10},
			Travel:    delayed(func(s netem.Segment) time.Duration { return time.Duration(s.Frame.Index) * time.Second }),
		})
		go func() {
			_, err := io.WriteString(w, "1\n2\n3\n4\nblocked\nnever sent\n")
			assert.ErrorIs(t, err, io.ErrClosedPipe)
		}()
		assert.Equal(t, "1\n", read(t, r, 2))
		time.Sleep(2500 * ms)
		assert.Equal(t, "2\n", read(t, r, 2))
		assert.Equal(t, "3", read(t, r, 1), "in part only")

		want := []string{"3", "4", "blocked"}
		assert.Equal(t, want, texts(r.Unread()))
		assert.Equal(t, []time.Duration{3 * time.Second, 0, 0}, arrivals(r.Unread()))
		time.Sleep(time.Second)
		assert.Equal(t, []time.Duration{3 * time.Second, 4 * time.Second, 0}, arrivals(r.Unread()))
		closeBoth(t, w, r)
		time.Sleep(time.Hour)
		assert.Equal(t, []time.Duration{3 * time.Second, 4 * time.Second, 0}, arrivals(r.Unread()), "nothing arrives at a closed end")
		assert.Equal(t, want, texts(r.Unread()))
	})
}
