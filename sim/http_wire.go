package sim

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// An httpWire is the wire of a world over HTTP: one address, behind which the server's
// target is served by net/http, and for each client a transport of net/http's. The
// network under both is netem's. From the client's target to the server's:
//
//	http.Client ─▶ clientTap ─▶ http.Transport ═▶ http.Server ─▶ netem.Front ─▶ observe ─▶ http.Handler
//	(target's)     records        network          faults, balancer      records        (target's)
type httpWire struct {
	witness
	network  road
	listener net.Listener
	server   *http.Server
	up, down *delays

	mu         sync.Mutex // guards what follows
	exchanges  []*exchange
	seen       map[FrameIdentity]int // of exchanges; the key's Occurrence is 0
	carried    []*exchange           // by connection: what it carries
	sessions   map[string]int        // which of several servers has the session, from 1
	transports map[*seat]*http.Transport
}

// A road joins those who dial and those who listen, such as a [netem.Network] does.
type road interface {
	Listen(address string) (net.Listener, error)
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
	Stop()
}

// The server's address. Nobody else has it, and no target takes it for this machine's.
const (
	address  = "mcp.example:80"
	endpoint = "http://mcp.example/mcp"
)

func newHTTPWire(w *world) (*httpWire, error) {
	link := w.Scenario.Network
	x := &httpWire{
		witness: witness{world: w, rec: w.rec},
		up:      newDelays("client_to_server", link.ClientToServer, w.schedule.Seed),
		down:    newDelays("server_to_client", link.ServerToClient, w.schedule.Seed),
		seen:    map[FrameIdentity]int{}, sessions: map[string]int{}, transports: map[*seat]*http.Transport{},
	}
	if x.network = x.simulated(); w.ground != nil {
		x.network = w.ground.network
	}
	x.server = &http.Server{
		Handler: undated(x.front()), Protocols: protocols(w.Scenario.HTTP.Protocol), ConnContext: tagged,
		ErrorLog: log.New(io.Discard, "", 0),
	}
	// Clients may come before the server's first turn to run.
	var err error
	x.listener, err = x.network.Listen(address)
	return x, err
}

func (x *httpWire) simulated() road {
	link := x.world.Scenario.Network
	return netem.NewNetwork(netem.NetworkConfig{
		Profile: netem.Profile{Up: link.ClientToServer.direction(), Down: link.ServerToClient.direction()},
		Rig:     x.rig, SetUp: x.setUp, Epoch: x.world.start,
	})
}

// tagged is the context of a connection at the server, which names it.
func tagged(ctx context.Context, c net.Conn) context.Context {
	if conn, ok := c.(*netem.Conn); ok {
		return netem.WithConn(ctx, conn)
	}
	return ctx
}

// undated has all responses bear one date. HTTP/2 writes a header that it has written
// before in a byte, and another one in as many as its digits take, so that the size of
// a response would depend on how the seconds of the clock lie to the world.
func undated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Time{}.Format(http.TimeFormat))
		next.ServeHTTP(w, r)
	})
}

// protocols are those of HTTP that both ends speak.
func protocols(name string) *http.Protocols {
	p := &http.Protocols{}
	p.SetHTTP1(name != H2C)
	p.SetUnencryptedHTTP2(name == H2C)
	return p
}

// rig mounts the delays on a connection.
func (x *httpWire) rig(conn int) (up, down netem.Rig) {
	mount := func(d *delays, l Link) netem.Rig {
		return netem.Rig{
			Travel: func(s netem.Segment) netem.Travel { return x.travel(d, s, conn) },
			Stall:  l.Stall.Rule(d.stall),
		}
	}
	link := x.world.Scenario.Network
	return mount(x.up, link.ClientToServer), mount(x.down, link.ServerToClient)
}

// travel draws how a segment travels: by what the connection carries, if that is one
// thing at a time.
func (x *httpWire) travel(d *delays, s netem.Segment, conn int) netem.Travel {
	x.mu.Lock()
	defer x.mu.Unlock()
	id := FrameIdentity{Method: "connection", Occurrence: conn}
	if x.world.Scenario.HTTP.Protocol != H2C && conn < len(x.carried) && x.carried[conn] != nil {
		id = x.carried[conn].identity
	}
	return d.travel(s, id.flat())
}

// setUp is how long it takes to set up a connection: a round trip.
func (x *httpWire) setUp(conn int) time.Duration {
	d := time.Duration(0)
	for _, way := range []*delays{x.up, x.down} {
		d += NewStream(x.world.schedule.Seed, "set up "+way.direction, conn).Dithered(Distribution(way.link.Delay))
	}
	return d
}

// conn gives a client a transport of its own, such as an application has by default.
func (x *httpWire) conn(s *seat) Conn {
	t := &http.Transport{
		DialContext: x.network.DialContext, Protocols: protocols(x.world.Scenario.HTTP.Protocol),
		MaxIdleConns: 100, IdleConnTimeout: 90 * time.Second,
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.transports[s] = t
	return Conn{Endpoint: x.endpoint(), HTTP: &http.Client{Transport: &clientTap{wire: x, seat: s, next: t}}}
}

// endpoint is where clients find the server: one that listens on the machine's own
// network may ask that it is called by its address there.
func (x *httpWire) endpoint() string {
	if x.world.ground != nil {
		return "http://" + x.listener.Addr().String() + "/mcp"
	}
	return endpoint
}

// front is the beginning of the server's handler chain.
func (x *httpWire) front() http.Handler {
	f := &netem.Front{Decide: x.decide, Pick: x.pick}
	for i, s := range x.world.servers {
		f.Backends = append(f.Backends, x.observe(s.(HTTPServer).Handler(), i+1))
	}
	return f
}

// serve serves until ctx ends. Then the target's sessions are ended, and the server
// with them; what goes on after patience is cut off.
func (x *httpWire) serve(ctx context.Context) error {
	over := make(chan error, 1)
	x.world.spawn(func() { over <- x.server.Serve(x.listener) })
	select {
	case err := <-over:
		return err // the process has died
	case <-ctx.Done():
	}
	patience, enough := context.WithTimeout(context.WithoutCancel(ctx), history.ClosePatience)
	defer enough()
	var err error
	for _, s := range x.world.servers {
		err = errors.Join(err, s.(HTTPServer).Shutdown(patience))
	}
	err = errors.Join(err, x.server.Shutdown(patience))
	<-over // http.ErrServerClosed
	return err
}

func (x *httpWire) lasting() bool { return true }

// left closes the connections that nobody uses any more, as an application can whose
// HTTP client they are of.
func (x *httpWire) left(s *seat) {
	x.mu.Lock()
	t := x.transports[s]
	x.mu.Unlock()
	if t != nil {
		t.CloseIdleConnections()
	}
}

func (x *httpWire) halfClose() { panic("sim: nobody half-closes over HTTP") }

func (x *httpWire) abandon() {
	x.network.Stop()
	_ = x.server.Close() // its listener is closed already
}

func (x *httpWire) stop() {
	x.mu.Lock()
	all := x.exchanges
	x.mu.Unlock()
	for _, ex := range all {
		ex.unread()
	}
	x.network.Stop()
	_ = x.server.Close() // its listener is closed already
}

// distinguish numbers the exchanges that are alike.
func (x *httpWire) distinguish(id FrameIdentity) FrameIdentity {
	x.mu.Lock()
	defer x.mu.Unlock()
	id.Occurrence = 0
	key := id
	id.Occurrence = x.seen[key]
	x.seen[key]++
	return id
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
		ex.note(history.Event{Side: history.World, Kind: history.Fault, Text: f.Kind})
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
