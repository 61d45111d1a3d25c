package spacetime

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// heading says which part of the world is shown, what became of it, and from
// when times count. It ends with a line feed.
func (l *listing) heading() string {
	lines := []string{l.worldHeading()}
	if l.sc.call != 0 {
		lines = l.callHeading()
	}
	var b strings.Builder
	for _, text := range lines {
		for _, t := range l.g.wrap(l.g.clean(text), l.width) {
			b.WriteString(t + "\n")
		}
	}
	return b.String()
}

// worldHeading is the heading of a listing of more than one call.
func (l *listing) worldHeading() string {
	return l.sc.shown() + l.hint() + " · " + l.clock() + " since the start of the world"
}

// shown says how much of the world is shown.
func (sc *scene) shown() string {
	if sc.client == 0 {
		return "the whole world, " + sc.clients() + calls(len(sc.h.Header.Calls))
	}
	own := 0
	for _, c := range sc.h.Header.Calls {
		if c.Client == sc.client {
			own++
		}
	}
	return "client " + strconv.Itoa(sc.client) + " of " + strconv.Itoa(sc.h.Header.Clients) +
		", " + strconv.Itoa(own) + " of " + calls(len(sc.h.Header.Calls))
}

// clients counts them, where there are several.
func (sc *scene) clients() string {
	if sc.h.Header.Clients < 2 {
		return ""
	}
	return strconv.Itoa(sc.h.Header.Clients) + " clients, "
}

// calls counts them.
func calls(n int) string {
	if n == 1 {
		return "1 call"
	}
	return strconv.Itoa(n) + " calls"
}

// callHeading is the heading of a listing of one call.
func (l *listing) callHeading() []string {
	sc := l.sc
	what := "call " + strconv.Itoa(sc.call)
	if parent := sc.described(sc.call).Parent; parent > 0 {
		what += ", which the tool of call " + strconv.Itoa(parent) + " made"
	} else if n := len(sc.h.Header.Calls); n > 0 {
		what += " of " + strconv.Itoa(n)
	}
	if kind := sc.kindOf(sc.call); sc.methodOf(sc.call) != "" {
		what += ", " + sc.asked(sc.call)
	} else if kind != "" {
		what += ", tool " + strconv.Quote(kind)
	}
	if c := sc.calls[sc.call]; c != nil && c.id != "" {
		what += ", id " + id(c.id)
	}
	if n := sc.described(sc.call).Client; n > 0 && sc.h.Header.Clients > 1 {
		what += ", of client " + strconv.Itoa(n) + " of " + strconv.Itoa(sc.h.Header.Clients)
	}
	task := sc.isTask(sc.call)
	if task {
		what += ", as a task"
	}
	lines := []string{what + l.hint()}
	if r, ok := sc.results[sc.call]; ok && (!task || r.Incident != "") { // what became of a cancelled task its status says
		lines = append(lines, outcome(r, sc.closingCancels()))
	}
	since := " since the call was issued, at " + exact(l.origin) + " of its world"
	if c := sc.calls[sc.call]; c == nil || c.issue < 0 {
		since = " since the first step shown, at " + exact(l.origin) + " of its world; when the call was issued is not known"
	}
	return append(lines, l.clock()+since)
}

// hint names the flags that show more.
func (l *listing) hint() string {
	var more []string
	switch sc := l.sc; {
	case sc.client != 0:
		more = append(more, "the "+strconv.Itoa(sc.h.Header.Clients-1)+" others: --client-number N", "all: --all")
	case sc.call != 0 && sc.h.Header.Clients > 1:
		own := ClientOf(sc.h, oracle.Violation{Call: sc.call})
		more = append(more, "more: --client-number "+strconv.Itoa(own)+", --all")
	case sc.call != 0 && len(sc.h.Header.Calls) > 1:
		more = append(more, "the others: --all")
	}
	if !l.opts.Wire {
		more = append(more, "the JSON: --wire")
	}
	if len(more) == 0 {
		return ""
	}
	return " (" + strings.Join(more, "; ") + ")"
}

// The words that a legend explains.
const (
	momentWords = "later than the row above, by less than three decimals show"
	heldWords   = "held for: the write returned so much later, since the network did not take the message at once"
)

// legend explains, below a listing, the words in it that do not explain themselves.
func (l *listing) legend() string {
	var lines []string
	if l.moment != "" {
		lines = append(lines, l.moment+": "+momentWords)
	}
	if l.sc.showsHeld() {
		lines = append(lines, heldWords)
	}
	out := ""
	for _, text := range lines {
		for _, t := range l.g.wrap(l.g.clean(text), l.width) {
			out += t + "\n"
		}
	}
	if out != "" {
		out = "\n" + out
	}
	return out
}

// showsHeld reports whether a step says of a write that it was held.
func (sc *scene) showsHeld() bool {
	return slices.ContainsFunc(sc.steps, func(s step) bool { return s.held })
}

// clock says what kind of time is shown.
func (l *listing) clock() string {
	return strings.TrimLeft(l.sc.h.Header.Clock+" ms", " ")
}
