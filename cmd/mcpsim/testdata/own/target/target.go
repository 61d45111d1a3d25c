// Package target puts a server of one's own to the test. The server is built on
// an SDK and adds a cache in front of its tools, as its author would: and the
// cache keeps on computing for a caller that has gone.
//
//	mcpsim run cancel-storm --client reference --server caching@./target
package target

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpsim/mcpsim/sim"
)

// Target is what mcpsim looks for. Name and version are filled in.
func Target() sim.Target {
	return sim.Target{
		Package:      "example.com/own",
		Doc:          "a server with a cache in front of its tools",
		SpecVersions: []string{"2025-11-25", "2026-07-28"},
		NewServer:    newServer,
	}
}

type server struct{ impl *mcp.Server }

func newServer(env sim.ServerEnv) sim.Server {
	impl := mcp.NewServer(&mcp.Implementation{Name: "caching", Version: "1.0.0"}, &mcp.ServerOptions{
		SupportedProtocolVersions: []string{env.SpecVersion},
	})
	for _, tool := range env.Tools {
		impl.AddTool(&mcp.Tool{Name: tool.Name, InputSchema: json.RawMessage(`{"type":"object"}`)}, cached(tool))
	}
	return &server{impl}
}

// Serve blocks until the session is over.
func (s *server) Serve(ctx context.Context, conn sim.Conn) error {
	return s.impl.Run(ctx, &mcp.IOTransport{Reader: conn.In, Writer: conn.Out})
}

// cached runs a tool so that its result can be kept for the next caller. The bug
// is the context: WithoutCancel keeps the tool from being told.
func cached(tool sim.Tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		silent := func(float64) error { return nil }
		text, err := tool.Run(context.WithoutCancel(ctx), req.Params.Arguments, silent)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	}
}
