package oracle

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

// withIDs replaces ids, raw JSON, wherever a frame of h has them.
func withIDs(h *history.History, ids map[string]string) *history.History {
	done := map[*history.Message]bool{}
	for _, e := range h.Events {
		if m := e.Msg; m != nil && !done[m] {
			done[m] = true
			if id, ok := ids[m.ID]; ok {
				m.ID = id
			}
			if id, ok := ids[m.Ref]; ok {
				m.Ref = id
			}
		}
	}
	return h
}

// A strayCase is a conversation with the ids that its calls 1 and 2 have, 11 and 12
// in the script.
type strayCase struct {
	why       string
	one, two  string // empty: 11 and 12
	version   string
	text      string
	want      Status
	fails     string
	uncounted string
	side      history.Side
	what      string
}

func runStrays(t *testing.T, rule string, cases []strayCase) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.why, func(t *testing.T) {
			ids := map[string]string{"15": "", "17": `9007199254740992`} // "error 5" is a reply without an id
			if tc.one != "" {
				ids["11"] = tc.one
			}
			if tc.two != "" {
				ids["12"] = tc.two
			}
			h := withIDs(script{version: tc.version, handlers: []string{"cooperative", "cooperative"}, text: tc.text}.history(t), ids)
			j := Judge(h)
			v := verdictOf(t, j, rule)
			assert.Equal(t, tc.want, v.Status)
			assert.Equal(t, tc.fails, failing(j))
			uncounted := ""
			if len(v.Uncounted) > 0 {
				uncounted = v.Uncounted[0].Why
			}
			assert.Equal(t, tc.uncounted, uncounted)
			if tc.side != "" {
				assert.Equal(t, tc.side, v.Side)
			}
			if tc.what != "" && assert.NotEmpty(t, v.Violations) {
				assert.Equal(t, tc.what, v.Violations[0].What)
			}
			requireSound(t, h, j)
			requireAnswers(t, h, j)
		})
	}
}

// Two calls at work.
const bothRunning = `
	10 client issue 1; > call 1; issue 2; > call 2
	20 server < call 1; start 1; < call 2; start 2
`

const twinMistaken = "told the handler of a call at a cancel that names the same digits as the other JSON type"

func TestRightCall(t *testing.T) {
	hitsTwo := bothRunning + `30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1; told 1; end 1 canceled; told 2; end 2 canceled; > error 2
		50 client < error 2; return 2 canceled
	`
	spares := bothRunning + `30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1; told 1; end 1 canceled
		50 server end 2 "done 2"; > result 2
		60 client < result 2; return 2 "done 2"
	`
	over := `10 client issue 1; > call 1
		20 server < call 1; start 1; end 1 "done 1"; > result 1
		30 client < result 1; return 1 "done 1"; > cancel 1
		32 client issue 2; > call 2
		40 server < cancel 1
	`
	runStrays(t, "CANCEL-RIGHT-CALL", []strayCase{
		{why: "ids that nobody confuses", text: spares, want: Vacuous},
		{why: "harm to one whose id resembles nothing is a race's", text: hitsTwo, want: Vacuous, fails: "RACE-GRACEFUL (NO-SPURIOUS-CANCEL)"},
		{why: "the twin is spared", one: `7`, two: `"7"`, text: spares, want: Pass},
		{why: "the twin is hit", one: `7`, two: `"7"`, text: hitsTwo, want: Fail, side: history.Server, what: twinMistaken,
			fails: "(NO-SPURIOUS-CANCEL) CANCEL-RIGHT-CALL"},
		{why: "the number is hit by the string", one: `"7"`, two: `7`, text: hitsTwo, want: Fail, what: twinMistaken,
			fails: "(NO-SPURIOUS-CANCEL) CANCEL-RIGHT-CALL"},
		{why: "a float is no id to compare", one: `9007199254740993`, two: `9007199254740992`, text: hitsTwo, want: Fail,
			what:  "told the handler of a call at a cancel that names another number that is the same as a 64-bit float",
			fails: "(NO-SPURIOUS-CANCEL) CANCEL-RIGHT-CALL"},
		{why: "below 2^53 neighbours differ", one: `9007199254740990`, two: `9007199254740991`, text: hitsTwo, want: Vacuous,
			fails: "RACE-GRACEFUL (NO-SPURIOUS-CANCEL)"},
		{why: "null is not 0", one: `0`, text: bothRunning + `30 client > cancel id null
			40 server < cancel id null; told 1; end 1 canceled; > error 1
			50 client < error 1; return 1 canceled`, want: Fail, what: "told the handler of a call at a cancel that names no id",
			fails: "(NO-SPURIOUS-CANCEL) CANCEL-RIGHT-CALL CANCEL-HAS-ID"},
		{why: "an error in the instant is harm, too", one: `7`, two: `"7"`, text: `10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2
			30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled; > error 2
			50 client < error 2; return 2 canceled`, want: Fail,
			what:  "answered a call with an error at a cancel that names the same digits as the other JSON type",
			fails: "CANCEL-RIGHT-CALL"},
		{why: "later it may have another reason", one: `7`, two: `"7"`, text: bothRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled
			41 server told 2; end 2 canceled; > error 2
			50 client < error 2; return 2 canceled`, want: Pass, fails: "NO-SPURIOUS-CANCEL"},
		{why: "a call that was cancelled itself", one: `7`, two: `"7"`, text: bothRunning + `30 client cancel 1; > cancel 1; return 1 canceled; cancel 2; > cancel 2; return 2 canceled
			40 server < cancel 1; told 1; end 1 canceled; told 2; end 2 canceled; < cancel 2`, want: Pass},

		{why: "the past is past", version: modernVersion, two: `11`, text: over + `41 server < call 2; start 2
			50 server end 2 "done 2"; > result 2
			60 client < result 2; return 2 "done 2"`, want: Pass, fails: "CANCEL-ONLY-INPROGRESS"},
		{why: "a cancel of the past hits", version: modernVersion, two: `11`, text: over + `41 server < call 2; start 2; told 2; end 2 canceled; > error 2
			60 client < error 2; return 2 canceled`, want: Fail, what: "told a handler because of a cancel that was for an earlier request with its id",
			fails: "(NO-SPURIOUS-CANCEL) CANCEL-RIGHT-CALL CANCEL-ONLY-INPROGRESS"},
		{why: "a cancel of the past hits what has not begun", version: modernVersion, two: `11`, text: over + `41 server < call 2; > error 2
			60 client < error 2; return 2 canceled`, want: Fail, what: "answered with an error because of a cancel that was for an earlier request with its id",
			fails: "CANCEL-RIGHT-CALL CANCEL-ONLY-INPROGRESS"},
		{why: "told later, it may have another reason", version: modernVersion, two: `11`, text: over + `41 server < call 2; start 2
			50 server told 2; end 2 canceled; > error 2
			60 client < error 2; return 2 canceled`, want: Pass, fails: "NO-SPURIOUS-CANCEL CANCEL-ONLY-INPROGRESS"},
		{why: "an id that must not be used again is the client's doing", version: legacyVersion, two: `11`, text: over + `41 server < call 2; start 2; told 2; end 2 canceled; > error 2
			60 client < error 2; return 2 canceled`, want: Vacuous, uncounted: whyUnclearID, fails: "CANCEL-ONLY-INPROGRESS ID-NO-REUSE-L"},

		{why: "the server's cancel is for the server's requests", text: bothRunning + `30 server > cancel 1
			40 client < cancel 1; return 1 canceled
			50 server end 1 "done 1"; end 2 "done 2"; > result 2
			60 client < result 2; return 2 "done 2"`, want: Fail, side: history.Client,
			what: "failed a call of its own when the server cancelled that id", fails: "(CANCEL-ONLY-ISSUED) CANCEL-RIGHT-CALL CANCEL-SAME-DIRECTION"},
		{why: "it leaves the client alone", text: bothRunning + `30 server > cancel 1
			40 client < cancel 1
			50 server end 1 "done 1"; > result 1; end 2 "done 2"; > result 2
			60 client < result 1; return 1 "done 1"; < result 2; return 2 "done 2"`, want: Pass, fails: "(CANCEL-ONLY-ISSUED) CANCEL-SAME-DIRECTION"},
	})
}

func TestInvalidIgnored(t *testing.T) {
	ends := `50 server end 1 "done 1"; > result 1; end 2 "done 2"; > result 2
		60 client < result 1; return 1 "done 1"; < result 2; return 2 "done 2"`
	runStrays(t, "CANCEL-INVALID-IGNORED", []strayCase{
		{why: "a good cancel", text: bothRunning + cancelled + `server end 1 canceled
			50 server end 2 "done 2"; > result 2
			60 client < result 2; return 2 "done 2"`, want: Vacuous},
		{why: "unknown", text: bothRunning + `30 client > cancel id 99
			40 server < cancel id 99
			` + ends, want: Pass, fails: "CANCEL-ONLY-ISSUED"},
		{why: "without an id", text: bothRunning + `30 client > cancel id
			40 server < cancel id
			` + ends, want: Pass, fails: "CANCEL-HAS-ID"},
		{why: "completed", text: bothRunning + ends + `
			65 client > cancel 1
			70 server < cancel 1`, want: Pass, fails: "CANCEL-ONLY-INPROGRESS"},
		{why: "replied to", text: bothRunning + `30 client > cancel id
			40 server < cancel id; > error 5
			45 client < error 5
			` + ends, want: Fail, fails: "(CANCEL-INVALID-IGNORED) CANCEL-NO-REPLY CANCEL-HAS-ID"},
		{why: "the session ends of it, which is no race", text: bothRunning + `30 client > cancel id
			40 server < cancel id; hangup
			50 client eof`, want: Fail, side: history.Server, what: "ended the session without having been asked to",
			fails: "(SESSION-SURVIVES) CANCEL-INVALID-IGNORED CANCEL-HAS-ID"},
		{why: "of one that came late it is a race", text: bothRunning + ends + `
			65 client > cancel 1
			70 server < cancel 1; hangup
			80 client eof`, want: Pass, fails: "RACE-GRACEFUL (SESSION-SURVIVES) CANCEL-ONLY-INPROGRESS"},
		{why: "later it may have another reason", text: bothRunning + `30 client > cancel id
			40 server < cancel id
			41 server hangup
			50 client eof`, want: Pass, fails: "RACE-GRACEFUL (SESSION-SURVIVES) CANCEL-HAS-ID"},
	})
}

func TestNoReply(t *testing.T) {
	ends := `50 server end 1 "done 1"; > result 1; end 2 "done 2"; > result 2
		60 client < result 1; return 1 "done 1"; < result 2; return 2 "done 2"`
	runStrays(t, "CANCEL-NO-REPLY", []strayCase{
		{why: "one whose params are a list is a notification all the same", text: bothRunning + `30 client > {"method":"notifications/cancelled","params":["never"]}
			40 server < {"method":"notifications/cancelled","params":["never"]}; > {"id":null,"error":{"code":-32700,"message":"what"}}
			45 client < {"id":null,"error":{"code":-32700,"message":"what"}}
			` + ends, want: Fail, side: history.Server, fails: "(CANCEL-INVALID-IGNORED) CANCEL-NO-REPLY CANCEL-HAS-ID"},
		{why: "nothing was cancelled", text: bothRunning + ends, want: Vacuous},
		{why: "no reply", text: bothRunning + cancelled + `server end 1 canceled
			50 server end 2 "done 2"; > result 2
			60 client < result 2; return 2 "done 2"`, want: Pass},
		{why: "a reply to a good cancel", text: bothRunning + cancelled + `server > error 5; end 1 canceled
			45 client < error 5
			50 server end 2 "done 2"; > result 2
			60 client < result 2; return 2 "done 2"`, want: Fail, side: history.Server, fails: "CANCEL-NO-REPLY",
			what: `replied to a cancel, under no request's id: answered with error -32603 "request cancelled"`},
		{why: "a made-up id may be meant for a request", text: bothRunning + `30 client > cancel id
			40 server < cancel id; > error 6
			45 client < error 6
			` + ends, want: Pass, fails: "CANCEL-HAS-ID RESP-SAME-ID"},
		{why: "a reply under the id of a struct that was never filled in", text: bothRunning + `30 client > cancel id
			40 server < cancel id; > {"id":0,"error":{"code":-32600,"message":"what"}}
			45 client < {"id":0,"error":{"code":-32600,"message":"what"}}
			` + ends, want: Fail, fails: "(CANCEL-INVALID-IGNORED) CANCEL-NO-REPLY CANCEL-HAS-ID"},
		{why: "the answer to the request is another rule's", text: bothRunning + cancelled + `server > error 1; end 1 canceled
			45 client < error 1
			50 server end 2 "done 2"; > result 2
			60 client < result 2; return 2 "done 2"`, want: Pass, fails: "CANCEL-NO-RESPONSE"},
		{why: "at another time it is for something else", text: bothRunning + `30 client > cancel id
			40 server < cancel id
			41 server > error 5
			45 client < error 5
			` + ends, want: Pass, fails: "CANCEL-HAS-ID"},
		{why: "the answer to a request whose id was misspelt", one: `9007199254740993`, text: bothRunning + `30 client > cancel id
			40 server < cancel id; end 1 "done 1"; > result 7
			50 server end 2 "done 2"; > result 2
			60 client < result 2; return 2 "done 2"`, want: Pass, fails: "CANCEL-HAS-ID RESP-SAME-ID"},
		{why: "by the client", text: bothRunning + `30 server > cancel id 99
			40 client < cancel id 99; > error 5
			45 server < error 5
			` + ends, want: Fail, side: history.Client, fails: "CANCEL-ONLY-ISSUED (CANCEL-INVALID-IGNORED) CANCEL-NO-REPLY"},
	})
}

// What the scenario has a side do on purpose is that side's only.
func TestDeliberateBreachesAreNotCounted(t *testing.T) {
	text := bothRunning + `30 client > cancel id 99
		35 server > cancel id 98; < cancel id 99
		40 client < cancel id 98
		50 server end 1 "done 1"; > result 1; end 2 "done 2"; > result 2
		60 client < result 1; return 1 "done 1"; < result 2; return 2 "done 2"`
	h := script{handlers: []string{"cooperative", "cooperative"}, text: text}.history(t)
	assert.Equal(t, 2, verdictOf(t, Judge(h), "CANCEL-ONLY-ISSUED").Failed)
	h.Header.Deliberate = []string{"client:CANCEL-ONLY-ISSUED"}
	v := verdictOf(t, Judge(h), "CANCEL-ONLY-ISSUED")
	assert.Equal(t, 1, v.Failed)
	assert.Equal(t, history.Server, v.Side)
	assert.Equal(t, []Uncounted{{Why: whyDeliberate, N: 1}}, v.Uncounted)
}

// An answer that was written before its sender had read that the id is in use
// again belongs to the earlier request.
func TestAnswersOfTheEarlierRequest(t *testing.T) {
	text := `10 client issue 1; > call 1
		20 server < call 1; start 1; end 1 "done 1"; > result 1
		30 client < result 1; return 1 "done 1"; issue 2; > call 2
		31 server > result 1
		40 server < call 2; start 2
		50 server end 2 "done 2"; > result 2
		60 client < result 1; < result 2; return 2 "done 2"`
	h := withIDs(script{version: modernVersion, handlers: []string{"cooperative", "cooperative"}, text: text}.history(t), map[string]string{"12": "11"})
	v := verdictOf(t, Judge(h), "RESP-ONCE")
	require.Equal(t, 1, v.Failed, "the first request was answered twice, the second once")
	assert.Equal(t, 1, v.Violations[0].Call)
}

// Progress under a token that two active requests share is nobody's.
func TestSharedTokens(t *testing.T) {
	text := bothRunning + `30 client cancel 2; > cancel 2; return 2 canceled
		40 server < cancel 2; told 2; end 2 canceled
		45 server progress 1 "1"; > progress 1
		50 server end 1 "done 1"; > result 1
		60 client < progress 1; < result 1; return 1 "done 1"`
	h := script{version: modernVersion, handlers: []string{"chatty", "chatty"}, text: text}.history(t)
	done := map[*history.Message]bool{}
	for _, e := range h.Events {
		if e.Msg != nil && e.Msg.Token != "" && !done[e.Msg] {
			done[e.Msg], e.Msg.Token = true, `"p"`
		}
	}
	j := Judge(h)
	assert.Equal(t, "PROGRESS-TOKEN-UNIQUE", failing(j), "the client's doing")
	assert.Equal(t, whySharedToken, verdictOf(t, j, "CANCEL-SILENCE").Uncounted[0].Why)
}

func TestLookalikes(t *testing.T) {
	for _, row := range []struct {
		why, id string
		want    []string
	}{
		{"the string of a number", `7`, []string{`"7"`}},
		{"the number of a string", `"7"`, []string{`7`}},
		{"a word is no number", `"seven"`, nil},
		{"the least that shares its float", `9007199254740992`, []string{`"9007199254740992"`, `9007199254740993`}},
		{"and the number that does", `9007199254740993`, []string{`"9007199254740993"`, `9007199254740992`}},
		{"below, all differ", `9007199254740991`, []string{`"9007199254740991"`}},
		{"negative ones, too", `-9007199254740993`, []string{`"-9007199254740993"`, `-9007199254740992`}},
		{"far above, many do", `36028797018963968`, []string{`"36028797018963968"`, `36028797018963966`, `36028797018963967`, `36028797018963969`,
			`36028797018963970`, `36028797018963971`, `36028797018963972`}},
		{"nothing is false, and so is 0", ``, []string{`0`, `"0"`, `""`, `null`}},
		{"an object is nothing of the kind", `{}`, nil},
	} {
		var got []string
		lookalikes(row.id, func(id string) { got = append(got, id) })
		assert.Equal(t, row.want, got, row.why)
	}
}
