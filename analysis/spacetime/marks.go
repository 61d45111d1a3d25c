package spacetime

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// A charge is one violation with the name under which the margin shows it.
type charge struct {
	label string
	v     oracle.Violation
}

// charges are the violations to mark: without a finding all of them, each by
// its rule; with one those of the finding's rule and cause, by its name. A finding that
// the judgement does not know is of another history and is not marked.
func (sc *scene) charges(f Finding) []charge {
	var all []charge
	if f.ID != "" && len(sc.judged.Verdicts) == 0 {
		return []charge{{f.ID, f.Violation}}
	}
	for _, v := range sc.judged.Verdicts {
		label := v.Rule
		switch {
		case v.Status != oracle.Fail:
			continue
		case f.ID == "" && v.Implied != "":
			continue // the stricter rule's mark is there
		case f.ID != "" && !slices.ContainsFunc(v.Violations, func(o oracle.Violation) bool { return sameAct(o, f.Violation) }):
			continue
		case f.ID != "":
			label = f.ID
		}
		for _, o := range v.Violations {
			if f.ID == "" || o.Signature() == f.Violation.Signature() {
				all = append(all, charge{label, o})
			}
		}
	}
	return all
}

// sameAct reports whether two violations are proven by the same events.
func sameAct(a, b oracle.Violation) bool {
	return a.Call == b.Call && slices.Equal(a.Events, b.Events)
}

// offences are the events that convict: the last of each charge's.
func (sc *scene) offences(f Finding) map[int]bool {
	set := map[int]bool{}
	for _, c := range sc.charges(f) {
		if n := len(c.v.Events); n > 0 {
			set[c.v.Events[n-1]] = true
		}
	}
	return set
}

// convicts reports whether the i-th event is evidence of a violation.
func (sc *scene) convicts(i int) bool {
	for _, v := range sc.judged.Verdicts {
		for _, o := range v.Violations {
			if v.Status == oracle.Fail && slices.Contains(o.Events, i) {
				return true
			}
		}
	}
	return false
}

// mark writes each charge into the margin of the last of its events that the
// scene shows.
func (sc *scene) mark(f Finding) {
	at := map[int]int{}
	for i, s := range sc.steps {
		if s.observed {
			at[s.seq] = i
		}
	}
	for _, c := range sc.charges(f) {
		for _, seq := range slices.Backward(c.v.Events) {
			i, ok := at[seq]
			if !ok {
				continue
			}
			s, mark := &sc.steps[i], c.label+sc.margin(c.v, seq)
			if strings.Contains(s.finding, mark) {
				break // one act that convicts twice
			}
			if s.finding != "" {
				s.finding += ", "
			}
			s.finding += mark
			break
		}
	}
}

// margin says how long after the cancel's being read an offence came: by the
// clock, or by the order of steps where the clock stood still.
func (sc *scene) margin(v oracle.Violation, seq int) string {
	l := sc.calls[v.Call]
	if l == nil || l.cancelRead < 0 || l.cancelRead >= seq || v.Lateness != sc.h.Events[seq].At-sc.h.Events[l.cancelRead].At {
		return "" // not late, or not counted from there
	}
	if v.Lateness > 0 {
		return " +" + exact(v.Lateness)
	}
	// Only what was sent is late; a crash, say, is bad at any time.
	if sc.h.Events[seq].Kind != history.Write {
		return ""
	}
	switch n := sc.stepsBetween(v.Call, l.cancelRead, seq); n {
	case 1:
		return " same instant, 1 step later"
	default:
		return " same instant, " + strconv.Itoa(n) + " steps later"
	}
}

// stepsBetween counts what a call did after event from, up to and with event
// to: one for each row that the listing of that call alone has.
func (sc *scene) stepsBetween(call, from, to int) int {
	n := 0
	for i := from + 1; i <= to; i++ {
		e := sc.h.Events[i]
		switch f := sc.frames[i]; {
		case f != nil:
			if f.call == call && !f.hidden(i) {
				n++
			}
		case e.Exchange > 0:
			if s, ok := sc.exchangeStep(i, e); ok && s.call == call {
				n++
			}
		case e.Call == call && e.Kind != history.Wrote:
			n++
		}
	}
	return n
}
