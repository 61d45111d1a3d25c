package oracle

import (
	"strings"
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// What travels on which stream, and when one ends.
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

func TestStreams(t *testing.T) { runWeb(t, webStreamCases()) }
