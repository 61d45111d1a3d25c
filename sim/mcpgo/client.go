package mcpgo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	sdk "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

type client struct {
	env     sim.ClientEnv
	with    chosen
	version string
	impl    *sdk.Client
	in      io.Closer // over stdio: the SDK leaves what it reads from to its owner
	turn    turn
}

func (c chosen) newClient(env sim.ClientEnv) sim.Client {
	return &client{env: env, with: c, version: env.SpecVersion, turn: make(turn, 1)}
}

// Connect does the handshake of the version that was asked for, and errs when
// the two agree on another one.
func (c *client) Connect(ctx context.Context, conn sim.Conn) error {
	way, err := c.transport(conn)
	if err != nil {
		return err
	}
	c.impl = sdk.NewClient(way, clientOptions(c.env)...)
	// The transport keeps this context for as long as it lives.
	if err := c.impl.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = c.version
	request.Params.ClientInfo = mcp.Implementation{Name: "mcpsim", Version: "0"}
	result, err := c.impl.Initialize(ctx, request)
	if err != nil {
		return err
	}
	if result.ProtocolVersion != c.version {
		return fmt.Errorf("negotiated protocol version %s, not %s", result.ProtocolVersion, c.version)
	}
	return nil
}

// Call makes one request and returns the text of its result.
func (c *client) Call(ctx context.Context, r sim.Request) (string, error) {
	switch r.Method {
	case protocol.ToolsCall:
		request := mcp.CallToolRequest{}
		request.Params.Name, request.Params.Arguments, request.Params.Meta = r.Name, r.Arguments, metaOf(r)
		return textOfTool(c.impl.CallTool(ctx, request))
	case protocol.ResourcesRead:
		request := mcp.ReadResourceRequest{}
		request.Params.URI = r.Name
		setMeta(&request.Params, r)
		return textOfResource(c.impl.ReadResource(ctx, request))
	case protocol.PromptsGet:
		request := mcp.GetPromptRequest{}
		request.Params.Name, request.Params.Arguments = r.Name, map[string]string{sim.PromptArgument: r.Argument}
		setMeta(&request.Params, r)
		return textOfPrompt(c.impl.GetPrompt(ctx, request))
	case protocol.Complete:
		request := mcp.CompleteRequest{}
		request.Params.Ref = mcp.PromptReference{Type: "ref/prompt", Name: r.Name}
		request.Params.Argument.Name, request.Params.Argument.Value = sim.PromptArgument, r.Argument
		return textOfCompletion(c.impl.Complete(ctx, request))
	case protocol.Listen:
		return "", c.listen(ctx, r)
	}
	return "", c.ask(ctx, r)
}

// ask makes a request that the server answers by itself.
func (c *client) ask(ctx context.Context, r sim.Request) (err error) {
	switch r.Method {
	case protocol.ToolsList:
		request := mcp.ListToolsRequest{}
		setMeta(&request.Params, r)
		_, err = c.impl.ListToolsByPage(ctx, request)
	case protocol.ResourcesList:
		request := mcp.ListResourcesRequest{}
		setMeta(&request.Params, r)
		_, err = c.impl.ListResourcesByPage(ctx, request)
	case protocol.TemplatesList:
		request := mcp.ListResourceTemplatesRequest{}
		setMeta(&request.Params, r)
		_, err = c.impl.ListResourceTemplatesByPage(ctx, request)
	case protocol.PromptsList:
		request := mcp.ListPromptsRequest{}
		setMeta(&request.Params, r)
		_, err = c.impl.ListPromptsByPage(ctx, request)
	case protocol.Ping:
		err = c.ping(ctx)
	default:
		err = fmt.Errorf("the SDK's client has no call for %s", r.Method)
	}
	return err
}

func (c *client) Probe(ctx context.Context) error {
	if protocol.Modern(c.version) {
		return c.ask(ctx, sim.Request{Method: protocol.ToolsList})
	}
	return c.ping(ctx)
}

// ping is deprecated since the modern era has none; in the legacy one, where
// alone it is used here, it is asked for as ever.
func (c *client) ping(ctx context.Context) error {
	//lint:ignore SA1019 the legacy era has it
	return c.impl.Ping(ctx)
}

// Close closes the session, and then what the SDK leaves open.
func (c *client) Close() error {
	err := c.impl.Close()
	if c.in != nil {
		err = errors.Join(err, c.in.Close())
	}
	return err
}

func textOfTool(result *mcp.CallToolResult, err error) (string, error) {
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, content := range result.Content {
		b.WriteString(textOf(content))
	}
	if result.IsError {
		return "", fmt.Errorf("tool error: %s", b.String())
	}
	return b.String(), nil
}

func textOfResource(result *mcp.ReadResourceResult, err error) (string, error) {
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, content := range result.Contents {
		if text, ok := mcp.AsTextResourceContents(content); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String(), nil
}

func textOfPrompt(result *mcp.GetPromptResult, err error) (string, error) {
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, message := range result.Messages {
		b.WriteString(textOf(message.Content))
	}
	return b.String(), nil
}

func textOfCompletion(result *mcp.CompleteResult, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return strings.Join(result.Completion.Values, ""), nil
}

func textOf(content mcp.Content) string {
	if text, ok := mcp.AsTextContent(content); ok {
		return text.Text
	}
	return ""
}
