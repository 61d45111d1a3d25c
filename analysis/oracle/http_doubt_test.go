package oracle

import (
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Conversations over HTTP that are within the text and look as if they were not, and some
// that are not, and look as if they were.

// listed is a request by which a client learns that its session is gone.
const listed = `{"id":9,"method":"tools/list"}`

const sessionGone = `55 client > ` + listed + `
	56 server status ` + listed + ` 404; finish ` + listed + `
	57 client status ` + listed + ` 404; finish ` + listed + `
	`

// closedWithout is how a client closes that has no session any more.
const closedWithout = `1000 world quiet
	1010 client close; closed
	2000 server sessions 0; stop; served`

// again is call 1 under another id.
const again = `{"id":77,"method":"tools/call","params":{"name":"tool","arguments":{"call":1}}}`

func doubtfulEnds() []webCase {
	return []webCase{{
		rule: "DISC-NOT-CANCEL", why: "the server ended the session, later than the stream broke", want: Vacuous, uncounted: whyServerEndedIt,
		script: legacyWeb(webRunning + `25 world fault call 1 cut
			26 client finish call 1 reset; return 1 reset
			27 server gone call 1
			40 server told 1; end 1 canceled; finish call 1
			` + sessionGone + closedWithout).bareGreeted(),
	}, {
		rule: "DISC-NOT-CANCEL", why: "the session was gone later, and the handler told at the disconnect", want: Fail, fails: "(NO-SPURIOUS-CANCEL) DISC-NOT-CANCEL",
		script: legacyWeb(webRunning + `25 world fault call 1 cut
			26 client finish call 1 reset; return 1 reset
			27 server gone call 1; told 1; end 1 canceled; finish call 1
			` + sessionGone + closedWithout).bareGreeted(),
	}, {
		rule: "CANCEL-HTTP-EXPLICIT", why: "the server had ended the session", want: Vacuous, uncounted: whyServerEndedIt,
		script: legacyWeb(webRunning + sessionGone + `60 client cancel 1; drop call 1; return 1 canceled
			61 server gone call 1
			70 server end 1 "done 1"; finish call 1
			` + closedWithout).bareGreeted(),
	}, {
		rule: "HTTP-NO-EARLY-CLOSE", why: "the server ended the session", want: Pass, uncounted: whyServerEndedIt,
		script: legacyWeb(webRunning + `30 server status call 1 200; told 1; end 1 canceled; finish call 1
			40 client status call 1 200; finish call 1; return 1 lost
			` + sessionGone + closedWithout).under("2025-06-18").bareGreeted(),
	}, {
		rule: "HTTP-NO-EARLY-CLOSE", why: "it lived on, and was ended later", want: Fail, fails: "HTTP-NO-EARLY-CLOSE",
		script: legacyWeb(webRunning + `30 server status call 1 200; finish call 1
			40 client status call 1 200; finish call 1; return 1 lost; > ping
			41 server < ping; > pong
			42 client < pong
			45 server end 1 "done 1"
			` + sessionGone + closedWithout).under("2025-06-18").bareGreeted(),
	}, {
		rule: "HTTP-NO-EARLY-CLOSE", why: "what it refused is no sign of life", want: Pass, uncounted: whyServerEndedIt,
		script: legacyWeb(webRunning + `30 server status call 1 200; finish call 1
			40 client status call 1 200; finish call 1; return 1 lost; > ping
			41 server < ping; status ping 503; finish ping
			42 client status ping 503; finish ping
			45 server end 1 "done 1"
			` + sessionGone + closedWithout).under("2025-06-18").bareGreeted(),
	}, {
		rule: "HTTP-NO-EARLY-CLOSE", why: "the client had learned before that it was", want: Pass, uncounted: whyServerEndedIt,
		script: legacyWeb(webRunning + sessionGone + `60 server status call 1 200; told 1; end 1 canceled; finish call 1
			61 client status call 1 200; finish call 1; return 1 lost
			` + closedWithout).under("2025-06-18").bareGreeted(),
	}, {
		rule: "NO-SPURIOUS-CANCEL", why: "told long before the server ended the session", want: Fail, fails: "NO-SPURIOUS-CANCEL",
		script: legacyWeb(webRunning + `30 server told 1; end 1 canceled; > error 1
			40 client < error 1; return 1 lost; > ping
			41 server < ping; > pong
			42 client < pong
			` + sessionGone + closedWithout).bareGreeted(),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the server ends a subscription without a response (Q2)", want: Vacuous,
		script: func() webScript {
			s := modernWeb(`10 client issue 1; > listen 1
				20 server < listen 1; > ack 1 on listen 1
				30 client < ack 1 on listen 1
				40 server finish listen 1
				50 client finish listen 1; return 1 closed`)
			s.method = listenMethod
			return s
		}(),
	}, {
		rule: "REQUEST-DISPATCHED", why: "before 2026-07-28 an answer that is no stream, and says nothing", want: Fail, fails: "REQUEST-DISPATCHED", side: history.Server,
		script: legacyWeb(webRunning + `30 server status call 1 202; finish call 1
			31 client status call 1 202; finish call 1; return 1 lost
			90 server end 1 "done 1"`),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the same when the server had ended the session", want: Pass,
		script: legacyWeb(webRunning + `30 server status call 1 202; told 1; finish call 1
			31 client status call 1 202; finish call 1; return 1 lost
			32 server end 1 canceled
			` + sessionGone + closedWithout).bareGreeted(),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the server ended an exchange unanswered, whose caller had given up in that instant", want: Pass,
		script: modernWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			30 server finish call 1; told 1; end 1 canceled`),
	}, {
		rule: "REQUEST-DISPATCHED", why: "whose caller gave up later", want: Fail, fails: "REQUEST-DISPATCHED", side: history.Server,
		script: modernWeb(webRunning + `30 server finish call 1
			40 client cancel 1; drop call 1; return 1 canceled
			90 server end 1 "done 1"`),
	}, {
		rule: "CANCEL-STOP-WORK", why: "over HTTP+SSE, after a GET that was refused", want: Fail, fails: "CANCEL-STOP-WORK",
		script: sseWeb(webRunning+`30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1
			90 server end 1 "done 1"`).replaced("0 client connect;", `0 client connect; open probe
			0 server serve probe 404
			0 client finish probe;`),
	}}
}

func doubtfulCancels() []webCase {
	return []webCase{{
		rule: "DISC-NOT-CANCEL", why: "a cancel came later", want: Fail, fails: "DISC-NOT-CANCEL", side: history.Server,
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1; end 1 canceled; finish call 1
			60 server < cancel 1`),
	}, {
		rule: "DISC-NOT-CANCEL", why: "a cancel that overtook its request was heeded", want: Vacuous,
		script: legacyWeb(`10 client issue 1; > call 1
			12 client cancel 1; > cancel 1; drop call 1; return 1 canceled
			16 server < cancel 1
			18 server < call 1; start 1; told 1; end 1 canceled; gone call 1; finish call 1`),
	}, {
		rule: "LATE-IGNORED", why: "a response that had come in the instant in which the stream was closed", want: Vacuous,
		script: modernWeb(webRunning + `30 server end 1 "done 1"; > result 1
			31 client cancel 1; drop call 1; < result 1; return 1 "done 1"`),
	}, {
		rule: "LATE-IGNORED", why: "a response that came later", want: Fail, fails: "LATE-IGNORED",
		script: modernWeb(webRunning + `30 server end 1 "done 1"; > result 1
			31 client cancel 1; drop call 1
			32 client < result 1; return 1 "done 1"`),
	}, {
		rule: "DISC-SCOPED", why: "the client had made the call again, and the network broke that off", want: Vacuous, uncounted: whyUnclearID,
		script: modernWeb(`10 client issue 1; > call 1
			15 world fault call 1 502
			20 client status call 1 502; finish call 1; > ` + again + `
			22 server < ` + again + `; start 1
			30 world fault ` + again + ` cut
			31 client finish ` + again + ` reset; return 1 reset
			32 server gone ` + again + `; told 1; end 1 canceled; finish ` + again),
	}, {
		rule: "DISC-IS-CANCEL", why: "the handler began for the second of two requests, of which the first broke off", want: Vacuous, uncounted: whyUnclearID,
		script: modernWeb(`10 client issue 1; > call 1
			20 server < call 1
			25 world fault call 1 cut
			26 client finish call 1 reset; > ` + again + `
			27 server gone call 1; finish call 1
			30 server < ` + again + `; start 1; end 1 "done 1"; > {"id":77,"result":{}} on ` + again + `
			40 client < {"id":77,"result":{}} on ` + again + `; return 1 "done 1"`),
	}, {
		rule: "RETRY-NEW-ID", why: "the same, of one that never left the client", want: Pass, uncounted: whySentAgain,
		script: modernWeb(`10 client issue 1; >> call 1; .failed; finish call 1 refused
			20 client > call 1
			22 server ~ call 1; < call 1; start 1; end 1 "done 1"; > result 1
			30 client < result 1; return 1 "done 1"`),
	}}
}

func doubtfulStreams() []webCase {
	return []webCase{{
		rule: "HTTP-REPLAY-SCOPE", why: "progress of two calls on what may be a GET's", want: Pass,
		script: legacyWeb(`10 client issue 1; > call 1; issue 2; > call 2
			11 client open g
			11 server serve g
			20 server < call 1; start 1; < call 2; start 2
			22 world fault g cut
			23 client finish g reset; open again after p0
			24 server gone g; finish g; serve again
			30 server > progress 1 on again # e1; > progress 2 on again # e2
			35 client < progress 1 on again # e1; < progress 2 on again # e2
			60 server end 1 "done 1"; > result 1; end 2 "done 2"; > result 2
			70 client < result 1; return 1 "done 1"; < result 2; return 2 "done 2"`).tools("chatty", "chatty"),
	}, {
		rule: "HTTP-REPLAY-SCOPE", why: "progress of a task on the stream that waits for its result", want: Pass,
		script: func() webScript {
			s := legacyWeb(`10 client issue 1; > task 1
				20 server < task 1; start 1; > began 1 on task 1
				21 client < began 1 on task 1; > ask 1
				22 server < ask 1; > progress 1 on ask 1 # e1
				23 client < progress 1 on ask 1 # e1
				30 world fault ask 1 cut
				31 client finish ask 1 reset; open again after e1
				32 server gone ask 1; finish ask 1; serve again
				40 server > progress 1 on again # e2
				41 client < progress 1 on again # e2
				60 server end 1 "done 1"; > text 1 on again # e3; finish again
				70 client < text 1 on again # e3; finish again; return 1 "done 1"`)
			s.task = "task"
			return s
		}(),
	}, {
		rule: "HTTP-EVENT-ID", why: "two streams with one id, of which one is resumed: nothing else is wrong", want: Fail, fails: "HTTP-EVENT-ID",
		script: legacyWeb(`5 client open g
			6 server serve g; > {"method":"notifications/message","params":{}} on g # 1
			7 client < {"method":"notifications/message","params":{}} on g # 1
			` + webRunning + `30 server > progress 1 # 1
			35 client < progress 1 # 1
			40 world fault call 1 cut
			41 client finish call 1 reset; open again after 1
			42 server gone call 1; serve again
			50 server end 1 "done 1"; > result 1 on again # 2; finish again
			60 client < result 1 on again # 2; return 1 "done 1"`),
	}, {
		rule: "HTTP-EVENT-ID", why: "what was replayed, and then still written into the stream that was broken", want: Pass, uncounted: whyResumed,
		script: legacyWeb(webRunning + `30 server > progress 1 # e1
			35 client < progress 1 # e1
			40 world fault call 1 cut
			41 client finish call 1 reset; open again after e1
			42 server gone call 1; serve again
			50 server end 1 "done 1"; > result 1 on again # e2; finish again
			51 server >> result 1 # e2; .failed result 1 # e2
			60 client < result 1 on again # e2; return 1 "done 1"`),
	}, {
		rule: "HTTP-EVENT-ID", why: "the same, of another stream that was broken", want: Fail, fails: "HTTP-EVENT-ID",
		script: legacyWeb(`5 client open g
			6 server serve g
			8 client drop g
			9 server gone g
			`+webRunning+`30 server > progress 1 # e1
			35 client < progress 1 # e1
			40 server >> {"method":"notifications/message","params":{}} # e2; .failed; >> {"method":"notifications/message","params":{}} on g # e2; .failed
			`+webAnswered).replaced(`>> {"method":"notifications/message","params":{}} # e2`, `>> {"method":"notifications/message","params":{}} on call 1 # e2`),
	}, {
		rule: "HTTP-ACCEPT", why: "one of them rather not", want: Pass,
		script: legacyWeb(webRunning+webAnswered).heads("call 1", func(h *history.HTTPHead) { h.Accept = "application/json, text/event-stream;q=0.05" }),
	}, {
		rule: "HTTP-ACCEPT", why: "one of them never, in other words", want: Fail, fails: "HTTP-ACCEPT",
		script: legacyWeb(webRunning+webAnswered).heads("call 1", func(h *history.HTTPHead) { h.Accept = "application/json, text/event-stream; charset=utf-8; q=0.000" }),
	}, {
		rule: "HTTP-202", why: "sent elsewhere", want: Pass, uncounted: whyRefused,
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			39 server status cancel 1 307
			40 server < cancel 1; told 1; end 1 canceled`),
	}}
}

func TestDoubtOverHTTP(t *testing.T) {
	runWeb(t, doubtfulEnds())
	runWeb(t, doubtfulCancels())
	runWeb(t, doubtfulStreams())
}
