package oracle

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

// requireAnswers holds that nobody is convicted while a question about it stays
// open.
func requireAnswers(t testing.TB, h *history.History, j Judgement) {
	for _, verdict := range j.Verdicts {
		rule, ok := FindRule(verdict.Rule)
		require.True(t, ok)
		for _, v := range verdict.Violations {
			for _, o := range rule.Objections(h, v) {
				assert.NotEmpty(t, o.Answer, "%s: %s: %s", verdict.Rule, v.What, o.Asks)
			}
		}
	}
}

func TestEveryExemptionIsAnswered(t *testing.T) {
	for _, r := range Rules() {
		for _, e := range r.Exempt {
			assert.Equal(t, e.Asks != "", e.answer != nil, "%s: %s", r.ID, e.What)
		}
	}
}

// answers returns what is answered for the first violation of a rule, by the
// exemption's reason, or by what it says where it has none.
func answers(t *testing.T, s script, rule string) map[string]string {
	t.Helper()
	h := s.history(t)
	v := verdictOf(t, Judge(h), rule)
	require.NotEmpty(t, v.Violations)
	r, _ := FindRule(rule)
	out := map[string]string{}
	for _, o := range r.Objections(h, v.Violations[0]) {
		key := o.Why
		if key == "" {
			key = o.What
		}
		out[key] = o.Answer
	}
	return out
}

func TestObjections(t *testing.T) {
	late := running + cancelled + `45 server end 1 canceled; > error 1
		50 client < error 1`
	atOnce := running + cancelled + `server end 1 canceled; > error 1
		50 client < error 1`
	early := `10 client issue 1; > call 1
		20 server < call 1
		30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1
		45 server > error 1
		50 client < error 1`
	for _, tc := range []struct {
		why, rule, text string
		question, want  string
	}{
		{"times are since the call was issued", "CANCEL-NO-RESPONSE", late, whyResponseBefore,
			"No. It read the cancel at 30.000 ms (event 11) and began to write at 35.000 ms (event 14), 5.000 ms later."},
		{"order decides within an instant", "CANCEL-NO-RESPONSE", atOnce, whyResponseBefore,
			"No. It read the cancel at 30.000 ms (event 11) and began to write at 30.000 ms (event 14), in the same instant, 3 events later in the record."},
		{"the handler's end came of the cancel", "CANCEL-NO-RESPONSE", late, whyHandlerOver,
			`No. It was told of the cancel at 30.000 ms (event 12) and returned the error "canceled" at 35.000 ms (event 13).`},
		{"no handler, no end", "CANCEL-NO-RESPONSE", early, whyHandlerOver, "No. No handler had begun."},
		{"time passed", "CANCEL-NO-RESPONSE", late, whySameInstant, "No. Time passed between them: 5.000 ms."},
		{"no time passed, but the server had acted", "CANCEL-NO-RESPONSE", atOnce, whySameInstant,
			"No. It is one instant, but in between the handler had been told (event 12): the server had acted on the cancel before it wrote."},
		{"the request was known", "CANCEL-NO-RESPONSE", late, whyPremature,
			"No. It had read the request, tools/call with id 11, at 10.000 ms (event 5)."},
		{"a tool that stops", "CANCEL-NO-RESPONSE", late, whyStubborn, `No. The tool "cooperative" stops when it is told, and did.`},
		{"never read a reply", "CANCEL-CLIENT-NOTIFIES", running + `30 client cancel 1; return 1 canceled
			40 server end 1 "done 1"`, whyReplyFirst, "No. It never read one."},
	} {
		t.Run(tc.why, func(t *testing.T) {
			assert.Equal(t, tc.want, answers(t, script{text: tc.text}, tc.rule)[tc.question])
		})
	}
}

// A violation of another history is asked about, and not answered.
func TestObjectionsToAnotherHistory(t *testing.T) {
	r, _ := FindRule("CANCEL-SILENCE")
	for _, o := range r.Objections(&history.History{}, Violation{Call: 7, Events: []int{99}}) {
		assert.Empty(t, o.Answer, o.Asks)
	}
}
