package sim

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A Target is an implementation of MCP that can sit on one side of a pair, or
// on either.
type Target struct {
	// Name is how people type it: "go-sdk", "reference", "mutant:late-value"; with the
	// options that were chosen: "go-sdk+json".
	Name string
	// Version of the implementation, "v1.8.0"; empty for our own peers.
	Version string
	// Package is the import path under which the target's own code lives. A
	// crash whose stack shows no function below it is not blamed on the target.
	Package string
	// SpecVersions it speaks, oldest first.
	SpecVersions []string
	// Sends lists the methods that its client can call, Serves those that its
	// server answers; see [Methods] and [TaskMethods]. Empty: tools/call alone. What a target does
	// not list is never asked of it, nor through it.
	Sends, Serves []string
	// Asks lists what its server can ask the client for a tool that is at work,
	// Answers what its client answers; see [Questions]. Empty: nothing.
	Asks, Answers []string
	// Polls tells that its server can end the exchange of a call over Streamable HTTP whose
	// stream the client then resumes, for a tool that asks for it; see Dismiss.
	Polls bool
	// Transports lists what it speaks; see [Transports]. Empty: stdio alone.
	Transports []string
	// Over returns the target as it is over one of these, where it can do less there or
	// keeps other state; see [Target.On]. Nil: it is the same over all.
	Over func(transport string) Target
	// Options lists what can be typed behind its name, in the order in which a name
	// has them, and With returns the target with some of them, in that order. Nil:
	// there are none.
	Options []Option
	With    func(options []string) Target
	// Unmarked lists those of Sends whose requests its client cannot give a _meta,
	// so that they do not carry their call's number, see [Request]. They are
	// recognised only where one such call at a time waits to be written.
	Unmarked []string
	// RepeatsCancels tells that its client heeds ClientEnv.RepeatCancels.
	RepeatsCancels bool
	// Unruly tells that it does the Mischief that a scenario asks for.
	Unruly bool
	// OneWorld tells that it keeps state in its packages, as a server may that a
	// process starts once: each world that it plays in gets a process of its own.
	OneWorld bool
	// DatesTasks tells that it writes the time of day into what it says of tasks. A
	// world with tasks gets a process of its own then, where the clock begins anew.
	DatesTasks bool
	// Doc says in one sentence what it is.
	Doc string
	// NewClient and NewServer make one peer for one world; nil where the target
	// cannot sit on that side.
	NewClient func(ClientEnv) Client
	NewServer func(ServerEnv) Server
}

// A Conn is what joins a peer to the other side.
//
// Over stdio it is one end of a byte stream: In is what the other side writes, Out is
// what it reads. A peer owns both and closes them.
//
// Over HTTP it is what a client needs to reach the server, and a server has none: it is
// asked for a handler, see [HTTPServer].
type Conn struct {
	In  io.ReadCloser
	Out io.WriteCloser

	// Endpoint is the URL of the server's MCP endpoint, over HTTP+SSE that of its stream.
	Endpoint string
	// HTTP is what the client makes all its requests with, as it is. It has no time limit
	// of its own.
	HTTP *http.Client
}

// A ClientEnv is what a client is made with.
type ClientEnv struct {
	SpecVersion string // to ask for
	Transport   string // see Transports
	// RepeatCancels is how many more times each cancel is to be written, by a
	// client that can; see Target.RepeatsCancels.
	RepeatCancels int
	// Sample and Elicit are the application's code behind what a server may ask;
	// they get the text of the one message and return that of the answer. Roots
	// lists the URIs to answer roots/list with. A client declares the capabilities
	// of what it is given, and no others.
	Sample, Elicit func(ctx context.Context, what string) (string, error)
	Roots          []string
	// Listens tells that the application wants to hear when the list of tools
	// changes. A client that cannot ask for that subscription by subscription, see
	// Request.Tools, asks when it connects.
	Listens bool
}

// A Client is a target in the client's seat. Its methods use the target's
// public interface the way an application does and add nothing to it.
type Client interface {
	// Connect does the handshake over conn and blocks until it is done.
	Connect(ctx context.Context, conn Conn) error
	// Call makes one request of a method that the target sends, and blocks until
	// the target gives control back. It returns the text that [Request] describes
	// for the method. Ending ctx cancels the call; ctx may have a deadline, and a
	// cause, which is the reason for the cancel. Safe for concurrent use.
	Call(ctx context.Context, r Request) (string, error)
	// Probe asks the server for a sign of life: ping in the legacy era,
	// tools/list in the modern one. It blocks.
	Probe(ctx context.Context) error
	// Close ends the session and blocks until the target says that it is over.
	Close() error
}

// A TaskClient is a Client whose Target sends the [TaskMethods]. Each of its methods
// makes one request, and blocks and is cancelled as Call.
type TaskClient interface {
	Client
	// StartTask calls a tool as a task that is kept for ttl, and returns the task's id.
	StartTask(ctx context.Context, r Request, ttl time.Duration) (task string, err error)
	// GetTask returns the task's status.
	GetTask(ctx context.Context, task string) (status string, err error)
	// TaskResult blocks until the task is over, and returns what Call would have.
	TaskResult(ctx context.Context, task string) (string, error)
	// CancelTask cancels the task.
	CancelTask(ctx context.Context, task string) error
}

// A Request is one call as the application makes it. What a method does not use
// is empty, and the text of its result is the empty string:
//
//	method               uses                     text of the result
//	tools/call           Name, Arguments          of the content
//	resources/read       Name (the URI)           of the contents
//	prompts/get          Name, Argument           of the messages
//	completion/complete  Name (of a prompt),      the values, joined
//	                     Argument
//	subscriptions/listen Name (the URI of a       empty
//	                     resource), Tools
//	the lists, ping, server/discover: nothing
//
// And what a tool asks of the client:
//
//	sampling/createMessage  Argument (the message)  of the answer
//	elicitation/create      Argument (the message)  of the content
//	roots/list              nothing                 the URIs, joined
//
// A subscription returns when it has ended: with an error when ctx ended or the
// session did, without one when the server ended it.
type Request struct {
	Method string
	Name   string // of the tool or the prompt, or the resource's URI
	// Arguments of a tool: a JSON object.
	Arguments json.RawMessage
	// Argument is the value of a prompt's one argument, which is called
	// [PromptArgument].
	Argument string
	// Tools asks for changes of the list of tools, beside those of the resource.
	Tools bool
	// Mark is the number of the call, to be put into the request's _meta under
	// [MarkKey] as a JSON number, by a client that can; 0: nothing is put there.
	Mark int
	// Progress is the token to ask for progress with, string or int64; nil: none.
	Progress any
	// Mischief is what to do with it on purpose, by a client that can; nil: nothing.
	Mischief *Mischief
}

// MarkKey is the member of a request's _meta that holds the call's number, and
// PromptArgument the name of the one argument of every simulated prompt.
const (
	MarkKey        = protocol.MetaCall
	PromptArgument = "call"
)

// A ServerEnv is what a server is made with. A server declares the capabilities
// of what it is given, and no others.
type ServerEnv struct {
	SpecVersion string // the one version to serve
	Transport   string // see Transports
	Tools       []Tool
	Resources   []Resource // templates; there are no other resources
	Prompts     []Prompt
	// Changes tells that the application will change its tools and resources: the
	// server is a [Publisher] and declares what lets clients ask for that.
	Changes bool
	// Complete completes the argument of every prompt; nil: completion is not
	// offered. It gets the value so far and returns the one value to offer.
	Complete Answer
	// Mischief tells what to do on purpose with the call of that number, see
	// ServerMischief, and whether nobody is going to cancel it. Nil: nothing.
	Mischief func(call int) (kinds []string, control bool)
	// Tasks says that every tool can be run as a task, or not.
	Tasks bool
}

// An Answer is the application's code behind one kind of request. It gets the
// handler's context from the target and returns the text of the result. what is
// what it was asked for: a resource's URI, or the value of a prompt's argument.
// progress asks the target to send notifications/progress for this request with
// the given figure; it does nothing when the client gave no token.
type Answer func(ctx context.Context, what string, progress func(figure float64) error) (string, error)

// A Tool is one tool of the simulated server's application. Its Run is like an
// [Answer] that is asked for the arguments.
type Tool struct {
	Name string
	Run  func(ctx context.Context, args json.RawMessage, progress func(figure float64) error) (string, error)
	// Polling, unless nil, is the code to run instead of Run: it has the exchange ended.
	Polling func(ctx context.Context, args json.RawMessage, progress func(figure float64) error, dismiss Dismiss) (string, error)
	// Asking, unless nil, is the code to run instead of Run: it asks the client.
	Asking func(ctx context.Context, args json.RawMessage, progress func(figure float64) error, ask Ask) (string, error)
}

// An Ask makes one request of the client's, in the name of the tool that is at
// work, and blocks until the answer has come, ctx ends or the connection is lost.
// It returns the text of the answer. Ending ctx cancels the request.
type Ask func(ctx context.Context, r Request) (string, error)

// A Dismiss has the target end the HTTP exchange of the call whose tool is at work, and
// tell the client to resume the stream after that time, by an SSE event with a retry field:
// "the server MAY close the connection (without terminating the SSE stream) at any time"
// (2025-11-25, Streamable HTTP). It does nothing where no exchange carries the stream.
type Dismiss func(wait time.Duration)

// A Resource is a template of resources.
type Resource struct {
	Name     string
	Template string // of the URI, by RFC 6570, with one variable of level 1
	Read     Answer
}

// A Prompt has one argument, [PromptArgument], which must be given. Its text is
// one message of the user's.
type Prompt struct {
	Name string
	Get  Answer
}

// A Server is a target in the server's seat.
type Server interface {
	// Serve serves one session over conn and blocks until it is over: the
	// client has gone, or ctx ended.
	Serve(ctx context.Context, conn Conn) error
}

// An HTTPServer is a Server whose Target speaks a transport over HTTP. Its Serve is not
// called there; whoever runs it owns the listener and the http.Server.
type HTTPServer interface {
	Server
	// Handler returns what serves the MCP endpoint, whatever the request's path; over
	// HTTP+SSE, both its stream and what is posted. It is called once. The
	// http.ResponseWriter that it is served with is an http.Flusher, and fit for an
	// http.ResponseController. It is no http.Hijacker, not by HTTP/1.1 either: what is
	// written to a hijacked connection, even through a controller, passes by those who record.
	Handler() http.Handler
	// Sessions returns how many sessions are alive, by the public interface of the
	// implementation; -1 where that cannot be told.
	Sessions() int
	// Shutdown ends all sessions as an application does that wants its server to stop, and
	// blocks until the target says that they are over, or ctx ends.
	Shutdown(ctx context.Context) error
}
