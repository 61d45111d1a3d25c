package sim_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// applications is what the applications of both sides see and do, by call and side, in
// order. Calls are those of the schedule; 0 is the session's own.
func applications(h *history.History) map[string][]string {
	told := map[string][]string{}
	for _, e := range h.Events {
		if e.Frame > 0 || e.Exchange > 0 || e.Side == history.World || !application(e.Kind) {
			continue
		}
		told[account(e, "acts")] = append(told[account(e, "acts")], words(string(e.Kind), e.Value, failed(e)))
	}
	return told
}

// application reports whether events of the kind are the same over all transports: not
// how the server's run ends, since that of a byte stream ends with its session.
func application(k history.Kind) bool {
	return !slices.Contains([]history.Kind{history.EOF, history.Hangup, history.Sessions, history.Stop, history.Served}, k)
}

// retold is all that a history tells, but for its time and for the order of what happens
// at once: what each side's application does and sees of each call, in order; what it
// writes and reads of it, in order; and each exchange, as either side sees it, in order.
func retold(h *history.History) map[string][]string {
	told := applications(h)
	exchanges := map[int]*[2][]string{}
	tell := func(key, what string) { told[key] = append(told[key], what) }
	for _, e := range h.Events {
		switch {
		case e.Kind == history.Goroutines || e.Kind == history.Leak:
		case e.Kind == history.Wrote:
			tell(account(e, "has written"), words(message(e), failed(e)))
		case e.Frame > 0:
			tell(account(e, "frames"), words(string(e.Kind), message(e)))
		case e.Exchange > 0:
			if exchanges[e.Exchange] == nil {
				exchanges[e.Exchange] = new([2][]string)
			}
			end := &exchanges[e.Exchange][slices.Index([]history.Side{history.Client, history.Server}, e.Side)]
			*end = append(*end, words(string(e.Kind), head(e.HTTP), failed(e)))
		case e.Side == history.World || !application(e.Kind):
			tell(string(e.Side), words(string(e.Kind), failed(e)))
		}
	}
	for _, x := range exchanges {
		tell("exchanges", strings.Join(x[0], ", ")+" | "+strings.Join(x[1], ", "))
	}
	slices.Sort(told["exchanges"]) // those of a moment may begin in either order
	return told
}

// account names a list of what a side does of a call.
func account(e history.Event, what string) string {
	return fmt.Sprintf("call %d: %s %s", e.Call, e.Side, what)
}

func words(list ...string) string { return strings.Join(strings.Fields(strings.Join(list, " ")), " ") }

func failed(e history.Event) string {
	switch {
	case e.Text == "":
		return ""
	case e.Kind == history.Cancel || e.Kind == history.Drop:
		return "(" + e.Text + ")"
	}
	return "(error)"
}

func message(e history.Event) string {
	if e.Msg.Code != 0 {
		return fmt.Sprint(e.Msg.Kind, " ", e.Msg.Code)
	}
	return words(string(e.Msg.Kind), e.Msg.Method)
}

// head is what heads say, but for what is drawn.
func head(h *history.HTTPHead) string {
	if h == nil {
		return ""
	}
	status := ""
	if h.Status > 0 {
		status = fmt.Sprint(h.Status)
	}
	return words(h.Method, h.MCPMethod, h.ContentType, status, h.Body)
}
