package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A TaskPlan says what the caller of a tools/call does that is made as a task, which
// the version 2025-11-25 of the protocol has: the call is answered at once, by the
// task's id, and whoever wants its result asks for it.
type TaskPlan struct {
	Wait string // how it waits for the result: ByResult or ByPolling
	// Every is how long it waits from one answer to the next question, if it polls.
	Every Distribution
	// GiveUp is what it does when it loses interest: GiveUpTask, GiveUpWait or GiveUpCall.
	GiveUp string
	// Then lists what it asks when it has control back and the tool's time is over, in
	// this order: ThenGet, ThenCancel, ThenUnknown.
	Then []string
}

// How a caller waits for a task.
const (
	// ByResult: tasks/result, which is not answered before the task is over.
	ByResult = "result"
	// ByPolling: tasks/get every so often, and tasks/result once the task is over.
	ByPolling = "poll"
)

// What a caller of a task does who loses interest.
const (
	// GiveUpTask: it cancels the task by tasks/cancel, as soon as it knows its id, and
	// goes on waiting for what comes of that.
	GiveUpTask = "task"
	// GiveUpWait: it cancels the request that it waits with, and leaves the task alone.
	GiveUpWait = "wait"
	// GiveUpCall: as GiveUpTask; but as long as it does not know the task's id it cancels
	// the call itself. A task that comes of it all the same belongs to nobody.
	GiveUpCall = "call"
)

// What a caller asks of a task that is over.
const (
	ThenGet     = "get"     // tasks/get
	ThenCancel  = "cancel"  // tasks/cancel, which must be refused
	ThenUnknown = "unknown" // tasks/get, tasks/cancel and tasks/result of a task that there never was
)

func (d *decoder) task(n *node, path string) *TaskPlan {
	t := &TaskPlan{Wait: ByResult, GiveUp: GiveUpTask}
	d.mapping(n, path,
		key{"wait", d.text(&t.Wait, ByResult), ""},
		key{"every", d.distribution(&t.Every), ""},
		key{"give_up", d.text(&t.GiveUp, GiveUpTask), ""},
		key{"then", d.texts(&t.Then, "["+ThenGet+"]"), ""},
	)
	return t
}

func (c *checker) task(path string, k RequestKind) {
	if k.Task == nil {
		return
	}
	path += ".task"
	if k.Kind != protocol.ToolsCall {
		c.fault(path, "only "+protocol.ToolsCall+" can be made as a task", "leave it out")
	}
	c.oneOf(path+".wait", k.Task.Wait, ByResult, ByPolling)
	c.oneOf(path+".give_up", k.Task.GiveUp, GiveUpTask, GiveUpWait, GiveUpCall)
	c.distribution(path+".every", k.Task.Every, maxHandlerTime)
	polls, every := k.Task.Wait == ByPolling, k.Task.Every != Distribution{}
	switch {
	case polls && !every:
		c.fault(path+".every", "this is missing", "say how often to ask: every: 20ms")
	case !polls && every:
		c.fault(path+".every", "who waits for the result does not poll", "leave it out, or write wait: "+ByPolling)
	}
	for i, then := range k.Task.Then {
		c.oneOf(fmt.Sprintf("%s.then[%d]", path, i), then, ThenGet, ThenCancel, ThenUnknown)
	}
	if len(k.Task.Then) > maxThen {
		c.fault(path+".then", fmt.Sprintf("there are %d questions", len(k.Task.Then)), fmt.Sprintf("ask %d at most", maxThen))
	}
}

// maxThen bounds what is asked of one task that is over.
const maxThen = 8

// hasTasks reports whether calls are made as tasks.
func (sc *Scenario) hasTasks() bool {
	return slices.ContainsFunc(sc.Load.Requests, func(k RequestKind) bool { return k.Task != nil })
}

// formatTask writes the plan as a member of its request's kind.
func formatTask(t *TaskPlan) string {
	if t == nil {
		return ""
	}
	members := []string{"wait: " + t.Wait}
	if t.Every != (Distribution{}) {
		members = append(members, "every: "+formatDistribution(t.Every))
	}
	members = append(members, "give_up: "+t.GiveUp)
	if len(t.Then) > 0 {
		members = append(members, "then: ["+strings.Join(t.Then, ", ")+"]")
	}
	return ", task: {" + strings.Join(members, ", ") + "}"
}
