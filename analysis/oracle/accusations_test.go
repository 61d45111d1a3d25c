package oracle

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

// An accusation is a conversation that was held against somebody although nothing
// proves it, or its twin, in which the same rule has a case.
type accusation struct {
	why    string
	script script
	fails  string
}

func runAccusations(t *testing.T, rows []accusation) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			h := row.script.history(t)
			j := Judge(h)
			assert.Equal(t, row.fails, failing(j))
			requireSound(t, h, j)
		})
	}
}

// The cancel crosses the answer that begins the task. The tool is told because of it,
// and the client, which knows of the task then, cancels that, too.
func TestTaskCancelledTwice(t *testing.T) {
	crossed := `10 client issue 1; > task 1
		20 server < task 1; > began 1; start 1
		21 client cancel 1; > cancel 1; return 1 canceled
		25 server < cancel 1; told 1; end 1 canceled
		30 client < began 1; > revoke 1
		40 server < revoke 1; > revoked 1 cancelled
		50 client < revoked 1 cancelled`
	runAccusations(t, []accusation{
		{why: "told at the first", script: script{task: "task", text: crossed}},
		{why: "told before either", script: asTask(`35 server told 1; end 1 canceled
			40 client cancel 1; > revoke 1
			50 server < revoke 1; > refused revoke 1 -32602
			60 client < refused revoke 1 -32602; return 1 canceled`), fails: "NO-SPURIOUS-CANCEL"},
	})
}

// How a server ends a subscription by itself is not judged (Q2): by a cancel, by a
// response, or by both.
func TestServerEndsSubscription(t *testing.T) {
	const crossed = `49 server > cancel 1
		50 client cancel 1; > cancel 1; return 1 canceled
		60 server < cancel 1
		`
	runAccusations(t, []accusation{
		{why: "by a cancel, at which the call returns an error", script: listening(subscribed + `40 server > cancel 1
			50 client < cancel 1; return 1 ended`)},
		{why: "by a cancel and a response", script: listening(subscribed + `40 server > cancel 1; > ended 1
			50 client < cancel 1; return 1 ended; < ended 1`)},
		{why: "by a cancel and an error", script: listening(subscribed + `40 server > cancel 1; > error 1
			50 client < cancel 1; < error 1; return 1 ended`)},
		{why: "by an error, in the instant in which another one was given up", script: listening(subscribed + `
			31 client issue 2; > listen 2
			35 server < listen 2; > ack 2
			40 client < ack 2; cancel 2; > cancel 2; return 2 canceled
			50 server < cancel 2; > error 1
			60 client < error 1; return 1 ended`)},
		{why: "the client fails one that nobody had ended", script: listening(subscribed + `
			31 client issue 2; > listen 2
			35 server < listen 2; > ack 2
			40 client < ack 2; cancel 2; > cancel 2; return 2 canceled; return 1 ended
			50 server < cancel 2`), fails: "RACE-GRACEFUL"},
		{why: "a cancel of the server's that names a call", script: script{version: modernVersion, text: running + `30 server > cancel 1
			40 client < cancel 1; return 1 ended
			50 server end 1 "done 1"`}, fails: "CANCEL-RIGHT-CALL CANCEL-SERVER-FORBIDDEN"},
		{why: "by a cancel instead of an acknowledgement", script: bare(`10 client issue 1; > listen 1
			20 server < listen 1; > cancel 1
			60000 world horizon calls had not returned`).asListen()},
		{why: "what changes afterwards is not owed", script: bare(subscribed + `39 server > cancel 1
			40 server change "tools"
			20000 client close`).asListen()},
		{why: "the client's cancel crosses the server's, and a response follows", script: listening(subscribed + crossed + `server > ended 1
			70 client < cancel 1; < ended 1`)},
		{why: "likewise later", script: listening(subscribed + crossed + `65 server > ended 1
			70 client < cancel 1; < ended 1`)},
		{why: "the server's comes after the client's was read", script: listening(subscribed + givenUp + `61 server > cancel 1; > ended 1
			70 client < cancel 1; < ended 1`), fails: "LISTEN-CANCEL"},
	})
}

// A cancel by which a server ends a subscription is no stray.
func TestEndOfSubscriptionIsNoStray(t *testing.T) {
	h := listening(subscribed + `40 server > cancel 1
		50 client < cancel 1; return 1 ended`).history(t)
	assert.Equal(t, Vacuous, verdictOf(t, Judge(h), "CANCEL-INVALID-IGNORED").Status)
}

// Nor does what it ended stay with the judge, if no response follows.
func TestEndedSubscriptionIsOver(t *testing.T) {
	h := listening(subscribed + `40 server > cancel 1
		50 client < cancel 1; return 1 ended`).history(t)
	x := newIndex(h)
	assert.True(t, x.call(1).req.over())
}

// A pong that is due waits for its turn like everything else.
func TestPongWaitsForItsTurn(t *testing.T) {
	world := func(text string) script { return bare(running + text) }
	runAccusations(t, []accusation{
		{why: "behind a result that was begun in the same instant", script: world(`30 client > ping
			40 server < ping; end 1 "done 1"; >> result 1
			15040 server . result 1; > pong
			15050 client < result 1; < pong; return 1 "done 1"`)},
		{why: "behind a result that was begun later, and in time", script: world(`30 client > ping
			40 server < ping
			9000 server end 1 "done 1"; >> result 1
			15040 server . result 1; > pong
			15050 client < result 1; < pong; return 1 "done 1"`)},
		{why: "for ever", script: world(`30 client > ping
			40 server < ping; end 1 "done 1"; >> result 1
			60000 world horizon`)},
		{why: "the writer was free for a moment", script: world(`30 client > ping
			40 server < ping; end 1 "done 1"; >> result 1
			15040 server . result 1
			15041 server > pong
			15050 client < result 1; < pong; return 1 "done 1"`), fails: "PING-PROMPT"},
		{why: "what is written too late is no excuse", script: world(`30 client > ping
			40 server < ping
			50040 server end 1 "done 1"; >> result 1
			60000 world horizon`), fails: "PING-PROMPT"},
	})
}

// A handler that begins for none of the header's calls is that of no call which the
// judge has forgotten.
func TestStartOfNoCallIsNotForgotten(t *testing.T) {
	l := &longTalk{cancelled: obeyed(), named: plainID}
	h := l.whole(1000)
	start := history.Event{At: h.Events[999].At, Side: history.Server, Kind: history.Start, Call: l.calls + 1000}
	late := start
	late.Call = 1
	for _, row := range []struct {
		event history.Event
		left  int
	}{{start, 0}, {late, 1}} {
		more := &history.History{Header: h.Header, Events: append(slices.Clone(h.Events), row.event)}
		left := 0
		for _, u := range verdictOf(t, judgeKeeping(more, 5), "CANCEL-STOP-WORK").Uncounted {
			if u.Why == whyForgotten {
				left = u.N
			}
		}
		assert.Equal(t, row.left, left, "of call %d", row.event.Call)
	}
}

// A request that a server rightly leaves without a response gives its token up when it
// is forgotten.
func TestTokensAreGivenUp(t *testing.T) {
	few := func(n int) string { return fmt.Sprintf(`"p%d"`, n%100) }
	l := longTalk{cancelled: obeyed(), named: plainID, token: few}
	s := NewStream(l.header(0), nil)
	s.limit = 5
	for range 20_000 {
		e, made := l.next()
		if made > 0 {
			s.Calls([]history.Call{l.line(made)})
		}
		s.Event(&e)
	}
	held := 0
	for _, n := range s.active[seat(history.Client)] {
		held += n
	}
	assert.Less(t, held, 2*(s.limit+atATime))
}

// What is wrong with a request itself is refused whoever's cancel is read in that instant.
func TestRefusalNeedsNoCancel(t *testing.T) {
	refused := func(code int) string {
		return fmt.Sprintf(`{"id":"11","error":{"code":%d,"message":"no"}}`, code)
	}
	other := `10 client issue 1; > call 1
		20 server < call 1; start 1
		30 client issue 2; > {"id":"11","method":"prompts/list","params":{"call":2}}; cancel 1; > cancel 1; return 1 canceled
		40 server < {"id":"11","method":"prompts/list","params":{"call":2}}; < cancel 1; told 1; end 1 canceled; > `
	for _, code := range []int{methodNotFound, invalidParams, -32603} {
		h := script{handlers: []string{"cooperative", ""}, text: other + refused(code) + `
			50 client < ` + refused(code) + `; return 2 refused`}.history(t)
		h.Header.Calls[1].Method = "prompts/list"
		for i := range h.Events {
			if m := h.Events[i].Msg; m != nil && m.Method == "prompts/list" {
				m.Call = 2
			}
		}
		want := ""
		if code == -32603 {
			want = "CANCEL-RIGHT-CALL"
		}
		assert.Equal(t, want, failing(Judge(h)), "error %d", code)
	}
}

// A change is told when the writer is free for that.
func TestChangeWaitsForItsTurn(t *testing.T) {
	world := func(text string) script { return bare(subscribed + text).asListen() }
	runAccusations(t, []accusation{
		{why: "behind what was begun after it and never taken", script: world(`40 server change "tools"; >> updated 1
			20000 client close`)},
		{why: "behind what was begun later, and in time", script: world(`40 server change "tools"
			9000 server >> updated 1
			20000 client close`)},
		{why: "what was begun was taken", script: world(`40 server change "tools"
			9000 server > updated 1
			9010 client < updated 1
			20000 client close`), fails: "LISTEN-DELIVERS"},
		{why: "what is begun too late is no excuse", script: world(`40 server change "tools"
			15000 server >> updated 1
			20000 client close`), fails: "LISTEN-DELIVERS"},
	})
}

// Progress after a response that came too late itself is one act, and reported once.
func TestLateProgressAfterLateResponse(t *testing.T) {
	answered := running + cancelled + `45 server end 1 canceled; > error 1
		50 server > progress 1
		60 client < error 1; < progress 1`
	silent := running + cancelled + `50 server > progress 1; end 1 canceled
		60 client < progress 1`
	whole := running + `25 server end 1 "done 1"; > result 1; > progress 1
		30 client < result 1; < progress 1; return 1 "done 1"`
	crossed := running + `25 client cancel 1; > cancel 1; return 1 canceled
		30 server end 1 "done 1"; > result 1
		35 server < cancel 1
		40 server > progress 1
		50 client < result 1; < progress 1`
	runAccusations(t, []accusation{
		{why: "modern", script: modernCase(answered), fails: "(CANCEL-NO-RESPONSE) CANCEL-SILENCE (PROGRESS-AFTER-CANCEL) (PROGRESS-ACTIVE) (PROGRESS-STOP)"},
		{why: "legacy", script: legacyCase(answered), fails: "CANCEL-NO-RESPONSE (PROGRESS-AFTER-CANCEL) (PROGRESS-ACTIVE) PROGRESS-STOP"},
		{why: "modern, and no response", script: modernCase(silent), fails: "CANCEL-SILENCE (PROGRESS-AFTER-CANCEL)"},
		{why: "legacy, and no response", script: legacyCase(silent), fails: "PROGRESS-AFTER-CANCEL"},
		{why: "modern, and no cancel", script: modernCase(whole), fails: "(PROGRESS-ACTIVE) PROGRESS-STOP"},
		{why: "modern, and the response came before the cancel", script: modernCase(crossed), fails: "(PROGRESS-ACTIVE) PROGRESS-STOP"},
	})
}

// Calls without a handler are named by their method.
func TestHeldCallerHasItsMethod(t *testing.T) {
	h := script{method: "tools/list", text: `10 client issue 1; > call 1
		20 server < call 1
		30 client cancel 1; >> cancel 1
		60 client .; return 1 canceled
		70 server < cancel 1`}.history(t)
	v := verdictOf(t, Judge(h), "CANCEL-NONBLOCKING")
	require.Len(t, v.Violations, 1)
	assert.Equal(t, "tools/list", v.Violations[0].Handler)
	assert.Equal(t, "tools/list", v.Violations[0].Method)
}
