package oracle

import (
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// What is said twice by a server: whether the second is the first once more, by right or
// not, or another one.
func copyCases() []webCase {
	const once, broadcast, reuse, ids = "RESP-ONCE", "HTTP-NO-BROADCAST", "ID-NO-REUSE-L", "HTTP-EVENT-ID"
	withGet := "5 client open g\n6 server serve g\n"
	pair := []string{"cooperative", "cooperative"}
	asked := func(first, second string) webScript {
		return legacyWeb(withGet + `10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2
			30 server > ` + first + `; > ` + second + `
			50 server end 1 "done 1"; > result 1; end 2 "done 2"; > result 2
			60 client < result 1; return 1 "done 1"; < result 2; return 2 "done 2"`).tools(pair...)
	}
	const roots = `{"id":5,"method":"roots/list"} on `
	const sampling = `{"id":5,"method":"sampling/createMessage","params":{}} on `
	// The client resumes a stream that is open, before the response or after it.
	twice := func(after, second string) webScript {
		return legacyWeb(webRunning + `30 server > progress 1 # e1
			35 client < progress 1 # e1
			50 server end 1 "done 1"; >> result 1; . result 1
			55 client ~ result 1` + after + `
			60 server > ` + second + ` on again
			61 client < ` + second + ` on again; return 1 "done 1"
			62 server finish call 1`).tools("chatty")
	}
	byHand := `5 client open g
		6 server serve g
		10 client issue 1; > call 1
		20 server < call 1; status call 1 200; start 1
		`
	const told = `{"method":"notifications/tools/list_changed"}`
	both := func(between string) webScript {
		return legacyWeb("5 client open g; open h\n6 server serve g; serve h\n" + webRunning + "30 server > " + told + " on g # e1\n" + between + "\n40 server > " + told + " on h # e1\n" + webAnswered)
	}
	return []webCase{{
		rule: reuse, why: "two questions under one id, on two streams", want: Fail, fails: reuse, side: history.Server,
		script: asked(roots+"call 1", sampling+"call 2"),
	}, {
		rule: reuse, why: "one question twice on one stream", want: Fail, fails: reuse, script: asked(roots+"call 1", roots+"call 1"),
	}, {
		rule: broadcast, why: "one question on two streams that are open", want: Fail, fails: broadcast, side: history.Server,
		script: asked(roots+"g", roots+"call 2"),
	}, {
		rule: reuse, why: "again when the first stream was broken", want: Pass,
		script: asked(roots+"g", roots+"call 2").replaced("; > "+roots+"call 2", "\n31 client drop g\n32 server gone g; > "+roots+"call 2"),
	}, {
		rule: broadcast, why: "which is no broadcast", want: Pass, uncounted: whyResumed,
		script: asked(roots+"g", roots+"call 2").replaced("; > "+roots+"call 2", "\n31 client drop g\n32 server gone g; > "+roots+"call 2"),
	}, {
		rule: broadcast, why: "the client asked for the rest when the response was written", want: Pass, uncounted: whyResumed,
		script: twice("; open again after e1\n56 server serve again", "result 1"),
	}, {
		rule: once, why: "which is no second response either", want: Pass,
		script: twice("; open again after e1\n56 server serve again", "result 1"),
	}, {
		rule: once, why: "what it gets is another one", want: Fail, fails: once, side: history.Server,
		script: twice("; open again after e1\n56 server serve again", "error 1"),
	}, {
		rule: once, why: "twice by the response that is for it", want: Fail, fails: once,
		script: legacyWeb(byHand + `50 server end 1 "done 1"; > result 1; > result 1; finish call 1
			60 client < result 1; return 1 "done 1"
			1000 world quiet`).bareManually(),
	}, {
		rule: once, why: "another one on another stream that is open", want: Fail, fails: once + " HTTP-RESP-STREAM HTTP-TERMINATE",
		script: legacyWeb(byHand + `50 server end 1 "done 1"; > result 1; > error 1 on g
			60 client < result 1; return 1 "done 1"
			1000 world quiet`).bareManually(),
	}, {
		rule: broadcast, why: "the first stream is open", want: Fail, fails: broadcast + " (" + ids + ")", script: both(""),
	}, {
		rule: broadcast, why: "the network had broken it", want: Pass, fails: ids, script: both("31 world fault g cut"),
	}, {
		rule: broadcast, why: "the client had left it", want: Pass, fails: ids, script: both("31 client finish g"),
	}, {
		rule: broadcast, why: "the server had ended it", want: Pass, fails: ids, script: both("31 server finish g"),
	}, {
		rule: broadcast, why: "the second stream was broken", want: Pass, fails: ids, script: both("31 client drop h"),
	}}
}

func TestCopies(t *testing.T) { runWeb(t, copyCases()) }
