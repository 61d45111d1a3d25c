package reference

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// An answerer runs the application's code for a request and returns the frame
// that answers it.
type answerer func(n *session, c *call, params string) []byte

// answerers lists what the application's code answers, by method.
func answerers(env sim.ServerEnv) map[string]answerer {
	all := map[string]answerer{protocol.ToolsCall: (*session).callTool}
	if len(env.Resources) > 0 {
		all[protocol.ResourcesRead] = (*session).readResource
	}
	if len(env.Prompts) > 0 {
		all[protocol.PromptsGet] = (*session).getPrompt
	}
	if env.Complete != nil {
		all[protocol.Complete] = (*session).complete
	}
	if env.Tasks {
		all[protocol.TasksGet] = (*session).getTask
		all[protocol.TasksResult] = (*session).taskResult
		all[protocol.TasksCancel] = (*session).cancelTask
		all[protocol.TasksList] = (*session).listTasks
	}
	if env.Changes {
		all[protocol.Listen] = (*session).listen
		all[protocol.ToolsList] = (*session).listTools
	}
	return all
}

func (n *session) callTool(c *call, params string) []byte {
	run, refusal := n.tool(c, params)
	if refusal != nil {
		return c.refusal(*refusal)
	}
	if err := n.stopped(c); err != nil { // told before it began: do not begin
		return c.refusal(internalError(err))
	}
	text, err := n.guarded(c, run)
	return appendToolResult(make([]byte, 0, frameSize), n.version, c.id, text, err)
}

// tool returns what runs the tool that the params of a tools/call ask for, under the
// context of c; or the error that they deserve.
func (n *session) tool(c *call, params string) (run func(progress func(float64) error) (string, error), refusal *protocol.RPCError) {
	name, _ := protocol.Text(protocol.Member(params, "name"))
	i := slices.IndexFunc(n.env.Tools, func(t sim.Tool) bool { return t.Name == name })
	if i < 0 {
		return nil, invalidParams(fmt.Sprintf("unknown tool %q", name))
	}
	args := protocol.Member(params, "arguments")
	if args == "" {
		args = `{}`
	}
	if args[0] != '{' {
		return nil, invalidParams("arguments are no object")
	}
	return func(progress func(float64) error) (string, error) {
		tool := n.env.Tools[i]
		if tool.Polling != nil {
			return tool.Polling(c.ctx, json.RawMessage(args), progress, c.dismiss)
		}
		if tool.Asking != nil {
			return tool.Asking(c.ctx, json.RawMessage(args), progress, n.askFor(c))
		}
		return tool.Run(c.ctx, json.RawMessage(args), progress)
	}, nil
}

func (n *session) readResource(c *call, params string) []byte {
	uri, _ := protocol.Text(protocol.Member(params, "uri"))
	i := slices.IndexFunc(n.env.Resources, func(r sim.Resource) bool { return matches(r.Template, uri) })
	if i < 0 {
		return c.refusal(*invalidParams(fmt.Sprintf("unknown resource %q", uri)))
	}
	return n.answerWith(c, n.env.Resources[i].Read, uri, func(text string) string {
		return cacheable(n.version) + `"contents":[{"uri":` + quote(uri) + `,"text":` + quote(text) + `}]`
	})
}

// matches reports whether a URI is one of a template's, whose one variable comes
// last.
func matches(template, uri string) bool {
	prefix, _, _ := strings.Cut(template, "{")
	rest, found := strings.CutPrefix(uri, prefix)
	return found && rest != "" && !strings.Contains(rest, "/")
}

func (n *session) getPrompt(c *call, params string) []byte {
	prompt := n.prompt(protocol.Member(params, "name"))
	value, given := protocol.Text(protocol.Member(protocol.Member(params, "arguments"), sim.PromptArgument))
	switch {
	case prompt == nil:
		return c.refusal(*invalidParams("unknown prompt " + protocol.Member(params, "name")))
	case !given:
		return c.refusal(*invalidParams("the argument " + sim.PromptArgument + " is missing"))
	}
	return n.answerWith(c, prompt.Get, value, func(text string) string {
		return finished(n.version) + `"messages":[{"role":"user","content":{"type":"text","text":` + quote(text) + `}}]`
	})
}

// prompt returns the prompt of that name, raw JSON, or nil.
func (n *session) prompt(raw string) *sim.Prompt {
	name, _ := protocol.Text(raw)
	for i := range n.env.Prompts {
		if n.env.Prompts[i].Name == name {
			return &n.env.Prompts[i]
		}
	}
	return nil
}

func (n *session) complete(c *call, params string) []byte {
	argument := protocol.Member(params, "argument")
	name, _ := protocol.Text(protocol.Member(argument, "name"))
	value, given := protocol.Text(protocol.Member(argument, "value"))
	if n.prompt(protocol.Member(protocol.Member(params, "ref"), "name")) == nil || name != sim.PromptArgument || !given {
		return c.refusal(*invalidParams("there is no such argument to complete"))
	}
	return n.answerWith(c, n.env.Complete, value, func(text string) string {
		return finished(n.version) + `"completion":{"values":[` + quote(text) + `],"total":1,"hasMore":false}`
	})
}

// answerWith runs code of the application's and returns the frame that answers c:
// a result with the members that the text makes, or an error reply.
func (n *session) answerWith(c *call, answer sim.Answer, what string, members func(text string) string) []byte {
	if err := n.stopped(c); err != nil { // told before it began: do not begin
		return c.refusal(internalError(err))
	}
	text, err := n.guarded(c, func(progress func(float64) error) (string, error) {
		return answer(c.ctx, what, progress)
	})
	if err != nil {
		return c.refusal(internalError(err))
	}
	return protocol.AppendResult(make([]byte, 0, frameSize), c.id, `{`+members(text)+`}`)
}

// guarded runs code of the application's. One that panics has failed, and nothing
// else has.
func (n *session) guarded(c *call, run func(progress func(float64) error) (string, error)) (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	text, err = run(func(figure float64) error { return n.progress(c, figure) })
	if err == nil {
		n.speak(c, text)
	}
	return n.textFor(text), err
}

func (c *call) refusal(e protocol.RPCError) []byte { return protocol.AppendError(nil, c.id, e) }

func internalError(err error) protocol.RPCError {
	return protocol.RPCError{Code: protocol.InternalError, Message: err.Error()}
}
