// Package web puts an HTTP server of one's own to the test. The server is built on an SDK,
// which tells its tools when a client has gone; in front of it stands a log of requests, as
// its author would have it: and the log hides from the SDK that the client has gone.
//
//	mcpsim run disconnect-modern --client reference --server logging@./web
package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpsim/mcpsim/sim"
)

// Target is what mcpsim looks for. Name and version are filled in.
func Target() sim.Target {
	return sim.Target{
		Package:      "example.com/own",
		Doc:          "an HTTP server with a log in front of it",
		SpecVersions: []string{"2025-11-25", "2026-07-28"},
		Transports:   []string{sim.StreamableHTTP},
		NewServer:    newServer,
	}
}

type server struct {
	impl      *mcp.Server
	stateless bool
	served    atomic.Int64 // requests, for the log
}

func newServer(env sim.ServerEnv) sim.Server {
	s := &server{stateless: env.SpecVersion >= "2026-07-28"} // the SDK serves that version without sessions alone
	s.impl = mcp.NewServer(&mcp.Implementation{Name: "logging", Version: "1.0.0"}, &mcp.ServerOptions{
		SupportedProtocolVersions: []string{env.SpecVersion},
	})
	for _, tool := range env.Tools {
		s.impl.AddTool(&mcp.Tool{Name: tool.Name, InputSchema: json.RawMessage(`{"type":"object"}`)}, run(tool))
	}
	return s
}

func run(tool sim.Tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		silent := func(float64) error { return nil }
		text, err := tool.Run(ctx, req.Params.Arguments, silent)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	}
}

// Handler is what the server listens with. It is called once.
func (s *server) Handler() http.Handler {
	get := func(*http.Request) *mcp.Server { return s.impl }
	return s.logged(mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Stateless:                    s.stateless,
		PropagateRequestCancellation: true,
	}))
}

// logged counts each request, whatever becomes of it. The bug is the context: a log that
// wants to outlive a client that hangs up must not take the news of it from everybody else.
func (s *server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.served.Add(1)
		next.ServeHTTP(w, r.WithContext(context.WithoutCancel(r.Context())))
	})
}

// Sessions returns how many are alive, -1 where nobody can tell.
func (s *server) Sessions() int { return len(slices.Collect(s.impl.Sessions())) }

// Shutdown ends all sessions and blocks until they are over, or ctx ends.
func (s *server) Shutdown(ctx context.Context) error {
	closed := make(chan error, 1)
	go func() {
		var errs []error
		for session := range s.impl.Sessions() {
			errs = append(errs, session.Close())
		}
		closed <- errors.Join(errs...)
	}()
	select {
	case err := <-closed:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Serve is for a connection of bytes. Over HTTP nobody calls it.
func (s *server) Serve(context.Context, sim.Conn) error {
	return errors.New("this server speaks HTTP alone")
}
