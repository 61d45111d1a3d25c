package oracle

import (
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Conversations at the edge of what a rule over HTTP excuses: each differs from one that is
// convicted, or is not, by one condition of its oracle.
func edgeCases() []webCase {
	broken := `25 world fault call 1 cut
		26 client finish call 1 reset; return 1 reset
		27 server gone call 1
		`
	early := legacyWeb(webRunning + `30 client return 1 closed; close; delete d
		31 server serve d 204; told 1; end 1 canceled; status call 1 200; finish call 1
		32 client status call 1 200; finish call 1; finish d; closed
		1000 world quiet
		2000 server sessions 0; stop; served`).under("2025-06-18").bareGreeted()
	plain := legacyWeb(webRunning + webAnswered)
	named := func(name string) webScript {
		return modernWeb(webRunning+webAnswered).heads("call 1", func(h *history.HTTPHead) { h.MCPName = name })
	}
	shut := `5 client open g
		6 server serve g
		10 client issue 1; > call 1; issue 2; > call 2
		20 server < call 1; start 1; < call 2; start 2
		30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1; told 1; end 1 canceled; finish g
		41 client finish g
		50 server end 2 "done 2"; > result 2
		60 client < result 2; return 2 "done 2"
		`
	return []webCase{{
		rule: "CANCEL-HTTP-CLOSE", why: "closed in the instant in which the caller gave up", want: Vacuous, uncounted: whyClosing,
		script: modernWeb(webRunning + `30 client cancel 1; return 1 canceled; close; closed
			100 server end 1 "done 1"
			2000 server sessions 0; stop; served`).connected(),
	}, {
		rule: "SHUT-HTTP", why: "a Close that does not return", want: Vacuous, fails: "CLOSE-BOUNDED",
		script: legacyWeb(webRunning + webAnswered + `1000 world quiet
			1010 client close
			60000 world horizon`).bareGreeted(),
	}, {
		rule: "HTTP-NO-EARLY-CLOSE", why: "the client had ended the session", want: Pass, uncounted: whyClosing,
		script: early,
	}, {
		rule: "HTTP-NO-EARLY-CLOSE", why: "it ended it later", want: Fail, fails: "NO-SPURIOUS-CANCEL HTTP-NO-EARLY-CLOSE", side: history.Server,
		script: early.replaced("30 client return 1 closed; close; delete d\n", "").replaced("31 server serve d 204;", "31 server").
			replaced("finish d; closed", "return 1 lost; close; delete d\n35 server serve d 204\n36 client finish d; closed"),
	}, {
		rule: "HTTP-ACCEPT", why: "a parameter is nought that is no weight", want: Pass,
		script: plain.heads("call 1", func(h *history.HTTPHead) { h.Accept = "application/json, text/event-stream; level=0" }),
	}, {
		rule: "HTTP-ACCEPT", why: "a weight is no number", want: Pass,
		script: plain.heads("call 1", func(h *history.HTTPHead) { h.Accept = "application/json, text/event-stream; q=high" }),
	}, {
		rule: "HTTP-M-HEADERS", why: "a name in Base64, of which the beginning does not say so", want: Fail, fails: "HTTP-M-HEADERS", script: named("dG9vbA==?="),
	}, {
		rule: "HTTP-M-HEADERS", why: "nor the end", want: Fail, fails: "HTTP-M-HEADERS", script: named("=?base64?dG9vbA=="),
	}, {
		rule: "HTTP-M-HEADERS", why: "with more behind it", want: Fail, fails: "HTTP-M-HEADERS", script: named("=?base64?dG9vbA==!?="),
	}, {
		rule: "HTTP-VERSION-HDR", why: "named alike in both places", want: Pass,
		script: modernWeb(webRunning + webAnswered + "70 client > " + discover + "\n71 server < " + discover + `; > {"id":9,"result":{}} on ` + discover),
	}, {
		rule: "RETRY-NEW-ID", why: "under another id", want: Pass,
		script: modernWeb(webRunning + broken + `27 server told 1; end 1 canceled; finish call 1
			40 client > ` + again + `
			41 server < ` + again + `
			50 server > {"id":77,"result":{}} on ` + again + `
			60 client < {"id":77,"result":{}} on ` + again),
	}, {
		rule: "RETRY-NEW-ID", why: "nothing was lost", want: Vacuous, script: modernWeb(webRunning + webAnswered),
	}, {
		rule: "RACE-GRACEFUL", why: "what the server had in hand when it ended the GET's stream is no sign of life", want: Fail, fails: "RACE-GRACEFUL (SESSION-SURVIVES)", side: history.Server,
		script: legacyWeb(shut+probedInVain("1000")).tools("cooperative", "cooperative").bareGreeted(),
	}, {
		rule: "CANCEL-HTTP-EXPLICIT", why: "the session was lost before the call was made", want: Fail, fails: "CANCEL-HTTP-EXPLICIT",
		script: legacyWeb(lostAndAnew + `110 client issue 1; > call 1
			120 server < call 1; start 1
			130 client cancel 1; drop call 1; return 1 canceled
			140 server gone call 1
			200 server end 1 "done 1"; finish call 1`),
	}, {
		rule: "DISC-NOT-CANCEL", why: "a cancel was read in the instant of the telling, and after it", want: Vacuous,
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1; end 1 canceled; finish call 1; < cancel 1`),
	}, {
		rule: "DISC-NOT-CANCEL", why: "the session was ended in the instant of the disconnect", want: Vacuous, uncounted: whyClosing,
		script: legacyWeb(webRunning + `40 server gone call 1; told 1; end 1 canceled; finish call 1
			40 client close; drop call 1; return 1 closed; delete d
			41 server serve d 204
			42 client finish d; closed
			1000 world quiet
			2000 server sessions 0; stop; served`).bareGreeted(),
	}, {
		rule: "DISC-SCOPED", why: "the other one had ended before", want: Vacuous,
		script: modernWeb(`10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2
			25 server end 2 "done 2"; > result 2
			28 client < result 2; return 2 "done 2"
			30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1; end 1 canceled; finish call 1`).tools("cooperative", "cooperative"),
	}, {
		rule: "DISC-SCOPED", why: "the other one began later", want: Vacuous,
		script: modernWeb(webRunning+`30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1; end 1 canceled; finish call 1
			50 client issue 2; > call 2
			60 server < call 2; start 2; end 2 "done 2"; > result 2
			70 client < result 2; return 2 "done 2"`).tools("cooperative", "cooperative"),
	}, {
		rule: "SESSION-ENDS", why: "counted before the client was closed", want: Vacuous,
		script: legacyWeb(webRunning + webAnswered + `900 server sessions 7
			1000 world quiet
			1010 client close; delete bye
			1011 server serve bye 204
			1012 client finish bye; closed
			2000 server stop; served`).bareGreeted(),
	}}
}

func TestEdgesOverHTTP(t *testing.T) { runWeb(t, edgeCases()) }
