package oracle

import (
	"strings"
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// What a server asks of the client by a stream that is gone when it should cancel it.
func nestedOverHTTP() []webCase {
	asks := `10 client issue 1; > call 1
		20 server < call 1; start 1; issue 2; > call 2 on call 1
		25 client < call 2 on call 1; start 2
		30 client cancel 1; > cancel 1; return 1 canceled
		`
	unanswered := `120 client end 2 "x"; > result 2
		130 server < result 2`
	held := asks + "35 server >> progress 1\n"
	nested := func(text string) webScript {
		s := legacyWeb(text).tools("asking")
		s.nested = []string{"cooperative"}
		return s
	}
	return []webCase{{
		rule: nestedRule, why: "cancelled on the stream", want: Pass,
		script: nested(asks + `40 server < cancel 1; told 1; cancel 2; > cancel 2 on call 1; return 2 canceled; end 1 canceled
			50 client < cancel 2 on call 1; told 2; end 2 canceled`),
	}, {
		rule: nestedRule, why: "the stream was open", want: Fail, fails: nestedRule, side: history.Server,
		script: nested(asks + `40 server < cancel 1; told 1; cancel 2; return 2 canceled; end 1 canceled
			` + unanswered),
	}, {
		rule: nestedRule, why: "it was closed later", want: Fail, fails: nestedRule, side: history.Server,
		script: nested(asks + `40 server < cancel 1; told 1; cancel 2; return 2 canceled; end 1 canceled
			45 server finish call 1
			46 client finish call 1
			` + unanswered),
	}, {
		rule: nestedRule, why: "the server ended the stream, as it may, and there is no other (Q4)", want: Vacuous, uncounted: whyNoStream,
		script: nested(asks + `40 server < cancel 1; told 1; cancel 2; return 2 canceled; end 1 canceled; finish call 1
			41 client finish call 1
			` + unanswered),
	}, {
		rule: nestedRule, why: "the server ended it with an answer, and had asked by it", want: Fail, fails: nestedRule, side: history.Server,
		script: nested(asks + `40 server < cancel 1; told 1; cancel 2; return 2 canceled; end 1 canceled; > error 1 on call 1; finish call 1
			41 client < error 1 on call 1; finish call 1
			` + unanswered),
	}, {
		rule: nestedRule, why: "the client had dropped it", want: Vacuous, uncounted: whyNoStream,
		script: nested(asks+`40 server < cancel 1; told 1; cancel 2; return 2 canceled; end 1 canceled; gone call 1; finish call 1
			`+unanswered).replaced("return 1 canceled", "drop call 1; return 1 canceled"),
	}, {
		rule: nestedRule, why: "and had another one open, by GET, which is not for it", want: Vacuous, uncounted: whyNoStream,
		script: nested("5 client open g\n6 server serve g\n"+asks+`40 server < cancel 1; told 1; cancel 2; return 2 canceled; end 1 canceled; gone call 1; finish call 1
			`+unanswered).replaced("return 1 canceled", "drop call 1; return 1 canceled"),
	}, {
		rule: nestedRule, why: "the network had not taken what the server was writing to that stream", want: Vacuous, uncounted: whyWriterHeld,
		script: nested(held + `40 server < cancel 1; told 1; cancel 2; return 2 canceled; end 1 canceled
			` + unanswered).bareGreeted(),
	}, {
		rule: nestedRule, why: "it took it, and there was time", want: Fail, fails: nestedRule,
		script: nested(held + `40 server < cancel 1; told 1; cancel 2; return 2 canceled; end 1 canceled
			50 server . progress 1
			` + unanswered).bareGreeted(),
	}, {
		rule: nestedRule, why: "it had taken it before", want: Fail, fails: nestedRule,
		script: nested(held + `39 server . progress 1
			40 server < cancel 1; told 1; cancel 2; return 2 canceled; end 1 canceled
			` + unanswered).bareGreeted(),
	}, {
		rule: nestedRule, why: "it had not taken what goes by another stream", want: Fail, fails: nestedRule,
		script: nested("5 client open g\n6 server serve g\n"+held+`40 server < cancel 1; told 1; cancel 2; return 2 canceled; end 1 canceled
			`+unanswered).replaced(">> progress 1", ">> progress 1 on g").bareGreeted(),
	}, {
		rule: nestedRule, why: "the server had asked by that", want: Fail, fails: nestedRule,
		script: nested("5 client open g\n6 server serve g\n"+asks+`40 server < cancel 1; told 1; cancel 2; return 2 canceled; end 1 canceled; gone call 1; finish call 1
			`+unanswered).replaced("return 1 canceled", "drop call 1; return 1 canceled").replaced("> call 2 on call 1", "> call 2 on g").replaced("< call 2 on call 1", "< call 2 on g"),
	}}
}

// A request that waited for its turn when its stream was broken off.
func droppedCases() []webCase {
	queued := `10 client issue 1; > call 1
		20 server < call 1
		30 world fault call 1 cut
		31 client finish call 1 reset; return 1 reset
		32 server gone call 1`
	late := queued + `
		400 server start 1; end 1 "done 1"; finish call 1`
	return []webCase{{
		rule: "REQUEST-DISPATCHED", why: "its turn never came", want: Fail, fails: "REQUEST-DISPATCHED", side: history.Server,
		script: legacyWeb(queued),
	}, {
		rule: "REQUEST-DISPATCHED", why: "its turn came", want: Pass,
		script: legacyWeb(late),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the world ended soon", want: Vacuous,
		script: legacyWeb(queued + `
			200 world quiet
			210 client close; delete d
			211 server serve d 204
			212 client finish d; closed`).bareGreeted(),
	}, {
		rule: "REQUEST-DISPATCHED", why: "it was cancelled, too", want: Vacuous,
		script: legacyWeb(queued).replaced("30 world", "25 client cancel 1; > cancel 1\n30 world").replaced("return 1 reset", "return 1 canceled").replaced("32 server gone call 1", "32 server < cancel 1; gone call 1; finish call 1"),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the caller had given up, of which the server knew nothing", want: Fail, fails: "REQUEST-DISPATCHED CANCEL-HTTP-EXPLICIT",
		script: legacyWeb(`10 client issue 1; > call 1
			20 server < call 1
			30 client cancel 1; drop call 1; return 1 canceled
			32 server gone call 1; finish call 1`),
	}, {
		rule: "REQUEST-DISPATCHED", why: "the session was gone", want: Vacuous,
		script: legacyWeb(queued + `
			` + sessionGone + closedWithout).bareGreeted(),
	}, {
		rule: "REQUEST-DISPATCHED", why: "since 2026-07-28 that is a cancel", want: Vacuous,
		script: modernWeb(queued + "; finish call 1"),
	}}
}

// One message on two streams that a client has opened by GET.
func doubledCases() []webCase {
	const said = `{"method":"notifications/tools/list_changed"}`
	gets := `5 client open g; open h
		6 server serve g; serve h
		`
	both := func(first, second string) webScript {
		return legacyWeb(gets + webRunning + "30 server > " + said + " on g" + first + "; > " + said + " on h" + second + `
			35 client < ` + said + " on g" + first + "; < " + said + " on h" + second + "\n" + webAnswered)
	}
	return []webCase{{
		rule: "HTTP-NO-BROADCAST", why: "one event of one id", want: Fail, fails: "HTTP-NO-BROADCAST (HTTP-EVENT-ID)", side: history.Server,
		script: both(" # e1", " # e1"),
	}, {
		rule: "HTTP-NO-BROADCAST", why: "two of two ids, which may be of two changes", want: Pass,
		script: both(" # e1", " # e2"),
	}, {
		rule: "HTTP-NO-BROADCAST", why: "without ids it may be two, too", want: Pass,
		script: both("", ""),
	}, {
		rule: "HTTP-NO-BROADCAST", why: "one id for two events", want: Pass, fails: "HTTP-EVENT-ID",
		script: both(" # e1", " # e1").replaced("; > "+said, `; > {"method":"notifications/prompts/list_changed"}`).replaced("; < "+said, `; < {"method":"notifications/prompts/list_changed"}`),
	}, {
		rule: "HTTP-NO-BROADCAST", why: "when the first stream was gone", want: Pass, fails: "HTTP-EVENT-ID",
		script: both(" # e1", " # e1").replaced("; > "+said, "\n32 client drop g\n33 server gone g; > "+said).replaced("< "+said+" on g # e1; ", ""),
	}}
}

func moreWebCases() []webCase {
	listened := func(s webScript) webScript {
		s.method, s.handlers = listenMethod, []string{"", ""}
		return s.bareGreeted()
	}
	cut := `10 client issue 1; > listen 1
		20 server < listen 1; > ack 1 on listen 1
		30 client < ack 1 on listen 1
		40 world fault listen 1 cut
		41 client finish listen 1 reset
		42 server gone listen 1; finish listen 1
		`
	again := `{"id":77,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`
	shared := func(token, on string) webScript {
		twin := strings.Replace(twin, "p1", token, 1)
		on = strings.Replace(on, "twin", twin, 1)
		return legacyWeb(`10 client issue 1; > call 1; > ` + twin + `; > ` + listed + `
			20 server < call 1; start 1; < ` + twin + `; < ` + listed + `
			30 server > progress 1 on ` + on + `
			35 client < progress 1 on ` + on + `
			40 server > {"id":78,"result":{}} on ` + twin + `; > {"id":9,"result":{}} on ` + listed + `
			41 client < {"id":78,"result":{}} on ` + twin + `; < {"id":9,"result":{}} on ` + listed + `
			` + webAnswered).tools("chatty")
	}
	return []webCase{{
		rule: "CALLER-UNBLOCKS", why: "a subscription whose stream was cut, and that is made again", want: Vacuous,
		script: listened(modernWeb(cut + `50 client > ` + again + `
			60 server < ` + again + `; > {"method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":77},"notifications":{"toolsListChanged":true}}} on ` + again + `
			70 client < {"method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":77},"notifications":{"toolsListChanged":true}}} on ` + again + `
			60000 world horizon`)),
	}, {
		rule: "CALLER-UNBLOCKS", why: "or that is not, yet", want: Vacuous,
		script: listened(modernWeb(cut + `60000 world horizon`)),
	}, {
		rule: "CALLER-UNBLOCKS", why: "one whose caller gave up, and waits", want: Fail, fails: "CALLER-UNBLOCKS",
		script: listened(modernWeb(cut + `50 client cancel 1
			60000 world horizon`)),
	}, {
		rule: "HTTP-STREAM-RELATED", why: "a token that two calls have, on the stream of one", want: Pass, fails: "PROGRESS-TOKEN-UNIQUE",
		script: shared("p1", "call 1"),
	}, {
		rule: "HTTP-STREAM-RELATED", why: "or of the other", want: Pass, fails: "PROGRESS-TOKEN-UNIQUE",
		script: shared("p1", "twin"),
	}, {
		rule: "HTTP-STREAM-RELATED", why: "or of a third", want: Pass, uncounted: whySharedToken, fails: "PROGRESS-TOKEN-UNIQUE",
		script: shared("p1", listed),
	}, {
		rule: "HTTP-STREAM-RELATED", why: "a token that only another has", want: Fail, fails: "HTTP-STREAM-RELATED",
		script: shared("p7", listed),
	}}
}

// twin is a request with the progress token of call 1.
const twin = `{"id":78,"method":"prompts/list","params":{"_meta":{"progressToken":"p1"}}}`

func TestNestedOverHTTP(t *testing.T) { runWeb(t, nestedOverHTTP()) }
func TestDroppedInQueue(t *testing.T) { runWeb(t, droppedCases()) }
func TestDoubled(t *testing.T)        { runWeb(t, doubledCases()) }
func TestMoreOverHTTP(t *testing.T)   { runWeb(t, moreWebCases()) }
