package gosdk

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// Call makes one request and returns the text of its result.
func (c *client) Call(ctx context.Context, r sim.Request) (string, error) {
	meta := metaOf(r)
	switch r.Method {
	case protocol.ToolsCall:
		return textOfTool(c.session.CallTool(ctx, &mcp.CallToolParams{Meta: meta, Name: r.Name, Arguments: r.Arguments}))
	case protocol.ResourcesRead:
		return textOfResource(c.session.ReadResource(ctx, &mcp.ReadResourceParams{Meta: meta, URI: r.Name}))
	case protocol.PromptsGet:
		return textOfPrompt(c.session.GetPrompt(ctx, &mcp.GetPromptParams{
			Meta: meta, Name: r.Name, Arguments: map[string]string{sim.PromptArgument: r.Argument},
		}))
	case protocol.Complete:
		return textOfCompletion(c.session.Complete(ctx, &mcp.CompleteParams{
			Meta:     meta,
			Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: r.Name},
			Argument: mcp.CompleteParamsArgument{Name: sim.PromptArgument, Value: r.Argument},
		}))
	case protocol.Listen:
		return "", c.listen(ctx, r.Name)
	}
	return "", c.ask(ctx, r.Method, meta)
}

// ask makes a request that the server answers by itself.
func (c *client) ask(ctx context.Context, method string, meta mcp.Meta) (err error) {
	switch method {
	case protocol.ToolsList:
		_, err = c.session.ListTools(ctx, &mcp.ListToolsParams{Meta: meta})
	case protocol.ResourcesList:
		_, err = c.session.ListResources(ctx, &mcp.ListResourcesParams{Meta: meta})
	case protocol.TemplatesList:
		_, err = c.session.ListResourceTemplates(ctx, &mcp.ListResourceTemplatesParams{Meta: meta})
	case protocol.PromptsList:
		_, err = c.session.ListPrompts(ctx, &mcp.ListPromptsParams{Meta: meta})
	case protocol.Ping:
		err = c.session.Ping(ctx, &mcp.PingParams{Meta: meta})
	default:
		err = fmt.Errorf("the SDK's client has no call for %s", method)
	}
	return err
}

// metaOf returns what the application puts into a request's _meta, nil for
// nothing.
func metaOf(r sim.Request) mcp.Meta {
	var meta mcp.Meta
	put := func(key string, value any) {
		if meta == nil {
			meta = mcp.Meta{}
		}
		meta[key] = value
	}
	if r.Progress != nil {
		put(protocol.MetaToken, r.Progress)
	}
	if r.Mark > 0 {
		put(sim.MarkKey, r.Mark)
	}
	return meta
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
		b.WriteString(content.Text)
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
	if text, ok := content.(*mcp.TextContent); ok {
		return text.Text
	}
	return ""
}
