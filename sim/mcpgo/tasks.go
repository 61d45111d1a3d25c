//go:build !mcpsim_older

package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	sdkclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcpsim/mcpsim/sim"
)

// tasker is what the SDK's client has for tasks, since v0.47.
type tasker interface {
	GetTask(context.Context, mcp.GetTaskRequest) (*mcp.GetTaskResult, error)
	TaskResult(context.Context, mcp.TaskResultRequest) (*mcp.TaskResultResult, error)
	CancelTask(context.Context, mcp.CancelTaskRequest) (*mcp.CancelTaskResult, error)
}

// taskMethods are those that the SDK's client has calls for.
func taskMethods() []string {
	if _, ok := any((*sdkclient.Client)(nil)).(tasker); ok {
		return sim.TaskMethods()
	}
	return nil
}

// servedTaskMethods are those that its server answers.
func servedTaskMethods() []string { return sim.TaskMethods() }

// tasks declares that tools can be run as tasks.
func tasks(env sim.ServerEnv) []sdk.ServerOption {
	if !env.Tasks {
		return nil
	}
	return []sdk.ServerOption{sdk.WithTaskCapabilities(true, true, true)}
}

// listed is a tool as the server lists it.
func listed(env sim.ServerEnv, name string) mcp.Tool {
	tool := mcp.NewToolWithRawSchema(name, "", json.RawMessage(`{"type":"object"}`))
	if env.Tasks {
		mcp.WithTaskSupport(mcp.TaskSupportOptional)(&tool)
	}
	return tool
}

// The watched transports look at the answer to a tools/call that asks for a task. The
// SDK's client can make such a call, and takes its answer for a result without
// content, so that an application that wants the task's id has to look for itself.
type (
	watched     struct{ *transport.Stdio }
	watchedHTTP struct{ *transport.StreamableHTTP }
)

type createdKey struct{}

// SendRequest does what the SDK's does.
func (t watched) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	response, err := t.Stdio.SendRequest(ctx, request)
	return look(ctx, response, err)
}

// SendRequest does what the SDK's does.
func (t watchedHTTP) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	response, err := t.StreamableHTTP.SendRequest(ctx, request)
	return look(ctx, response, err)
}

func look(ctx context.Context, response *transport.JSONRPCResponse, err error) (*transport.JSONRPCResponse, error) {
	if created, ok := ctx.Value(createdKey{}).(*mcp.CreateTaskResult); ok && err == nil && response.Error == nil {
		err = json.Unmarshal(response.Result, created)
	}
	return response, err
}

func watch(t *transport.Stdio) transport.Interface              { return watched{t} }
func watchHTTP(t *transport.StreamableHTTP) transport.Interface { return watchedHTTP{t} }

var _ sim.TaskClient = (*client)(nil)

// StartTask calls a tool as a task and returns the task's id.
func (c *client) StartTask(ctx context.Context, r sim.Request, ttl time.Duration) (string, error) {
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments, request.Params.Meta = r.Name, r.Arguments, metaOf(r)
	ms := ttl.Milliseconds()
	request.Params.Task = &mcp.TaskParams{TTL: &ms}
	created := &mcp.CreateTaskResult{}
	_, err := c.impl.CallTool(context.WithValue(ctx, createdKey{}, created), request)
	switch {
	case created.Task.TaskId != "":
		return created.Task.TaskId, nil
	case err == nil:
		err = errors.New("the server answered with no task")
	}
	return "", err
}

// GetTask asks how a task is.
func (c *client) GetTask(ctx context.Context, task string) (string, error) {
	request := mcp.GetTaskRequest{}
	request.Params.TaskId = task
	result, err := any(c.impl).(tasker).GetTask(ctx, request)
	if err != nil {
		return "", err
	}
	return string(result.Status), nil
}

// TaskResult waits for a task's result.
func (c *client) TaskResult(ctx context.Context, task string) (string, error) {
	request := mcp.TaskResultRequest{}
	request.Params.TaskId = task
	result, err := any(c.impl).(tasker).TaskResult(ctx, request)
	if err != nil {
		return "", err
	}
	return textOfTool(&mcp.CallToolResult{Content: result.Content, IsError: result.IsError}, nil)
}

// CancelTask cancels a task.
func (c *client) CancelTask(ctx context.Context, task string) error {
	request := mcp.CancelTaskRequest{}
	request.Params.TaskId = task
	_, err := any(c.impl).(tasker).CancelTask(ctx, request)
	return err
}
