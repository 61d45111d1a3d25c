package analysis

import (
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A FaultCount is how often a kind of HTTP fault was drawn for an exchange, and how often
// it struck: a stream that is to be cut after 80 ms is not if it was over by then. Of a
// connection that breaks, both are how many exchanges it broke.
type FaultCount struct {
	Kind   string `json:"kind"` // as scenarios name it: "cut"
	Drawn  int    `json:"drawn"`
	Struck int    `json:"struck"`
}

// mayMiss are the kinds of faults that come some time after their exchange began, and
// that then may be over. All others strike what they are drawn for.
var mayMiss = [...]string{"cut", "timeout"}

// A faultLog counts the faults of one history. What it holds is bounded by the exchanges
// that are open.
type faultLog struct {
	counts []FaultCount
	open   map[int]string // exchange → the kind that was drawn for it and that has not struck yet
}

// see takes the next event.
func (l *faultLog) see(e *history.Event) {
	kind, drawn := l.open[e.Exchange]
	switch {
	case e.Kind == history.Fault && slices.Contains(mayMiss[:], e.Text):
		if l.open == nil {
			l.open = map[int]string{}
		}
		l.counts = addFault(l.counts, FaultCount{e.Text, 1, 0})
		l.open[e.Exchange] = e.Text
	case e.Kind == history.Fault:
		l.counts = addFault(l.counts, FaultCount{e.Text, 1, 1})
	case !drawn || e.Side != history.Client:
	case e.Kind == history.Drop: // the client was first
		delete(l.open, e.Exchange)
	case e.Kind == history.Status && e.HTTP != nil && e.HTTP.Status >= 500, e.Kind == history.Finish && e.Text != "":
		l.counts = addFault(l.counts, FaultCount{kind, 0, 1})
		delete(l.open, e.Exchange)
	case e.Kind == history.Finish:
		delete(l.open, e.Exchange)
	}
}

// addFault adds to the count of a kind; the kinds stay sorted.
func addFault(counts []FaultCount, f FaultCount) []FaultCount {
	i, found := slices.BinarySearchFunc(counts, f.Kind, func(c FaultCount, kind string) int { return strings.Compare(c.Kind, kind) })
	if !found {
		return slices.Insert(counts, i, f)
	}
	counts[i].Drawn += f.Drawn
	counts[i].Struck += f.Struck
	return counts
}

// faults says how many exchanges each kind of HTTP fault struck.
func (r Report) faults() string {
	var counts []FaultCount
	for _, g := range r.Summary.Tested() {
		for _, f := range g.Faults {
			counts = addFault(counts, f)
		}
	}
	if len(counts) == 0 {
		return ""
	}
	missed := false
	var parts []string
	for _, f := range counts {
		part := f.Kind + " " + group(f.Struck)
		if f.Struck < f.Drawn {
			part += " of " + group(f.Drawn) + " drawn"
			missed = true
		}
		parts = append(parts, part)
	}
	text := "HTTP faults, by the exchanges that they struck: " + strings.Join(parts, ", ")
	if missed {
		text += "; the others came when their exchange was over"
	}
	return fold(text, "")
}
