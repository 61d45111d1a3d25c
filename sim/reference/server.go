package reference

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A server serves one protocol version and refuses the others.
type server struct {
	version string
	tools   map[string]sim.Tool
	defect  defect

	// What it says of itself never changes: results as raw JSON.
	handshake string
	list      string

	parked chan struct{} // nobody closes it but a test; see leaksOnCancel
}

func newServer(env sim.ServerEnv, d defect) *server {
	s := &server{
		version: env.SpecVersion, tools: map[string]sim.Tool{}, defect: d,
		handshake: handshakeResult(env.SpecVersion),
		list:      listResult(env.SpecVersion, env.Tools),
		parked:    make(chan struct{}),
	}
	for _, t := range env.Tools {
		s.tools[t.Name] = t
	}
	return s
}

// Serve serves one session and blocks until it is over and every handler has
// returned. When the client hangs up, handlers are told to stop, and what they
// return is still written, since a client that only closed its writing end may
// be waiting for it. When ctx ends, the connection is closed first. The result
// is nil when the client went in an orderly way.
func (s *server) Serve(ctx context.Context, conn sim.Conn) error {
	n := newSession(ctx, s, conn)
	defer n.stop()
	unhook := context.AfterFunc(ctx, func() { n.end(context.Cause(ctx)) })
	defer unhook()
	if err := n.read(); errors.Is(err, io.EOF) {
		n.clientLeft()
		n.afterEOF()
	} else {
		n.end(err)
	}
	n.stop()
	n.running.Wait()
	return errors.Join(n.outcome(), n.hangup())
}

// A session is one connection being served.
type session struct {
	*server
	conn    sim.Conn
	frames  frameReader
	ctx     context.Context // the handlers'
	stop    context.CancelFunc
	running sync.WaitGroup // one for each request that is being worked on
	opened  bool           // legacy: initialize has been read. The reader's own
	hangup  func() error   // closes both ends, once

	gate
}

func newSession(ctx context.Context, s *server, conn sim.Conn) *session {
	n := &session{server: s, conn: conn, frames: newFrameReader(conn.In), gate: newGate()}
	n.ctx, n.stop = context.WithCancel(ctx)
	n.hangup = sync.OnceValue(func() error { return errors.Join(conn.Out.Close(), conn.In.Close()) })
	return n
}

// read acts on one frame after the other until the stream ends. Nothing in it
// waits for the network but the reading itself.
func (n *session) read() error {
	for {
		m, err := n.frames.next()
		if err != nil {
			return err
		}
		switch m.Kind {
		case history.Request:
			n.request(m)
		case history.Notification:
			if m.Method == protocol.Cancelled {
				n.cancelled(m.Ref)
			}
		case history.Invalid:
			n.complain(damage(m.Raw))
		}
	}
}

// damage says what is wrong with a frame that is no JSON-RPC message.
func damage(raw string) protocol.RPCError {
	if !json.Valid([]byte(raw)) {
		return protocol.RPCError{Code: protocol.ParseError, Message: "not valid JSON"}
	}
	return protocol.RPCError{Code: protocol.InvalidRequest, Message: "not a JSON-RPC 2.0 message"}
}

// request starts to work on a request.
func (n *session) request(m *history.Message) {
	c, err := n.register(m)
	if err != nil {
		n.complain(protocol.RPCError{Code: protocol.InvalidRequest, Message: err.Error()})
		return
	}
	c.ctx, c.tell = context.WithCancel(n.ctx)
	params := protocol.Member(m.Raw, "params")
	refusal := n.refuse(m.Method, params)
	if m.Method == protocol.ToolsCall && n.beforeCall(c) {
		return
	}
	n.running.Go(func() {
		defer c.tell()
		if refusal != nil {
			n.answer(c, protocol.AppendError(nil, c.id, *refusal))
			return
		}
		n.answer(c, n.perform(c, m.Method, params))
	})
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
	switch method {
	case protocol.ToolsCall, protocol.ToolsList:
		return true
	case protocol.Initialize, protocol.Ping:
		return !protocol.Modern(n.version)
	case protocol.Discover:
		return protocol.Modern(n.version)
	}
	return false
}

// perform does what a request asks for and returns the frame that answers it.
func (n *session) perform(c *call, method, params string) []byte {
	switch method {
	case protocol.Initialize, protocol.Discover:
		return protocol.AppendResult(nil, c.id, n.handshake)
	case protocol.ToolsList:
		return protocol.AppendResult(nil, c.id, n.list)
	case protocol.ToolsCall:
		return n.callTool(c, params)
	}
	return protocol.AppendResult(nil, c.id, `{}`) // ping
}

func (n *session) callTool(c *call, params string) []byte {
	name, _ := protocol.Text(protocol.Member(params, "name"))
	tool, known := n.tools[name]
	if !known {
		return protocol.AppendError(nil, c.id, *invalidParams(fmt.Sprintf("unknown tool %q", name)))
	}
	args := protocol.Member(params, "arguments")
	if args == "" {
		args = `{}`
	}
	if args[0] != '{' {
		return protocol.AppendError(nil, c.id, *invalidParams("arguments are no object"))
	}
	if err := c.ctx.Err(); err != nil { // told before it began: do not begin
		return protocol.AppendError(nil, c.id, protocol.RPCError{Code: protocol.InternalError, Message: err.Error()})
	}
	text, err := tool.Run(c.ctx, json.RawMessage(args), func(figure float64) error { return n.progress(c, figure) })
	text = n.textFor(text)
	return appendToolResult(make([]byte, 0, frameSize), n.version, c.id, text, err)
}

func invalidParams(what string) *protocol.RPCError {
	return &protocol.RPCError{Code: protocol.InvalidParams, Message: what}
}
