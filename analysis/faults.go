package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A FaultCount is how often a kind of HTTP fault was drawn for an exchange, and how often
// it struck: a connection that is to break after 80 ms breaks nothing of an exchange that
// was over by then.
type FaultCount struct {
	Kind   string `json:"kind"` // as scenarios name it: "cut"
	Drawn  int    `json:"drawn"`
	Struck int    `json:"struck"`
}

// mayMiss are the kinds of faults that come some time after their exchange began, and
// that then may be over. All others strike what they are drawn for.
var mayMiss = [...]string{"cut", "drop", "timeout"}

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

// faults says how many HTTP faults were drawn, and how many of them struck.
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
	drawn, missed := 0, 0
	var parts []string
	for _, f := range counts {
		drawn, missed = drawn+f.Drawn, missed+f.Drawn-f.Struck
		part := f.Kind + " " + group(f.Drawn)
		if f.Struck < f.Drawn {
			part = fmt.Sprintf("%s %s of %s", f.Kind, group(f.Struck), group(f.Drawn))
		}
		parts = append(parts, part)
	}
	text := fmt.Sprintf("HTTP faults, drawn for %s: ", plural(drawn, "exchange"))
	if missed == 0 {
		return fold(text+"all struck, "+strings.Join(parts, ", "), "")
	}
	return fold(text+group(drawn-missed)+" struck, "+strings.Join(parts, ", ")+"; the others came when their exchange was over", "")
}
