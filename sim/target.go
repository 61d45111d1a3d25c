package sim

import (
	"context"
	"encoding/json"
	"io"
)

// A Target is an implementation of MCP that can sit on one side of a pair, or
// on either.
type Target struct {
	// Name is how people type it: "go-sdk", "reference", "mutant:late-value".
	Name string
	// Version of the implementation, "v1.8.0"; empty for our own peers.
	Version string
	// Package is the import path under which the target's own code lives. A
	// crash whose stack shows no function below it is not blamed on the target.
	Package string
	// SpecVersions it speaks, oldest first.
	SpecVersions []string
	// Doc says in one sentence what it is.
	Doc string
	// NewClient and NewServer make one peer for one world; nil where the target
	// cannot sit on that side.
	NewClient func(ClientEnv) Client
	NewServer func(ServerEnv) Server
}

// A Conn is one end of the byte stream between the two peers: In is what the
// other side writes, Out is what it reads. A peer owns both and closes them.
type Conn struct {
	In  io.ReadCloser
	Out io.WriteCloser
}

// A ClientEnv is what a client is made with.
type ClientEnv struct {
	SpecVersion string // to ask for
}

// A Client is a target in the client's seat. Its methods use the target's
// public interface the way an application does and add nothing to it.
type Client interface {
	// Connect does the handshake over conn and blocks until it is done.
	Connect(ctx context.Context, conn Conn) error
	// Call makes one tools/call and blocks until the target gives control back.
	// Ending ctx cancels the call. Safe for concurrent use.
	Call(ctx context.Context, call ToolCall) (string, error)
	// Probe asks the server for a sign of life: ping in the legacy era,
	// tools/list in the modern one. It blocks.
	Probe(ctx context.Context) error
	// Close ends the session and blocks until the target says that it is over.
	Close() error
}

// A ToolCall is one tools/call as the application makes it.
type ToolCall struct {
	Tool      string
	Arguments json.RawMessage // a JSON object
	Progress  any             // progress token to ask for, string or int64; nil: none
}

// A ServerEnv is what a server is made with.
type ServerEnv struct {
	SpecVersion string // the one version to serve
	Tools       []Tool
}

// A Tool is one tool of the simulated server's application.
type Tool struct {
	Name string
	// Run is the tool's code. It gets the handler's context from the target and
	// returns the text of the result. progress asks the target to send
	// notifications/progress for this call with the given figure; it does
	// nothing when the caller gave no token.
	Run func(ctx context.Context, args json.RawMessage, progress func(figure float64) error) (string, error)
}

// A Server is a target in the server's seat.
type Server interface {
	// Serve serves one session over conn and blocks until it is over: the
	// client has gone, or ctx ended.
	Serve(ctx context.Context, conn Conn) error
}
