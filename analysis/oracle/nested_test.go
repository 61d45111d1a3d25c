package oracle

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

// The tool of call 1 makes call 2, whose answer the client works on when call 1 is
// cancelled.
const toolAsks = `
	0 client issue 1; > call 1
	10 server < call 1; start 1; issue 2; > call 2
	20 client < call 2; start 2
	30 client cancel 1; > cancel 1; return 1 canceled
`

func TestNestedCalls(t *testing.T) {
	rows := []struct {
		why     string
		text    string
		nested  string // what answers; empty: cooperative
		fails   string
		side    history.Side
		checked string // a rule that has to have been exercised
	}{
		{"everybody is told, and all are silent", `
			40 server < cancel 1; told 1; cancel 2; > cancel 2; return 2 canceled; end 1 canceled
			50 client < cancel 2; told 2; end 2 canceled
		`, "", "", "", "NESTED-CANCELLED"},
		{"the server keeps asking", `
			40 server < cancel 1; told 1; cancel 2; return 2 canceled; end 1 canceled
			120 client end 2 "x"; > result 2
			130 server < result 2
		`, "", "NESTED-CANCELLED", history.Server, "NESTED-CANCELLED"},
		{"the client answers what was cancelled", `
			40 server < cancel 1; told 1; cancel 2; > cancel 2; return 2 canceled; end 1 canceled
			50 client < cancel 2; told 2; end 2 canceled; > error 2
			60 server < error 2
		`, "", "CANCEL-NO-RESPONSE", history.Client, "CANCEL-NO-RESPONSE"},
		{"the client never tells its application", `
			40 server < cancel 1; told 1; cancel 2; > cancel 2; return 2 canceled; end 1 canceled
			50 client < cancel 2
			120 client end 2 "x"
		`, "", "CANCEL-STOP-WORK", history.Client, "CANCEL-STOP-WORK"},
		{"an application that goes on is its own affair", `
			40 server < cancel 1; told 1; cancel 2; > cancel 2; return 2 canceled; end 1 canceled
			50 client < cancel 2; told 2
			120 client end 2 "x"; > result 2
			130 server < result 2
		`, "stubborn", "", "", "CANCEL-STOP-WORK"},
		{"the answer crosses the cancel", `
			35 client end 2 "x"; > result 2
			40 server < cancel 1; told 1; cancel 2; > cancel 2; return 2 canceled; end 1 canceled
			45 server < result 2
			50 client < cancel 2
		`, "", "", "", "LATE-IGNORED"},
		{"the server uses an answer that it read after its cancel", `
			40 server < cancel 1; told 1; cancel 2; > cancel 2
			45 client end 2 "x"; > result 2
			50 client < cancel 2
			55 server < result 2; return 2 "x"; end 1 canceled
		`, "", "LATE-IGNORED", history.Server, "LATE-IGNORED"},
		{"the client stops at once what it did for a call that its application gives up", `
			31 client told 2; end 2 canceled; > error 2
			40 server < cancel 1; told 1; cancel 2; > cancel 2; return 2 canceled; end 1 canceled
			50 client < cancel 2
			60 server < error 2
		`, "", "", "", "CANCEL-STOP-WORK"},
		{"the server holds the tool", `
			40 server < cancel 1; told 1; cancel 2; > cancel 2
			50 client < cancel 2; told 2; end 2 canceled
		`, "", "CALLER-UNBLOCKS", history.Server, "CALLER-UNBLOCKS"},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			kind := "cooperative"
			if row.nested != "" {
				kind = row.nested
			}
			j := Judge(script{handlers: []string{"asking"}, nested: []string{kind}, text: toolAsks + row.text}.history(t))
			assert.Equal(t, row.fails, failing(j))
			v := verdictOf(t, j, row.checked)
			assert.Positive(t, v.Checked)
			if row.fails == "" {
				return
			}
			require.Equal(t, Fail, v.Status)
			assert.Equal(t, row.side, v.Side)
			for _, x := range v.Violations {
				assert.Equal(t, row.side, x.Side)
				assert.Equal(t, 2, x.Call)
				assert.Equal(t, "sampling/createMessage", x.Handler)
				assert.NotEmpty(t, x.Events)
			}
		})
	}
}

// Where nobody has given up anything, a client has no reason to stop what it does for the server.
func TestNestedCallsAreNotStoppedForNothing(t *testing.T) {
	j := Judge(script{handlers: []string{"asking"}, nested: []string{"cooperative"}, text: `
		0 client issue 1; > call 1
		10 server < call 1; start 1; issue 2; > call 2
		20 client < call 2; start 2
		25 client told 2; end 2 canceled; > error 2
		28 server < error 2; return 2 canceled; end 1 canceled; > error 1
		35 client < error 1; return 1 canceled
	`}.history(t))
	v := verdictOf(t, j, "NO-SPURIOUS-CANCEL")
	assert.Equal(t, Fail, v.Status)
	assert.Equal(t, history.Client, v.Side)
}

// What is checked of nested calls can be told from what is checked of calls.
func TestNestedCallsAreCountedApart(t *testing.T) {
	j := Judge(script{handlers: []string{"asking"}, nested: []string{"cooperative"}, text: toolAsks + `
		40 server < cancel 1; told 1; cancel 2; > cancel 2; return 2 canceled; end 1 canceled; > error 1
		45 client < error 1
		50 client < cancel 2; told 2; end 2 canceled; > error 2
		60 server < error 2
	`}.history(t))
	v := verdictOf(t, j, "CANCEL-NO-RESPONSE")
	assert.Equal(t, 2, v.Checked)
	assert.Equal(t, 2, v.Failed)
	assert.Equal(t, 1, v.Nested)
	assert.Equal(t, history.World, v.Side, "both sides broke it")
}

// What a side breaks on purpose is its own, whoever asks: it excuses the other side of
// nothing.
func TestDeliberateBreachesOfNestedCalls(t *testing.T) {
	h := script{handlers: []string{"asking"}, nested: []string{"cooperative"}, text: toolAsks + `
		40 server < cancel 1; told 1; cancel 2; > cancel 2; return 2 canceled; end 1 canceled
		50 client < cancel 2; told 2; end 2 canceled; > error 2
		60 server < error 2
	`}.history(t)
	for _, c := range []struct {
		deliberate string
		want       Status
	}{
		{"server:CANCEL-NO-RESPONSE", Fail},
		{"client:CANCEL-NO-RESPONSE", Pass},
	} {
		h.Header.Deliberate = []string{c.deliberate}
		assert.Equal(t, c.want, verdictOf(t, Judge(h), "CANCEL-NO-RESPONSE").Status, c.deliberate)
	}
}

// What two verdicts have of one kind is added up.
func TestVerdictsAreAddedUp(t *testing.T) {
	own := Verdict{Rule: "ANSWER-OWN", Status: Pass, Checked: 1, Uncounted: []Uncounted{{"a", 1}}, Exercised: []Exercise{{Handler: "x", N: 1}}}
	implied := Verdict{
		Rule: "ANSWER-OWN", Status: Fail, Side: history.Server, Checked: 2, Failed: 1, Implied: "LATE-IGNORED",
		Uncounted: []Uncounted{{"b", 1}, {"a", 2}}, Exercised: []Exercise{{Handler: "x", N: 2, Failed: 1}, {Handler: "y", N: 1}},
	}
	v := own
	v.add(implied)
	assert.Equal(t, Verdict{
		Rule: "ANSWER-OWN", Status: Fail, Side: history.Client, Checked: 3, Failed: 1, Implied: "LATE-IGNORED",
		Uncounted: []Uncounted{{"a", 3}, {"b", 1}}, Exercised: []Exercise{{Handler: "x", N: 3, Failed: 1}, {Handler: "y", N: 1}},
	}, v)
	v.add(Verdict{Rule: "ANSWER-OWN", Status: Fail, Side: history.Server, Checked: 1, Failed: 1})
	assert.Equal(t, 2, v.Failed)
	assert.Empty(t, v.Implied, "one of them is the rule's own")
}

func TestNoNestedCallsChangeNothing(t *testing.T) {
	h := script{text: "0 client issue 1; > call 1\n10 server < call 1; start 1; end 1 \"x\"; > result 1\n20 client < result 1; return 1 \"x\""}.history(t)
	v := verdictOf(t, Judge(h), "NESTED-CANCELLED")
	assert.Equal(t, Vacuous, v.Status)
	assert.Equal(t, Quality, v.Level)
}
