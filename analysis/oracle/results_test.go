package oracle

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const ms = time.Millisecond

func TestCallResults(t *testing.T) {
	none := CallResult{
		Call: 1, Handler: "cooperative", Life: 100 * ms, Offset: -1, SentToRead: -1,
		ReadToTold: -1, ToldToEnd: -1, ReadToEnd: -1, Lateness: -1, CancelToRet: -1,
	}
	with := func(change func(*CallResult)) CallResult {
		r := none
		change(&r)
		return r
	}
	sent := func(phase Phase, work Work, wire Wire, change func(*CallResult)) CallResult {
		return with(func(r *CallResult) {
			r.Cancelled, r.Sent, r.Phase, r.Work, r.Wire = true, true, phase, work, wire
			r.Offset, r.CancelToRet, r.SentToRead = 20*ms, 0, 10*ms
			change(r)
		})
	}
	silentUnread := `30 client cancel 1; > cancel 1; return 1 canceled
	`
	for _, tc := range []struct {
		why    string
		script script
		want   CallResult
	}{{
		"left alone",
		script{text: running + `50 server end 1 "done 1"; > result 1
			60 client < result 1; return 1 "done 1"`},
		none,
	}, {
		"cancelled before it was written",
		script{text: `10 client issue 1; cancel 1; return 1 canceled`},
		with(func(r *CallResult) {
			r.Cancelled, r.Phase, r.Offset, r.CancelToRet = true, NeverIssued, 0, 0
		}),
	}, {
		"cancelled, and the client tells nobody",
		script{text: running + `30 client cancel 1; return 1 canceled`},
		with(func(r *CallResult) { r.Cancelled, r.Offset, r.CancelToRet = true, 20*ms, 0 }),
	}, {
		"stops at once",
		script{text: running + cancelled + `server end 1 canceled`},
		sent(Running, Stopped, Silent, func(r *CallResult) { r.ReadToTold, r.ToldToEnd, r.ReadToEnd = 0, 0, 0 }),
	}, {
		"stops a while after it was told",
		script{text: running + cancelled + `55 server end 1 canceled; > error 1`},
		sent(Running, Stopped, Answered, func(r *CallResult) {
			r.ReadToTold, r.ToldToEnd, r.ReadToEnd, r.Late, r.ErrorReply, r.Lateness = 0, 15*ms, 15*ms, true, true, 15*ms
		}),
	}, {
		"told late, and runs on",
		script{handlers: []string{"stubborn"}, text: running + silentUnread + `40 server < cancel 1
			43 server told 1
			90 server end 1 "done 1"; > result 1`},
		sent(Running, ToldRanOn, Answered, func(r *CallResult) {
			r.Handler, r.ReadToTold, r.ToldToEnd, r.ReadToEnd, r.Late, r.Lateness = "stubborn", 3*ms, 47*ms, 50*ms, true, 50*ms
		}),
	}, {
		"never told",
		script{text: running + silentUnread + `40 server < cancel 1
			90 server end 1 "done 1"`},
		sent(Running, NeverTold, Silent, func(r *CallResult) { r.ReadToEnd = 50 * ms }),
	}, {
		"never told, and the end was not seen: at least until the world's",
		script{text: running + silentUnread + `40 server < cancel 1`},
		sent(Running, NeverTold, Silent, func(r *CallResult) { r.ReadToEnd = 972 * ms }),
	}, {
		"queued, and dropped",
		script{text: `10 client issue 1; > call 1
			20 server < call 1
			` + silentUnread + `40 server < cancel 1`},
		sent(Queued, Stopped, Silent, func(*CallResult) {}),
	}, {
		"answered twice",
		script{text: running + silentUnread + `40 server < cancel 1; told 1; end 1 canceled; > error 1; > result 1`},
		sent(Running, Stopped, AnsweredTwice, func(r *CallResult) {
			r.ReadToTold, r.ToldToEnd, r.ReadToEnd, r.Late, r.ErrorReply, r.Lateness = 0, 0, 0, true, true, 0
		}),
	}, {
		"the cancel never arrived",
		script{text: running + silentUnread + `60 server end 1 "done 1"; > result 1`},
		sent(Undelivered, Ended, Crossed, func(r *CallResult) { r.SentToRead = -1 }),
	}, {
		"the cancel lay unread until the world's end",
		script{text: running + silentUnread + `35 server ~ cancel 1
			60 server end 1 "done 1"`},
		sent(Undelivered, NotRead, Silent, func(r *CallResult) { r.SentToRead = -1 }),
	}, {
		"the caller was held until its cancel had been written",
		script{text: running + `30 client cancel 1; >> cancel 1
			45 client .; return 1 canceled`},
		sent(Undelivered, Ended, Silent, func(r *CallResult) {
			r.SentToRead, r.CancelToRet, r.Incident = -1, 15*ms, CallerOverran
		}),
	}} {
		t.Run(tc.why, func(t *testing.T) {
			h := tc.script.history(t)
			assert.Equal(t, tc.want, Judge(h).Calls[0])
		})
	}
}

func TestIncidents(t *testing.T) {
	for _, tc := range []struct {
		why    string
		script script
		want   Incident
	}{
		{"all is well", script{text: running + cancelled + `server end 1 canceled`}, ""},
		{"the caller waits for ever", script{bare: true, text: greeting + running + `30 client cancel 1; > cancel 1
			60000 world horizon
			client close; hangup; return 1 closed; closed`}, Hung},
		{"the server hangs up", script{bare: true, text: greeting + running + `30 server hangup; served
			40 client eof; return 1 closed; hangup; close; closed`}, SessionKilled},
		{"the process dies", script{bare: true, text: greeting + running + `30 world crash server panic`}, Crashed},
		{"hit by another call's cancel", script{handlers: []string{"cooperative", "cooperative"}, text: running + `
			client issue 2; > call 2
			server < call 2; start 2
			30 client cancel 2; > cancel 2; return 2 canceled
			40 server < cancel 2; told 1; end 1 canceled; > error 1
			50 client < error 1; return 1 failed`}, WrongCall},
	} {
		t.Run(tc.why, func(t *testing.T) {
			assert.Equal(t, tc.want, Judge(tc.script.history(t)).Calls[0].Incident)
		})
	}
}
