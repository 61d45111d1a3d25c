package oracle

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

// bare is a script with the handshake and an end of its own.
func bare(text string, handlers ...string) script {
	return script{bare: true, handlers: handlers, text: greeting + text}
}

// modernised is the same at the version of the stateless era.
func (s script) modernised() script {
	s.version = modernVersion
	return s
}

// How a client is closed with its call in flight, and the server reads the end.
const closedEarly = running + `
	50 client close; hangup; return 1 closed; closed
	60 server eof
`

// And what the world does with what does not end.
const hung = `
	600050 world horizon close did not end
	600050 server hangup
`

func TestShutdown(t *testing.T) {
	runRule(t, "SHUT-STDIO-SERVER", shutdownCases())
	h := bare(closedEarly + `1260000 server end 1 "done 1"; hangup; served`).history(t)
	v := verdictOf(t, Judge(h), "SHUT-STDIO-SERVER").Violations
	if assert.Len(t, v, 1) {
		assert.Equal(t, []history.Kind{history.Start, history.Close, history.EOF, history.End}, kindsOf(h, v[0].Events))
		assert.Equal(t, 1259940*ms, v[0].Lateness)
	}
}

func shutdownCases() []ruleCase {
	const rule = "SHUT-STDIO-SERVER"
	return []ruleCase{{
		why: "quiet when it was closed: the server has only to end", want: Pass, checked: 1,
		script: script{text: running + `30 server end 1 "done 1"; > result 1
			40 client < result 1; return 1 "done 1"`},
	}, {
		why: "told at once, and ended", want: Pass, checked: 2,
		script: bare(closedEarly + `server told 1; end 1 canceled; hangup; served`),
	}, {
		why: "a text for it came with 2026-07-28", want: Fail, checked: 1, fails: rule,
		script: bare(closedEarly + `1260000 server end 1 "done 1"; hangup; served`).modernised(),
	}, {
		why: "told after nine seconds: a server may wait for its handlers a little", want: Pass, checked: 2,
		script: bare(closedEarly + `9060 server told 1; end 1 canceled; hangup; served`),
	}, {
		why: "told after eleven seconds", want: Fail, checked: 1, fails: rule, side: history.Server,
		script: bare(closedEarly + `11060 server told 1; end 1 canceled; hangup; served`),
	}, {
		why: "never told, and worked on to its end", want: Fail, checked: 1, fails: rule, side: history.Server,
		script: bare(closedEarly + `1260000 server end 1 "done 1"; hangup; served`),
	}, {
		why: "never told, and at work when the world ended: what it is told then is the simulator's doing", want: Fail, checked: 1, fails: rule,
		script: bare(closedEarly + hung + `server told 1; end 1 canceled; served`),
	}, {
		why: "never told, and ended by itself within ten seconds", want: Pass, checked: 1, uncounted: whyEndedSoon,
		script: bare(closedEarly + `5000 server end 1 "done 1"; > result 1; hangup; served`),
	}, {
		why: "never told, but the run returned, which ends a process", want: Pass, checked: 1, uncounted: whyServed,
		script: bare(closedEarly + `server hangup; served
			1260000 server end 1 "done 1"`),
	}, {
		why: "begun when the input had ended, and not told", want: Fail, checked: 1, fails: rule,
		script: bare(`10 client issue 1; > call 1
			20 server < call 1
			50 client close; hangup; return 1 closed; closed
			60 server eof
			70 server start 1
			1260000 server end 1 "done 1"; hangup; served`),
	}, {
		why: "told by its cancel before, and takes its time: the tool's affair", want: Pass, checked: 1,
		script: bare(running+cancelled+`50 client close; hangup; closed
			60 server eof
			30000 server end 1 canceled; hangup; served`, "slow-cleanup"),
	}, {
		why: "told, and a tool that does not mind keeps the server from ending", want: Pass, checked: 1, uncounted: whyToolRuns,
		script: bare(closedEarly+`server told 1
			`+hung, "stubborn"),
	}, {
		why: "the handlers are over, and the server goes on", want: Fail, checked: 2, fails: rule, side: history.Server,
		script: bare(closedEarly + `server told 1; end 1 canceled` + hung),
	}, {
		why: "it ended, eleven seconds after its last handler", want: Fail, checked: 2, fails: rule,
		script: bare(closedEarly + `server told 1; end 1 canceled
			11070 server hangup; served`),
	}, {
		why: "the same after cancels, with nothing in flight, is a breach of a stricter rule", want: Fail, checked: 1, fails: "RACE-GRACEFUL (SHUT-STDIO-SERVER)",
		script: bare(running + cancelled + `server end 1 canceled
			50 client close; hangup; closed
			60 server eof` + hung),
	}, {
		why: "it could not end: nobody took what it had to write", want: Vacuous, uncounted: whyServerHeld,
		script: bare(running + `30 server end 1 "done 1"; >> result 1
			50 client close; hangup; return 1 closed; closed
			60 server eof` + hung),
	}, {
		why: "it was held up by the network, and then ended", want: Pass, checked: 1,
		script: bare(running + `30 server end 1 "done 1"; >> result 1
			50 client close; hangup; return 1 closed; closed
			60 server eof
			100000 server .; hangup; served`),
	}, {
		why: "the server never read the end of its input", want: Vacuous,
		script: bare(running + `50 client close; hangup; return 1 closed; closed` + hung),
	}, {
		why: "the process crashed before it could be seen", want: Vacuous,
		script: bare(closedEarly + `world crash`),
	}, {
		why: "only the client's half was closed, and the application closes later", want: Vacuous,
		script: bare(halfClosed + `80 server end 1 "done 1"; > result 1; hangup; served
			90 client < result 1; return 1 "done 1"; eof
			1000 client close; closed`),
	}}
}

func TestCloseBounded(t *testing.T) {
	runRule(t, "CLOSE-BOUNDED", closeCases())
}

func closeCases() []ruleCase {
	const rule = "CLOSE-BOUNDED"
	return []ruleCase{{
		why: "never closed", want: Vacuous,
		script: bare(running + `30 world horizon`),
	}, {
		why: "returned, with a call in flight", want: Pass, checked: 1,
		script: bare(closedEarly + `server told 1; end 1 canceled; hangup; served`),
	}, {
		why: "waits for the call in flight, whose tool nobody has told", want: Fail, checked: 1, fails: rule, side: history.Client,
		script: bare(running + `50 client close` + hung + `client return 1 closed; hangup; closed
			server told 1; end 1 canceled; served`),
	}, {
		why: "waits for a tool that does not stop when told", want: Vacuous, uncounted: whyToolRuns,
		script: bare(running+`50 client close`+hung+`client return 1 closed; hangup; closed`, "stubborn"),
	}, {
		why: "waits for what the network has not delivered", want: Vacuous, uncounted: whyEnRoute,
		script: bare(`10 client issue 1; > call 1
			50 client close` + hung + `client return 1 closed; hangup; closed
			700000 server < call 1`),
	}, {
		why: "waits for a network that takes nothing", want: Vacuous, uncounted: whyWriterHeld,
		script: bare(running + `40 client >> ping
			50 client close` + hung + `client return 1 closed; hangup; closed`),
	}, {
		why: "waits with nothing in flight, after cancels: a stricter rule's", want: Fail, checked: 1, fails: "RACE-GRACEFUL (CLOSE-BOUNDED)",
		script: bare(running + cancelled + `server end 1 canceled
			50 client close` + hung + `client hangup; closed`),
	}, {
		why: "waits for a server that has died", want: Fail, checked: 1, fails: rule,
		script: bare(died + `90 client return 1 lost
			1000 client close
			601000 world horizon close did not end
			601000 client hangup; closed`),
	}, {
		why: "what a dead server did not read is lost, and not under way", want: Fail, checked: 1, fails: rule,
		script: bare(`10 client issue 1; > call 1
			50 server exit
			70 client eof; return 1 lost
			1000 client close
			601000 world horizon close did not end
			601000 server ~ call 1
			601000 client hangup; closed`),
	}, {
		why: "the process crashed", want: Vacuous,
		script: bare(running + `50 client close
			world crash`),
	}}
}

// How the client's writing half is closed with a call in flight.
const halfClosed = running + `
	50 client half-close; hangup
	60 server eof
`

func TestEOFDrains(t *testing.T) {
	runRule(t, "EOF-DRAINS", drainCases())
}

func drainCases() []ruleCase {
	const rule = "EOF-DRAINS"
	after := `
		1000 client close; closed`
	return []ruleCase{{
		why: "the session ends in the ordinary way", want: Vacuous,
		script: script{text: running + `50 server end 1 "done 1"; > result 1
			60 client < result 1; return 1 "done 1"`},
	}, {
		why: "the call is worked off and answered", want: Pass, checked: 1,
		script: bare(halfClosed + `90 server end 1 "done 1"; > result 1; hangup; served
			99 client < result 1; return 1 "done 1"; eof` + after),
	}, {
		why: "told to stop, and answered with the error", want: Pass, checked: 1,
		script: bare(halfClosed + `server told 1; end 1 canceled; > error 1; hangup; served
			99 client < error 1; return 1 canceled; eof` + after),
	}, {
		why: "told to stop, and dropped", want: Fail, checked: 1, fails: rule, side: history.Server,
		script: bare(halfClosed + `server told 1; end 1 canceled; hangup; served
			99 client eof; return 1 lost` + after),
	}, {
		why: "the same since 2026-07-28, where a server is to exit promptly", want: Vacuous,
		script: bare(halfClosed + `server told 1; end 1 canceled; hangup; served
			99 client eof; return 1 lost` + after).modernised(),
	}, {
		why: "written into a connection that the server itself had closed", want: Fail, checked: 1, fails: rule,
		script: bare(halfClosed + `server hangup; told 1; end 1 canceled; >> error 1; .failed; served
			99 client eof; return 1 lost` + after),
	}, {
		why: "the client has stopped reading, as the server finds out", want: Vacuous, uncounted: whyDeaf,
		script: script{bare: true, handlers: []string{"cooperative", "cooperative"}, text: greeting + `
			10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2
			50 client half-close; hangup
			60 server eof
			90 server end 1 "done 1"; >> result 1; .failed; hangup
			95 server end 2 "done 2"; >> result 2; .failed; served
			96 client return 1 lost; return 2 lost` + after},
	}, {
		why: "the server stays, and never answers", want: Fail, checked: 1, fails: rule,
		script: bare(halfClosed + `90 server end 1 "done 1"
			60000 world horizon calls had not returned
			60001 client close; return 1 closed; closed`),
	}, {
		why: "the server stays, and is at work", want: Vacuous, uncounted: whyToolRuns,
		script: bare(halfClosed + `60000 world horizon calls had not returned
			60001 client close; return 1 closed; closed`),
	}, {
		why: "the server leaves while nobody takes what it writes", want: Vacuous, uncounted: whyServerHeld,
		script: bare(halfClosed + `80 server >> progress 1
			90 server hangup; served
			99 client eof; return 1 lost` + after),
	}, {
		why: "answered before the input ended: nothing was owed", want: Vacuous,
		script: bare(running + `30 server end 1 "done 1"; > result 1
			40 client < result 1; return 1 "done 1"
			50 client half-close; hangup
			60 server eof; hangup; served
			70 client eof` + after),
	}, {
		why: "cancelled before: an answer is not to be had", want: Vacuous,
		script: bare(running + cancelled + `server end 1 canceled
			50 client half-close; hangup
			60 server eof; hangup; served
			70 client eof` + after),
	}, {
		why: "the request was still under way", want: Vacuous,
		script: bare(`10 client issue 1; > call 1
			50 client half-close; hangup
			60 client return 1 lost` + after),
	}}
}

// How the server dies under a call.
const died = running + `
	50 server exit
	80 client eof
`

func TestCallersOfADeadServer(t *testing.T) {
	const rule = "CALLER-UNBLOCKS"
	after := `
		1000 client close; closed`
	runRule(t, rule, []ruleCase{{
		why: "gets control back when the end is read", want: Pass, checked: 1,
		script: bare(died + `client return 1 lost` + after),
	}, {
		why: "waits until the world's limit", want: Fail, checked: 1, fails: rule, side: history.Client,
		script: bare(died + `60000 world horizon calls had not returned
			60001 client close; return 1 closed; closed`),
	}, {
		why: "waited until it gave up by itself", want: Vacuous, uncounted: whyGaveUp,
		script: bare(died + `5000 client cancel 1; return 1 canceled` + `
			6000 client close; closed`),
	}, {
		why: "the client has not read the end, and cannot know", want: Vacuous,
		script: bare(running + `50 server exit
			60000 world horizon calls had not returned
			60001 client close; return 1 closed; closed`),
	}, {
		why: "the server left when its input had ended, and the client waits", want: Fail, checked: 1, fails: rule,
		script: bare(halfClosed + `server told 1; end 1 canceled; > error 1; hangup; served
			80 client eof
			60000 world horizon calls had not returned
			60001 client close; return 1 closed; closed`).modernised(),
	}, {
		why: "closed under it, and released", want: Pass, checked: 1,
		script: bare(closedEarly + `server told 1; end 1 canceled; hangup; served`),
	}, {
		why: "closed under it, and not released although Close has returned", want: Fail, checked: 1, fails: rule,
		script: bare(running + `50 client close; hangup; closed
			60 server eof; told 1; end 1 canceled; hangup; served` + hung + `client return 1 closed`),
	}, {
		why: "the server hung up, and the application closes before the client can know of it", want: Pass, checked: 1, fails: "SESSION-SURVIVES",
		script: bare(running + `40 server told 1; end 1 canceled; hangup; served
			50 client close
			60 client eof; return 1 lost; hangup; closed`),
	}, {
		why: "the server hung up, and what it had written last still keeps the client from reading the end", want: Vacuous, fails: "SESSION-SURVIVES",
		script: bare(running + `40 server told 1; end 1 canceled; hangup; served
			60000 world horizon calls had not returned
			60001 client close; return 1 closed; hangup; closed`),
	}, {
		why: "the server hung up, and so did the client, which never read the end, and holds its caller", want: Fail, checked: 1, fails: "SESSION-SURVIVES CALLER-UNBLOCKS",
		script: bare(running + `40 server told 1; end 1 canceled; hangup; served
			50 client hangup
			60000 world horizon calls had not returned
			60001 client close; return 1 closed; closed`),
	}, {
		why: "given up while the request itself is half written, and then closed", want: Vacuous, uncounted: whyClosing,
		script: bare(`10 client issue 1; >> call 1
			30 client cancel 1
			50 client close
			60 client .failed; return 1 canceled; hangup; closed`),
	}, {
		why: "given up while the request itself is half written, and the network never takes the rest", want: Vacuous, uncounted: whyOwnRequest,
		script: bare(`10 client issue 1; >> call 1
			30 client cancel 1
			60000 world horizon calls had not returned
			60001 client close; .failed; return 1 canceled; hangup; closed`),
	}, {
		why: "given up a millisecond before the closing, while the cancel waits for the network", want: Vacuous, uncounted: whyClosing,
		script: bare(running + `49 client cancel 1; >> cancel 1
			50 client close; hangup
			60 client .failed; return 1 canceled; closed
			70 server eof; told 1; end 1 canceled; hangup; served`),
	}, {
		why: "given up before the closing, and not released by that either", want: Fail, checked: 1, fails: rule, side: history.Client,
		script: bare(running + `49 client cancel 1; > cancel 1
			50 client close; hangup; closed
			60 server < cancel 1; told 1; end 1 canceled; eof; hangup; served` + hung + `client return 1 closed`),
	}, {
		why: "given up, and then closed before time passed", want: Pass, checked: 1,
		script: bare(running + `50 client cancel 1; close; hangup; return 1 closed; closed
			60 server eof; told 1; end 1 canceled; hangup; served`),
	}})
}

// A server that is dead is not accused of what its code goes on doing, and a
// session that the scenario ends is nobody's fault.
func TestADeadServerIsNotAccused(t *testing.T) {
	for _, tc := range []struct{ why, text, want string }{
		{"the end of the session", died + `client return 1 lost
			1000 client close; closed`, ""},
		{"goroutines that its process would have taken with it", died + `client return 1 lost
			1000 client close; closed
			2000 world leak chan receive|created by example.com/mcp.(*ServerSession).start`, ""},
		{"goroutines of nobody's, for all that is known", died + `client return 1 lost
			1000 client close; closed
			2000 world leak chan receive|created by example.com/jsonrpc.(*Connection).start`, ""},
		{"goroutines of the client's", died + `client return 1 lost
			1000 client close; closed
			2000 world leak chan receive|created by example.com/mcp.(*ClientSession).start`, "NO-LEAK"},
		{"a crash in what was its code", died + `world crash server panic`, ""},
		{"a crash in the client's", died + `world crash client panic`, "SESSION-SURVIVES"},
		{"its handler", running + `40 client cancel 1; > cancel 1; return 1 canceled
			50 server exit
			80 client eof
			1000 client close; closed
			1000 server ~ cancel 1`, ""},
	} {
		t.Run(tc.why, func(t *testing.T) {
			h := bare(tc.text).history(t)
			j := Judge(h)
			assert.Equal(t, tc.want, failing(j))
			requireSound(t, h, j)
		})
	}
}

func TestIncidentsOfSessionsThatEndEarly(t *testing.T) {
	for _, tc := range []struct {
		why, text string
		want      Incident
	}{
		{"released by the closing", closedEarly + `server told 1; end 1 canceled; hangup; served`, ""},
		{"never released", running + `50 client close; hangup; closed
			60 server eof; told 1; end 1 canceled; hangup; served` + hung, Hung},
		{"lost its server", died + `client return 1 lost
			1000 client close; closed`, ""},
		{"lost its server, and waits", died + `60000 world horizon
			60001 client close; return 1 closed; closed`, Hung},
	} {
		assert.Equal(t, tc.want, Judge(bare(tc.text).history(t)).Calls[0].Incident, tc.why)
	}
}
