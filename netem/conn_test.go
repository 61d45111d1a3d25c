package netem_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/netem"
)

// joined returns the two ends of a new connection.
func joined(t require.TestingT, n *netem.Network) (client, server *netem.Conn) {
	l, err := n.Listen("server.test:80")
	require.NoError(t, err)
	near, err := n.DialContext(context.Background(), "tcp", "server.test:80")
	require.NoError(t, err)
	far, err := l.Accept()
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return near.(*netem.Conn), far.(*netem.Conn)
}

// TestAnyDeadlineLosesNothing: whatever the deadlines at both ends, and however
// often they pass and move, the bytes that Writes report are those that arrive.
func TestAnyDeadlineLosesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		direction := netem.Direction{
			Bandwidth: rapid.SampledFrom([]int64{0, 100_000, 1_000_000}).Draw(rt, "bandwidth"),
			Buffer:    rapid.SampledFrom([]int{1, 5, 50, 0}).Draw(rt, "buffer"),
		}
		rule, stall := drawTravels(rt), drawStall(rt)
		writers := rapid.IntRange(1, 3).Draw(rt, "writers")
		patience := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) time.Duration { return drawSpan(t, "patience") }), 1, 5).Draw(rt, "deadlines")
		pauses := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) time.Duration { return drawSpan(t, "pause") }), 1, 5).Draw(rt, "pauses")
		var seen recorder
		var sent, got []byte
		var failed error
		synctest.Test(t, func(*testing.T) {
			n := netem.NewNetwork(netem.NetworkConfig{
				Profile: netem.Profile{Up: direction},
				Rig: func(int) (up, down netem.Rig) {
					return netem.Rig{Travel: rule, Stall: stall, Tap: seen.tap()}, netem.Rig{}
				},
			})
			w, r := joined(panicking{}, n)
			sent, got, failed = hurry(w, r, writers, patience, pauses)
			_, _ = w.Close(), r.Close() // neither errs the first time
		})
		require.NoError(rt, failed)
		if writers > 1 { // who is first at noting what was sent is open
			slices.Sort(sent)
			slices.Sort(got)
		}
		require.Equal(rt, string(sent), string(got))
		requireEachOnce(rt, seen.take())
	})
}

// panicking fails where a bubble cannot fail the property that it is part of.
type panicking struct{}

func (panicking) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (panicking) FailNow()                          { panic("failed") }

// hurry has writers write and a reader read, both with a deadline each time.
func hurry(w, r *netem.Conn, writers int, patience, pauses []time.Duration) (sent, got []byte, failed error) {
	var mu sync.Mutex // guards sent and failed
	fail := func(err error) {
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			failed = errors.Join(failed, err)
		}
	}
	var writing, reading sync.WaitGroup
	for i := range writers {
		writing.Go(func() {
			for k := range 12 {
				_ = w.SetWriteDeadline(time.Now().Add(patience[(k+i)%len(patience)])) // it is open
				text := bytes.Repeat([]byte{byte('a' + i)}, 1+(7*k)%23)
				n, err := w.Write(text)
				mu.Lock()
				sent = append(sent, text[:n]...)
				fail(err)
				mu.Unlock()
				time.Sleep(pauses[k%len(pauses)] + 1)
			}
		})
	}
	reading.Go(func() {
		b := make([]byte, 9)
		for k := 0; ; k++ {
			_ = r.SetReadDeadline(time.Now().Add(patience[k%len(patience)] + 10*time.Microsecond))
			n, err := r.Read(b[:1+k%9])
			got = append(got, b[:n]...)
			if err == io.EOF {
				return
			}
			mu.Lock()
			fail(err)
			mu.Unlock()
		}
	})
	writing.Wait()
	_ = w.CloseWrite() // it is open
	reading.Wait()
	return sent, got, failed
}

// requireEachOnce: each frame is read if its Write went well, and not otherwise.
func requireEachOnce(t require.TestingT, events []event) {
	wrote, read := map[int]bool{}, map[int]bool{}
	for _, e := range events {
		switch e.what {
		case "wrote":
			wrote[e.frame.Index] = e.err == nil
		case "read":
			require.False(t, read[e.frame.Index], "%v, twice", e)
			read[e.frame.Index] = true
		}
	}
	for index, well := range wrote {
		require.Equal(t, well, read[index], "frame %d", index)
	}
}

// TestResetTravels: the other end learns of it behind what was written, for its
// reading and its writing alike, and not before.
func TestResetTravels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := netem.NewNetwork(netem.NetworkConfig{Rig: slow(30*ms, 10*ms)})
		client, server := joined(t, n)
		start := time.Now()
		write(t, client, "x")
		client.Reset()
		client.Reset() // nothing more
		time.Sleep(29 * ms)
		write(t, server, "into the void")
		assert.Equal(t, "x", read(t, server, 9))
		assert.Equal(t, 30*ms, time.Since(start))
		_, err := server.Read(make([]byte, 9))
		assert.ErrorIs(t, err, syscall.ECONNRESET)
		assert.Equal(t, 30*ms+1, time.Since(start))
		_, err = server.Write([]byte("y"))
		assert.ErrorIs(t, err, syscall.ECONNRESET)
		assert.Equal(t, 1, n.Open())
		require.NoError(t, server.Close())
		assert.Equal(t, 0, n.Open())
	})
}

// TestWriteToAClosedEnd: the answer to what is written takes a round trip, and a
// Write that waits for room is woken by it.
func TestWriteToAClosedEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := netem.NewNetwork(netem.NetworkConfig{Profile: netem.Profile{Down: netem.Direction{Buffer: 10}}, Rig: slow(30*ms, 10*ms)})
		client, server := joined(t, n)
		require.NoError(t, client.Close())
		time.Sleep(time.Second)
		start := time.Now()
		write(t, server, "four")
		_, err := server.Write(make([]byte, 100))
		assert.ErrorIs(t, err, syscall.EPIPE)
		assert.Equal(t, 40*ms, time.Since(start))
		_, err = server.Read(make([]byte, 9))
		assert.Equal(t, io.EOF, err)
		require.NoError(t, server.Close())
	})
}

func TestSetUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rigged []int
		n := netem.NewNetwork(netem.NetworkConfig{
			SetUp: func(conn int) time.Duration { return time.Duration(conn) * time.Second },
			Rig:   func(conn int) (up, down netem.Rig) { rigged = append(rigged, conn); return },
		})
		l, err := n.Listen("server.test:80")
		require.NoError(t, err)
		dial := func(ctx context.Context, address string) (net.Conn, time.Duration, error) {
			start := time.Now()
			conn, err := n.DialContext(ctx, "tcp", address)
			return conn, time.Since(start), err
		}
		_, took, err := dial(t.Context(), "nowhere.test:80")
		assert.ErrorIs(t, err, syscall.ECONNREFUSED)
		assert.EqualError(t, err, "dial tcp nowhere.test:80: connect: connection refused")
		assert.Equal(t, time.Second, took)

		ctx, cancel := context.WithTimeout(t.Context(), 500*ms)
		defer cancel()
		_, took, err = dial(ctx, "server.test:80")
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 500*ms, took)

		conn, took, err := dial(t.Context(), "server.test:80")
		require.NoError(t, err)
		assert.Equal(t, 3*time.Second, took)
		assert.Equal(t, 3, conn.(*netem.Conn).Number())
		assert.Equal(t, []int{3}, rigged)
		assert.Equal(t, "192.0.2.1:49154", conn.LocalAddr().String())
		assert.Equal(t, "server.test:80", conn.RemoteAddr().String())
		assert.Same(t, conn, n.Conn(3))

		_, err = n.Listen("server.test:80")
		assert.ErrorIs(t, err, syscall.EADDRINUSE)
		_, err = n.Listen("server.test")
		assert.EqualError(t, err, "listen tcp: address server.test: missing port in address")
		require.NoError(t, conn.Close())
		require.NoError(t, l.Close())
		assert.Equal(t, 0, n.Open(), "closing the listener closed what was not accepted")
		assert.Nil(t, n.Conn(3))
	})
}

// TestStop: everybody fails who waits for something.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := netem.NewNetwork(netem.NetworkConfig{SetUp: func(conn int) time.Duration { return time.Duration(conn-1) * time.Hour }})
		client, server := joined(t, n)
		l, err := n.Listen("other.test:80")
		require.NoError(t, err)
		var waiting sync.WaitGroup
		for want, wait := range map[error]func() error{
			syscall.ECONNRESET:   func() error { _, err := client.Read(make([]byte, 1)); return err },
			net.ErrClosed:        func() error { _, err := l.Accept(); return err },
			syscall.ECONNREFUSED: func() error { _, err := n.DialContext(t.Context(), "tcp", "other.test:80"); return err },
		} {
			waiting.Go(func() { assert.ErrorIs(t, wait(), want) })
		}
		waiting.Go(func() { assert.ErrorIs(t, writeUntil(server), syscall.ECONNRESET) })
		synctest.Wait()
		n.Stop()
		waiting.Wait()
		n.Stop()
		_, err = n.Listen("server.test:80")
		assert.ErrorIs(t, err, net.ErrClosed)
		assert.Equal(t, 1, n.Open(), "the ends are still to be closed")
		require.NoError(t, client.Close())
		require.NoError(t, server.Close())
		assert.Equal(t, 0, n.Open())
	})
}

// TestStopWhileSomebodyDials: from the moment on in which a network is being stopped, who
// connects is refused, whichever of its listeners is closed by then.
func TestStopWhileSomebodyDials(t *testing.T) {
	var n *netem.Network
	dialled := make(chan error, 2)
	dial := func(bool) { // at the reset by the listener, and at that of all connections
		_, err := n.DialContext(t.Context(), "tcp", "b.test:80")
		dialled <- err
	}
	n = netem.NewNetwork(netem.NetworkConfig{Rig: func(conn int) (up, down netem.Rig) {
		if conn == 1 {
			down.Tap.Hangup = dial
		}
		return up, down
	}})
	for _, address := range []string{"a.test:80", "b.test:80"} {
		_, err := n.Listen(address)
		require.NoError(t, err)
	}
	_, err := n.DialContext(t.Context(), "tcp", "a.test:80") // it waits there, and is reset by Stop
	require.NoError(t, err)
	n.Stop()
	assert.ErrorIs(t, <-dialled, syscall.ECONNREFUSED)
}

func TestEndsHaveOneNumber(t *testing.T) {
	client, server := joined(t, netem.NewNetwork(netem.NetworkConfig{}))
	assert.Equal(t, client.Number(), server.Number())
	ctx := netem.WithConn(t.Context(), server)
	assert.Same(t, server, netem.ConnOf(ctx))
	assert.Nil(t, netem.ConnOf(t.Context()))
}

func TestNewNetworkRefusesNonsense(t *testing.T) {
	assert.PanicsWithValue(t, "netem: new network: down: buffer: -1 bytes cannot hold anything; the least is 1, and 0 means 65536",
		func() {
			netem.NewNetwork(netem.NetworkConfig{Profile: netem.Profile{Down: netem.Direction{Buffer: -1}}})
		})
}

// TestAnyEndOfAConnIsClean: both ends at work, and somebody ends the connection at
// any instant, in any way. Nobody stays blocked, and what each end has read is the
// beginning of what the other has written.
func TestAnyEndOfAConnIsClean(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := netem.Direction{Buffer: rapid.SampledFrom([]int{1, 10, 0}).Draw(rt, "buffer")}
		up, down := drawTravels(rt), drawTravels(rt)
		ends := rapid.SliceOfN(rapid.SampledFrom([]string{"close", "reset", "close write", "stop"}), 1, 3).Draw(rt, "ends")
		at := rapid.SliceOfN(rapid.IntRange(0, 1), 3, 3).Draw(rt, "which")
		when := drawSpan(rt, "end at") * time.Duration(rapid.IntRange(0, 30).Draw(rt, "times"))
		var got [2][]byte
		var open int
		synctest.Test(t, func(*testing.T) {
			n := netem.NewNetwork(netem.NetworkConfig{
				Profile: netem.Profile{Up: d, Down: d},
				Rig:     func(int) (netem.Rig, netem.Rig) { return netem.Rig{Travel: up}, netem.Rig{Travel: down} },
			})
			client, server := joined(panicking{}, n)
			conns := [2]*netem.Conn{client, server}
			got = wrangle(conns, func() {
				time.Sleep(when)
				for i, end := range ends {
					endConn(end, conns[at[i]], n)
				}
				time.Sleep(time.Hour)
				_, _ = client.Close(), server.Close() // one may be closed
			})
			open = n.Open()
		})
		require.Zero(rt, open)
		for i := range got {
			require.Equal(rt, string(counted(len(got[i]))), string(got[i]))
		}
	})
}

func endConn(how string, c *netem.Conn, n *netem.Network) {
	switch how {
	case "close":
		_ = c.Close() // it may be closed
	case "reset":
		c.Reset()
	case "close write":
		_ = c.CloseWrite() // likewise
	case "stop":
		n.Stop()
	}
}

// wrangle writes and reads at both ends until that fails.
func wrangle(conns [2]*netem.Conn, end func()) (got [2][]byte) {
	var group sync.WaitGroup
	for i, c := range conns {
		group.Go(func() {
			for sent, text := 0, counted(1000); ; sent += 7 {
				if _, err := c.Write(text[sent%900 : sent%900+7]); err != nil || sent > 800 {
					return
				}
				time.Sleep(time.Microsecond)
			}
		})
		group.Go(func() { got[i], _ = io.ReadAll(c) }) // how it ends is drawn
	}
	group.Go(end)
	group.Wait()
	return got
}

// counted returns the first bytes of a text that never repeats nearby.
func counted(n int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%d,", i)
	}
	return b.Bytes()[:n]
}

// TestNothingKeepsAConn: a connection whose ends are closed is forgotten.
func TestNothingKeepsAConn(t *testing.T) {
	n := netem.NewNetwork(netem.NetworkConfig{})
	gone := make(chan bool)
	func() {
		client, server := joined(t, n)
		runtime.AddCleanup(client, func(gone chan bool) { close(gone) }, gone)
		require.NoError(t, client.SetDeadline(time.Now().Add(time.Hour)))
		require.NoError(t, client.Close())
		require.NoError(t, server.Close())
	}()
	for {
		runtime.GC()
		select {
		case <-gone:
			return
		default:
			runtime.Gosched()
		}
	}
}
