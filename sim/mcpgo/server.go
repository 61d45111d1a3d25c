package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"

	"github.com/google/uuid"
	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcpsim/mcpsim/sim"
)

type server struct {
	mcp   *sdk.MCPServer
	stdio *sdk.StdioServer
	web   web // over HTTP
}

// newServer makes a server for whatever version the client asks for: the SDK has
// no way to serve one alone.
func (c chosen) newServer(env sim.ServerEnv) sim.Server {
	uuid.SetRand(nil) // the ids of tasks and sessions: from crypto/rand.Reader as it is now, and not as it was at the start
	s := &server{}
	opts := offers(env)
	if sim.OverHTTP(env.Transport) {
		opts = append(opts, s.web.count())
	}
	impl := sdk.NewMCPServer("mcpsim-tools", "0", opts...)
	if asks(env.Tools) {
		impl.EnableSampling()
	}
	for _, tool := range env.Tools {
		impl.AddTool(listed(env, tool.Name), handler(tool))
	}
	for _, resource := range env.Resources {
		impl.AddResourceTemplate(mcp.NewResourceTemplate(resource.Template, resource.Name), reader(resource.Read))
	}
	for _, prompt := range env.Prompts {
		impl.AddPrompt(mcp.NewPrompt(prompt.Name, mcp.WithArgument(sim.PromptArgument, mcp.RequiredArgument())), getter(prompt.Get))
	}
	s.mcp = impl
	if sim.OverHTTP(env.Transport) {
		s.web.mount(impl, env, c)
		return s
	}
	s.stdio = sdk.NewStdioServer(impl)
	s.stdio.SetErrorLogger(log.New(io.Discard, "", 0))
	return s
}

// offers declares the capabilities of what there is.
func offers(env sim.ServerEnv) []sdk.ServerOption {
	var out []sdk.ServerOption
	if len(env.Tools) > 0 {
		out = append(out, sdk.WithToolCapabilities(env.Changes))
	}
	if len(env.Resources) > 0 {
		out = append(out, sdk.WithResourceCapabilities(false, false))
	}
	if len(env.Prompts) > 0 {
		out = append(out, sdk.WithPromptCapabilities(false))
	}
	out = append(out, asking(env.Tools)...)
	if env.Complete != nil {
		out = append(out, completion(env.Complete)...)
	}
	return append(out, tasks(env)...)
}

// Serve listens on one connection until the client has gone or ctx is done. The
// SDK leaves the connection open, which a process that ends would not.
func (s *server) Serve(ctx context.Context, conn sim.Conn) error {
	err := s.stdio.Listen(ctx, conn.In, conn.Out)
	return errors.Join(err, conn.Out.Close(), conn.In.Close())
}

func handler(tool sim.Tool) sdk.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args, err := json.Marshal(request.Params.Arguments)
		if err != nil {
			return nil, err
		}
		text, err := run(tool, ctx, args, progress(ctx, request.Params.Meta))
		if err != nil {
			return nil, err
		}
		return mcp.NewToolResultText(text), nil
	}
}

func reader(run sim.Answer) sdk.ResourceTemplateHandlerFunc {
	return func(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		text, err := run(ctx, request.Params.URI, progress(ctx, metaIn(&request.Params)))
		if err != nil {
			return nil, err
		}
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: request.Params.URI, Text: text}}, nil
	}
}

func getter(run sim.Answer) sdk.PromptHandlerFunc {
	return func(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		text, err := run(ctx, request.Params.Arguments[sim.PromptArgument], progress(ctx, metaIn(&request.Params)))
		if err != nil {
			return nil, err
		}
		return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text))}), nil
	}
}

// progress returns the function with which the application reports progress of a
// request with this _meta.
func progress(ctx context.Context, meta *mcp.Meta) func(float64) error {
	return func(figure float64) error {
		if meta == nil || meta.ProgressToken == nil {
			return nil
		}
		return sdk.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": meta.ProgressToken, "progress": figure,
		})
	}
}
