package netem_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/netem"
)

// A conversation is a stream cut into writes anywhere, line ends included,
// with pauses before them, and the sizes with which it is read back.
type conversation struct {
	writes []string
	pauses []time.Duration
	sizes  []int
}

func (c conversation) stream() []byte { return []byte(strings.Join(c.writes, "")) }

func drawConversation(t *rapid.T) conversation {
	var c conversation
	text := rapid.StringOfN(rapid.SampledFrom([]rune("ab{}\r\n\n")), 1, 12, -1)
	c.writes = rapid.SliceOfN(text, 0, 12).Draw(t, "writes")
	for range c.writes {
		c.pauses = append(c.pauses, drawSpan(t, "pause"))
	}
	c.sizes = rapid.SliceOfN(rapid.IntRange(1, 20), 1, 5).Draw(t, "sizes")
	return c
}

// drawSpan draws spans that often are zero and often collide.
func drawSpan(t *rapid.T, label string) time.Duration {
	return time.Duration(rapid.SampledFrom([]int64{0, 0, 1, 2, 1000, 1_000_000, 1_000_001}).Draw(t, label))
}

func drawDelays(t *rapid.T) func(netem.Segment) time.Duration {
	delays := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) time.Duration { return drawSpan(t, "delay") }), 1, 7).Draw(t, "delays")
	return func(s netem.Segment) time.Duration { return delays[(3*s.Frame.Index+s.Part)%len(delays)] }
}

// drawTravels draws everything that can happen to a segment.
func drawTravels(t *rapid.T) func(netem.Segment) netem.Travel {
	travels := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) netem.Travel {
		travel := netem.Travel{Delay: drawSpan(t, "delay"), Window: drawSpan(t, "window")}
		for range rapid.IntRange(0, 3).Draw(t, "cuts") {
			travel.Cuts = append(travel.Cuts, netem.Cut{At: rapid.IntRange(-1, 14).Draw(t, "at"), Gap: drawSpan(t, "gap")})
		}
		slices.SortFunc(travel.Cuts, func(a, b netem.Cut) int { return a.At - b.At })
		return travel
	}), 1, 7).Draw(t, "travels")
	return func(s netem.Segment) netem.Travel { return travels[(3*s.Frame.Index+s.Part)%len(travels)] }
}

func drawStall(t *rapid.T) func(time.Duration) time.Duration {
	if rapid.Bool().Draw(t, "never stalls") {
		return nil
	}
	return every(drawSpan(t, "every")+1000, drawSpan(t, "for"))
}

// run has the conversation over a pipe, one goroutine at each end, and returns
// what was read. It reports errors instead of failing a test: a bubble cannot
// fail the property that it is part of.
func (c conversation) run(w io.WriteCloser, r io.Reader) (got []byte, err error) {
	var writeErr, readErr error
	var peers sync.WaitGroup
	peers.Go(func() { writeErr = c.write(w) })
	peers.Go(func() { got, readErr = c.read(r) })
	peers.Wait()
	return got, errors.Join(writeErr, readErr)
}

func (c conversation) write(w io.WriteCloser) error {
	for i, text := range c.writes {
		if c.pauses != nil {
			time.Sleep(c.pauses[i])
		}
		if n, err := io.WriteString(w, text); err != nil || n != len(text) {
			return fmt.Errorf("write %d of %d bytes: %w", n, len(text), err)
		}
	}
	return w.Close()
}

func (c conversation) read(r io.Reader) (got []byte, err error) {
	for i := 0; ; i++ {
		b := make([]byte, c.sizes[i%len(c.sizes)])
		n, err := r.Read(b)
		got = append(got, b[:n]...)
		switch {
		case err == io.EOF:
			return got, nil
		case err != nil:
			return got, err
		case n == 0:
			return got, errors.New("read nothing")
		}
	}
}

// TestNothingIsLost: any stream, cut anywhere, under any delays, windows, cuts,
// stalls, bandwidth and buffer, comes out as it went in, and the tap saw it in order.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := drawConversation(rt)
		direction := netem.Direction{
			Bandwidth: rapid.SampledFrom([]int64{0, 1, 3, 1000, 1_000_000_007}).Draw(rt, "bandwidth"),
			Buffer:    rapid.SampledFrom([]int{0, 1, 2, 7, 64}).Draw(rt, "buffer"),
		}
		rule, stall := drawTravels(rt), drawStall(rt)
		var seen recorder
		var got []byte
		var unread []*netem.Frame
		var err error
		synctest.Test(t, func(*testing.T) {
			w, r := netem.NewPipe(netem.PipeConfig{Direction: direction, Travel: rule, Stall: stall, Tap: seen.tap()})
			got, err = c.run(w, r)
			unread = r.Unread()
		})
		require.NoError(rt, err)
		require.Equal(rt, string(c.stream()), string(got), "bytes")
		require.Equal(rt, lines(c.stream()), texts(seen.read()), "frames")
		require.Empty(rt, unread)
		requireTrueOrder(rt, seen.take())
	})
}

// requireTrueOrder: every frame is numbered, written, wrote and read in this
// order and in the order of its number, and arrivals never decrease.
func requireTrueOrder(t require.TestingT, events []event) {
	last := map[string]int{} // the index up to which each kind has been seen
	var arrived time.Duration
	for _, e := range events {
		if e.frame == nil {
			continue
		}
		require.Equal(t, last[e.what]+1, e.frame.Index, "%v is out of order", e)
		last[e.what]++
		require.LessOrEqual(t, e.frame.Index, last["write"], "%v before the write", e)
		if e.what != "read" {
			continue
		}
		require.GreaterOrEqual(t, e.frame.Arrived, arrived, "arrivals do not decrease")
		require.Greater(t, e.frame.Arrived, e.frame.Written-1)
		arrived = e.frame.Arrived
	}
	require.Equal(t, last["write"], last["read"], "all are read")
	require.LessOrEqual(t, last["wrote"], last["write"])
}

// TestArrivalsFollowTheFormula holds each arrival to a model of its own, in
// exact fractions, as long as the buffer is never full.
func TestArrivalsFollowTheFormula(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := drawConversation(rt)
		bandwidth := rapid.SampledFrom([]int64{0, 3, 7_000, 999_999_937, 2_000_000_000}).Draw(rt, "bandwidth")
		rule := drawDelays(rt)
		var seen recorder
		var err error
		synctest.Test(t, func(*testing.T) {
			_, err = c.run(netem.NewPipe(netem.PipeConfig{
				Direction: netem.Direction{Bandwidth: bandwidth},
				Travel:    delayed(rule),
				Tap:       seen.tap(),
			}))
		})
		require.NoError(rt, err)
		require.Equal(rt, c.model(bandwidth, rule), arrivals(seen.read()))
	})
}

// model computes when each frame arrives: the same formula, without pipe.
func (c conversation) model(bandwidth int64, rule func(netem.Segment) time.Duration) []time.Duration {
	var now, previous time.Duration
	free := new(big.Rat) // when the line is free, ns
	var frames []time.Duration
	frame, part := 1, 0
	for i, text := range c.writes {
		now += c.pauses[i]
		for _, chunk := range strings.SplitAfter(text, "\n") {
			if chunk == "" {
				continue
			}
			sent := now
			if bandwidth > 0 {
				sent = transmit(free, now, int64(len(chunk)), bandwidth)
			}
			previous = max(previous+1, sent+rule(netem.Segment{Frame: &netem.Frame{Index: frame}, Part: part}))
			part++
			if part == 1 {
				frames = append(frames, 0)
			}
			frames[frame-1] = previous
			if strings.HasSuffix(chunk, "\n") {
				frame, part = frame+1, 0
			}
		}
	}
	return frames
}

// transmit moves free on by n bytes and returns it, rounded up.
func transmit(free *big.Rat, now time.Duration, n, bandwidth int64) time.Duration {
	if start := big.NewRat(int64(now), 1); free.Cmp(start) < 0 {
		free.Set(start)
	}
	free.Add(free, big.NewRat(n*int64(time.Second), bandwidth))
	ceil, rest := new(big.Int).DivMod(free.Num(), free.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		ceil.Add(ceil, big.NewInt(1))
	}
	return time.Duration(ceil.Int64())
}

// TestAnyEndIsClean: writers and a reader at work, and somebody ends the pipe
// at any instant, in any way. Nobody stays blocked (the bubble would not end),
// and what was read is a prefix of what was sent, whole lines by one writer each.
func TestAnyEndIsClean(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		direction := netem.Direction{
			Bandwidth: rapid.SampledFrom([]int64{0, 1_000_000}).Draw(rt, "bandwidth"),
			Buffer:    rapid.SampledFrom([]int{1, 10, 50, 0}).Draw(rt, "buffer"),
		}
		rule, stall := drawTravels(rt), drawStall(rt)
		writers := rapid.IntRange(1, 3).Draw(rt, "writers")
		size := rapid.IntRange(1, 30).Draw(rt, "read size")
		ends := rapid.SliceOfN(rapid.SampledFrom([]string{"close", "close reader", "reset"}), 1, 3).Draw(rt, "ends")
		when := drawSpan(rt, "end at") * time.Duration(rapid.IntRange(0, 30).Draw(rt, "times"))
		var seen recorder
		var got []byte
		var unread []*netem.Frame
		synctest.Test(t, func(*testing.T) {
			w, r := netem.NewPipe(netem.PipeConfig{Direction: direction, Travel: rule, Stall: stall, Tap: seen.tap()})
			got = struggle(w, r, writers, size, func() {
				time.Sleep(when)
				for _, end := range ends {
					endBy(end, w, r)
				}
			})
			unread = r.Unread()
		})
		events := seen.take()
		requirePrefix(rt, events, got)
		requireAccounted(rt, events, unread, got)
	})
}

func endBy(how string, w *netem.Writer, r *netem.Reader) {
	switch how {
	case "close":
		_ = w.Close() // it has no error to return
	case "close reader":
		_ = r.Close()
	case "reset":
		w.Reset()
	}
}

// struggle lets writers write until they fail, reads until that fails, and
// returns what was read.
func struggle(w *netem.Writer, r *netem.Reader, writers, size int, end func()) []byte {
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			for n := range 20 {
				if _, err := fmt.Fprintf(w, "writer %d line %d\n%d/%d again\n", i, n, i, n); err != nil {
					return
				}
				time.Sleep(time.Microsecond)
			}
		})
	}
	group.Go(end)
	var got []byte
	group.Go(func() {
		b := make([]byte, size)
		for {
			n, err := r.Read(b)
			got = append(got, b[:n]...)
			if err != nil {
				return
			}
		}
	})
	group.Wait()
	return got
}

// requirePrefix: the bytes that were read are the first of those that entered.
func requirePrefix(t require.TestingT, events []event, got []byte) {
	var entered bytes.Buffer
	for _, e := range events {
		if e.what == "write" {
			entered.WriteString(e.text + "\n")
		}
	}
	require.True(t, bytes.HasPrefix(entered.Bytes(), got), "read %q of %q", got, entered.Bytes())
}

// requireAccounted: each frame is read, or unread, or its Write failed.
func requireAccounted(t require.TestingT, events []event, unread []*netem.Frame, got []byte) {
	var whole []string
	left := map[int]bool{}
	for _, f := range unread {
		left[f.Index] = true
	}
	failed := map[int]error{}
	for _, e := range events {
		switch e.what {
		case "wrote":
			failed[e.frame.Index] = e.err
		case "read":
			whole = append(whole, e.text)
			require.False(t, left[e.frame.Index], "%v, and unread", e)
			left[e.frame.Index] = true
		}
	}
	for _, e := range events {
		if e.what == "write" && !left[e.frame.Index] {
			require.Error(t, failed[e.frame.Index], "%v, and then nothing", e)
			require.True(t, errors.Is(failed[e.frame.Index], io.ErrClosedPipe) || errors.Is(failed[e.frame.Index], netem.ErrReset))
		}
	}
	end := bytes.LastIndexByte(got, '\n') + 1
	require.Equal(t, lines(got[:end]), whole, "the frames that were read are the lines that were read")
}
