package analysis

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// TestBodyLog counts how calls were answered, and nothing else.
func TestBodyLog(t *testing.T) {
	var l bodyLog
	answer := func(exchange, call int, status int, contentType string) {
		l.see(&history.Event{Side: history.Client, Kind: history.Write, Exchange: exchange, Call: call, Msg: &history.Message{Kind: history.Request}})
		l.see(&history.Event{Side: history.Server, Kind: history.Status, Exchange: exchange,
			HTTP: &history.HTTPHead{Status: status, ContentType: contentType}})
	}
	assert.Nil(t, l.bodies(), "nothing was answered")
	answer(1, 0, 200, "application/json")
	answer(2, 1, 400, "application/json")
	assert.Nil(t, l.bodies(), "no call was answered")
	answer(3, 2, 200, "application/json; charset=utf-8")
	answer(4, 3, 200, "text/event-stream")
	answer(5, 4, 200, "text/event-stream")
	assert.Equal(t, &Bodies{JSON: 1, Stream: 2}, l.bodies())
}

// TestNoteOnJSON: the note on exchanges that are answered with a JSON object is shown
// where there were any, or where nobody knows.
func TestNoteOnJSON(t *testing.T) {
	for _, c := range []struct {
		bodies *Bodies
		want   bool
	}{{nil, true}, {&Bodies{JSON: 1, Stream: 9}, true}, {&Bodies{Stream: 9}, false}} {
		s := Summary{Groups: []Group{{Arm: ArmTarget, SpecVersion: "2026-07-28", Bodies: c.bodies}},
			Findings: []Finding{{ID: "F1", Rule: "DISC-IS-CANCEL", SpecVersion: "2026-07-28"}}}
		r := Report{Manifest: Manifest{Transport: string(oracle.StreamableHTTP)}, Summary: s, Rules: RuleTexts()}
		if c.want {
			assert.Contains(t, r.notes(), "Q3", "%+v", c.bodies)
		} else {
			assert.NotContains(t, r.notes(), "Q3", "%+v", c.bodies)
		}
		assert.Contains(t, r.notes(), "Q6", "the others stay")
		rule, _ := oracle.FindRule("CANCEL-HTTP-CLOSE")
		assert.NotEmpty(t, rule.Notes)
		assert.Equal(t, c.want, len(s.noting(rule, "2026-07-28").Notes) == len(rule.Notes))
	}
}
