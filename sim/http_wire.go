package sim

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim/history"
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
	servers  []HTTPServer // the world's
	front    *netem.Front
	server   *http.Server
	up, down *delays
	flood    flood
	accepted accepted
	halt     chan struct{} // closed when what stands between goes down with the server

	mu         sync.Mutex            // guards what follows
	exchanges  []*exchange           // by their number, from 1; nil: it is just being made
	stopped    bool                  // what nobody read has been recorded
	seen       map[FrameIdentity]int // of exchanges; the key's Occurrence is 0
	lines      map[int]*line         // by the number of the connection
	sessions   map[string]int        // which of several servers has the session, from 1
	transports map[*seat]*http.Transport
}

// A line is a connection, as far as it matters what it carries.
type line struct {
	dropped bool        // a fault has broken it
	on      []*exchange // that the clients' transports have put on it, in that order
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
		halt:    make(chan struct{}),
		seen:    map[FrameIdentity]int{}, sessions: map[string]int{}, lines: map[int]*line{}, transports: map[*seat]*http.Transport{},
	}
	if x.network = x.simulated(); w.ground != nil {
		x.network = w.ground.network
	}
	for _, s := range w.servers {
		x.servers = append(x.servers, s.(HTTPServer))
	}
	x.flood.bound(w)
	x.front = x.stand()
	x.server = &http.Server{
		Handler: undated(x.front), Protocols: protocols(w.Scenario.HTTP.Protocol), ConnContext: netem.WithConn,
		ConnState: x.accepted.follow, ErrorLog: log.New(io.Discard, "", 0),
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
	if l := x.lines[conn]; x.world.Scenario.HTTP.Protocol != H2C && l != nil {
		id = l.on[len(l.on)-1].identity
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

// serve serves until ctx ends. Then the target's sessions are ended, and the server
// with them; what goes on after patience is cut off.
//
// A server whose process has died ends the same way, so that it leaves nothing behind;
// nothing of that is observed.
func (x *httpWire) serve(ctx context.Context) error {
	over := make(chan error, 1)
	x.world.spawn(func() { over <- x.server.Serve(x.listener) })
	select {
	case err := <-over:
		return errors.Join(err, x.shutdown(ctx))
	case <-ctx.Done():
	}
	err := x.shutdown(ctx)
	<-over // http.ErrServerClosed
	return err
}

// shutdown ends the sessions of the servers, all at once, and then the HTTP server, with
// what it has given up on and still works.
func (x *httpWire) shutdown(ctx context.Context) error {
	patience, enough := context.WithTimeout(context.WithoutCancel(ctx), history.ClosePatience)
	defer enough()
	errs := make([]error, len(x.servers))
	var all sync.WaitGroup
	for i, s := range x.servers {
		all.Add(1)
		x.world.spawn(func() {
			defer all.Done()
			errs[i] = s.Shutdown(patience)
		})
	}
	all.Wait()
	close(x.halt)
	return errors.Join(append(errs, x.server.Shutdown(patience), x.front.Wait(patience))...)
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

// abandon closes the listener and the server's end of every connection, in the order in
// which they came: that in which net/http closes them goes by their addresses.
func (x *httpWire) abandon() {
	_ = x.listener.Close() // who is dead hears of no error
	for _, conn := range x.accepted.all() {
		_ = conn.Close()
	}
	_ = x.server.Close()
}

func (x *httpWire) stop() {
	for _, ex := range x.closeBook() {
		ex.unread()
	}
	x.network.Stop()
	_ = x.server.Close() // its listener is closed already
}

// closeBook returns all exchanges; those that enter from now on come too late.
func (x *httpWire) closeBook() []*exchange {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stopped = true
	return slices.DeleteFunc(slices.Clone(x.exchanges), func(ex *exchange) bool { return ex == nil })
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
