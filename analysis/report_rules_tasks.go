package analysis

// taskWording has the rules of calls that are made as tasks.
func taskWording(rule string) RuleText {
	const cancelTasks = "write task: {give_up: task} and let more calls be cancelled."
	switch rule {
	case "CANCEL-TASK-VIA-TASKS":
		return RuleText{Says: "cancels a task by the notification for its call", Counts: "cancels of tasks", Exercise: "No task was cancelled: " + cancelTasks}
	case "TASK-CANCEL-TERMINAL":
		return RuleText{Says: "takes the cancel of a task that is over", OwnWords: true, Counts: "cancels of tasks that were over",
			Exercise: "No task was cancelled that had been shown over: write task: {then: [get, cancel]}."}
	case "TASK-CANCEL-TRANSITION":
		return RuleText{Says: "answers the cancel of a task that it has not cancelled", OwnWords: true, Counts: "cancels of tasks that were not over",
			Exercise: "No task was cancelled that was at work: " + cancelTasks}
	case "TASK-STOP-WORK":
		return RuleText{Says: "does not tell the tool that its task was cancelled", OwnWords: true, Counts: "tasks that were cancelled at work",
			Exercise: "No task was cancelled whose tool was at work and had not been told: " + cancelTasks}
	case "TASK-CANCEL-STICKY":
		return RuleText{Says: "does not leave a cancelled task cancelled", OwnWords: true, Counts: "questions about cancelled tasks",
			Exercise: "Nobody asked about a cancelled task: write task: {then: [get]}."}
	case "TASK-TERMINAL-FINAL":
		return RuleText{Says: "changes what a task has come to that is over", OwnWords: true, Counts: "times that a task was shown that had been shown over",
			Exercise: "No task was shown twice that was over: write task: {wait: poll, then: [get]}."}
	case "TASK-RESULT-BLOCK":
		return RuleText{Says: "answers tasks/result too early, or with another result", OwnWords: true, Counts: "results of tasks that ended by themselves",
			Exercise: "Nobody got the result of a task whose tool had ended without having been told to: leave more of them alone."}
	case "TASK-UNKNOWN":
		return RuleText{Says: "does not refuse a task that there never was with error -32602", OwnWords: true, Counts: "questions about tasks that there never were",
			Exercise: "Nobody asked about a task that there never was: write task: {then: [unknown]}."}
	case "PROGRESS-TASK":
		return RuleText{Says: "reports progress of a task that is over", Counts: "progress notifications of tasks", Exercise: "No task reported progress: use chatty tools."}
	}
	return RuleText{}
}
