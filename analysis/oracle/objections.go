package oracle

import (
	"fmt"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// An Objection is one of a rule's exemptions, put as a question about one
// violation, with the answer that the history gives.
type Objection struct {
	Exemption
	Answer string // one or two sentences; empty: the history does not tell
}

// Objections asks about a violation of the rule in h whatever could excuse it.
// Times in the answers are since the violation's call was issued, or since the
// start of the world where it has none, as the listing of that call has them.
// Exemptions without a question are left out.
func (r Rule) Objections(h *history.History, v Violation) []Objection {
	d := newDefence(h, v)
	var out []Objection
	for _, e := range r.Exempt {
		if e.Asks == "" {
			continue
		}
		o := Objection{Exemption: e}
		if d.act != nil {
			o.Answer = e.answer(d)
		}
		out = append(out, o)
	}
	return out
}

// A defence has what it takes to answer for one violation. Its methods are the
// answers; each is empty where the history lacks what it needs.
type defence struct {
	x      *index
	v      Violation
	call   *call          // nil: the violation is of no call
	act    *history.Event // the offence, the last of the violation's events; nil in another history
	origin time.Duration
}

func newDefence(h *history.History, v Violation) *defence {
	h = &history.History{Header: h.Header, Events: numbered(h.Events)}
	d := &defence{v: v}
	for _, seq := range v.Events {
		if seq >= 0 && seq < len(h.Events) {
			d.act = &h.Events[seq]
		}
	}
	d.x = indexOf(h, v.Call, d.act)
	d.call = d.x.call(v.Call)
	if d.call != nil && d.call.issue != nil {
		d.origin = d.call.issue.At
	}
	return d
}

// indexOf sorts a whole history, whose events are numbered: of a world with many clients
// the conversation of the one whose call that is, or who has to do with the event.
func indexOf(h *history.History, call int, act *history.Event) *index {
	if h.Header.Clients <= 0 {
		return newIndex(h)
	}
	s := newStream(h.Header, nil, nil)
	for _, m := range s.members {
		m.keep = true
	}
	for i := range h.Events {
		s.distribute(&h.Events[i])
	}
	s.finish()
	found := &s.index
	for n, m := range s.members {
		m.finish()
		if m.call(call) != nil || act != nil && act.Client == n+1 {
			found = &m.index
		}
	}
	return found
}

// when names an event by its instant and its place in the record.
func (d *defence) when(e *history.Event) string {
	return fmt.Sprintf("at %s (event %d)", millis(e.At-d.origin), e.Seq)
}

// cancelRead is the reading of the call's cancel; nil where there is none.
func (d *defence) cancelRead() *history.Event {
	if d.call == nil || d.call.req == nil {
		return nil
	}
	return d.call.req.c
}

// isReply reports whether the offence is a response.
func (d *defence) isReply() bool { return d.act.Kind == history.Write && d.act.Msg.IsReply() }

// millis writes a duration in milliseconds to the microsecond.
func millis(t time.Duration) string {
	return fmt.Sprintf("%.3f ms", float64(t)/float64(time.Millisecond))
}

// lapse says how long after a b came.
func lapse(a, b *history.Event) string {
	switch t := b.At - a.At; {
	case t == 0:
		return fmt.Sprintf("in the same instant, %d events later in the record", b.Seq-a.Seq)
	case t < time.Microsecond:
		return fmt.Sprintf("%d ns later", t)
	default:
		return millis(t) + " later"
	}
}
