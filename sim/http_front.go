package sim

import (
	"net/http"
	"slices"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// stand returns the beginning of the server's handler chain.
func (x *httpWire) stand() *netem.Front {
	f := &netem.Front{Decide: x.decide, Pick: x.pick, Drop: x.dropConn, Halt: x.halt}
	for i, s := range x.servers {
		f.Backends = append(f.Backends, x.observe(s.Handler(), i+1))
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
	for _, ex := range x.breaks(conn.Number()) {
		ex.dropped()
	}
}

// breaks notes that a connection breaks, and returns what it carries.
func (x *httpWire) breaks(conn int) []*exchange {
	x.mu.Lock()
	defer x.mu.Unlock()
	l := x.lines[conn]
	if l == nil || l.dropped {
		return nil
	}
	l.dropped = true
	return slices.DeleteFunc(slices.Clone(l.on), func(ex *exchange) bool { return ex.line != l })
}

// carries notes that an exchange goes by a connection from now on. One that was broken
// carries nothing any more, and its client need not know that yet.
func (x *httpWire) carries(conn int, ex *exchange) {
	if x.puts(ex, conn) {
		ex.dropped()
	}
}

// puts an exchange on a line, and reports whether that is new to it and broken.
func (x *httpWire) puts(ex *exchange, conn int) (broken bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	l := x.lines[conn]
	if l == nil {
		l = &line{}
		x.lines[conn] = l
	}
	if ex.line == l {
		return false
	}
	ex.line, l.on = l, append(l.on, ex)
	return l.dropped
}

// dropped records that the exchange suffers the break of the connection that it is on,
// unless its client is done with it.
func (ex *exchange) dropped() {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if !ex.over {
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
	n := len(x.servers)
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
