package mcpgo

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// transport is the client's way to the server.
func (c *client) transport(conn sim.Conn) (transport.Interface, error) {
	switch c.env.Transport {
	case sim.StreamableHTTP:
		streamable, err := transport.NewStreamableHTTP(conn.Endpoint, c.streamable(conn)...)
		return watchHTTP(streamable), err
	case sim.HTTPSSE:
		return transport.NewSSE(conn.Endpoint, transport.WithHTTPClient(conn.HTTP), quiet(transport.WithSSELogger))
	}
	noLog := io.NopCloser(strings.NewReader(""))
	c.in = conn.In
	return watch(transport.NewIO(conn.In, conn.Out, noLog)), nil
}

// streamable opens a stream for what the server asks where the application answers
// that, as the SDK's documentation demands, or wants it anyway. There is none in the
// modern era, and the SDK asks for an older version then.
func (c *client) streamable(conn sim.Conn) []transport.StreamableHTTPCOption {
	out := []transport.StreamableHTTPCOption{transport.WithHTTPBasicClient(conn.HTTP), quiet(transport.WithHTTPLogger)}
	answers := c.env.Sample != nil || c.env.Elicit != nil || len(c.env.Roots) > 0
	if (answers || c.with.has(optListening)) && !protocol.Modern(c.version) {
		//lint:ignore SA1019 the legacy era has it
		out = append(out, transport.WithContinuousListening())
	}
	return out
}

// A web is the server's side over HTTP.
type web struct {
	handler  http.Handler
	shutdown func(context.Context) error
	alive    atomic.Int64 // sessions that were registered and are not unregistered yet
}

// count has the SDK's server tell of its sessions.
func (w *web) count() sdk.ServerOption {
	hooks := &sdk.Hooks{}
	hooks.AddOnRegisterSession(func(context.Context, sdk.ClientSession) { w.alive.Add(1) })
	hooks.AddOnUnregisterSession(func(context.Context, sdk.ClientSession) { w.alive.Add(-1) })
	return sdk.WithHooks(hooks)
}

// mount puts the SDK's handler of the transport in front of the server.
func (w *web) mount(impl *sdk.MCPServer, env sim.ServerEnv, with chosen) {
	if env.Transport == sim.HTTPSSE {
		// Its Shutdown ends no sessions where it knows of no http.Server.
		sse := sdk.NewSSEServer(impl, sdk.WithHTTPServer(&http.Server{}))
		w.handler, w.shutdown = byMethod{stream: sse.SSEHandler(), messages: sse.MessageHandler()}, sse.Shutdown
		return
	}
	streamable := sdk.NewStreamableHTTPServer(impl, with.streamable()...)
	w.handler, w.shutdown = streamable, streamable.Shutdown
}

// byMethod serves HTTP+SSE on one path: the SDK's own paths are the router's business.
type byMethod struct{ stream, messages http.Handler }

func (h byMethod) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		h.messages.ServeHTTP(w, r)
		return
	}
	h.stream.ServeHTTP(w, r)
}

// heartbeat is how often a server with that option asks its client for a sign of life.
const heartbeat = time.Second

// streamable are the options of the SDK's handler of streamable HTTP.
func (c chosen) streamable() []sdk.StreamableHTTPOption {
	// Of these the SDK takes the last.
	out := []sdk.StreamableHTTPOption{sdk.WithStateful(c.has(optStateful)), sdk.WithStateLess(c.has(optStateless))}
	if c.has(optHeartbeat) {
		out = append(out, sdk.WithHeartbeatInterval(heartbeat))
	}
	return append(out, c.newer()...)
}

var _ sim.HTTPServer = (*server)(nil)

// Handler returns the SDK's own.
func (s *server) Handler() http.Handler { return s.web.handler }

// Sessions counts those that the SDK has announced. It announces no sessions where it
// is stateless.
func (s *server) Sessions() int { return int(s.web.alive.Load()) }

// Shutdown is the SDK's.
func (s *server) Shutdown(ctx context.Context) error { return s.web.shutdown(ctx) }

// quiet has an option that takes a logger, of whichever type the release has, take one
// that keeps quiet: the SDK would write to the process's standard error.
func quiet[L, O any](option func(L) O) O {
	var logger L
	if p, ok := any(&logger).(**slog.Logger); ok {
		*p = slog.New(slog.DiscardHandler)
	} else if l, ok := any(silence{}).(L); ok {
		logger = l
	}
	return option(logger)
}

// silence is a logger as the SDK had it before v0.56.
type silence struct{}

func (silence) Infof(string, ...any)  {}
func (silence) Errorf(string, ...any) {}
