package gosdk

import (
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// What an application can choose where it serves HTTP, and for a client.
const (
	optStateless = "stateless"
	optPropagate = "propagate"
	optJSON      = "json"
	optStore     = "store"
	optDiscover  = "discover"
)

// options are those that the linked SDK has.
func options() []sim.Option {
	served := func(name, doc string) sim.Option {
		return sim.Option{Name: name, Doc: doc, Sides: []history.Side{history.Server}, Transports: []string{sim.StreamableHTTP}}
	}
	out := []sim.Option{
		served(optStateless, "keeps no sessions (Stateless); at 2026-07-28 it never does"),
		served(optPropagate, "at 2026-07-28, ends a handler's context when the client has gone (PropagateRequestCancellation)"),
		served(optJSON, "answers with one JSON object and not with a stream (JSONResponse)"),
		served(optStore, "keeps what it sent, so that a stream can be resumed (MemoryEventStore); before 2026-07-28"),
		{Name: optDiscover, Doc: "opens a session as it does for an application that asks for no version: with server/discover, and then with initialize",
			Sides: []history.Side{history.Client}, Transports: sim.Transports()},
	}
	return slices.DeleteFunc(out, func(o sim.Option) bool {
		return (o.Name == optPropagate || o.Name == optDiscover) && !slices.ContainsFunc(specVersions(), protocol.Modern)
	})
}

// A chosen is the options that were chosen.
type chosen []string

func (c chosen) has(option string) bool { return slices.Contains(c, option) }

// streamable is what the application asks of the SDK's handler of streamable HTTP; nil
// over another transport. The SDK serves 2026-07-28 where it is stateless, and not
// otherwise.
func (c chosen) streamable(env sim.ServerEnv) *mcp.StreamableHTTPOptions {
	if env.Transport != sim.StreamableHTTP {
		return nil
	}
	opts := &mcp.StreamableHTTPOptions{
		Stateless:    c.has(optStateless) || protocol.Modern(env.SpecVersion),
		JSONResponse: c.has(optJSON),
	}
	if c.has(optStore) {
		opts.EventStore = mcp.NewMemoryEventStore(nil)
	}
	if c.has(optPropagate) {
		set(opts, "PropagateRequestCancellation", true)
	}
	return opts
}

// asks lists what the server can ask the client: nothing where it is stateless.
func (c chosen) asks() []string {
	if c.has(optStateless) {
		return nil
	}
	return sim.Questions()
}
