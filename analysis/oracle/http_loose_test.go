package oracle

import "testing"

// without is the script of a server that gives no sessions.
func (s webScript) without() webScript { s.stateless = true; return s }

// A cancel that nothing but an id ties to its request, or that the server refused, need
// not be heeded.
func looseCases() []webCase {
	ignored := webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1
		90 server end 1 "done 1"; > result 1
		95 client < result 1`
	refused := func(status string) webScript {
		return legacyWeb(ignored).replaced("< cancel 1\n", "status cancel 1 "+status+"; < cancel 1\n")
	}
	heeded := webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1; told 1; end 1 canceled; > error 1
		95 client < error 1`
	reported := webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1
		60 server > progress 1
		90 server end 1 "done 1"; > result 1
		95 client < progress 1; < result 1`
	return []webCase{{
		rule: "CANCEL-STOP-WORK", why: "a server without sessions goes on", want: Vacuous, uncounted: whyNoSession,
		script: legacyWeb(ignored).without(),
	}, {
		rule: "CANCEL-STOP-WORK", why: "one with a session must not", want: Fail, fails: "CANCEL-STOP-WORK",
		script: legacyWeb(ignored),
	}, {
		rule: "CANCEL-STOP-WORK", why: "a server without sessions that heeds it", want: Pass,
		script: legacyWeb(heeded).without(),
	}, {
		rule: "CANCEL-STOP-WORK", why: "what one is told later, it may be told for another reason", want: Vacuous, uncounted: whyNoSession,
		script: legacyWeb(heeded).without().replaced("; told 1; end 1 canceled;", "\n50 server told 1; end 1 canceled;"),
	}, {
		rule: "PROGRESS-AFTER-CANCEL", why: "and reports", want: Vacuous, uncounted: whyNoSession,
		script: legacyWeb(reported).without().tools("chatty"),
	}, {
		rule: "PROGRESS-AFTER-CANCEL", why: "in a session", want: Fail, fails: "CANCEL-STOP-WORK PROGRESS-AFTER-CANCEL",
		script: legacyWeb(reported).tools("chatty"),
	}, {
		rule: "CANCEL-NO-RESPONSE", why: "an answer is told, as in a session", want: Pass, uncounted: whyOnlyTold,
		script: legacyWeb(ignored).without(),
	}, {
		rule: "CANCEL-STOP-WORK", why: "another client's call with the id goes on, too", want: Vacuous, uncounted: whyNoSession,
		script: webScript{
			clients: 2, owners: []int{1, 2}, ids: map[int]int{2: 1}, stateless: true,
			script: script{version: legacyVersion, handlers: []string{"cooperative", "cooperative"}, bare: true, text: `
				0 client1 connect; > hello
				0 client2 connect; > hello
				1 server1 < hello; > welcome
				1 server2 < hello; > welcome
				2 client1 < welcome; connected; > ready
				2 client2 < welcome; connected; > ready
				3 server1 < ready
				3 server2 < ready
				10 client1 issue 1; > call 1
				10 client2 issue 2; > call 2
				20 server1 < call 1; start 1
				20 server2 < call 2; start 2
				30 client1 cancel 1; > cancel 1; return 1 canceled
				40 server1 < cancel 1
				90 server1 end 1 "done 1"; > result 1
				90 server2 end 2 "done 2"; > result 2
				95 client1 < result 1
				95 client2 < result 2; return 2 "done 2"`},
		},
	}, {
		rule: "CANCEL-STOP-WORK", why: "the server refused the cancel", want: Vacuous, uncounted: whyNotTaken,
		script: refused("400"),
	}, {
		rule: "CANCEL-STOP-WORK", why: "the server took it", want: Fail, fails: "CANCEL-STOP-WORK",
		script: refused("202"),
	}, {
		rule: "CANCEL-STOP-WORK", why: "the server failed with it", want: Fail, fails: "CANCEL-STOP-WORK",
		script: refused("500"),
	}}
}

func TestLooseCancels(t *testing.T) { runWeb(t, looseCases()) }
