package oracle

import (
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// How a session ends, and a server.
func webEndCases() []webCase {
	hello := legacyWeb("").greeting()
	bare := func(text string) webScript {
		return webScript{script: script{version: legacyVersion, bare: true, text: hello + text}}
	}
	return []webCase{{
		rule: "SHUT-HTTP", why: "by DELETE", want: Pass, script: legacyWeb(webRunning + webAnswered),
	}, {
		rule: "SHUT-HTTP", why: "not at all", want: Fail, fails: "SHUT-HTTP", side: history.Client,
		script: bare(`10 client close; closed
			1000 server sessions 1; stop; served`),
	}, {
		rule: "SHUT-HTTP", why: "there is no session", want: Vacuous,
		script: func() webScript { s := legacyWeb(webRunning + webAnswered); s.stateless = true; return s }(),
	}, {
		rule: "SHUT-HTTP", why: "the server had ended it", want: Vacuous, uncounted: whyServerEndedIt,
		script: bare(`5 client > ping
			6 server status ping 404; finish ping
			7 client status ping 404; finish ping
			10 client close; closed
			1000 server sessions 0; stop; served`),
	}, {
		rule: "SHUT-HTTP", why: "the network had been at fault", want: Vacuous, uncounted: whyFaulty,
		script: bare(`5 client > ping
			6 world fault ping 502
			7 client status ping 502; finish ping
			10 client close; closed
			1000 server sessions 1; stop; served`),
	}, {
		rule: "SHUT-HTTP", why: "over HTTP+SSE by closing the stream", want: Pass, script: sseWeb(webRunning + webAnswered),
	}, {
		rule: "SESSION-ENDS", why: "ended", want: Pass, script: legacyWeb(webRunning + webAnswered),
	}, {
		rule: "SESSION-ENDS", why: "ended by the client, and alive", want: Fail, fails: "SESSION-ENDS", side: history.Server,
		script: legacyWeb(webRunning + webAnswered).leaving(1),
	}, {
		rule: "SESSION-ENDS", why: "one that no client was given", want: Fail, fails: "SHUT-HTTP SESSION-ENDS",
		script: bare(`10 client close; closed
			1000 server sessions 2; stop; served`),
	}, {
		rule: "SESSION-ENDS", why: "not ended by the client: it may live on", want: Vacuous, fails: "SHUT-HTTP",
		script: bare(`10 client close; closed
			1000 server sessions 1; stop; served`),
	}, {
		rule: "SESSION-ENDS", why: "the DELETE was refused", want: Vacuous,
		script: bare(`10 client close; delete d
			11 server serve d 405
			12 client finish d; closed
			1000 server sessions 1; stop; served`),
	}, {
		rule: "SESSION-ENDS", why: "the DELETE got lost", want: Vacuous,
		script: bare(`10 client close; delete d
			11 world fault d 502
			12 client finish d; closed
			1000 server sessions 1; stop; served`),
	}, {
		rule: "SESSION-ENDS", why: "since 2026-07-28 there are none", want: Fail, fails: "SESSION-ENDS",
		script: modernWeb(webRunning + webAnswered).leaving(1),
	}, {
		rule: "SESSION-ENDS", why: "a tool that does not stop holds its own", want: Vacuous, uncounted: whyStillOpen,
		script: webScript{script: script{version: legacyVersion, handlers: []string{"stubborn"}, bare: true, text: hello + webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1
			50 client close; drop call 1; delete d
			51 server gone call 1; serve d 204
			52 client finish d; closed
			1000 server sessions 1; stop; served`}},
	}, {
		rule: "CLOSE-BOUNDED", why: "a DELETE that nobody answers", want: Fail, fails: "CLOSE-BOUNDED", side: history.Client,
		script: bare(`10 client close; delete d
			11 server serve d
			600010 world horizon`),
	}, {
		rule: "CLOSE-BOUNDED", why: "that the network swallowed, after a cancel", want: Fail, fails: "CLOSE-BOUNDED",
		script: bare(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled
			50 client close; delete d
			51 world fault d timeout
			600050 world horizon`),
	}, {
		rule: "CLOSE-BOUNDED", why: "a server that does not stop", want: Fail, fails: "CLOSE-BOUNDED", side: history.Server,
		script: bare(`10 client close; delete d
			11 server serve d 204
			12 client finish d; closed
			1000 server sessions 0; stop
			601000 server served late`),
	}, {
		rule: "RETRY-NEW-ID", why: "another id", want: Pass,
		script: modernWeb(webRunning+`25 world fault call 1 cut
			26 client finish call 1 reset; return 1 reset
			26 server gone call 1; told 1; end 1 canceled; finish call 1
			30 client issue 2; > call 2
			40 server < call 2; start 2; end 2 "done 2"; > result 2
			50 client < result 2; return 2 "done 2"`).tools("cooperative", "cooperative"),
	}, {
		rule: "RETRY-NEW-ID", why: "the same", want: Fail, fails: "(ID-NO-REUSE-M) RETRY-NEW-ID", side: history.Client,
		script: modernWeb(webRunning + `25 world fault call 1 cut
			26 client finish call 1 reset
			26 server gone call 1; told 1; end 1 canceled; finish call 1
			30 client > call 1
			40 server < call 1; > result 1
			50 client < result 1; return 1 "done 1"`),
	}, {
		rule: "RETRY-NEW-ID", why: "the same, of one that was refused", want: Pass, uncounted: whySentAgain,
		script: modernWeb(`10 client issue 1; > call 1
			20 world fault call 1 502
			25 client status call 1 502; finish call 1
			30 client > call 1
			40 server ~ call 1; < call 1; start 1; end 1 "done 1"; > result 1
			50 client < result 1; return 1 "done 1"`),
	}, {
		rule: "ID-NO-REUSE-L", why: "in another session", want: Pass,
		script: legacyWeb(webRunning + webAnswered + `70 client > ping
			71 server status ping 404; finish ping
			72 client status ping 404; finish ping; > hello
			73 server < hello; > welcome
			74 client < welcome; > ready; > {"id":11,"method":"tools/list"}
			75 server < ready; < {"id":11,"method":"tools/list"}; > {"id":11,"result":{}} on {"id":11,"method":"tools/list"}
			76 client < {"id":11,"result":{}} on {"id":11,"method":"tools/list"}`),
	}, {
		rule: "CALLER-UNBLOCKS", why: "the exchange was refused", want: Fail, fails: "CALLER-UNBLOCKS", side: history.Client,
		script: bare(`10 client issue 1; > call 1
			15 world fault call 1 502
			20 client status call 1 502; finish call 1
			60000 world horizon`),
	}, {
		rule: "CALLER-UNBLOCKS", why: "it broke, and may be resumed", want: Vacuous,
		script: bare(webRunning + `25 world fault call 1 cut
			26 client finish call 1 reset
			27 server gone call 1
			30 server end 1 "done 1"; finish call 1
			60000 world horizon`),
	}, {
		rule: "CALLER-UNBLOCKS", why: "the server died, and nobody is left to resume it with", want: Fail, fails: "CALLER-UNBLOCKS", side: history.Client,
		script: bare(webRunning + `25 server exit
			26 client finish call 1 reset; open g
			27 client finish g refused
			60000 world horizon`),
	}, {
		rule: "CALLER-UNBLOCKS", why: "the caller of a call made after that", want: Fail, fails: "CALLER-UNBLOCKS",
		script: bare(`10 server exit
			20 client issue 1; > call 1; finish call 1 refused
			60000 world horizon`),
	}, {
		rule: "CALLER-UNBLOCKS", why: "a client that tries to resume, and then tells its caller", want: Pass,
		script: bare(webRunning + `25 server exit
			26 client finish call 1 reset; open g
			27 client finish g refused
			30000 client return 1 lost; close; closed`),
	}, {
		rule: "CALLER-UNBLOCKS", why: "a resumed stream had been lost before", want: Fail, fails: "CALLER-UNBLOCKS",
		script: bare(webRunning + `25 world fault call 1 cut
			26 client finish call 1 reset; open g
			27 server gone call 1; serve g
			30 server exit
			31 client finish g reset
			60000 world horizon`),
	}, {
		rule: "CALLER-UNBLOCKS", why: "a client that cannot know that the server has died", want: Vacuous,
		script: bare(webRunning + `25 server exit
			60000 world horizon`),
	}, {
		rule: "CALLER-UNBLOCKS", why: "it broke, and since 2026-07-28 cannot be", want: Fail, fails: "CALLER-UNBLOCKS",
		script: modernWeb(webRunning + `25 world fault call 1 cut
			26 client finish call 1 reset
			27 server gone call 1; told 1; end 1 canceled; finish call 1
			60000 world horizon`).bareGreeted(),
	}, {
		rule: "REQUEST-DISPATCHED", why: "an exchange that the server ends unanswered", want: Fail, fails: "REQUEST-DISPATCHED", side: history.Server,
		script: modernWeb(webRunning + `30 server end 1 "done 1"; status call 1 200; finish call 1
			40 client status call 1 200; finish call 1; return 1 lost`),
	}, {
		rule: "REQUEST-DISPATCHED", why: "that the network broke", want: Pass,
		script: modernWeb(webRunning + `25 world fault call 1 cut
			26 client finish call 1 reset; return 1 reset
			27 server gone call 1; told 1; end 1 canceled; finish call 1`),
	}, {
		rule: "CANCEL-NONBLOCKING", why: "the caller is held until the POST is answered", want: Fail, fails: "CANCEL-NONBLOCKING", side: history.Client,
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1
			40 server < cancel 1; told 1; end 1 canceled
			50 client status cancel 1 202; finish cancel 1; return 1 canceled`),
	}, {
		rule: "CANCEL-NONBLOCKING", why: "it is not", want: Pass,
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled
			50 client status cancel 1 202; finish cancel 1`),
	}, {
		rule: "CANCEL-NONBLOCKING", why: "it waits for something else", want: Vacuous, uncounted: whyHeldOtherwise,
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1
			40 server < cancel 1; told 1; end 1 canceled
			50 client status cancel 1 202; finish cancel 1
			55 client return 1 canceled`),
	}, {
		rule: "SESSION-SURVIVES", why: "a probe that the network broke off", want: Vacuous, uncounted: whyFaulty,
		script: bare(`1000 world quiet
			1001 client probe; > ping
			1002 world fault ping 502
			1003 client status ping 502; finish ping; probed refused
			1010 client close; delete d
			1011 server serve d 204
			1012 client finish d; closed`),
	}, {
		rule: "SESSION-SURVIVES", why: "a session that is gone", want: Fail, fails: "SESSION-SURVIVES", side: history.Client,
		script: bare(`1000 world quiet
			1001 client probe; probed closed
			1010 client close; delete d
			1011 server serve d 204
			1012 client finish d; closed`),
	}}
}

func TestEndsOverHTTP(t *testing.T) { runWeb(t, webEndCases()) }
