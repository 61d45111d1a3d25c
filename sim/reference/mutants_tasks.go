package reference

import (
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// The defects of tasks, which 2025-11-25 alone has.
const (
	acceptsLateCancels  defect = "accepts-late-cancels"
	cancelsTasksLater   defect = "cancels-tasks-later"
	orphansTasks        defect = "orphans-tasks"
	forgetsCancels      defect = "forgets-cancels"
	revivesTasks        defect = "revives-tasks"
	answersBeforeTasks  defect = "answers-before-tasks"
	wrongTaskError      defect = "wrong-task-error"
	progressAfterTasks  defect = "progress-after-tasks"
	notifiesInsteadTask defect = "notifies-instead"
)

func taskMutants() []Mutant {
	mutant := func(d defect, side history.Side, doc string, rules ...string) Mutant {
		return Mutant{Name: string(d), defect: d, Side: side, Scenario: "task-cancel", Doc: doc, Only: []string{protocol.V20251125}, Legacy: rules}
	}
	return []Mutant{
		mutant(acceptsLateCancels, history.Server, "says yes to the cancel of a task that is over: TASK-CANCEL-TERMINAL", "TASK-CANCEL-TERMINAL"),
		mutant(cancelsTasksLater, history.Server, "answers a tasks/cancel, and only then changes the task: TASK-CANCEL-TRANSITION", "TASK-CANCEL-TRANSITION"),
		mutant(orphansTasks, history.Server, "changes a cancelled task's status, and does not tell its tool: TASK-STOP-WORK", "TASK-STOP-WORK"),
		mutant(forgetsCancels, history.Server, "lets the end of the tool decide what a cancelled task's status is: TASK-CANCEL-STICKY", "TASK-CANCEL-STICKY"),
		mutant(revivesTasks, history.Server, "says once that a task has completed, and then that it works: TASK-TERMINAL-FINAL", "TASK-TERMINAL-FINAL"),
		mutant(answersBeforeTasks, history.Server, "answers tasks/result at once, whether the task is over or not: TASK-RESULT-BLOCK", "TASK-RESULT-BLOCK"),
		mutant(wrongTaskError, history.Server, "takes a task that it does not know for an internal error: TASK-UNKNOWN", "TASK-UNKNOWN"),
		mutant(progressAfterTasks, history.Server, "reports progress once more when a cancelled task's tool has stopped: PROGRESS-TASK", "PROGRESS-TASK"),
		mutant(notifiesInsteadTask, history.Client, "cancels a task by notifications/cancelled, with the id of the call: CANCEL-TASK-VIA-TASKS", "CANCEL-TASK-VIA-TASKS"),
	}
}

// takesLateCancels reports whether a mutant says yes to the cancel of what is over.
func (n *session) takesLateCancels() bool { return n.defect == acceptsLateCancels }

// cancelsLater reports whether a mutant cancels t when it has answered.
func (n *session) cancelsLater(t *task) bool {
	if n.defect != cancelsTasksLater || protocol.Terminal(n.stateOf(t).Status) {
		return false
	}
	time.AfterFunc(lateBy, func() { n.endTask(t, protocol.TaskCancelled, "", errTaskCancelled) })
	t.call.tell()
	return true
}

// tellTask tells the tool of a task that was cancelled.
func (n *session) tellTask(t *task) {
	if n.defect != orphansTasks {
		t.call.tell()
	}
}

// afterCancelledTask runs when the tool of a cancelled task has ended, which would have
// given it this status.
func (n *session) afterCancelledTask(t *task, status string) {
	switch n.defect {
	case forgetsCancels:
		n.mu.Lock()
		t.state.Status = status
		n.mu.Unlock()
	case progressAfterTasks:
		if t.call.token == "" {
			return
		}
		time.Sleep(lateBy)
		t.call.lane.take()
		defer t.call.lane.yield()
		t.call.lane.write(protocol.AppendProgress(nil, t.call.token, n.oneMore(t.call)))
	}
}

// answerFor returns the state of t as a tasks/get is told.
func (n *session) answerFor(t *task) protocol.Task {
	n.mu.Lock()
	defer n.mu.Unlock()
	state := t.state
	if n.defect == revivesTasks && state.Status == protocol.TaskCompleted {
		if t.told++; t.told > 1 {
			state.Status = protocol.Working
		}
	}
	return state
}

// answersAtOnce reports whether a mutant does not wait for t, which is not over.
func (n *session) answersAtOnce(t *task) bool {
	return n.defect == answersBeforeTasks && !protocol.Terminal(n.stateOf(t).Status)
}

// unknownTask is what a request deserves that names a task which there is not.
func (n *session) unknownTask(id string) *protocol.RPCError {
	e := invalidParams("unknown task " + quote(id))
	if n.defect == wrongTaskError {
		e.Code = protocol.InternalError
	}
	return e
}

// began takes note of the request that a task came of.
func (c *client) began(m *history.Message) {
	if c.defect == notifiesInsteadTask {
		c.requests.Store(m.Task, m.ID)
	}
}

// ended takes note that the caller knows that a task is over: to cancel its call then
// would be another defect.
func (c *client) ended(task string) { c.requests.Delete(task) }

// notifiesInstead reports whether a mutant has cancelled the call that a task came of,
// instead of the task.
func (c *client) notifiesInstead(task string) bool {
	id, known := c.requests.Load(task)
	if !known {
		return false
	}
	// When the link is down there is nobody to tell.
	_ = c.link.tell(protocol.AppendCancelled(nil, id.(string), "the caller gave up"))
	return true
}
