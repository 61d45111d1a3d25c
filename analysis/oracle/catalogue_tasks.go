package oracle

// Tasks as the protocol has them in one version, where they are called experimental.
const (
	tasksVersion = "2025-11-25"
	tasksPage    = "basic/utilities/tasks"
)

// inTasks is a clause of that version.
func inTasks(page, quote string, level Level) Clause {
	return Clause{From: tasksVersion, Until: tasksVersion, Page: page, Quote: quote, Level: level}
}

// The rules of calls that are made as tasks.
func taskRules() []Rule {
	return append(taskCancelRules(), taskStateRules()...)
}

func taskCancelRules() []Rule {
	return []Rule{{
		ID:        "CANCEL-TASK-VIA-TASKS",
		Statement: "Who wants a task cancelled asks for that with tasks/cancel, and sends no notifications/cancelled for the call that it came of.",
		Property:  Safety,
		Elsewhere: overStreamable(tasksVersion, tasksVersion, Must),
		Clauses:   []Clause{inTasks(legacyPage, "For task-augmented requests, the tasks/cancel request MUST be used instead of the notifications/cancelled notification", Must)},
		Convicts:  "A cancel was written that names a call which asked for a task, and when its caller gave up (or, where none did, when it was begun) time had passed since its sender had read the answer with the task's id.",
		Exempt: []Exemption{
			{Race: "R9", Why: whyNoTaskYet, What: "Who decided to cancel did not know yet that there was a task, and had no id to cancel it by. The cancel may have had to wait for the network after that."},
			{Why: whySameInstantTask, What: "The answer was read in the same instant: who gave up may not have known."},
			{Race: "R6", Why: whyRepeated, What: "A second cancel for one request."},
			{What: "The cancel of a tasks/get or a tasks/result. It ends the waiting, and the task goes on."},
			unclearIDExemption(),
		},
	}, {
		ID:        "TASK-CANCEL-TERMINAL",
		Statement: "The cancel of a task that is over is refused with error -32602.",
		Property:  Safety,
		Elsewhere: overStreamable(tasksVersion, tasksVersion, Must),
		Clauses:   []Clause{inTasks(tasksPage, "Receivers MUST reject cancellation requests for tasks already in a terminal status (completed, failed, or cancelled) with error code -32602", Must)},
		Convicts:  "Before the server read a tasks/cancel it had begun to write that the task was over, or it said so in the answer; and the answer was a result, or another error.",
		Exempt: []Exemption{
			{What: "A task whose tool had ended, and of which nobody had said so: until then the server may still decide what it has come to."},
			{Why: whyNoSuchMethod, What: "A server without the capability tasks.cancel."},
		},
	}, {
		ID:        "TASK-CANCEL-TRANSITION",
		Statement: "A task that is not over becomes cancelled before its tasks/cancel is answered.",
		Property:  Safety,
		Elsewhere: overStreamable(tasksVersion, tasksVersion, Must),
		Clauses:   []Clause{inTasks(tasksPage, "MUST transition the task to cancelled status before sending the response", Must)},
		Convicts:  "The answer to a tasks/cancel shows the task as not over; or it is an error, although the tool was at work from before the server read the request until after it began to write the answer, and had not been told to stop.",
		Exempt: []Exemption{
			{Why: whyNoSuchMethod, What: "A server without the capability tasks.cancel."},
			{Why: whyNotRetained, What: "An error when the ttl that the server had granted was over since the call was read: it may have deleted the task."},
			{Why: whyNoStatus, What: "An answer that is no task: nothing shows what has become of it."},
		},
	}, {
		ID:        "TASK-STOP-WORK",
		Statement: "The tool of a cancelled task is told to stop.",
		Property:  Liveness,
		Elsewhere: overStreamable(tasksVersion, tasksVersion, Should),
		Clauses:   []Clause{inTasks(tasksPage, "Upon receiving a valid cancellation request, receivers SHOULD attempt to stop the task execution", Should)},
		Convicts:  "A tasks/cancel was answered with a result, and since it was read time passed while the tool ran on without its context being done.",
		Exempt: []Exemption{
			{Race: "R13", What: "A tool that was told and went on is the application's affair."},
			{Race: "R2", What: "The tool had ended when the request was read, or had been told before."},
			{Race: "R7", What: "The session ended before time passed."},
		},
		Notes: []string{
			"It is CANCEL-STOP-WORK for work that no request holds: notifications/cancelled does not reach it.",
			"Q6: no text says how soon. In virtual time telling the tool takes no time, so any that passes is the implementation's choice, unless the budget \"stop\" allows it.",
		},
	}, {
		ID:        "TASK-CANCEL-STICKY",
		Statement: "A task that was cancelled stays cancelled, whatever its tool does.",
		Property:  Safety,
		Elsewhere: overStreamable(tasksVersion, tasksVersion, Must),
		Clauses:   []Clause{inTasks(tasksPage, "Once a task is cancelled, it MUST remain in cancelled status even if execution continues to completion or fails", Must)},
		Convicts:  "The server had begun to answer a tasks/cancel with a task that is cancelled. After that it showed the task as completed or failed; or as not over, in the answer to a question that it read later.",
		Exempt: []Exemption{
			{Why: whyNotRetained, What: "Error -32602, as of a task that there is not: a server may delete a cancelled task at once."},
			{Why: whyAskedBefore, What: "The answer to a question that was read before."},
		},
	}}
}

func taskStateRules() []Rule {
	return []Rule{{
		ID:        "TASK-TERMINAL-FINAL",
		Statement: "A task that is over stays what it has come to.",
		Property:  Safety,
		Elsewhere: overStreamable(tasksVersion, tasksVersion, MustNot),
		Clauses:   []Clause{inTasks(tasksPage, "Tasks with a completed, failed, or cancelled status are in a terminal state and MUST NOT transition to any other status", MustNot)},
		Convicts:  "The server showed a task as over, and later as over in another way; or as not over, in the answer to a question that it read later.",
		Exempt: []Exemption{
			{Why: whyAskedBefore, What: "The answer to a question that was read before."},
			{What: "A task that was cancelled: TASK-CANCEL-STICKY judges that."},
		},
	}, {
		ID:        "TASK-RESULT-BLOCK",
		Statement: "tasks/result is answered when the task is over, with what its call would have been answered.",
		Property:  Liveness,
		Elsewhere: overStreamable(tasksVersion, tasksVersion, Must),
		Clauses: []Clause{
			inTasks(tasksPage, "it MUST block the response until the task reaches a terminal status", Must),
			inTasks(tasksPage, "receivers MUST return from tasks/result exactly what the underlying request would have returned", Must),
		},
		Convicts: "The answer was begun before the tool had ended, while nothing showed the task as over and nobody had told the tool; or it lacks what the tool had returned, or is a result although the tool had failed; " +
			"or there was none when the world reached its limit, although the tool had ended or a tasks/cancel had been answered.",
		Exempt: append([]Exemption{
			{Why: whyTaskCancelled, What: "A task for which a tasks/cancel had been read: it is over, and what its call would have been answered nobody can know."},
			{Why: whyTaskStopped, What: "A task whose tool had been told to stop: likewise. Whether it should have been told, NO-SPURIOUS-CANCEL and TASK-STOP-WORK say."},
			{Why: whyNotRetained, What: "Error -32602 when the tool had ended, or any error when the ttl that the server had granted was over since the call was read: it may have deleted the task."},
			{Why: whyNoSuchMethod, What: "A server without tasks/result."},
			{Why: whyEnRoute, What: "The network still held frames when the world ended."},
			{What: "A tasks/result that was cancelled itself."},
		}, noWayExemptions()...),
	}, {
		ID:        "TASK-UNKNOWN",
		Statement: "A question about a task that there is not is answered with error -32602.",
		Property:  Safety,
		Elsewhere: overStreamable(tasksVersion, tasksVersion, Must),
		Clauses:   []Clause{inTasks(tasksPage, "Invalid or nonexistent taskId in tasks/get, tasks/result, or tasks/cancel: -32602 (Invalid params)", Must)},
		Convicts:  "A tasks/get, tasks/result or tasks/cancel named an id that the server had not told of when it was written, and was answered with a result or with another error.",
		Exempt: []Exemption{
			{Why: whyNoSuchMethod, What: "A server that does not have the method."},
			{What: "Once the server has been asked for a list of its tasks, which may name others; and once there have been more than 16,384 of them."},
		},
	}, {
		ID:        "PROGRESS-TASK",
		Statement: "Progress of a task is reported until it is over, with the token of its call, and not after.",
		Property:  Safety,
		Elsewhere: overStreamable(tasksVersion, tasksVersion, Must),
		Clauses: []Clause{
			inTasks("basic/utilities/progress", "The progress token remains valid and associated with the task until the task reaches a terminal status", Must),
			inTasks("basic/utilities/progress", "Progress notifications for tasks MUST stop after the task reaches a terminal status (completed, failed, or cancelled)", Must),
		},
		Convicts: "The server had begun to write that the task was over, and in a later instant began to write progress with the token of its call that the tool had not asked for before.",
		Exempt: []Exemption{
			{Race: "R8", Why: whyProgressAsked, What: "Progress that the tool had handed over before, and that had to wait for its turn to be written."},
			{Race: "R14", Why: whySameInstantTask, What: "Two threads of the server in one instant."},
		},
	}}
}
