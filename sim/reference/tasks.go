package reference

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A task is a call of a tool that was answered at once and works on. Its status
// changes once, under the gate's lock:
//
//	working ─▶ completed | failed   when the tool returns
//	        └▶ cancelled            when a tasks/cancel is acted on; what the tool does then changes nothing
//
// What is said of a task is decided under that lock too, and written later, when the
// turn comes. It is kept until the session ends, whatever its ttl.
type task struct {
	call  *call         // what the tool runs under, and reports progress of: closed when the task is over
	over  chan struct{} // closed when the task is
	state protocol.Task // guarded by gate.mu
	text  string        // what the tool returned. Read once over is closed
	err   error         // likewise
	told  int           // how often its status was asked for when it was over; see answerFor. Guarded by gate.mu
}

// pollInterval is what clients are advised to wait between two questions, in
// milliseconds. Simulated callers have a plan of their own.
const pollInterval = 100

// asTask reports whether a request is to be run as a task.
func (n *session) asTask(m *history.Message) bool {
	return n.env.Tasks && m.Augmented && m.Method == protocol.ToolsCall
}

// runTask answers c, a tools/call, with a task, and then runs the tool. A cancel that
// was read before the answer is written has c forgotten: then there is no task.
func (n *session) runTask(c *call, params string) {
	t := &task{call: &call{lane: n.lane, token: c.token, figure: math.Inf(-1)}, over: make(chan struct{})}
	t.call.ctx, t.call.tell = context.WithCancel(n.ctx)
	defer t.call.tell()
	run, refusal := n.tool(t.call, params)
	if refusal != nil {
		n.answer(c, c.refusal(*refusal))
		return
	}
	ttl, err := strconv.ParseInt(protocol.Member(protocol.Member(params, "task"), "ttl"), 10, 64)
	if err != nil {
		ttl = 0 // none was asked for
	}
	if !n.beginTask(c, t, ttl) {
		return
	}
	c.leave() // the rest is the task's
	text, err := n.guarded(t.call, run)
	n.finish(t, text, err)
}

// beginTask makes the task known and answers c with it. It reports false when c is closed.
func (n *session) beginTask(c *call, t *task, ttl int64) bool {
	c.lane.take()
	defer c.lane.yield()
	if !n.settle(c) {
		return false
	}
	now := n.now()
	n.mu.Lock()
	t.state = protocol.Task{
		ID: fmt.Sprintf("task-%d", len(n.tasks)+1), Status: protocol.Working,
		Created: now, Updated: now, TTL: ttl, Poll: pollInterval,
	}
	t.call.id = protocol.TasksResult + " " + t.state.ID
	n.tasks = append(n.tasks, t)
	state := t.state
	n.mu.Unlock()
	c.lane.write(protocol.AppendResult(make([]byte, 0, frameSize), c.id, `{"task":`+shown(state)+`}`))
	return true
}

// now is the time as tasks show it. Each session begins on the same day, so that what
// the server says of its tasks depends on nothing that came before.
func (n *session) now() string {
	return time.Date(2025, 11, 25, 0, 0, 0, 0, time.UTC).Add(time.Since(n.began)).Format(time.RFC3339)
}

// finish ends the task with what its tool returned, if it was not cancelled before, and
// tells the client.
func (n *session) finish(t *task, text string, err error) {
	status := protocol.TaskCompleted
	if err != nil {
		status = protocol.TaskFailed
	}
	if !n.endTask(t, status, text, err) {
		n.afterCancelledTask(t, status)
		return
	}
	n.announce(t)
}

// endTask moves the task to a status in which it is over. It reports false when it is
// over already.
func (n *session) endTask(t *task, status, text string, err error) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if protocol.Terminal(t.state.Status) {
		return false
	}
	t.state.Status, t.state.Updated = status, n.now()
	t.text, t.err = text, err
	t.call.closed = true
	close(t.over)
	return true
}

// announce tells the client how a task is that has changed.
func (n *session) announce(t *task) {
	t.call.lane.take()
	defer t.call.lane.yield()
	t.call.lane.write(protocol.AppendNotification(make([]byte, 0, frameSize), protocol.TaskStatus, shown(n.stateOf(t))))
}

func (n *session) stateOf(t *task) protocol.Task {
	n.mu.Lock()
	defer n.mu.Unlock()
	return t.state
}

func shown(t protocol.Task) string { return string(protocol.AppendTask(nil, t)) }

// findTask returns the task that a request names, or nil and the error that it
// deserves.
func (n *session) findTask(params string) (*task, *protocol.RPCError) {
	id, _ := protocol.Text(protocol.Member(params, "taskId"))
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, t := range n.tasks {
		if t.state.ID == id && id != "" {
			return t, nil
		}
	}
	return nil, n.unknownTask(id)
}

func (n *session) getTask(c *call, params string) []byte {
	t, refusal := n.findTask(params)
	if refusal != nil {
		return c.refusal(*refusal)
	}
	return protocol.AppendResult(make([]byte, 0, frameSize), c.id, shown(n.answerFor(t)))
}

// taskResult blocks until the task is over, the request is cancelled or the session
// ends.
func (n *session) taskResult(c *call, params string) []byte {
	t, refusal := n.findTask(params)
	if refusal != nil {
		return c.refusal(*refusal)
	}
	if n.answersAtOnce(t) {
		return c.refusal(internalError(errors.New("the task is not over")))
	}
	select {
	case <-t.over:
	case <-c.ctx.Done():
		return c.refusal(internalError(c.ctx.Err()))
	}
	return appendTaskResult(make([]byte, 0, frameSize), c.id, n.stateOf(t).ID, t.text, t.err)
}

// errTaskCancelled is what the result of a cancelled task is.
var errTaskCancelled = errors.New("the task was cancelled")

// cancelTask cancels a task that is not over: first its status is changed, then the
// tool is told, and then the client gets its answer.
func (n *session) cancelTask(c *call, params string) []byte {
	t, refusal := n.findTask(params)
	if refusal != nil {
		return c.refusal(*refusal)
	}
	if n.cancelsLater(t) {
		return protocol.AppendResult(make([]byte, 0, frameSize), c.id, shown(n.stateOf(t)))
	}
	if !n.endTask(t, protocol.TaskCancelled, "", errTaskCancelled) && !n.takesLateCancels() {
		return c.refusal(*invalidParams("the task is over: it is " + n.stateOf(t).Status))
	}
	state := n.stateOf(t) // a mutant's tool, once told, changes it again
	n.tellTask(t)
	return protocol.AppendResult(make([]byte, 0, frameSize), c.id, shown(state))
}

func (n *session) listTasks(c *call, _ string) []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := []byte(`{"tasks":[`)
	for i, t := range n.tasks {
		if i > 0 {
			list = append(list, ',')
		}
		list = protocol.AppendTask(list, t.state)
	}
	return protocol.AppendResult(nil, c.id, string(append(list, `]}`...)))
}
