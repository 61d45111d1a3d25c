package oracle

import "testing"

// Calls that a client makes again, under another id, since the exchange of the first
// request had ended without a response: what their one handler is told, and by which of the
// two requests, nobody can tell.
func againCases() []webCase {
	const named = `{"method":"notifications/cancelled","params":{"requestId":77}}`
	const second = `{"id":77,"result":{"content":[{"type":"text","text":"done 1"}]}} on ` + again
	// Before 2026-07-28, a server may end a stream whenever it likes.
	began := `10 client issue 1; > call 1
		20 server < call 1; status call 1 200; finish call 1
		31 client status call 1 200; finish call 1; > ` + again + `
		32 server < ` + again + `; start 1
		`
	once := `10 client issue 1; > call 1
		20 server < call 1; start 1; status call 1 200; finish call 1
		31 client status call 1 200; finish call 1
		`
	broken := began + `40 world fault ` + again + ` cut
		41 client finish ` + again + ` reset; return 1 reset
		42 server gone ` + again + `; told 1; end 1 canceled; finish ` + again
	return []webCase{{
		rule: "CALLER-UNBLOCKS", why: "the second exchange is open", want: Vacuous, fails: "REQUEST-DISPATCHED",
		script: modernWeb(began + "60000 world horizon").tools("never").connected(),
	}, {
		rule: "CALLER-UNBLOCKS", why: "there is none", want: Fail, fails: "CALLER-UNBLOCKS REQUEST-DISPATCHED",
		script: modernWeb(once + "60000 world horizon").tools("never").connected(),
	}, {
		rule: "CANCEL-HTTP-EXPLICIT", why: "it cancels the second request", want: Vacuous, fails: "HTTP-NO-EARLY-CLOSE", uncounted: whyUnclearID,
		script: legacyWeb(began + `40 client cancel 1; > ` + named + `; return 1 canceled
			41 server < ` + named + `; told 1; end 1 canceled; status ` + again + ` 200; finish ` + again),
	}, {
		rule: "CANCEL-HTTP-EXPLICIT", why: "it made none, and cancels nothing", want: Fail, fails: "CANCEL-HTTP-EXPLICIT HTTP-NO-EARLY-CLOSE",
		script: legacyWeb(once + `40 client cancel 1; return 1 canceled
			90 server end 1 "done 1"`),
	}, {
		rule: "DISC-SCOPED", why: "the network broke off the second", want: Vacuous, uncounted: whyUnclearID, fails: "REQUEST-DISPATCHED",
		script: modernWeb(broken),
	}, {
		rule: "NO-SPURIOUS-CANCEL", why: "likewise", want: Vacuous, uncounted: whyUnclearID, fails: "REQUEST-DISPATCHED",
		script: modernWeb(broken),
	}, {
		rule: "DISC-NOT-CANCEL", why: "the first is closed as well", want: Vacuous, uncounted: whyUnclearID,
		script: legacyWeb(`10 client issue 1; > call 1
			20 server < call 1; start 1
			30 client drop call 1; > ` + again + `
			32 server < ` + again + `; gone call 1; told 1; end 1 canceled; > ` + second + `
			40 client < ` + second + `; return 1 "done 1"`),
	}, {
		rule: "DISC-NOT-CANCEL", why: "it was not made again", want: Fail, fails: "(NO-SPURIOUS-CANCEL) DISC-NOT-CANCEL",
		script: legacyWeb(`10 client issue 1; > call 1
			20 server < call 1; start 1
			30 client drop call 1
			32 server gone call 1; told 1; end 1 canceled
			40 client return 1 lost`),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the second is answered, the first was not", want: Fail, fails: "REQUEST-DISPATCHED", side: "server",
		script: modernWeb(began + `35 server end 1 "done 1"; > ` + second + `
			40 client < ` + second + `; return 1 "done 1"`),
	}, {
		rule: "HTTP-NO-EARLY-CLOSE", why: "likewise, where the version has that", want: Fail, fails: "HTTP-NO-EARLY-CLOSE",
		script: legacyWeb(began + `35 server end 1 "done 1"; > ` + second + `
			40 client < ` + second + `; return 1 "done 1"`).under("2025-06-18"),
	}}
}

func TestCallsMadeAgain(t *testing.T) { runWeb(t, againCases()) }
