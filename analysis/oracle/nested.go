package oracle

import (
	"slices"

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
		{rule: "CANCEL-NO-RESPONSE", call: noResponse},
		{rule: "CANCEL-STOP-WORK", call: stopWork},
		{rule: "LATE-IGNORED", world: lateIgnored},
		{rule: "CALLER-UNBLOCKS", call: toolUnblocks},
		{rule: "REQUEST-DISPATCHED", world: requestDispatched},
		{rule: "NO-SPURIOUS-CANCEL", world: noSpuriousCancel},
		{rule: "ANSWER-OWN", world: answerOwn},
		{rule: nestedRule, world: nestedCancelled},
	}
}

// nestedRule is the one rule that speaks of nothing but nested calls.
const nestedRule = "NESTED-CANCELLED"

// exchanged returns the history with the seats of the two sides exchanged and the
// nested calls in the place of the calls.
func exchanged(h *history.History) *history.History {
	out := &history.History{Header: h.Header, Events: slices.Clone(h.Events)}
	out.Header.Client, out.Header.Server = h.Header.Server, h.Header.Client
	out.Header.Calls, out.Header.Nested = h.Header.Nested, nil
	for i := range out.Events {
		out.Events[i].Side = out.Events[i].Side.Peer()
	}
	return out
}

// judgeNested adds to the verdicts what they come to for nested calls.
func judgeNested(h *history.History, verdicts []Verdict) {
	if len(h.Header.Nested) == 0 {
		return
	}
	x := newIndex(exchanged(h))
	for _, c := range nestedChecks() {
		i := slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Rule == c.rule })
		if verdicts[i].Level == "" {
			continue
		}
		t := tally{verdict: Verdict{Rule: c.rule, Status: Vacuous, Side: verdicts[i].Side, Level: verdicts[i].Level}}
		c.judge(x, &t)
		w := t.sum()
		if verdicts[i].Rule != nestedRule {
			w.Nested = w.Checked
		}
		verdicts[i].add(w)
	}
}

// add adds the verdict on nested calls, whose sides are exchanged.
func (v *Verdict) add(w Verdict) {
	sides := v.Failed > 0
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
	v.Uncounted = append(v.Uncounted, w.Uncounted...)
	v.Exercised = append(v.Exercised, w.Exercised...)
	v.Status = worse(v.Status, w.Status)
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
func nestedCancelled(x *index, t *tally) {
	x.judgeNotifying(t, func(*call) bool { return true }, "wrote no cancel for what a tool had asked, whose call was cancelled")
}

// toolUnblocks: a tool that was told to stop while it waited for the client's answer
// gets control back before the session ends.
func toolUnblocks(x *index, c *call, t *tally) {
	if c.cancel == nil {
		return
	}
	end := earlier(x.over, x.horizon)
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
