package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
)

// asTask has the one call of a world made as a task.
func asTask(plan string) string {
	return quiet + "load: {callers: 1, calls: 1, requests: [{kind: tools/call, task: {" + plan + "}}]}\n" + cooperativeTool
}

// asked lists what the client wrote for the call, in this order.
func asked(h *history.History) string {
	var out []string
	for _, e := range h.Events {
		if e.Side == history.Client && e.Kind == history.Write && e.Call == 1 {
			out = append(out, strings.TrimPrefix(e.Msg.Method, "notifications/"))
		}
	}
	return strings.Join(out, " ")
}

// What a caller asks of its task, and what it gets. The network takes a millisecond
// each way and the tool 10, so that the task is known after 2 and over after 11.
func TestTasks(t *testing.T) {
	const uncancelled, earlyCancel, midCancel = "cancel: {share: 0}\n",
		"cancel: {share: 1, when: {event: issued, offset: 500us}}\n", "cancel: {share: 1, when: {event: started, offset: 4ms}}\n"
	for _, row := range []struct {
		why, plan, cancel string
		asked             string
		value             string // "" for an error
		told              bool
		after             time.Duration // when the call returns, to the millisecond
	}{
		{"waits for the result", "wait: result", uncancelled,
			"tools/call tasks/result", "call 1 done", false, 12 * time.Millisecond},
		{"polls, and then gets the result", "wait: poll, every: 4ms", uncancelled,
			"tools/call tasks/get tasks/get tasks/get tasks/result", "call 1 done", false, 18 * time.Millisecond},
		{"cancels the task, and gets the answer to the waiting", "wait: result, give_up: task", midCancel,
			"tools/call tasks/result tasks/cancel", "", true, 7 * time.Millisecond},
		{"finds by polling that the task is cancelled", "wait: poll, every: 2ms, give_up: task", midCancel,
			"tools/call tasks/get tasks/cancel tasks/get", "", true, 8 * time.Millisecond},
		{"cancels the waiting alone: the tool works on", "wait: result, give_up: wait", midCancel,
			"tools/call tasks/result cancelled", "", false, 5 * time.Millisecond},
		{"gives up before the task is known, and cancels it then", "wait: result, give_up: task", earlyCancel,
			"tools/call tasks/result tasks/cancel", "", true, 4 * time.Millisecond},
		{"cancels the call before the task is known: what comes of it is nobody's", "wait: result, give_up: call", earlyCancel,
			"tools/call cancelled", "", false, 0},
		{"asks when it is over", "wait: result, then: [get, cancel, unknown]", uncancelled,
			"tools/call tasks/result tasks/get tasks/cancel", "call 1 done", false, 12 * time.Millisecond},
	} {
		t.Run(row.why, func(t *testing.T) {
			h := runWorld(t, asTask(row.plan)+row.cancel, legacy, nil)
			ret := find(h, history.Client, history.Return, nil)
			require.NotNil(t, ret)
			assert.Equal(t, row.value, ret.Value)
			assert.Equal(t, row.value == "", ret.Text != "", "%q", ret.Text)
			assert.Equal(t, row.told, find(h, history.Server, history.Told, nil) != nil, "told")
			assert.Equal(t, row.asked, asked(h))
			assert.Equal(t, row.after, (ret.At - find(h, history.Client, history.Issue, nil).At).Truncate(time.Millisecond))
			assert.NotEmpty(t, h.Header.Calls[0].Task)
			assert.Empty(t, h.Header.Calls[0].NotAsked)
			require.NotNil(t, find(h, history.Server, history.End, nil), "the tool comes to its end")
		})
	}
}

// What is asked about a task that there never was belongs to no call.
func TestUnknownTasks(t *testing.T) {
	h := runWorld(t, asTask("then: [unknown]"), legacy, nil)
	var refused []int64
	for _, e := range h.Events {
		if e.Kind == history.Write && e.Msg.Kind == history.ErrorReply {
			assert.Zero(t, e.Call)
			refused = append(refused, e.Msg.Code)
		}
	}
	assert.Equal(t, []int64{-32602, -32602, -32602}, refused, "tasks/get, tasks/cancel and tasks/result")
}

// Where there are no tasks the call keeps its place in the schedule, and is not made.
func TestTasksThatCannotBe(t *testing.T) {
	for _, row := range []struct {
		why, version string
		change       func(*sim.WorldConfig)
		notAsked     string
	}{
		{"a version without tasks", modern, nil, "2026-07-28 has no tasks"},
		{"an older one", "2025-06-18", nil, "2025-06-18 has no tasks"},
		{"a client without", legacy, func(cfg *sim.WorldConfig) { cfg.Client.Sends = sim.Methods() }, "client reference makes no tasks"},
		{"a server without", legacy, func(cfg *sim.WorldConfig) { cfg.Server.Serves = nil }, "server reference runs no tasks"},
	} {
		h := runWorld(t, asTask("wait: result"), row.version, row.change)
		assert.Equal(t, row.notAsked, h.Header.Calls[0].NotAsked, row.why)
		assert.Nil(t, find(h, history.Client, history.Issue, nil), row.why)
	}
}

// A deadline would end a request, and a task is none.
func TestTasksHaveNoDeadline(t *testing.T) {
	sc := parse(t, asTask("wait: result")+"cancel: {share: 1, timeouts: 1}\n")
	call := expand(t, sc, 1).Calls[0]
	assert.False(t, call.Deadline)
	assert.NotNil(t, call.Cancel)
}
