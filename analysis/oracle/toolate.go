package oracle

import (
	"fmt"
	"slices"

	"github.com/mcpsim/mcpsim/sim/history"
)

// These put down what came too late to be judged. A rule that was broken by it cannot
// be told from one that was kept.

// lateReply: a reply to a request that is forgotten may be its first or one too many.
func lateReply(_ *index, f *frame, t *tally) {
	if f.forgotten && f.msg.IsReply() {
		t.leave(whyForgotten)
	}
}

// lateReport: likewise progress.
func lateReport(_ *index, f *frame, t *tally) {
	if f.forgotten && f.side == history.Server && !f.msg.IsCancel() && !f.msg.IsReply() {
		t.leave(whyForgotten)
	}
}

// lateWord: likewise whatever a server says of a request that is forgotten.
func lateWord(_ *index, f *frame, t *tally) {
	if f.forgotten && f.side == history.Server && !f.msg.IsCancel() {
		t.leave(whyForgotten)
	}
}

// lateStart: a handler that begins for a call that is forgotten may have been
// cancelled.
func lateStart(x *index, t *tally) {
	for range x.lateStarts {
		t.leave(whyForgotten)
	}
}

// lateStray: a cancel of a request that is forgotten may hit another one.
func lateStray(_ *index, f *frame, t *tally) {
	if f.forgotten {
		t.leave(whyForgotten)
	}
}

// lateHeir: a request may have the id of one that is forgotten, and its cancels.
func lateHeir(_ *index, r *request, t *tally) {
	if r.perhapsUsed {
		t.leave(whyForgotten)
	}
}

// tooLate is the exemption of rules about what may come when the judge has forgotten
// what it belongs to; none of other rules.
func tooLate(rule string) []Exemption {
	if !slices.Contains([]string{
		"CANCEL-NO-RESPONSE", "CANCEL-SILENCE", "CANCEL-STOP-WORK", "CANCEL-ONLY-ISSUED", "RESP-ONCE", "PROGRESS-AFTER-CANCEL", "ANSWER-OWN",
		"CANCEL-SAME-DIRECTION", "ID-NO-REUSE-L", "ID-NO-REUSE-M", "RESP-SAME-ID", "PROGRESS-ACTIVE", "CANCEL-RIGHT-CALL", "CANCEL-INVALID-IGNORED",
	}, rule) {
		return nil
	}
	return []Exemption{{
		Why: whyForgotten, OfLong: true,
		What: fmt.Sprintf("The judge keeps what is under way, and the last %d exchanges and other messages that are over. "+
			"What comes later than that is neither a breach nor a proof that there was none.", remembered),
	}}
}
