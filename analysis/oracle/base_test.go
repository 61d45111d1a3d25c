package oracle

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

func baseCases() map[string][]ruleCase {
	silent := running + cancelled + `server end 1 canceled`
	again := "\n" + `50 client > {"id":11,"method":"tools/list"}
		60 server < {"id":11,"method":"tools/list"}; > {"id":11,"result":{}}
		70 client < {"id":11,"result":{}}`
	oneOf := func(text string) script { return script{version: "2025-06-18", text: text} }
	return map[string][]ruleCase{
		"ID-NO-REUSE-L": {{
			why: "three ids", want: Pass, checked: 2, script: legacyCase(asked), // the call's and the probe's
		}, {
			why: "after the response", want: Fail, checked: 3, fails: "ID-NO-REUSE-L", side: history.Client, script: legacyCase(asked + again),
		}, {
			why: "of a cancelled call", want: Fail, checked: 3, fails: "ID-NO-REUSE-L", side: history.Client, script: legacyCase(silent + again),
		}, {
			why: "7 is not \"7\"", want: Pass, checked: 3, script: legacyCase(asked + `50 client > {"id":"11","method":"tools/list"}`),
		}, {
			why: "each side counts for itself", want: Pass, checked: 3, script: legacyCase(running + `25 server > {"id":11,"method":"ping"}; end 1 "done 1"; > result 1
				28 client < result 1; return 1 "done 1"`),
		}, {
			why: "null is no id", want: Pass, checked: 2, fails: "ID-NOT-NULL",
			script: legacyCase(asked + `50 client > {"id":null,"method":"tools/list"}; > {"id":null,"method":"tools/list"}`),
		}},
		"ID-NO-REUSE-M": {{
			why: "two ids", want: Pass, checked: 2, script: modernCase(asked),
		}, {
			why: "after the response is legal", want: Pass, checked: 3, script: modernCase(asked + again),
		}, {
			why: "of a cancelled call that was never answered", want: Fail, checked: 3, fails: "ID-NO-REUSE-M", side: history.Client,
			script: modernCase(silent + again),
		}, {
			why: "when the response is under way", want: Fail, checked: 3, fails: "ID-NO-REUSE-M",
			script: modernCase(running + `25 server end 1 "done 1"; > result 1
				26 client > {"id":11,"method":"tools/list"}
				28 client < result 1; return 1 "done 1"`),
		}, {
			why: "before 2026-07-28 another rule asks more", want: Vacuous, fails: "ID-NO-REUSE-L", script: legacyCase(silent + again),
		}},
		"ID-NOT-NULL": {{
			why: "none asked", want: Vacuous, script: script{bare: true, text: greeting},
		}, {
			why: "ids", want: Pass, checked: 2, script: legacyCase(asked),
		}, {
			why: "null", want: Fail, checked: 3, fails: "ID-NOT-NULL", side: history.Client, script: modernCase(asked + `50 client > {"id":null,"method":"tools/list"}`),
		}, {
			why: "a reply to what could not be read", want: Pass, checked: 2,
			script: legacyCase(asked + `50 server > {"id":null,"error":{"code":-32700,"message":"what"}}`),
		}},
		"ID-TYPE": {{
			why: "none asked", want: Vacuous, script: script{bare: true, text: greeting},
		}, {
			why: "integers and strings", want: Pass, checked: 3, script: legacyCase(asked + `50 client > {"id":"1.5","method":"tools/list"}`),
		}, {
			why: "a fraction", want: Fail, checked: 3, fails: "ID-TYPE", side: history.Client, script: modernCase(asked + `50 client > {"id":1.5,"method":"tools/list"}`),
		}, {
			why: "a whole number in another form", want: Pass, checked: 3, script: legacyCase(asked + `50 client > {"id":7.0,"method":"tools/list"}`),
		}, {
			why: "a ping that could not be answered is not missed", want: Fail, checked: 3, fails: "ID-TYPE",
			script: legacyCase(asked + `50 client > {"id":1.5,"method":"ping"}
				60 server < {"id":1.5,"method":"ping"}`),
		}},
		"RESP-SAME-ID": {{
			why: "no response", want: Vacuous, script: script{bare: true, text: greeting + running},
		}, {
			why: "its own", want: Pass, checked: 2, script: legacyCase(asked),
		}, {
			why: "as another type", want: Fail, checked: 2, fails: "RESP-SAME-ID", side: history.Server,
			script: legacyCase(running + `25 server end 1 "done 1"; > {"id":"11","result":{}}`),
		}, {
			why: "a number for a string", want: Fail, checked: 2, fails: "RESP-SAME-ID", side: history.Server,
			script: modernCase(`10 client > {"id":"7","method":"tools/list"}
				20 server < {"id":"7","method":"tools/list"}; > {"id":7,"result":{}}`),
		}, {
			why: "made up", want: Fail, checked: 3, fails: "RESP-SAME-ID", script: legacyCase(asked + `50 server > {"id":77,"result":{}}`),
		}, {
			why: "to what could not be read", want: Pass, checked: 2, uncounted: whyUnreadable,
			script: legacyCase(asked + `50 server > {"error":{"code":-32700,"message":"what"}}`),
		}, {
			why: "to a cancel: what is wrong is that it was answered", want: Pass, checked: 2, uncounted: whyNamedByCancel, fails: "CANCEL-ONLY-ISSUED (CANCEL-INVALID-IGNORED) CANCEL-NO-REPLY",
			script: legacyCase(asked + `50 client > cancel id 99
				60 server < cancel id 99; > {"id":99,"error":{"code":-32600,"message":"what"}}`),
		}, {
			why: "a client answers a server, under another type", want: Fail, checked: 3, fails: "RESP-SAME-ID", side: history.Client,
			script: legacyCase(asked + `50 server > {"id":1,"method":"ping"}
				60 client < {"id":1,"method":"ping"}; > {"id":"1","result":{}}`),
		}},
		"RESP-ONE-OF": {{
			why: "no response", want: Vacuous, script: script{version: "2025-06-18", bare: true, text: greeting},
		}, {
			why: "a result", want: Pass, checked: 2, script: oneOf(asked),
		}, {
			why: "both", want: Fail, checked: 3, fails: "RESP-ONE-OF", side: history.Server,
			script: oneOf(asked + `50 server > {"id":11,"result":{},"error":{"code":1,"message":"no"}}`),
		}, {
			why: "null is none", want: Pass, checked: 2, script: oneOf(asked + `50 server > {"id":11,"result":{},"error":null}`),
		}, {
			why: "later versions say it in other words", want: Vacuous,
			script: legacyCase(asked + `50 server > {"id":11,"result":{},"error":{"code":1,"message":"no"}}`),
		}},
		"SERVER-NO-REQUESTS": {{
			why: "who asks and who answers", want: Pass, checked: 4, script: modernCase(asked),
		}, {
			why: "a server asks", want: Fail, checked: 5, fails: "SERVER-NO-REQUESTS", side: history.Server,
			script: modernCase(asked + `50 server > {"id":1,"method":"roots/list"}`),
		}, {
			why: "a client answers, though nobody asked", want: Fail, checked: 5, fails: "SERVER-NO-REQUESTS", side: history.Client,
			script: modernCase(asked + `50 client > {"id":1,"result":{}}`),
		}, {
			why: "a legacy server may ask", want: Vacuous, script: legacyCase(asked + `50 server > {"id":1,"method":"ping"}
				51 client < {"id":1,"method":"ping"}; > {"id":1,"result":{}}`),
		}},
	}
}

func TestBase(t *testing.T) {
	for rule, cases := range baseCases() {
		t.Run(rule, func(t *testing.T) { runRule(t, rule, cases) })
	}
}

// What is in a batch, nobody sorts in; nobody is accused because of that.
func TestBatches(t *testing.T) {
	batch := `[{"id":5,"method":"tools/list"},{"id":6,"method":"tools/list","params":{"_meta":{"progressToken":"b"}}}]`
	text := `10 client > ` + batch + `
		20 server < ` + batch + `; > {"id":5,"result":{}}; > {"method":"notifications/progress","params":{"progressToken":"b","progress":1}}
		30 client > {"method":"notifications/cancelled","params":{"requestId":6}}`
	j := Judge(script{version: "2025-03-26", text: text}.history(t))
	assert.Empty(t, failing(j))
	for _, rule := range []string{"RESP-SAME-ID", "PROGRESS-ACTIVE", "CANCEL-ONLY-ISSUED"} {
		assert.Equal(t, []Uncounted{{Why: whyBatched, N: 1}}, verdictOf(t, j, rule).Uncounted, rule)
	}
	hungUp := script{version: "2025-03-26", bare: true, text: greeting + `10 client > ` + batch + `
		20 server < ` + batch + `; hangup; served
		30 client eof; close; hangup; closed`}
	assert.Equal(t, "SESSION-SURVIVES", failing(Judge(hungUp.history(t))), "a receiver has to understand them")
	hungUp.version = legacyVersion
	assert.Empty(t, failing(Judge(hungUp.history(t))), "later versions have none")
}

func TestOtherType(t *testing.T) {
	for id, want := range map[string]string{`7`: `"7"`, `"7"`: `7`, `"a b"`: `a b`, `null`: "", "": ""} {
		assert.Equal(t, want, otherType(id), id)
	}
}
