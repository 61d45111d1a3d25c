package gosdk

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpsim/mcpsim/sim"
)

// transport is the client's way to the server.
func (c *client) transport(conn sim.Conn) mcp.Transport {
	switch c.env.Transport {
	case sim.StreamableHTTP:
		return &mcp.StreamableClientTransport{Endpoint: conn.Endpoint, HTTPClient: conn.HTTP}
	case sim.HTTPSSE:
		return &mcp.SSEClientTransport{Endpoint: conn.Endpoint, HTTPClient: conn.HTTP}
	}
	return &mcp.IOTransport{Reader: conn.In, Writer: conn.Out}
}

// Handler returns the SDK's own, with one server behind it for all sessions.
func (s *server) Handler() http.Handler {
	get := func(*http.Request) *mcp.Server { return s.impl }
	if s.http == nil {
		return mcp.NewSSEHandler(get, nil)
	}
	return mcp.NewStreamableHTTPHandler(get, s.http)
}

// Sessions counts those that the SDK's server has. Where it is stateless, each request
// has one of its own while it is served.
func (s *server) Sessions() int {
	return len(slices.Collect(s.impl.Sessions()))
}

// Shutdown closes all sessions at once. The SDK's handlers have nothing for that, and a
// session's Close waits for what it is still doing: one that hangs holds up no other, and
// its goroutine stays when ctx ends.
func (s *server) Shutdown(ctx context.Context) error {
	sessions := slices.Collect(s.impl.Sessions())
	closed := make(chan error, len(sessions))
	for _, session := range sessions {
		go func() { closed <- session.Close() }()
	}
	var errs []error
	for range sessions {
		select {
		case err := <-closed:
			errs = append(errs, err)
		case <-ctx.Done():
			return errors.Join(append(errs, ctx.Err())...)
		}
	}
	return errors.Join(errs...)
}
