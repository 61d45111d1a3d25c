package oracle

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

// twoClients is a conversation of two clients with one server, each with a call, which
// have the same id and the same progress token.
func twoClients(version, text string) webScript {
	return webScript{
		script:  script{version: version, handlers: []string{"cooperative", "cooperative"}, text: text, bare: true},
		clients: 2, owners: []int{1, 2}, ids: map[int]int{2: 1},
	}.met()
}

// met is the script with the handshakes before it, and the farewells after it.
func (s webScript) met() webScript {
	farewell := `
		1000 world quiet
		1001 client1 probe; > ping
		1002 server1 < ping; > pong
		1003 client1 < pong; probed
		1004 client2 probe; > ping
		1005 server2 < ping; > pong
		1006 client2 < pong; probed`
	if s.modern() {
		farewell += `
		1010 client1 close; closed
		1010 client2 close; closed`
	} else {
		farewell += `
		1010 client1 close; delete bye
		1011 server1 serve bye 204
		1012 client1 finish bye; closed
		1013 client2 close; delete bye
		1014 server2 serve bye 204
		1015 client2 finish bye; closed`
	}
	s.text = s.greeting() + s.text + farewell + `
		2000 server sessions 0; stop; served`
	return s
}

const bothRun = `10 client1 issue 1; > call 1
	10 client2 issue 2; > call 2
	20 server1 < call 1; start 1
	21 server2 < call 2; start 2
	`

const bothAnswered = `50 server1 end 1 "done 1"; > result 1
	51 server2 end 2 "done 2"; > result 2
	60 client1 < result 1; return 1 "done 1"
	61 client2 < result 2; return 2 "done 2"
	`

func crowdCases() []webCase {
	return []webCase{{
		rule: "ANSWER-OWN", why: "each its own, under one id", want: Pass, script: twoClients(legacyVersion, bothRun+bothAnswered),
	}, {
		rule: "ANSWER-OWN", why: "the other client's", want: Fail, fails: "ANSWER-OWN", side: history.Server,
		script: twoClients(legacyVersion, bothRun+`50 server1 end 1 "done_1"; > result 1
			51 server2 end 2 "done 2"; > {"id":11,"result":{"content":[{"type":"text","text":"done_1"}]}} on call 2
			60 client1 < result 1; return 1 "done_1"
			61 client2 < {"id":11,"result":{"content":[{"type":"text","text":"done_1"}]}} on call 2; return 2 "done_1"`),
	}, {
		rule: "CANCEL-RIGHT-CALL", why: "a posted cancel hits the same id of another client", want: Fail, fails: "CANCEL-STOP-WORK (NO-SPURIOUS-CANCEL) CANCEL-RIGHT-CALL", side: history.Server,
		script: twoClients(legacyVersion, bothRun+`30 client1 cancel 1; > cancel 1; return 1 canceled
			40 server1 < cancel 1
			40 server2 told 2; end 2 canceled; > error 2
			45 server1 end 1 "done 1"; > result 1
			50 client2 < error 2; return 2 canceled
			51 client1 < result 1`),
	}, {
		rule: "CANCEL-RIGHT-CALL", why: "it hits its own", want: Pass,
		script: twoClients(legacyVersion, bothRun+`30 client1 cancel 1; > cancel 1; return 1 canceled
			40 server1 < cancel 1
			40 server told 1; end 1 canceled
			51 server2 end 2 "done 2"; > result 2
			61 client2 < result 2; return 2 "done 2"`),
	}, {
		rule: "DISC-SCOPED", why: "a disconnect hits another client's request", want: Fail, fails: "(CANCEL-STOP-WORK) (NO-SPURIOUS-CANCEL) DISC-IS-CANCEL DISC-SCOPED", side: history.Server,
		script: twoClients(modernVersion, bothRun+`30 client1 cancel 1; drop call 1; return 1 canceled
			40 server1 gone call 1
			40 server2 told 2; end 2 canceled; > error 2
			45 server1 end 1 "done 1"; finish call 1
			50 client2 < error 2; return 2 canceled`),
	}, {
		rule: "DISC-SCOPED", why: "it does not", want: Pass,
		script: twoClients(modernVersion, bothRun+`30 client1 cancel 1; drop call 1; return 1 canceled
			40 server1 gone call 1; told 1; end 1 canceled; finish call 1
			51 server2 end 2 "done 2"; > result 2
			61 client2 < result 2; return 2 "done 2"`),
	}, {
		rule: "PROGRESS-ACTIVE", why: "progress under a token that only another client has", want: Fail, fails: "PROGRESS-ACTIVE", side: history.Server,
		script: func() webScript {
			s := twoClients(legacyVersion, bothRun+`30 server1 > {"method":"notifications/progress","params":{"progressToken":"p2","progress":1}} on call 1
				40 client1 < {"method":"notifications/progress","params":{"progressToken":"p2","progress":1}} on call 1
				`+bothAnswered)
			s.ids = nil
			return s
		}(),
	}, {
		rule: "RACE-GRACEFUL", why: "a crash after cancels is one", want: Fail, fails: "RACE-GRACEFUL (SESSION-SURVIVES)", side: history.Server,
		script: func() webScript {
			s := twoClients(legacyVersion, "")
			s.text = s.greeting() + bothRun + `30 client1 cancel 1; > cancel 1; return 1 canceled
				31 client2 cancel 2; > cancel 2; return 2 canceled
				40 server1 < cancel 1
				40 server2 < cancel 2
				40 world crash server panic`
			return s
		}(),
	}, {
		rule: "SESSION-SURVIVES", why: "and before any, another", want: Fail, fails: "SESSION-SURVIVES", side: history.Server,
		script: func() webScript {
			s := twoClients(legacyVersion, "")
			s.text = s.greeting() + bothRun + `41 world crash server panic`
			return s
		}(),
	}, {
		rule: "SESSION-ENDS", why: "one of two sessions lives on", want: Fail, fails: "SESSION-ENDS",
		script: twoClients(legacyVersion, bothRun+bothAnswered).replaced("sessions 0", "sessions 1"),
	}, {
		rule: "SHUT-HTTP", why: "one of two clients leaves without a word", want: Fail, fails: "SHUT-HTTP",
		script: twoClients(legacyVersion, bothRun+bothAnswered).replaced("client2 close; delete bye", "client2 close; closed").
			replaced("1014 server2 serve bye 204", "").replaced("1015 client2 finish bye; closed", "").replaced("sessions 0", "sessions 1"),
	}, {
		rule: "NO-LEAK", why: "what remains is counted once", want: Fail, fails: "NO-LEAK",
		script: twoClients(legacyVersion, bothRun+bothAnswered).replaced("stop; served", "stop; served\n3000 world leak created by x.(*Server).y"),
	}}
}

func TestManyClients(t *testing.T) {
	runWeb(t, crowdCases())
	for _, tc := range crowdCases() {
		for _, v := range Judge(tc.script.history(t)).Verdicts {
			assert.LessOrEqual(t, v.Failed, 1, "%s: %s: an act is counted once", tc.why, v.Rule)
		}
	}
}

// Calls come back in the order of the header, whosever they are.
func TestCallsOfManyClients(t *testing.T) {
	h := twoClients(legacyVersion, bothRun+bothAnswered).history(t)
	j := Judge(h)
	require.Len(t, j.Calls, 2)
	assert.Equal(t, []int{1, 2}, []int{j.Calls[0].Call, j.Calls[1].Call})
	v := verdictOf(t, j, "REQUEST-DISPATCHED")
	assert.Equal(t, 2, v.Checked)
}
