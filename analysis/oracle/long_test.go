package oracle

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A beat is one event in the life of a call.
type beat struct {
	side history.Side
	kind history.Kind
	says string // wire: which frame of the call's
	text string
}

// What a call can come to in a long conversation.
func answered() []beat {
	return []beat{
		{history.Client, history.Issue, "", ""},
		{history.Client, history.Write, "call", ""}, {history.Client, history.Wrote, "call", ""},
		{history.Server, history.Read, "call", ""}, {history.Server, history.Start, "", ""},
		{history.Server, history.End, "", ""},
		{history.Server, history.Write, "result", ""}, {history.Server, history.Wrote, "result", ""},
		{history.Client, history.Read, "result", ""}, {history.Client, history.Return, "", ""},
	}
}

func obeyed() []beat {
	return []beat{
		{history.Client, history.Issue, "", ""},
		{history.Client, history.Write, "call", ""}, {history.Client, history.Wrote, "call", ""},
		{history.Server, history.Read, "call", ""}, {history.Server, history.Start, "", ""},
		{history.Client, history.Cancel, "", "cancel"},
		{history.Client, history.Write, "cancel", ""}, {history.Client, history.Wrote, "cancel", ""},
		{history.Client, history.Return, "", "canceled"},
		{history.Server, history.Read, "cancel", ""}, {history.Server, history.Told, "", "canceled"},
		{history.Server, history.End, "", "canceled"},
	}
}

// answeredLate is what SDKs do that answer cancelled calls with an error.
func answeredLate() []beat {
	return append(obeyed(),
		beat{history.Server, history.Write, "error", ""}, beat{history.Server, history.Wrote, "error", ""},
		beat{history.Client, history.Read, "error", ""})
}

// A longTalk makes a conversation of any length, in which a few calls are under way
// at a time. Every second call is cancelled, and comes to what cancelled says.
type longTalk struct {
	answered  []beat // what the others come to; nil: answered()
	cancelled []beat
	over      Transport // empty: stdio
	version   string    // empty: modernVersion
	clients   int       // 0: there is one
	exchanges int
	named     func(n int) string // raw id of call n
	token     func(n int) string // its progress token; nil: it has none
	seq       int
	frames    int
	calls     int
	under     []*talkingCall
}

type talkingCall struct {
	n      int
	left   []beat
	frames map[string]int
	on     map[string]int // exchanges, by the frame that they were begun for
	said   map[string]*history.Message
}

// atATime is how many calls are under way at a time.
const atATime = 8

func plainID(n int) string { return strconv.Itoa(10 + n) }

func textID(n int) string { return fmt.Sprintf(`"call-%d"`, n) }

func (l *longTalk) header(calls int) history.Header {
	h := history.Header{
		Schema: history.Schema, Scenario: "long", SpecVersion: cmp.Or(l.version, modernVersion), Transport: string(cmp.Or(l.over, Stdio)), Clock: "virtual",
		Horizon: 1000 * time.Hour, Settle: time.Millisecond, Clients: l.clients,
	}
	for n := 1; n <= calls; n++ {
		h.Calls = append(h.Calls, l.line(n))
	}
	return h
}

// line is the header's line for call n.
func (l *longTalk) line(n int) history.Call {
	return history.Call{Call: n, Method: "tools/call", Handler: "cooperative", Work: time.Millisecond, Life: time.Millisecond, Client: l.client(n)}
}

// client is whose call n is.
func (l *longTalk) client(n int) int {
	if l.clients == 0 {
		return 0
	}
	return n%l.clients + 1
}

// next makes the next event. It makes a new call when there is room, which the
// caller is told by its number.
func (l *longTalk) next() (e history.Event, made int) {
	if len(l.under) < atATime {
		l.calls++
		made = l.calls
		c := &talkingCall{n: l.calls, left: l.answered, frames: map[string]int{}, on: map[string]int{}, said: map[string]*history.Message{}}
		if l.answered == nil {
			c.left = answered()
		}
		if l.calls%2 == 0 {
			c.left = l.cancelled
		}
		l.under = append(l.under, c)
	}
	i := l.seq * 5 % len(l.under)
	c := l.under[i]
	e = l.event(c, c.left[0])
	if c.left = c.left[1:]; len(c.left) == 0 {
		l.under = append(l.under[:i], l.under[i+1:]...)
	}
	l.seq++
	return e, made
}

func (l *longTalk) event(c *talkingCall, b beat) history.Event {
	e := history.Event{Seq: l.seq, At: time.Duration(l.seq+1) * time.Microsecond, Side: b.side, Kind: b.kind, Call: c.n, Text: b.text}
	if e.Text == "" && (b.kind == history.End || b.kind == history.Return) {
		e.Value = "done " + strconv.Itoa(c.n)
	}
	if l.over != "" {
		l.onExchange(&e, c, b)
	}
	if b.says == "" || e.HTTP != nil || b.kind == history.Drop || b.kind == history.Gone || b.kind == history.Finish {
		return e
	}
	if b.kind == history.Write {
		l.frames++
		c.frames[b.says], c.said[b.says] = l.frames, l.message(c.n, b.says)
	}
	e.Frame, e.Msg = c.frames[b.says], c.said[b.says]
	if b.kind == history.Read {
		e.Arrived = e.At
	}
	return e
}

func (l *longTalk) message(n int, says string) *history.Message {
	id := l.named(n)
	m := &history.Message{Kind: history.Request, Method: "tools/call", ID: id, Call: n}
	switch says {
	case "call":
		if l.token != nil {
			m.Token = l.token(n)
		}
		m.Raw = `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"tool","arguments":{"call":` + strconv.Itoa(n) + `}}}`
	case "cancel":
		m = &history.Message{Kind: history.Notification, Method: "notifications/cancelled", Ref: id}
		m.Raw = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
	case "result":
		m = &history.Message{Kind: history.Response, ID: id}
		m.Raw = `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"done ` + strconv.Itoa(n) + `"}]}}`
	case "error":
		m = &history.Message{Kind: history.ErrorReply, ID: id, Code: -32603, Text: "request cancelled"}
		m.Raw = `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32603,"message":"request cancelled"}}`
	}
	return m
}

// whole returns a conversation of that many events.
func (l *longTalk) whole(events int) *history.History {
	h := &history.History{Events: make([]history.Event, events)}
	for i := range h.Events {
		h.Events[i], _ = l.next()
	}
	h.Header = l.header(l.calls)
	return h
}
