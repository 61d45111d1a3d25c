package protocol

import (
	"strconv"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// HasTasks reports whether a version has tasks: requests that are answered at once,
// and whose result is asked for later. The extension of that name that later versions
// can have is another one.
func HasTasks(version string) bool { return version == V20251125 }

// The statuses of a task.
const (
	Working       = "working"
	InputRequired = "input_required"
	TaskCompleted = "completed"
	TaskFailed    = "failed"
	TaskCancelled = "cancelled"
)

// Terminal reports whether a task with that status is over.
func Terminal(status string) bool {
	return status == TaskCompleted || status == TaskFailed || status == TaskCancelled
}

// A Task is the state of a task as a receiver shows it.
type Task struct {
	ID, Status string
	Created    string // times by RFC 3339
	Updated    string
	TTL        int64 // how long it is kept, in milliseconds since it was created
	Poll       int64 // how long to wait between two questions, in milliseconds; 0: no advice
}

// AppendTask adds the task as a JSON object.
func AppendTask(b []byte, t Task) []byte {
	b = AppendString(append(b, `{"taskId":`...), t.ID)
	b = AppendString(append(b, `,"status":`...), t.Status)
	b = AppendString(append(b, `,"createdAt":`...), t.Created)
	b = AppendString(append(b, `,"lastUpdatedAt":`...), t.Updated)
	b = strconv.AppendInt(append(b, `,"ttl":`...), t.TTL, 10)
	if t.Poll > 0 {
		b = strconv.AppendInt(append(b, `,"pollInterval":`...), t.Poll, 10)
	}
	return append(b, '}')
}

// readResult takes the task out of a result that describes one: the answer to the
// request that began it, to questions about it, or to the one for its result.
func readResult(m *history.Message, result string) {
	if !strings.Contains(result, `"taskId"`) {
		return
	}
	if task := Member(result, "task"); isObject(task) {
		readTask(m, task)
		return
	}
	if readTask(m, result); m.Task == "" {
		readTask(m, Member(Member(result, "_meta"), MetaTask))
		m.Status = ""
	}
}

// readTask takes its id and its status out of an object that describes a task.
func readTask(m *history.Message, object string) {
	m.Task, _ = Text(Member(object, "taskId"))
	m.Status, _ = Text(Member(object, "status"))
	if m.Task == "" {
		m.Status = ""
	}
}
