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

// A legalWorld draws conversations in which both sides keep every rule: the
// client cancels when it likes and drops what comes late, the server acts on each
// message in the step in which it reads it. What crosses, crosses.
type legalWorld struct {
	t      *rapid.T
	b      strings.Builder
	at     int
	calls  int
	agenda map[int][]func() // by instant
}

func legalHistory(rt *rapid.T, t testing.TB) *history.History {
	w := &legalWorld{t: rt, agenda: map[int][]func(){}}
	var handlers []string
	w.calls = rapid.IntRange(1, 6).Draw(rt, "calls")
	for n := 1; n <= w.calls; n++ {
		handlers = append(handlers, rapid.SampledFrom([]string{"cooperative", "slow-cleanup", "chatty"}).Draw(rt, "handler"))
		w.plan(n, handlers[n-1])
	}
	for w.at = 1; w.at < 900; w.at++ {
		for i := 0; i < len(w.agenda[w.at]); i++ { // acts may add to their own instant
			w.agenda[w.at][i]()
		}
	}
	return script{
		version:  rapid.SampledFrom([]string{legacyVersion, modernVersion}).Draw(rt, "version"),
		handlers: handlers, text: w.b.String(),
	}.history(t)
}

func (w *legalWorld) later(instant int, f func()) {
	w.agenda[instant] = append(w.agenda[instant], f)
}

func (w *legalWorld) say(side, format string, args ...any) {
	fmt.Fprintf(&w.b, "%d %s %s\n", w.at, side, fmt.Sprintf(format, args...))
}

// plan draws one call. Its few instants are close together, so that ties and
// crossings are frequent.
func (w *legalWorld) plan(n int, handler string) {
	draw := func(what string, low, high int) int { return rapid.IntRange(low, high).Draw(w.t, what) }
	issue := draw("issue", 1, 20)
	up := draw("up", 1, 5)
	down := draw("down", 1, 5)
	work := draw("work", 0, 8)
	cleanup := 0
	if handler == "slow-cleanup" {
		cleanup = draw("cleanup", 0, 3)
	}
	var returned, gone, ended, told bool
	end := func() {
		if ended {
			return
		}
		ended = true
		w.say("server", `end %d "done %d"`, n, n)
		if told {
			return // not answered
		}
		gone = true
		w.say("server", "> result %d", n)
		w.later(w.at+down, func() {
			w.say("client", "< result %d", n)
			if !returned {
				returned = true
				w.say("client", `return %d "done %d"`, n, n)
			}
		})
	}
	w.later(issue, func() { w.say("client", "issue %d; > call %d", n, n) })
	w.later(issue+up, func() {
		w.say("server", "< call %d; start %d", n, n)
		w.later(w.at+work, end)
	})
	if rapid.IntRange(0, 3).Draw(w.t, "alone") == 0 {
		return
	}
	// Not before its request: a stream keeps the order.
	w.later(issue+draw("cancel", 0, 16), func() {
		if returned {
			return
		}
		returned = true
		w.say("client", "cancel %d; > cancel %d; return %d canceled", n, n, n)
		w.later(w.at+max(up, issue+up-w.at), func() {
			w.say("server", "< cancel %d", n)
			if ended || gone {
				return
			}
			told = true
			w.say("server", "told %d", n)
			w.later(w.at+cleanup, func() {
				if !ended {
					ended = true
					w.say("server", "end %d canceled", n)
				}
			})
		})
	})
}

func TestLegalConversationsAreNeverConvicted(t *testing.T) {
	seen := map[Phase]int{}
	rapid.Check(t, func(rt *rapid.T) {
		h := legalHistory(rt, t)
		j := Judge(h)
		requireSound(t, h, j)
		if f := failing(j); f != "" {
			rt.Fatalf("%s failed", f)
		}
		for _, v := range j.Verdicts {
			require.Contains(t, []Status{Pass, Vacuous}, v.Status, v.Rule)
		}
		for _, c := range j.Calls {
			require.Empty(t, c.Incident)
			require.False(t, c.Late)
			seen[c.Phase]++
		}
	})
	for _, p := range []Phase{"", Running, Crossing} {
		assert.Positive(t, seen[p], "the conversations must be worth judging: %q", p)
	}
}

// renamed returns h with every id and token replaced by another of the same or of
// the other JSON type. Equal ones stay equal, and different ones different.
func renamed(h *history.History) *history.History {
	name := func(raw string) string {
		switch {
		case raw == "":
			return ""
		case raw[0] == '"':
			return `"` + strings.Repeat("z", 3) + raw[1:]
		}
		return `"n` + raw + `"`
	}
	messages := map[*history.Message]*history.Message{nil: nil}
	out := &history.History{Header: h.Header, Events: slices.Clone(h.Events)}
	for i := range out.Events {
		e := &out.Events[i]
		if messages[e.Msg] == nil && e.Msg != nil {
			m := *e.Msg
			m.ID, m.Ref, m.Token = name(m.ID), name(m.Ref), name(m.Token)
			messages[e.Msg] = &m
		}
		e.Msg = messages[e.Msg]
	}
	return out
}

func TestNamesDoNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := legalHistory(rt, t)
		require.Equal(t, Judge(h), Judge(renamed(h)))
	})
	for _, r := range races() {
		h := r.script.history(t)
		require.Equal(t, Judge(h), Judge(renamed(h)), r.file)
	}
}

// Twice the time makes twice the durations, and no other verdict.
func TestOnlyOrderAndEqualityOfTimesMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := legalHistory(rt, t)
		slow := &history.History{Header: h.Header, Events: slices.Clone(h.Events)}
		for i := range slow.Events {
			slow.Events[i].At *= 2
			slow.Events[i].Arrived *= 2
		}
		a, b := Judge(h), Judge(slow)
		for i := range a.Verdicts {
			for j := range a.Verdicts[i].Took {
				a.Verdicts[i].Took[j] *= 2 // a measurement, not a verdict
			}
		}
		require.Equal(t, a.Verdicts, b.Verdicts)
		for i := range a.Calls {
			require.Equal(t, a.Calls[i].Phase, b.Calls[i].Phase)
			require.Equal(t, a.Calls[i].Work, b.Calls[i].Work)
			if a.Calls[i].ReadToEnd >= 0 {
				require.Equal(t, 2*a.Calls[i].ReadToEnd, b.Calls[i].ReadToEnd)
			}
		}
	})
}

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
		history.Probe, history.Probed, history.Horizon, history.Served, history.Stop, history.Change, "nonsense",
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
