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
		if e.Kind == history.Closed {
			e.Text = "" // over HTTP a close may find the server gone
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
// at once: what each side's application does and sees of each call, in order; over stdio
// what it writes and reads of it, in order; and over HTTP each exchange with its messages
// as either side sees it, in order.
func retold(h *history.History) map[string][]string {
	told := applications(h)
	x, posted := exchangesOf(h)
	closing, vain, cancelled := false, map[int]bool{}, map[int]bool{}
	for _, e := range h.Events {
		closing = closing || e.Kind == history.Close || e.Kind == history.Stop
		if e.Kind == history.Write {
			cancelled[e.Call] = cancelled[e.Call] || e.Msg.IsCancel()
			// Who cancels and gives up at once: the answer may be before or behind that.
			vain[e.Frame] = closing || e.Exchange > 0 && x[e.Exchange-1].gives &&
				(x[e.Exchange-1].dropped || e.Side == history.Server && cancelled[e.Call])
		}
		switch {
		case vain[e.Frame]: // whether something is still written to who is leaving is open
		case e.Exchange > 0:
			x.tell(e, closing || posted[e.Call] && x[e.Exchange-1].dropped)
		case e.Kind == history.Wrote:
			told[account(e, "has written")] = append(told[account(e, "has written")], words(message(e), failed(e)))
		case e.Frame > 0:
			told[account(e, "frames")] = append(told[account(e, "frames")], words(string(e.Kind), message(e)))
		case e.Side == history.World && e.Kind != history.Goroutines && e.Kind != history.Leak:
			told["world"] = append(told["world"], words(string(e.Kind), failed(e)))
		}
	}
	told["exchanges"] = x.list()
	return told
}

// An exchanged is what both sides see of an exchange.
type exchanged struct {
	client, server []string
	answered       bool // the client has read an answer
	gives, dropped bool // the client will give it up, has given it up: what a server says after that is left out
	late           bool // it began when the session was being closed
}

type exchangeList []exchanged

// exchangesOf makes room for the exchanges of a history and finds those that their client
// will give up, and lists the calls whose cancel was posted.
func exchangesOf(h *history.History) (exchangeList, map[int]bool) {
	posted := map[int]bool{}
	var x exchangeList
	for _, e := range h.Events {
		for len(x) < e.Exchange {
			x = append(x, exchanged{})
		}
		switch {
		case e.Exchange == 0:
		case e.Kind == history.Write && e.Msg.IsCancel():
			posted[e.Call] = true
		case e.Kind == history.Drop:
			x[e.Exchange-1].gives = true
		}
	}
	return x, posted
}

// tell adds an event. An exchange whose answer has been read, or that is ended by both
// sides, such as when its session is being closed, or when the client gives it up and
// posts a cancel at once: of that it is open who is first.
func (l exchangeList) tell(e history.Event, byBoth bool) {
	x := &l[e.Exchange-1]
	x.answered = x.answered || e.Kind == history.Read && e.Side == history.Client && e.Msg.IsReply()
	x.late = x.late || byBoth && e.Kind == history.Begin && e.Side == history.Client
	what := words(string(e.Kind), head(e.HTTP), message(e), failed(e))
	switch byBoth := byBoth || x.answered; {
	case byBoth && e.Kind == history.Gone, x.dropped && e.Kind == history.Status:
		return
	case byBoth && e.Side == history.Client && (e.Kind == history.Drop || e.Kind == history.Finish):
		what = "over"
	}
	x.dropped = x.dropped || e.Kind == history.Drop
	if e.Side == history.Client {
		x.client = append(x.client, what)
	} else {
		x.server = append(x.server, what)
	}
}

// list is the exchanges, sorted, since those of a moment may begin in either order. How
// often a client tries to come back when the session is being closed is a matter of time.
func (l exchangeList) list() (out []string) {
	for _, x := range l {
		if !x.late {
			out = append(out, strings.Join(x.client, ", ")+" | "+strings.Join(x.server, ", "))
		}
	}
	slices.Sort(out)
	return out
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
	if e.Msg == nil {
		return ""
	}
	if e.Msg.Code != 0 {
		return fmt.Sprint(e.Msg.Kind, " ", e.Msg.Code)
	}
	call := ""
	if e.Call > 0 {
		call = fmt.Sprint("of call ", e.Call)
	}
	return words(string(e.Msg.Kind), e.Msg.Method, call)
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
