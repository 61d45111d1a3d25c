package netem_test

import (
	"io"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/netem"
)

func TestHalfCloseDeliversThenEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		w, r := netem.NewPipe(netem.PipeConfig{
			Direction: netem.Direction{Bandwidth: 1000},
			Travel:    constant(5 * ms),
			Tap:       seen.tap(),
		})
		start := time.Now()
		write(t, w, "1234\n1234\n")
		require.NoError(t, w.Close())
		all, err := io.ReadAll(r)
		require.NoError(t, err)
		assert.Equal(t, "1234\n1234\n", string(all))
		assert.Equal(t, 15*ms+1, time.Since(start), "the end travels behind the last frame")
		assert.Equal(t, []string{
			`write 1 "1234"`, `write 2 "1234"`, `wrote 1`, `wrote 2`, `close`, `read 1 "1234"`, `read 2 "1234"`, `eof`,
		}, seen.log())

		_, err = r.Read(make([]byte, 1))
		assert.Equal(t, io.EOF, err, "the end stays")
		_, err = w.Write([]byte("late\n"))
		assert.Equal(t, io.ErrClosedPipe, err)
		assert.Equal(t, []string{`write 3 "late"`, `wrote 3: io: read/write on closed pipe`}, seen.log(), "the end is shown once")
		assert.Empty(t, r.Unread())
		require.NoError(t, r.Close())
	})
}

// Frames without line end, by what is known when the last byte is handed over.
func TestEndWithoutNewline(t *testing.T) {
	for _, test := range []struct {
		why        string
		closeFirst bool
		want       []string
	}{
		{"closed before it is read: the last byte is the frame's end", true,
			[]string{`write 1 "{}" ...`, `close`, `read 1 "{}" ...`, `eof`}},
		{"closed after it was read: only the end of the stream shows it", false,
			[]string{`write 1 "{}" ...`, `close`, `read 1 "{}" ...`, `eof`}},
	} {
		t.Run(test.why, func(t *testing.T) {
			var seen recorder
			w, r := netem.NewPipe(netem.PipeConfig{Tap: seen.tap()})
			write(t, w, "{}")
			if test.closeFirst {
				require.NoError(t, w.Close())
			}
			assert.Equal(t, "{}", read(t, r, 10))
			assert.Equal(t, test.closeFirst, len(seen.read()) == 1)
			require.NoError(t, w.Close())
			_, err := r.Read(make([]byte, 10))
			require.Equal(t, io.EOF, err)
			assert.Equal(t, test.want, seen.log())
		})
	}
}

// A Write that continues a frame and fails half-way must not pass for one that
// was read: the receiver never had its end.
func TestFrameThatFailedHalfWayIsNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		w, r := netem.NewPipe(netem.PipeConfig{Direction: netem.Direction{Buffer: 4}, Tap: seen.tap()})
		go func() {
			n, err := io.WriteString(w, "abcdef\n")
			assert.Equal(t, 4, n)
			assert.Equal(t, io.ErrClosedPipe, err)
		}()
		synctest.Wait()
		require.NoError(t, w.Close())
		all, err := io.ReadAll(r)
		require.NoError(t, err)
		assert.Equal(t, "abcd", string(all), "what was sent before the close is delivered")
		assert.Equal(t, []string{`write 1 "abcdef"`, `close`, `eof`}, without(seen.log(), `wrote 1: io: read/write on closed pipe`))
		assert.Equal(t, []string{"abcdef"}, texts(r.Unread()))
		assert.Zero(t, r.Unread()[0].Arrived)
	})
}

// without removes one line, whose place among the others is open.
func without(log []string, line string) []string {
	for i, l := range log {
		if l == line {
			return append(log[:i:i], log[i+1:]...)
		}
	}
	return append(log, "missing: "+line)
}

func TestWriteOnABrokenPipeTouchesNoOpenFrame(t *testing.T) {
	var seen recorder
	w, r := netem.NewPipe(netem.PipeConfig{Tap: seen.tap()})
	write(t, w, "open")
	require.NoError(t, r.Close())
	_, err := io.WriteString(w, "ed\nnew\nrest")
	require.Equal(t, io.ErrClosedPipe, err)
	_, err = w.Write(nil)
	require.Equal(t, io.ErrClosedPipe, err)
	assert.Equal(t, []string{
		`write 1 "open" ...`,
		`write 2 "new"`, `write 3 "rest" ...`,
		`wrote 1 ...: io: read/write on closed pipe`, `wrote 2: io: read/write on closed pipe`, `wrote 3 ...: io: read/write on closed pipe`,
	}, seen.log())
	assert.Equal(t, []string{"open"}, texts(r.Unread()))
}

func TestResetLosesWhatIsUnderWay(t *testing.T) {
	for _, test := range []struct {
		why   string
		reset func(*netem.Writer, *netem.Reader)
	}{
		{"by the writing end", func(w *netem.Writer, _ *netem.Reader) { w.Reset() }},
		{"by the reading end", func(_ *netem.Writer, r *netem.Reader) { r.Reset() }},
		{"after a close whose end is still under way", func(w *netem.Writer, _ *netem.Reader) {
			if w.Close() == nil {
				w.Reset()
			}
		}},
	} {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var seen recorder
				w, r := netem.NewPipe(netem.PipeConfig{
					Travel: delayed(func(s netem.Segment) time.Duration { return time.Duration(s.Frame.Index) * ms }),
					Tap:    seen.tap(),
				})
				write(t, w, "one\ntwo\nthree\n")
				time.Sleep(2 * ms)
				test.reset(w, r)
				time.Sleep(time.Second)
				assert.Equal(t, "one\ntwo\n", read(t, r, 100), "what had arrived is still there")
				for range 2 {
					_, err := r.Read(make([]byte, 1))
					assert.Equal(t, netem.ErrReset, err)
				}
				_, err := w.Write([]byte("late\n"))
				assert.Equal(t, netem.ErrReset, err)
				w.Reset()
				closeBoth(t, w, r)

				assert.Equal(t, []string{"three"}, texts(r.Unread()))
				assert.Zero(t, r.Unread()[0].Arrived)
				log := seen.log()
				assert.Equal(t, 1, count(log, "reset"), log)
				assert.Zero(t, count(log, "eof"), log)
			})
		})
	}
}

func count(log []string, line string) (n int) {
	for _, l := range log {
		if l == line {
			n++
		}
	}
	return n
}

func TestResetAfterTheEndIsNothing(t *testing.T) {
	var seen recorder
	w, r := netem.NewPipe(netem.PipeConfig{Tap: seen.tap()})
	require.NoError(t, w.Close())
	_, err := r.Read(make([]byte, 1))
	require.Equal(t, io.EOF, err)
	r.Reset()
	_, err = r.Read(make([]byte, 1))
	assert.Equal(t, io.EOF, err)
	assert.Equal(t, []string{"close", "eof"}, seen.log())
}

// TestEndingUnblocks: whatever ends a pipe lets blocked Reads and Writes go in
// that instant, however often and from how many goroutines it is called.
func TestEndingUnblocks(t *testing.T) {
	for _, test := range []struct {
		why         string
		end         func(*netem.Writer, *netem.Reader)
		read, write error
	}{
		{"close by the writer", func(w *netem.Writer, _ *netem.Reader) { _ = w.Close() }, io.EOF, io.ErrClosedPipe},
		{"close by the reader", func(_ *netem.Writer, r *netem.Reader) { _ = r.Close() }, io.ErrClosedPipe, io.ErrClosedPipe},
		{"reset", func(w *netem.Writer, _ *netem.Reader) { w.Reset() }, netem.ErrReset, netem.ErrReset},
	} {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				errs := make(chan error, 4)
				full, fullReader := netem.NewPipe(netem.PipeConfig{Direction: netem.Direction{Buffer: 1}, Travel: constant(time.Hour)})
				empty, emptyReader := netem.NewPipe(netem.PipeConfig{})
				for range 2 { // one has the turn, one waits for it
					go func() { _, err := full.Write([]byte("too long\n")); errs <- err }()
					go func() { _, err := emptyReader.Read(make([]byte, 1)); errs <- err }()
				}
				synctest.Wait()
				require.Empty(t, errs, "all are blocked")
				for range 3 {
					go test.end(full, fullReader)
					go test.end(empty, emptyReader)
				}
				time.Sleep(time.Nanosecond) // in which the end of the stream travels
				synctest.Wait()
				require.Len(t, errs, 4)
				assert.ElementsMatch(t, []error{test.read, test.read, test.write, test.write}, []error{<-errs, <-errs, <-errs, <-errs})
			})
		})
	}
}

// TestNothingRemains: a pipe owns no goroutine, at work or closed.
func TestNothingRemains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := runtime.NumGoroutine()
		w, r := netem.NewPipe(netem.PipeConfig{Travel: constant(time.Hour)})
		write(t, w, "under way\n")
		assert.LessOrEqual(t, runtime.NumGoroutine(), before) // one of an earlier test may end meanwhile
		done := make(chan struct{})
		go func() { defer close(done); _, _ = r.Read(make([]byte, 1)) }()
		synctest.Wait()
		require.NoError(t, r.Close())
		<-done
		synctest.Wait()
		assert.LessOrEqual(t, runtime.NumGoroutine(), before) // one of an earlier test may end meanwhile
	})
}

// A tap may end the pipe that it watches, from inside any of its calls.
func TestTapMayEndThePipe(t *testing.T) {
	for _, at := range []string{"write", "wrote", "read", "eof", "hangup"} {
		for _, how := range []string{"close", "reset", "close reader"} {
			t.Run(how+" in "+at, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var w *netem.Writer
					var r *netem.Reader
					act := func(here string) {
						switch {
						case here != at:
						case how == "close":
							assert.NoError(t, w.Close())
						case how == "reset":
							w.Reset()
						default:
							assert.NoError(t, r.Close())
						}
						r.Unread()
					}
					w, r = netem.NewPipe(netem.PipeConfig{Tap: netem.Tap{
						Write:  func(*netem.Frame) { act("write") },
						Wrote:  func(*netem.Frame, error) { act("wrote") },
						Read:   func(*netem.Frame) { act("read") },
						EOF:    func() { act("eof") },
						Hangup: func(bool) { act("hangup") },
					}})
					_, err := w.Write([]byte("x\n"))
					assert.Equal(t, at == "write", err != nil, "refused only when it had not been sent yet")
					assert.NoError(t, w.Close())
					_, err = io.ReadAll(r)
					if how == "close" {
						assert.NoError(t, err)
					}
				})
			})
		}
	}
}

// A reset after the close takes the end of the stream away, so that nothing
// says that the open frame was whole.
func TestResetLeavesTheOpenFrameUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		w, r := netem.NewPipe(netem.PipeConfig{Travel: constant(ms), Tap: seen.tap()})
		write(t, w, "{}")
		assert.Equal(t, "{}", read(t, r, 10))
		require.NoError(t, w.Close())
		w.Reset()
		_, err := r.Read(make([]byte, 1))
		assert.Equal(t, netem.ErrReset, err)
		assert.Empty(t, seen.read())
		assert.Equal(t, []string{"{}"}, texts(r.Unread()))
	})
}
