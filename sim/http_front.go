package sim

import (
	"net/http"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// stand returns the beginning of the server's handler chain.
func (x *httpWire) stand() *netem.Front {
	f := &netem.Front{Decide: x.decide, Pick: x.pick, Drop: x.dropConn, Halt: x.halt}
	for i, s := range x.world.servers {
		f.Backends = append(f.Backends, x.observe(s.(HTTPServer).Handler(), i+1))
	}
	return f
}

// decide draws what befalls an exchange on its way.
func (x *httpWire) decide(r *http.Request) netem.FrontFault {
	ex := x.lookup(r)
	if ex == nil {
		return netem.FrontFault{}
	}
	for i, f := range x.world.Scenario.HTTP.Faults {
		chance := NewStream(DelayHash(x.world.schedule.Seed, ex.identity), "http fault", i)
		if !f.befalls(ex) || chance.Float64() >= f.Share {
			continue
		}
		if f.Kind != Drop { // which is noted when it comes, of what it breaks
			ex.suffers(f.Kind)
		}
		if f.Kind == Misroute {
			ex.misrouted = true
			return netem.FrontFault{}
		}
		fault := netem.FrontFault{Kind: f.Kind, Events: f.Events}
		if f.After != (Distribution{}) {
			fault.After = chance.Dithered(f.After)
		}
		return fault
	}
	return netem.FrontFault{}
}

// suffers records that a fault befalls the exchange.
func (ex *exchange) suffers(kind string) {
	ex.note(history.Event{Side: history.World, Kind: history.Fault, Text: kind})
}

// dropConn records what the break of a connection befalls: the exchanges that it carries,
// which need not be the one with whose request that connection came.
func (x *httpWire) dropConn(r *http.Request) {
	conn := netem.ConnOf(r.Context())
	if conn == nil {
		return // on the machine's own network there are no faults
	}
	x.mu.Lock()
	x.dropped[conn.Number()] = true
	all := x.exchanges
	x.mu.Unlock()
	for _, ex := range all {
		if ex != nil {
			ex.droppedWith(conn.Number())
		}
	}
}

// droppedWith records, once, that the exchange suffers the break of a connection, if it
// goes by that one and its client is not done with it.
func (ex *exchange) droppedWith(conn int) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if ex.conn == conn && !ex.over && ex.dropped != conn {
		ex.dropped = conn
		ex.suffers(Drop)
	}
}

// befalls reports whether an exchange is of those that can suffer the fault. A
// handshake is only where it is named: a client that does not get through shows nothing.
// Nor is the health probe, which is to show what is left of the world.
func (f HTTPFault) befalls(ex *exchange) bool {
	says := ex.says()
	switch {
	case ex.method != http.MethodPost:
		return f.Of == ex.method
	case ex.probes():
		return false
	case f.Of != "":
		return f.Of == says
	}
	return says != protocol.Initialize && says != protocol.Initialized && says != protocol.Discover
}

// probes reports whether the exchange is the health probe.
func (ex *exchange) probes() bool {
	says := ex.says()
	return ex.wire.world.probing.Load() && (says == protocol.Ping || says == protocol.ToolsList)
}

// pick chooses one of several servers: that which has the session, if one is named,
// and otherwise by the seed; of a misrouted exchange, the next.
func (x *httpWire) pick(r *http.Request) int {
	n := len(x.world.servers)
	ex := x.lookup(r)
	if n == 1 || ex == nil {
		return 0
	}
	x.mu.Lock()
	has := x.sessions[sessionOf(r)]
	x.mu.Unlock()
	i := int(NewStream(DelayHash(x.world.schedule.Seed, ex.identity), "instance", 0).Below(uint64(n)))
	if has > 0 {
		i = has - 1
	}
	if ex.misrouted {
		i = (i + 1) % n
	}
	return i
}

// learnSession notes which server made a session.
func (x *httpWire) learnSession(id string, instance int) {
	if id == "" {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.sessions[id] == 0 {
		x.sessions[id] = instance
	}
}
