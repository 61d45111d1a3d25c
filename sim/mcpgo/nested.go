package mcpgo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdkclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// clientOptions offers the server what the application answers, and nothing else.
func clientOptions(env sim.ClientEnv) []sdkclient.ClientOption {
	var out []sdkclient.ClientOption
	if env.Sample != nil {
		out = append(out, sdkclient.WithSamplingHandler(sampler(env.Sample)))
	}
	if env.Elicit != nil {
		out = append(out, sdkclient.WithElicitationHandler(eliciter(env.Elicit)))
	}
	if len(env.Roots) > 0 {
		out = append(out, sdkclient.WithRootsHandler(lister(env.Roots)))
	}
	return out
}

type sampler func(ctx context.Context, what string) (string, error)

func (answer sampler) CreateMessage(ctx context.Context, request mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	what := ""
	for _, m := range request.Messages {
		what += textOfContent(m.Content)
	}
	text, err := answer(ctx, what)
	if err != nil {
		return nil, err
	}
	result := &mcp.CreateMessageResult{Model: "none"}
	result.Role, result.Content = mcp.RoleAssistant, mcp.NewTextContent(text)
	return result, nil
}

type eliciter func(ctx context.Context, what string) (string, error)

func (answer eliciter) Elicit(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	text, err := answer(ctx, request.Params.Message)
	if err != nil {
		return nil, err
	}
	result := &mcp.ElicitationResult{}
	result.Action, result.Content = mcp.ElicitationResponseActionAccept, map[string]any{"answer": text}
	return result, nil
}

type lister []string

func (uris lister) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	result := &mcp.ListRootsResult{}
	for _, uri := range uris {
		result.Roots = append(result.Roots, mcp.Root{URI: uri})
	}
	return result, nil
}

// textOfContent returns the text of a content block, which the SDK hands over as it
// was decoded.
func textOfContent(content any) string {
	if block, ok := content.(mcp.Content); ok {
		return textOf(block)
	}
	if block, ok := content.(map[string]any); ok {
		text, _ := block["text"].(string)
		return text
	}
	return ""
}

func asks(tools []sim.Tool) bool {
	return slices.ContainsFunc(tools, func(t sim.Tool) bool { return t.Asking != nil })
}

// asking declares what a server with tools that ask needs.
func asking(tools []sim.Tool) []sdk.ServerOption {
	if !asks(tools) {
		return nil
	}
	return []sdk.ServerOption{sdk.WithElicitation(), sdk.WithRoots()}
}

// run runs a tool, and gives one that asks the client the server to ask through.
func run(tool sim.Tool, ctx context.Context, args json.RawMessage, report func(float64) error) (string, error) {
	if tool.Asking == nil {
		return tool.Run(ctx, args, report)
	}
	return tool.Asking(ctx, args, report, ask)
}

// ask makes one request of the client's.
func ask(ctx context.Context, r sim.Request) (string, error) {
	impl := sdk.ServerFromContext(ctx)
	switch r.Method {
	case protocol.Sampling:
		request := mcp.CreateMessageRequest{}
		request.MaxTokens = 100
		request.Messages = []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(r.Argument)}}
		//lint:ignore SA1019 the legacy era has it
		result, err := impl.RequestSampling(ctx, request)
		if err != nil {
			return "", err
		}
		return textOfContent(result.Content), nil
	case protocol.Elicitation:
		request := mcp.ElicitationRequest{}
		request.Params.Message = r.Argument
		request.Params.RequestedSchema = map[string]any{
			"type": "object", "properties": map[string]any{"answer": map[string]any{"type": "string"}},
		}
		result, err := impl.RequestElicitation(ctx, request)
		if err != nil {
			return "", err
		}
		content, _ := result.Content.(map[string]any)
		text, _ := content["answer"].(string)
		return text, nil
	case protocol.RootsList:
		request := mcp.ListRootsRequest{}
		request.Params.Meta = metaOf(r)
		result, err := impl.RequestRoots(ctx, request)
		if err != nil {
			return "", err
		}
		var uris []string
		for _, root := range result.Roots {
			uris = append(uris, root.URI)
		}
		return strings.Join(uris, " "), nil
	}
	return "", fmt.Errorf("the SDK's server has no call for %s", r.Method)
}
