package spacetime

import (
	"strconv"
	"time"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// A builder writes a history down event by event; times are milliseconds since
// the start of the world.
type builder struct {
	h     *history.History
	j     oracle.Judgement
	now   time.Duration
	frame int
}

// newWorld begins a history of go-sdk on both sides, with one call a handler.
func newWorld(version string, handlers ...string) *builder {
	b := &builder{h: &history.History{Header: history.Header{
		Schema: 1, Scenario: "cancel-storm", Seed: 12, SpecVersion: version, Transport: "stdio", Clock: "virtual",
		Client: history.Peer{Target: "go-sdk", Version: "v1.8.0"},
		Server: history.Peer{Target: "go-sdk", Version: "v1.8.0"},
	}}}
	for i, kind := range handlers {
		b.h.Header.Calls = append(b.h.Header.Calls, history.Call{Call: i + 1, Method: "tools/call", Handler: kind})
	}
	return b
}

// at moves the clock.
func (b *builder) at(ms float64) *builder {
	b.now = time.Duration(ms * 1e6)
	return b
}

// add records an event and returns its Seq.
func (b *builder) add(e history.Event) int {
	e.Seq, e.At = len(b.h.Events), b.now
	b.h.Events = append(b.h.Events, e)
	return e.Seq
}

func (b *builder) client(k history.Kind, call int, text string) int {
	return b.add(history.Event{Side: history.Client, Kind: k, Call: call, Text: text})
}

func (b *builder) server(k history.Kind, call int, text string) int {
	return b.add(history.Event{Side: history.Server, Kind: k, Call: call, Text: text})
}

func (b *builder) world(k history.Kind, n int, text string) int {
	return b.add(history.Event{Side: history.World, Kind: k, N: n, Text: text})
}

// A sent frame is what a test keeps to have it read later.
type sent struct {
	from history.Side
	n    int
	msg  *history.Message
	call int
	seq  int
}

// write has a side write a message in one instant.
func (b *builder) write(from history.Side, call int, m history.Message) sent {
	b.frame++
	s := sent{from: from, n: b.frame, msg: &m, call: call}
	s.seq = b.add(history.Event{Side: from, Kind: history.Write, Call: call, Frame: s.n, Msg: s.msg})
	b.add(history.Event{Side: from, Kind: history.Wrote, Call: call, Frame: s.n, Msg: s.msg})
	return s
}

// read has the other side read it as it arrives.
func (b *builder) read(s sent) int { return b.readLate(s, float64(b.now)/1e6) }

// readLate has it read now although it arrived earlier.
func (b *builder) readLate(s sent, arrived float64) int {
	return b.add(history.Event{Side: s.from.Peer(), Kind: history.Read, Call: s.call, Frame: s.n, Msg: s.msg,
		Arrived: time.Duration(arrived * 1e6)})
}

// unread ends the world with the frame never read.
func (b *builder) unread(s sent, arrived float64) int {
	return b.add(history.Event{Side: s.from.Peer(), Kind: history.Unread, Call: s.call, Frame: s.n, Msg: s.msg,
		Arrived: time.Duration(arrived * 1e6)})
}

// The messages of the tests.

func request(id, call int, tool string) history.Message {
	n := strconv.Itoa(id)
	return history.Message{Kind: history.Request, Method: "tools/call", ID: n, Call: call, Token: n,
		Raw: `{"jsonrpc":"2.0","id":` + n + `,"method":"tools/call","params":{"_meta":{"progressToken":` + n +
			`},"name":"` + tool + `","arguments":{"call":` + strconv.Itoa(call) + `,"work_ms":212.5}}}`}
}

func cancelOf(id int) history.Message {
	n := strconv.Itoa(id)
	return history.Message{Kind: history.Notification, Method: "notifications/cancelled", Ref: n, Text: "context canceled",
		Raw: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + n + `,"reason":"context canceled"}}`}
}

func errorFor(id int) history.Message {
	n := strconv.Itoa(id)
	return history.Message{Kind: history.ErrorReply, ID: n, Text: "context canceled",
		Raw: `{"jsonrpc":"2.0","id":` + n + `,"error":{"code":0,"message":"context canceled"}}`}
}

func resultFor(id int) history.Message {
	n := strconv.Itoa(id)
	return history.Message{Kind: history.Response, ID: n,
		Raw: `{"jsonrpc":"2.0","id":` + n + `,"result":{"content":[{"type":"text","text":"done"}]}}`}
}

func progressOf(id int) history.Message {
	n := strconv.Itoa(id)
	return history.Message{Kind: history.Notification, Method: "notifications/progress", Token: n,
		Raw: `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + n + `,"progress":1}}`}
}

// result records what the judge would say of a call.
func (b *builder) result(r oracle.CallResult) { b.j.Calls = append(b.j.Calls, r) }

// fail records a violation of a rule.
func (b *builder) fail(rule string, level oracle.Level, v oracle.Violation) oracle.Violation {
	b.j.Verdicts = append(b.j.Verdicts, oracle.Verdict{Rule: rule, Status: oracle.Fail, Level: level,
		Side: history.Server, Checked: 1, Failed: 1, Violations: []oracle.Violation{v}})
	return v
}

// ending is the end of a world that is well.
func (b *builder) ending() {
	b.at(1500).world(history.Goroutines, 0, "")
	b.world(history.Quiet, 0, "")
	b.at(1500.7).client(history.Probe, 0, "")
	b.at(1540.2).client(history.Probed, 0, "")
	b.at(1541).client(history.Close, 0, "")
	b.at(1580).client(history.Closed, 0, "")
	b.at(1600).world(history.Goroutines, 0, "")
}
