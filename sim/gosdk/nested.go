//lint:file-ignore SA1019 the legacy era has sampling and roots

package gosdk

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// clientOptions offers the server what the application answers, and nothing else.
func clientOptions(env sim.ClientEnv) *mcp.ClientOptions {
	opts := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	if len(env.Roots) > 0 {
		opts.Capabilities.RootsV2 = &mcp.RootCapabilities{}
	}
	if env.Sample != nil {
		opts.CreateMessageHandler = sampler(env.Sample)
	}
	if env.Elicit != nil {
		opts.ElicitationHandler = eliciter(env.Elicit)
	}
	return opts
}

func sampler(answer func(context.Context, string) (string, error)) func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	return func(ctx context.Context, req *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
		what := ""
		for _, m := range req.Params.Messages {
			what += textOf(m.Content)
		}
		text, err := answer(ctx, what)
		if err != nil {
			return nil, err
		}
		return &mcp.CreateMessageResult{Role: "assistant", Model: "none", Content: &mcp.TextContent{Text: text}}, nil
	}
}

func eliciter(answer func(context.Context, string) (string, error)) func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return func(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		text, err := answer(ctx, req.Params.Message)
		if err != nil {
			return nil, err
		}
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": text}}, nil
	}
}

// run runs a tool, and gives one that asks the client the session to ask through, and one
// that sends it away what ends the exchange.
func (s *server) run(tool sim.Tool, ctx context.Context, req *mcp.CallToolRequest) (string, error) {
	report := s.progress(ctx, req.Session, req.Params)
	if tool.Polling != nil && req.Extra != nil && req.Extra.CloseSSEStream != nil {
		return tool.Polling(ctx, req.Params.Arguments, report, func(wait time.Duration) {
			req.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: wait})
		})
	}
	if tool.Asking == nil {
		return tool.Run(ctx, req.Params.Arguments, report)
	}
	return tool.Asking(ctx, req.Params.Arguments, report, func(ctx context.Context, r sim.Request) (string, error) {
		return ask(ctx, req.Session, r)
	})
}

// ask makes one request of the client's.
func ask(ctx context.Context, session *mcp.ServerSession, r sim.Request) (string, error) {
	switch r.Method {
	case protocol.Sampling:
		result, err := session.CreateMessage(ctx, &mcp.CreateMessageParams{
			Meta: metaOf(r), MaxTokens: 100,
			Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: r.Argument}}},
		})
		if err != nil {
			return "", err
		}
		return textOf(result.Content), nil
	case protocol.Elicitation:
		result, err := session.Elicit(ctx, &mcp.ElicitParams{
			Meta: metaOf(r), Message: r.Argument,
			RequestedSchema: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}}}`),
		})
		if err != nil {
			return "", err
		}
		text, _ := result.Content["answer"].(string)
		return text, nil
	case protocol.RootsList:
		result, err := session.ListRoots(ctx, &mcp.ListRootsParams{Meta: metaOf(r)})
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
