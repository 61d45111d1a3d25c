package oracle

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

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
	for _, c := range slices.Concat(shutdownCases(), closeCases(), drainCases(), dispatchCases(), spuriousCases(), ownCases(), surviveCases()) {
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

// mutate damages a history: each three bytes of the recipe are one operation on
// one event.
func mutate(h *history.History, recipe []byte) {
	kinds := []history.Kind{
		history.Write, history.Wrote, history.Read, history.Unread, history.EOF, history.Hangup, history.Issue, history.Cancel,
		history.Return, history.Close, history.Start, history.Told, history.End, history.Progress, history.Crash, history.Leak,
		history.Probe, history.Probed, history.Horizon, history.Served, "nonsense",
	}
	for ; len(recipe) >= 3 && len(h.Events) > 0; recipe = recipe[3:] {
		i, v := int(recipe[1])%len(h.Events), int(recipe[2])
		e := &h.Events[i]
		switch recipe[0] % 12 {
		case 0:
			h.Events = slices.Delete(h.Events, i, i+1)
		case 1:
			j := v % len(h.Events)
			h.Events[i], h.Events[j] = h.Events[j], h.Events[i]
		case 2:
			h.Events = slices.Insert(h.Events, i, *e)
		case 3:
			e.Kind = kinds[v%len(kinds)]
		case 4:
			e.Side = []history.Side{history.Client, history.Server, history.World, ""}[v%4]
		case 5:
			e.Frame = v - 3
		case 6:
			e.Call = v - 3
		case 7:
			e.At = time.Duration(v-100) * time.Millisecond
		case 8:
			e.Msg = h.Events[v%len(h.Events)].Msg
		case 9:
			e.Frame = v << 55
		case 10:
			h.Header.SpecVersion = []string{"", "2024-11-05", legacyVersion, modernVersion}[v%4]
			h.Header.Clock = []string{"virtual", "wall"}[v%2]
		case 11:
			h.Header.Calls = append(h.Header.Calls, history.Call{Call: v - 3})
		}
	}
	for i := range h.Events {
		h.Events[i].Seq = i
	}
}

func FuzzJudge(f *testing.F) {
	for i := range corpus(f) {
		f.Add(uint8(i), []byte{0, 3, 0, 1, 4, 9, 3, 5, 2, 5, 7, 1, 8, 2, 9})
	}
	f.Fuzz(func(t *testing.T, which uint8, recipe []byte) {
		all := corpus(t)
		h := all[int(which)%len(all)]
		mutate(h, recipe[:min(len(recipe), 90)])
		requireSound(t, h, Judge(h))
	})
}

func TestDamagedHistoriesAreJudged(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		all := corpus(t)
		h := all[rapid.IntRange(0, len(all)-1).Draw(rt, "which")]
		mutate(h, rapid.SliceOfN(rapid.Byte(), 0, 90).Draw(rt, "recipe"))
		requireSound(t, h, Judge(h))
	})
	for _, h := range []*history.History{{}, {Events: make([]history.Event, 3)}} {
		requireSound(t, h, Judge(h))
	}
}

// Every prefix of a history is the history of a process that died.
func TestPrefixesAreJudged(t *testing.T) {
	for _, h := range corpus(t) {
		for n := range h.Events {
			p := &history.History{Header: h.Header, Events: h.Events[:n]}
			requireSound(t, p, Judge(p))
		}
	}
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

func BenchmarkJudge(b *testing.B) {
	for _, calls := range []int{9, 10_000} { // 9 calls are about 150 events
		h := wide(b, calls)
		b.Run(fmt.Sprintf("%d-events", len(h.Events)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Judge(h)
			}
			b.ReportMetric(float64(b.N*len(h.Events))/b.Elapsed().Seconds(), "events/s")
		})
	}
}
