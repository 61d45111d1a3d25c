package oracle

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

func TestJudgingChangesNothing(t *testing.T) {
	for _, r := range races() {
		h, pristine := r.script.history(t), r.script.history(t)
		Judge(h)
		require.Equal(t, pristine, h)
	}
}

func TestDisorderlyNumbersAreCopiedNotTrusted(t *testing.T) {
	h := races()[0].script.history(t)
	want := Judge(h)
	for i := range h.Events {
		h.Events[i].Seq = 7
	}
	assert.Equal(t, want, Judge(h))
	assert.Equal(t, 7, h.Events[0].Seq)
}

func TestWallTimeLeavesCrossingsOpen(t *testing.T) {
	text := running + `30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1
		%d server end 1 "done 1"; > result 1
		200 client < result 1`
	for _, tc := range []struct {
		why  string
		end  int
		want Status
	}{
		{"within the grace", 60, Ambiguous},
		{"beyond it", 120, Fail},
	} {
		h := script{text: fmt.Sprintf(text, tc.end)}.history(t)
		h.Header.Clock = "wall"
		assert.Equal(t, tc.want, verdictOf(t, Judge(h), "CANCEL-NO-RESPONSE").Status, tc.why)
	}
}

// corpus are histories with something in them for every rule.
func corpus(t testing.TB) []*history.History {
	var out []*history.History
	for _, r := range races() {
		out = append(out, r.script.history(t))
	}
	for _, c := range slices.Concat(shutdownCases(), closeCases(), drainCases(), dispatchCases(), spuriousCases(), ownCases(), surviveCases(), messageCases(), taskCases(), listenCases()) {
		out = append(out, c.script.history(t))
	}
	for _, c := range slices.Concat(webCancelCases(), webExchangeCases(), webStreamCases(), webEndCases(), crowdCases()) {
		out = append(out, c.script.history(t))
	}
	for _, text := range []string{
		running + `25 client > cancel id 99; > call 1; cancel 1
			30 server hangup; told 1
			40 world crash server panic
			50 world leak created by x.(*Server).y`,
		running + cancelled + `server > progress 1; > result 1; > error 1
			50 client < result 1; return 1 "done 1"
			60000 world horizon`,
	} {
		out = append(out, script{handlers: []string{"chatty", "stubborn"}, text: text, bare: true}.history(t))
	}
	return out
}

// wide returns a world with n calls of four events' worth of traffic each, all
// cancelled.
func wide(t testing.TB, n int) *history.History {
	var b strings.Builder
	handlers := make([]string, n)
	for i := range handlers {
		handlers[i] = "cooperative"
		fmt.Fprintf(&b, "%d client issue %d; > call %d\n", 10*i+10, i+1, i+1)
		fmt.Fprintf(&b, "%d server < call %d; start %d\n", 10*i+12, i+1, i+1)
		fmt.Fprintf(&b, "%d client cancel %d; > cancel %d; return %d canceled\n", 10*i+14, i+1, i+1, i+1)
		fmt.Fprintf(&b, "%d server < cancel %d; told %d; end %d canceled; > error %d\n", 10*i+16, i+1, i+1, i+1, i+1)
		fmt.Fprintf(&b, "%d client < error %d\n", 10*i+18, i+1)
	}
	return script{version: modernVersion, handlers: handlers, text: b.String(), bare: true}.history(t)
}
