package oracle

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

// byOnePost puts what the client sends by two exchanges into one POST, as one batch, and
// what the server says by the other into its response, which ends with that.
func byOnePost(h *history.History, one, other int) *history.History {
	h.Events = slices.DeleteFunc(h.Events, func(e history.Event) bool {
		if e.Kind == history.Finish {
			return e.Exchange == one
		}
		return e.Exchange == other && e.Frame == 0
	})
	for i := range h.Events {
		e := &h.Events[i]
		e.Seq = i
		if e.Exchange == other {
			e.Exchange = one
		}
		if e.Exchange == one && e.Msg != nil && e.Msg.Kind == history.Request && e.Msg.Batch == 0 {
			e.Msg.Batch = e.Msg.Call
		}
	}
	return h
}

// The response to a batch ends when all is answered, and not before.
func TestBatchesByOnePost(t *testing.T) {
	both := `10 client issue 1; > call 1; issue 2; > call 2
		20 server < call 1; start 1; < call 2; start 2
		50 server end 1 "done 1"; > result 1
		60 client < result 1; return 1 "done 1"
		`
	rest := `70 server end 2 "done 2"; > result 2
		80 client < result 2; return 2 "done 2"`
	for _, tc := range []struct {
		why, text, fails string
	}{
		{"ended with the last response", both + rest, ""},
		{"one is still to come when all is quiet", both, ""},
		{"left open", both + `70 server end 2 "done 2"; >> result 2; .
			80 client < result 2; return 2 "done 2"`, "HTTP-TERMINATE"},
	} {
		h := byOnePost(legacyWeb(tc.text).tools("cooperative", "cooperative").under(batchVersion).history(t), 3, 4)
		assert.Equal(t, tc.fails, failing(Judge(h)), "%s\n%s", tc.why, listing(h))
	}
}
