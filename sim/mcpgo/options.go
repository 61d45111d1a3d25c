package mcpgo

import (
	"slices"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
)

// What an application can choose over HTTP.
const (
	optStateless = "stateless"
	optStateful  = "stateful"
	optStore     = "store"
	optHeartbeat = "heartbeat"
	optListening = "listening"
)

// options are those that the linked SDK has. By default its server gives out ids of
// sessions and does not check them.
func options() []sim.Option {
	option := func(name string, side history.Side, doc string) sim.Option {
		return sim.Option{Name: name, Doc: doc, Sides: []history.Side{side}, Transports: []string{sim.StreamableHTTP}}
	}
	out := []sim.Option{
		option(optStateless, history.Server, "keeps no sessions (WithStateLess); before 2026-07-28"),
		option(optStateful, history.Server, "knows the sessions that it began, and no others (WithStateful), unless stateless; before 2026-07-28"),
		option(optStore, history.Server, "keeps what it sent, so that a stream can be resumed (WithEventStore); before 2026-07-28"),
		option(optHeartbeat, history.Server, "asks clients that listen for a sign of life each second (WithHeartbeatInterval); before 2026-07-28"),
		option(optListening, history.Client, "keeps a stream open for what the server has to say (WithContinuousListening); before 2026-07-28"),
	}
	return slices.DeleteFunc(out, func(o sim.Option) bool { return o.Name == optStore && !stores })
}

// A chosen is the options that were chosen.
type chosen []string

func (c chosen) has(option string) bool { return slices.Contains(c, option) }

// asks lists what the server can ask the client: nothing where it is stateless, since
// the answer would find no session.
func (c chosen) asks() []string {
	if c.has(optStateless) {
		return nil
	}
	return sim.Questions()
}
