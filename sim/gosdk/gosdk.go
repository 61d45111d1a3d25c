// Package gosdk seats the official Go SDK, github.com/modelcontextprotocol/go-sdk,
// on either side of a pair. It uses the SDK as an application does, through its
// public interface and its own newline-delimited transport, and changes nothing
// in it.
package gosdk

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// Module is the SDK's module path.
const Module = "github.com/modelcontextprotocol/go-sdk"

// Target describes the SDK in the given version, as it is linked into this
// binary.
func Target(version string) sim.Target {
	return sim.Target{
		Name:         "go-sdk",
		Version:      version,
		Package:      Module,
		SpecVersions: specVersions(),
		Doc:          "the official Go SDK over its own stdio transport (IOTransport)",
		NewClient:    newClient,
		NewServer:    newServer,
	}
}

type client struct {
	version string
	session *mcp.ClientSession
}

func newClient(env sim.ClientEnv) sim.Client { return &client{version: env.SpecVersion} }

// Connect does the handshake of the version that was asked for, and errs when
// the two agree on another one.
func (c *client) Connect(ctx context.Context, conn sim.Conn) error {
	impl := mcp.NewClient(&mcp.Implementation{Name: "mcpsim", Version: "0"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{},
	})
	session, err := impl.Connect(ctx, &mcp.IOTransport{Reader: conn.In, Writer: conn.Out}, ask(c.version))
	if err != nil {
		return err
	}
	c.session = session
	if got := session.InitializeResult().ProtocolVersion; got != c.version {
		return fmt.Errorf("negotiated protocol version %s, not %s", got, c.version)
	}
	return nil
}

// Call makes one tools/call and returns the text of its result.
func (c *client) Call(ctx context.Context, call sim.ToolCall) (string, error) {
	params := &mcp.CallToolParams{Name: call.Tool, Arguments: call.Arguments}
	if call.Progress != nil {
		params.SetProgressToken(call.Progress)
	}
	result, err := c.session.CallTool(ctx, params)
	if err != nil {
		return "", err
	}
	text := textOf(result)
	if result.IsError {
		return "", fmt.Errorf("tool error: %s", text)
	}
	return text, nil
}

func (c *client) Probe(ctx context.Context) error {
	if protocol.Modern(c.version) {
		_, err := c.session.ListTools(ctx, nil)
		return err
	}
	return c.session.Ping(ctx, nil)
}

func (c *client) Close() error { return c.session.Close() }

func textOf(result *mcp.CallToolResult) string {
	var b strings.Builder
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

type server struct{ impl *mcp.Server }

func newServer(env sim.ServerEnv) sim.Server {
	opts := &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{}}
	refusal := narrow(opts, env.SpecVersion)
	impl := mcp.NewServer(&mcp.Implementation{Name: "mcpsim-tools", Version: "0"}, opts)
	if refusal != nil {
		impl.AddReceivingMiddleware(refusal)
	}
	for _, tool := range env.Tools {
		impl.AddTool(&mcp.Tool{
			Name:        tool.Name,
			InputSchema: json.RawMessage(`{"type":"object"}`),
		}, handler(tool))
	}
	return &server{impl: impl}
}

// handler runs one of our tools inside the SDK. An error of the tool becomes a
// protocol error, as the SDK documents for low-level handlers.
func handler(tool sim.Tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		token := req.Params.GetProgressToken()
		progress := func(figure float64) error {
			if token == nil {
				return nil
			}
			return req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: figure})
		}
		text, err := tool.Run(ctx, req.Params.Arguments, progress)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	}
}

// Serve runs the server on one connection until the client has gone or ctx is
// done.
func (s *server) Serve(ctx context.Context, conn sim.Conn) error {
	return s.impl.Run(ctx, &mcp.IOTransport{Reader: conn.In, Writer: conn.Out})
}
