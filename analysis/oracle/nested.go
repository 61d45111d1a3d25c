package oracle

import (
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Legacy servers ask clients, too, and the rules of cancelling bind whoever
// receives a request. So what tools ask of the client is judged by the oracles of
// calls, with the sides exchanged:
//
//	client  ──call 1──▶                               ──cancel 1──▶
//	server             ▶ tool … ──call 5──▶                        ▶ told … ──cancel 5──▶
//	client                                 ▶ answer …                                    ▶ told
//
// The landmarks of the session are the same, seen from the other end.

// nestedChecks lists the oracles of nested calls; they count for the rules of the
// same names.
func nestedChecks() []check {
	return []check{
		{rule: "CANCEL-NO-RESPONSE", level: until(lastLegacy, Should), call: noResponse},
		{rule: "CANCEL-STOP-WORK", level: until(lastLegacy, Should), call: stopWork},
		{rule: "LATE-IGNORED", level: until(lastLegacy, Should), call: lateIgnored},
		{rule: "CALLER-UNBLOCKS", level: until(lastLegacy, Quality), call: toolUnblocks},
		{rule: "REQUEST-DISPATCHED", level: until(lastLegacy, Quality), call: requestDispatched},
		{rule: "NO-SPURIOUS-CANCEL", level: until(lastLegacy, Quality), call: noSpuriousCancel},
		{rule: "ANSWER-OWN", level: until(lastLegacy, Quality), call: answerOwn},
		{rule: nestedRule, level: until(lastLegacy, Quality), call: nestedCancelled},
	}
}

// nestedRule is the one rule that speaks of nothing but nested calls.
const nestedRule = "NESTED-CANCELLED"

// newNested returns a judge of a history's nested calls, nil if it has none. It is
// to be given every event, see exchanged.
func newNested(h history.Header) *Stream {
	if len(h.Nested) == 0 {
		return nil
	}
	h.Client, h.Server = h.Server, h.Client
	h.Calls, h.Nested = ofParents(h), nil
	h.Deliberate = exchangedSides(h.Deliberate)
	s := newStream(h, nestedChecks(), func(CallResult) {})
	s.swapped = true
	for _, m := range s.members {
		m.swapped = true
	}
	return s
}

// ofParents returns the nested calls of a history, each with the client of the call whose
// tool makes it.
func ofParents(h history.Header) []history.Call {
	if h.Clients == 0 {
		return h.Nested
	}
	client := map[int]int{}
	for i := range h.Calls {
		client[h.Calls[i].Call] = h.Calls[i].Client
	}
	out := slices.Clone(h.Nested)
	for i := range out {
		out[i].Client = client[out[i].Parent]
	}
	return out
}

// exchanged returns an event as it is when the two sides have changed their seats.
func exchanged(e *history.Event) *history.Event {
	out := *e
	out.Side = e.Side.Peer()
	return &out
}

// exchangedSides returns what is broken on purpose, "server:RULE", as it is then.
func exchangedSides(deliberate []string) []string {
	var out []string
	for _, entry := range deliberate {
		side, rule, _ := strings.Cut(entry, ":")
		out = append(out, string(history.Side(side).Peer())+":"+rule)
	}
	return out
}

// addNested adds to the verdicts what they come to for nested calls.
func (s *Stream) addNested() {
	if s.nested == nil {
		return
	}
	for _, w := range s.nested.Judgement().Verdicts {
		i := slices.IndexFunc(s.verdict, func(v Verdict) bool { return v.Rule == w.Rule })
		if w.Rule != nestedRule {
			w.Nested = w.Checked
		}
		s.verdict[i].add(w)
	}
}

// add adds the verdict on nested calls, whose sides are exchanged.
func (v *Verdict) add(w Verdict) {
	sides := v.Failed > 0
	v.Implied = implied(*v, w)
	v.Checked += w.Checked
	v.Failed += w.Failed
	v.Nested += w.Nested
	if w.Failed > 0 {
		if side := w.Side.Peer(); !sides {
			v.Side = side
		} else if v.Side != side {
			v.Side = history.World
		}
	}
	for _, x := range w.Violations {
		if len(v.Violations) < MaxViolations {
			x.Side = x.Side.Peer()
			v.Violations = append(v.Violations, x)
		}
	}
	for _, u := range w.Uncounted {
		v.addUncounted(u)
	}
	for _, x := range w.Exercised {
		v.addExercise(x)
	}
	v.Status = worse(v.Status, w.Status)
}

func (v *Verdict) addUncounted(u Uncounted) {
	i := slices.IndexFunc(v.Uncounted, func(mine Uncounted) bool { return mine.Why == u.Why })
	if i < 0 {
		v.Uncounted = append(v.Uncounted, u)
		return
	}
	v.Uncounted[i].N += u.N
}

func (v *Verdict) addExercise(x Exercise) {
	i := slices.IndexFunc(v.Exercised, func(mine Exercise) bool { return mine.Handler == x.Handler && mine.Phase == x.Phase })
	if i < 0 {
		v.Exercised = append(v.Exercised, x)
		return
	}
	v.Exercised[i].N += x.N
	v.Exercised[i].Failed += x.Failed
}

// implied is the stricter rule under which all breaches of two verdicts are reported,
// empty if some of them are the rule's own. What one of them only left uncounted for
// the sake of another rule does not count.
func implied(v, w Verdict) string {
	switch {
	case v.Failed == 0:
		return w.Implied
	case w.Failed == 0 || w.Implied != "":
		return v.Implied
	}
	return ""
}

// worse is the status of two verdicts together.
func worse(a, b Status) Status {
	for _, s := range []Status{Fail, Unknown, Ambiguous, Pass} {
		if a == s || b == s {
			return s
		}
	}
	return Vacuous
}

// nestedCancelled: the server tells the client when what a tool asked is not wanted
// any more.
func nestedCancelled(x *index, c *call, t *tally) {
	if c.cancel != nil {
		x.judgeNotifying(c, "wrote no cancel for what a tool had asked, whose call was cancelled", t)
	}
}

// toolUnblocks: a tool that was told to stop while it waited for the client's answer
// gets control back before the session ends.
func toolUnblocks(x *index, c *call, t *tally) {
	if c.cancel == nil {
		return
	}
	end := earlier(x.overFor(c.req), x.horizon)
	switch {
	case before(c.ret, end) || c.ret != nil && end == nil:
		t.kept(c, "")
	case end == nil:
		t.leave(whyCrashed)
	case span(c.cancel, end) < max(x.header.Settle, 1):
		t.leave(whyClosing)
	default:
		t.fail(Violation{
			Call: c.Call.Call, Side: history.Client, Handler: c.kind(), Method: c.otherMethod(), Lateness: span(c.cancel, end),
			What: "held a tool that had been told to stop until the client answered, or the session ended",
		}, c.cancel, end, c.ret)
	}
}
