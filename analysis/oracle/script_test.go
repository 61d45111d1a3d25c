package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

const (
	legacyVersion = "2025-11-25"
	modernVersion = "2026-07-28"
)

// A script is a history written by hand. Each line of its text is an instant in
// milliseconds, a side, and what happens there, several things apart by ";":
//
//	 0 client issue 1; > call 1      the application calls; the request is written
//	10 server < call 1; start 1      it is read; the handler starts
//	20 client cancel 1; > cancel 1; return 1 canceled
//	30 server < cancel 1; told 1; end 1 canceled
//	30 server > error 1              the response is written
//	40 client < error 1              and read
//
// ">" writes a frame, "<" reads the oldest unread one of that name, "~" leaves
// it unread though it has arrived. ">>" only begins to write one, and "." ends
// the writing of the latest, or of the latest of a name, ".failed" in vain. Frames
// are: call N, cancel N, result N, stale N,
// error N, progress N, ping, pong; "cancel id 99" names an id that is no call's. What
// begins with "{" or "[" is a frame as it stands, without jsonrpc and with neither blanks
// nor semicolons.
// An instant left out is the one above. What follows a call's number is the
// value of an end or a return in quotes, otherwise its error.
//
// Of tasks there are also task N, created N, abandon N and abandoned N, and of requests
// of the server's nested N and completed N.
type script struct {
	version  string   // empty: legacyVersion
	handlers []string // of calls 1, 2, …; empty: one cooperative tool
	nested   []string // kinds of what answers calls that tools make, numbered on from those; tool of call 1
	method   string   // of every call; empty: tools/call. Others have no handler
	text     string
	bare     bool   // without the handshake before and the farewell after
	lost     bool   // what "~" leaves unread has not arrived either
	task     string // every call is made as a task, see history.Call.Task
}

const (
	greeting = `
		0 client connect; connected
	`
	farewell = `
		1000 world quiet
		1001 client probe; > ping
		1002 server < ping; > pong
		1003 client < pong; probed
		1010 client close; hangup
		1011 server eof; hangup; served
		1012 client eof; closed
	`
)

// history builds what the script says.
func (s script) history(t testing.TB) *history.History {
	w := &scripter{t: t, unread: map[string][]int{}, begun: map[string]int{}, lost: s.lost}
	if s.version == "" {
		s.version = legacyVersion
	}
	if s.handlers == nil {
		s.handlers = []string{"cooperative"}
	}
	w.h.Header = history.Header{
		Schema: history.Schema, Scenario: "script", SpecVersion: s.version, Transport: "stdio", Clock: "virtual",
		Client: history.Peer{Target: "reference"}, Server: history.Peer{Target: "reference"},
		Horizon: time.Minute, Settle: time.Millisecond,
	}
	for i, kind := range s.handlers {
		if s.method != "" {
			kind = ""
		}
		w.h.Header.Calls = append(w.h.Header.Calls, history.Call{
			Call: i + 1, Method: cmp.Or(s.method, "tools/call"), Handler: kind, Work: 100 * time.Millisecond, Life: 100 * time.Millisecond,
			Task: s.task,
		})
	}
	for i, kind := range s.nested {
		w.h.Header.Nested = append(w.h.Header.Nested, history.Call{
			Call: len(s.handlers) + i + 1, Parent: 1, Method: "sampling/createMessage", Handler: kind, Work: 100 * time.Millisecond,
		})
	}
	text := s.text
	if !s.bare {
		text = greeting + text + farewell
	}
	for line := range strings.Lines(text) {
		w.line(strings.Fields(line))
	}
	return &w.h
}

type scripter struct {
	t      testing.TB
	h      history.History
	at     time.Duration
	side   history.Side
	frames []*history.Message
	unread map[string][]int // frame numbers by sender and name
	begun  map[string]int   // the latest, likewise
	lost   bool
}

func (w *scripter) line(words []string) {
	if len(words) == 0 {
		return
	}
	if ms, err := strconv.ParseFloat(words[0], 64); err == nil {
		at := time.Duration(ms * float64(time.Millisecond))
		require.LessOrEqual(w.t, w.at, at, "time runs backwards")
		w.at = at
		words = words[1:]
	}
	w.side = history.Side(words[0])
	for _, act := range strings.Split(strings.Join(words[1:], " "), ";") {
		w.act(strings.Fields(act))
	}
}

func (w *scripter) act(words []string) {
	rest := strings.Join(words[1:], " ")
	switch words[0] {
	case ">":
		w.write(rest)
	case ">>":
		w.begin(rest)
	case ".", ".failed":
		n := len(w.frames)
		if rest != "" {
			n = w.begun[string(w.side)+rest]
		}
		w.add(history.Event{Side: w.side, Kind: history.Wrote, Frame: n, Msg: w.frames[n-1], Text: words[0][1:]})
	case "<":
		w.receive(history.Read, rest)
	case "~":
		w.receive(history.Unread, rest)
	default:
		w.plain(history.Kind(words[0]), words[1:])
	}
}

func (w *scripter) plain(kind history.Kind, words []string) {
	e := history.Event{Side: w.side, Kind: kind}
	if len(words) > 0 {
		if n, err := strconv.Atoi(words[0]); err == nil {
			e.Call = n
			words = words[1:]
		}
	}
	text := strings.Join(words, " ")
	switch {
	case strings.HasPrefix(text, `"`):
		e.Value = strings.Trim(text, `"`)
	case kind == history.Crash:
		e.Blame, e.Text, _ = strings.Cut(text, " ")
	case kind == history.Goroutines:
		e.N, e.Call = e.Call, 0
	case kind == "leaks": // as many as the number says
		e.Kind, e.N, e.Call = history.Leak, e.Call, 0
		e.Text = strings.ReplaceAll(text, "|", "\n")
	case kind == history.Leak:
		e.N, e.Text = 1, strings.NewReplacer("|", "\n", "→", "\t").Replace(text)
	default:
		e.Text = text
	}
	w.add(e)
}

func (w *scripter) add(e history.Event) {
	e.Seq, e.At = len(w.h.Events), w.at
	w.h.Events = append(w.h.Events, e)
}

func (w *scripter) begin(name string) history.Event {
	w.frames = append(w.frames, message(w.t, name))
	e := history.Event{Side: w.side, Kind: history.Write, Frame: len(w.frames), Msg: w.frames[len(w.frames)-1]}
	e.Call = callOf(name)
	w.add(e)
	key := string(w.side) + name
	w.unread[key] = append(w.unread[key], e.Frame)
	w.begun[key] = e.Frame
	return e
}

func (w *scripter) write(name string) {
	e := w.begin(name)
	e.Kind = history.Wrote
	w.add(e)
}

func (w *scripter) receive(kind history.Kind, name string) {
	key := string(w.side.Peer()) + name
	require.NotEmpty(w.t, w.unread[key], "nothing of the name %q is there to be read", name)
	n := w.unread[key][0]
	w.unread[key] = w.unread[key][1:]
	e := history.Event{Side: w.side, Kind: kind, Frame: n, Msg: w.frames[n-1], Call: callOf(name), Arrived: w.at}
	if w.lost && kind == history.Unread {
		e.Arrived = 0
	}
	w.add(e)
}

func callOf(name string) int {
	words := strings.Fields(name)
	if len(words) != 2 {
		return 0
	}
	n, err := strconv.Atoi(words[1])
	if err != nil {
		return 0
	}
	return n
}

// message makes the frame of that name. Call n has the id 10+n, so that the two
// are not mistaken for each other, and the progress token "pn".
func message(t testing.TB, name string) *history.Message {
	if strings.HasPrefix(name, "[") {
		return protocol.Identify([]byte(name))
	}
	if rest, ok := strings.CutPrefix(name, "{"); ok {
		return protocol.Identify([]byte(`{"jsonrpc":"2.0",` + rest))
	}
	n := callOf(name)
	id, token := strconv.Itoa(10+n), fmt.Sprintf("%q", "p"+strconv.Itoa(n))
	kind, rest, _ := strings.Cut(name, " ")
	m := &history.Message{}
	body := ""
	switch kind {
	case "call":
		m.Kind, m.Method, m.ID, m.Token, m.Call = history.Request, "tools/call", id, token, n
		body = fmt.Sprintf(`"id":%s,"method":"tools/call","params":{"name":"tool","arguments":{"call":%d},"_meta":{"progressToken":%s}}`, id, n, token)
	case "cancel":
		m.Kind, m.Method, m.Ref = history.Notification, "notifications/cancelled", id
		if other, ok := strings.CutPrefix(rest, "id"); ok {
			m.Ref = strings.TrimSpace(other)
		}
		body = fmt.Sprintf(`"method":"notifications/cancelled","params":{"requestId":%s}`, m.Ref)
	case "result":
		m.Kind, m.ID = history.Response, id
		body = fmt.Sprintf(`"id":%s,"result":{"content":[{"type":"text","text":"done %d"}]}`, id, n)
	case "stale": // the response to a call with the text of the call before
		m.Kind, m.ID = history.Response, id
		body = fmt.Sprintf(`"id":%s,"result":{"content":[{"type":"text","text":"done %d"}]}`, id, n-1)
	case "error":
		m.Kind, m.ID, m.Code, m.Text = history.ErrorReply, id, -32603, "request cancelled"
		body = fmt.Sprintf(`"id":%s,"error":{"code":-32603,"message":"request cancelled"}`, id)
	case "progress":
		m.Kind, m.Method, m.Token = history.Notification, "notifications/progress", token
		body = fmt.Sprintf(`"method":"notifications/progress","params":{"progressToken":%s,"progress":1}`, token)
	case "ping":
		m.Kind, m.Method, m.ID = history.Request, "ping", "900"
		body = `"id":900,"method":"ping"`
	case "pong":
		m.Kind, m.ID = history.Response, "900"
		body = `"id":900,"result":{}`
	case "augmented": // a call that asks to be made a task
		m.Kind, m.Method, m.ID, m.Token, m.Call = history.Request, "tools/call", id, token, n
		body = fmt.Sprintf(`"id":%s,"method":"tools/call","params":{"name":"tool","arguments":{"call":%d},"task":{"ttl":60000}}`, id, n)
	case "tasked": // the result that says that it is one
		m.Kind, m.ID = history.Response, id
		body = fmt.Sprintf(`"id":%s,"result":{"task":{"taskId":"t%d","status":"working"}}`, id, n)
	case "abandon": // its cancel, which is a request
		m.Kind, m.Method, m.ID = history.Request, "tasks/cancel", "5"+id
		body = fmt.Sprintf(`"id":5%s,"method":"tasks/cancel","params":{"taskId":"t%d"}`, id, n)
	case "abandoned":
		m.Kind, m.ID = history.Response, "5"+id
		body = fmt.Sprintf(`"id":5%s,"result":{"taskId":"t%d","status":"cancelled"}`, id, n)
	case "nested": // a request of the server's
		m.Kind, m.Method, m.ID = history.Request, "sampling/createMessage", "7"+id
		body = fmt.Sprintf(`"id":7%s,"method":"sampling/createMessage","params":{}`, id)
	case "completed":
		m.Kind, m.ID = history.Response, "7"+id
		body = fmt.Sprintf(`"id":7%s,"result":{}`, id)
	default:
		if slices.Contains([]string{"listen", "narrow", "ack", "tools", "updated", "marked", "ended", "bare"}, kind) {
			body = listenMessage(t, m, name)
		} else {
			body = taskMessage(t, m, name)
		}
	}
	m.Raw = `{"jsonrpc":"2.0",` + body + `}`
	return m
}

// verdictOf judges h and returns one rule's verdict.
func verdictOf(t testing.TB, j Judgement, rule string) Verdict {
	for _, v := range j.Verdicts {
		if v.Rule == rule {
			return v
		}
	}
	require.Fail(t, "no verdict on "+rule)
	return Verdict{}
}

// failing returns the rules that failed, implied ones in brackets, as one string.
func failing(j Judgement) string {
	var out []string
	for _, v := range j.Verdicts {
		switch {
		case v.Status != Fail:
		case v.Implied != "":
			out = append(out, "("+v.Rule+")")
		default:
			out = append(out, v.Rule)
		}
	}
	return strings.Join(out, " ")
}
