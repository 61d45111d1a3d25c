package oracle

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

// taskMessage makes a frame about a task, which is called t and the number of its
// call:
//
//	task N              the call N, which asks for a task
//	began N             its answer
//	kept N MS           likewise, of a task that is kept for so long
//	get N, ask N, revoke N   tasks/get, tasks/result, tasks/cancel; "get N b" is another one
//	shown N S           the answer to get N: the task has status S
//	revoked N S         likewise to revoke N
//	text N              the answer to ask N, with what the tool returned
//	failure N           likewise, with an error of the tool's
//	refused get|ask|revoke N CODE
//	status N S          notifications/tasks/status
//
// A "b" at the end is about the second request of that method.
func taskMessage(t testing.TB, m *history.Message, name string) string {
	words := strings.Fields(name)
	second := words[len(words)-1] == "b"
	if second {
		words = words[:len(words)-1]
	}
	if words[0] == "refused" {
		var code int64
		_, err := fmt.Sscan(words[3], &code)
		require.NoError(t, err)
		m.Kind, m.ID, m.Code, m.Text = history.ErrorReply, taskRequest(words[1], words[2], second), code, "refused"
		return fmt.Sprintf(`"id":%s,"error":{"code":%d,"message":"refused"}`, m.ID, code)
	}
	require.GreaterOrEqual(t, len(words), 2, "there is no frame of the name %q", name)
	n := words[1]
	task := "t" + n
	shown := func(method string) string {
		m.Kind, m.ID, m.Task, m.Status = history.Response, taskRequest(method, n, second), task, words[2]
		return fmt.Sprintf(`"id":%s,"result":{"taskId":%q,"status":%q}`, m.ID, task, m.Status)
	}
	switch words[0] {
	case "task":
		m.Kind, m.Method, m.ID, m.Token, m.Augmented = history.Request, "tools/call", "1"+n, `"p`+n+`"`, true
		m.Call = int(n[0] - '0')
		return fmt.Sprintf(`"id":%s,"method":"tools/call","params":{"name":"tool","arguments":{"call":%s},"task":{},"_meta":{"progressToken":%s}}`, m.ID, n, m.Token)
	case "kept": // likewise, for so many milliseconds
		m.Kind, m.ID, m.Task, m.Status = history.Response, "1"+n, task, "working"
		return fmt.Sprintf(`"id":%s,"result":{"task":{"taskId":%q,"status":"working","ttl":%s}}`, m.ID, task, words[2])
	case "began":
		m.Kind, m.ID, m.Task, m.Status = history.Response, "1"+n, task, "working"
		return fmt.Sprintf(`"id":%s,"result":{"task":{"taskId":%q,"status":"working"}}`, m.ID, task)
	case "get", "ask", "revoke":
		m.Kind, m.Method, m.ID, m.Task = history.Request, taskMethod(words[0]), taskRequest(words[0], n, second), task
		return fmt.Sprintf(`"id":%s,"method":%q,"params":{"taskId":%q}`, m.ID, m.Method, task)
	case "shown":
		return shown("get")
	case "revoked":
		return shown("revoke")
	case "text", "failure":
		m.Kind, m.ID, m.Task = history.Response, taskRequest("ask", n, second), task
		return fmt.Sprintf(`"id":%s,"result":{"content":[{"type":"text","text":"done %s"}],"isError":%t}`, m.ID, n, words[0] == "failure")
	case "status":
		m.Kind, m.Method, m.Task, m.Status = history.Notification, "notifications/tasks/status", task, words[2]
		return fmt.Sprintf(`"method":%q,"params":{"taskId":%q,"status":%q}`, m.Method, task, m.Status)
	}
	t.Fatalf("there is no frame of the name %q", name)
	return ""
}

func taskMethod(word string) string {
	return map[string]string{"get": tasksGet, "ask": tasksResult, "revoke": tasksCancel}[word]
}

// taskRequest is the id of a request about a task.
func taskRequest(word, n string, second bool) string {
	return map[string]string{"get": "2", "ask": "3", "revoke": "4"}[word] + map[bool]string{true: "1", false: "0"}[second] + n
}

// begun is how a conversation about a task begins: it is at work, and its caller
// knows.
const begun = `
	10 client issue 1; > task 1
	20 server < task 1; > began 1; start 1
	30 client < began 1
`

// revoked goes on with its being cancelled, as it should be.
const revoked = `
	40 client cancel 1; > revoke 1
	50 server < revoke 1; told 1; > revoked 1 cancelled
	60 client < revoked 1 cancelled; return 1 canceled
`

// asTask is a conversation with one call that is made as a task.
func asTask(text string) script { return script{task: "task", text: begun + text} }

type taskCase struct {
	rule string
	ruleCase
}

func TestTasks(t *testing.T) {
	seen := map[string][]Status{}
	for _, c := range taskRows() {
		t.Run(c.rule, func(t *testing.T) { runRule(t, c.rule, []ruleCase{c.ruleCase}) })
		seen[c.rule] = append(seen[c.rule], c.want)
	}
	for _, c := range taskChecks() {
		for _, want := range []Status{Pass, Fail, Vacuous} {
			assert.Contains(t, seen[c.rule], want, "%s has no row that comes to this", c.rule)
		}
	}
}

func taskCases() []ruleCase {
	var out []ruleCase
	for _, c := range taskRows() {
		out = append(out, c.ruleCase)
	}
	return out
}

func taskRows() []taskCase {
	return slices.Concat(viaRows(), cancelRows(), stateRows(), resultRows(), askRows())
}

func viaRows() []taskCase {
	const rule = "CANCEL-TASK-VIA-TASKS"
	row := func(why string, want Status, checked int, uncounted, text string) taskCase {
		c := ruleCase{why: why, want: want, checked: checked, uncounted: uncounted, script: script{task: "task", text: text}}
		if want == Fail {
			c.fails, c.side = rule, history.Client
		}
		return taskCase{rule, c}
	}
	return []taskCase{
		row("by tasks/cancel", Pass, 1, "", begun+revoked),
		row("by the notification, when the task was known", Fail, 1, "", begun+`
			40 client cancel 1; > cancel 1; return 1 canceled
			50 server < cancel 1; end 1 "done 1"`),
		row("in the instant in which it became known", Vacuous, 0, whySameInstantTask, begun+`client cancel 1; > cancel 1; return 1 canceled
			50 server < cancel 1; end 1 "done 1"`),
		row("before it was known: there is nothing else to cancel (R9)", Vacuous, 0, whyNoTaskYet, `
			10 client issue 1; > task 1; cancel 1; > cancel 1; return 1 canceled
			20 server < task 1; > began 1; start 1; < cancel 1
			30 client < began 1
			50 server end 1 "done 1"`),
		row("decided before it was known, and held up by the network since", Vacuous, 0, whyNoTaskYet, `
			10 client issue 1; > task 1
			20 server < task 1; > began 1; start 1
			25 client cancel 1; return 1 canceled
			30 client < began 1
			40 client > cancel 1
			50 server < cancel 1; end 1 "done 1"`),
		row("likewise, and the server lets the call go", Vacuous, 0, whyNoTaskYet, `
			10 client issue 1; > task 1; cancel 1; > cancel 1; return 1 canceled
			20 server < task 1; < cancel 1`),
		row("the cancel of the waiting is none of the task's", Vacuous, 0, "", begun+`
			40 client > ask 1
			50 server < ask 1
			60 client cancel 1; > cancel id 301; return 1 canceled
			70 server < cancel id 301
			80 server end 1 "done 1"`),
	}
}

func cancelRows() []taskCase {
	server := func(rule, why string, want Status, checked int, uncounted, text string, also ...string) taskCase {
		c := ruleCase{why: why, want: want, checked: checked, uncounted: uncounted, script: asTask(text)}
		if want == Fail {
			c.fails, c.side = strings.Join(append([]string{rule}, also...), " "), history.Server
		}
		return taskCase{rule, c}
	}
	const terminal, transition, stop = "TASK-CANCEL-TERMINAL", "TASK-CANCEL-TRANSITION", "TASK-STOP-WORK"
	over := `40 server end 1 "done 1"; > status 1 completed
		50 client < status 1 completed; > revoke 1
		60 server < revoke 1; `
	return []taskCase{
		server(terminal, "no cancel", Vacuous, 0, "", `40 server end 1 "done 1"`),
		server(terminal, "refused as it should be", Pass, 1, "", over+`> refused revoke 1 -32602
			70 client < refused revoke 1 -32602; return 1 refused`),
		server(terminal, "refused with another error", Fail, 1, "", over+`> refused revoke 1 -32603
			70 client < refused revoke 1 -32603; return 1 refused`),
		server(terminal, "taken", Fail, 1, "", over+`> revoked 1 completed
			70 client < revoked 1 completed; return 1 refused`),
		server(terminal, "taken, of a task that nobody had shown over: the answer does", Fail, 1, "", `40 server end 1 "done 1"
			50 client > revoke 1
			60 server < revoke 1; > revoked 1 completed
			70 client < revoked 1 completed; return 1 refused`),
		server(terminal, "a server that cancels no tasks", Vacuous, 0, whyNoSuchMethod, over+`> refused revoke 1 -32601
			70 client < refused revoke 1 -32601; return 1 refused`),
		server(terminal, "the second cancel", Pass, 1, "", revoked+`70 client > revoke 1 b
			75 server end 1 canceled
			80 server < revoke 1 b; > refused revoke 1 -32602 b
			90 client < refused revoke 1 -32602 b`),

		server(transition, "no cancel", Vacuous, 0, "", `40 server end 1 "done 1"`),
		server(transition, "changed when the answer comes", Pass, 1, "", revoked+`server end 1 canceled`),
		server(transition, "an answer that shows it at work", Fail, 1, "", `40 client cancel 1; > revoke 1
			50 server < revoke 1; told 1; > revoked 1 working
			60 client < revoked 1 working; return 1 canceled
			70 server end 1 canceled`),
		server(transition, "refused, of a task at work", Fail, 1, "", `40 client cancel 1; > revoke 1
			50 server < revoke 1; > refused revoke 1 -32602
			60 client < refused revoke 1 -32602; return 1 canceled
			70 server end 1 "done 1"`),
		{transition, ruleCase{why: "refused, when its ttl was over", want: Vacuous, uncounted: whyNotRetained, script: script{
			task: "task", text: strings.ReplaceAll(begun, "began 1", "kept 1 10") + `40 client cancel 1; > revoke 1
			50 server < revoke 1; > refused revoke 1 -32602
			60 client < refused revoke 1 -32602; return 1 canceled
			70 server end 1 "done 1"`}}},
		server(transition, "refused in the instant of the tool's end: it was over", Vacuous, 0, "", `40 client cancel 1; > revoke 1
			50 server < revoke 1; end 1 "done 1"; > refused revoke 1 -32602
			60 client < refused revoke 1 -32602; return 1 canceled`),

		server(stop, "no cancel", Vacuous, 0, "", `40 server end 1 "done 1"`),
		server(stop, "told at once", Pass, 1, "", revoked+`server end 1 canceled`),
		server(stop, "told late", Fail, 1, "", `40 client cancel 1; > revoke 1
			50 server < revoke 1; > revoked 1 cancelled
			60 client < revoked 1 cancelled; return 1 canceled
			70 server told 1; end 1 canceled`),
		server(stop, "never told", Fail, 1, "", `40 client cancel 1; > revoke 1
			50 server < revoke 1; > revoked 1 cancelled
			60 client < revoked 1 cancelled; return 1 canceled
			70 server end 1 "done 1"`),
		server(stop, "never told, and the cancel had a token", Fail, 1, "", `40 client cancel 1; > {"id":50,"method":"tasks/cancel","params":{"taskId":"t1","_meta":{"progressToken":"own"}}}
			50 server < {"id":50,"method":"tasks/cancel","params":{"taskId":"t1","_meta":{"progressToken":"own"}}}; > {"id":50,"result":{"taskId":"t1","status":"cancelled"}}
			60 client < {"id":50,"result":{"taskId":"t1","status":"cancelled"}}; return 1 canceled
			70 server end 1 "done 1"`),
		server(stop, "over by itself in that instant", Vacuous, 0, "", `40 client cancel 1; > revoke 1
			50 server < revoke 1; > revoked 1 cancelled; end 1 "done 1"
			60 client < revoked 1 cancelled; return 1 canceled`),
	}
}

func stateRows() []taskCase {
	server := func(rule, why string, want Status, checked int, uncounted, text string) taskCase {
		c := ruleCase{why: why, want: want, checked: checked, uncounted: uncounted, script: asTask(text)}
		if want == Fail {
			c.fails, c.side = rule, history.Server
		}
		return taskCase{rule, c}
	}
	const sticky, final = "TASK-CANCEL-STICKY", "TASK-TERMINAL-FINAL"
	late := revoked + `70 server end 1 "done 1"
		80 client > get 1
		90 server < get 1; `
	done := `40 server end 1 "done 1"; > status 1 completed
		50 client < status 1 completed; return 1 "done 1"; > get 1
		60 server < get 1; `
	return []taskCase{
		server(sticky, "nobody asks", Vacuous, 0, "", revoked+`70 server end 1 "done 1"`),
		server(sticky, "cancelled, whatever the tool returned", Pass, 1, "", late+`> shown 1 cancelled
			100 client < shown 1 cancelled`),
		server(sticky, "completed after all", Fail, 1, "", late+`> shown 1 completed
			100 client < shown 1 completed`),
		server(sticky, "at work after all", Fail, 1, "", late+`> shown 1 working
			100 client < shown 1 working`),
		server(sticky, "completed, by a notification", Fail, 1, "", revoked+`70 server end 1 "done 1"; > status 1 completed
			80 client < status 1 completed`),
		server(sticky, "deleted: no duty to keep it", Vacuous, 0, whyNotRetained, late+`> refused get 1 -32602
			100 client < refused get 1 -32602`),
		server(sticky, "asked before the cancel, answered after", Vacuous, 0, whyAskedBefore, `35 client > get 1
			40 client cancel 1; > revoke 1
			45 server < get 1
			50 server < revoke 1; told 1; > revoked 1 cancelled; > shown 1 working; end 1 canceled
			60 client < revoked 1 cancelled; < shown 1 working; return 1 canceled`),

		server(final, "nothing was shown", Vacuous, 0, "", `40 server end 1 "done 1"`),
		server(final, "still completed", Pass, 1, "", done+`> shown 1 completed
			70 client < shown 1 completed`),
		server(final, "at work again", Fail, 1, "", done+`> shown 1 working
			70 client < shown 1 working`),
		server(final, "failed after all", Fail, 1, "", done+`> shown 1 failed
			70 client < shown 1 failed`),
		server(final, "asked before, answered after", Vacuous, 0, whyAskedBefore, `35 client > get 1
			40 server < get 1; end 1 "done 1"; > status 1 completed; > shown 1 working
			50 client < status 1 completed; < shown 1 working; return 1 "done 1"`),
	}
}

func resultRows() []taskCase {
	const rule = "TASK-RESULT-BLOCK"
	row := func(why string, want Status, checked int, uncounted, text string) taskCase {
		c := ruleCase{why: why, want: want, checked: checked, uncounted: uncounted, script: asTask("35 client > ask 1\n40 server < ask 1\n" + text)}
		if want == Fail {
			c.fails, c.side = rule, history.Server
		}
		return taskCase{rule, c}
	}
	bare := row("never answered", Fail, 1, "", `50 server end 1 "done 1"
		60000 world horizon calls had not returned
		60001 client close; return 1 closed; hangup; closed`)
	bare.script.bare, bare.script.text = true, greeting+bare.script.text
	kept := func(why string, want Status, checked int, uncounted, ttl, text string) taskCase {
		c := row(why, want, checked, uncounted, "")
		c.script.text = strings.ReplaceAll(begun, "began 1", "kept 1 "+ttl) + "35 client > ask 1\n40 server < ask 1\n" + text
		return c
	}
	gone := `120 server > refused ask 1 -32602
		130 client < refused ask 1 -32602; return 1 refused
		140 server end 1 "done 1"`
	unanswered := kept("never answered, and deleted before its tool had ended", Vacuous, 0, whyNotRetained, "100", `150 server end 1 "done 1"
		60000 world horizon calls had not returned
		60001 client close; return 1 closed; hangup; closed`)
	unanswered.script.bare, unanswered.script.text = true, greeting+unanswered.script.text
	return []taskCase{
		bare,
		kept("deleted at work, when its ttl was over", Vacuous, 0, whyNotRetained, "100", gone),
		kept("deleted at work, before its ttl was over", Fail, 1, "", "101", gone),
		kept("deleted at work, though to be kept for ever", Fail, 1, "", "null", gone),
		unanswered,
		row("when the tool has ended", Pass, 1, "", `50 server end 1 "done 1"; > text 1
			60 client < text 1; return 1 "done 1"`),
		row("an error of the tool's", Pass, 1, "", `50 server end 1 broken; > failure 1
			60 client < failure 1; return 1 broken`),
		row("before the tool has ended", Fail, 1, "", `50 server > refused ask 1 -32603
			60 client < refused ask 1 -32603; return 1 refused
			70 server end 1 "done 1"`),
		row("with something else", Fail, 1, "", `50 server end 1 "done 1"; > failure 1
			60 client < failure 1; return 1 failed`),
		row("of a cancelled task: nobody knows what it would have been", Vacuous, 0, whyTaskCancelled, `45 client cancel 1; > revoke 1
			50 server < revoke 1; told 1; > revoked 1 cancelled; > refused ask 1 -32603; end 1 canceled
			60 client < revoked 1 cancelled; < refused ask 1 -32603; return 1 canceled`),
		row("cancelled itself, and the task goes on", Vacuous, 0, "", `45 client cancel 1; > cancel id 301; return 1 canceled
			50 server < cancel id 301
			60 server end 1 "done 1"`),
		row("deleted", Vacuous, 0, whyNotRetained, `50 server end 1 "done 1"; > refused ask 1 -32602
			60 client < refused ask 1 -32602; return 1 refused`),
	}
}

func askRows() []taskCase {
	server := func(rule, why string, want Status, checked int, uncounted, text string, handlers ...string) taskCase {
		c := ruleCase{why: why, want: want, checked: checked, uncounted: uncounted, script: asTask(text)}
		c.script.handlers = handlers
		if want == Fail {
			c.fails, c.side = rule, history.Server
		}
		return taskCase{rule, c}
	}
	const unknown, progress = "TASK-UNKNOWN", "PROGRESS-TASK"
	end := `90 server end 1 "done 1"`
	return []taskCase{
		server(unknown, "a known one", Vacuous, 0, "", end),
		server(unknown, "refused as it should be", Pass, 1, "", `40 client > get 9
			50 server < get 9; > refused get 9 -32602
			60 client < refused get 9 -32602
			`+end),
		server(unknown, "another error", Fail, 1, "", `40 client > revoke 9
			50 server < revoke 9; > refused revoke 9 -32603
			60 client < refused revoke 9 -32603
			`+end),
		server(unknown, "known after all", Fail, 1, "", `40 client > get 9
			50 server < get 9; > shown 9 working
			60 client < shown 9 working
			`+end),

		server(unknown, "a known one, with a token of the question's own", Vacuous, 0, "", `40 client > {"id":50,"method":"tasks/get","params":{"taskId":"t1","_meta":{"progressToken":"own"}}}
			50 server < {"id":50,"method":"tasks/get","params":{"taskId":"t1","_meta":{"progressToken":"own"}}}; > {"id":50,"result":{"taskId":"t1","status":"working"}}
			60 client < {"id":50,"result":{"taskId":"t1","status":"working"}}
			`+end),

		server(progress, "none", Vacuous, 0, "", end),
		server(progress, "while it is at work, and the call answered", Pass, 1, "", `40 server progress 1 "1"; > progress 1
			50 client < progress 1
			`+end, "chatty"),
		server(progress, "after it is over", Fail, 1, "", revoked+`70 server > progress 1; end 1 canceled
			80 client < progress 1`, "chatty"),
		server(progress, "after it is over, and the server used that token for a question of its own", Fail, 1, "", `35 server > {"id":1,"method":"sampling/createMessage","params":{"_meta":{"progressToken":"p1"}}}
			36 client < {"id":1,"method":"sampling/createMessage","params":{"_meta":{"progressToken":"p1"}}}; > {"id":1,"result":{}}
			37 server < {"id":1,"result":{}}`+revoked+`70 server > progress 1; end 1 canceled
			80 client < progress 1`, "chatty"),
		server(progress, "asked for before", Vacuous, 0, whyProgressAsked, `35 server progress 1 "1"`+revoked+`70 server > progress 1; end 1 canceled
			80 client < progress 1`, "chatty"),
	}
}

// What a call must keep that holds a request does not bind a task: the server has
// answered, and works on.
func TestTasksHoldNoRequest(t *testing.T) {
	for why, text := range map[string]string{
		"a tool that is told because of tasks/cancel": revoked + `server end 1 canceled`,
		"a tool that ends after the answer":           `40 server end 1 "done 1"`,
		"a caller that waits longer than the answer took": `35 client > ask 1
			40 server < ask 1
			900 server end 1 "done 1"; > text 1
			901 client < text 1; return 1 "done 1"`,
	} {
		assert.Empty(t, failing(Judge(asTask(text).history(t))), why)
	}
	spurious := Judge(asTask(`40 server told 1; end 1 canceled`).history(t))
	assert.Equal(t, "NO-SPURIOUS-CANCEL", failing(spurious), "a task that dies with the request that began it")
	waits := script{task: "wait", text: begun + `35 client > ask 1
		40 server < ask 1
		45 client cancel 1; > cancel id 301; return 1 canceled
		50 server < cancel id 301; told 1; end 1 canceled`}
	assert.Contains(t, failing(Judge(waits.history(t))), "NO-SPURIOUS-CANCEL", "the cancel of the waiting is no cancel of the task")
}

// Who gives up waiting for a task gets control back, once there is a task to wait for.
func TestWhoGivesUpWaitingForATask(t *testing.T) {
	const goneUntil = `
		45 client cancel 1
		900 world horizon calls had not returned`
	held := script{task: "wait", text: begun + `35 client > ask 1
		40 server < ask 1` + goneUntil}
	assert.Equal(t, Fail, verdictOf(t, Judge(held.history(t)), "CALLER-UNBLOCKS").Status)
	creating := script{task: "wait", text: `10 client issue 1; > task 1` + goneUntil}
	assert.Equal(t, Vacuous, verdictOf(t, Judge(creating.history(t)), "CALLER-UNBLOCKS").Status, "of the creating, nobody had given up anything")
}

// No other version has the rules.
func TestTasksAreOfOneVersion(t *testing.T) {
	h := asTask(revoked + `70 server end 1 "done 1"; > status 1 completed
		80 client < status 1 completed`).history(t)
	require.Equal(t, "TASK-CANCEL-STICKY", failing(Judge(h)))
	for _, version := range []string{"2025-06-18", modernVersion} {
		h.Header.SpecVersion = version
		for _, c := range taskChecks() {
			assert.Empty(t, verdictOf(t, Judge(h), c.rule).Level, "%s at %s", c.rule, version)
		}
	}
}
