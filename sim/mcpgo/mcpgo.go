// Package mcpgo seats mcp-go, github.com/mark3labs/mcp-go, on either side of a
// pair: its servers and its client over its own transports, as an application
// uses them. It changes nothing in the SDK.
package mcpgo

import (
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// Module is the SDK's module path.
const Module = "github.com/mark3labs/mcp-go"

// Target describes the SDK in the given version, as it is linked into this
// binary.
func Target(version string) sim.Target { return target(version, nil) }

// on is what the SDK is over a transport. Over stdio its package has one session a
// process; over HTTP+SSE its server asks nothing, and its client takes what it is asked
// for an answer.
func on(transport, version string, with chosen) sim.Target {
	t := target(version, with)
	switch transport {
	case sim.Stdio:
		t.OneWorld = true
	case sim.HTTPSSE:
		t.Asks, t.Answers = nil, nil
	}
	return t
}

func target(version string, with chosen) sim.Target {
	return sim.Target{
		Name:         "mcp-go",
		Version:      version,
		Package:      Module,
		SpecVersions: specVersions(),
		Sends:        append(sent(), taskMethods()...),
		Serves:       served(),
		Asks:         with.asks(),
		Answers:      sim.Questions(),
		Unmarked:     unmarked(),
		DatesTasks:   true,
		Transports:   sim.Transports(),
		Over:         func(transport string) sim.Target { return on(transport, version, with) },
		Options:      options(),
		With:         func(options []string) sim.Target { return target(version, options) },
		Doc:          "mcp-go by Mark III Labs: its StdioServer, StreamableHTTPServer and SSEServer, and its client",
		NewClient:    with.newClient,
		NewServer:    with.newServer,
	}
}

// specVersions are those that the SDK speaks and mcpsim judges, oldest first.
func specVersions() []string {
	return slices.DeleteFunc(sim.SpecVersions(), func(v string) bool {
		return !slices.Contains(mcp.ValidProtocolVersions, v)
	})
}

func sent() []string {
	out := without(sim.Methods(), protocol.Discover)
	if !listens() {
		out = without(out, protocol.Listen)
	}
	return out
}

func served() []string {
	if !completes {
		return without(sim.Methods(), protocol.Complete)
	}
	return append(sim.Methods(), servedTaskMethods()...)
}

func without(methods []string, method string) []string {
	return slices.DeleteFunc(methods, func(m string) bool { return m == method })
}
