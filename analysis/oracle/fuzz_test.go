package oracle

import (
	"bytes"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Whatever a history is, it is judged: nothing panics, and nobody is convicted but on
// events that are there. Histories come as bytes that nobody wrote ([FuzzJudge]), or
// are good ones that were damaged by a recipe ([FuzzDamaged]).

// requireEvidence holds what a reader of a judgement relies on: whom a violation
// accuses, of which call, and that it can be named and defended.
func requireEvidence(t testing.TB, h *history.History, j Judgement) {
	rules := Rules()
	for _, verdict := range j.Verdicts {
		rule, ok := find(rules, verdict.Rule)
		require.True(t, ok, verdict.Rule)
		require.Contains(t, []history.Side{history.Client, history.Server, history.World}, verdict.Side, verdict.Rule)
		exercised := 0
		for _, x := range verdict.Exercised {
			require.LessOrEqual(t, x.Failed, x.N, verdict.Rule)
			exercised += x.Failed
		}
		require.LessOrEqual(t, exercised, verdict.Failed, verdict.Rule)
		for _, v := range verdict.Violations {
			require.Contains(t, []history.Side{history.Client, history.Server, history.World}, v.Side, verdict.Rule)
			known := v.Call == 0 || slices.ContainsFunc(slices.Concat(h.Header.Calls, h.Header.Nested), func(c history.Call) bool { return c.Call == v.Call })
			require.True(t, known, "%s accuses somebody over call %d, which is none", verdict.Rule, v.Call)
			require.NotEmpty(t, v.Signature(), verdict.Rule)
			require.LessOrEqual(t, len(v.Signature()), maxSignature, verdict.Rule)
			rule.Objections(h, v)
		}
	}
	for i, c := range j.Calls {
		require.Equal(t, h.Header.Calls[i].Call, c.Call)
	}
}

// everything is the corpus with the recorded races and some legal conversations. It is
// made once, and not to be changed.
func everything(t testing.TB) []*history.History {
	everythingOnce.Do(func() {
		everythingMade = corpus(t)
		for _, b := range benignRaces() {
			h, err := history.ReadFile(b.file())
			require.NoError(t, err)
			everythingMade = append(everythingMade, h)
		}
		for seed := range 40 {
			everythingMade = append(everythingMade, rapid.Custom(func(rt *rapid.T) *history.History { return legalHistory(rt, t) }).Example(seed))
			everythingMade = append(everythingMade, rapid.Custom(func(rt *rapid.T) *history.History { return legalWeb(rt, t) }).Example(seed))
		}
	})
	return everythingMade
}

var (
	everythingOnce sync.Once
	everythingMade []*history.History
)

func ndjson(t testing.TB, h *history.History) []byte {
	var b bytes.Buffer
	require.NoError(t, history.Encode(&b, h))
	return b.Bytes()
}

// FuzzJudge judges what can be read of any bytes: what stood before the damage, too.
func FuzzJudge(f *testing.F) {
	for _, h := range everything(f) {
		f.Add(ndjson(f, h))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := history.Decode(bytes.NewReader(data))
		if h == nil {
			require.Error(t, err)
			return
		}
		j := Judge(h)
		requireSound(t, h, j)
		requireEvidence(t, h, j)
	})
}

// FuzzDamaged judges good histories that a recipe has damaged: a program of three
// bytes an operation.
func FuzzDamaged(f *testing.F) {
	for i := range everything(f) {
		f.Add(uint8(i), []byte{0, 3, 0, 1, 4, 9, 3, 5, 2, 5, 7, 1, 8, 2, 9})
		f.Add(uint8(i), []byte{13, byte(i), 4, 14, byte(3 * i), 7, 19, 5, byte(i)})
	}
	f.Fuzz(func(t *testing.T, which uint8, recipe []byte) {
		all := everything(t)
		s := stage(t, all[int(which)%len(all)])
		mutate(s.h, recipe[:min(len(recipe), 90)])
		j := Judge(s.h)
		requireSound(t, s.h, j)
		requireEvidence(t, s.h, j)
	})
}

func TestDamagedHistoriesAreJudged(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		all := everything(t)
		s := stage(t, all[rapid.IntRange(0, len(all)-1).Draw(rt, "which")])
		mutate(s.h, rapid.SliceOfN(rapid.Byte(), 0, 90).Draw(rt, "recipe"))
		j := Judge(s.h)
		requireSound(t, s.h, j)
		requireEvidence(t, s.h, j)
	})
	for _, h := range []*history.History{{}, {Events: make([]history.Event, 3)}} {
		requireSound(t, h, Judge(h))
	}
}

// Every prefix of a history is the history of a process that died.
func TestPrefixesAreJudged(t *testing.T) {
	for _, h := range everything(t) {
		for n := range h.Events {
			p := &history.History{Header: h.Header, Events: h.Events[:n]}
			requireSound(t, p, Judge(p))
		}
	}
}

// TestPrefixesOfLegalWebConversationsAreInnocent: likewise over HTTP.
func TestPrefixesOfLegalWebConversationsAreInnocent(t *testing.T) {
	drawn(t, 60, func(rt *rapid.T) *history.History { return legalWeb(rt, t) }, func(rt *rapid.T, h *history.History) {
		if !ranOut(h) {
			requireInnocentPrefixes(rt, h)
		}
	})
}

// A prefix of a legal conversation accuses nobody either, whether it was cut off or a
// tool of the scenario's crashed: by then nobody had broken anything.
func TestPrefixesOfLegalConversationsAreInnocent(t *testing.T) {
	conversations(t, 60, requireInnocentPrefixes)
}

func requireInnocentPrefixes(rt *rapid.T, h *history.History) {
	for n := range h.Events {
		p := &history.History{Header: h.Header, Events: h.Events[:n:n]}
		if f := failing(Judge(p)); f != "" {
			rt.Fatalf("%s failed\n%s", f, listing(p))
		}
		last := h.Events[max(n-1, 0)].At
		p.Events = append(p.Events, history.Event{Seq: n, At: last, Side: history.World, Kind: history.Crash, Blame: toolsCrash})
		if f := failing(Judge(p)); f != "" {
			rt.Fatalf("%s failed\n%s", f, listing(p))
		}
	}
}

// mutate does to a history what a recipe says. Numbers are made good at the end, as
// the judge would.
func mutate(h *history.History, recipe []byte) {
	for ; len(recipe) >= 3 && len(h.Events) > 0; recipe = recipe[3:] {
		op, i, v := int(recipe[0])%30, int(recipe[1])%len(h.Events), int(recipe[2])
		switch {
		case op > 24:
			damageExchange(h, op, i, v)
		case op < 5:
			damageOrder(h, op, i, v)
		case op < 13:
			damageEvent(&h.Events[i], op, v)
		case op < 18, op == 22:
			damageMessage(h, op, i, v)
		default:
			damageHeader(&h.Header, op, v)
		}
	}
	for i := range h.Events {
		h.Events[i].Seq = i
	}
}

// damageOrder drops, swaps, repeats and turns round events.
func damageOrder(h *history.History, op, i, v int) {
	j := v % len(h.Events)
	low, high := min(i, j), max(i, j)
	switch op {
	case 0:
		h.Events = slices.Delete(h.Events, i, i+1)
	case 1:
		h.Events[i], h.Events[j] = h.Events[j], h.Events[i]
	case 2:
		h.Events = slices.Insert(h.Events, i, h.Events[i])
	case 3:
		slices.Reverse(h.Events[low:high])
	case 4:
		if len(h.Events) < 2000 {
			h.Events = slices.Insert(h.Events, high, slices.Clone(h.Events[low:high])...)
		}
	}
}

func damageEvent(e *history.Event, op, v int) {
	words := []string{"", "deadline", "client", "server", "pair", "tool", "done 1", "\xff\n\t", toolCode, "created by x.(*Server).y\n"}
	switch op {
	case 5:
		e.Frame = v - 3
	case 6:
		e.Call = v - 3
	case 7:
		e.At = time.Duration(v-100) * time.Millisecond
	case 8:
		e.Frame = int(int64(v) << 55)
	case 9:
		kinds := allKinds()
		e.Kind = kinds[v%len(kinds)]
	case 10:
		e.Side = []history.Side{history.Client, history.Server, history.World, ""}[v%4]
	case 11:
		*[]*string{&e.Text, &e.Value, &e.Blame}[v%3] = words[v%len(words)]
	case 12:
		e.Arrived, e.N = time.Duration(v-100)*time.Second, v-100
	}
}

func allKinds() []history.Kind {
	return []history.Kind{
		history.Write, history.Wrote, history.Read, history.Unread, history.EOF, history.Hangup, history.Issue, history.Cancel,
		history.Return, history.Close, history.Closed, history.Start, history.Told, history.End, history.Progress, history.Crash,
		history.Leak, history.Probe, history.Probed, history.Horizon, history.Served, history.HalfClose, history.Exit,
		history.Connect, history.Connected, history.Quiet, history.Missed, history.Stop, history.Change, history.Goroutines, history.Open,
		history.Release, history.Effect, "nonsense",
		history.Begin, history.Status, history.Drop, history.Gone, history.Finish, history.Fault, history.Cue, history.Sessions,
	}
}

// TestAllKindsAreDamagedInto: what there is in a history, the recipes can make.
func TestAllKindsAreDamagedInto(t *testing.T) {
	for _, h := range everything(t) {
		for _, e := range h.Events {
			require.Contains(t, allKinds(), e.Kind)
		}
	}
}

// damageMessage changes what one event's frame says, or, when v is even, what all of
// the frame's do.
func damageMessage(h *history.History, op, i, v int) {
	e := &h.Events[i]
	m := e.Msg
	if m == nil || op == 13 {
		e.Msg = h.Events[v%len(h.Events)].Msg
		return
	}
	if v%2 == 1 {
		own := *m
		m, e.Msg = &own, &own
	}
	ids := []string{"", "11", "12", `"11"`, "null", "0", "-1", "900", `"p1"`, "1e99", "{"}
	switch op {
	case 14:
		e.Msg = nil
	case 15:
		*[]*string{&m.ID, &m.Ref, &m.Token}[v%3] = ids[v%len(ids)]
	case 16:
		m.Kind = []history.MessageKind{history.Request, history.Notification, history.Response, history.ErrorReply, history.Invalid, ""}[v%6]
	case 17:
		m.Method = []string{"", "notifications/cancelled", "notifications/progress", "tools/call", "initialize", "tasks/cancel", "ping", listenMethod, tasksResult}[v%9]
		m.Call, m.Raw = v%5-1, m.Raw[:len(m.Raw)*(v%4)/4]
	case 22:
		m.Sub, m.Task = ids[v%len(ids)], []string{"", "t1", "t2"}[v/3%3]
		m.Status, m.Augmented = []string{"", "working", "cancelled", "completed", "nonsense"}[v%5], v/2%2 == 1
	}
}

// damageExchange changes what an event has to do with exchanges and clients.
func damageExchange(h *history.History, op, i, v int) {
	e := &h.Events[i]
	switch op {
	case 25:
		e.Exchange = v%12 - 2
	case 26:
		e.EventID = []string{"", "e1", "e2", "1.1-0"}[v%4]
	case 27:
		e.Client, h.Header.Clients = v%5-1, []int{0, 1, 2, 3, -1, 1 << 30}[v/5%6]
	case 28:
		if e.HTTP == nil {
			e.HTTP = &history.HTTPHead{}
		}
		own := *e.HTTP
		e.HTTP = &own
		own.Status, own.Method = []int{0, 200, 202, 404, 502, -7}[v%6], []string{"", "GET", "POST", "DELETE"}[v%4]
		own.Session, own.LastEvent, own.Instance = []string{"", "s1", "s2"}[v%3], []string{"", "e1", "e9"}[v/3%3], v%4-1
	case 29:
		h.Header.Transport = []string{"stdio", "streamable-http", "http-sse", "", "pigeon"}[v%5]
	}
}

func damageHeader(h *history.Header, op, v int) {
	switch op {
	case 18:
		h.SpecVersion = append(versions(), "", "draft")[v%7]
		h.Clock = []string{"virtual", "wall"}[v%2]
	case 19:
		h.Calls = append(h.Calls, history.Call{Call: v - 3, Work: time.Duration(v-100) << 54})
	case 20:
		h.Horizon, h.Settle = time.Duration(v-100)<<40, time.Duration(v-100)<<(v%60)
	case 21:
		if len(h.Calls) > 0 {
			c := &h.Calls[v%len(h.Calls)]
			c.Handler, c.Method = []string{"", "stubborn", "cooperative"}[v%3], []string{"", "tools/call", "ping", listenMethod}[v/3%4]
			c.Task = []string{"", "task", "wait"}[v%3]
		}
	case 23:
		h.Nested = append(slices.Clip(h.Nested), history.Call{Call: v - 3, Parent: v % 4, Method: "sampling/createMessage", Handler: "cooperative"})
	case 24:
		all := checks()
		h.Deliberate = append(slices.Clip(h.Deliberate), []string{"client:", "server:", ""}[v%3]+all[v%len(all)].rule)
	}
}
