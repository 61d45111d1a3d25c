package spacetime

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

const (
	sse  = "text/event-stream"
	json = "application/json"
)

// newHTTPWorld begins a history over streamable HTTP.
func newHTTPWorld(version string, handlers ...string) *builder {
	b := newWorld(version, handlers...)
	b.h.Header.Transport = "streamable-http"
	return b
}

// A posted exchange is what a test keeps to go on with it.
type posted struct {
	b      *builder
	n      int
	client int // of several
	call   int
	conn   int
	sent   sent
}

func (p posted) add(e history.Event) int {
	e.Exchange, e.Client = p.n, p.client
	return p.b.add(e)
}

// post has a client begin an exchange with a message.
func (b *builder) post(n, call int, m history.Message) *posted {
	p := b.open(n, "POST", "")
	p.call = call
	p.send(m)
	return p
}

// open has the client begin an exchange.
func (b *builder) open(n int, method, lastEvent string) *posted {
	p := &posted{b: b, n: n, conn: n}
	p.add(history.Event{Side: client, Kind: history.Begin, HTTP: &history.HTTPHead{Method: method, LastEvent: lastEvent}})
	return p
}

func (p *posted) send(m history.Message) {
	p.b.frame++
	p.sent = sent{from: client, n: p.b.frame, msg: &m, call: p.call}
	p.sent.seq = p.add(history.Event{Side: client, Kind: history.Write, Call: p.call, Frame: p.sent.n, Msg: &m})
	p.add(history.Event{Side: client, Kind: history.Wrote, Call: p.call, Frame: p.sent.n, Msg: &m})
}

// arrive has the server's chain take the exchange up, and read what was posted.
func (p *posted) arrive() int {
	seq := p.add(history.Event{Side: server, Kind: history.Begin, Call: p.call, HTTP: &history.HTTPHead{Method: "POST", Conn: p.conn}})
	if p.sent.msg == nil {
		return seq
	}
	return p.add(history.Event{Side: server, Kind: history.Read, Call: p.call, Frame: p.sent.n, Msg: p.sent.msg, Arrived: p.b.now})
}

// status is the response's head at a side.
func (p *posted) status(side history.Side, code int, kind string) int {
	return p.add(history.Event{Side: side, Kind: history.Status, Call: p.call, HTTP: &history.HTTPHead{Status: code, ContentType: kind}})
}

// answer has the server write a message of the response.
func (p *posted) answer(m history.Message, eventID string) sent {
	p.b.frame++
	s := sent{from: server, n: p.b.frame, msg: &m, call: p.call}
	s.seq = p.add(history.Event{Side: server, Kind: history.Write, Call: p.call, Frame: s.n, Msg: &m, EventID: eventID})
	p.add(history.Event{Side: server, Kind: history.Wrote, Call: p.call, Frame: s.n, Msg: &m, EventID: eventID})
	return s
}

func (p *posted) take(s sent) int {
	return p.add(history.Event{Side: client, Kind: history.Read, Call: p.call, Frame: s.n, Msg: s.msg, Arrived: p.b.now})
}

func (p *posted) never(s sent) {
	p.add(history.Event{Side: s.from.Peer(), Kind: history.Unread, Call: p.call, Frame: s.n, Msg: s.msg})
}

func (p *posted) on(side history.Side, k history.Kind, text string) int {
	return p.add(history.Event{Side: side, Kind: k, Call: p.call, Text: text})
}

// accepted is an exchange that is answered with a 202.
func (p *posted) accepted() {
	p.status(server, 202, "")
	p.on(server, history.Finish, "")
}

// endingOverHTTP is ending with what a server over HTTP has left.
func (b *builder) endingOverHTTP(sessions int) {
	b.ending()
	b.at(6600).add(history.Event{Side: server, Kind: history.Sessions, N: sessions})
}

// httpLegacy is a cancel of its own, behind the disconnect that is none.
func httpLegacy() (*builder, oracle.Violation) {
	b := newHTTPWorld("2025-11-25", "cooperative", "cooperative")
	b.at(100).client(history.Issue, 1, "")
	q := b.post(1, 1, request(3, 1, "cooperative"))
	b.at(108.5)
	q.arrive()
	b.server(history.Start, 1, "")
	b.at(185).client(history.Cancel, 1, "cancel")
	q.on(client, history.Drop, "context canceled")
	b.client(history.Return, 1, "context canceled")
	c := b.post(2, 1, cancelOf(3))
	b.at(211.5)
	q.on(server, history.Gone, "")
	q.on(server, history.Finish, "")
	b.at(241.25)
	read := c.arrive()
	c.accepted()
	b.server(history.Told, 1, "context canceled")
	b.at(250).server(history.End, 1, "context canceled")
	late := q.answer(errorFor(3), "")
	b.at(266)
	c.status(client, 202, "")
	c.on(client, history.Finish, "")
	b.endingOverHTTP(0)
	q.never(late)
	b.result(oracle.CallResult{Call: 1, Handler: "cooperative", Cancelled: true, Sent: true, Phase: oracle.Running,
		Work: oracle.Stopped, Wire: oracle.Answered, Late: true, ErrorReply: true, Lateness: 8_750_000})
	return b, b.fail("CANCEL-NO-RESPONSE", oracle.Should, oracle.Violation{Call: 1, Events: []int{read, late.seq},
		What: `answered with error 0 "context canceled"`, Lateness: 8_750_000})
}

// httpModern is a cancel by the closing of the stream, after which the server goes on.
func httpModern() (*builder, oracle.Violation) {
	b := newHTTPWorld("2026-07-28", "chatty")
	b.at(100).client(history.Issue, 1, "")
	q := b.post(1, 1, request(3, 1, "chatty"))
	b.at(108.5)
	q.arrive()
	b.server(history.Start, 1, "")
	b.at(120)
	q.status(server, 200, sse)
	p := q.answer(progressOf(3), "")
	b.at(131)
	q.status(client, 200, sse)
	q.take(p)
	b.at(185).client(history.Cancel, 1, "cancel")
	q.on(client, history.Drop, "context canceled")
	b.client(history.Return, 1, "context canceled")
	b.at(211.5)
	gone := q.on(server, history.Gone, "")
	b.server(history.Told, 1, "context canceled")
	b.at(220).server(history.End, 1, "context canceled")
	late := q.answer(errorFor(3), "")
	q.on(server, history.Finish, "")
	b.endingOverHTTP(0)
	q.never(late)
	b.result(oracle.CallResult{Call: 1, Handler: "chatty", Cancelled: true, Sent: true, Phase: oracle.Running,
		Work: oracle.Stopped, Wire: oracle.Answered, Late: true, ErrorReply: true, Lateness: 8_500_000})
	return b, b.fail("CANCEL-SILENCE", oracle.MustNot, oracle.Violation{Call: 1, Events: []int{gone, late.seq},
		What: `answered with error 0 "context canceled"`, Lateness: 8_500_000})
}

// httpQuiet is a call that nobody cancels: what HTTP adds to it is nothing.
func httpQuiet() (*builder, oracle.Violation) {
	b := newHTTPWorld("2026-07-28", "cooperative")
	b.at(100).client(history.Issue, 1, "")
	q := b.post(1, 1, request(3, 1, "cooperative"))
	b.at(108.5)
	q.arrive()
	b.server(history.Start, 1, "")
	b.at(200).add(history.Event{Side: server, Kind: history.End, Call: 1, Value: "done"})
	q.status(server, 200, json)
	r := q.answer(resultFor(3), "")
	q.on(server, history.Finish, "")
	b.at(209)
	q.status(client, 200, json)
	q.take(r)
	b.add(history.Event{Side: client, Kind: history.Return, Call: 1, Value: "done"})
	q.on(client, history.Drop, "context canceled")
	b.endingOverHTTP(0)
	return b, oracle.Violation{}
}

// httpResumed is a stream that the network cuts, and a client that goes on with it.
func httpResumed() (*builder, oracle.Violation) {
	b := newHTTPWorld("2025-11-25", "chatty")
	b.at(100).client(history.Issue, 1, "")
	q := b.post(1, 1, request(3, 1, "chatty"))
	b.at(108)
	q.on(history.World, history.Fault, "cut")
	q.arrive()
	b.server(history.Start, 1, "")
	q.status(server, 200, sse)
	b.at(114)
	q.status(client, 200, sse)
	b.at(120)
	p := q.answer(progressOf(3), "s1_1")
	b.at(128)
	q.take(p)
	b.at(140)
	cut := q.answer(progressOf(3), "s1_2")
	q.on(server, history.Gone, "")
	q.on(server, history.Finish, "")
	b.at(147)
	q.on(client, history.Finish, "unexpected EOF")
	b.at(1147)
	g := b.open(2, "GET", "s1_1")
	b.at(1155)
	g.arrive()
	g.status(server, 200, sse)
	again := g.answer(progressOf(3), "s1_2")
	b.at(1163)
	g.status(client, 200, sse)
	g.take(again)
	b.at(1200).add(history.Event{Side: server, Kind: history.End, Call: 1, Value: "done"})
	r := g.answer(resultFor(3), "s1_3")
	b.at(1210)
	g.take(r)
	b.add(history.Event{Side: client, Kind: history.Return, Call: 1, Value: "done"})
	b.endingOverHTTP(1)
	q.never(cut)
	return b, oracle.Violation{}
}

// httpRefused is a server that does not know the session any more.
func httpRefused() (*builder, oracle.Violation) {
	b := newHTTPWorld("2025-11-25", "cooperative")
	b.at(100).client(history.Issue, 1, "")
	q := b.post(1, 1, request(3, 1, "cooperative"))
	b.at(108)
	q.add(history.Event{Side: server, Kind: history.Begin, HTTP: &history.HTTPHead{Method: "POST", Conn: 1}})
	q.status(server, 404, "text/plain")
	q.never(q.sent)
	q.on(server, history.Finish, "")
	b.at(115)
	q.status(client, 404, "text/plain")
	q.add(history.Event{Side: client, Kind: history.Finish, HTTP: &history.HTTPHead{Body: "session not found\n"}})
	b.client(history.Return, 1, "session not found")
	b.endingOverHTTP(0)
	return b, oracle.Violation{}
}

// httpProxied is a proxy that answers for the server, and one that gives it up.
func httpProxied() (*builder, oracle.Violation) {
	b := newHTTPWorld("2026-07-28", "cooperative", "cooperative")
	b.at(100).client(history.Issue, 1, "")
	q := b.post(1, 1, request(3, 1, "cooperative"))
	b.at(102).client(history.Issue, 2, "")
	q2 := b.post(2, 2, request(4, 2, "cooperative"))
	b.at(106)
	q.on(history.World, history.Fault, "bad-gateway")
	b.at(109)
	q2.on(history.World, history.Fault, "timeout")
	q2.arrive()
	b.server(history.Start, 2, "")
	b.at(112)
	q.status(client, 502, "text/plain")
	q.add(history.Event{Side: client, Kind: history.Finish, HTTP: &history.HTTPHead{Body: "bad gateway"}})
	b.client(history.Return, 1, "502 Bad Gateway")
	b.at(400)
	q2.on(server, history.Gone, "")
	b.server(history.Told, 2, "context canceled")
	b.server(history.End, 2, "context canceled")
	q2.on(server, history.Finish, "")
	b.at(408)
	q2.status(client, 504, "text/plain")
	q2.on(client, history.Finish, "")
	b.client(history.Return, 2, "504 Gateway Timeout")
	b.endingOverHTTP(0)
	q.never(q.sent)
	return b, oracle.Violation{}
}

// httpOvertaken is a request that the network holds back, so that its cancel is there
// first; it then runs in full, and its exchange is never ended.
func httpOvertaken() (*builder, oracle.Violation) {
	b := newHTTPWorld("2025-11-25", "cooperative")
	b.h.Header.Instances = 2
	b.at(100).client(history.Issue, 1, "")
	q := b.post(1, 1, request(3, 1, "cooperative"))
	b.at(107)
	q.on(history.World, history.Fault, "hold")
	b.at(110).client(history.Cancel, 1, "deadline")
	b.client(history.Return, 1, "context deadline exceeded")
	c := b.open(2, "POST", "")
	c.call, c.sent = 1, sent{from: client, n: 2, msg: new(cancelOf(3)), call: 1}
	b.frame++
	c.add(history.Event{Side: client, Kind: history.Write, Call: 1, Frame: 2, Msg: c.sent.msg})
	b.at(121)
	c.add(history.Event{Side: client, Kind: history.Wrote, Call: 1, Frame: 2, Msg: c.sent.msg})
	b.at(130)
	c.add(history.Event{Side: server, Kind: history.Begin, HTTP: &history.HTTPHead{Method: "POST", Conn: 2, Instance: 2}})
	c.add(history.Event{Side: server, Kind: history.Read, Call: 1, Frame: 2, Msg: c.sent.msg, Arrived: b.now})
	c.accepted()
	b.at(137)
	c.status(client, 202, "")
	c.on(client, history.Drop, "body closed")
	b.at(180)
	q.add(history.Event{Side: server, Kind: history.Begin, HTTP: &history.HTTPHead{Method: "POST", Conn: 1, Instance: 1}})
	q.add(history.Event{Side: server, Kind: history.Read, Call: 1, Frame: 1, Msg: q.sent.msg, Arrived: b.now})
	b.server(history.Start, 1, "")
	b.at(300).add(history.Event{Side: server, Kind: history.End, Call: 1, Value: "done"})
	q.status(server, 200, sse)
	r := q.answer(resultFor(3), "")
	b.at(309)
	q.status(client, 200, sse)
	q.take(r)
	b.endingOverHTTP(1)
	b.result(oracle.CallResult{Call: 1, Handler: "cooperative", Cancelled: true, Sent: true, Phase: oracle.BeforeRequest,
		Work: oracle.NeverTold, Wire: oracle.Answered})
	return b, oracle.Violation{}
}

// httpClients is one server that sends the answer of one of three clients to another.
func httpClients() (*builder, oracle.Violation) {
	b := newHTTPWorld("2025-11-25", "cooperative", "cooperative", "cooperative")
	b.h.Header.Clients = 17
	for i, of := range []int{4, 17, 9} {
		b.h.Header.Calls[i].Client = of
	}
	of := func(n, client, call int) *posted {
		b.add(history.Event{Side: history.Client, Kind: history.Issue, Call: call, Client: client})
		p := &posted{b: b, n: n, conn: n, client: client, call: call}
		p.add(history.Event{Side: history.Client, Kind: history.Begin, HTTP: &history.HTTPHead{Method: "POST"}})
		p.send(request(3, call, "cooperative"))
		return p
	}
	b.at(90).add(history.Event{Side: client, Kind: history.Connect, Client: 9})
	b.at(100)
	p4 := of(1, 4, 1)
	p17 := of(2, 17, 2)
	b.at(104)
	p9 := of(3, 9, 3)
	b.at(108)
	p17.arrive()
	b.server(history.Start, 2, "")
	p4.arrive()
	b.server(history.Start, 1, "")
	b.at(112)
	p9.arrive()
	b.server(history.Start, 3, "")
	b.at(200).add(history.Event{Side: server, Kind: history.End, Call: 2, Value: "call 2 done", Client: 17})
	p17.status(server, 200, json)
	r := p17.answer(resultFor(3), "")
	p17.on(server, history.Finish, "")
	b.at(209)
	p17.status(client, 200, json)
	read := p17.take(r)
	b.add(history.Event{Side: client, Kind: history.Return, Call: 2, Value: "call 1 done", Client: 17})
	b.at(300).add(history.Event{Side: client, Kind: history.Close, Client: 9})
	b.endingOverHTTP(2)
	return b, b.fail("ANSWER-OWN", oracle.Quality, oracle.Violation{Call: 2, Events: []int{r.seq, read}, What: "got the answer of call 1"})
}

// TestClientOf is the client that is shown where no one call is.
func TestClientOf(t *testing.T) {
	b, v := httpClients()
	assert.Equal(t, 17, ClientOf(b.h, v), "that of the call")
	for _, e := range b.h.Events {
		if e.Kind == history.Close {
			v = oracle.Violation{Events: []int{0, e.Seq, len(b.h.Events) - 1}}
		}
	}
	assert.Equal(t, 9, ClientOf(b.h, v), "that of the last event that is any client's")
	assert.Equal(t, 1, ClientOf(b.h, oracle.Violation{Events: []int{-1, 1 << 20}}), "or the first")
	b.h.Header.Clients = 0
	assert.Zero(t, ClientOf(b.h, v), "there is one alone")
}
