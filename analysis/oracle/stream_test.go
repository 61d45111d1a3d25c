package oracle

import (
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/sim/history"
)

// judgeKeeping judges h event by event and keeps so many items that are over.
func judgeKeeping(h *history.History, limit int) Judgement {
	s := NewStream(h.Header, nil)
	s.limit = limit
	for _, m := range s.members {
		m.limit = limit
	}
	for i := range h.Events {
		s.Event(&h.Events[i])
	}
	return s.Judgement()
}

// forgot reports whether something was left uncounted because it came too late.
func forgot(j Judgement) bool {
	return slices.ContainsFunc(j.Verdicts, func(v Verdict) bool {
		return slices.ContainsFunc(v.Uncounted, func(u Uncounted) bool { return u.Why == whyForgotten })
	})
}

// requireSameKeeping judges h whole, and event by event with more or less forgotten.
// What was forgotten may excuse, with a word, and never accuse.
func requireSameKeeping(t require.TestingT, name string, h *history.History) {
	want := Judge(h)
	require.Equal(t, want, judgeKeeping(h, math.MaxInt), "%s: nothing forgotten", name)
	for _, limit := range []int{0, 1, 5} {
		got := judgeKeeping(h, limit)
		if !forgot(got) {
			for i := range want.Verdicts {
				require.Equal(t, want.Verdicts[i], got.Verdicts[i], "%s: %d kept", name, limit)
			}
			require.Equal(t, want, got, "%s: %d kept", name, limit)
			continue
		}
		for i, v := range got.Verdicts {
			require.LessOrEqual(t, v.Failed, want.Verdicts[i].Failed, "%s: %d kept: %s", name, limit, v.Rule)
		}
	}
}

// recordings are all histories of testdata.
func recordings(t testing.TB) map[string]*history.History {
	files, err := filepath.Glob("testdata/*.ndjson")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	out := map[string]*history.History{}
	for _, f := range files {
		out[f], err = history.ReadFile(f)
		require.NoError(t, err)
	}
	return out
}

// TestForgettingChangesNoVerdict: an item is judged when it is over and forgotten, and
// that comes to the same as judging everything at the end.
func TestForgettingChangesNoVerdict(t *testing.T) {
	for name, h := range recordings(t) {
		requireSameKeeping(t, name, h)
	}
	for _, h := range corpus(t) {
		requireSameKeeping(t, "script", h)
		for n := range h.Events {
			requireSameKeeping(t, "beginning of a script", &history.History{Header: h.Header, Events: h.Events[:n]})
		}
	}
	requireSameKeeping(t, "more violations than are listed", wide(t, 3*MaxViolations))
	for _, l := range []*longTalk{
		{cancelled: obeyed(), named: plainID}, {cancelled: answeredLate(), named: plainID}, {cancelled: answeredLate(), named: textID},
	} {
		h := l.whole(2000)
		requireSameKeeping(t, "long", h)
		assert.False(t, forgot(judgeKeeping(h, 50)), "nothing comes as late as that in it")
	}
}

func TestForgettingChangesNoVerdictOnLegalConversations(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		if h := legalHistory(rt, t); !overtaken(h) {
			requireSameKeeping(rt, "legal", h)
		}
	})
}

func TestForgettingChangesNoVerdictOverHTTP(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		if h := legalWeb(rt, t); !overtaken(h) && !ranOut(h) {
			requireSameKeeping(rt, "legal, over HTTP", h)
		}
	})
}

// overtaken reports whether a call returned before its request was begun. A judge that
// keeps nothing has forgotten it by then.
func overtaken(h *history.History) bool {
	returned := map[int]bool{}
	for _, e := range h.Events {
		switch {
		case e.Kind == history.Return:
			returned[e.Call] = true
		case e.Kind == history.Write && e.Msg != nil && e.Msg.Kind == history.Request && returned[e.Call]:
			return true
		}
	}
	return false
}

// ranOut reports whether the server ended a session over HTTP. That excuses what it did
// before to calls of that session, and shows only when the client asks next: a judge that
// keeps nothing has judged them by then, and one that reads no further never learns it.
func ranOut(h *history.History) bool {
	return h.Header.Instances == 0 && slices.ContainsFunc(h.Events, func(e history.Event) bool {
		return e.Side == history.Server && e.Kind == history.Status && e.HTTP.Status == notFound
	})
}

// TestDamagedHistoriesAreStreamed: whatever is damaged, to forget does not make a judge
// panic, and what it convicts on is there.
func TestDamagedHistoriesAreStreamed(t *testing.T) {
	all := corpus(t)
	rapid.Check(t, func(rt *rapid.T) {
		which := all[rapid.IntRange(0, len(all)-1).Draw(rt, "which")]
		h := &history.History{Header: which.Header, Events: slices.Clone(which.Events)}
		h.Header.Calls = slices.Clone(h.Header.Calls)
		mutate(h, rapid.SliceOfN(rapid.Byte(), 0, 90).Draw(rt, "recipe"))
		requireSound(t, h, judgeKeeping(h, rapid.IntRange(0, 3).Draw(rt, "kept")))
	})
}

// TestWhatComesTooLate: of what is forgotten nothing is concluded, and that is said.
func TestWhatComesTooLate(t *testing.T) {
	const cancelled = running + `30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1; told 1; end 1 canceled
		`
	const another = `
		50 client issue 2; > call 2
		51 server < call 2; start 2; end 2 "done 2"; > result 2
		52 client < result 2; return 2 "done 2"
		`
	const over = cancelled + another
	for _, c := range []struct {
		why, text, rule string
		whole, forgets  Status
	}{
		{"a late answer", over + "60 server > error 1\n70 client < error 1", "CANCEL-SILENCE", Fail, Pass},
		{
			"a second answer", cancelled + "41 server > error 1\n42 client < error 1" + another + "60 server > result 1\n70 client < result 1",
			"RESP-ONCE", Fail, Pass,
		},
		{"a cancel of what is forgotten", over + "60 client > cancel 1", "CANCEL-ONLY-ISSUED", Pass, Pass},
		{"late progress", over + "60 server > progress 1\n70 client < progress 1", "PROGRESS-AFTER-CANCEL", Fail, Vacuous},
	} {
		h := script{version: modernVersion, handlers: twoTools(), text: c.text}.history(t)
		assert.Equal(t, c.whole, verdictOf(t, Judge(h), c.rule).Status, c.why)
		got := verdictOf(t, judgeKeeping(h, 0), c.rule)
		assert.Equal(t, c.forgets, got.Status, c.why)
		assert.Equal(t, []Uncounted{{Why: whyForgotten, N: 1}}, got.Uncounted, c.why)
	}
	h := script{version: modernVersion, handlers: twoTools(), text: over + "60 client > cancel id 99"}.history(t)
	assert.Equal(t, Fail, verdictOf(t, judgeKeeping(h, 0), "CANCEL-ONLY-ISSUED").Status, "an id that was never used is still told")
}

// TestTasksHoldNoExchanges: a task is remembered for long, and what it came of is not.
func TestTasksHoldNoExchanges(t *testing.T) {
	h := asTask(`40 server end 1 "done 1"; > status 1 completed
		50 client < status 1 completed; return 1 "done 1"; > get 1
		60 server < get 1; > shown 1 completed
		70 client < shown 1 completed`).history(t)
	s := NewStream(h.Header, nil)
	s.limit = 0
	for i := range h.Events {
		s.Event(&h.Events[i])
	}
	known := s.tasks["t1"]
	require.NotNil(t, known)
	assert.Nil(t, s.call(1), "the call is forgotten")
	assert.Nil(t, known.call.req)
	assert.Equal(t, "done 1", known.call.end.Value, "what its tool came to is not")
	assert.Equal(t, "completed", known.over.status)
}

// TestStreamHandsOutEveryCall: each once, and as the judgement would list it.
func TestStreamHandsOutEveryCall(t *testing.T) {
	h := (&longTalk{cancelled: answeredLate(), named: plainID}).whole(1000)
	want := Judge(h)
	first := h.Header
	first.Calls = nil
	got := map[int]CallResult{}
	s := NewStream(first, func(r CallResult) {
		assert.NotContains(t, got, r.Call)
		got[r.Call] = r
	})
	s.limit = 5
	s.Calls(h.Header.Calls[:3])
	s.Calls(h.Header.Calls[3:])
	for i := range h.Events {
		s.Event(&h.Events[i])
	}
	j := s.Judgement()
	assert.Empty(t, j.Calls)
	assert.Equal(t, want.Verdicts, j.Verdicts)
	require.Len(t, got, len(want.Calls))
	for _, r := range want.Calls {
		assert.Equal(t, r, got[r.Call])
	}
}

// streamed judges a conversation of so many events as it comes to be, and calls at
// at every tenth of it.
func streamed(l *longTalk, events int, at func(s *Stream)) Judgement {
	s := NewStream(l.header(0), func(CallResult) {})
	for i := range events {
		e, made := l.next()
		if made > 0 {
			s.Calls([]history.Call{l.line(made)})
		}
		s.Event(&e)
		if (i+1)%(events/10) == 0 && at != nil {
			at(s)
		}
	}
	return s.Judgement()
}

// liveHeap is what is reachable, in bytes.
func liveHeap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMemoryDoesNotGrow: from the first tenth of a million events to the last, a
// judge takes no more room.
func TestMemoryDoesNotGrow(t *testing.T) {
	for _, c := range []struct {
		why    string
		talk   longTalk
		events int
	}{
		{"cancelled calls are answered", longTalk{cancelled: answeredLate(), named: plainID}, 1_000_000},
		{"they are not, and ids and tokens are texts", longTalk{cancelled: obeyed(), named: textID, token: textID}, 300_000},
		{"over HTTP, streams are closed", longTalk{over: StreamableHTTP, answered: posted(), cancelled: dropped(), named: plainID}, 400_000},
		{"of many clients", longTalk{over: StreamableHTTP, answered: posted(), cancelled: dropped(), named: textID, token: textID, clients: 5}, 300_000},
	} {
		t.Run(c.why, func(t *testing.T) {
			var room []int64
			j := streamed(&c.talk, c.events, func(s *Stream) {
				room = append(room, liveHeap())
				runtime.KeepAlive(s)
			})
			require.Len(t, room, 10)
			for i, bytes := range room {
				assert.InDelta(t, room[0], bytes, 2<<20, "after %d tenths", i+1)
			}
			assert.Less(t, room[9], int64(64<<20))
			assert.Greater(t, verdictOf(t, j, "CANCEL-SILENCE").Checked, c.events/40)
		})
	}
}
