package oracle

import (
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// What wall time leaves open over HTTP, and what it does not.
func wallCases() []webCase {
	const shut, post, told, ended = "CANCEL-HTTP-CLOSE", "CANCEL-HTTP-EXPLICIT", "DISC-NOT-CANCEL", "EXCHANGE-ENDED"
	// The server told the handler of what the network broke off just before that was seen.
	cut := webRunning + `30 world fault call 1 cut
		31 client finish call 1 reset; return 1 reset
		32 server told 1
		32.01 server gone call 1; end 1 canceled; finish call 1`
	two := `10 client issue 1; > call 1; issue 2; > call 2
		20 server < call 1; start 1; < call 2; start 2
		30 world fault call 1 cut; fault call 2 cut
		31 client finish call 1 reset; return 1 reset; finish call 2 reset; return 2 reset
		32 server gone call 1; told 2
		32.01 server told 1; gone call 2; end 1 canceled; finish call 1; end 2 canceled; finish call 2`
	pair := []string{"cooperative", "cooperative"}
	asked := func(end string) webScript { // the server cancels nothing of what a tool had asked
		s := legacyWeb(`10 client issue 1; > call 1
			20 server < call 1; start 1; issue 2; > call 2 on call 1
			25 client < call 2 on call 1; start 2
			30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; cancel 2; return 2 canceled; end 1 canceled
			` + end + ` server finish call 1
			120 client end 2 "x"; > result 2
			130 server < result 2`).tools("asking")
		s.nested = []string{"cooperative"}
		return s
	}
	heldPost := func(end string) webScript {
		return legacyWeb("5 server finish ready\n" + webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1
			` + end + ` server end 1 canceled; status cancel 1 202; finish cancel 1
			1000 world quiet
			1010 client close; delete bye
			1011 server serve bye; finish bye
			1012 client finish bye; closed`).tools("slow-cleanup").manuallyGreeted()
	}
	withheld := func(end string) webScript { // by a stream that the client has resumed
		return legacyWeb(webRunning + `30 server > progress 1 # e1
			35 client < progress 1 # e1
			40 world fault call 1 cut
			41 client finish call 1 reset; open again after e1
			42 server gone call 1; serve again
			` + end + ` server end 1 "done 1"`).tools("chatty").unserved()
	}
	kept := func(end string) webScript { // nothing but the end shows that the stream is open
		return modernWeb(webRunning + `30 client cancel 1; return 1 canceled
			` + end + ` client close; closed
			1000 world quiet
			2000 server sessions 0; stop; served`).connected().tools("stubborn")
	}
	posted := func(read string) webScript { // the cancel is read after the telling
		return legacyWeb(webRunning + `30 client cancel 1; > cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1; end 1 canceled; finish call 1
			` + read + ` server < cancel 1`)
	}
	open := func(quiet string) webScript { // the exchange of a cancelled call is
		return modernWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1; end 1 canceled
			` + quiet + ` world quiet`).bareManually()
	}
	answered := func(quiet string) webScript { // that of an answered one is
		return modernWeb(webRunning + `50 server status call 1 200; end 1 "done 1"; > result 1
			60 client < result 1; return 1 "done 1"
			` + quiet + ` world quiet`).bareManually()
	}
	left := func(last string) webScript { // no DELETE follows
		return webScript{script: script{version: legacyVersion, bare: true, text: legacyWeb("").greeting() + webRunning + webAnswered + `100 client close; closed
			` + last + ` world quiet`}}
	}
	early := func(at string) webScript { // a request that does not name the session, that many ms after the client had it
		s := legacyWeb(at + ` client > ` + listed + `
			90 server < ` + listed + `; > {"id":9,"result":{}} on ` + listed + `
			91 client < {"id":9,"result":{}} on ` + listed)
		return s.heads(listed, func(h *history.HTTPHead) { h.Session, h.Version = "", "" })
	}
	const unnamed = "HTTP-SESSION HTTP-VERSION-HDR"
	return []webCase{{
		rule: "NO-SPURIOUS-CANCEL", why: "since 2026-07-28 it may tell", want: Vacuous, script: modernWeb(cut).inWallTime(),
	}, {
		rule: "DISC-SCOPED", why: "and is not said to have told another", want: Vacuous, script: modernWeb(two).tools(pair...).inWallTime(),
	}, {
		rule: "NO-SPURIOUS-CANCEL", why: "nothing was broken off yet", want: Fail, fails: "NO-SPURIOUS-CANCEL",
		script: modernWeb(cut).replaced("30 world fault call 1 cut\n", "").replaced("32.01 server", "32.005 world fault call 1 cut\n32.01 server").replaced("31 client finish call 1 reset; return 1 reset\n", "").inWallTime(),
	}, {
		rule: told, why: "before that it may not", want: Fail, fails: "(NO-SPURIOUS-CANCEL) " + told, side: history.Server, script: legacyWeb(cut).inWallTime(),
	}, {
		rule: told, why: "it told it long before it saw that, for whatever reason", want: Vacuous, fails: "NO-SPURIOUS-CANCEL",
		script: legacyWeb(cut).replaced("32.01 server", "83 server").inWallTime(),
	}, {
		rule: told, why: "in virtual time, too", want: Vacuous, fails: "NO-SPURIOUS-CANCEL", script: legacyWeb(cut),
	}, {
		rule: told, why: "a cancel was read soon after the telling", want: Vacuous, script: posted("90").inWallTime(),
	}, {
		rule: told, why: "it was read later", want: Fail, fails: told, script: posted("91").inWallTime(),
	}, {
		rule: told, why: "the session was gone, in whatever order with the disconnect", want: Vacuous, uncounted: whyServerEndedIt,
		script: legacyWeb(cut+"\n"+sessionGone+closedWithout).replaced("32.01 server", "32 server").bareGreeted().inWallTime(),
	}, {
		rule: "HTTP-202", why: "the POST of a cancel that was held until the handler had ended", want: Ambiguous, uncounted: whyWithinGrace, script: heldPost("91").inWallTime(),
	}, {
		rule: "HTTP-202", why: "the handler ended soon", want: Pass, script: heldPost("90").inWallTime(),
	}, {
		rule: "HTTP-202", why: "it was not held for so long", want: Pass, script: heldPost("150").replaced("150 server end 1 canceled; status", "99 server status").replaced("finish cancel 1\n", "finish cancel 1\n150 server end 1 canceled\n").inWallTime(),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the handler returned shortly before the world's limit", want: Vacuous, uncounted: whyStreamGone, script: withheld("59950").inWallTime(),
	}, {
		rule: "REQUEST-DISPATCHED", why: "it returned before that", want: Fail, fails: "REQUEST-DISPATCHED", script: withheld("59949").inWallTime(),
	}, {
		rule: nestedRule, why: "the stream ended soon after the tool was told", want: Vacuous, uncounted: whyNoStream, script: asked("90").inWallTime(),
	}, {
		rule: nestedRule, why: "it ended later", want: Fail, fails: nestedRule, script: asked("91").inWallTime(),
	}, {
		rule: shut, why: "the session ended soon after the caller had given up", want: Vacuous, script: kept("80").inWallTime(),
	}, {
		rule: shut, why: "it ended later", want: Fail, fails: shut, script: kept("81").inWallTime(),
	}, {
		rule: ended, why: "the world settled soon after the cancel", want: Vacuous, script: open("90").inWallTime(),
	}, {
		rule: ended, why: "it settled later", want: Fail, fails: ended, script: open("91").inWallTime(),
	}, {
		rule: "HTTP-TERMINATE", why: "the world settled soon after the response", want: Vacuous, script: answered("100").inWallTime(),
	}, {
		rule: "HTTP-TERMINATE", why: "it settled later", want: Fail, fails: "HTTP-TERMINATE", script: answered("101").inWallTime(),
	}, {
		rule: "SHUT-HTTP", why: "the world ended soon after Close had returned", want: Vacuous, script: left("150").inWallTime(),
	}, {
		rule: "SHUT-HTTP", why: "it ended later", want: Fail, fails: "SHUT-HTTP", script: left("151").inWallTime(),
	}, {
		rule: "HTTP-SESSION", why: "a request soon after the client had a session", want: Pass, uncounted: whyNotYet, script: early("52").inWallTime(),
	}, {
		rule: "HTTP-SESSION", why: "a request later", want: Fail, fails: unnamed, script: early("53").inWallTime(),
	}, {
		rule: "HTTP-VERSION-HDR", why: "the same of the version", want: Pass, uncounted: whyNotYet, script: early("52").inWallTime(),
	}, {
		rule: "HTTP-VERSION-HDR", why: "later", want: Fail, fails: unnamed, script: early("53").inWallTime(),
	}}
}

func TestWallTimeOverHTTP(t *testing.T) { runWeb(t, wallCases()) }
