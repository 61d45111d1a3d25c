package oracle

import (
	"strings"
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Calls whose ids are one, each beside the same with an id of its own: what is held against
// a server that can tell them apart is not held against one that cannot.
func reusedCases() []webCase {
	twice := func(text string) webScript {
		s := legacyWeb(`10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2
			`+text).tools("chatty", "chatty")
		s.ids = map[int]int{2: 1}
		return s
	}
	apart := func(s webScript) webScript { s.ids = nil; return s }
	answered := `60 server end 1 "done 1"; > result 1; end 2 "done 2"; > result 2
		70 client < result 1; return 1 "done 1"; < result 2; return 2 "done 2"`
	resumed := twice(`30 server > progress 1 # e1
		35 client < progress 1 # e1
		40 world fault call 1 cut; fault call 2 cut
		41 client finish call 1 reset; finish call 2 reset; open again after e1
		42 server gone call 1; gone call 2; serve again
		60 server end 1 "done 1"; > result 1 on again # e2; end 2 "done 2"; > result 2 on again # e3; finish again
		70 client < result 1 on again # e2; return 1 "done 1"; < result 2 on again # e3; return 2 "done 2"; finish again`)
	closed := twice(`30 server status call 1 200; finish call 1
		40 client status call 1 200; finish call 1; return 1 lost
		50 server end 1 "done 1"; end 2 "done 2"; > result 2
		60 client < result 2; return 2 "done 2"`).under("2025-06-18")
	open := twice(`50 server status call 1 200; status call 2 200; end 1 "done 1"; > result 1; end 2 "done 2"; > result 2; finish call 2
		60 client < result 1; return 1 "done 1"; < result 2; return 2 "done 2"; finish call 2
		1000 world quiet
		1010 client close; delete d
		1011 server serve d; finish d
		1012 client finish d; closed`).manuallyGreeted()
	swapped := twice(answered).replaced("> result 1;", "> result 1 on call 2;").replaced("< result 1;", "< result 1 on call 2;").
		replaced("> result 2", "> result 2 on call 1").replaced("< result 2", "< result 2 on call 1")
	onGet := twice(`30 client open g
		31 server serve g
		60 server end 1 "done 1"; > result 1 on g; end 2 "done 2"; > result 2
		70 client < result 1 on g; return 1 "done 1"; < result 2; return 2 "done 2"`)
	both := twice(`30 client open g
		31 server serve g
		60 server end 1 "done 1"; >> result 2; >> result 2 on g; . result 2; . result 2 on g; finish call 2; end 2 "done 2"; > result 1
		70 client < result 2; return 2 "done 2"; < result 1; return 1 "done 1"; < result 2 on g`)
	named := twice(`30 server > ` + logged(1) + ` on call 1 # 1; > ` + logged(2) + ` on call 2 # 1
		35 client < ` + logged(1) + ` on call 1 # 1; < ` + logged(2) + ` on call 2 # 1
		` + answered)
	held := func() webScript {
		s := legacyWeb(`5 server finish ready
			10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2
			30 client cancel 2; > cancel 2; return 2 canceled
			40 server < cancel 2; told 2
			70 server end 2 canceled; status cancel 2 202; finish cancel 2; end 1 "done 1"; > result 1; finish call 1
			80 client < result 1; return 1 "done 1"
			1000 world quiet
			1010 client close; delete bye
			1011 server serve bye; finish bye
			1012 client finish bye; closed`).tools("slow-cleanup", "slow-cleanup").manuallyGreeted()
		s.ids = map[int]int{2: 1}
		return s
	}()
	const reuse = "ID-NO-REUSE-L PROGRESS-TOKEN-UNIQUE" // scripts name both after the call
	return []webCase{
		{rule: "HTTP-REPLAY-SCOPE", why: "another call's response", want: Fail, fails: "HTTP-REPLAY-SCOPE", side: history.Server, script: apart(resumed)},
		{rule: "HTTP-REPLAY-SCOPE", why: "of one id", want: Vacuous, fails: reuse, uncounted: whyUnclearID, script: resumed},
		{rule: "HTTP-NO-EARLY-CLOSE", why: "the stream of another call", want: Fail, fails: "HTTP-NO-EARLY-CLOSE", side: history.Server, script: apart(closed)},
		{rule: "HTTP-NO-EARLY-CLOSE", why: "of one id", want: Pass, fails: reuse, uncounted: whyUnclearID, script: closed},
		{rule: "HTTP-TERMINATE", why: "another call's stream", want: Fail, fails: "HTTP-TERMINATE", side: history.Server, script: apart(open)},
		{rule: "HTTP-TERMINATE", why: "of one id", want: Pass, fails: reuse, uncounted: whyUnclearID, script: open},
		{rule: "HTTP-STREAM-RELATED", why: "another call's response", want: Fail, fails: "HTTP-STREAM-RELATED", side: history.Server, script: apart(swapped)},
		{rule: "HTTP-RESP-STREAM", why: "on one that was opened by GET", want: Fail, fails: "HTTP-RESP-STREAM", side: history.Server, script: apart(onGet)},
		{rule: "HTTP-RESP-STREAM", why: "of one id", want: Pass, fails: reuse, uncounted: whyUnclearID, script: onGet},
		{rule: "HTTP-NO-BROADCAST", why: "on both", want: Fail, fails: "(HTTP-RESP-STREAM) HTTP-NO-BROADCAST", side: history.Server, script: apart(both)},
		{rule: "HTTP-NO-BROADCAST", why: "of one id", want: Pass, fails: reuse, uncounted: whyUnclearID, script: both},
		{rule: "HTTP-EVENT-ID", why: "one id for two calls' streams", want: Fail, fails: "HTTP-EVENT-ID", side: history.Server, script: apart(named)},
		{rule: "HTTP-EVENT-ID", why: "of one id", want: Pass, fails: reuse, uncounted: whyUnclearID, script: named},
		{rule: "HTTP-202", why: "held until the handler of another call had ended", want: Fail, fails: "HTTP-202", side: history.Server, script: apart(held)},
		{rule: "HTTP-202", why: "of one id", want: Pass, fails: reuse, uncounted: whyUnclearID, script: held},
	}
}

// logged is a log message of that number.
func logged(n int) string {
	return `{"method":"notifications/message","params":{"data":` + string(rune('0'+n)) + `}}`
}

// Notifications that have ids, which CANCEL-NO-RPC-ID forbids, and retries.
func noticedCases() []webCase {
	const (
		stray   = `{"id":"never","method":"notifications/cancelled","params":{"requestId":"x"}}`
		other   = `{"id":"never","method":"prompts/list"}`
		another = `{"id":"never","method":"tools/list"}`
	)
	sent := func(first, second string) string {
		return `10 client > ` + first + `; > ` + second + `
			20 server < ` + first + `; < ` + second + `; > {"id":"never","error":{"code":-32600,"message":"no"}} on ` + first + `; > {"id":"never","error":{"code":-32600,"message":"no"}} on ` + second + `
			30 client < {"id":"never","error":{"code":-32600,"message":"no"}} on ` + first + `; < {"id":"never","error":{"code":-32600,"message":"no"}} on ` + second + "\n"
	}
	const again = `{"id":"never","method":"notifications/cancelled","params":{"requestId":"y"}}`
	return []webCase{{
		rule: "ID-NO-REUSE-M", why: "two notifications of one id", want: Pass, fails: "CANCEL-NO-RPC-ID",
		script: modernWeb(sent(stray, again)),
	}, {
		rule: "ID-NO-REUSE-M", why: "two requests of one id", want: Fail, fails: "ID-NO-REUSE-M", side: history.Client,
		script: modernWeb(sent(other, another)),
	}, {
		rule: "ID-NO-REUSE-L", why: "two notifications of one id", want: Pass, fails: "CANCEL-NO-RPC-ID",
		script: legacyWeb(sent(stray, again)),
	}, {
		rule: "ID-NO-REUSE-L", why: "two requests of one id", want: Fail, fails: "ID-NO-REUSE-L", side: history.Client,
		script: legacyWeb(sent(other, another)),
	}}
}

// A client that gave up a call which a status had refused, and one whose caller waits.
func refusedCases() []webCase {
	text := `10 client issue 1; > call 1
		15 world fault call 1 misroute
		20 server status call 1 404; < call 1
		25 client status call 1 404
		160 client cancel 1; return 1 canceled`
	late := strings.NewReplacer("25 client status call 1 404\n", "", "return 1 canceled", "return 1 canceled\n170 client status call 1 404").Replace(text)
	return []webCase{{
		rule: "CANCEL-HTTP-EXPLICIT", why: "the client had read the status that refuses it, and not yet the body", want: Vacuous, uncounted: whyExchangeOver,
		script: legacyWeb(text),
	}, {
		rule: "CANCEL-HTTP-EXPLICIT", why: "it read the status later", want: Fail, fails: "CANCEL-HTTP-EXPLICIT", side: history.Client,
		script: legacyWeb(late),
	}, {
		rule: "CANCEL-HTTP-EXPLICIT", why: "the status accepts it", want: Fail, fails: "CANCEL-HTTP-EXPLICIT", side: history.Client,
		script: legacyWeb(strings.ReplaceAll(text, "404", "200")),
	}}
}

// Two calls with one progress token, of which the first shares its id with a third.
func blurredCases() []webCase {
	const (
		first  = `{"id":7,"method":"tools/call","params":{"name":"tool","arguments":{"call":1},"_meta":{"progressToken":"p"}}}`
		second = `{"id":7,"method":"tools/call","params":{"name":"tool","arguments":{"call":2},"_meta":{"progressToken":"q"}}}`
		third  = `{"id":8,"method":"tools/call","params":{"name":"tool","arguments":{"call":3},"_meta":{"progressToken":"p"}}}`
		cancel = `{"method":"notifications/cancelled","params":{"requestId":7}}`
	)
	text := `10 client issue 1; > ` + first + `; issue 2; > ` + second + `
		20 server < ` + first + `; start 1; < ` + second + `; start 2
		30 client cancel 1; > ` + cancel + `; return 1 canceled
		40 server < ` + cancel + `
		50 client issue 3; > ` + third + `
		60 server < ` + third + `; start 3; end 3 "done 3"; > {"id":8,"result":{}} on ` + third + `
		70 client < {"id":8,"result":{}} on ` + third + `; return 3 "done 3"
		80 server end 2 "done 2"; > {"id":7,"result":{}} on ` + second + `
		90 client < {"id":7,"result":{}} on ` + second + `; return 2 "done 2"`
	kinds := []string{"cooperative", "cooperative", "cooperative"}
	waiting := strings.NewReplacer("cancel 1; > "+cancel+"; return 1 canceled", "> ping", "< "+cancel, "< ping; > pong", "50 client", "45 client < pong\n50 client").Replace(text)
	own := strings.NewReplacer(strings.Replace(first, `"id":7`, `"id":7`, 1), strings.Replace(first, `"id":7`, `"id":6`, 1), "> "+cancel+"; ", "", "40 server < "+cancel, "").Replace(text)
	return []webCase{{
		rule: "PROGRESS-TOKEN-UNIQUE", why: "its caller had given it up, and of the cancel it cannot be told whose it is", want: Pass, uncounted: whyUnclearID,
		fails: "ID-NO-REUSE-L", script: legacyWeb(text).tools(kinds...),
	}, {
		rule: "PROGRESS-TOKEN-UNIQUE", why: "its caller waited", want: Fail, fails: "ID-NO-REUSE-L PROGRESS-TOKEN-UNIQUE", side: history.Client,
		script: legacyWeb(waiting).tools(kinds...),
	}, {
		rule: "PROGRESS-TOKEN-UNIQUE", why: "its id was its own, and nothing cancelled it", want: Fail, fails: "PROGRESS-TOKEN-UNIQUE CANCEL-HTTP-EXPLICIT", side: history.Client,
		script: legacyWeb(own).tools(kinds...),
	}}
}

// The progress of one call on the stream of another one, whose id is that of the first or
// its own.
func mixedProgress() []webCase {
	mixed := func(id string) webScript {
		first := `{"id":7,"method":"tools/call","params":{"name":"tool","arguments":{"call":1},"_meta":{"progressToken":"p"}}}`
		second := `{"id":` + id + `,"method":"tools/call","params":{"name":"tool","arguments":{"call":2},"_meta":{"progressToken":"q"}}}`
		report := `{"method":"notifications/progress","params":{"progressToken":"p","progress":1}} on ` + second
		results := [...]string{`{"id":7,"result":{}} on ` + first, `{"id":` + id + `,"result":{}} on ` + second}
		return legacyWeb(`10 client issue 1; > `+first+`; issue 2; > `+second+`
			20 server < `+first+`; start 1; < `+second+`; start 2
			30 server > `+report+`
			40 client < `+report+`
			60 server end 1 "done 1"; > `+results[0]+`; end 2 "done 2"; > `+results[1]+`
			70 client < `+results[0]+`; return 1 "done 1"; < `+results[1]+`; return 2 "done 2"`).tools("chatty", "chatty")
	}
	return []webCase{
		{rule: "HTTP-STREAM-RELATED", why: "another call's progress", want: Fail, fails: "HTTP-STREAM-RELATED", side: history.Server, script: mixed("8")},
		{rule: "HTTP-STREAM-RELATED", why: "of one id", want: Pass, fails: "ID-NO-REUSE-L", uncounted: whyUnclearID, script: mixed("7")},
	}
}

func TestReusedIDsOverHTTP(t *testing.T) {
	runWeb(t, reusedCases())
	runWeb(t, mixedProgress())
}
func TestNoticesWithIDs(t *testing.T)     { runWeb(t, noticedCases()) }
func TestRefusedByStatus(t *testing.T)    { runWeb(t, refusedCases()) }
func TestBlurredTokenHolder(t *testing.T) { runWeb(t, blurredCases()) }
