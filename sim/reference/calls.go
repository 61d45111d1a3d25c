package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// frame returns how the application's request looks on the wire under an id.
func (c *client) frame(r sim.Request) (func(b []byte, id string) []byte, error) {
	token, err := rawToken(r.Progress)
	if err != nil {
		return nil, err
	}
	token = c.tokenFor(token)
	params, err := paramsOf(r)
	if err != nil {
		return nil, err
	}
	if r.Method == protocol.ToolsCall && r.Mark == 0 {
		call := protocol.ToolCall{Tool: r.Name, Arguments: params, Token: token}
		return func(b []byte, id string) []byte { return protocol.AppendToolCall(b, id, c.caller, call) }, nil
	}
	call := protocol.Call{Method: r.Method, Params: params, Token: token, Mark: r.Mark}
	return func(b []byte, id string) []byte { return protocol.AppendCall(b, id, c.caller, call) }, nil
}

// paramsOf returns the members of a request's params, without _meta; of a
// tools/call, the arguments alone.
func paramsOf(r sim.Request) (string, error) {
	quoted := func(s string) string { return string(protocol.AppendString(nil, s)) }
	switch r.Method {
	case protocol.ToolsCall:
		return oneLine(r.Arguments)
	case protocol.ResourcesRead:
		return `"uri":` + quoted(r.Name), nil
	case protocol.Listen:
		asked := `"resourceSubscriptions":[` + quoted(r.Name) + `]`
		if r.Tools {
			asked = `"toolsListChanged":true,` + asked
		}
		return `"notifications":{` + asked + `}`, nil
	case protocol.PromptsGet:
		return `"name":` + quoted(r.Name) + `,"arguments":{"` + sim.PromptArgument + `":` + quoted(r.Argument) + `}`, nil
	case protocol.Complete:
		return `"ref":{"type":"ref/prompt","name":` + quoted(r.Name) + `},` +
			`"argument":{"name":"` + sim.PromptArgument + `","value":` + quoted(r.Argument) + `}`, nil
	}
	return "", nil
}

// oneLine returns the arguments as they can stand on the wire, where a frame is
// one line.
func oneLine(args []byte) (string, error) {
	if !bytes.ContainsAny(args, "\r\n") {
		return string(args), nil
	}
	var line bytes.Buffer
	if err := json.Compact(&line, args); err != nil {
		return "", fmt.Errorf("write the arguments: %w", err)
	}
	return line.String(), nil
}

// rawToken returns a progress token as raw JSON, "" for none.
func rawToken(token any) (string, error) {
	switch t := token.(type) {
	case nil:
		return "", nil
	case string:
		return string(protocol.AppendString(nil, t)), nil
	case int64:
		return strconv.FormatInt(t, 10), nil
	}
	return "", fmt.Errorf("a progress token is a string or an int64, not %T", token)
}

// A text is a piece of content as the results of several methods have it.
type text struct{ Type, Text string }

// textOf returns the text that a method's result holds, or, as an error, that of
// a tool that failed.
func textOf(method, result string) (string, error) {
	var r struct {
		Content    []text
		IsError    bool
		Contents   []text
		Messages   []struct{ Content text }
		Completion struct{ Values []string }
	}
	if err := json.Unmarshal([]byte(result), &r); err != nil {
		return "", fmt.Errorf("read the result of %s: %w", method, err)
	}
	var b strings.Builder
	switch method {
	case protocol.ToolsCall:
		for _, c := range r.Content {
			b.WriteString(c.textOnly())
		}
	case protocol.ResourcesRead:
		for _, c := range r.Contents {
			b.WriteString(c.Text)
		}
	case protocol.PromptsGet:
		for _, m := range r.Messages {
			b.WriteString(m.Content.textOnly())
		}
	case protocol.Complete:
		b.WriteString(strings.Join(r.Completion.Values, ""))
	}
	if r.IsError {
		return "", fmt.Errorf("the tool failed: %s", b.String())
	}
	return b.String(), nil
}

func (t text) textOnly() string {
	if t.Type != "text" {
		return ""
	}
	return t.Text
}
