package oracle

import (
	"strings"
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Exchanges that came to nothing, and what that excuses: each beside one that did not, or
// that came to nothing by the doing of whom it would excuse.
func failedCases() []webCase {
	// The client fails call 2 in the instant in which the caller of call 1 gives up.
	beside := func(before, after string) webScript {
		return legacyWeb(`10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2
			`+before+`
			35 client cancel 1; > cancel 1; return 1 canceled; return 2 lost
			40 server < cancel 1; told 1; end 1 canceled
			`+after).tools("cooperative", "cooperative")
	}
	const read = `50 server end 2 "done 2"; > result 2
		60 client < result 2`
	const unread = `50 server end 2 "done 2"`
	const race = "RACE-GRACEFUL"
	held := func(text string) webScript { return legacyWeb(text).unserved() }
	queued := `10 client issue 1; > call 1
		20 server < call 1
		`
	return []webCase{{
		rule: race, why: "the exchange goes on", want: Fail, fails: race, side: history.Client, script: beside("", read),
	}, {
		rule: race, why: "the network broke it off", want: Pass, script: beside("34 world fault call 2 cut", unread),
	}, {
		rule: race, why: "it only delayed it", want: Fail, fails: race, script: beside("34 world fault call 2 hold", read),
	}, {
		rule: race, why: "the server saw that it was gone", want: Pass, script: beside("34 server gone call 2", unread),
	}, {
		rule: race, why: "since the client had dropped it", want: Fail, fails: race, script: beside("33 client drop call 2\n34 server gone call 2", unread),
	}, {
		rule: race, why: "the server refused it", want: Pass, script: beside("33 server status call 2 503\n34 client status call 2 503", unread),
	}, {
		rule: race, why: "the client had the response", want: Fail, fails: race + " (ANSWER-OWN)", side: history.Client,
		script: beside("30 server end 2 \"done 2\"; > result 2\n34 client < result 2", ""),
	}, {
		rule: race, why: "it had ended without one", want: Pass, fails: "HTTP-NO-EARLY-CLOSE", script: beside("30 server status call 2 200; finish call 2\n34 client finish call 2", unread),
	}, {
		rule: "REQUEST-DISPATCHED", why: "refused, and its caller waits", want: Vacuous, uncounted: whyRefusedByHTTP, fails: "CALLER-UNBLOCKS",
		script: held(queued + `30 server status call 1 503; finish call 1
			31 client status call 1 503; finish call 1`),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the server panicked in it", want: Vacuous, uncounted: whyPanicked,
		script: held(queued + `30 server finish call 1 panic: nil map
			31 client finish call 1 EOF`),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the server ended the stream, and it was not asked for the rest", want: Vacuous, fails: "HTTP-NO-EARLY-CLOSE", uncounted: whyStreamEnded,
		script: held(queued + `30 server status call 1 200; finish call 1
			31 client status call 1 200; finish call 1`),
	}, {
		rule: "REQUEST-DISPATCHED", why: "it did not", want: Fail, fails: "REQUEST-DISPATCHED", script: held(queued),
	}, {
		rule: "CALLER-UNBLOCKS", why: "the exchange was refused", want: Fail, fails: "CALLER-UNBLOCKS", side: history.Client,
		script: held(queued + `30 server status call 1 503; finish call 1
			31 client status call 1 503; finish call 1`),
	}, {
		rule: "CALLER-UNBLOCKS", why: "it was broken off, and may be resumed", want: Vacuous,
		script: held(queued + `30 world fault call 1 cut
			31 client finish call 1 reset`),
	}, {
		rule: "CALLER-UNBLOCKS", why: "its caller gave up later", want: Fail, fails: "CALLER-UNBLOCKS",
		script: held(queued + `30 server status call 1 503; finish call 1
			31 client status call 1 503; finish call 1
			40 client cancel 1`),
	}, {
		rule: "CANCEL-HTTP-EXPLICIT", why: "a call that was made again when it had been answered", want: Vacuous, uncounted: whyReplyFirst,
		script: legacyWeb(webRunning + strings.ReplaceAll(webAnswered, `; return 1 "done 1"`, "; > "+again) + `70 client cancel 1; return 1 canceled
			71 server < ` + again + `; > {"id":77,"result":{}} on ` + again),
	}}
}

// What a client posts again, of what a server had asked.
func postedAgain() []webCase {
	nested := func(text string) webScript {
		s := legacyWeb(`10 client issue 1; > call 1
			20 server < call 1; start 1; issue 2; > call 2 on call 1
			25 client < call 2 on call 1; start 2
			` + text + `
			40 server return 2 "x"; end 1 "done 1"; > result 1
			50 client < result 1; return 1 "done 1"`).tools("asking")
		s.nested = []string{"cooperative"}
		return s
	}
	answered := func(first, second string) webScript {
		return nested(`26 client end 2 "x"; > result 2
			` + first + `
			30 client > result 2
			` + second)
	}
	const lost = "31 server ~ result 2; < result 2"
	const broken = `27 world fault result 2 cut
		28 client finish result 2 reset`
	const once = "RESP-ONCE"
	return []webCase{{
		rule: once, why: "the network had broken it off", want: Pass, script: answered(broken, lost),
	}, {
		rule: once, why: "although the server had read it", want: Pass, script: answered("27 server < result 2\n28 world fault result 2 cut\n29 client finish result 2 reset", "31 server < result 2"),
	}, {
		rule: once, why: "what stands between had refused it", want: Pass,
		script: answered("27 world fault result 2 502\n28 client status result 2 502; finish result 2", lost),
	}, {
		rule: once, why: "the server had accepted it", want: Fail, fails: once, side: history.Client,
		script: answered("27 server < result 2", "31 server < result 2"),
	}, {
		rule: once, why: "and the client knew", want: Fail, fails: once,
		script: answered("27 server < result 2\n28 client status result 2 202; finish result 2", "31 server < result 2"),
	}, {
		rule: once, why: "the client was not done with the first", want: Fail, fails: once,
		script: answered("27 world fault result 2 cut", lost),
	}, {
		rule: once, why: "it says something else", want: Fail, fails: once,
		script: answered(broken, "31 server ~ result 2; < stale 2").replaced("30 client > result 2", "30 client > stale 2"),
	}, {
		rule: once, why: "a third, when the second had been accepted", want: Fail, fails: once,
		script: answered(broken, lost+"\n32 client > result 2\n33 server < result 2"),
	}}
}

func TestFailedExchanges(t *testing.T) { runWeb(t, failedCases()) }
func TestPostedAgain(t *testing.T)     { runWeb(t, postedAgain()) }
