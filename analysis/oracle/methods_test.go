package oracle

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A method that the target answers by itself: queued until it is answered, and
// there is no handler that could be told.
func TestMethodsWithoutHandler(t *testing.T) {
	asked := `10 client issue 1; > call 1
		20 server < call 1
	`
	gaveUp := `30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1
	`
	for _, row := range []struct {
		why, text  string
		noResponse Status
		stopWork   Status
		uncounted  string
	}{
		{"silence after the cancel", gaveUp, Pass, Vacuous, ""},
		{"an answer after the cancel", gaveUp + `50 server > result 1
			60 client < result 1`, Fail, Vacuous, ""},
		{"an answer in the instant of the cancel", gaveUp + `server > result 1
			60 client < result 1`, Vacuous, Vacuous, whySameInstant},
		{"an answer before it", `25 server > result 1
			` + gaveUp + `50 client < result 1`, Vacuous, Vacuous, whyResponseBefore},
	} {
		j := Judge(script{method: "ping", text: asked + row.text}.history(t))
		v := verdictOf(t, j, "CANCEL-NO-RESPONSE")
		assert.Equal(t, row.noResponse, v.Status, row.why)
		assert.Equal(t, row.stopWork, verdictOf(t, j, "CANCEL-STOP-WORK").Status, row.why)
		if row.uncounted != "" {
			assert.Equal(t, []Uncounted{{Why: row.uncounted, N: 1}}, v.Uncounted, row.why)
		}
		if row.noResponse == Fail {
			assert.Equal(t, "ping", v.Violations[0].Handler, "who reads a finding wants to know what it was about")
			assert.Equal(t, "ping", v.Violations[0].Method)
		}
		assert.Equal(t, "ping", j.Calls[0].Handler, row.why)
	}
}

// Where it cannot be told which request a call made, nobody is blamed for what
// became of it.
func TestUnclaimedRequests(t *testing.T) {
	h := script{method: "ping", handlers: []string{"", ""}, text: `
		10 client issue 1; > ping; issue 2; > call 2
		20 server < ping; > error 1; < call 2
		25 client cancel 2; > cancel 2; return 2 canceled; < error 1; return 1 failed
		40 server < cancel 2`}.history(t)
	v := verdictOf(t, Judge(h), "RACE-GRACEFUL")
	if assert.NotEmpty(t, v.Violations) {
		assert.Equal(t, history.World, v.Violations[0].Side)
	}
}

// A tool that panics is the application's, whoever runs it.
func TestToolsOwnCrash(t *testing.T) {
	for _, row := range []struct {
		why, blame string
		want       Status
	}{
		{"the tool", "tool", Vacuous},
		{"the server's code", "server", Fail},
		{"nobody knows", "", Unknown},
	} {
		h := script{bare: true, text: greeting + running + cancelled + `world crash somebody panic`}.history(t)
		h.Events[len(h.Events)-1].Blame = row.blame
		j := Judge(h)
		v := verdictOf(t, j, "RACE-GRACEFUL")
		assert.Equal(t, row.want, v.Status, row.why)
		if row.want == Vacuous {
			assert.Equal(t, []Uncounted{{Why: whyToolCrashed, N: 1}}, v.Uncounted)
		}
	}
}
