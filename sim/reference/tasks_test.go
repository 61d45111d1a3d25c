package reference

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// Frames about tasks. A task begins on the 25th of November 2025; $s is how many
// seconds later something is.
func taskCall(id, tool, ms string) string {
	return fill(`{"jsonrpc":"2.0","id":$id,"method":"tools/call","params":{"name":"$tool","arguments":{"ms":$ms},"task":{"ttl":60000},"_meta":{"progressToken":"p$id"}}}`,
		"$id", id, "$tool", tool, "$ms", ms)
}

func aboutTask(id, method, task string) string {
	return fill(`{"jsonrpc":"2.0","id":$id,"method":"tasks/$method","params":{"taskId":"$task"}}`, "$id", id, "$method", method, "$task", task)
}

func taskObject(task, status, updated string) string {
	return fill(`{"taskId":"$task","status":"$status","createdAt":"2025-11-25T00:00:00Z","lastUpdatedAt":"2025-11-25T00:00:0$sZ","ttl":60000,"pollInterval":100}`,
		"$task", task, "$status", status, "$s", updated)
}

func resultFrame(id, result string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
}

func beginsTask(id, task string) step {
	return hear(resultFrame(id, `{"task":`+taskObject(task, "working", "0")+`}`))
}

func taskIs(id, task, status, updated string) step {
	return hear(resultFrame(id, taskObject(task, status, updated)))
}

func newsOf(task, status, updated string) step {
	return hear(`{"jsonrpc":"2.0","method":"notifications/tasks/status","params":` + taskObject(task, status, updated) + `}`)
}

func taskResultIs(id, text, failed string) step { return hear(taskResultFrame(id, text, failed)) }

func taskResultFrame(id, text, failed string) string {
	return resultFrame(id, fill(`{"content":[{"type":"text","text":"$text"}],"isError":$failed,"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"task-1"}}}`,
		"$text", text, "$failed", failed))
}

func openWithTasks() []step {
	return []step{
		send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`),
		hear(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}},` +
			`"serverInfo":{"name":"mcpsim-reference","version":"1"}}}`),
		send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`),
	}
}

// What the strict server does with tasks.
func TestServerTasks(t *testing.T) {
	legacy := legacyEra()
	begin := []step{send(taskCall("2", "slow", "2000")), beginsTask("2", "task-1")}
	with := func(steps ...step) []step { return slices.Concat(begin, steps) }
	gone := errorOf("3", "-32602", `unknown task "task-9"`)
	for _, c := range []conversation{
		{"the call is answered at once, the result when it is there", with(
			send(aboutTask("3", "result", "task-1")), silence(1999*time.Millisecond),
			newsOf("task-1", "completed", "2"), taskResultIs("3", "done", "false"))},
		{"who asks later gets it at once", with(
			newsOf("task-1", "completed", "2"), send(aboutTask("3", "result", "task-1")), taskResultIs("3", "done", "false"),
			send(aboutTask("4", "get", "task-1")), taskIs("4", "task-1", "completed", "2"))},
		{"a tool that fails", []step{
			send(taskCall("2", "broken", "0")), beginsTask("2", "task-1"), newsOf("task-1", "failed", "0"),
			send(aboutTask("3", "result", "task-1")), taskResultIs("3", "no luck", "true")}},
		{"a cancel: the task is cancelled when the answer comes, and the tool is told", with(
			send(aboutTask("3", "cancel", "task-1")), told(1), taskIs("3", "task-1", "cancelled", "0"), silence(time.Hour))},
		{"and stays cancelled, whatever the tool does", []step{
			send(taskCall("2", "stubborn", "2000")), beginsTask("2", "task-1"),
			send(aboutTask("3", "cancel", "task-1")), taskIs("3", "task-1", "cancelled", "0"), silence(3 * time.Second),
			send(aboutTask("4", "get", "task-1")), taskIs("4", "task-1", "cancelled", "0")}},
		{"who waits for the result hears of the cancel", with(
			send(aboutTask("3", "result", "task-1")), send(aboutTask("4", "cancel", "task-1")),
			hearBoth(resultFrame("4", taskObject("task-1", "cancelled", "0")), taskResultFrame("3", "the task was cancelled", "true")))},
		{"the cancel of a task that is over is refused", with(
			newsOf("task-1", "completed", "2"), send(aboutTask("3", "cancel", "task-1")),
			hear(errorOf("3", "-32602", "the task is over: it is completed")))},
		{"and the second cancel", with(
			send(aboutTask("3", "cancel", "task-1")), taskIs("3", "task-1", "cancelled", "0"),
			send(aboutTask("4", "cancel", "task-1")), hear(errorOf("4", "-32602", "the task is over: it is cancelled")))},
		{"a task that there is not", []step{
			send(aboutTask("3", "get", "task-9")), hear(gone), send(aboutTask("3", "result", "task-9")), hear(gone),
			send(aboutTask("3", "cancel", "task-9")), hear(gone)}},
		{"the waiting can be cancelled, and the task works on", with(
			send(aboutTask("3", "result", "task-1")), send(cancelOf("3")), told(0), newsOf("task-1", "completed", "2"), silence(time.Hour))},
		{"the notification for the call comes too late, and does nothing", with(
			send(cancelOf("2")), told(0), newsOf("task-1", "completed", "2"))},
		{"unless it comes before the answer: then there is no task", []step{
			stall(time.Second), send(legacy.call("9", "counts", "7")), sendRaw(taskCall("2", "slow", "10") + "\n" + cancelOf("2") + "\n"),
			hear(legacy.answer("9", "7")), silence(time.Minute),
			send(aboutTask("3", "get", "task-1")), hear(errorOf("3", "-32602", `unknown task "task-1"`))}},
		{"progress goes on after the answer, and ends with the task", []step{
			send(taskCall("2", "chatty", "500")), beginsTask("2", "task-1"), hear(progressOf("2", "1")), hear(progressOf("2", "2")),
			send(aboutTask("3", "cancel", "task-1")), taskIs("3", "task-1", "cancelled", "1"), silence(time.Hour)}},
		{"a call that asks for no task is one", []step{
			send(legacy.call("2", "slow", "10")), hear(legacy.answer("2", "done"))}},
		{"a tool that there is not", []step{
			send(taskCall("2", "nothing", "10")), hear(errorOf("2", "-32602", `unknown tool "nothing"`))}},
		{"tasks are listed", with(
			send(`{"jsonrpc":"2.0","id":3,"method":"tasks/list"}`), hear(resultFrame("3", `{"tasks":[`+taskObject("task-1", "working", "0")+`]}`)))},
		{"the client leaves: the tool is told", with(
			hangUp(), told(1), newsOf("task-1", "failed", "0"), heardEnd(), over(""))},
	} {
		t.Run(c.why, func(t *testing.T) {
			c.steps = slices.Concat(openWithTasks(), c.steps)
			playServerIn(t, sim.ServerEnv{SpecVersion: protocol.V20251125, Tasks: true}, none, c)
		})
	}
}

// A server that offers no tasks takes a call for a call, whatever it asks for.
func TestServerWithoutTasks(t *testing.T) {
	e := legacyEra()
	playServer(t, e.version, none, conversation{"", slices.Concat(e.open, []step{
		send(taskCall("2", "slow", "10")), hear(e.answer("2", "done")),
		send(aboutTask("3", "get", "task-1")), hear(errorOf("3", "-32601", "method not found: tasks/get")),
	})})
}

// startTask has the application call the tool of that name as a task.
func startTask(name string) step {
	return func(_ *testing.T, s *stage) {
		s.begin(name, func(ctx context.Context) (string, error) {
			return s.client.StartTask(ctx, sim.Request{Name: name, Arguments: json.RawMessage(`{"call":1}`)}, time.Minute)
		})
	}
}

func askAbout(name string, ask func(ctx context.Context, c *client) (string, error)) step {
	return func(_ *testing.T, s *stage) {
		s.begin(name, func(ctx context.Context) (string, error) { return ask(ctx, s.client) })
	}
}

// What shows on the wire when a defect of tasks acts. The strict peers fail every one
// of these, as TestServerTasks and TestClientTasks have it.
func TestTaskMutants(t *testing.T) {
	begin := []step{send(taskCall("2", "slow", "2000")), beginsTask("2", "task-1")}
	with := func(steps ...step) []step { return slices.Concat(openWithTasks(), begin, steps) }
	cancel := send(aboutTask("3", "cancel", "task-1"))
	conversations := map[defect]conversation{
		acceptsLateCancels: {"says yes", with(
			newsOf("task-1", "completed", "2"), cancel, taskIs("3", "task-1", "completed", "2"))},
		cancelsTasksLater: {"still works when it answers", with(cancel, taskIs("3", "task-1", "working", "0"))},
		orphansTasks:      {"the tool does not hear of it", with(cancel, taskIs("3", "task-1", "cancelled", "0"), silence(time.Second), told(0))},
		forgetsCancels: {"the tool has the last word", with(
			cancel, taskIs("3", "task-1", "cancelled", "0"), send(aboutTask("4", "get", "task-1")), taskIs("4", "task-1", "failed", "0"))},
		revivesTasks: {"completed, and then at work", with(
			newsOf("task-1", "completed", "2"), send(aboutTask("3", "get", "task-1")), taskIs("3", "task-1", "completed", "2"),
			send(aboutTask("4", "get", "task-1")), taskIs("4", "task-1", "working", "2"))},
		answersBeforeTasks: {"does not wait", with(send(aboutTask("3", "result", "task-1")), hear(errorOf("3", "-32603", "the task is not over")))},
		wrongTaskError:     {"another error", with(send(aboutTask("3", "get", "task-9")), hear(errorOf("3", "-32603", `unknown task "task-9"`)))},
		progressAfterTasks: {"one more progress", slices.Concat(openWithTasks(), []step{
			send(taskCall("2", "chatty", "500")), beginsTask("2", "task-1"), hear(progressOf("2", "1")),
			cancel, taskIs("3", "task-1", "cancelled", "0"), hear(progressOf("2", "2")), silence(time.Hour)})},
		notifiesInsteadTask: {"names the call", slices.Concat(connectedLegacy(), []step{
			startTask("slow"), hear(startedTask), send(resultFrame("2", `{"task":`+taskObject("t1", "working", "0")+`}`)), returned("slow", "t1", ""),
			askAbout("cancel", func(ctx context.Context, c *client) (string, error) { return "", c.CancelTask(ctx, "t1") }), returned("cancel", "", ""),
			hear(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"the caller gave up"}}`)})},
	}
	for _, m := range taskMutants() {
		t.Run(m.Name, func(t *testing.T) {
			c, ok := conversations[m.defect]
			require.True(t, ok, "a mutant without a conversation")
			if m.Side == history.Server {
				playServerIn(t, sim.ServerEnv{SpecVersion: protocol.V20251125, Tasks: true}, m.defect, c)
			} else {
				playClient(t, protocol.V20251125, m.defect, c)
			}
		})
	}
}

// connectedLegacy is the strict client's handshake.
func connectedLegacy() []step {
	return []step{
		connect(), hear(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcpsim-reference","version":"1"}}}`),
		send(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}}`),
		hear(`{"jsonrpc":"2.0","method":"notifications/initialized"}`),
	}
}

// startedTask is the frame of the strict client's call that asks for a task.
const startedTask = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","arguments":{"call":1},"task":{"ttl":60000}}}`

// What the strict client does with tasks.
func TestClientTasks(t *testing.T) {
	call := hear(startedTask)
	begun := send(resultFrame("2", `{"task":`+taskObject("t1", "working", "0")+`}`))
	get := askAbout("get", func(ctx context.Context, c *client) (string, error) { return c.GetTask(ctx, "t1") })
	result := askAbout("result", func(ctx context.Context, c *client) (string, error) { return c.TaskResult(ctx, "t1") })
	cancel := askAbout("cancel", func(ctx context.Context, c *client) (string, error) { return "", c.CancelTask(ctx, "t1") })
	for _, c := range []conversation{
		{"the answer tells the task's id", []step{startTask("slow"), call, begun, returned("slow", "t1", "")}},
		{"an answer without a task is none", []step{
			startTask("slow"), call, send(resultFrame("2", `{"content":[]}`)), returned("slow", "", "describes none")}},
		{"given up before it was answered: the call is cancelled", []step{
			startTask("slow"), call, giveUp("slow"), returned("slow", "", "context canceled"),
			hear(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"the caller gave up"}}`)}},
		{"how it is", []step{
			get, hear(aboutTask("2", "get", "t1")), send(resultFrame("2", taskObject("t1", "working", "0"))), returned("get", "working", "")}},
		{"its result", []step{
			result, hear(aboutTask("2", "result", "t1")), send(resultFrame("2", `{"content":[{"type":"text","text":"done"}]}`)), returned("result", "done", "")}},
		{"the waiting is given up, not the task", []step{
			result, hear(aboutTask("2", "result", "t1")), giveUp("result"), returned("result", "", "context canceled"),
			hear(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"the caller gave up"}}`)}},
		{"its cancel", []step{
			cancel, hear(aboutTask("2", "cancel", "t1")), send(resultFrame("2", taskObject("t1", "cancelled", "0"))), returned("cancel", "", "")}},
		{"a cancel that is refused", []step{
			cancel, hear(aboutTask("2", "cancel", "t1")), send(errorOf("2", "-32602", "it is over")), returned("cancel", "", "it is over")}},
	} {
		t.Run(c.why, func(t *testing.T) {
			c.steps = slices.Concat(connectedLegacy(), c.steps)
			playClient(t, protocol.V20251125, none, c)
		})
	}
}
