package oracle

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

// asked is a call that is answered.
const asked = running + `
	25 server end 1 "done 1"; > result 1
	28 client < result 1; return 1 "done 1"
`

// legacyCase and modernCase are rows about one version.
func legacyCase(text string) script { return script{text: text} }
func modernCase(text string) script { return script{version: modernVersion, text: text} }

func aimCases() map[string][]ruleCase {
	silent := running + cancelled + `server end 1 canceled`
	return map[string][]ruleCase{
		"CANCEL-SAME-DIRECTION": {{
			why: "no cancel", want: Vacuous, script: legacyCase(asked),
		}, {
			why: "a cancel of the client's own call", want: Pass, checked: 1, script: legacyCase(silent),
		}, {
			why: "a server cancels what the client asked", want: Fail, checked: 1, side: history.Server,
			fails:  "(CANCEL-ONLY-ISSUED) CANCEL-SAME-DIRECTION",
			script: legacyCase(running + `30 server > cancel 1; end 1 "done 1"; > result 1`),
		}, {
			why: "a server cancels its own ping, which has the id of a call as well", want: Pass, checked: 1,
			script: legacyCase(running + `30 server > {"id":11,"method":"ping"}; > cancel 1; end 1 "done 1"; > result 1
				40 client < {"id":11,"method":"ping"}; < cancel 1; < result 1; return 1 "done 1"`),
		}, {
			why: "an id of the client's that the server has not read yet is one that it made up", want: Vacuous, fails: "CANCEL-ONLY-ISSUED",
			script: legacyCase(`10 client issue 1; > call 1
				11 server > cancel 1
				20 server < call 1; start 1; end 1 "done 1"; > result 1
				30 client < result 1; return 1 "done 1"`),
		}, {
			why: "since 2026-07-28 the same act is another rule's", want: Vacuous, fails: "CANCEL-SERVER-FORBIDDEN",
			script: modernCase(running + `30 server > cancel 1; end 1 "done 1"; > result 1`),
		}},
		"CANCEL-ONLY-INPROGRESS": {{
			why: "no cancel", want: Vacuous, script: legacyCase(asked),
		}, {
			why: "a pending call", want: Pass, checked: 1, script: legacyCase(silent),
		}, {
			why: "a call whose value the caller has", want: Fail, checked: 1, fails: "CANCEL-ONLY-INPROGRESS", side: history.Client,
			script: legacyCase(asked + `40 client > cancel 1`),
		}, {
			why: "in the same instant, but nobody had given it up and the order is plain", want: Fail, checked: 1, fails: "CANCEL-ONLY-INPROGRESS",
			script: modernCase(asked + `client > cancel 1`),
		}, {
			why: "the response had been read and not been handed over", want: Pass, checked: 1, uncounted: whyNotHandedOver,
			script: legacyCase(running + `25 server end 1 "done 1"; > result 1
				28 client < result 1; > cancel 1; return 1 "done 1"`),
		}, {
			why: "the caller had given up, and was given the value", want: Vacuous, uncounted: whyBelieved,
			script: legacyCase(running + `25 server end 1 "done 1"; > result 1
				28 client < result 1; cancel 1; return 1 "done 1"; > cancel 1`),
		}, {
			why: "a call that had failed", want: Pass, checked: 1,
			script: legacyCase(running + `28 client cancel 1; return 1 canceled
				30 client > cancel 1`),
		}, {
			why: "repeated cancels are judged once", want: Pass, checked: 1, script: legacyCase(silent + `
				50 client > cancel 1`),
		}},
		"CANCEL-INIT": {{
			why: "a handshake", want: Pass, checked: 1, script: script{bare: true, text: shaken},
		}, {
			why: "cancelled", want: Fail, checked: 1, fails: "CANCEL-INIT", side: history.Client,
			script: script{bare: true, text: `0 client connect; > {"id":1,"method":"initialize"}; > {"method":"notifications/cancelled","params":{"requestId":1}}` + "\n" + shakenRest},
		}, {
			why: "server/discover is an ordinary request", want: Vacuous,
			script: script{version: modernVersion, bare: true, text: `0 client connect; > {"id":1,"method":"server/discover"}; > {"method":"notifications/cancelled","params":{"requestId":1}}`},
		}, {
			why: "no handshake was seen", want: Vacuous, script: legacyCase(asked),
		}},
		"CANCEL-SERVER-FORBIDDEN": {{
			why: "what a server may send", want: Pass, checked: 2, script: modernCase(asked), // the result and the pong
		}, {
			why: "a cancel of the client's call", want: Fail, checked: 3, fails: "CANCEL-SERVER-FORBIDDEN", side: history.Server,
			script: modernCase(running + `30 server > cancel 1; end 1 "done 1"; > result 1`),
		}, {
			why: "a cancel of nothing", want: Fail, checked: 2, fails: "CANCEL-SERVER-FORBIDDEN", side: history.Server,
			script: modernCase(`30 server > cancel id 99`),
		}, {
			why: "the end of a subscription", want: Pass, checked: 1, uncounted: whyEndsListen,
			script: modernCase(`10 client > {"id":"s","method":"subscriptions/listen"}
				20 server < {"id":"s","method":"subscriptions/listen"}
				30 server > {"method":"notifications/cancelled","params":{"requestId":"s"}}`),
		}, {
			why: "a legacy server cancels what it asked itself", want: Vacuous,
			script: legacyCase(`10 server > {"id":1,"method":"ping"}; > {"method":"notifications/cancelled","params":{"requestId":1}}`),
		}},
		"CANCEL-HAS-ID": {{
			why: "no cancel", want: Vacuous, script: legacyCase(asked),
		}, {
			why: "an id", want: Pass, checked: 1, script: legacyCase(silent),
		}, {
			why: "none", want: Fail, checked: 1, fails: "CANCEL-HAS-ID", side: history.Client, script: legacyCase(`10 client > cancel id`),
		}, {
			why: "null", want: Fail, checked: 1, fails: "CANCEL-HAS-ID", script: modernCase(`10 client > cancel id null`),
		}, {
			why: "a fraction", want: Fail, checked: 1, fails: "CANCEL-HAS-ID", script: legacyCase(`10 client > cancel id 7.5`),
		}},
		"CANCEL-NO-RPC-ID": {{
			why: "no cancel", want: Vacuous, script: legacyCase(asked),
		}, {
			why: "a notification", want: Pass, checked: 1, script: legacyCase(silent),
		}, {
			why: "a request", want: Fail, checked: 1, fails: "CANCEL-NO-RPC-ID", side: history.Client,
			script: legacyCase(asked + `30 client > {"id":50,"method":"notifications/cancelled","params":{"requestId":11}}`),
		}, {
			why: "null is an id", want: Fail, checked: 1, fails: "CANCEL-NO-RPC-ID",
			script: modernCase(asked + `30 client > {"id":null,"method":"notifications/cancelled","params":{"requestId":11}}`),
		}},
	}
}

// A handshake with its messages.
const (
	shaken     = `0 client connect; > {"id":1,"method":"initialize"}` + "\n" + shakenRest
	shakenRest = `5 server < {"id":1,"method":"initialize"}; > {"id":1,"result":{}}
		9 client < {"id":1,"result":{}}; connected` + farewell
)

// messageCases are those of all rules of messages and ends, in a fixed order.
func messageCases() []ruleCase {
	var out []ruleCase
	for _, cases := range []map[string][]ruleCase{aimCases(), baseCases(), progressCases(), partingCases()} {
		for _, rule := range slices.Sorted(maps.Keys(cases)) {
			out = append(out, cases[rule]...)
		}
	}
	return out
}

func TestAims(t *testing.T) {
	for rule, cases := range aimCases() {
		t.Run(rule, func(t *testing.T) { runRule(t, rule, cases) })
	}
}

func TestWholeNumbersAreIDs(t *testing.T) {
	for raw, want := range map[string]bool{
		`7`: true, `-7`: true, `0`: true, `"7"`: true, `""`: true, `7.0`: true, `7e2`: true, `1.2e30`: true, `12345678901234567890`: true,
		`7.5`: false, `null`: false, `true`: false, `{}`: false, `[7]`: false, ``: false, `1e-1`: false,
	} {
		assert.Equal(t, want, isID(raw), raw)
		assert.Equal(t, !want, (&frame{msg: &history.Message{Ref: raw}}).malformed(), raw)
	}
	for raw, want := range map[string]bool{`7`: true, `"7"`: true, `7.0`: false, `7e2`: false, ``: false, `null`: false} {
		assert.Equal(t, want, plain(raw), raw)
	}
}
