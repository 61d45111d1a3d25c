package reference

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A server serves one protocol version and refuses the others.
type server struct {
	version string
	env     sim.ServerEnv
	defect  defect

	// What it says of itself never changes: results as raw JSON, by method. A
	// method that is in neither this nor among the answers is not spoken.
	fixed   map[string]string
	answers map[string]answerer

	parked chan struct{} // nobody closes it but a test; see leaksOnCancel

	publisher
	site site
}

func newServer(env sim.ServerEnv, d defect) *server {
	return &server{
		version: env.SpecVersion, env: env, defect: d,
		fixed:   fixedResults(env),
		answers: answerers(env),
		parked:  make(chan struct{}),
		site:    site{stopping: make(chan struct{})},
	}
}

// Serve serves one session and blocks until it is over and every handler has
// returned. When the client hangs up, handlers are told to stop, and what they
// return is still written, since a client that only closed its writing end may
// be waiting for it. When ctx ends, subscriptions are ended by their responses, and
// the connection is closed. The result is nil when the client went in an orderly
// way.
func (s *server) Serve(ctx context.Context, conn sim.Conn) error {
	n := newSession(ctx, s)
	n.carryBy(conn)
	defer n.stop()
	defer n.retireAfter(ctx)()
	s.serving(n)
	defer s.left(n)
	if err := n.read(conn.In); errors.Is(err, io.EOF) {
		n.clientLeft()
		n.afterEOF()
	} else {
		n.end(err)
	}
	n.stop()
	n.asks.giveUp()
	n.running.Wait()
	return errors.Join(n.outcome(), n.hangup())
}

func (s *server) overHTTP() bool { return sim.OverHTTP(s.env.Transport) }

// A session is one connection being served.
type session struct {
	*server
	lane *lane // of what is said of no call in particular
	// exchange, unless nil, is the context of the one HTTP exchange that the session is:
	// when it is done, the client has cancelled what it asked.
	exchange context.Context
	ctx      context.Context // the handlers'
	stop     context.CancelFunc
	running  sync.WaitGroup  // one for each request that is being worked on
	asks     questions       // what tools have asked the client
	opened   bool            // legacy: initialize has been read. The reader's own
	asked    int             // requests that a mutant made of the client. Likewise
	kept     map[string]bool // ids that some mutants remember. Likewise
	began    time.Time
	hangup   func() error // takes the connection away, once

	gate
}

// newSession makes a session without a connection, whose handlers are told to stop by
// stop alone.
func newSession(ctx context.Context, s *server) *session {
	n := &session{server: s, gate: newGate(), kept: map[string]bool{}, began: time.Now()}
	n.ctx, n.stop = context.WithCancel(context.WithoutCancel(ctx))
	return n
}

// carryBy gives the session a byte stream to write to.
func (n *session) carryBy(conn sim.Conn) {
	n.lane = newLane(lineOutlet{n, conn.Out})
	n.hangup = sync.OnceValue(func() error { return errors.Join(conn.Out.Close(), conn.In.Close()) })
}

// read acts on one frame after the other until the stream ends. Nothing in it
// waits for the network but the reading itself.
func (n *session) read(in io.Reader) error {
	frames := newFrameReader(in)
	for {
		m, err := frames.next()
		if err != nil {
			return err
		}
		n.receiveAll(m, arrival{lane: n.lane})
	}
}

// An arrival is how a message came.
type arrival struct {
	lane  *lane  // where what comes of it goes
	batch *batch // that it came in; nil: none
	// refuse, unless nil, takes what there is to say against a message that cannot be
	// answered under its id. Nil: it goes to the lane.
	refuse func(protocol.RPCError)
}

// receiveAll acts on a frame, which may be a batch.
func (n *session) receiveAll(m *history.Message, in arrival) {
	if members := protocol.Members(m, n.version); members != nil {
		n.receiveBatch(members, in)
	} else {
		n.receive(m, in)
	}
}

// receive acts on a message.
func (n *session) receive(m *history.Message, in arrival) {
	switch m.Kind {
	case history.Request:
		n.request(m, in)
	case history.Notification:
		if m.Method == protocol.Cancelled && !n.overlooks(in.batch) {
			n.cancelled(m)
		}
	case history.Response, history.ErrorReply:
		n.asks.deliver(m)
	case history.Invalid:
		n.refuseFrame(in, damage(m.Raw))
	}
}

// refuseFrame says what is wrong with a message that cannot be answered otherwise.
func (n *session) refuseFrame(in arrival, e protocol.RPCError) {
	if in.refuse != nil {
		in.refuse(e)
		return
	}
	n.complain(in.lane, e)
}

// damage says what is wrong with a frame that is no JSON-RPC message.
func damage(raw string) protocol.RPCError {
	if !json.Valid([]byte(raw)) {
		return protocol.RPCError{Code: protocol.ParseError, Message: "not valid JSON"}
	}
	return protocol.RPCError{Code: protocol.InvalidRequest, Message: "not a JSON-RPC 2.0 message"}
}

// request starts to work on a request.
func (n *session) request(m *history.Message, in arrival) {
	c, err := n.register(m, in.lane)
	if err != nil {
		n.refuseFrame(in, protocol.RPCError{Code: protocol.InvalidRequest, Message: err.Error()})
		return
	}
	b := in.batch
	c.batch, c.passed = b.join(), sync.OnceFunc(func() { n.passed(b) })
	c.ctx, c.tell = context.WithCancel(n.ctx)
	n.begin(c, m)
	n.begun(c)
	refusal := n.refuse(m.Method, protocol.Member(m.Raw, "params"))
	if b != nil && m.Method == protocol.Initialize {
		refusal = &protocol.RPCError{Code: protocol.InvalidRequest, Message: "initialize must not be part of a batch"}
	}
	if m.Method == protocol.ToolsCall && n.beforeCall(c) {
		c.passed()
		return
	}
	c.leave = in.lane.join()
	n.running.Go(func() { n.work(c, m, refusal) })
}

// work does what a request asks for, or refuses it, and answers it.
func (n *session) work(c *call, m *history.Message, refusal *protocol.RPCError) {
	defer c.leave()
	defer c.passed()
	defer c.tell()
	defer n.enter(c)()
	params := protocol.Member(m.Raw, "params")
	switch {
	case refusal != nil:
		n.answer(c, protocol.AppendError(nil, c.id, *refusal))
		return
	case n.asTask(m):
		n.runTask(c, params)
		return
	}
	n.beforeAnswer(c, m.Method, params)
	if frame := n.perform(c, m.Method, params); frame != nil {
		n.answer(c, frame)
	}
}

// refuse checks a request against the rules of the era and returns the error
// that it deserves, or nil.
func (n *session) refuse(method, params string) *protocol.RPCError {
	switch {
	case protocol.Modern(n.version):
		return n.refuseModern(method, params)
	case method == protocol.Initialize:
		if n.opened {
			return &protocol.RPCError{Code: protocol.InvalidRequest, Message: "initialize came twice"}
		}
		n.opened = true
	case method != protocol.Ping && n.speaks(method) && !n.opened:
		return &protocol.RPCError{Code: protocol.InvalidRequest, Message: method + " came before initialize"}
	}
	return n.refuseMethod(method)
}

func (n *session) refuseModern(method, params string) *protocol.RPCError {
	if method == protocol.Initialize {
		// The error is the only way to tell an old client what would work.
		return n.wrongVersion(protocol.Member(params, "protocolVersion"))
	}
	meta := protocol.Member(params, "_meta")
	raw := protocol.Member(meta, protocol.MetaVersion)
	version, ok := protocol.Text(raw)
	if !ok {
		return invalidParams("_meta lacks " + protocol.MetaVersion)
	}
	if version != n.version {
		return n.wrongVersion(raw)
	}
	if !strings.HasPrefix(protocol.Member(meta, protocol.MetaCapabilities), "{") {
		return invalidParams("_meta lacks " + protocol.MetaCapabilities)
	}
	return n.refuseMethod(method)
}

func (n *session) wrongVersion(requested string) *protocol.RPCError {
	if requested == "" {
		requested = "null"
	}
	return &protocol.RPCError{
		Code:    protocol.UnsupportedVersion,
		Message: "unsupported protocol version",
		Data:    fmt.Sprintf(`{"supported":[%q],"requested":%s}`, n.version, requested),
	}
}

func (n *session) refuseMethod(method string) *protocol.RPCError {
	if n.speaks(method) {
		return nil
	}
	return &protocol.RPCError{Code: protocol.MethodNotFound, Message: "method not found: " + method}
}

// speaks reports whether the era has the method and this server implements it.
func (n *session) speaks(method string) bool {
	return n.answers[method] != nil || n.fixed[method] != ""
}

// perform does what a request asks for and returns the frame that answers it, nil
// for none.
func (n *session) perform(c *call, method, params string) []byte {
	if answer := n.answers[method]; answer != nil {
		return answer(n, c, params)
	}
	return protocol.AppendResult(nil, c.id, n.fixed[method])
}

func invalidParams(what string) *protocol.RPCError {
	return &protocol.RPCError{Code: protocol.InvalidParams, Message: what}
}
