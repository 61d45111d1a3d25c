package oracle

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

// inOneBatch says that so many frames of h, from the first on, came in one batch.
func inOneBatch(h *history.History, first, n int) *history.History {
	for _, e := range h.Events {
		if e.Msg != nil && e.Frame >= first && e.Frame < first+n {
			e.Msg.Batch = e.Frame - first + 1
		}
	}
	return h
}

// A batch of calls 1 and 2, frames 1 and 2.
const bothAtOnce = bothRunning

func TestMessagesOfBatches(t *testing.T) {
	cancelled := bothAtOnce + `30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1; told 1; end 1 canceled
	`
	withCancel := `10 client issue 1; > call 1
		20 server < call 1; start 1
		30 client cancel 1; issue 2; > call 2; > cancel 1; return 1 canceled
	` // frames 2 and 3
	atOnce := `10 client issue 1; cancel 1; > call 1; > cancel 1; return 1 canceled
	` // frames 1 and 2
	fine := `100 server end 2 "done 2"; > result 2
		110 client < result 2; return 2 "done 2"`
	refused := `40 server < call 2; start 2; < cancel 1; told 1; end 1 canceled; > {"id":null,"error":{"code":-32700,"message":"no"}}
		50 client < {"id":null,"error":{"code":-32700,"message":"no"}}
		` + fine
	for _, tc := range []struct {
		why       string
		text      string
		first, n  int
		rule      string
		want      Status
		fails     string
		uncounted string
	}{
		{"a cancelled request of a batch is not answered: its worth is not counted", cancelled + fine, 1, 2, "CANCEL-NO-RESPONSE", Vacuous, "", ""},
		{"and may be", cancelled + `40 server > error 1
			50 client < error 1
			` + fine, 1, 2, "CANCEL-NO-RESPONSE", Vacuous, "", whyInBatch},
		{"which one that came alone may not", cancelled + `40 server > error 1
			50 client < error 1
			` + fine, 1, 0, "CANCEL-NO-RESPONSE", Fail, "CANCEL-NO-RESPONSE", ""},
		{"its handler is told", cancelled + fine, 1, 2, "CANCEL-STOP-WORK", Pass, "", ""},
		{"or that is missed", bothAtOnce + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1
			90 server end 1 "done 1"
			` + fine, 1, 2, "CANCEL-STOP-WORK", Fail, "CANCEL-STOP-WORK", ""},
		{"it is answered once", cancelled + `40 server > error 1; > error 1
			50 client < error 1; < error 1
			` + fine, 1, 2, "RESP-ONCE", Fail, "RESP-ONCE", ""},
		{"a cancel in a batch is heeded", withCancel + `40 server < call 2; start 2; < cancel 1; told 1; end 1 canceled
			` + fine, 2, 2, "CANCEL-STOP-WORK", Pass, "", ""},
		{"or that is missed", withCancel + `40 server < call 2; start 2; < cancel 1
			90 server end 1 "done 1"
			` + fine, 2, 2, "CANCEL-STOP-WORK", Fail, "CANCEL-STOP-WORK", ""},
		{"a cancel in one batch with its request may be looked at first", atOnce + `20 server < call 1; < cancel 1; start 1
			90 server end 1 "done 1"; > result 1
			99 client < result 1`, 1, 2, "CANCEL-STOP-WORK", Vacuous, "", whyOneBatch},
		{"and then the request is answered", atOnce + `20 server < call 1; < cancel 1; start 1
			90 server end 1 "done 1"; > result 1
			99 client < result 1`, 1, 2, "CANCEL-NO-RESPONSE", Vacuous, "", whyOneBatch},
		{"behind it, it may not", atOnce + `20 server < call 1; < cancel 1; start 1
			90 server end 1 "done 1"; > result 1
			99 client < result 1`, 1, 0, "CANCEL-STOP-WORK", Fail, "CANCEL-NO-RESPONSE CANCEL-STOP-WORK", ""},
		{"a batch with a cancel that is refused is no race", withCancel + `40 server < call 2; < cancel 1; told 1; end 1 canceled; > error 2
			50 client < error 2; return 2 refused`, 2, 2, "RACE-GRACEFUL", Pass, "", whyBatchRefused},
		{"a reply without an id is to the batch", withCancel + refused, 2, 2, "CANCEL-NO-REPLY", Pass, "", ""},
		{"where there is none, it is to the cancel", withCancel + refused, 2, 0, "CANCEL-NO-REPLY", Fail, "CANCEL-NO-REPLY", ""},
		{"one beside the cancel is harmed by it", withCancel + `40 server < call 2; < cancel 1; told 1; end 1 canceled; > error 2
			50 client < error 2; return 2 refused`, 2, 0, "RACE-GRACEFUL", Fail, "RACE-GRACEFUL", ""},
	} {
		t.Run(tc.why+"/"+tc.rule, func(t *testing.T) {
			s := script{version: "2025-03-26", handlers: []string{"cooperative", "cooperative"}, text: tc.text}
			h := inOneBatch(s.history(t), tc.first, tc.n)
			j := Judge(h)
			v := verdictOf(t, j, tc.rule)
			assert.Equal(t, tc.want, v.Status)
			assert.Equal(t, tc.fails, failing(j))
			uncounted := ""
			if len(v.Uncounted) > 0 {
				uncounted = v.Uncounted[0].Why
			}
			assert.Equal(t, tc.uncounted, uncounted)
			requireSound(t, h, j)
			requireAnswers(t, h, j)
		})
	}
}
