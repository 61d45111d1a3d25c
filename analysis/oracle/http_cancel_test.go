package oracle

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A webCase is one conversation over HTTP and what one rule, and all others, say of it.
type webCase struct {
	rule, why string
	script    webScript
	want      Status
	fails     string // all rules that fail
	uncounted string // by the rule, if anything is
	side      history.Side
}

func runWeb(t *testing.T, cases []webCase) {
	for _, tc := range cases {
		t.Run(tc.rule+"/"+tc.why, func(t *testing.T) {
			h := tc.script.history(t)
			j := Judge(h)
			v := verdictOf(t, j, tc.rule)
			assert.Equal(t, tc.want, v.Status, "%+v", v)
			if fails := failing(j); fails != tc.fails {
				assert.Equal(t, tc.fails, fails, "%s", listing(h))
			}
			uncounted := ""
			if len(v.Uncounted) > 0 {
				uncounted = v.Uncounted[0].Why
			}
			assert.Equal(t, tc.uncounted, uncounted)
			if tc.side != "" {
				assert.Equal(t, tc.side, v.Side)
			}
			requireSound(t, h, j)
			requireEvidence(t, h, j)
		})
	}
}

func legacyWeb(text string) webScript {
	return webScript{script: script{version: legacyVersion, text: text}}
}
func modernWeb(text string) webScript {
	return webScript{script: script{version: modernVersion, text: text}}
}

// tools gives the calls those tools.
func (s webScript) tools(kinds ...string) webScript { s.handlers = kinds; return s }

// under is the script at another version.
func (s webScript) under(version string) webScript { s.version = version; return s }

const (
	webRunning = `10 client issue 1; > call 1
		20 server < call 1; start 1
	`
	webAnswered = `50 server end 1 "done 1"; > result 1
		60 client < result 1; return 1 "done 1"
	`
)

func webCancelCases() []webCase {
	return []webCase{{
		rule: "CANCEL-HTTP-EXPLICIT", why: "the cancel is posted", want: Pass,
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled`),
	}, {
		rule: "CANCEL-HTTP-EXPLICIT", why: "the stream is dropped and nothing is posted", want: Fail, fails: "CANCEL-HTTP-EXPLICIT", side: history.Client,
		script: legacyWeb(webRunning + `30 client cancel 1 cancel; drop call 1; return 1 canceled
			40 server gone call 1
			100 server end 1 "done 1"; finish call 1`),
	}, {
		rule: "CANCEL-HTTP-EXPLICIT", why: "a deadline is another rule's", want: Vacuous, fails: "TIMEOUT-CANCEL",
		script: legacyWeb(webRunning + `30 client cancel 1 deadline; drop call 1; return 1 canceled
			40 server gone call 1
			100 server end 1 "done 1"; finish call 1`),
	}, {
		rule: "CANCEL-HTTP-EXPLICIT", why: "the client had read the response", want: Vacuous, uncounted: whyReplyFirst,
		script: legacyWeb(webRunning + `50 server end 1 "done 1"; > result 1
			60 client < result 1
			61 client cancel 1; return 1 canceled`),
	}, {
		rule: "CANCEL-HTTP-EXPLICIT", why: "the front had refused the exchange", want: Vacuous, uncounted: whyExchangeOver,
		script: legacyWeb(`10 client issue 1; > call 1
			15 world fault call 1 502
			20 client status call 1 502; finish call 1
			30 client cancel 1; return 1 canceled`),
	}, {
		rule: "CANCEL-HTTP-EXPLICIT", why: "the request had not left the client, and never came to the server", want: Vacuous, uncounted: whyHalfSent,
		script: legacyWeb(`10 client issue 1; >> call 1
			30 client cancel 1; . canceled; drop call 1; return 1 canceled`),
	}, {
		rule: "CANCEL-HTTP-EXPLICIT", why: "it had left the client", want: Fail, fails: "CANCEL-HTTP-EXPLICIT",
		script: legacyWeb(`10 client issue 1; > call 1
			30 client cancel 1; drop call 1; return 1 canceled
			35 server < call 1; start 1; gone call 1
			80 server end 1 "done 1"`),
	}, {
		rule: "CANCEL-HTTP-CLOSE", why: "the stream is closed", want: Pass,
		script: modernWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1; end 1 canceled; finish call 1`),
	}, {
		rule: "CANCEL-HTTP-CLOSE", why: "it stays open until the response comes", want: Fail, fails: "CANCEL-HTTP-CLOSE", side: history.Client,
		script: modernWeb(webRunning + `30 client cancel 1; return 1 canceled
			50 server end 1 "done 1"; > result 1
			60 client < result 1`),
	}, {
		rule: "CANCEL-HTTP-CLOSE", why: "a cancel is posted instead", want: Fail, fails: "CANCEL-HTTP-CLOSE", uncounted: whyPosted,
		script: modernWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1
			50 server end 1 "done 1"; > result 1
			60 client < result 1`),
	}, {
		rule: "CANCEL-HTTP-CLOSE", why: "and one is posted, too", want: Pass, uncounted: whyPosted,
		script: modernWeb(webRunning + `30 client cancel 1; > cancel 1; drop call 1; return 1 canceled
			40 server < cancel 1; gone call 1; told 1; end 1 canceled; finish call 1`),
	}, {
		rule: "CANCEL-HTTP-CLOSE", why: "the response had been read", want: Vacuous, uncounted: whyReplyFirst,
		script: modernWeb(webRunning + `50 server end 1 "done 1"; > result 1
			60 client < result 1
			61 client cancel 1; return 1 canceled`),
	}, {
		rule: "CANCEL-HTTP-CLOSE", why: "the network had broken the exchange", want: Vacuous, uncounted: whyExchangeOver,
		script: modernWeb(webRunning + `25 world fault call 1 cut
			26 server gone call 1; told 1; end 1 canceled; finish call 1
			26 client finish call 1 reset
			30 client cancel 1; return 1 canceled`),
	}, {
		rule: "TIMEOUT-CANCEL", why: "a deadline closes the stream", want: Pass,
		script: modernWeb(webRunning + `30 client cancel 1 deadline; drop call 1; return 1 canceled
			40 server gone call 1; told 1; end 1 canceled; finish call 1`),
	}, {
		rule: "TIMEOUT-CANCEL", why: "a deadline does not", want: Fail, fails: "TIMEOUT-CANCEL",
		script: modernWeb(webRunning + `30 client cancel 1 deadline; return 1 canceled
			50 server end 1 "done 1"; > result 1
			60 client < result 1`),
	}, {
		rule: "DISC-NOT-CANCEL", why: "the handler goes on", want: Pass, fails: "CANCEL-HTTP-EXPLICIT",
		script: legacyWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1
			100 server end 1 "done 1"; finish call 1`),
	}, {
		rule: "DISC-NOT-CANCEL", why: "the handler is told", want: Fail, fails: "CANCEL-HTTP-EXPLICIT DISC-NOT-CANCEL", side: history.Server,
		script: legacyWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1; end 1 canceled; finish call 1`),
	}, {
		rule: "DISC-NOT-CANCEL", why: "the network broke it, the handler is told, before the history sees why", want: Fail, fails: "(NO-SPURIOUS-CANCEL) DISC-NOT-CANCEL",
		script: legacyWeb(webRunning + `35 world fault call 1 cut
			36 client finish call 1 reset; return 1 reset
			40 server told 1; gone call 1; end 1 canceled; finish call 1`),
	}, {
		rule: "DISC-NOT-CANCEL", why: "a cancel came too", want: Vacuous,
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; drop call 1; return 1 canceled
			40 server < cancel 1; gone call 1; told 1; end 1 canceled; finish call 1`),
	}, {
		rule: "DISC-NOT-CANCEL", why: "the session was ended by DELETE", want: Vacuous, uncounted: whyClosing,
		script: webScript{script: script{version: legacyVersion, bare: true, text: `0 client connect; > hello
			1 server < hello; > welcome
			2 client < welcome; connected; > ready
			3 server < ready
			10 client issue 1; > call 1
			20 server < call 1; start 1
			30 client close; delete d; drop call 1; return 1 closed
			31 server gone call 1; serve d 204; told 1; end 1 canceled; finish call 1
			32 client finish d; closed
			40 server sessions 0`}},
	}, {
		rule: "DISC-IS-CANCEL", why: "the handler is told", want: Pass,
		script: modernWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1; end 1 canceled; finish call 1`),
	}, {
		rule: "DISC-IS-CANCEL", why: "it is told in the instant, but before that was seen", want: Pass,
		script: modernWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			40 server told 1; end 1 canceled; gone call 1; finish call 1`),
	}, {
		rule: "DISC-IS-CANCEL", why: "it runs on", want: Fail, fails: "(CANCEL-STOP-WORK) DISC-IS-CANCEL", side: history.Server,
		script: modernWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1
			100 server end 1 "done 1"; finish call 1`),
	}, {
		rule: "DISC-IS-CANCEL", why: "it is told late", want: Fail, fails: "(CANCEL-STOP-WORK) DISC-IS-CANCEL",
		script: modernWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1
			50 server told 1; end 1 canceled; finish call 1`),
	}, {
		rule: "DISC-IS-CANCEL", why: "the network broke it, and it runs on", want: Fail, fails: "(CANCEL-STOP-WORK) DISC-IS-CANCEL",
		script: modernWeb(webRunning + `30 world fault call 1 timeout
			31 client status call 1 504; finish call 1; return 1 504
			40 server gone call 1
			100 server end 1 "done 1"; finish call 1`),
	}, {
		rule: "DISC-IS-CANCEL", why: "the network broke it, and it is told", want: Pass,
		script: modernWeb(webRunning + `30 world fault call 1 timeout
			31 client status call 1 504; finish call 1; return 1 504
			40 server gone call 1; told 1; end 1 canceled; finish call 1`),
	}, {
		rule: "DISC-IS-CANCEL", why: "the server never saw it (R10)", want: Vacuous,
		script: modernWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			50 server end 1 "done 1"; >> result 1; .failed; finish call 1`),
	}, {
		rule: "DISC-IS-CANCEL", why: "the handler had ended (R2)", want: Vacuous,
		script: modernWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			39 server end 1 "done 1"
			40 server gone call 1; finish call 1`),
	}, {
		rule: "DISC-IS-CANCEL", why: "a tool that goes on although told", want: Pass,
		script: modernWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1
			100 server end 1 "done 1"; finish call 1`).tools("stubborn"),
	}, {
		rule: "CANCEL-SILENCE", why: "an answer into a stream that the server had seen closed", want: Fail, fails: "(CANCEL-NO-RESPONSE) CANCEL-SILENCE",
		script: modernWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1; end 1 canceled
			41 server >> error 1; .failed; finish call 1`),
	}, {
		rule: "CANCEL-SILENCE", why: "and in the instant, when the handler had been told", want: Fail, fails: "(CANCEL-NO-RESPONSE) CANCEL-SILENCE",
		script: modernWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			40 server told 1; end 1 canceled; >> error 1; .failed; gone call 1; finish call 1`),
	}, {
		rule: "CANCEL-SILENCE", why: "progress after it", want: Fail, fails: "CANCEL-SILENCE (PROGRESS-AFTER-CANCEL)",
		script: modernWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1
			41 server >> progress 1; .failed; end 1 canceled; finish call 1`),
	}, {
		rule: "CANCEL-SILENCE", why: "before the server could see it (R10)", want: Pass,
		script: modernWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			35 server >> progress 1; .failed
			40 server gone call 1; told 1; end 1 canceled; finish call 1`),
	}, {
		rule: "CANCEL-SILENCE", why: "the network broke it, and it is answered", want: Fail, fails: "(CANCEL-NO-RESPONSE) CANCEL-SILENCE",
		script: modernWeb(webRunning + `30 world fault call 1 cut
			31 client finish call 1 reset; return 1 reset
			40 server gone call 1; told 1; end 1 canceled
			41 server >> error 1; .failed; finish call 1`),
	}, {
		rule: "CANCEL-NO-RESPONSE", why: "before 2026-07-28 an answer is told and held against nobody (Q4)", want: Pass, uncounted: whyOnlyTold,
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled; > error 1
			50 client < error 1`),
	}, {
		rule: "CANCEL-NO-RESPONSE", why: "over HTTP+SSE it is", want: Fail, fails: "CANCEL-NO-RESPONSE",
		script: sseWeb(`10 client issue 1; > call 1
			20 server < call 1; start 1
			30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled; > error 1
			50 client < error 1`),
	}, {
		rule: "CANCEL-STOP-WORK", why: "a posted cancel is heeded", want: Pass,
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled`),
	}, {
		rule: "CANCEL-STOP-WORK", why: "a posted cancel is not", want: Fail, fails: "CANCEL-STOP-WORK",
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1
			90 server end 1 "done 1"; > result 1
			95 client < result 1`),
	}, {
		rule: "CANCEL-STOP-WORK", why: "a cancel that overtook its request (R4)", want: Vacuous, uncounted: whyPremature,
		script: legacyWeb(`10 client issue 1; > call 1
			12 client cancel 1; > cancel 1; return 1 canceled
			16 server < cancel 1
			18 server < call 1; start 1
			40 server end 1 "done 1"; > result 1
			50 client < result 1`),
	}, {
		rule: "REQUEST-DISPATCHED", why: "or that the server remembers, and drops the request (R4)", want: Vacuous,
		script: legacyWeb(`10 client issue 1; > call 1
			12 client cancel 1; > cancel 1; return 1 canceled
			16 server < cancel 1
			18 server < call 1`),
	}, {
		rule: "CANCEL-STOP-WORK", why: "a posted cancel has no meaning since", want: Vacuous, fails: "CANCEL-HTTP-CLOSE",
		script: modernWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1
			90 server end 1 "done 1"; > result 1
			95 client < result 1`),
	}, {
		rule: "NO-SPURIOUS-CANCEL", why: "but a server may heed it", want: Vacuous, fails: "CANCEL-HTTP-CLOSE",
		script: modernWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled; > error 1
			95 client < error 1`),
	}, {
		rule: "CANCEL-ONLY-ISSUED", why: "an id that was never used", want: Fail, fails: "CANCEL-ONLY-ISSUED",
		script: legacyWeb(webRunning + `30 client > cancel id 99
			40 server < cancel id 99
			` + webAnswered),
	}, {
		rule: "DISC-SCOPED", why: "another one goes on", want: Pass,
		script: modernWeb(`10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2
			30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1; end 1 canceled; finish call 1
			60 server end 2 "done 2"; > result 2
			70 client < result 2; return 2 "done 2"`).tools("cooperative", "cooperative"),
	}, {
		rule: "DISC-SCOPED", why: "another one is told", want: Fail, fails: "(NO-SPURIOUS-CANCEL) DISC-SCOPED", side: history.Server,
		script: modernWeb(`10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2
			30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1; told 2; end 1 canceled; finish call 1; end 2 canceled; > error 2
			70 client < error 2; return 2 canceled`).tools("cooperative", "cooperative"),
	}, {
		rule: "DISC-SCOPED", why: "another one is told at another time", want: Vacuous, fails: "NO-SPURIOUS-CANCEL",
		script: modernWeb(`10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2
			30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1; end 1 canceled; finish call 1
			45 server told 2; end 2 canceled; > error 2
			70 client < error 2; return 2 canceled`).tools("cooperative", "cooperative"),
	}, {
		rule: "RACE-GRACEFUL", why: "a client that closes another call's stream with it", want: Fail, fails: "RACE-GRACEFUL", side: history.Client,
		script: modernWeb(`10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2
			30 client cancel 1; drop call 1; return 1 canceled; drop call 2; return 2 canceled
			40 server gone call 1; told 1; end 1 canceled; finish call 1
			41 server gone call 2; told 2; end 2 canceled; finish call 2`).tools("cooperative", "cooperative"),
	}, {
		rule: "RACE-GRACEFUL", why: "or that closes one unasked, at another time", want: Pass,
		script: modernWeb(`10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2
			30 client cancel 1; drop call 1; return 1 canceled
			35 client drop call 2; return 2 canceled
			40 server gone call 1; told 1; end 1 canceled; finish call 1
			41 server gone call 2; told 2; end 2 canceled; finish call 2`).tools("cooperative", "cooperative"),
	}, {
		rule: "DISC-SCOPED", why: "the whole connection was closed", want: Vacuous,
		script: modernWeb(`10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2
			30 world fault call 1 cut; fault call 2 cut
			40 server told 2; gone call 1; told 1; gone call 2; end 1 canceled; finish call 1; end 2 canceled; finish call 2
			41 client finish call 1 reset; return 1 reset; finish call 2 reset; return 2 reset`).tools("cooperative", "cooperative"),
	}, {
		rule: "EXCHANGE-ENDED", why: "an exchange that goes on when all is over", want: Fail, fails: "EXCHANGE-ENDED", side: history.Server,
		script: modernWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1; end 1 canceled`),
	}, {
		rule: "EXCHANGE-ENDED", why: "one whose call is cancelled in the instant in which all is over", want: Vacuous,
		script: modernWeb(webRunning + `1000 client cancel 1; drop call 1; return 1 canceled
			server gone call 1; told 1; end 1 canceled`),
	}, {
		rule: "EXCHANGE-ENDED", why: "or after it", want: Vacuous,
		script: modernWeb(`0 client connect; connected
			` + webRunning + `900 world quiet
			1000 client cancel 1; drop call 1; return 1 canceled
			1001 server gone call 1; told 1; end 1 canceled
			1010 client close; closed
			2000 server sessions 0; stop; served`).standing(),
	}, {
		rule: "EXCHANGE-ENDED", why: "one that had ended before the cancel came", want: Vacuous,
		script: modernWeb(webRunning + `40 server end 1 "done 1"; > result 1
			45 client cancel 1; drop call 1; return 1 canceled
			46 server gone call 1`),
	}, {
		rule: "EXCHANGE-ENDED", why: "with a tool that does not stop", want: Vacuous, uncounted: whyToolRuns,
		script: modernWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1`).tools("stubborn"),
	}, {
		rule: "EXCHANGE-ENDED", why: "before 2026-07-28 it is told and held against nobody (R12)", want: Pass, uncounted: whyOnlyTold,
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled`),
	}}
}

// sseWeb is a conversation over HTTP+SSE, whose one stream is called sse.
func sseWeb(text string) webScript {
	return webScript{transport: HTTPSSE, script: script{version: "2024-11-05", bare: true, text: `
		0 client connect; open sse
		0 server serve sse
		1 client > hello
		1 server < hello; > welcome
		2 client < welcome; connected; > ready
		3 server < ready
		` + text + `
		1000 world quiet
		1001 client probe; > ping
		1002 server < ping; > pong
		1003 client < pong; probed
		1010 client close; drop sse; closed
		1011 server gone sse; finish sse
		2000 server sessions 0; stop; served`}}
}

func TestCancelsOverHTTP(t *testing.T) { runWeb(t, webCancelCases()) }
