package reference

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A memNet is a network of one address, in memory.
type memNet struct {
	arrived chan net.Conn
	closed  chan struct{}
	close   func()
}

func newMemNet() *memNet {
	n := &memNet{arrived: make(chan net.Conn), closed: make(chan struct{})}
	n.close = sync.OnceFunc(func() { close(n.closed) })
	return n
}

func (n *memNet) Accept() (net.Conn, error) {
	select {
	case c := <-n.arrived:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

func (n *memNet) Close() error {
	n.close()
	return nil
}

func (n *memNet) Addr() net.Addr { return memAddr{} }

type memAddr struct{}

func (memAddr) Network() string { return "memory" }
func (memAddr) String() string  { return "memory" }

func (n *memNet) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case n.arrived <- theirs:
		return ours, nil
	case <-n.closed:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A webWorld is one server over HTTP and what its clients reach it by.
type webWorld struct {
	net    *memNet
	server *server
	http   *http.Server
	told   atomic.Int64

	mu    sync.Mutex // guards doors
	doors []*http.Transport
}

func newWebWorld(env sim.ServerEnv, d defect) *webWorld {
	w := &webWorld{net: newMemNet()}
	env.Tools = append(env.Tools, testTools(&w.told)...) // of two with one name the first counts
	w.server = newServer(env, d)
	w.http = &http.Server{Handler: w.server.Handler(), ErrorLog: quietLog()}
	go func() {
		if err := w.http.Serve(w.net); !errors.Is(err, http.ErrServerClosed) {
			panic(err)
		}
	}()
	return w
}

// quietLog is where a server says what it does not tell its handlers.
func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }

// door makes the way of one client to the server.
func (w *webWorld) door() sim.Conn {
	door := &http.Transport{DialContext: w.net.dial}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.doors = append(w.doors, door)
	return sim.Conn{Endpoint: "http://memory/mcp", HTTP: &http.Client{Transport: door}}
}

func (w *webWorld) close(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	require.NoError(t, w.server.Shutdown(ctx))
	for _, d := range w.doors {
		d.CloseIdleConnections()
	}
	require.NoError(t, w.http.Close())
	time.Sleep(time.Second) // which net/http leaves a client to read what it is told at last
}

// webVersions are the versions with the transports over HTTP that they have.
func webVersions() map[string]string {
	all := map[string]string{protocol.V20241105: sim.HTTPSSE}
	for _, v := range protocol.Versions()[1:] {
		all[v] = sim.StreamableHTTP
	}
	return all
}

// inWeb runs a test with a client that is connected to a server, both strict, at each
// version.
func inWeb(t *testing.T, play func(t *testing.T, w *webWorld, c *client)) {
	for version, transport := range webVersions() {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWebWorld(sim.ServerEnv{SpecVersion: version, Transport: transport}, none)
				defer w.close(t)
				c := newClient(sim.ClientEnv{SpecVersion: version, Transport: transport}, none)
				require.NoError(t, c.Connect(context.Background(), w.door()))
				play(t, w, c)
				require.NoError(t, c.Close())
				synctest.Wait()
				require.Zero(t, w.server.Sessions())
			})
		})
	}
}

func callOf(tool string, ms string, token any) sim.Request {
	return sim.Request{Method: protocol.ToolsCall, Name: tool, Arguments: json.RawMessage(`{"ms":` + ms + `}`), Progress: token}
}

func TestWebCalls(t *testing.T) {
	inWeb(t, func(t *testing.T, w *webWorld, c *client) {
		value, err := c.Call(t.Context(), callOf("slow", "100", nil))
		require.NoError(t, err)
		assert.Equal(t, "done", value)
		value, err = c.Call(t.Context(), callOf("chatty", "100", "token"))
		require.NoError(t, err)
		assert.Equal(t, "done", value)
		_, err = c.Call(t.Context(), callOf("broken", "1", nil))
		require.ErrorContains(t, err, "no luck")
		require.NoError(t, c.Probe(t.Context()))
	})
}

func TestWebCancel(t *testing.T) {
	inWeb(t, func(t *testing.T, w *webWorld, c *client) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := c.Call(ctx, callOf("slow", "1000", nil))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 50*time.Millisecond, time.Since(start))
		time.Sleep(time.Millisecond)
		assert.EqualValues(t, 1, w.told.Load())
		require.NoError(t, c.Probe(t.Context()))
	})
}

// A countingDoor counts the messages that come by SSE streams.
type countingDoor struct {
	next  http.RoundTripper
	count *int
}

func (d *countingDoor) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := d.next.RoundTrip(r)
	if err == nil && resp.Header.Get("Content-Type") == "text/event-stream" {
		resp.Body = &countedBody{ReadCloser: resp.Body, count: d.count}
	}
	return resp, err
}

type countedBody struct {
	io.ReadCloser
	count *int
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	*b.count += strings.Count(string(p[:n]), "data: {")
	return n, err
}
