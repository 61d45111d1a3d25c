package spacetime

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// sentence says what the i-th event is, if it is not the end of a frame.
func (sc *scene) sentence(i int, e history.Event) string {
	switch e.Kind {
	case history.Issue:
		return sc.caller(e.Call) + " calls " + sc.asked(e.Call)
	case history.Cancel:
		if sc.described(e.Call).Parent > 0 {
			return "tool wants no answer any more"
		}
		if e.Text == "deadline" {
			return "caller's deadline passes"
		}
		return "caller cancels"
	case history.Missed:
		return "caller does not cancel: " + e.Text
	case history.Return:
		if sc.described(e.Call).Parent > 0 {
			return "tool " + outcomeOf(e, "goes on")
		}
		return "caller " + outcomeOf(e, "returns")
	case history.Start:
		return "handler starts"
	case history.Told:
		if e.Text == "" || e.Text == "context canceled" {
			return "handler told"
		}
		return "handler told: " + e.Text
	case history.End:
		return sc.endSentence(i, e)
	case history.Progress:
		return "handler reports progress " + e.Value
	case history.Open:
		return "handler opens " + cmp.Or(e.Value, "a resource")
	case history.Release:
		return "handler releases " + cmp.Or(e.Value, "its resource")
	case history.Effect:
		return "handler takes effect: " + e.Value
	}
	if e.Side == history.World {
		return sc.worldSentence(i, e)
	}
	return sc.sessionSentence(i, e)
}

// caller is who makes a call: the application, or a tool that asks the client.
func (sc *scene) caller(call int) string {
	if sc.described(call).Parent > 0 {
		return "tool"
	}
	return "caller"
}

// outcomeOf says how a function that returned a value or an error did so.
func outcomeOf(e history.Event, returns string) string {
	switch {
	case e.Text != "":
		return returns + ": " + e.Text
	case e.Value != "":
		return returns + " " + strconv.Quote(e.Value)
	}
	return returns
}

// endSentence says how a handler ended, and whether the cancel had reached it.
func (sc *scene) endSentence(i int, e history.Event) string {
	l := sc.life(e.Call)
	told := l.told >= 0 && l.told < i
	if e.Text != "" && (told && e.Text == sc.h.Events[l.told].Text || isContextError(e.Text)) {
		return "handler returns ctx.Err()"
	}
	s := outcomeOf(e, "returns")
	switch {
	case e.Text == "panic":
		return "handler panics"
	case told && e.At == sc.h.Events[l.told].At:
	case told:
		return "handler ran on, " + s
	case l.cancelRead >= 0 && l.cancelRead < i:
		return "handler never told, " + s
	}
	return "handler " + s
}

// isContextError reports whether an error's text is one of a context's own.
func isContextError(s string) bool {
	return s == "context canceled" || s == "context deadline exceeded"
}

// sessionSentence says what happened to the session at one of its ends.
func (sc *scene) sessionSentence(i int, e history.Event) string {
	failed := func(done, failing string) string {
		if e.Text != "" {
			return failing + ": " + e.Text
		}
		return done
	}
	switch e.Kind {
	case history.Connect:
		return "client connects"
	case history.Connected:
		return failed("client connected", "client's connect fails")
	case history.Close:
		if !sc.has(history.Closed) {
			return "client closes the session; its Close never returns"
		}
		return "client closes the session"
	case history.Closed:
		return failed("session closed", "client's Close fails")
	case history.Probe:
		if !sc.has(history.Probed) {
			return "probe " + sc.probe() + ": no answer"
		}
		return "probe " + sc.probe()
	case history.Probed:
		return failed("probe answered ("+sc.probe()+")", "probe fails ("+sc.probe()+")")
	case history.Served:
		return failed("server's run function returns", "server's run function fails")
	case history.HalfClose:
		return "client's writing half is cut (scenario)"
	case history.Exit:
		return "server's process dies (scenario)"
	case history.Sessions:
		return sc.sessions(i, e)
	case history.Stop:
		return "application stops its server (scenario)"
	case history.Change:
		if e.Value == "tools" {
			return "application changes its list of tools"
		}
		return "application changes " + e.Value
	case history.EOF:
		return "read the end of the stream"
	case history.Hangup:
		if e.Text == "reset" {
			return "resets the stream"
		}
		return "closes its writing end"
	}
	return fmt.Sprintf("event %q %s", e.Kind, e.Text)
}

// sessions says what is still there at the server after all clients have closed.
func (sc *scene) sessions(i int, e history.Event) string {
	text := strconv.Itoa(e.N) + " sessions"
	if e.N == 1 {
		text = "1 session"
	}
	text += " alive at the server"
	n, open := sc.openExchanges(i)
	switch n {
	case 0:
		return text
	case 1:
		text += ", 1 exchange not ended"
	default:
		text += ", " + strconv.Itoa(n) + " exchanges not ended"
	}
	const shown = 3
	if len(open) > shown {
		open = append(open[:shown:shown], "…")
	}
	if len(open) > 0 {
		text += ": " + strings.Join(open, ", ")
	}
	return text
}

// probe is the request that the health probe makes.
func (sc *scene) probe() string {
	if sc.h.Header.Modern() {
		return "tools/list"
	}
	return "ping"
}

// worldSentence says what happened to the world as a whole.
func (sc *scene) worldSentence(i int, e history.Event) string {
	switch e.Kind {
	case history.Quiet:
		n, counted := sc.countAt(i)
		switch {
		case !counted && sc.closedBefore(i):
			return "world quiet"
		case !counted:
			return "world quiet, session not closed yet"
		case !sc.closedBefore(i):
			return "world quiet, session not closed yet: " + goroutines(n) // which are no leak
		}
		return "world quiet: " + goroutines(n) + " above the baseline"
	case history.Goroutines:
		return "after close: " + goroutines(e.N) + " above the baseline"
	case history.Horizon:
		return "horizon: " + sc.waiting(i)
	case history.Leak:
		return "leak: " + goroutines(e.N) + " left after close, created alike"
	case history.Crash:
		return "process died, " + blames(e.Blame) + ": " + firstLine(e.Text)
	}
	return fmt.Sprintf("event %q %s", e.Kind, e.Text)
}

// countAt is the number of goroutines at the i-th event: counted in the same
// instant, or last before it.
func (sc *scene) countAt(i int) (int, bool) {
	events := sc.h.Events
	for k := i + 1; k < len(events) && events[k].At == events[i].At; k++ {
		if events[k].Kind == history.Goroutines {
			return events[k].N, true
		}
	}
	for k := i - 1; k >= 0; k-- {
		if events[k].Kind == history.Goroutines {
			return events[k].N, true
		}
	}
	return 0, false
}

// goroutines counts them.
func goroutines(n int) string {
	if n == 1 {
		return "1 goroutine"
	}
	return strconv.Itoa(n) + " goroutines"
}

// waiting says who still waits at the i-th event.
func (sc *scene) waiting(i int) string {
	var callers, handlers []string
	open := func(from, to int) bool { return from >= 0 && from < i && (to < 0 || to > i) }
	for _, c := range sc.numbers() {
		l := sc.calls[c]
		if open(l.issue, l.returned) {
			callers = append(callers, strconv.Itoa(c))
		}
		if open(l.start, l.end) && !sc.diedBefore(i) {
			handlers = append(handlers, strconv.Itoa(c))
		}
	}
	var who []string
	if len(callers) > 0 {
		who = append(who, plural("caller", callers, "still waits", "still wait"))
	}
	if len(handlers) > 0 {
		who = append(who, plural("handler", handlers, "still runs", "still run"))
	}
	if len(who) == 0 {
		return "no caller waits, the session does not end"
	}
	return strings.Join(who, "; ")
}

// plural says what is true of one or several calls' callers or handlers.
func plural(noun string, calls []string, one, many string) string {
	if len(calls) == 1 {
		return noun + " of call " + calls[0] + " " + one
	}
	return noun + "s of calls " + strings.Join(calls, ", ") + " " + many
}

// blames says whose code a crash's stack shows.
func blames(blame string) string {
	switch blame {
	case "":
		return "no target's code to blame"
	case "pair":
		return "blamed on the code that both sides run"
	}
	return "blamed on the " + blame
}

// firstLine is s up to its first line feed.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
