package oracle

import (
	"strings"
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// heads is the script with the heads of one exchange changed.
func (s webScript) heads(name string, change func(*history.HTTPHead)) webScript {
	s.head = func(h *history.HTTPHead, of string) {
		if of == name {
			change(h)
		}
	}
	return s
}

// goesBack is the request by which a client begins a session of an earlier version.
const goesBack = `{"id":90,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`

func webExchangeCases() []webCase {
	plain := legacyWeb(webRunning + webAnswered)
	modern := modernWeb(webRunning + webAnswered)
	return []webCase{{
		rule: "HTTP-POST-PER-MSG", why: "each its own", want: Pass, script: plain,
	}, {
		rule: "HTTP-POST-PER-MSG", why: "two in one", want: Fail, fails: "HTTP-POST-PER-MSG", side: history.Client,
		script: legacyWeb(`10 client > [{"jsonrpc":"2.0","method":"notifications/a"},{"jsonrpc":"2.0","method":"notifications/b"}]` + "\n" + webRunning + webAnswered),
	}, {
		rule: "HTTP-POST-PER-MSG", why: "which one version allows", want: Pass,
		script: legacyWeb(`10 client > [{"jsonrpc":"2.0","method":"notifications/a"},{"jsonrpc":"2.0","method":"notifications/b"}]` + "\n" + webRunning + webAnswered).under("2025-03-26"),
	}, {
		rule: "HTTP-POST-PER-MSG", why: "by PUT", want: Fail, fails: "HTTP-POST-PER-MSG",
		script: plain.heads("call 1", func(h *history.HTTPHead) { h.Method = "PUT" }),
	}, {
		rule: "HTTP-POST-PER-MSG", why: "since 2026-07-28 a response", want: Fail, fails: "SERVER-NO-REQUESTS (HTTP-POST-PER-MSG)",
		script: modernWeb(webRunning + `30 server > {"id":5,"method":"sampling/createMessage"} on call 1
			31 client < {"id":5,"method":"sampling/createMessage"} on call 1; > {"id":5,"result":{}}
			` + webAnswered),
	}, {
		rule: "HTTP-ACCEPT", why: "both", want: Pass, script: plain,
	}, {
		rule: "HTTP-ACCEPT", why: "in other words", want: Pass,
		script: plain.heads("call 1", func(h *history.HTTPHead) { h.Accept = "Text/Event-Stream ; q=0.5,application/json" }),
	}, {
		rule: "HTTP-ACCEPT", why: "only JSON", want: Fail, fails: "HTTP-ACCEPT", side: history.Client,
		script: plain.heads("call 1", func(h *history.HTTPHead) { h.Accept = "application/json" }),
	}, {
		rule: "HTTP-ACCEPT", why: "one of them never", want: Fail, fails: "HTTP-ACCEPT",
		script: plain.heads("call 1", func(h *history.HTTPHead) { h.Accept = "application/json, text/event-stream;q=0" }),
	}, {
		rule: "HTTP-ACCEPT", why: "anything, which is no list", want: Fail, fails: "HTTP-ACCEPT",
		script: plain.heads("call 1", func(h *history.HTTPHead) { h.Accept = "*/*" }),
	}, {
		rule: "HTTP-ACCEPT", why: "a GET that takes JSON", want: Fail, fails: "HTTP-ACCEPT",
		script: legacyWeb("5 client open g\n6 server serve g\n"+webRunning+webAnswered).heads("g", func(h *history.HTTPHead) { h.Accept = "application/json" }),
	}, {
		rule: "HTTP-202", why: "accepted", want: Pass, script: plain,
	}, {
		rule: "HTTP-202", why: "with 200", want: Fail, fails: "HTTP-202", side: history.Server,
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			39 server status cancel 1 200
			40 server < cancel 1; told 1; end 1 canceled`),
	}, {
		rule: "HTTP-202", why: "with a body", want: Fail, fails: "HTTP-202",
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			39 server status cancel 1 202 thanks
			40 server < cancel 1; told 1; end 1 canceled`),
	}, {
		rule: "HTTP-202", why: "refused (R17)", want: Pass, uncounted: whyRefused,
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			39 server status cancel 1 400 bad
			40 server < cancel 1; told 1; end 1 canceled`),
	}, {
		rule: "HTTP-202", why: "held until the handler had ended", want: Fail, fails: "HTTP-202",
		script: legacyWeb(`5 server finish ready
			` + webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1
			70 server end 1 canceled; status cancel 1 202; finish cancel 1
			1000 world quiet
			1010 client close; delete bye
			1011 server serve bye; finish bye
			1012 client finish bye; closed`).tools("slow-cleanup").manuallyGreeted(),
	}, {
		rule: "HTTP-202", why: "answered before", want: Pass,
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1
			70 server end 1 canceled`).tools("slow-cleanup"),
	}, {
		rule: "HTTP-202", why: "never answered", want: Fail, fails: "HTTP-202",
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled
			1000 world quiet
			20000 client close; delete bye
			20001 server serve bye; finish bye
			20002 client finish bye; closed`).manuallyGreeted(),
	}, {
		rule: "HTTP-202", why: "the network broke it off", want: Pass,
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			39 world fault cancel 1 cut
			40 server < cancel 1; told 1; end 1 canceled
			1000 world quiet
			20000 client close; delete bye
			20001 server serve bye; finish bye
			20002 client finish bye; closed`).manuallyGreeted(),
	}, {
		rule: "CANCEL-NO-REPLY", why: "an error in a response that refuses it", want: Vacuous, uncounted: whyTurnedDown,
		script: legacyWeb(webRunning + `30 client > cancel id {}
			40 server status cancel id {} 400; < cancel id {}; > {"error":{"code":-32600,"message":"no"}} on cancel id {}
			` + webAnswered),
		fails: "CANCEL-HAS-ID",
	}, {
		rule: "CANCEL-NO-REPLY", why: "an error in one that accepts it", want: Fail, fails: "(CANCEL-INVALID-IGNORED) CANCEL-NO-REPLY CANCEL-HAS-ID (HTTP-202)",
		script: legacyWeb(webRunning + `30 client > cancel id {}
			40 server status cancel id {} 202; < cancel id {}; > {"error":{"code":-32600,"message":"no"}} on cancel id {}
			` + webAnswered),
	}, {
		rule: "HTTP-SESSION", why: "named", want: Pass, script: plain,
	}, {
		rule: "HTTP-SESSION", why: "lacking in a cancel", want: Fail, fails: "HTTP-SESSION", side: history.Client,
		script: legacyWeb(webRunning+`30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled`).heads("cancel 1", func(h *history.HTTPHead) { h.Session = "" }),
	}, {
		rule: "HTTP-SESSION", why: "another", want: Fail, fails: "HTTP-SESSION",
		script: plain.heads("call 1", func(h *history.HTTPHead) { h.Session = "s7" }),
	}, {
		rule: "HTTP-SESSION", why: "lacking in the word that it has begun", want: Fail, fails: "HTTP-SESSION",
		script: plain.heads("ready", func(h *history.HTTPHead) { h.Session = "" }),
	}, {
		rule: "HTTP-SESSION", why: "lacking in the instant in which it came", want: Pass, uncounted: whyNotYet,
		script: legacyWeb(webRunning+webAnswered+plain.farewell()).bareGreeted().replaced("> ready", `> ready; > {"id":77,"method":"ping"}`).
			replaced("< ready", `< ready; < {"id":77,"method":"ping"}; > {"id":77,"result":{}} on {"id":77,"method":"ping"}`).heads(`{"id":77,"method":"ping"}`, func(h *history.HTTPHead) { h.Session = "" }),
	}, {
		rule: "HTTP-SESSION", why: "there is none", want: Vacuous,
		script: func() webScript { s := plain; s.stateless = true; return s }(),
	}, {
		rule: "HTTP-VERSION-HDR", why: "named", want: Pass, script: plain,
	}, {
		rule: "HTTP-VERSION-HDR", why: "lacking", want: Fail, fails: "HTTP-VERSION-HDR", side: history.Client,
		script: plain.heads("call 1", func(h *history.HTTPHead) { h.Version = "" }),
	}, {
		rule: "HTTP-VERSION-HDR", why: "of no account before", want: Vacuous,
		script: plain.under("2025-03-26"),
	}, {
		rule: "HTTP-VERSION-HDR", why: "named, since 2026-07-28", want: Pass, script: modern,
	}, {
		rule: "HTTP-VERSION-HDR", why: "lacking, since 2026-07-28", want: Fail, fails: "HTTP-VERSION-HDR",
		script: modern.heads("call 1", func(h *history.HTTPHead) { h.Version = "" }),
	}, {
		rule: "HTTP-VERSION-HDR", why: "another than in _meta", want: Fail, fails: "HTTP-VERSION-HDR",
		script: modernWeb("5 client > "+discover+"\n6 server < "+discover+"; > {\"id\":9,\"result\":{}} on "+discover+"\n"+webRunning+webAnswered).
			heads(discover, func(h *history.HTTPHead) { h.Version = "2025-11-25" }),
	}, {
		rule: "HTTP-M-HEADERS", why: "repeated", want: Pass, script: modern,
	}, {
		rule: "HTTP-M-HEADERS", why: "in Base64", want: Pass,
		script: modern.heads("call 1", func(h *history.HTTPHead) { h.MCPName = "=?base64?dG9vbA==?=" }),
	}, {
		rule: "HTTP-M-HEADERS", why: "another name", want: Fail, fails: "HTTP-M-HEADERS",
		script: modern.heads("call 1", func(h *history.HTTPHead) { h.MCPName = "=?base64?dG9vbHM=?=" }),
	}, {
		rule: "HTTP-M-HEADERS", why: "no method", want: Fail, fails: "HTTP-M-HEADERS", side: history.Client,
		script: modern.heads("call 1", func(h *history.HTTPHead) { h.MCPMethod = "" }),
	}, {
		rule: "HTTP-M-HEADERS", why: "none, of a client that goes back to an earlier version", want: Pass,
		script: modernWeb("5 client > "+goesBack+"\n6 server < "+goesBack+"\n"+webRunning+webAnswered).heads(goesBack, func(h *history.HTTPHead) { h.MCPMethod, h.Version = "", "" }),
	}, {
		rule: "HTTP-M-HEADERS", why: "no name", want: Fail, fails: "HTTP-M-HEADERS",
		script: modern.heads("call 1", func(h *history.HTTPHead) { h.MCPName = "" }),
	}, {
		rule: "HTTP-M-HEADERS", why: "of the POST of a notification nothing is defined", want: Pass,
		script: modernWeb(webRunning+`30 client > cancel 1; drop call 1
			40 server < cancel 1; gone call 1; told 1; end 1 canceled; finish call 1
			50 client return 1 canceled`).heads("cancel 1", func(h *history.HTTPHead) { h.Version = "" }),
	}}
}

const discover = `{"id":9,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`

// manuallyGreeted is the script with its handshake before it, and from then on with nothing
// that happens by itself.
func (s webScript) manuallyGreeted() webScript {
	text := s.text
	s.bare, s.byHand = true, true
	s.text = strings.Replace(s.greeting(), "> welcome", "status hello 200; > welcome; finish hello", 1)
	s.text = strings.Replace(s.text, "< welcome", "status hello 200; < welcome; finish hello", 1)
	s.text = strings.Replace(s.text, "< ready", "< ready; status ready 202; finish ready", 1) + text
	return s
}

func webStreamCases() []webCase {
	two := func(text string) webScript {
		return legacyWeb(`10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2
			`+text+`
			60 server end 1 "done 1"; > result 1; end 2 "done 2"; > result 2
			70 client < result 1; return 1 "done 1"; < result 2; return 2 "done 2"`).tools("chatty", "chatty")
	}
	withGet := "5 client open g\n6 server serve g\n"
	resumed := func(text string) webScript {
		return legacyWeb(webRunning + `30 server > progress 1 # e1
			35 client < progress 1 # e1
			40 world fault call 1 cut
			41 client finish call 1 reset; open again after e1
			42 server gone call 1; serve again
			` + text)
	}
	return []webCase{{
		rule: "HTTP-RESP-STREAM", why: "on the call's own", want: Pass, script: legacyWeb(withGet + webRunning + webAnswered),
	}, {
		rule: "HTTP-RESP-STREAM", why: "on one that was opened by GET", want: Fail, fails: "HTTP-RESP-STREAM", side: history.Server,
		script: legacyWeb(withGet + webRunning + `50 server end 1 "done 1"; > result 1 on g
			60 client < result 1 on g; return 1 "done 1"`),
	}, {
		rule: "HTTP-RESP-STREAM", why: "on one that resumes (R11)", want: Pass, uncounted: whyResumed,
		script: resumed(`50 server end 1 "done 1"; > result 1 on again # e2; finish again
			60 client < result 1 on again # e2; return 1 "done 1"`),
	}, {
		rule: "HTTP-RESP-STREAM", why: "on one that resumes a GET's", want: Fail, fails: "HTTP-RESP-STREAM",
		script: legacyWeb(withGet + `7 server > {"method":"notifications/message","params":{}} on g # g1
			8 client < {"method":"notifications/message","params":{}} on g # g1; drop g
			9 client open again after g1
			9 server gone g; serve again
			` + webRunning + `50 server end 1 "done 1"; > result 1 on again # g2
			60 client < result 1 on again # g2; return 1 "done 1"`),
	}, {
		rule: "HTTP-NO-BROADCAST", why: "a response on both streams", want: Fail, fails: "(HTTP-RESP-STREAM) HTTP-NO-BROADCAST", side: history.Server,
		script: legacyWeb(withGet + webRunning + `50 server end 1 "done 1"; >> result 1; >> result 1 on g; . result 1; . result 1 on g; finish call 1
			60 client < result 1; < result 1 on g; return 1 "done 1"`),
	}, {
		rule: "HTTP-NO-BROADCAST", why: "under one event id, on a stream that the client had resumed too soon", want: Fail, fails: "HTTP-NO-BROADCAST",
		script: legacyWeb(webRunning + `30 server > progress 1 # e1
			35 client < progress 1 # e1; open again after e1
			36 server serve again
			50 server end 1 "done 1"; >> result 1 # e2; >> result 1 on again # e2; . result 1 # e2; . result 1 on again # e2; finish call 1
			60 client < result 1 # e2; < result 1 on again # e2; return 1 "done 1"`),
	}, {
		rule: "RESP-ONCE", why: "when all is over a second one is no broadcast", want: Fail, fails: "RESP-ONCE HTTP-RESP-STREAM",
		script: legacyWeb(withGet + webRunning + webAnswered + `80 server > result 1 on g`),
	}, {
		rule: "RESP-ONCE", why: "a replay is no second response", want: Pass,
		script: resumed(`50 server end 1 "done 1"; > result 1 on again # e2
			51 world fault again cut
			52 client finish again reset; open third after e1
			53 server gone again; serve third; > result 1 on third # e2; finish third
			60 client < result 1 on third # e2; return 1 "done 1"`),
	}, {
		rule: "PROGRESS-STOP", why: "nor is replayed progress late", want: Pass,
		script: resumed(`50 server > progress 1 on again # e2; end 1 "done 1"; > result 1 on again # e3
			51 world fault again cut
			52 client finish again reset; open third after e1
			53 server gone again; serve third; > progress 1 on third # e2; > result 1 on third # e3; finish third
			60 client < progress 1 on third # e2; < result 1 on third # e3; return 1 "done 1"`),
	}, {
		rule: "HTTP-REPLAY-SCOPE", why: "its own", want: Pass,
		script: resumed(`50 server end 1 "done 1"; > result 1 on again # e2; finish again
			60 client < result 1 on again # e2; return 1 "done 1"`),
	}, {
		rule: "HTTP-REPLAY-SCOPE", why: "another call's response", want: Fail, fails: "HTTP-REPLAY-SCOPE", side: history.Server,
		script: two(`30 server > progress 1 # e1
			35 client < progress 1 # e1
			40 world fault call 1 cut; fault call 2 cut
			41 client finish call 1 reset; finish call 2 reset; open again after e1
			42 server gone call 1; gone call 2; serve again`).replaced("> result 1; end 2", "> result 1 on again # e2; end 2").replaced(`> result 2`, `> result 2 on again # e3`).
			replaced("< result 1;", "< result 1 on again # e2;").replaced("< result 2;", "< result 2 on again # e3;"),
	}, {
		rule: "HTTP-REPLAY-SCOPE", why: "an event that another stream had carried", want: Fail, fails: "HTTP-REPLAY-SCOPE",
		script: two(`30 server > progress 1 # e1; > progress 2 # f1
			35 client < progress 1 # e1
			40 world fault call 1 cut; fault call 2 cut
			41 client finish call 1 reset; open again after e1
			42 server gone call 1; serve again; > progress 2 on again # f1
			43 server gone call 2; finish again
			44 client < progress 2 on again # f1; finish call 2 reset`).replaced("> result 1; end 2", ">> result 1; end 2").replaced("> result 2", ">> result 2").
			replaced("70 client < result 1; return 1 \"done 1\"; < result 2; return 2 \"done 2\"", "70 client return 1 lost; return 2 lost"),
	}, {
		rule: "HTTP-EVENT-ID", why: "one id each", want: Pass, script: two(`30 server > progress 1 # e1; > progress 2 # f1
			35 client < progress 1 # e1; < progress 2 # f1`),
	}, {
		rule: "HTTP-EVENT-ID", why: "one id on two streams", want: Fail, fails: "HTTP-EVENT-ID", side: history.Server,
		script: two(`30 server > progress 1 # 1; > progress 2 # 1
			35 client < progress 1 # 1; < progress 2 # 1`),
	}, {
		rule: "HTTP-EVENT-ID", why: "a replay has the id that it had", want: Pass, uncounted: whyResumed,
		script: resumed(`50 server end 1 "done 1"; > result 1 on again # e2
			51 world fault again cut
			52 client finish again reset; open third after e1
			53 server gone again; serve third; > result 1 on third # e2; finish third
			60 client < result 1 on third # e2; return 1 "done 1"`),
	}, {
		rule: "HTTP-NO-EARLY-CLOSE", why: "closed with the response", want: Pass, script: legacyWeb(webRunning + webAnswered).under("2025-03-26"),
	}, {
		rule: "HTTP-NO-EARLY-CLOSE", why: "closed before", want: Fail, fails: "HTTP-NO-EARLY-CLOSE", side: history.Server,
		script: legacyWeb(webRunning + `30 server status call 1 200; finish call 1
			40 client status call 1 200; finish call 1; return 1 lost
			50 server end 1 "done 1"`).under("2025-06-18"),
	}, {
		rule: "HTTP-NO-EARLY-CLOSE", why: "of a cancelled call (R12)", want: Pass, uncounted: whyNoCleanEnd,
		script: func() webScript {
			s := legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
				40 server < cancel 1; told 1; end 1 canceled; status call 1 200; finish call 1
				50 client status call 1 200; finish call 1`).under("2025-06-18").manuallyGreeted()
			s.text = strings.Replace(s.text, "< cancel 1;", "< cancel 1; status cancel 1 202; finish cancel 1;", 1)
			return s
		}(),
	}, {
		rule: "HTTP-NO-EARLY-CLOSE", why: "the network had broken it", want: Pass, uncounted: whyStreamGone,
		script: legacyWeb(webRunning + `25 server status call 1 200
			30 world fault call 1 cut
			31 client finish call 1 reset; return 1 reset
			40 server gone call 1; finish call 1; end 1 "done 1"`).under("2025-06-18").manuallyGreeted(),
	}, {
		rule: "HTTP-TERMINATE", why: "ended with the response", want: Pass, script: modernWeb(webRunning + webAnswered),
	}, {
		rule: "HTTP-TERMINATE", why: "left open", want: Fail, fails: "HTTP-TERMINATE", side: history.Server,
		script: modernWeb(webRunning + `50 server status call 1 200; end 1 "done 1"; > result 1
			60 client < result 1; return 1 "done 1"
			1000 world quiet`).bareManually(),
	}, {
		rule: "HTTP-TERMINATE", why: "left open until the client goes", want: Fail, fails: "HTTP-TERMINATE", side: history.Server,
		script: modernWeb(webRunning + `50 server status call 1 200; end 1 "done 1"; > result 1
			60 client < result 1; return 1 "done 1"
			1000 world quiet
			1001 client drop call 1
			1002 server gone call 1; finish call 1`).bareManually(),
	}, {
		rule: "HTTP-TERMINATE", why: "left open in the instant of the response", want: Vacuous,
		script: modernWeb(webRunning + `1000 server status call 1 200; end 1 "done 1"; > result 1
			world quiet
			1001 client < result 1; return 1 "done 1"
			server finish call 1`).bareManually(),
	}, {
		rule: "HTTP-TERMINATE", why: "the response comes when all was taken to be quiet", want: Vacuous,
		script: modernWeb(webRunning + `900 world quiet
			1000 server status call 1 200; end 1 "done 1"; > result 1
			1001 client < result 1; return 1 "done 1"
			1002 server finish call 1`).bareManually(),
	}, {
		rule: "HTTP-TERMINATE", why: "the client had gone before", want: Vacuous, uncounted: whyStreamGone,
		script: modernWeb(webRunning + `50 server status call 1 200; end 1 "done 1"; > result 1
			60 client < result 1; return 1 "done 1"; drop call 1
			1000 world quiet`).bareManually(),
	}, {
		rule: "HTTP-TERMINATE", why: "a JSON object ends by itself", want: Vacuous,
		script: func() webScript { s := modernWeb(webRunning + webAnswered); s.json = true; return s }(),
	}, {
		rule: "HTTP-STREAM-RELATED", why: "its own progress", want: Pass, script: two(`30 server > progress 1
			35 client < progress 1`),
	}, {
		rule: "HTTP-STREAM-RELATED", why: "another's progress", want: Fail, fails: "HTTP-STREAM-RELATED", side: history.Server,
		script: two(`30 server > progress 1 on call 2
			35 client < progress 1 on call 2`),
	}, {
		rule: "HTTP-STREAM-RELATED", why: "another's response", want: Fail, fails: "HTTP-STREAM-RELATED",
		script: two("").replaced("> result 1;", "> result 1 on call 2;").replaced("< result 1;", "< result 1 on call 2;").replaced("> result 2", "> result 2 on call 1").replaced("< result 2", "< result 2 on call 1"),
	}, {
		rule: "LOG-OPT-IN", why: "for a request that did not ask, though another had", want: Fail, fails: "LOG-OPT-IN",
		script: modernWeb(`5 client > ` + chattyList + `
			6 server < ` + chattyList + `; > {"id":9,"result":{}} on ` + chattyList + `
			7 client < {"id":9,"result":{}} on ` + chattyList + "\n" + webRunning + `30 server > {"method":"notifications/message","params":{}} on call 1
			40 client < {"method":"notifications/message","params":{}} on call 1
			` + webAnswered),
	}}
}

const chattyList = `{"id":9,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/logLevel":"info"}}}`

// replaced is the script with one piece of its text replaced.
func (s webScript) replaced(old, new string) webScript {
	s.text = strings.Replace(s.text, old, new, 1)
	return s
}

// standing is the script as it stands, whose exchanges end as they do.
func (s webScript) standing() webScript { s.bare = true; return s }

// bareManually is the script as it stands.
func (s webScript) bareManually() webScript {
	s.text = "0 client connect; connected\n" + s.text
	s.bare, s.byHand = true, true
	return s
}

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

// leaving is the script with so many sessions left at its end.
func (s webScript) leaving(n int) webScript { s.left = n; return s }

// bareGreeted is the script with its handshake and nothing after it.
func (s webScript) bareGreeted() webScript {
	s.text, s.bare = s.greeting()+s.text, true
	return s
}

func TestExchanges(t *testing.T)    { runWeb(t, webExchangeCases()) }
func TestStreams(t *testing.T)      { runWeb(t, webStreamCases()) }
func TestEndsOverHTTP(t *testing.T) { runWeb(t, webEndCases()) }
