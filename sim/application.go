package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpsim/mcpsim/sim/protocol"
)

// serverEnv is what the simulated server's application offers: tools, and
// whatever else the scenario asks for. Each call brings its own number, by which
// the application finds what the schedule wants of it. What it then does is
// reported to the recorder directly, not over the wire.
func (w *world) serverEnv() ServerEnv {
	env := ServerEnv{
		SpecVersion: w.SpecVersion, Transport: w.Scenario.Transport, Changes: w.publishes(),
		Tasks: w.Scenario.hasTasks() && protocol.HasTasks(w.SpecVersion),
	}
	names := w.handlerNames()
	for _, name := range names {
		tool := Tool{Name: name, Run: w.runTool}
		if name == Asking {
			tool.Asking = w.runAsking
		}
		if name == Polling && w.polls() {
			tool.Polling = w.runPolling
		}
		env.Tools = append(env.Tools, tool)
	}
	if w.asksFor("resources/") || env.Changes {
		env.Resources = []Resource{{Name: "call", Template: protocol.ResourceURI + "{call}", Read: w.readResource}}
	}
	if w.asksFor("prompts/") || w.asksFor(protocol.Complete) {
		for _, name := range names {
			env.Prompts = append(env.Prompts, Prompt{Name: name, Get: w.runNumbered})
		}
	}
	if w.asksFor(protocol.Complete) {
		env.Complete = w.runNumbered
	}
	if w.Server.Unruly && len(w.Scenario.Mischief) > 0 {
		env.Mischief = w.serverMischief
	}
	return env
}

func (w *world) serverMischief(call int) (kinds []string, control bool) {
	if call < 1 || call > len(w.schedule.Calls) {
		return nil, false
	}
	c := &w.schedule.Calls[call-1]
	if c.Mischief != nil {
		kinds = c.Mischief.Server
	}
	return kinds, !c.cancelled()
}

// handlerNames lists the kinds of handlers that the schedule uses, or all of the
// scenario's when it uses none: a server without a tool answers no probe.
func (w *world) handlerNames() []string {
	var out []string
	add := func(name string) {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, call := range w.schedule.Calls {
		add(call.Tool)
	}
	if len(out) == 0 {
		for _, h := range w.Scenario.Handlers {
			add(h.Kind)
		}
	}
	return out
}

// asksFor reports whether the scenario calls a method that begins like that.
func (w *world) asksFor(prefix string) bool {
	return slices.ContainsFunc(w.Scenario.Load.Requests, func(k RequestKind) bool { return strings.HasPrefix(k.Kind, prefix) })
}

// polls reports whether tools can have the exchanges of their calls ended. Before
// 2025-11-25 a server is not to do that, and since 2026-07-28 it would end the call.
func (w *world) polls() bool {
	return w.Server.Polls && w.Scenario.Transport == StreamableHTTP && protocol.PrimesStreams(w.SpecVersion)
}

func (w *world) runTool(ctx context.Context, args json.RawMessage, progress func(float64) error) (string, error) {
	return w.runArguments(ctx, args, &handler{progress: progress})
}

func (w *world) runAsking(ctx context.Context, args json.RawMessage, progress func(float64) error, ask Ask) (string, error) {
	return w.runArguments(ctx, args, &handler{progress: progress, ask: ask})
}

func (w *world) runPolling(ctx context.Context, args json.RawMessage, progress func(float64) error, dismiss Dismiss) (string, error) {
	return w.runArguments(ctx, args, &handler{progress: progress, dismiss: dismiss})
}

// runArguments runs the handler of the call whose number the arguments give.
func (w *world) runArguments(ctx context.Context, args json.RawMessage, h *handler) (string, error) {
	var a struct {
		Call int `json:"call"`
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return "", fmt.Errorf("read the arguments: %w", err)
	}
	return w.runHandler(ctx, a.Call, h)
}

func (w *world) readResource(ctx context.Context, uri string, progress func(float64) error) (string, error) {
	number, found := strings.CutPrefix(uri, protocol.ResourceURI)
	if !found {
		return "", fmt.Errorf("there is no resource %q in this world", uri)
	}
	return w.runNumbered(ctx, number, progress)
}

// runNumbered runs the handler of the call whose number is the text.
func (w *world) runNumbered(ctx context.Context, number string, progress func(float64) error) (string, error) {
	call, err := strconv.Atoi(number)
	if err != nil {
		return "", fmt.Errorf("read the number of the call: %w", err)
	}
	return w.runHandler(ctx, call, &handler{progress: progress})
}

func (w *world) runHandler(ctx context.Context, call int, h *handler) (string, error) {
	if call < 1 || call > len(w.schedule.Calls) || w.schedule.Calls[call-1].Handler == "" {
		return "", fmt.Errorf("there is no call %d with a handler in this world", call)
	}
	h.world, h.call = w, w.schedule.Calls[call-1]
	return h.run(ctx)
}
