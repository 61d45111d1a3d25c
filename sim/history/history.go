// Package history holds what was observed in one world: an ordered list of
// events and the header that a judge needs to read it.
//
// A history is plain data. The simulator records it, oracles read it, and
// nobody edits it after the run. It knows nothing of schedules, targets or
// networks, and imports nothing of this module.
//
// Read in this order: [Header] says under which conditions the events came to
// be, [Event] is one of them, [Message] is the JSON-RPC message that a wire
// event carries, [History] puts them together.
package history

import (
	"strings"
	"time"
)

// Schema is the version of the encoding that this package writes.
const Schema = 1

// A Side is one end of a pair.
type Side string

// The two ends of a pair, and the simulator's own events.
const (
	Client Side = "client"
	Server Side = "server"
	World  Side = "world"
)

// Peer returns the other end of a pair, and World for World.
func (s Side) Peer() Side {
	switch s {
	case Client:
		return Server
	case Server:
		return Client
	}
	return World
}

// A Peer says who sat at one end of the pair.
type Peer struct {
	Target  string `json:"target"`            // as typed on the command line, with its options: "go-sdk", "go-sdk+json", "reference", "mutant:answers-cancelled"
	Version string `json:"version,omitempty"` // of the implementation, "v1.8.0"; empty for our own peers
}

// Name is the target's without its options.
func (p Peer) Name() string {
	name, _, _ := strings.Cut(p.Target, "+")
	return name
}

// A Call is what the application meant to ask: one line per call of the world.
// Oracles use it to tell the tool's own behaviour from the SDK's.
type Call struct {
	Call    int           `json:"call"`              // the call's number in this world, from 1
	Method  string        `json:"method"`            // "tools/call", "resources/read", "ping", …
	Handler string        `json:"handler"`           // kind of the tool, or of what reads the resource and so on: "cooperative", "checkpoint", …; empty: no code of the application's answers the method
	Work    time.Duration `json:"work_ns,omitempty"` // how long the handler runs if nobody stops it
	Life    time.Duration `json:"life_ns,omitempty"` // how long the call is expected to take if nobody cancels it: the way there, the work, the way back
	// NotAsked says why the call was not made, where the protocol version or one
	// of the targets has no such method: "2026-07-28 has no ping". Nothing is to be
	// concluded from such a call.
	NotAsked string `json:"not_asked,omitempty"`
	// Parent is the call whose tool makes this one, of a nested call.
	Parent int `json:"parent,omitempty"`
	// Client is which of the world's clients makes the call, from 1; 0: there is one.
	Client int `json:"client,omitempty"`
	// Task is what the caller does who loses interest in a call that is made as a
	// task: "task" cancels that, "wait" only the request that it waits with, "call"
	// the call itself as long as the task is not known. Empty: it is no task.
	Task string `json:"task,omitempty"`
}

// Obedient reports whether the tool stops when it is told. The others run on
// by design, so what they do after a cancel is the application's doing.
func (c Call) Obedient() bool { return c.Handler != "stubborn" }

// A Header states the conditions of a world.
type Header struct {
	Schema        int           `json:"schema"`
	Scenario      string        `json:"scenario"`
	Seed          uint64        `json:"seed"`
	SchedulerSeed uint64        `json:"scheduler_seed"`
	SpecVersion   string        `json:"spec_version"` // "2025-11-25"
	Transport     string        `json:"transport"`    // "stdio"
	Clock         string        `json:"clock"`        // "virtual" or "wall"
	Client        Peer          `json:"client"`
	Server        Peer          `json:"server"`
	Horizon       time.Duration `json:"horizon_ns"` // what has not happened by then counts as never
	Settle        time.Duration `json:"settle_ns"`  // how long the world is left alone after the last call, and again after close
	Calls         []Call        `json:"calls"`
	// Nested are the calls that tools make of the client while they work. Their
	// numbers follow those of Calls. For them the client is the receiver.
	Nested []Call `json:"nested,omitempty"`
	// Unavailable says what else was asked for and a target cannot do: "client
	// go-sdk repeats no cancels".
	Unavailable []string `json:"unavailable,omitempty"`
	// Deliberate lists the rules that the scenario has one of our own peers break on
	// purpose, behind its side: "client:ID-NO-REUSE-L". Breaches of these by that side
	// prove nothing about anybody.
	Deliberate []string `json:"deliberate,omitempty"`
	// Clients is how many clients the world's one server has; 0: one, and no event names
	// it.
	Clients int `json:"clients,omitempty"`
	// Instances is how many servers that share nothing stand behind one address; 0: one.
	Instances int `json:"instances,omitempty"`
	// Budgets are the times that a judge is to use in place of its own where the
	// specification sets none, by name; see package oracle.
	Budgets map[string]time.Duration `json:"budgets_ns,omitempty"`
}

// Modern reports whether the protocol version is of the stateless era, which
// began with 2026-07-28: no initialize handshake, no ping.
func (h Header) Modern() bool { return h.SpecVersion >= "2026-07-28" }

// A Kind says what an event is.
type Kind string

// Wire events. Their Side is the end at which they were observed. One frame
// (one JSON-RPC message on the wire) has the same Frame number in all of them.
// Each message of a batch counts as a frame of its own, which is written and read
// in the instant of the others; their numbers follow one another.
const (
	// Write: the sender's Write that carries the frame's first byte was entered.
	Write Kind = "write"
	// Wrote: the sender's Write that carries the frame's last byte returned.
	// Text holds its error, if any.
	Wrote Kind = "wrote"
	// Read: the receiver's Read that hands over the frame's last byte is about
	// to return. Arrived is when that byte reached the receiver.
	Read Kind = "read"
	// Unread: the world ended and nobody ever read the frame. Arrived is zero
	// when it had not even reached the receiver.
	Unread Kind = "unread"
	// EOF: the side's Read is about to return the end of the stream.
	EOF Kind = "eof"
	// Hangup: the side closed its writing end. Text says "half-close" or "reset".
	Hangup Kind = "hangup"
)

// HTTP events. Their Side is the end at which they were observed; the server's end is
// the handler chain, not the connection. One HTTP request with its response is an
// exchange and has the same Exchange number at both ends. The messages that it carries
// are frames with wire events, which name the exchange, too: the request's body is
// written when the client's transport is handed the request, and read when the server's
// handler has read the body's last byte; a message of the response is written when the
// handler writes its first byte, and read when the client has read its last. A GET that
// the client's transport makes again by itself, since its connection broke before anything
// came back, is the same exchange: the server begins with it once more.
const (
	// Begin: the side began with the exchange: the client's transport was handed the
	// request, the server's handler chain was entered. HTTP is the request's head.
	Begin Kind = "begin"
	// Status: the response's head: the server wrote it, the client has it. HTTP says
	// what it says.
	Status Kind = "status"
	// Drop: the client gave the exchange up before the response's end. Text is how:
	// "body closed", or the error of the request's context.
	Drop Kind = "drop"
	// Gone: the server saw that the client, or the connection, is gone: the request's
	// context ended before the handler returned.
	Gone Kind = "gone"
	// Finish: the side is done with the exchange: the handler returned; the client read
	// the response to its end, or got the error in Text. A client that dropped the
	// exchange has no Finish. The Text of a server whose handler panicked, from which
	// net/http recovers, is "panic: …" and the stack; Blame is as that of a crash.
	Finish Kind = "finish"
	// Cue: an SSE event that tells the client where, or when, to resume the stream. EventID
	// is its id, unless it holds a message, whose frame has that; Value is its retry field,
	// in milliseconds. Side is the server, as it writes the event's end, or the client, as
	// it reads that.
	Cue Kind = "cue"
	// Fault: what stands between the two sides did something to the exchange, which a
	// scenario asked for. Text is the fault's kind, as scenarios name it: "bad-gateway",
	// "cut". A drop stands where the connection breaks, on each exchange that goes by it
	// and that the client is not done with, whichever exchange it was drawn for; of an
	// exchange that the client puts on such a connection before it knows, there. The
	// others stand where the request reaches what stands between, before they come to
	// bite, and also if the exchange is over before they do. Its Side is World.
	Fault Kind = "fault"
	// Sessions: N sessions are alive at the server, by its own account. Its Side is Server.
	Sessions Kind = "sessions"
)

// Ends that a scenario brings about, at the side that they befall. What the two
// sides do afterwards follows from them.
const (
	// HalfClose: the simulator closes the client's writing end on the wire. The
	// client was not asked and reads on. Its Hangup follows.
	HalfClose Kind = "half-close"
	// Exit: the server's process dies. Both of its ends of the wire are cut, and
	// nothing that its code does from here on is in the history.
	Exit Kind = "exit"
	// Stop: the server's application wants its server to end, and ends the context of
	// its run function.
	Stop Kind = "stop"
)

// Application events, on the calling side.
const (
	// Connect and Connected bracket the handshake. Connected carries its error
	// in Text.
	Connect   Kind = "connect"
	Connected Kind = "connected"
	// Issue: the application made the call.
	Issue Kind = "issue"
	// Cancel: the application ended the call's context. Text is the cause,
	// "cancel" or "deadline". After Return it is the end of a context that nobody
	// needs any more.
	Cancel Kind = "cancel"
	// Missed: the call returned before what its cancel was aimed at, and so was not
	// cancelled. Text says what was missed.
	Missed Kind = "missed"
	// Return: the SDK gave control back to the caller. Text is empty for a
	// value, otherwise the error. Value is the text that the tool returned.
	Return Kind = "return"
	// Close and Closed bracket the application's closing of the session.
	Close  Kind = "close"
	Closed Kind = "closed"
	// Probe and Probed bracket the health probe after the race (ping, or
	// tools/list in the modern era). Probed carries its error in Text.
	Probe  Kind = "probe"
	Probed Kind = "probed"
)

// Events inside a handler, on the serving side, reported by a side channel
// that does not use the wire.
const (
	// Start: the tool's code was entered.
	Start Kind = "start"
	// Told: the handler's context was first seen done, whether the handler
	// looked at it or not. Text is the context's error.
	Told Kind = "told"
	// End: the tool's code returned. Text is its error; Value what it returned.
	End Kind = "end"
	// Progress: the tool asked the SDK to report progress; the frame that comes
	// of it is a Write of its own. Value is the figure.
	Progress Kind = "progress"
	// Open and Release: the tool acquired and gave back a resource.
	Open    Kind = "open"
	Release Kind = "release"
	// Effect: the tool did something that cannot be undone. Value names it.
	Effect Kind = "effect"
	// Change: the server's application changed something of which clients can ask to
	// be told. Value is "tools", for the list of them, or a resource's URI. It
	// belongs to no call.
	Change Kind = "change"
	// Served: the server's own run function returned. Text is its error.
	Served Kind = "served"
)

// Events of the world as a whole, with Side World.
const (
	// Goroutines: N goroutines exist above those of the empty world and beside
	// the simulator's own.
	Goroutines Kind = "goroutines"
	// Quiet: all calls have returned (or the horizon was reached) and the settle
	// time has passed.
	Quiet Kind = "quiet"
	// Horizon: the limit of the world was reached with something still waiting, or
	// with more said than a world can hold, of which nothing further is observed.
	Horizon Kind = "horizon"
	// Leak: after close and drain, N goroutines with one creation stack remain.
	// Text is the stack, "created by" line last.
	Leak Kind = "leak"
	// Crash: the process died. Text is the first line of the report and the
	// stack of the goroutine to blame; Blame names the target whose code the
	// stack shows.
	Crash Kind = "crash"
)

// An Event is one observation. Fields that a kind does not use are zero.
type Event struct {
	Seq      int           `json:"seq"`   // position in the history, from 0; the order of events is this one
	At       time.Duration `json:"at_ns"` // since the start of the world
	Side     Side          `json:"side"`
	Kind     Kind          `json:"kind"`
	Call     int           `json:"call,omitempty"`       // the call that it belongs to, where it is known
	Client   int           `json:"client,omitempty"`     // which of the world's clients it is of, or is for, from 1; 0: there is one, or it is of the world
	Exchange int           `json:"exchange,omitempty"`   // the HTTP exchange that it belongs to, by its number in this world, from 1
	Frame    int           `json:"frame,omitempty"`      // wire events: the frame's number in this world, from 1
	Msg      *Message      `json:"msg,omitempty"`        // wire events that name a frame; the same pointer in all of them
	Arrived  time.Duration `json:"arrived_ns,omitempty"` // read, unread
	N        int           `json:"n,omitempty"`          // goroutines, leak
	Text     string        `json:"text,omitempty"`       // error, cause or stack
	Value    string        `json:"value,omitempty"`      // what was returned or done
	HTTP     *HTTPHead     `json:"http,omitempty"`       // begin, status; finish, of the client, with a body that is no message
	EventID  string        `json:"event_id,omitempty"`   // wire events of a frame that came as an SSE event with an id, cue: the id
	Blame    string        `json:"blame,omitempty"`      // crash: "client", "server", "pair" (both sides run the same code), "tool" (the scenario's own tool) or "" (none of these)
}

// An HTTPHead is what the head of a request, or of a response, says, as far as a judge
// cares. A header that is missing is the empty text.
type HTTPHead struct {
	Method      string `json:"method,omitempty"`       // request: POST, GET or DELETE
	Accept      string `json:"accept,omitempty"`       // request
	ContentType string `json:"content_type,omitempty"` // either
	Session     string `json:"session,omitempty"`      // either: Mcp-Session-Id, or over HTTP+SSE the endpoint's sessionId
	Version     string `json:"version,omitempty"`      // request: MCP-Protocol-Version
	LastEvent   string `json:"last_event,omitempty"`   // request: Last-Event-ID
	MCPMethod   string `json:"mcp_method,omitempty"`   // request: Mcp-Method
	MCPName     string `json:"mcp_name,omitempty"`     // request: Mcp-Name
	Conn        int    `json:"conn,omitempty"`         // request: the connection that it came by, at the server; from 1
	Instance    int    `json:"instance,omitempty"`     // request: which of several servers got it, at the server; from 1
	Status      int    `json:"status,omitempty"`       // response
	Body        string `json:"body,omitempty"`         // response: the beginning of a body that is no message, see MaxBody
}

// MaxBody is how many bytes of a response's body a head holds.
const MaxBody = 200

// A MessageKind is the JSON-RPC kind of a message.
type MessageKind string

// The kinds of JSON-RPC messages. Invalid is a frame that is none of them.
const (
	Request      MessageKind = "request"
	Notification MessageKind = "notification"
	Response     MessageKind = "response"
	ErrorReply   MessageKind = "error"
	Invalid      MessageKind = "invalid"
)

// A Message is what a frame says, as far as a judge of cancellation cares.
// Ids and tokens are raw JSON, so that 7 and "7" differ.
type Message struct {
	Kind   MessageKind `json:"kind"`
	Method string      `json:"method,omitempty"` // request, notification
	ID     string      `json:"id,omitempty"`     // request, response, error: raw JSON
	Ref    string      `json:"ref,omitempty"`    // notifications/cancelled: requestId, raw JSON; empty when it is missing
	Token  string      `json:"token,omitempty"`  // a request's progressToken, or the one that notifications/progress names: raw JSON
	Code   int64       `json:"code,omitempty"`   // error
	Text   string      `json:"text,omitempty"`   // error: its message; cancelled: its reason
	Call   int         `json:"call,omitempty"`   // request: the number that the application put into it
	Sub    string      `json:"sub,omitempty"`    // notification, response: the subscription that it says it belongs to, raw JSON; see protocol.MetaSubscription
	Raw    string      `json:"raw"`              // the frame without its line end

	Augmented bool   `json:"augmented,omitempty"` // request: it asks to be run as a task
	Task      string `json:"task,omitempty"`      // id of the task that a request or a notification names, or a result describes
	Status    string `json:"status,omitempty"`    // of that task: "working", "cancelled", …

	Batch int `json:"batch,omitempty"` // the message's place in the batch that it came in, from 1; 0: it came alone
}

// IsReply reports whether m answers a request.
func (m *Message) IsReply() bool { return m != nil && (m.Kind == Response || m.Kind == ErrorReply) }

// IsCancel reports whether m is a notifications/cancelled.
func (m *Message) IsCancel() bool {
	return m != nil && m.Kind == Notification && m.Method == "notifications/cancelled"
}

// ClosePatience is how long a world waits for its session's closing, or for its
// server's stopping, before that counts as hanging.
const ClosePatience = 10 * time.Minute

// A History is one world's header and events. Events[i].Seq is i.
type History struct {
	Header Header
	Events []Event
}
