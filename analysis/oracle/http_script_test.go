package oracle

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Over HTTP a script says the same things, and each message of the client's is the POST
// of an exchange of its name; what a server sends for call N goes by that of "call N". An
// exchange begins with its message, and ends with the response that it is for, or at once,
// with 202, where it asks for nothing. Further words are, of either side or of the world:
//
//	client open g               a GET of that name is begun; "open g after e1" resumes
//	client delete d             a DELETE
//	server serve g              it is served, as an SSE stream; "serve d 204" answers it
//	server status cancel 1 400  the POST of that name is answered with that; the rest is its body
//	client drop call 1          the client gives it up
//	server gone call 1          the server sees that
//	client finish call 1        that side is done with it; what follows the name is an error
//	server << cancel 1          it is read, and what the POST is answered with follows
//	world fault call 1 502      the network does that to it
//	server > result 1 on g      it goes by that exchange; "# e2" gives the event an id
//	server sessions 1           so many are alive
//
// Where a script says "by hand" nothing but begins by itself. A side with a number is that
// of the client of that number: "client2 issue 2", "server2 < call 2". Of the handshake and
// the farewell there are hello, welcome and ready, with a session s1, s2, …
type webScript struct {
	script
	transport Transport                       // empty: StreamableHTTP
	json      bool                            // responses are JSON objects
	byHand    bool                            // neither statuses nor ends but those that the script has
	left      int                             // sessions at the end
	stateless bool                            // there is no session
	clients   int                             // 0: there is one
	owners    []int                           // of calls 1, 2, …: whose they are
	ids       map[int]int                     // of calls that have another's id: whose
	head      func(*history.HTTPHead, string) // changes the head of the client's exchange of that name
	wall      bool                            // its clock is that of the wall
	instances map[string]int                  // of the server, by the name of an exchange that comes to one of several; "": all others
}

// history builds what the script says.
func (s webScript) history(t testing.TB) *history.History {
	if s.version == "" {
		s.version = legacyVersion
	}
	s.transport = cmp.Or(s.transport, StreamableHTTP)
	bare := s.script
	bare.text, bare.bare = "", true
	h := bare.history(t)
	if s.wall {
		h.Header.Clock = "wall"
	}
	h.Header.Transport, h.Header.Clients = string(s.transport), s.clients
	for i := range h.Header.Calls {
		if i < len(s.owners) {
			h.Header.Calls[i].Client = s.owners[i]
		}
	}
	w := &webScripter{webScript: s, scripter: scripter{t: t, h: *h, unread: map[string][]int{}, begun: map[string]int{}, lost: s.lost}}
	w.legs, w.sessions = map[string]*scripted{}, map[int]string{}
	text := s.text
	if !s.bare {
		text = s.greeting() + text + s.farewell()
	}
	for line := range strings.Lines(text) {
		w.line(strings.Fields(line))
	}
	return &w.h
}

func (s webScript) modern() bool { return s.version >= modernVersion }

// greeting is the handshake of every client, if the era has one.
func (s webScript) greeting() string {
	var b strings.Builder
	for n := range max(s.clients, 1) {
		k := ""
		if s.clients > 0 {
			k = strconv.Itoa(n + 1)
		}
		if s.modern() {
			fmt.Fprintf(&b, "0 client%s connect; connected\n", k)
			continue
		}
		fmt.Fprintf(&b, "0 client%s connect; > hello\n1 server%s < hello; > welcome\n2 client%s < welcome; connected; > ready\n3 server%s < ready\n", k, k, k, k)
	}
	return strings.ReplaceAll(b.String(), "\n0 client", "\nclient")
}

func (s webScript) farewell() string {
	return strings.ReplaceAll(map[bool]string{false: `
		1000 world quiet
		1001 client probe; > ping
		1002 server < ping; > pong
		1003 client < pong; probed
		1010 client close; delete bye
		1011 server serve bye 204
		1012 client finish bye; closed
		2000 server sessions 0; stop; served
	`, true: `
		1000 world quiet
		1001 client probe; > ping
		1002 server < ping; > pong
		1003 client < pong; probed
		1010 client close; closed
		2000 server sessions 0; stop; served
	`}[s.modern() || s.stateless], "sessions 0", fmt.Sprintf("sessions %d", s.left))
}

// A scripted exchange is one exchange that a script has begun.
type scripted struct {
	n, client           int
	instance            int
	asks                bool // it carries a request
	known, done, headed [2]bool
}

type webScripter struct {
	webScript
	scripter
	legs       map[string]*scripted // the latest of each name
	all        []*scripted          // by number
	sessions   map[int]string       // by client
	exchanges  int
	client     int  // of the line
	unanswered bool // what is read is not yet accepted
}

func (w *webScripter) line(words []string) {
	if len(words) == 0 {
		return
	}
	if ms, err := strconv.ParseFloat(words[0], 64); err == nil {
		at := time.Duration(ms * float64(time.Millisecond))
		if w.at > at {
			require.Positive(w.t, w.clients, "time runs backwards")
			at = w.at // the greetings of several
		}
		w.at, words = at, words[1:]
	}
	name := strings.TrimRight(words[0], "0123456789")
	w.client = 0
	if digits := words[0][len(name):]; digits != "" {
		w.client, _ = strconv.Atoi(digits)
	}
	w.side = history.Side(name)
	for _, act := range strings.Split(strings.Join(words[1:], " "), ";") {
		w.act(strings.Fields(act))
	}
}

func (w *webScripter) act(words []string) {
	rest := strings.Join(words[1:], " ")
	switch words[0] {
	case ">", ">>":
		w.send(rest, words[0] == ">>")
	case ".", ".failed":
		w.ends(rest, words[0][1:])
	case "<", "<<", "~":
		w.unanswered = words[0] == "<<"
		w.get(rest, words[0] == "~")
	case "open":
		name, after, _ := strings.Cut(rest, " after ")
		w.begins(name, &history.HTTPHead{Method: "GET", Accept: streamType, LastEvent: after})
	case "delete":
		w.begins(rest, &history.HTTPHead{Method: "DELETE"})
	case "serve":
		w.serve(rest)
	case "status", "drop", "gone", "finish", "fault":
		w.happens(history.Kind(words[0]), rest)
	case "cue":
		w.cues(rest)
	case "sessions":
		n, err := strconv.Atoi(rest)
		require.NoError(w.t, err)
		w.record(history.Event{Kind: history.Sessions, N: n})
	default:
		before := len(w.h.Events)
		w.plain(history.Kind(words[0]), words[1:])
		if w.side != history.World && w.h.Events[before].Call == 0 || w.side == history.Client {
			w.h.Events[before].Client = w.client
		}
	}
}

// record adds an event of the line's side and client.
func (w *webScripter) record(e history.Event) {
	if e.Side == "" {
		e.Side = w.side
	}
	if e.Client == 0 {
		e.Client = w.client
	}
	w.add(e)
}

// key is the name of an exchange, which is the client's own.
func (w *webScripter) key(name string) string {
	if w.client > 0 {
		return strconv.Itoa(w.client) + " " + name
	}
	return name
}

// leg returns the exchange of that name.
func (w *webScripter) leg(name string) *scripted {
	l := w.legs[w.key(name)]
	require.NotNil(w.t, l, "there is no exchange %q", name)
	return l
}

// begins begins an exchange of the client's.
func (w *webScripter) begins(name string, head *history.HTTPHead) *scripted {
	w.exchanges++
	l := &scripted{n: w.exchanges, client: w.client, instance: w.instances[""]}
	if n, found := w.instances[name]; found {
		l.instance = n
	}
	w.legs[w.key(name)] = l
	w.all = append(w.all, l)
	if !w.modern() && name != "hello" {
		head.Session = w.sessions[w.client]
		if w.version >= "2025-06-18" && w.transport == StreamableHTTP {
			head.Version = w.version
		}
	}
	if w.head != nil {
		w.head(head, name)
	}
	w.record(history.Event{Kind: history.Begin, Exchange: l.n, HTTP: head})
	l.known[0] = true
	return l
}

// reaches lets the server begin with an exchange.
func (w *webScripter) reaches(l *scripted) {
	if !l.known[1] {
		l.known[1] = true
		w.record(history.Event{Kind: history.Begin, Exchange: l.n, HTTP: &history.HTTPHead{Conn: 1, Instance: l.instance}})
	}
}

// heads writes, or reads, the head of a response.
func (w *webScripter) heads(l *scripted, head *history.HTTPHead) {
	end := seat(w.side)
	if !l.headed[end] && !w.byHand {
		l.headed[end] = true
		w.record(history.Event{Kind: history.Status, Exchange: l.n, HTTP: head})
	}
}

func (w *webScripter) finishes(l *scripted) {
	end := seat(w.side)
	if !l.done[end] && !w.byHand {
		l.done[end] = true
		w.record(history.Event{Kind: history.Finish, Exchange: l.n})
	}
}

// stream is the head of a response that carries messages.
func (w *webScripter) stream(name string) *history.HTTPHead {
	head := &history.HTTPHead{Status: 200, ContentType: streamType}
	if w.json {
		head.ContentType = jsonType
	}
	if strings.HasPrefix(name, "welcome") && !w.stateless && !w.modern() {
		head.Session = fmt.Sprintf("s%d", max(w.client, 1))
		if strings.HasPrefix(name, "welcome ") {
			head.Session += strings.TrimPrefix(name, "welcome ")
		}
	}
	return head
}

// carrier splits what a frame is from what carries it, and the id of its event.
func (w *webScripter) carrier(text string) (name, on, id string) {
	name, id, _ = strings.Cut(text, " # ")
	name, on, _ = strings.Cut(name, " on ")
	if on != "" {
		return name, on, id
	}
	kind, rest, _ := strings.Cut(name, " ")
	switch kind {
	case "result", "stale", "error", "progress", "tasked":
		on = "call " + rest
		if w.legs[w.key(on)] == nil {
			on = "augmented " + rest
		}
		if w.legs[w.key(on)] == nil {
			on = "listen " + rest
		}
	case "abandoned":
		on = "abandon " + rest
	case "pong":
		on = "ping"
	case "welcome":
		on = "hello"
	}
	if w.transport == HTTPSSE {
		on = "sse"
	}
	return name, on, id
}

// send writes a frame.
func (w *webScripter) send(text string, only bool) {
	name, on, id := w.carrier(text)
	var l *scripted
	msg := w.frame(name)
	if w.side == history.Client {
		head := &history.HTTPHead{Method: "POST", Accept: jsonType + ", " + streamType, ContentType: jsonType}
		if w.modern() && msg.Kind == history.Request {
			head.Version, head.MCPMethod = w.version, msg.Method
			if about, named := subject(msg); named {
				head.MCPName = about
			}
		}
		l = w.begins(name, head)
		l.asks = msg.Kind == history.Request
	} else {
		l = w.leg(on)
		w.heads(l, w.stream(name))
	}
	w.frames = append(w.frames, msg)
	e := history.Event{Kind: history.Write, Frame: len(w.frames), Msg: msg, Exchange: l.n, EventID: id, Call: w.callOf(name)}
	w.record(e)
	key := string(w.side) + w.key(text)
	w.unread[key] = append(w.unread[key], e.Frame)
	w.begun[key] = e.Frame
	if only {
		return
	}
	e.Kind = history.Wrote
	w.record(e)
	if w.side == history.Server && msg.IsReply() && w.legs[w.key(on)].asks {
		w.finishes(l)
	}
}

// callOf is callOf of a client's own calls.
func (w *webScripter) callOf(name string) int {
	if kind, _, _ := strings.Cut(name, " "); kind == "welcome" {
		return 0
	}
	return callOf(name)
}

// ends ends the writing of a frame.
func (w *webScripter) ends(text, why string) {
	n := len(w.frames)
	if text != "" {
		n = w.begun[string(w.side)+w.key(text)]
	}
	for _, e := range w.h.Events {
		if e.Frame == n && e.Kind == history.Write {
			w.record(history.Event{Kind: history.Wrote, Frame: n, Msg: e.Msg, Exchange: e.Exchange, EventID: e.EventID, Call: e.Call, Text: why})
			return
		}
	}
}

// get reads a frame, or leaves it unread.
func (w *webScripter) get(text string, unread bool) {
	name, _, id := w.carrier(text)
	key := string(w.side.Peer()) + w.key(text)
	require.NotEmpty(w.t, w.unread[key], "nothing of the name %q is there to be read", text)
	n := w.unread[key][0]
	w.unread[key] = w.unread[key][1:]
	e := history.Event{Kind: history.Read, Frame: n, Msg: w.frames[n-1], EventID: id, Call: w.callOf(name), Arrived: w.at}
	var l *scripted
	for _, other := range w.h.Events {
		if other.Frame == n && other.Kind == history.Write {
			e.Exchange = other.Exchange
		}
	}
	l = w.all[e.Exchange-1]
	if unread {
		e.Kind = history.Unread
		if w.lost {
			e.Arrived = 0
		}
		w.record(e)
		return
	}
	if w.side == history.Server {
		w.reaches(l)
		w.record(e)
		if !l.asks && !w.unanswered {
			w.heads(l, &history.HTTPHead{Status: 202})
			w.finishes(l)
		}
		return
	}
	w.heads(l, w.stream(name))
	if name == "welcome" || strings.HasPrefix(name, "welcome ") {
		w.sessions[w.client] = w.stream(name).Session
	}
	w.record(e)
	if e.Msg.IsReply() && l.asks {
		w.finishes(l)
	}
}

// cues writes, or reads, an event without a message: "NAME # ID wait MILLISECONDS".
func (w *webScripter) cues(text string) {
	text, wait, _ := strings.Cut(text, " wait ")
	name, id, _ := strings.Cut(text, " # ")
	l := w.leg(name)
	w.heads(l, w.stream(name))
	w.record(history.Event{Kind: history.Cue, Exchange: l.n, EventID: id, Value: wait})
}

// serve serves an exchange without a body.
func (w *webScripter) serve(text string) {
	words := strings.Fields(text)
	l := w.leg(words[0])
	w.reaches(l)
	head := &history.HTTPHead{Status: 200, ContentType: streamType}
	if len(words) > 1 {
		code, err := strconv.Atoi(words[1])
		require.NoError(w.t, err)
		head = &history.HTTPHead{Status: code}
	}
	w.record(history.Event{Kind: history.Status, Exchange: l.n, HTTP: head})
	l.headed[1] = true
	if len(words) > 1 {
		w.finishes(l)
	}
}

// happens lets something happen to an exchange, whose name is as long as it fits.
func (w *webScripter) happens(kind history.Kind, text string) {
	words := strings.Fields(text)
	n := len(words)
	for n > 0 && w.legs[w.key(strings.Join(words[:n], " "))] == nil {
		n--
	}
	l := w.leg(strings.Join(words[:n], " "))
	rest := words[n:]
	e := history.Event{Kind: kind, Exchange: l.n, Client: l.client}
	switch kind {
	case history.Status:
		code, err := strconv.Atoi(rest[0])
		require.NoError(w.t, err)
		e.HTTP = &history.HTTPHead{Status: code, Body: strings.Join(rest[1:], " ")}
		if code == 200 {
			e.HTTP = &history.HTTPHead{Status: code, ContentType: streamType, Body: strings.Join(rest[1:], " ")}
		}
		if w.side == history.Server {
			w.reaches(l)
		}
		l.headed[seat(w.side)] = true
	default:
		e.Text = strings.Join(rest, " ")
	}
	w.record(e)
	if kind == history.Finish {
		l.done[seat(w.side)] = true
	}
}

// frame makes the frame of that name, under the id of another call if it has that.
func (w *webScripter) frame(name string) *history.Message {
	switch kind, _, _ := strings.Cut(name, " "); kind {
	case "hello":
		return message(w.t, `{"id":800,"method":"initialize","params":{"protocolVersion":"`+w.version+`"}}`)
	case "welcome":
		return message(w.t, `{"id":800,"result":{"protocolVersion":"`+w.version+`"}}`)
	case "ready":
		return message(w.t, `{"method":"notifications/initialized"}`)
	}
	n := callOf(name)
	other, found := w.ids[n]
	if !found {
		return message(w.t, name)
	}
	kind, _, _ := strings.Cut(name, " ")
	m := message(w.t, fmt.Sprintf("%s %d", kind, other))
	m.Raw = strings.NewReplacer(fmt.Sprintf(`"call":%d}`, other), fmt.Sprintf(`"call":%d}`, n), fmt.Sprintf("done %d", other), fmt.Sprintf("done %d", n)).Replace(m.Raw)
	if m.Call == other {
		m.Call = n
	}
	return m
}
