package oracle

import (
	"fmt"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// tasksLevel is the level of a rule of tasks, which one version has.
func tasksLevel(l Level) func(string) Level {
	return func(v string) Level {
		if v != tasksVersion {
			return ""
		}
		return l
	}
}

func taskChecks() []check {
	return []check{
		{rule: "CANCEL-TASK-VIA-TASKS", side: history.World, level: tasksLevel(Must), request: revokedByTasks, cancel: viaTasks},
		{rule: "TASK-CANCEL-TERMINAL", side: history.Server, level: tasksLevel(Must), request: cancelTerminal},
		{rule: "TASK-CANCEL-TRANSITION", side: history.Server, level: tasksLevel(Must), request: cancelTransition},
		{rule: "TASK-STOP-WORK", side: history.Server, level: tasksLevel(Should), call: taskStopWork},
		{rule: "TASK-CANCEL-STICKY", side: history.Server, level: tasksLevel(Must), frame: cancelSticky},
		{rule: "TASK-TERMINAL-FINAL", side: history.Server, level: tasksLevel(MustNot), frame: terminalFinal},
		{rule: "TASK-RESULT-BLOCK", side: history.Server, level: tasksLevel(Must), request: resultBlocks},
		{rule: "TASK-UNKNOWN", side: history.Server, level: tasksLevel(Must), request: unknownTask},
		{rule: "PROGRESS-TASK", side: history.Server, level: tasksLevel(Must), frame: progressOfTask},
	}
}

// Why something about tasks was not counted.
const (
	whyNoTaskYet       = "cancel of a call before its caller knew of the task"
	whySameInstantTask = "in the instant in which the task was shown over, or known"
	whyNoSuchMethod    = "the server does not have the method"
	whyNoStatus        = "an answer that shows no status"
	whyNotRetained     = "the server has not kept the task"
	whyAskedBefore     = "asked for before the task was shown over"
	whyTaskCancelled   = "the task had been cancelled"
	whyTaskStopped     = "the tool had been told to stop"
	whyTaskGoesOn      = "a task, which goes on without a request"
)

// viaTasks: a task is not cancelled by the notification for the call that it came of.
func viaTasks(x *index, f *frame, t *tally) {
	r := f.req
	if r == nil || !r.frame.msg.Augmented {
		return // a request that waits for a task may be cancelled like any other
	}
	decided := f.write
	if r.call != nil {
		decided = earlier(r.call.cancel, earlier(r.call.revoke, decided))
	}
	switch {
	case r.reused:
		t.leave(whyUnclearID)
	case r.cancel != f:
		t.leave(whyRepeated)
	case r.frame.task == nil || !before(r.readReply, decided):
		t.leave(whyNoTaskYet)
	case decided.At <= r.readReply.At+x.grace:
		t.leave(whySameInstantTask)
	default:
		v := Violation{Side: f.side, What: "cancelled a task by the notification for the call that it came of", Lateness: span(r.readReply, f.write)}
		if r.call != nil {
			v.Call, v.Handler = r.call.Call.Call, r.call.kind()
		}
		t.fail(v, r.readReply, f.write)
	}
}

// revokedByTasks counts the tasks that were cancelled as they should.
func revokedByTasks(_ *index, r *request, t *tally) {
	if r.frame.msg.Method == tasksCancel && r.frame.task != nil {
		t.pass()
	}
}

// cancelTerminal: the cancel of a task that is over is refused, with one error.
func cancelTerminal(x *index, r *request, t *tally) {
	if r = r.asks(x, tasksCancel); r == nil || r.frame.task == nil {
		return
	}
	over := r.frame.shown
	if s := r.first.msg.Status; over == nil && s != statusCancelled && isTerminal(s) {
		over = &sight{r.first.write, s}
	}
	switch {
	case over == nil:
	case r.refusedWith(invalidParams):
		t.pass()
	case r.refusedWith(methodNotFound):
		t.leave(whyNoSuchMethod)
	case r.first.msg.Kind == history.ErrorReply:
		t.fail(r.frame.task.aboutTask(fmt.Sprintf("refused the cancel of a task that was over with error %d, not %d", r.first.msg.Code, invalidParams)),
			over.Event, r.frame.read, r.first.write)
	default:
		t.fail(r.frame.task.aboutTask("said yes to the cancel of a task that was over"), over.Event, r.frame.read, r.first.write)
	}
}

// cancelTransition: whoever says yes to a cancel has changed the task by then, and one
// that is at work can be cancelled.
func cancelTransition(x *index, r *request, t *tally) {
	if r = r.asks(x, tasksCancel); r == nil || r.frame.task == nil || r.frame.shown != nil {
		return
	}
	switch s := r.first.msg.Status; {
	case r.first.msg.Kind == history.ErrorReply:
		x.judgeRefusal(r, t)
	case s == statusCancelled:
		t.pass()
	case s == "":
		t.leave(whyNoStatus)
	case !isTerminal(s):
		t.fail(r.frame.task.aboutTask("answered the cancel of a task, and shows it as "+s), r.frame.read, r.first.write)
	}
}

// judgeRefusal judges an error that answers the cancel of a task that was not shown
// over.
func (x *index) judgeRefusal(r *request, t *tally) {
	c := r.frame.task.call
	switch {
	case r.refusedWith(methodNotFound):
		t.leave(whyNoSuchMethod)
	case r.frame.task.mayBeGone(r.first):
		t.leave(whyNotRetained)
	case c == nil || r.frame.task.cancel != r.frame.read || !before(c.start, r.frame.read) || before(c.end, r.first.write) || before(c.told, r.first.write):
		// It may have been over.
	default:
		t.fail(r.frame.task.aboutTask("refused the cancel of a task that was at work"), c.start, r.frame.read, r.first.write, c.end)
	}
}

// taskStopWork: the tool of a cancelled task is told, and none is begun.
func taskStopWork(x *index, c *call, t *tally) {
	if c.task == nil || c.task.cancel == nil || c.start == nil {
		return
	}
	read := c.task.cancel
	if !c.task.granted || before(c.end, read) || before(c.told, read) || before(x.overFor(c.req), read) {
		return
	}
	told := c.told
	if before(x.overFor(c.req), told) {
		told = nil
	}
	from := max(read.At, c.start.At) + x.soon()
	v := c.task.aboutTask("told the tool of a cancelled task late")
	if told != nil && told.At > from {
		v.Lateness = span(read, told)
		t.fail(v, read, c.start, told)
		return
	}
	if told != nil {
		t.kept(c, "")
		return
	}
	witness := c.end
	if witness == nil || before(x.overFor(c.req), witness) {
		witness = x.lastWordFor(c.req)
	}
	if witness != nil && witness.At > from {
		v.What, v.Lateness = "never told the tool of a cancelled task, which ran on", span(read, witness)
		t.fail(v, read, c.start, witness)
	}
}

// cancelSticky: a task that was cancelled is shown as cancelled ever after.
func cancelSticky(x *index, f *frame, t *tally) {
	if f.task == nil || f.side != history.Server || f.task.cancelled == nil || !before(f.task.cancelled, f.write) {
		return
	}
	asked := f.req != nil && f.req.asks(x, tasksGet) != nil
	switch s := f.msg.Status; {
	case s == statusCancelled:
		if asked {
			t.pass()
		}
	case asked && f.req.refusedWith(invalidParams):
		t.leave(whyNotRetained)
	case isTerminal(s), asked && s != "" && f.req.frame.cancelledBy != nil:
		t.fail(f.task.aboutTask("cancelled a task, and shows it as "+s), f.task.cancelled, f.task.ended(f.write), askedAt(f), f.write)
	case asked && s != "":
		t.leave(whyAskedBefore)
	}
}

// askedAt returns the reading of the request that f answers, nil if it answers none.
func askedAt(f *frame) *history.Event {
	if f.req == nil {
		return nil
	}
	return f.req.frame.read
}

// terminalFinal: a task that is over stays what it has come to.
func terminalFinal(x *index, f *frame, t *tally) {
	if f.task == nil || f.side != history.Server || f.shown == nil || f.msg.Status == "" || before(f.task.cancelled, f.write) {
		return // not shown over before; or cancelled, of which another rule speaks
	}
	asked := f.req != nil && f.req.asks(x, tasksGet) != nil
	was, is := f.shown.status, f.msg.Status
	switch {
	case was == is:
		t.pass()
	case isTerminal(is), asked && f.req.frame.shown != nil:
		t.fail(f.task.aboutTask("showed a task as "+was+", and then as "+is), f.shown.Event, askedAt(f), f.write)
	case asked:
		t.leave(whyAskedBefore)
	}
}

// resultBlocks: tasks/result is answered when the task is over, and with what its call
// would have been answered.
func resultBlocks(x *index, r *request, t *tally) {
	if r.frame.task == nil || r.frame.task.call == nil || r.frame.msg.Method != tasksResult || r.frame.read == nil {
		return
	}
	if r.first == nil {
		x.judgeUnanswered(r, t)
		return
	}
	if r = r.asks(x, tasksResult); r == nil {
		return
	}
	task, answer := r.frame.task, r.first.write
	c := task.call
	switch {
	case r.refusedWith(methodNotFound):
		t.leave(whyNoSuchMethod)
	case task.mayBeGone(r.first):
		t.leave(whyNotRetained)
	case before(task.cancel, answer):
		t.leave(whyTaskCancelled)
	case before(c.told, answer):
		t.leave(whyTaskStopped)
	case before(c.end, answer):
		x.judgeResult(r, t)
	case before(task.over.written(), answer):
		// The task has failed otherwise.
	case before(c.start, answer) || r.first.msg.Kind == history.Response:
		t.fail(task.aboutTask("answered tasks/result before the task was over"), r.frame.read, c.start, answer, c.end)
	}
}

// judgeResult judges what was returned of a task whose tool had ended by itself.
func (x *index) judgeResult(r *request, t *tally) {
	c, answer := r.frame.task.call, r.first
	failed := answer.isError()
	switch {
	case answer.msg.Kind == history.ErrorReply && answer.msg.Code == invalidParams:
		t.leave(whyNotRetained)
	case c.end.Text != "" && failed:
		t.kept(c, "")
	case c.end.Text == "" && !failed && strings.Contains(answer.msg.Raw, c.end.Value):
		t.kept(c, "")
	default:
		t.fail(r.frame.task.aboutTask("answered tasks/result with something else than its tool had returned"), r.frame.read, c.end, answer.write)
	}
}

// judgeUnanswered judges a tasks/result that was never answered.
func (x *index) judgeUnanswered(r *request, t *tally) {
	task, end := r.frame.task, x.horizon
	over := earlier(task.call.end, task.cancelled)
	switch {
	case end == nil || r.reused || r.cancel != nil || before(x.overFor(r), end) || !before(over, end) || !before(r.frame.read, end):
	case end.At <= max(over.At, r.frame.read.At)+x.grace:
	case x.enRoute(end):
		t.leave(whyEnRoute)
	case x.whyNoWay(r) != "":
		t.leave(x.whyNoWay(r))
	case over.At >= task.until:
		t.leave(whyNotRetained)
	default:
		t.fail(task.aboutTask("never answered tasks/result of a task that was over"), r.frame.read, over, end)
	}
}

// unknownTask: a task that the server never told of is refused, with one error.
func unknownTask(x *index, r *request, t *tally) {
	if r.frame.task != nil || r.frame.msg.Task == "" || r.frame.side != history.Client || x.strangers {
		return
	}
	if r = r.asks(x, r.frame.msg.Method); r == nil {
		return
	}
	switch r.frame.msg.Method {
	case tasksGet, tasksResult, tasksCancel:
	default:
		return
	}
	switch {
	case r.refusedWith(invalidParams):
		t.pass()
	case r.refusedWith(methodNotFound):
		t.leave(whyNoSuchMethod)
	default:
		t.fail(Violation{Side: history.Server, Method: r.frame.msg.Method, Lateness: -1,
			What: answer(r.first) + " for a task that there never was"}, r.frame.read, r.first.write)
	}
}

// progressOfTask: progress is reported while the task is not over, and not after.
func progressOfTask(x *index, f *frame, t *tally) {
	switch {
	case f.report == 0:
	case f.shown == nil:
		t.pass()
	case f.write.At <= f.shown.At+x.grace:
		t.leave(whySameInstantTask)
	case f.report <= f.task.asked:
		t.leave(whyProgressAsked)
	default:
		v := f.task.aboutTask("reported progress of a task that was over")
		v.Lateness = span(f.shown.Event, f.write)
		t.fail(v, f.shown.Event, f.write)
	}
}
