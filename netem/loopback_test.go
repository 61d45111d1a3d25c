package netem_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/netem"
)

// A world is what the suite needs of a network, simulated or not.
type world struct {
	listen func(t *testing.T) net.Listener
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
	reset  func(net.Conn)

	patience time.Duration // of an HTTP server with idle connections; 0: for ever
}

// simulated is a network with a millisecond each way and two for the set-up.
func simulated() world {
	return over(netem.NewNetwork(netem.NetworkConfig{
		Profile: wide(),
		Rig:     slow(ms, ms),
		SetUp:   func(int) time.Duration { return 2 * ms },
	}))
}

// wide has room for all that a scene writes in one go: an HTTP/2 client holds a
// mutex while it writes, and the clock of a bubble stands still for whoever waits
// for that, so the writing must not wait for time to pass.
func wide() netem.Profile {
	d := netem.Direction{Buffer: 4 << 20}
	return netem.Profile{Up: d, Down: d}
}

func loopback() world {
	return world{
		listen: func(t *testing.T) net.Listener {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			return l
		},
		dial: new(net.Dialer).DialContext,
		reset: func(c net.Conn) {
			_ = c.(*net.TCPConn).SetLinger(0) // it shows in the outcome
			_ = c.Close()
		},
	}
}

// both plays a scene in both worlds and wants one outcome, which it returns.
func both(t *testing.T, scene func(*testing.T, world) []string) {
	var actual, ours []string
	t.Run("loopback", func(t *testing.T) { actual = scene(t, loopback()) })
	t.Run("simulated", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { ours = scene(t, simulated()) })
	})
	assert.Equal(t, actual, ours)
	assert.NotEmpty(t, ours)
	t.Log(strings.Join(ours, "; "))
}

// outcome says what became of an operation, in the words of both worlds.
func outcome(err error) string {
	var timeout net.Error
	switch {
	case err == nil:
		return "done"
	case err == io.EOF:
		return "EOF"
	case errors.Is(err, syscall.ECONNRESET):
		return "reset"
	case errors.Is(err, syscall.EPIPE):
		return "broken pipe"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, net.ErrClosed):
		return "closed"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("timeout (deadline: %t)", errors.Is(err, os.ErrDeadlineExceeded))
	}
	return err.Error()
}

// shape says how an error is made.
func shape(err error) string {
	var op *net.OpError
	if !errors.As(err, &op) {
		return fmt.Sprintf("%T", err)
	}
	return fmt.Sprintf("%s %s source:%t addr:%t %T", op.Op, op.Net, op.Source != nil, op.Addr != nil, op.Err)
}

// A conn is what both worlds' connections can do beyond a net.Conn.
type conn interface {
	net.Conn
	CloseWrite() error
}

func TestConnAsOnLoopback(t *testing.T) {
	for _, test := range []struct {
		name string
		play func(t *testing.T, w world, client, server conn) []string
	}{
		{"what was written before a close arrives", func(t *testing.T, _ world, client, server conn) []string {
			write(t, client, "hello")
			require.NoError(t, client.Close())
			got, err := io.ReadAll(server)
			return []string{string(got), outcome(err)}
		}},
		{"half-close leaves the other half open", func(t *testing.T, _ world, client, server conn) []string {
			write(t, client, "question")
			require.NoError(t, client.CloseWrite())
			question, err := io.ReadAll(server)
			require.NoError(t, err)
			write(t, server, "answer to "+string(question))
			require.NoError(t, server.Close())
			answer, err := io.ReadAll(client)
			_, late := client.Write([]byte("late"))
			return []string{string(answer), outcome(err), outcome(late), shape(late)}
		}},
		{"a reset", func(t *testing.T, w world, client, server conn) []string {
			w.reset(client)
			n, err := server.Read(make([]byte, 9))
			_, own := client.Read(make([]byte, 9))
			return []string{fmt.Sprint(n), outcome(err), shape(err), outcome(own), shape(own)}
		}},
		{"a reset comes behind what was written", func(t *testing.T, w world, client, server conn) []string {
			write(t, client, "hello")
			w.reset(client)
			got, err := io.ReadAll(server)
			return []string{string(got), outcome(err)}
		}},
		{"a reset while somebody writes", func(t *testing.T, w world, client, server conn) []string {
			read(t, after(t, server, client), 1)
			w.reset(client)
			return []string{outcome(writeUntil(server))}
		}},
		{"closed with something unread", func(t *testing.T, _ world, client, server conn) []string {
			write(t, server, "ab")
			first := read(t, client, 1)
			require.NoError(t, client.Close())
			_, err := server.Read(make([]byte, 9))
			return []string{first, outcome(err)}
		}},
		{"written to a peer that has closed", func(t *testing.T, _ world, client, server conn) []string {
			require.NoError(t, client.Close())
			n, err := server.Read(make([]byte, 9))
			writing := writeUntil(server)
			m, again := server.Read(make([]byte, 9))
			return []string{fmt.Sprint(n), outcome(err), outcome(writing), shape(writing), fmt.Sprint(m), outcome(again)}
		}},
		{"everything on a closed end", func(t *testing.T, _ world, client, server conn) []string {
			require.NoError(t, client.Close())
			_, reading := client.Read(make([]byte, 9))
			_, writing := client.Write([]byte("x"))
			var all []string
			for _, err := range []error{reading, writing, client.Close(), client.SetReadDeadline(time.Time{}), client.CloseWrite()} {
				all = append(all, outcome(err), shape(err))
			}
			return all
		}},
		{"close ends a blocked read", func(t *testing.T, _ world, client, server conn) []string {
			blocked := reading(client)
			require.NoError(t, client.Close())
			return []string{outcome(<-blocked)}
		}},
		{"close ends a blocked write", func(t *testing.T, _ world, client, server conn) []string {
			blocked := make(chan error, 1)
			started := make(chan bool)
			go func() { close(started); blocked <- writeUntil(client) }()
			<-started
			require.NoError(t, client.Close())
			return []string{outcome(<-blocked)}
		}},
		{"a deadline in the past ends a blocked read", func(t *testing.T, _ world, client, server conn) []string {
			blocked := reading(client)
			require.NoError(t, client.SetReadDeadline(time.Unix(1, 0)))
			err := <-blocked
			return []string{outcome(err), shape(err)}
		}},
		{"a deadline that passes ends a blocked read", func(t *testing.T, _ world, client, server conn) []string {
			require.NoError(t, client.SetDeadline(time.Now().Add(ms)))
			_, err := client.Read(make([]byte, 9))
			return []string{outcome(err)}
		}},
		{"a deadline beats what is there, and loses nothing", func(t *testing.T, _ world, client, server conn) []string {
			write(t, server, "ab")
			got := read(t, client, 1)
			require.NoError(t, client.SetReadDeadline(time.Unix(1, 0)))
			n, err := client.Read(make([]byte, 9))
			require.NoError(t, client.SetReadDeadline(time.Time{}))
			return []string{got, fmt.Sprint(n), outcome(err), read(t, client, 9)}
		}},
		{"a deadline ends a blocked write", func(t *testing.T, _ world, client, server conn) []string {
			require.NoError(t, client.SetWriteDeadline(time.Now().Add(ms)))
			err := writeUntil(client)
			n, again := client.Write([]byte("x"))
			return []string{outcome(err), shape(err), fmt.Sprint(n), outcome(again)}
		}},
		{"what a write with a deadline sent arrives, and what comes later behind it", func(t *testing.T, _ world, client, server conn) []string {
			require.NoError(t, client.SetWriteDeadline(time.Now().Add(ms)))
			n, err := client.Write(make([]byte, 64<<20))
			require.NoError(t, client.SetWriteDeadline(time.Time{}))
			whole := make(chan []byte, 1)
			go func() { all, _ := io.ReadAll(server); whole <- all }()
			write(t, client, "end")
			require.NoError(t, client.Close())
			got := <-whole
			return []string{outcome(err), fmt.Sprint(len(got) - n), string(got[len(got)-3:])}
		}},
		{"addresses are each other's", func(t *testing.T, _ world, client, server conn) []string {
			_, isTCP := client.RemoteAddr().(*net.TCPAddr)
			return []string{
				fmt.Sprint(client.LocalAddr().String() == server.RemoteAddr().String()), fmt.Sprint(isTCP),
				fmt.Sprint(server.LocalAddr().String() == client.RemoteAddr().String()), client.LocalAddr().Network(),
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			both(t, func(t *testing.T, w world) []string {
				client, server := connect(t, w)
				defer func() {
					_ = client.Close() // either may be closed by now
					_ = server.Close()
				}()
				return test.play(t, w, client, server)
			})
		})
	}
}

func connect(t *testing.T, w world) (client, server conn) {
	l := w.listen(t)
	near, err := w.dial(t.Context(), "tcp", l.Addr().String())
	require.NoError(t, err)
	far, err := l.Accept()
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return near.(conn), far.(conn)
}

// reading blocks in a Read.
func reading(c net.Conn) <-chan error {
	result, started := make(chan error, 1), make(chan bool)
	go func() {
		close(started)
		_, err := c.Read(make([]byte, 9))
		result <- err
	}()
	<-started
	return result
}

// after returns to once something came through from it.
func after(t *testing.T, from, to net.Conn) net.Conn {
	write(t, from, "x")
	return to
}

// writeUntil writes until that fails, as it must when nobody reads.
func writeUntil(w io.Writer) error {
	block := make([]byte, 64<<10)
	for {
		if _, err := w.Write(block); err != nil {
			return err
		}
	}
}

func TestDialAsOnLoopback(t *testing.T) {
	for _, test := range []struct {
		name string
		play func(t *testing.T, w world) []string
	}{
		{"nobody listens", func(t *testing.T, w world) []string {
			l := w.listen(t)
			require.NoError(t, l.Close())
			_, err := w.dial(t.Context(), "tcp", l.Addr().String())
			return []string{outcome(err), shape(err)}
		}},
		{"the listener is closed", func(t *testing.T, w world) []string {
			l := w.listen(t)
			require.NoError(t, l.Close())
			_, err := l.Accept()
			again := l.Close()
			return []string{outcome(err), shape(err), outcome(again), shape(again)}
		}},
		{"closing the listener ends Accept", func(t *testing.T, w world) []string {
			l := w.listen(t)
			var accepting sync.WaitGroup
			var err error
			accepting.Go(func() { _, err = l.Accept() })
			require.NoError(t, l.Close())
			accepting.Wait()
			return []string{outcome(err)}
		}},
		{"closing the listener resets who was not accepted", func(t *testing.T, w world) []string {
			l := w.listen(t)
			client, err := w.dial(t.Context(), "tcp", l.Addr().String())
			require.NoError(t, err)
			require.NoError(t, l.Close())
			_, err = client.Read(make([]byte, 1))
			require.NoError(t, client.Close())
			return []string{outcome(err)}
		}},
		{"the context ended before", func(t *testing.T, w world) []string {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			l := w.listen(t)
			_, err := w.dial(ctx, "tcp", l.Addr().String())
			require.NoError(t, l.Close())
			return []string{outcome(err), strings.Fields(shape(err))[0]}
		}},
		{"no such network", func(t *testing.T, w world) []string {
			_, err := w.dial(t.Context(), "carrier pigeon", "127.0.0.1:80")
			return []string{err.Error()}
		}},
	} {
		t.Run(test.name, func(t *testing.T) { both(t, test.play) })
	}
}
