package reference

import (
	"context"
	"fmt"
	"time"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// StartTask calls a tool as a task and returns the task's id. When ctx ends before the
// answer was read, the call is cancelled by a notification, since there is nothing else
// that it could be cancelled by; a task that comes of it is nobody's.
func (c *client) StartTask(ctx context.Context, r sim.Request, ttl time.Duration) (string, error) {
	token, err := rawToken(r.Progress)
	if err != nil {
		return "", fmt.Errorf("start a task: %w", err)
	}
	args, err := oneLine(r.Arguments)
	if err != nil {
		return "", fmt.Errorf("start a task: %w", err)
	}
	call := protocol.ToolCall{Tool: r.Name, Arguments: args, Token: token, TTL: ttl.Milliseconds()}
	frame := func(b []byte, id string) []byte { return protocol.AppendToolCall(b, id, c.caller, call) }
	m, err := c.ask(ctx, question{frame: frame, task: true})
	if err != nil {
		return "", err
	}
	if _, err := resultOf(m); err != nil {
		return "", err
	}
	if m.Task == "" {
		return "", fmt.Errorf("start a task: the answer to request %s describes none", m.ID)
	}
	c.began(m)
	return m.Task, nil
}

// GetTask asks how a task is.
func (c *client) GetTask(ctx context.Context, task string) (string, error) {
	m, err := c.askAbout(ctx, protocol.TasksGet, task)
	if err != nil {
		return "", err
	}
	if m.Status == "" {
		return "", fmt.Errorf("ask about a task: the answer to request %s tells no status", m.ID)
	}
	if protocol.Terminal(m.Status) {
		c.ended(task)
	}
	return m.Status, nil
}

// TaskResult waits for a task's result.
func (c *client) TaskResult(ctx context.Context, task string) (string, error) {
	m, err := c.askAbout(ctx, protocol.TasksResult, task)
	if err != nil {
		return "", err
	}
	c.ended(task)
	result, err := resultOf(m)
	if err != nil {
		return "", err
	}
	return textOf(protocol.ToolsCall, result)
}

// CancelTask cancels a task.
func (c *client) CancelTask(ctx context.Context, task string) error {
	if c.notifiesInstead(task) {
		return nil
	}
	_, err := c.askAbout(ctx, protocol.TasksCancel, task)
	return err
}

// askAbout makes a request that names a task, and returns the response that has a
// result.
func (c *client) askAbout(ctx context.Context, method, task string) (*history.Message, error) {
	call := protocol.Call{Method: method, Params: `"taskId":` + quote(task)}
	m, err := c.ask(ctx, question{frame: func(b []byte, id string) []byte { return protocol.AppendCall(b, id, c.caller, call) }})
	if err != nil {
		return nil, err
	}
	_, err = resultOf(m)
	return m, err
}
