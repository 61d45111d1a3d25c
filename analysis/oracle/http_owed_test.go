package oracle

import (
	"strings"
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// What a server owes a client, and a client its caller, and by what they are quit of it.
func owedByServers() []webCase {
	const rule = "REQUEST-DISPATCHED"
	queued := `10 client issue 1; > call 1
		20 server < call 1
		30 world fault call 1 cut
		31 client finish call 1 reset; return 1 reset
		`
	const gone = `32 server gone call 1
		`
	closing := `client close; closed
		`
	const closed = `1000 world quiet
		2000 server sessions 0; stop; served`
	ends := `server status call 1 200; finish call 1
		`
	lost := `32 client status call 1 200; finish call 1; return 1 lost
		`
	modern := func(text string) webScript { return modernWeb(text).connected() }
	return []webCase{{
		rule: rule, why: "ended unanswered", want: Fail, fails: rule, side: history.Server,
		script: modern(webRunning + "30 " + ends + lost + "40 " + closing + closed),
	}, {
		rule: rule, why: "the client had closed before", want: Pass,
		script: modern(webRunning + "29 " + closing + "30 " + ends + lost + closed),
	}, {
		rule: rule, why: "it closed in that instant", want: Pass,
		script: modern(webRunning + "30 " + ends + "30 " + closing + lost + closed),
	}, {
		rule: rule, why: "the network was about to break it off", want: Pass,
		script: modern(webRunning + "29 world fault call 1 cut\n30 " + ends + lost + "40 " + closing + closed),
	}, {
		rule: rule, why: "before, the client had dropped it", want: Pass,
		script: legacyWeb(webRunning + `25 client drop call 1; return 1 lost
			30 server status call 1 202; finish call 1
			90 server end 1 "done 1"`),
	}, {
		rule: rule, why: "it dropped it later", want: Fail, fails: rule,
		script: legacyWeb(webRunning + `30 server status call 1 202; finish call 1
			31 client drop call 1; return 1 lost
			90 server end 1 "done 1"`),
	}, {
		rule: rule, why: "the request was refused", want: Vacuous,
		script: modernWeb(`10 client issue 1; > call 1
			20 server < call 1; status call 1 503; finish call 1
			31 client status call 1 503; finish call 1; return 1 "unavailable"`).replaced(`"unavailable"`, "unavailable"),
	}, {
		rule: rule, why: "over HTTP+SSE the answer goes another way", want: Pass,
		script: sseWeb(webRunning + `90 server end 1 "done 1"; > result 1
			91 client < result 1; return 1 "done 1"`),
	}, {
		rule: rule, why: "over HTTP+SSE the session ended before there was one", want: Pass,
		script: sseWeb(webRunning).tools("stubborn"),
	}, {
		rule: rule, why: "its turn never came until the world's limit", want: Fail, fails: rule,
		script: legacyWeb(queued + gone).unserved(),
	}, {
		rule: rule, why: "the stream was broken when the world had settled", want: Vacuous,
		script: legacyWeb(strings.ReplaceAll(queued, "31 client finish call 1 reset; return 1 reset", "")+`1000 world quiet
			1001 client finish call 1 reset; return 1 reset
			1002 server gone call 1
			1010 client close; delete d
			1011 server serve d 204
			1012 client finish d; closed`).bareGreeted().replaced("30 world fault call 1 cut\n", ""),
	}, {
		rule: rule, why: "it was refused", want: Vacuous,
		script: legacyWeb(queued + "32 server gone call 1; status call 1 503; finish call 1"),
	}, {
		rule: rule, why: "the server panicked", want: Vacuous,
		script: legacyWeb(queued + gone + "33 server finish call 1 panic: nil map"),
	}, {
		rule: rule, why: "it was answered without its handler", want: Pass,
		script: legacyWeb(queued + gone + "33 server >> error 1; .failed error 1; finish call 1\n34 client ~ error 1"),
	}, {
		rule: rule, why: "a cancel for it was sent and never read", want: Vacuous,
		script: legacyWeb(queued+gone).replaced("30 world", "25 client cancel 1; > cancel 1\n26 world fault cancel 1 cut\n27 client finish cancel 1 reset\n30 world").replaced("return 1 reset", "return 1 canceled"),
	}}
}

func owedByClients() []webCase {
	const post = "CANCEL-HTTP-EXPLICIT"
	const shut = "CANCEL-HTTP-CLOSE"
	nested := func(text string) webScript {
		s := legacyWeb(`10 client issue 1; > call 1
			20 server < call 1; start 1; issue 2; > call 2 on call 1
			25 client < call 2 on call 1; start 2
			30 client cancel 1; > cancel 1; return 1 canceled
			` + text + `120 client end 2 "x"; > result 2
			130 server < result 2`).tools("asking")
		s.nested = []string{"cooperative"}
		return s
	}
	const stops = `40 server < cancel 1; told 1; cancel 2; return 2 canceled; end 1 canceled
		`
	half := `10 client issue 1; >> call 1
		20 server < call 1; start 1
		30 client cancel 1; return 1 canceled
		31 client .%s call 1
		90 server end 1 "done 1"; finish call 1`
	const held = "CANCEL-NONBLOCKING"
	waits := webRunning + `30 client cancel 1; > cancel 1
		40 server < cancel 1; told 1; end 1 canceled; status call 1 200; finish call 1
		`
	refused := `10 client issue 1; > call 1
		20 server < call 1; status call 1 503
		30 client status call 1 503
		40 client cancel 1; return 1 canceled
		`
	return []webCase{{
		rule: post, why: "the request was on its way when its caller gave up, and came", want: Fail, fails: post,
		script: legacyWeb(strings.ReplaceAll(half, "%s", "")),
	}, {
		rule: post, why: "the client could not send it, though the server has it", want: Vacuous, uncounted: whyHalfSent,
		script: legacyWeb(strings.ReplaceAll(half, "%s", "failed")),
	}, {
		rule: post, why: "the client learned later that its session is gone", want: Fail, fails: post,
		script: legacyWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			33 server gone call 1
			40 server end 1 "done 1"; finish call 1
			` + sessionGone + closedWithout).bareGreeted(),
	}, {
		rule: post, why: "the request was refused, and the body is on its way", want: Vacuous, uncounted: whyExchangeOver,
		script: legacyWeb(refused + "90 server finish call 1"),
	}, {
		rule: shut, why: "since 2026-07-28 that is not the end", want: Fail, fails: shut, side: history.Client,
		script: modernWeb(refused + "90 server finish call 1"),
	}, {
		rule: shut, why: "the exchange had ended", want: Vacuous, uncounted: whyExchangeOver, fails: "REQUEST-DISPATCHED",
		script: modernWeb(webRunning + `25 server status call 1 200; finish call 1
			26 client status call 1 200; finish call 1
			40 client cancel 1; return 1 canceled
			90 server end 1 "done 1"`),
	}, {
		rule: shut, why: "the client left the exchange in that instant", want: Vacuous,
		script: modernWeb(webRunning + `30 client cancel 1; return 1 canceled; finish call 1
			31 server gone call 1; told 1; end 1 canceled; finish call 1`),
	}, {
		rule: shut, why: "it left it later", want: Fail, fails: shut,
		script: modernWeb(webRunning + `30 client cancel 1; return 1 canceled
			31 client finish call 1
			32 server gone call 1; told 1; end 1 canceled; finish call 1`),
	}, {
		rule: held, why: "the caller had waited for the answer to the cancel", want: Fail, fails: held, side: history.Client,
		script: legacyWeb(waits + "50 client status cancel 1 202; finish cancel 1; drop call 1; return 1 canceled"),
	}, {
		rule: held, why: "or for the stream of the call, which ended in that instant", want: Vacuous, uncounted: whyHeldOtherwise,
		script: legacyWeb(waits + "50 client status cancel 1 202; finish cancel 1; status call 1 200; finish call 1; return 1 canceled"),
	}, {
		rule: held, why: "that stream had ended before", want: Fail, fails: held,
		script: legacyWeb(waits + "45 client status call 1 200; finish call 1\n50 client status cancel 1 202; finish cancel 1; return 1 canceled"),
	}, {
		rule: nestedRule, why: "the network had broken the stream", want: Vacuous, uncounted: whyNoStream,
		script: nested("35 world fault call 1 cut\n" + stops + "60 server finish call 1\n"),
	}, {
		rule: nestedRule, why: "the client had left it", want: Vacuous, uncounted: whyNoStream,
		script: nested("35 client finish call 1 reset\n" + stops + "60 server finish call 1\n"),
	}, {
		rule: nestedRule, why: "it was broken later", want: Fail, fails: nestedRule,
		script: nested(stops + "60 world fault call 1 cut\n"),
	}}
}

// A server that is told to stop when all clients have gone.
func stoppedServers() []webCase {
	const rule = "CLOSE-BOUNDED"
	stop := func(text string) webScript {
		return legacyWeb(`10 client issue 1; > call 1
			20 server < call 1; start 1
			30 client close; delete d
			31 server serve d 204
			32 client finish d; closed; return 1 closed
			2000 server stop
			` + text).bareGreeted()
	}
	return []webCase{{
		rule: rule, why: "it stops", want: Pass, script: stop("2001 server told 1; end 1 canceled; finish call 1; served"),
	}, {
		rule: rule, why: "it takes as long as anybody waits", want: Fail, fails: rule, side: history.Server,
		script: stop("2001 server told 1; end 1 canceled; finish call 1\n602000 server served"),
	}, {
		rule: rule, why: "it does not", want: Fail, fails: rule, side: history.Server,
		script: stop("2001 server told 1; end 1 canceled; finish call 1\n602000 world stalled"),
	}, {
		rule: rule, why: "of which nobody has waited for so long", want: Pass,
		script: stop("2001 server told 1; end 1 canceled; finish call 1\n601999 world stalled"),
	}, {
		rule: rule, why: "a tool runs that does not stop", want: Pass, uncounted: whyToolRuns,
		script: stop("602000 world stalled").tools("stubborn"),
	}, {
		rule: rule, why: "the process crashed", want: Vacuous, uncounted: whyCrashed, fails: "SESSION-SURVIVES",
		script: stop("2001 world crash server panic\n602000 world stalled"),
	}}
}

func TestOwedOverHTTP(t *testing.T) {
	runWeb(t, owedByServers())
	runWeb(t, owedByClients())
	runWeb(t, stoppedServers())
}
