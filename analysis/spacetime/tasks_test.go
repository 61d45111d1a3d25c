package spacetime

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// A listing of a task says that it is one, and how it is each time that it is shown.
func TestTasks(t *testing.T) {
	b := newWorld("2025-11-25", "cooperative")
	b.client(history.Issue, 1, "")
	b.j.Calls = []oracle.CallResult{{Call: 1}}
	call := Render(b.h, b.j, Options{})
	assert.Contains(t, call, "not cancelled")
	b.h.Header.Calls[0].Task = "task"
	task := Render(b.h, b.j, Options{})
	assert.Contains(t, task, `tool "cooperative", as a task`)
	assert.NotContains(t, task, "not cancelled", "that is said of calls")

	assert.Equal(t, "result 7: cancelled", name(&history.Message{Kind: history.Response, ID: "7", Task: "t", Status: "cancelled"}))
	news := &frame{msg: &history.Message{Kind: history.Notification, Method: "notifications/tasks/status", Task: "t", Status: "failed"}}
	assert.Contains(t, (&scene{}).sentWords(news), "notifications/tasks/status: failed")
	assert.Contains(t, (&scene{}).readWords(0, news), "read notifications/tasks/status: failed")
}
