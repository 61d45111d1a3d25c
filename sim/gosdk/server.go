package gosdk

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

type server struct {
	http *mcp.StreamableHTTPOptions // nil: over another transport
	impl *mcp.Server
}

var _ sim.HTTPServer = (*server)(nil)

func (c chosen) newServer(env sim.ServerEnv) sim.Server {
	s := &server{http: c.streamable(env)}
	opts := &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{}, CompletionHandler: s.completer(env.Complete)}
	if env.Changes {
		allowSubscriptions(opts)
	}
	refusal := narrow(opts, env.SpecVersion, s.http != nil && !s.http.Stateless)
	impl := mcp.NewServer(&mcp.Implementation{Name: "mcpsim-tools", Version: "0"}, opts)
	if refusal != nil {
		impl.AddReceivingMiddleware(refusal)
	}
	for _, tool := range env.Tools {
		impl.AddTool(&mcp.Tool{
			Name:        tool.Name,
			InputSchema: json.RawMessage(`{"type":"object"}`),
		}, s.handler(tool))
	}
	for _, resource := range env.Resources {
		impl.AddResourceTemplate(&mcp.ResourceTemplate{Name: resource.Name, URITemplate: resource.Template}, s.reader(resource.Read))
	}
	for _, prompt := range env.Prompts {
		impl.AddPrompt(&mcp.Prompt{
			Name:      prompt.Name,
			Arguments: []*mcp.PromptArgument{{Name: sim.PromptArgument, Required: true}},
		}, s.getter(prompt.Get))
	}
	s.impl = impl
	return s
}

// Serve runs the server on one connection until the client has gone or ctx is
// done.
func (s *server) Serve(ctx context.Context, conn sim.Conn) error {
	return s.impl.Run(ctx, &mcp.IOTransport{Reader: conn.In, Writer: conn.Out})
}

// handler runs one of our tools inside the SDK. An error of the tool becomes a
// protocol error, as the SDK documents for low-level handlers.
func (s *server) handler(tool sim.Tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		text, err := s.run(tool, ctx, req)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	}
}

func (s *server) reader(run sim.Answer) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		text, err := run(ctx, req.Params.URI, s.progress(ctx, req.Session, req.Params))
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, Text: text}}}, nil
	}
}

func (s *server) getter(run sim.Answer) mcp.PromptHandler {
	return func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		text, err := run(ctx, req.Params.Arguments[sim.PromptArgument], s.progress(ctx, req.Session, req.Params))
		if err != nil {
			return nil, err
		}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
	}
}

// completer returns nil for nil, so that the SDK does not declare completions.
func (s *server) completer(run sim.Answer) func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	if run == nil {
		return nil
	}
	return func(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
		text, err := run(ctx, req.Params.Argument.Value, s.progress(ctx, req.Session, req.Params))
		if err != nil {
			return nil, err
		}
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{text}, Total: 1}}, nil
	}
}

// progress returns the function with which the application reports progress of a
// request with these parameters. Where the answer is one JSON object the SDK can send
// it only if there happens to be a stream of the session's, and such an application
// does not mind if there is none.
func (s *server) progress(ctx context.Context, session *mcp.ServerSession, params mcp.Params) func(float64) error {
	token := params.GetMeta()[protocol.MetaToken]
	return func(figure float64) error {
		if token == nil {
			return nil
		}
		err := session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: figure})
		if s.http != nil && s.http.JSONResponse {
			return ctx.Err()
		}
		return err
	}
}
