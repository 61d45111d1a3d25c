package oracle

import (
	"strings"
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Streams that broke and that the client has resumed behind an event: what is told twice,
// and what is lost.
func resumeCases() []webCase {
	const first = `{"method":"notifications/progress","params":{"progressToken":"p1","progress":1}} on `
	const second = `{"method":"notifications/progress","params":{"progressToken":"p1","progress":2}} on `
	began := `10 client issue 1; > call 1
		20 server < call 1; start 1
		30 server > ` + first + `call 1 # e1; > ` + second + `call 1 # e2
		35 client < ` + first + `call 1 # e1; < ` + second + `call 1 # e2
		`
	const third = `{"method":"notifications/message","params":{}} on `
	resumed := func(text string) webScript {
		return legacyWeb(began + `40 world fault call 1 cut
			41 client finish call 1 reset; open again after e2
			42 server gone call 1; serve again
			` + text)
	}
	// The server had written the response before the client came back.
	lost := func(text string) webScript {
		return legacyWeb(began + `40 world fault call 1 cut
			41 client finish call 1 reset
			50 server end 1 "done 1"; >> result 1 # e3; .failed result 1 # e3; gone call 1; finish call 1
			60 client open again after e2
			61 server serve again
			` + text)
	}
	const answered = `70 server > result 1 on again # e3; finish again
		71 client < result 1 on again # e3; return 1 "done 1"; finish again`
	const left = `70 server finish again
		71 client finish again; return 1 lost`
	return []webCase{{
		rule: "HTTP-REPLAY-AFTER", why: "what came after", want: Pass,
		script: resumed(`50 server end 1 "done 1"; > result 1 on again # e3; finish again
			51 client < result 1 on again # e3; return 1 "done 1"; finish again`),
	}, {
		rule: "HTTP-REPLAY-AFTER", why: "what was written into the broken stream, and not read", want: Pass,
		script: lost(answered),
	}, {
		rule: "HTTP-REPLAY-AFTER", why: "the event that it had named", want: Fail, fails: "HTTP-REPLAY-AFTER", side: history.Server,
		script: lost(`65 server > ` + second + `again # e2
			66 client < ` + second + `again # e2
			` + answered),
	}, {
		rule: "HTTP-REPLAY-AFTER", why: "one that came before", want: Fail, fails: "HTTP-REPLAY-AFTER", side: history.Server,
		script: lost(`65 server > ` + first + `again # e1
			66 client < ` + first + `again # e1
			` + answered),
	}, {
		rule: "HTTP-REPLAY-AFTER", why: "the same, when the client had named the first", want: Pass,
		script: lost(`65 server > `+second+`again # e2
			66 client < `+second+`again # e2
			`+answered).replaced("after e2", "after e1"),
	}, {
		rule: "HTTP-REPLAY-AFTER", why: "twice", want: Fail, fails: "HTTP-REPLAY-AFTER",
		script: lost(`65 server > `+second+`again # e2; > `+second+`again # e2
			66 client < `+second+`again # e2; < `+second+`again # e2
			`+answered).replaced("after e2", "after e1"),
	}, {
		rule: "HTTP-REPLAY-AFTER", why: "behind an event that nobody knows", want: Vacuous,
		script: lost(answered).replaced("after e2", "after e0"),
	}, {
		rule: "RESP-ONCE", why: "a response twice on one resumed stream, where it was new", want: Fail, fails: "RESP-ONCE", side: history.Server,
		script: resumed(`50 server end 1 "done 1"; > result 1 on again # e3; > result 1 on again # e3; finish again
			51 client < result 1 on again # e3; return 1 "done 1"; < result 1 on again # e3; finish again`),
	}, {
		rule: "RESP-ONCE", why: "or where it was a replay", want: Fail, fails: "RESP-ONCE", side: history.Server,
		script: lost(`70 server > result 1 on again # e3; > result 1 on again # e3; finish again
			71 client < result 1 on again # e3; return 1 "done 1"; < result 1 on again # e3; finish again`),
	}, {
		rule: "RESP-ONCE", why: "once on each of two, one behind the other", want: Pass,
		script: lost(`70 server > result 1 on again # e3
			71 world fault again cut
			72 client finish again reset; open third after e2
			73 server gone again; serve third; > result 1 on third # e3; finish third
			74 client < result 1 on third # e3; return 1 "done 1"; finish third`),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the response was among what was replayed", want: Pass, script: lost(answered),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the resumed stream ended without it", want: Fail, fails: "REQUEST-DISPATCHED", side: history.Server,
		script: lost(left),
	}, {
		rule: "REQUEST-DISPATCHED", why: "it was never written, and the handler had returned", want: Fail, fails: "REQUEST-DISPATCHED",
		script: lost(left).replaced(">> result 1 # e3; .failed result 1 # e3; ", ""),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the handler had not, when the client came back", want: Pass,
		script: lost(left).replaced(`end 1 "done 1"; >> result 1 # e3; .failed result 1 # e3; `, "").replaced("61 server serve again", `61 server serve again; end 1 "done 1"`),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the client had it by the next", want: Pass,
		script: lost(`65 server finish again
			66 client finish again; open third after e2
			67 server serve third; > result 1 on third # e3; finish third
			68 client < result 1 on third # e3; return 1 "done 1"; finish third`),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the next was broken", want: Pass,
		script: lost(`65 server finish again
			66 client finish again; open third after e2
			67 server serve third
			68 world fault third cut
			69 client finish third reset; return 1 lost
			70 server gone third; finish third`),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the response was on it, and the client did not read on", want: Pass,
		script: lost(strings.ReplaceAll(answered, `< result 1 on again # e3; return 1 "done 1"`, "~ result 1 on again # e3; return 1 lost")),
	}, {
		rule: "HTTP-EVENT-ID", why: "something else under an id that another stream had, on one that resumes it", want: Fail, fails: "HTTP-EVENT-ID", side: history.Server, uncounted: whyResumed,
		script: lost("65 server > " + third + "again # e2\n66 client < " + third + "again # e2\n" + answered),
	}, {
		rule: "HTTP-EVENT-ID", why: "two responses under one id, on one that is resumed", want: Fail, fails: "RESP-ONCE HTTP-EVENT-ID",
		script: resumed(`50 server end 1 "done 1"; > result 1 on again # e3; > error 1 on again # e3; finish again
			51 client < result 1 on again # e3; return 1 "done 1"; < error 1 on again # e3; finish again`),
	}, {
		rule: "HTTP-EVENT-ID", why: "one event twice on the stream of the call", want: Fail, fails: "HTTP-EVENT-ID",
		script: legacyWeb(webRunning + "30 server > " + third + "call 1 # e1; > " + third + "call 1 # e1\n35 client < " + third + "call 1 # e1; < " + third + "call 1 # e1\n" + webAnswered),
	}, {
		rule: "REQUEST-DISPATCHED", why: "that was broken itself", want: Pass,
		script: lost(`68 world fault again cut
			69 client finish again reset; return 1 lost
			70 server gone again; finish again`),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the call was cancelled", want: Pass,
		script: lost(`65 client cancel 1; > cancel 1; return 1 canceled
			66 server < cancel 1
			` + strings.ReplaceAll(left, "; return 1 lost", "")),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the handler had been told since the connection was lost", want: Fail, fails: "(REQUEST-DISPATCHED) (NO-SPURIOUS-CANCEL) DISC-NOT-CANCEL",
		script: lost(left).replaced(`50 server end 1 "done 1"; >> result 1 # e3; .failed result 1 # e3; gone call 1`, "50 server gone call 1; told 1; end 1 canceled"),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the client had made the call again, and whose end it was is not known", want: Pass, fails: "HTTP-RETRY-FIRST",
		script: legacyWeb(began + `40 server finish call 1
			41 client finish call 1; > ` + again + `
			50 server < ` + again + `; end 1 "done 1"
			60 client open again after e2
			61 server serve again
			` + left),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the client had ended its session", want: Pass,
		script: func() webScript {
			s := lost("69 client close; delete d\n" + left + "\n72 server serve d 204\n73 client finish d; closed\n1000 world quiet\n2000 server sessions 0; stop; served")
			return s.bareGreeted()
		}(),
	}, {
		rule: "REQUEST-DISPATCHED", why: "it ended it in that instant", want: Pass,
		script: lost(left+"\n72 server serve d 204\n73 client finish d; closed\n1000 world quiet\n2000 server sessions 0; stop; served").replaced("71 client", "70 client close; delete d\n71 client").bareGreeted(),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the server had ended the session", want: Pass,
		script: lost(left + "\n" + strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(sessionGone, "57", "82"), "56", "81"), "55 client", "80 client") + closedWithout).bareGreeted(),
	}, {
		rule: "REQUEST-DISPATCHED", why: "it was cancelled when that had ended", want: Fail, fails: "REQUEST-DISPATCHED",
		script: lost(strings.ReplaceAll(left, "; return 1 lost", "") + `
			80 client cancel 1; > cancel 1; return 1 canceled
			81 server < cancel 1`),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the response had no event id, so that it is not kept", want: Pass,
		script: lost(left).replaced(" # e3", "").replaced(" # e3", ""),
	}}
}

// Streams that were resumed, and are open when the world reaches its limit.
func withheldCases() []webCase {
	began := `10 client issue 1; > call 1
		20 server < call 1; start 1
		30 server > progress 1 # e1
		35 client < progress 1 # e1
		`
	resumed := began + `40 world fault call 1 cut
		41 client finish call 1 reset; open again after e1
		42 server gone call 1; serve again
		`
	written := began + `40 world fault call 1 cut
		50 server end 1 "done 1"; >> result 1 # e3; .failed result 1 # e3; gone call 1; finish call 1
		51 client ~ result 1 # e3; finish call 1 reset
		60 client open again after e1
		61 server serve again
		`
	const ended = `50 server end 1 "done 1"
		`
	const limit = `60000 world horizon`
	left := func(text string) webScript { return legacyWeb(text).tools("chatty").bareGreeted() }
	return []webCase{{
		rule: "REQUEST-DISPATCHED", why: "the handler had returned long before", want: Fail, fails: "REQUEST-DISPATCHED", side: history.Server,
		script: left(resumed + ended + limit),
	}, {
		rule: "REQUEST-DISPATCHED", why: "it returned in that instant", want: Pass,
		script: left(resumed + "60000 server end 1 \"done 1\"\n" + limit),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the client resumed it in that instant", want: Vacuous, uncounted: whyStreamGone,
		script: left(resumed+ended+limit).replaced("; open again after e1", "").replaced("; serve again", "").replaced("60000 world", "60000 client open again after e1\n60000 server serve again\n60000 world"),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the server had ended the first stream itself", want: Fail, fails: "REQUEST-DISPATCHED HTTP-RETRY-FIRST",
		script: left(resumed+ended+limit).replaced("40 world fault call 1 cut\n", "40 server finish call 1\n").replaced("finish call 1 reset", "finish call 1").replaced("gone call 1; ", ""),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the client had not resumed it", want: Vacuous, uncounted: whyStreamGone,
		script: left(resumed+ended+limit).replaced("; open again after e1", "").replaced("; serve again", ""),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the server had not served that", want: Vacuous, uncounted: whyStreamGone,
		script: left(resumed+ended+limit).replaced("; serve again", ""),
	}, {
		rule: "REQUEST-DISPATCHED", why: "nor by a stream", want: Vacuous, uncounted: whyStreamGone,
		script: left(resumed+ended+limit).replaced("serve again", "serve again 405"),
	}, {
		rule: "REQUEST-DISPATCHED", why: "that was broken, too", want: Vacuous, uncounted: whyStreamGone,
		script: left(resumed + ended + "70 world fault again cut\n" + limit),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the client had left that", want: Vacuous, uncounted: whyStreamGone,
		script: left(resumed + ended + "70 client finish again\n" + limit),
	}, {
		rule: "REQUEST-DISPATCHED", why: "it left that when the world was over", want: Fail, fails: "REQUEST-DISPATCHED",
		script: left(resumed + ended + limit + "\n60001 client finish again; close; return 1 closed"),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the response was on its way", want: Pass,
		script: left(resumed + ended + "70 server >> result 1 on again # e2\n" + limit),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the client had it, and its caller waits", want: Pass, fails: "CALLER-UNBLOCKS",
		script: left(resumed + ended + "70 server > result 1 on again # e2\n71 client < result 1 on again # e2\n" + limit),
	}, {
		rule: "CALLER-UNBLOCKS", why: "the client had it, as a replay", want: Fail, fails: "CALLER-UNBLOCKS", side: history.Client,
		script: left(written + "70 server > result 1 on again # e3\n71 client < result 1 on again # e3\n" + limit),
	}, {
		rule: "REQUEST-DISPATCHED", why: "it was written into the broken stream, and not said again", want: Fail, fails: "REQUEST-DISPATCHED",
		script: left(written + limit),
	}, {
		rule: "REQUEST-DISPATCHED", why: "it was said again, and is on its way", want: Pass,
		script: left(written + "70 server > result 1 on again # e3\n" + limit),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the caller had given up", want: Pass, fails: "CANCEL-HTTP-EXPLICIT",
		script: left(written + "70 client cancel 1; return 1 canceled\n" + limit),
	}}
}

func TestResumedStreams(t *testing.T)    { runWeb(t, resumeCases()) }
func TestWithheldOnResumed(t *testing.T) { runWeb(t, withheldCases()) }
