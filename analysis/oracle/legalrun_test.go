package oracle

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/sim/history"
)

// conversations holds a property to n legal conversations, or to as many as
// -rapid.checks says: 100,000 are judged with
//
//	go test ./analysis/oracle -run ConversationsAreNeverConvicted -rapid.checks 100000
func conversations(t *testing.T, n int, property func(rt *rapid.T, h *history.History)) {
	withChecks(t, n, func() {
		rapid.Check(t, func(rt *rapid.T) { property(rt, legalHistory(rt, t)) })
	})
}

// drawn holds a property to n histories, or to as many as -rapid.checks says.
func drawn(t *testing.T, n int, draw func(*rapid.T) *history.History, property func(*rapid.T, *history.History)) {
	withChecks(t, n, func() {
		rapid.Check(t, func(rt *rapid.T) { property(rt, draw(rt)) })
	})
}

// withChecks has rapid draw n times, or as often as -rapid.checks says.
func withChecks(t *testing.T, n int, check func()) {
	const unasked = "100" // what rapid does by itself
	if f := flag.Lookup("rapid.checks"); f.Value.String() == unasked {
		require.NoError(t, f.Value.Set(fmt.Sprint(n)))
		defer func() { require.NoError(t, f.Value.Set(unasked)) }()
	}
	check()
}

// Whoever keeps every rule is accused of nothing, whatever crosses; and since the
// clock is virtual, nothing stays open. In wall time much does, but nobody is
// convicted either.
func TestLegalConversationsAreNeverConvicted(t *testing.T) {
	seen := census{}
	conversations(t, 3000, func(rt *rapid.T, h *history.History) {
		j := Judge(h)
		requireSound(t, h, j)
		requireInnocent(rt, h, j, Pass, Vacuous)
		seen.take(h, j)
		h.Header.Clock = "wall"
		requireInnocent(rt, h, Judge(h), Pass, Vacuous, Ambiguous)
	})
	for _, what := range worthSeeing() {
		assert.Positive(t, seen[what], "the conversations must be worth judging: %s", what)
	}
}

func requireInnocent(rt *rapid.T, h *history.History, j Judgement, allowed ...Status) {
	for _, v := range j.Verdicts {
		if !slices.Contains(allowed, v.Status) {
			rt.Fatalf("%s: %s: %+v\n%s", v.Rule, v.Status, v.Violations, listing(h))
		}
	}
	for _, c := range j.Calls {
		if c.Incident != "" || c.Late && (c.Handler != "stubborn" || h.Header.Modern()) && h.Header.Scenario != looseScenario {
			rt.Fatalf("call %d: %+v\n%s", c.Call, c, listing(h))
		}
	}
}

// listing is a history for the eye.
func listing(h *history.History) string {
	var b strings.Builder
	for _, e := range h.Events {
		fmt.Fprintf(&b, "%3d %4d %-6s %-9s", e.Seq, e.At/time.Millisecond, e.Side, e.Kind)
		if e.Frame > 0 {
			fmt.Fprintf(&b, " frame %d", e.Frame)
		}
		if e.Msg != nil {
			fmt.Fprintf(&b, " %s %s %s%s%s", e.Msg.Kind, e.Msg.Method, e.Msg.ID, e.Msg.Ref, e.Msg.Token)
		}
		if e.Call > 0 {
			fmt.Fprintf(&b, " call %d", e.Call)
		}
		if e.Exchange > 0 {
			fmt.Fprintf(&b, " exchange %d", e.Exchange)
		}
		if e.Client > 0 {
			fmt.Fprintf(&b, " of client %d", e.Client)
		}
		if e.HTTP != nil {
			fmt.Fprintf(&b, " %+v", *e.HTTP)
		}
		fmt.Fprintf(&b, " %s%s\n", e.Text, e.Value)
	}
	return b.String()
}

// A census counts what the conversations had in them.
type census map[string]int

func (c census) take(h *history.History, j Judgement) {
	c["version "+h.Header.SpecVersion]++
	for _, v := range j.Verdicts {
		if v.Checked > 0 {
			c["rule "+v.Rule]++
		}
		for _, u := range v.Uncounted {
			c[u.Why] += u.N
		}
	}
	for _, r := range j.Calls {
		c[fmt.Sprintf("phase %s", r.Phase)]++
		c[fmt.Sprintf("work %s", r.Work)]++
	}
	c.wire(h)
}

// wire counts what the two streams had in them.
func (c census) wire(h *history.History) {
	ids := map[string]bool{}
	begun := map[int]time.Duration{}
	for i, e := range h.Events {
		switch e.Kind {
		case history.HalfClose, history.Exit, history.Leak, history.Unread:
			c[string(e.Kind)]++
		case history.Close:
			if !slices.ContainsFunc(h.Events[:i], func(e history.Event) bool { return e.Kind == history.Quiet }) {
				c["closed in flight"]++
			}
		case history.Wrote:
			if e.Text == "" && e.At > begun[e.Frame] {
				c["stall"]++
			}
		case history.Write:
			begun[e.Frame] = e.At
			if i > 0 && h.Events[i-1].Kind == history.Write && h.Events[i-1].Side == e.Side {
				c["cluster"]++
			}
			c.frame(e, ids)
		}
	}
}

func (c census) frame(e history.Event, ids map[string]bool) {
	m := e.Msg
	if m.Kind == history.Request {
		id := string(e.Side) + m.ID
		if ids[id] {
			c["id used again"]++
		}
		ids[id] = true
		if m.ID[0] != '"' && ids[string(e.Side)+`"`+m.ID+`"`] {
			c["twin ids"]++
		}
		if ids[string(e.Side.Peer())+m.ID] {
			c["id of both sides"]++
		}
	}
	if e.Side == history.Server && m.IsCancel() {
		c["cancel by the server"]++
	}
}

// worthSeeing is what a census of legal conversations must have counted: every
// crossing that the rules allow, and every rule that they can keep.
func worthSeeing() []string {
	var out []string
	for _, v := range versions() {
		out = append(out, "version "+v)
	}
	for _, p := range []Phase{"", NeverIssued, Queued, Running, Returned, Crossing, AfterResponse, Undelivered} {
		out = append(out, fmt.Sprintf("phase %s", p))
	}
	for _, w := range []Work{Ended, Stopped, ToldRanOn, NotRead} {
		out = append(out, fmt.Sprintf("work %s", w))
	}
	return append(out,
		whyResponseBefore, whyHandlerOver, whySameInstant, whyServerHeld, whyResponseRead, whyRepeated, whyProgressBefore,
		whyProgressAsked, whyStubborn, whyReplyFirst, whyClosing, whyWriterHeld, whyToolsOwn, whyProcessGone,
		string(history.HalfClose), string(history.Exit), string(history.Unread), "closed in flight", "stall", "cluster",
		"id used again", "twin ids", "id of both sides", "cancel by the server",
	)
}

// renamed returns h with every id and token replaced by another of the same JSON type.
// Equal ones stay equal, different ones different, and 7 and "7" stay alike.
func renamed(h *history.History) *history.History {
	name := func(raw string) string {
		inner, quoted := strings.CutPrefix(raw, `"`)
		inner = strings.TrimSuffix(inner, `"`)
		switch n, err := strconv.Atoi(inner); {
		case raw == "" || raw == "null" || inner == "0":
			return raw
		case err == nil && n < 0:
			inner = strconv.Itoa(n - 1000)
		case err == nil:
			inner = strconv.Itoa(n + 1000)
		default:
			inner = "zzz" + inner
		}
		if quoted {
			return `"` + inner + `"`
		}
		return inner
	}
	messages := map[*history.Message]*history.Message{nil: nil}
	out := &history.History{Header: h.Header, Events: slices.Clone(h.Events)}
	for i := range out.Events {
		e := &out.Events[i]
		if messages[e.Msg] == nil && e.Msg != nil {
			m := *e.Msg
			m.ID, m.Ref, m.Token, m.Sub = name(m.ID), name(m.Ref), name(m.Token), name(m.Sub)
			messages[e.Msg] = &m
		}
		e.Msg = messages[e.Msg]
	}
	return out
}

func TestNamesDoNotMatter(t *testing.T) {
	conversations(t, 300, func(rt *rapid.T, h *history.History) {
		require.Equal(t, Judge(h), Judge(renamed(h)))
	})
	for _, r := range races() {
		h := r.script.history(t)
		require.Equal(t, Judge(h), Judge(renamed(h)), r.file)
	}
	drawn(t, 200, func(rt *rapid.T) *history.History { return legalWeb(rt, t) }, func(_ *rapid.T, h *history.History) {
		require.Equal(t, Judge(h), Judge(renamed(h)))
	})
}

// retimed returns h with every instant moved.
func retimed(h *history.History, move func(time.Duration) time.Duration) *history.History {
	out := &history.History{Header: h.Header, Events: slices.Clone(h.Events)}
	for i := range out.Events {
		e := &out.Events[i]
		e.At = move(e.At)
		if e.Arrived > 0 { // 0: it did not arrive
			e.Arrived = move(e.Arrived)
		}
	}
	return out
}

// A saying is what a verdict says, without what it measures.
type saying struct {
	rule, implied   string
	status          Status
	checked, failed int
	uncounted       []Uncounted
}

func sayings(j Judgement) []saying {
	var out []saying
	for _, v := range j.Verdicts {
		out = append(out, saying{v.Rule, v.Implied, v.Status, v.Checked, v.Failed, v.Uncounted})
	}
	return out
}

// Twice the time makes twice the durations, and no other verdict; an hour later
// makes no difference at all.
func TestOnlyOrderAndEqualityOfTimesMatter(t *testing.T) {
	conversations(t, 300, requireOnlyOrder)
	drawn(t, 200, func(rt *rapid.T) *history.History { return legalWeb(rt, t) }, requireOnlyOrder)
}

func requireOnlyOrder(t *rapid.T, h *history.History) {
	a := Judge(h)
	require.Equal(t, a, Judge(retimed(h, func(at time.Duration) time.Duration { return at + time.Hour })))
	b := Judge(retimed(h, func(at time.Duration) time.Duration { return 2 * at }))
	require.Equal(t, sayings(a), sayings(b))
	for i := range a.Calls {
		require.Equal(t, a.Calls[i].Phase, b.Calls[i].Phase)
		require.Equal(t, a.Calls[i].Work, b.Calls[i].Work)
		if a.Calls[i].ReadToEnd >= 0 {
			require.Equal(t, 2*a.Calls[i].ReadToEnd, b.Calls[i].ReadToEnd)
		}
	}
}
