package oracle

import (
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// goesBack is the request by which a client begins a session of an earlier version.
const goesBack = `{"id":90,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`

// How messages travel: the heads of requests, and what a notification is answered with.
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

func TestExchanges(t *testing.T) { runWeb(t, webExchangeCases()) }
