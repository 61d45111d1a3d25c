package netem_test

import (
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/netem"
)

// yielding makes every call of a tap give way to other goroutines before it is
// recorded, so that an order that only luck keeps breaks.
func yielding(tap netem.Tap) netem.Tap {
	inner := tap
	tap.Write = func(f *netem.Frame) { runtime.Gosched(); inner.Write(f) }
	tap.Wrote = func(f *netem.Frame, err error) { runtime.Gosched(); inner.Wrote(f, err) }
	tap.Read = func(f *netem.Frame) { runtime.Gosched(); inner.Read(f) }
	return tap
}

// TestManyAtBothEnds: goroutines that share an end take turns. Writes do not
// mix, no byte is handed to two readers, and the tap sees one order.
func TestManyAtBothEnds(t *testing.T) {
	const writers, readers, lines = 4, 3, 200
	var seen recorder
	w, r := netem.NewPipe(netem.PipeConfig{Direction: netem.Direction{Buffer: 100}, Tap: yielding(seen.tap())})
	var writing, reading sync.WaitGroup
	for i := range writers {
		writing.Go(func() {
			for n := range lines {
				_, err := fmt.Fprintf(w, "%d:%d\nand %d:%d\n", i, n, i, n)
				assert.NoError(t, err)
			}
		})
	}
	var received atomic.Int64
	for range readers {
		reading.Go(func() {
			n, err := io.Copy(io.Discard, struct{ io.Reader }{r})
			assert.NoError(t, err)
			received.Add(n)
		})
	}
	writing.Wait()
	require.NoError(t, w.Close())
	reading.Wait()

	frames := seen.read()
	require.Len(t, frames, 2*writers*lines)
	sent := int64(0)
	for i := 0; i < len(frames); i += 2 {
		assert.Equal(t, "and "+string(frames[i].Bytes), string(frames[i+1].Bytes), "the two lines of one Write")
		sent += int64(2*len(frames[i].Bytes) + len("\nand \n"))
	}
	assert.Equal(t, sent, received.Load())
	requireTrueOrder(t, seen.take())
}

// TestRuleIsAskedOneAtATime: a rule may keep counts without a lock of its own,
// though a Close asks it while a Write is at work.
func TestRuleIsAskedOneAtATime(t *testing.T) {
	var busy, overlap atomic.Bool
	var closing sync.WaitGroup
	var w *netem.Writer
	var r *netem.Reader
	hung := make(chan struct{}) // closed when the close has begun
	w, r = netem.NewPipe(netem.PipeConfig{Tap: netem.Tap{Hangup: func(bool) { close(hung) }}, Travel: func(s netem.Segment) netem.Travel {
		if busy.Swap(true) {
			overlap.Store(true)
		}
		if !s.EOF {
			closing.Go(func() { assert.NoError(t, w.Close()) })
			<-hung
			for range 1000 {
				runtime.Gosched() // Close is at the rule's door by now, most likely
			}
		}
		busy.Store(false)
		return netem.Travel{}
	}})
	_, err := w.Write([]byte("x\n"))
	assert.Equal(t, io.ErrClosedPipe, err, "the close came first")
	closing.Wait()
	_, err = r.Read(make([]byte, 9))
	assert.Equal(t, io.EOF, err)
	assert.False(t, overlap.Load())
}

// TestTapMayKeepTheBytes: what a tap appends to a frame goes elsewhere than
// into the stream or the next frame.
func TestTapMayKeepTheBytes(t *testing.T) {
	var grown [][]byte
	w, r := netem.NewPipe(netem.PipeConfig{Tap: netem.Tap{Write: func(f *netem.Frame) {
		grown = append(grown, append(f.Bytes, '?'))
	}}})
	b := []byte("one\ntwo\r\nrest")
	_, err := w.Write(b)
	require.NoError(t, err)
	clear(b)
	write(t, w, "!\n")
	require.NoError(t, w.Close())
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Equal(t, "one\ntwo\r\nrest!\n", string(got), "neither the tap nor the writer can change what is under way")
	assert.Equal(t, []string{"one?", "two?", "rest?"}, []string{string(grown[0]), string(grown[1]), string(grown[2])})
}
