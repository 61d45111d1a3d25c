package spacetime

import (
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

const (
	client = history.Client
	server = history.Server
)

// checkpointLate is a handler that is told at once, looks at its next
// checkpoint, and is answered for.
func checkpointLate() (*builder, oracle.Violation) {
	b := newWorld("2026-07-28", "cooperative", "stubborn", "checkpoint", "chatty")
	b.at(400).client(history.Issue, 3, "")
	q := b.write(client, 3, request(103, 3, "checkpoint"))
	b.at(430.825).read(q)
	b.server(history.Start, 3, "")
	b.at(463.095).client(history.Cancel, 3, "cancel")
	c := b.write(client, 3, cancelOf(103))
	b.client(history.Return, 3, "context canceled")
	b.at(469.8)
	read := b.read(c)
	b.server(history.Told, 3, "context canceled")
	b.at(480.825).server(history.End, 3, "context canceled")
	r := b.write(server, 3, errorFor(103))
	b.at(525.129).read(r)
	b.ending()
	b.result(oracle.CallResult{Call: 3, Handler: "checkpoint", Cancelled: true, Sent: true, Phase: oracle.Running,
		Work: oracle.Stopped, Wire: oracle.Answered, Late: true, ErrorReply: true, Lateness: 11_025_000})
	return b, b.fail("CANCEL-SILENCE", oracle.MustNot, oracle.Violation{Call: 3, Events: []int{read, r.seq},
		What: `answered with error 0 "context canceled"`, Handler: "checkpoint", Phase: oracle.Running, Lateness: 11_025_000})
}

// sameInstant is a late response that only order convicts.
func sameInstant() (*builder, oracle.Violation) {
	b := newWorld("2026-07-28", "cooperative")
	b.at(12.5).client(history.Issue, 1, "")
	q := b.write(client, 1, request(2, 1, "cooperative"))
	b.at(20).read(q)
	b.server(history.Start, 1, "")
	b.server(history.Open, 1, "")
	b.at(31.25).client(history.Cancel, 1, "deadline")
	c := b.write(client, 1, cancelOf(2))
	b.client(history.Return, 1, "context deadline exceeded")
	b.at(45)
	read := b.read(c)
	b.server(history.Told, 1, "context canceled")
	b.server(history.Release, 1, "")
	b.server(history.End, 1, "context canceled")
	r := b.write(server, 1, errorFor(2))
	b.at(51).read(r)
	b.ending()
	b.result(oracle.CallResult{Call: 1, Handler: "cooperative", Cancelled: true, Sent: true, Phase: oracle.Running,
		Work: oracle.Stopped, Wire: oracle.Answered, Late: true, ErrorReply: true})
	return b, b.fail("CANCEL-SILENCE", oracle.MustNot, oracle.Violation{Call: 1, Events: []int{read, r.seq},
		What: `answered with error 0 "context canceled"`})
}

// benign is a cancel and a response that cross on the wire.
func benign() (*builder, oracle.Violation) {
	b := newWorld("2025-11-25", "cooperative")
	b.at(12.5).client(history.Issue, 1, "")
	q := b.write(client, 1, request(2, 1, "cooperative"))
	b.at(20).read(q)
	b.server(history.Start, 1, "")
	b.at(40).add(history.Event{Side: server, Kind: history.End, Call: 1, Value: "done"})
	r := b.write(server, 1, resultFor(2))
	b.at(45).client(history.Cancel, 1, "cancel")
	c := b.write(client, 1, cancelOf(2))
	b.client(history.Return, 1, "context canceled")
	b.at(52).read(c)
	b.at(58.5).read(r)
	b.ending()
	b.result(oracle.CallResult{Call: 1, Handler: "cooperative", Cancelled: true, Sent: true, Phase: oracle.Crossing,
		Work: oracle.Ended, Wire: oracle.Crossed})
	return b, oracle.Violation{}
}

// answeredTwice is a result and a cancel error for one request.
func answeredTwice() (*builder, oracle.Violation) {
	b := newWorld("2025-11-25", "cooperative")
	b.at(12.5).client(history.Issue, 1, "")
	q := b.write(client, 1, request(2, 1, "cooperative"))
	b.at(20).read(q)
	b.server(history.Start, 1, "")
	b.at(22).client(history.Cancel, 1, "cancel")
	c := b.write(client, 1, cancelOf(2))
	b.at(30).read(c)
	b.server(history.Told, 1, "context canceled")
	e := b.write(server, 1, errorFor(2))
	b.at(34).add(history.Event{Side: server, Kind: history.End, Call: 1, Value: "done"})
	r := b.write(server, 1, resultFor(2))
	b.at(39).read(e)
	b.client(history.Return, 1, "context canceled")
	b.read(r)
	b.ending()
	b.result(oracle.CallResult{Call: 1, Handler: "cooperative", Cancelled: true, Sent: true, Phase: oracle.Running,
		Work: oracle.ToldRanOn, Wire: oracle.AnsweredTwice, Late: true, Lateness: 0})
	b.fail("CANCEL-NO-RESPONSE", oracle.Should, oracle.Violation{Call: 1, Events: []int{c.seq, e.seq}})
	return b, b.fail("RESP-ONCE", oracle.Must, oracle.Violation{Call: 1, Events: []int{e.seq, r.seq},
		What: "answered twice", Lateness: 4_000_000})
}

// unreadCancel is a server that reads nothing while its tool runs.
func unreadCancel() (*builder, oracle.Violation) {
	b := newWorld("2025-11-25", "cooperative", "cooperative")
	b.at(12.5).client(history.Issue, 1, "")
	q := b.write(client, 1, request(2, 1, "cooperative"))
	b.at(20).read(q)
	b.server(history.Start, 1, "")
	b.at(30).client(history.Cancel, 1, "cancel")
	c := b.write(client, 1, cancelOf(2))
	b.client(history.Return, 1, "context canceled")
	b.at(120).client(history.Issue, 2, "")
	q2 := b.write(client, 2, request(3, 2, "cooperative"))
	b.at(912.5).add(history.Event{Side: server, Kind: history.End, Call: 1, Value: "done"})
	r := b.write(server, 1, resultFor(2))
	b.readLate(c, 38)
	b.readLate(q2, 128)
	b.server(history.Start, 2, "")
	b.at(920).read(r)
	b.at(930).client(history.Cancel, 2, "cancel")
	c2 := b.write(client, 2, cancelOf(3))
	b.client(history.Return, 2, "context canceled")
	b.ending()
	b.unread(c2, 938)
	b.result(oracle.CallResult{Call: 1, Handler: "cooperative", Cancelled: true, Sent: true, Phase: oracle.Returned,
		Work: oracle.NotRead, Wire: oracle.Crossed})
	b.result(oracle.CallResult{Call: 2, Handler: "cooperative", Cancelled: true, Sent: true, Phase: oracle.Undelivered,
		Work: oracle.NotRead, Wire: oracle.Silent})
	return b, oracle.Violation{}
}

// hang is a caller that never gets control back, and a cancel that was lost.
func hang() (*builder, oracle.Violation) {
	b := newWorld("2026-07-28", "cooperative", "stubborn", "cooperative")
	b.at(12.5).client(history.Issue, 1, "")
	q := b.write(client, 1, request(2, 1, "cooperative"))
	b.at(20).read(q)
	b.server(history.Start, 1, "")
	b.at(30)
	cancelled := b.client(history.Cancel, 1, "cancel")
	b.write(client, 1, cancelOf(2))
	b.at(31).client(history.Issue, 3, "")
	b.write(client, 3, request(4, 3, "cooperative"))
	horizon := b.at(30000).world(history.Horizon, 0, "")
	b.unread(sent{client, 2, b.h.Events[cancelled+1].Msg, 1, 0}, 0)
	b.unread(sent{client, 3, b.h.Events[cancelled+4].Msg, 3, 0}, 39)
	b.result(oracle.CallResult{Call: 1, Handler: "cooperative", Cancelled: true, Sent: true, Phase: oracle.Undelivered,
		Work: oracle.NotRead, Wire: oracle.Silent, Incident: oracle.Hung})
	return b, b.fail("CALLER-UNBLOCKS", oracle.Quality, oracle.Violation{Call: 1, Events: []int{cancelled, horizon},
		What: "the caller never got control back"})
}

const panicReport = `panic: send on closed channel
goroutine 41 [running]:
github.com/modelcontextprotocol/go-sdk/internal/jsonrpc2.(*Connection).processResult(0xc000184000, {0x7a2b40, 0xc0001c4000})
	github.com/modelcontextprotocol/go-sdk/internal/jsonrpc2/conn.go:712 +0x1d4
github.com/modelcontextprotocol/go-sdk/internal/jsonrpc2.(*Connection).handleAsync(0xc000184000)
	github.com/modelcontextprotocol/go-sdk/internal/jsonrpc2/conn.go:640 +0x24d
github.com/modelcontextprotocol/go-sdk/mcp.(*ServerSession).serve(0xc000184000)
	github.com/modelcontextprotocol/go-sdk/mcp/server.go:640 +0x24d
runtime.goexit(...)
	runtime/asm_amd64.s:1693 +0x1
created by github.com/modelcontextprotocol/go-sdk/internal/jsonrpc2.(*Connection).acceptRequest in goroutine 17`

// crash is a server that dies of its cancel, with the client's next call
// under way.
func crash() (*builder, oracle.Violation) {
	b := newWorld("2026-07-28", "cooperative", "cooperative")
	b.at(12.5).client(history.Issue, 1, "")
	q := b.write(client, 1, request(2, 1, "cooperative"))
	b.at(20).read(q)
	b.server(history.Start, 1, "")
	b.at(30).client(history.Cancel, 1, "cancel")
	c := b.write(client, 1, cancelOf(2))
	b.client(history.Return, 1, "context canceled")
	b.at(37)
	read := b.read(c)
	b.server(history.Told, 1, "context canceled")
	dead := b.add(history.Event{Side: history.World, Kind: history.Crash, Text: panicReport, Blame: "server"})
	b.result(oracle.CallResult{Call: 1, Handler: "cooperative", Cancelled: true, Sent: true, Phase: oracle.Running,
		Work: oracle.Stopped, Wire: oracle.Silent, Incident: oracle.Crashed})
	return b, b.fail("RACE-GRACEFUL", oracle.Must, oracle.Violation{Call: 1, Events: []int{read, dead},
		What: "the server's process died"})
}

// leak is a world that leaves goroutines behind.
func leak() (*builder, oracle.Violation) {
	b, _ := benign()
	b.j.Verdicts = nil
	_, stack, _ := strings.Cut(panicReport, "\n")
	seq := b.at(1610).world(history.Leak, 3, stack)
	return b, b.fail("NO-LEAK", oracle.Quality, oracle.Violation{Events: []int{seq}, What: "3 goroutines left"})
}

// dropped is a request that was unanswered when the client's writing half was cut,
// and that the server drops.
func dropped() (*builder, oracle.Violation) {
	b := newWorld("2025-11-25", "cooperative")
	b.at(12.5).client(history.Issue, 1, "")
	q := b.write(client, 1, request(2, 1, "cooperative"))
	b.at(20)
	read := b.read(q)
	b.server(history.Start, 1, "")
	cut := b.at(50).client(history.HalfClose, 0, "")
	b.client(history.Hangup, 0, "half-close")
	eof := b.at(57).server(history.EOF, 0, "")
	b.server(history.Told, 1, "context canceled")
	end := b.server(history.End, 1, "context canceled")
	left := b.server(history.Hangup, 0, "half-close")
	b.server(history.Served, 0, "")
	b.at(64).client(history.EOF, 0, "")
	b.client(history.Return, 1, "EOF")
	b.at(5064).client(history.Close, 0, "")
	b.client(history.Closed, 0, "")
	b.result(oracle.CallResult{Call: 1, Handler: "cooperative"})
	return b, b.fail("EOF-DRAINS", oracle.Quality, oracle.Violation{Call: 1, Events: []int{read, cut, eof, end, left},
		What: "left without answering a request that it had read", Handler: "cooperative", Lateness: 0})
}

// stranded is a caller whose server has died, and who is not told.
func stranded() (*builder, oracle.Violation) {
	b := newWorld("2026-07-28", "cooperative")
	b.at(12.5).client(history.Issue, 1, "")
	q := b.write(client, 1, request(2, 1, "cooperative"))
	b.at(20).read(q)
	b.server(history.Start, 1, "")
	b.at(50).server(history.Exit, 0, "")
	eof := b.at(64).client(history.EOF, 0, "")
	limit := b.at(60_000).world(history.Horizon, 0, "calls had not returned")
	b.at(65_000).client(history.Close, 0, "")
	b.client(history.Return, 1, "closed")
	b.client(history.Closed, 0, "")
	b.result(oracle.CallResult{Call: 1, Handler: "cooperative", Incident: oracle.Hung})
	return b, b.fail("CALLER-UNBLOCKS", oracle.Quality, oracle.Violation{Call: 1, Events: []int{eof, limit},
		What: "held its caller, although it had read that the server was gone", Handler: "cooperative", Lateness: 59_936_000_000})
}

// chatter is a chatty handler that goes on after its cancel.
func chatter() (*builder, oracle.Violation) {
	b := newWorld("2026-07-28", "chatty", "cooperative")
	b.at(12.5).client(history.Issue, 1, "")
	q := b.write(client, 1, request(2, 1, "chatty"))
	b.at(20).read(q)
	b.server(history.Start, 1, "")
	var flying []sent
	say := func(ms float64) sent {
		b.at(ms).add(history.Event{Side: server, Kind: history.Progress, Call: 1, Value: "0.5"})
		s := b.write(server, 1, progressOf(2))
		flying = append(flying, s)
		return s
	}
	hear := func(ms float64) {
		b.at(ms).read(flying[0])
		flying = flying[1:]
	}
	for i := range 20 {
		say(30 + 10*float64(i))
		if i > 0 {
			hear(33 + 10*float64(i))
		}
	}
	b.at(224).client(history.Cancel, 1, "cancel")
	c := b.write(client, 1, cancelOf(2))
	b.client(history.Return, 1, "context canceled")
	say(230)
	b.at(231)
	read := b.read(c)
	b.server(history.Told, 1, "context canceled")
	hear(233)
	late := say(240)
	for len(flying) > 0 {
		hear(250 - float64(len(flying)))
	}
	say(255)
	hear(260)
	b.at(261).server(history.End, 1, "context canceled")
	b.ending()
	b.result(oracle.CallResult{Call: 1, Handler: "chatty", Cancelled: true, Sent: true, Phase: oracle.Running,
		Work: oracle.Stopped, Wire: oracle.Silent})
	return b, b.fail("PROGRESS-AFTER-CANCEL", oracle.MustNot, oracle.Violation{Call: 1, Events: []int{read, late.seq},
		What: "progress after the cancel was read", Lateness: 9_000_000})
}

// overlapping is four calls at once, with the session's own messages.
func overlapping() (*builder, oracle.Violation) {
	b := newWorld("2025-11-25", "cooperative", "stubborn", "checkpoint", "slow-cleanup")
	b.at(0).client(history.Connect, 0, "")
	hello := b.write(client, 0, history.Message{Kind: history.Request, Method: "initialize", ID: "1", Raw: `{"id":1}`})
	b.at(5).read(hello)
	reply := b.write(server, 0, history.Message{Kind: history.Response, ID: "1", Raw: `{"id":1}`})
	b.at(10).read(reply)
	ready := b.write(client, 0, history.Message{Kind: history.Notification, Method: "notifications/initialized", Raw: `{}`})
	b.client(history.Connected, 0, "")
	b.at(16).read(ready)
	var q, c [5]sent
	for i := 1; i <= 4; i++ {
		b.at(20+float64(i)).client(history.Issue, i, "")
		q[i] = b.write(client, i, request(i+1, i, b.h.Header.Calls[i-1].Handler))
	}
	for i := 1; i <= 4; i++ {
		b.at(40 + float64(i)).read(q[i])
		b.server(history.Start, i, "")
	}
	b.at(50).add(history.Event{Side: server, Kind: history.End, Call: 2, Value: "done"})
	r2 := b.write(server, 2, resultFor(3))
	for _, i := range []int{1, 2, 3, 4} {
		b.at(52+float64(i)).client(history.Cancel, i, "cancel")
		c[i] = b.write(client, i, cancelOf(i+1))
		b.client(history.Return, i, "context canceled")
	}
	b.at(60)
	read1 := b.read(c[1])
	b.server(history.Told, 1, "context canceled")
	b.server(history.End, 1, "context canceled")
	r1 := b.write(server, 1, errorFor(2))
	b.at(61.5).read(r2)
	b.at(62).read(c[2])
	b.read(c[3])
	b.server(history.Told, 3, "context canceled")
	b.at(65)
	read4 := b.read(c[4])
	b.server(history.Told, 4, "context canceled")
	b.at(70).server(history.End, 3, "context canceled")
	b.at(71.3).server(history.End, 4, "context canceled")
	r4 := b.write(server, 4, errorFor(5))
	b.at(72).read(r1)
	b.at(91.02).read(r4)
	b.ending()
	phases := []oracle.Phase{oracle.Running, oracle.Crossing, oracle.Running, oracle.Running}
	for i, p := range phases {
		b.result(oracle.CallResult{Call: i + 1, Cancelled: true, Sent: true, Phase: p})
	}
	b.fail("CANCEL-NO-RESPONSE", oracle.Should, oracle.Violation{Call: 1, Events: []int{read1, r1.seq}})
	v := oracle.Violation{Call: 4, Events: []int{read4, r4.seq}, Lateness: 6_300_000}
	last := &b.j.Verdicts[len(b.j.Verdicts)-1]
	last.Violations = append(last.Violations, v)
	return b, v
}

// crowded is more frames in flight than there are lanes, a write that was
// held, one that failed, and a reset.
func crowded() (*builder, oracle.Violation) {
	b := newWorld("2026-07-28", "cooperative", "cooperative")
	var q []sent
	for i := range 12 {
		b.at(float64(i)).client(history.Issue, i%2+1, "")
		q = append(q, b.write(client, i%2+1, request(100+i, i%2+1, "cooperative")))
	}
	for _, s := range q {
		b.at(b.ms() + 3).read(s)
	}
	b.add(history.Event{Side: server, Kind: history.Wrote, Frame: 0})
	b.at(60).add(history.Event{Side: client, Kind: history.Write, Frame: 99, Call: 1})
	b.at(75.5).add(history.Event{Side: client, Kind: history.Wrote, Frame: 99, Call: 1})
	b.add(history.Event{Side: client, Kind: history.Write, Frame: 100, Call: 1})
	b.add(history.Event{Side: client, Kind: history.Wrote, Frame: 100, Call: 1, Text: "write: broken pipe"})
	b.add(history.Event{Side: server, Kind: history.Read, Frame: 101, Call: 2})
	r := b.write(server, 2, resultFor(101))
	b.read(r)
	q0 := b.write(client, 2, request(200, 2, "cooperative"))
	b.read(q0)
	b.at(80).server(history.Hangup, 0, "reset")
	b.client(history.EOF, 0, "")
	b.server(history.Served, 0, "connection reset")
	b.at(90).client(history.Probe, 0, "")
	b.client(history.Close, 0, "")
	return b, oracle.Violation{}
}

// ms is the builder's clock.
func (b *builder) ms() float64 { return float64(b.now) / 1e6 }
