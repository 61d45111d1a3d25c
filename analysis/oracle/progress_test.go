package oracle

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

func progressCases() map[string][]ruleCase {
	const (
		one  = `{"method":"notifications/progress","params":{"progressToken":"p1","progress":1}}`
		two  = `{"method":"notifications/progress","params":{"progressToken":"p1","progress":2}}`
		none = `{"method":"notifications/progress","params":{"progressToken":"p1"}}`
		log  = `{"method":"notifications/message","params":{"level":"info","data":"x"}}`
	)
	end := "\n" + `25 server end 1 "done 1"; > result 1
		28 client < result 1; return 1 "done 1"` + "\n"
	sharing := `10 client issue 1; > call 1
		20 server < call 1; start 1
		22 client > {"id":50,"method":"tools/list","params":{"_meta":{"progressToken":"p1"}}}
		23 server < {"id":50,"method":"tools/list","params":{"_meta":{"progressToken":"p1"}}}
		24 server > ` + two + `; > ` + one + `
		25 server end 1 "done 1"; > result 1; > ` + two + `
		28 client < result 1; return 1 "done 1"`
	return map[string][]ruleCase{
		"PROGRESS-ACTIVE": {{
			why: "no progress", want: Vacuous, script: legacyCase(asked),
		}, {
			why: "of a call at work", want: Pass, checked: 1, script: legacyCase(running + `22 server > ` + one + end),
		}, {
			why: "under a token that nobody gave", want: Fail, checked: 1, fails: "PROGRESS-ACTIVE", side: history.Server,
			script: modernCase(running + `22 server > {"method":"notifications/progress","params":{"progressToken":1,"progress":1}}` + end),
		}, {
			why: "before the request was read", want: Fail, checked: 1, fails: "PROGRESS-ACTIVE", side: history.Server,
			script: legacyCase(`10 client issue 1; > call 1
				12 server > ` + one + `
				20 server < call 1; start 1` + end),
		}, {
			why: "under no token", want: Fail, checked: 1, fails: "PROGRESS-ACTIVE",
			script: legacyCase(running + `22 server > {"method":"notifications/progress","params":{"progress":1}}` + end),
		}, {
			why: "after the response: the stricter rule's", want: Fail, checked: 1, fails: "(PROGRESS-ACTIVE) PROGRESS-STOP",
			script: legacyCase(running + end + `30 server > ` + one),
		}, {
			why: "beside one of its own", want: Fail, checked: 1, fails: "PROGRESS-ACTIVE PROGRESS-STOP", uncounted: whyUnderStop,
			script: legacyCase(running + end + `30 server > ` + one + `; > {"method":"notifications/progress","params":{"progressToken":1,"progress":1}}`),
		}, {
			why: "under a token that two active requests gave", want: Vacuous, uncounted: whySharedToken, fails: "PROGRESS-TOKEN-UNIQUE",
			script: legacyCase(sharing),
		}},
		"PROGRESS-STOP": {{
			why: "no progress", want: Vacuous, script: legacyCase(asked),
		}, {
			why: "before the response", want: Pass, checked: 1, script: legacyCase(running + `22 server > ` + one + end),
		}, {
			why: "delivered after the response, and written before", want: Pass, checked: 1,
			script: legacyCase(running + `25 server > ` + one + `; end 1 "done 1"; > result 1
				28 client < result 1; return 1 "done 1"; < ` + one),
		}, {
			why: "behind the response, in one instant", want: Fail, checked: 1, fails: "(PROGRESS-ACTIVE) PROGRESS-STOP", side: history.Server,
			script: modernCase(running + `25 server end 1 "done 1"; > result 1; > ` + one + `
				28 client < result 1; return 1 "done 1"`),
		}, {
			why: "of a task that had begun", want: Vacuous, uncounted: whyTaskRuns,
			script: legacyCase(running + `25 server end 1 "done 1"; > {"id":11,"result":{"task":{"taskId":"t","status":"working"}}}
				30 server > ` + one),
		}, {
			why: "a token that is used again belongs to the later request", want: Pass, checked: 1,
			script: legacyCase(asked + `30 client > {"id":50,"method":"tools/list","params":{"_meta":{"progressToken":"p1"}}}
				40 server < {"id":50,"method":"tools/list","params":{"_meta":{"progressToken":"p1"}}}; > ` + one),
		}, {
			why: "under a token that two active requests gave", want: Vacuous, uncounted: whySharedToken, fails: "PROGRESS-TOKEN-UNIQUE",
			script: legacyCase(sharing),
		}},
		"PROGRESS-MONOTONE": {{
			why: "no progress", want: Vacuous, script: legacyCase(asked),
		}, {
			why: "it grows", want: Pass, checked: 2, script: legacyCase(running + `22 server > ` + one + `; > ` + two + end),
		}, {
			why: "it stays", want: Fail, checked: 2, fails: "PROGRESS-MONOTONE", side: history.Server,
			script: modernCase(running + `22 server > ` + one + `; > ` + one + end),
		}, {
			why: "it falls", want: Fail, checked: 2, fails: "PROGRESS-MONOTONE",
			script: legacyCase(running + `22 server > ` + two + `; > ` + one + end),
		}, {
			why: "no figure is not compared", want: Pass, checked: 2, script: legacyCase(running + `22 server > ` + one + `; > ` + none + `; > ` + two + end),
		}, {
			why: "under a token that two active requests gave", want: Vacuous, uncounted: whySharedToken, fails: "PROGRESS-TOKEN-UNIQUE",
			script: legacyCase(sharing),
		}},
		"PROGRESS-TOKEN-UNIQUE": {{
			why: "no token", want: Vacuous, script: legacyCase(""),
		}, {
			why: "one", want: Pass, checked: 1, script: legacyCase(asked),
		}, {
			why: "two requests at a time", want: Fail, checked: 2, fails: "PROGRESS-TOKEN-UNIQUE", side: history.Client, script: modernCase(sharing),
		}, {
			why: "one after the other", want: Pass, checked: 2,
			script: legacyCase(asked + `30 client > {"id":50,"method":"tools/list","params":{"_meta":{"progressToken":"p1"}}}`),
		}, {
			why: "the earlier was given up", want: Pass, checked: 1, uncounted: whyGivenUpToken,
			script: modernCase(running + cancelled + `server end 1 canceled
				50 client > {"id":50,"method":"tools/list","params":{"_meta":{"progressToken":"p1"}}}`),
		}},
		"LOG-OPT-IN": {{
			why: "nobody asked, nothing came", want: Pass, checked: 2, script: modernCase(asked),
		}, {
			why: "nobody asked", want: Fail, checked: 3, fails: "LOG-OPT-IN", side: history.Server, script: modernCase(asked + `30 server > ` + log),
		}, {
			why: "somebody asked", want: Vacuous, uncounted: whyLogsAsked,
			script: modernCase(`10 client > {"id":50,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/logLevel":"info"}}}
				20 server < {"id":50,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/logLevel":"info"}}}; > ` + log),
		}, {
			why: "before 2026-07-28 a server may log", want: Vacuous, script: legacyCase(asked + `30 server > ` + log),
		}},
	}
}

func TestProgress(t *testing.T) {
	for rule, cases := range progressCases() {
		t.Run(rule, func(t *testing.T) { runRule(t, rule, cases) })
	}
}

// Whose progress it is does not show where two active requests have one token, so
// that none of it is held against a server as progress after a cancel.
func TestSharedTokensConvictNobodyOfLateProgress(t *testing.T) {
	text := running + `22 client issue 2; > {"id":50,"method":"tools/call","params":{"arguments":{"call":2},"_meta":{"progressToken":"p1"}}}
		23 server < {"id":50,"method":"tools/call","params":{"arguments":{"call":2},"_meta":{"progressToken":"p1"}}}; start 2
		30 client cancel 2; > {"method":"notifications/cancelled","params":{"requestId":50}}; return 2 canceled
		40 server < {"method":"notifications/cancelled","params":{"requestId":50}}; told 2; end 2 canceled
		50 server progress 1 "1"; > progress 1
		60 server end 1 "done 1"; > result 1
		70 client < result 1; return 1 "done 1"`
	for _, version := range []string{legacyVersion, modernVersion} {
		j := Judge(script{version: version, handlers: []string{"chatty", "chatty"}, text: text}.history(t))
		assert.Equal(t, "PROGRESS-TOKEN-UNIQUE", failing(j), version)
	}
}

// A token that one request still has is shared by a third, though the second is over.
func TestATokenIsSharedUntilAllAreOver(t *testing.T) {
	ask := func(id int) string {
		return fmt.Sprintf(`{"id":%d,"method":"tools/list","params":{"_meta":{"progressToken":"p1"}}}`, id)
	}
	text := running + "22 client > " + ask(50) + "\n23 server < " + ask(50) + `; > {"id":50,"result":{}}
		24 client < {"id":50,"result":{}}; > ` + ask(51) + `
		25 server progress 1 "1"; > progress 1; end 1 "done 1"; > result 1
		28 client < result 1; return 1 "done 1"`
	assert.Equal(t, "PROGRESS-TOKEN-UNIQUE", failing(Judge(script{text: text}.history(t))), "the progress was of the first")
}

func TestFigures(t *testing.T) {
	for raw, want := range map[string]float64{
		`{"params":{"progress":0.5}}`: 0.5, `{"params":{"progress":0}}`: 0, `{"params":{"progress":1e3}}`: 1000,
		`{"params":{"progress" : 7 ,"message":"none"}}`: 7, `{"params":{"message":"progress","progress":3}}`: 3,
		`{"params":{"progress":2,"total":9}}`: 2, `{"params":{"message":"\"progress\":5","progress":4}}`: 4,
	} {
		got, ok := figureOf(raw)
		assert.True(t, ok, raw)
		assert.InDelta(t, want, got, 0, raw)
	}
	for _, raw := range []string{`{}`, `{"params":{"progress":"1"}}`, `{"params":{"progress":null}}`, `{"params":{"message":"progress"}}`,
		`{"params":{"progress":NaN}}`, `{"params":{"progress":Inf}}`, `{"params":{"progress":}}`, `{"params":{"progress":0x1p4}}`, `[`, ``} {
		_, ok := figureOf(raw)
		assert.False(t, ok, raw)
	}
}
