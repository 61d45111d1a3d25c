package netem

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A NetworkConfig says what is between those who dial and those who listen.
type NetworkConfig struct {
	// Profile must be valid. What the dialling end writes goes up.
	Profile Profile
	// Rig returns what is mounted on the directions of a connection, by its number;
	// see [Conn.Number]. It is called when the connection is made, with nothing
	// locked. nil: nothing, so that everything travels at once, whatever the profile
	// says.
	Rig func(conn int) (up, down Rig)
	// SetUp returns how long it takes to make a connection: a round trip on the
	// network, more where names are looked up. nil, or 0 and less: no time.
	SetUp func(conn int) time.Duration
	// Epoch is the instant from which frames count their time. The zero time: the
	// moment of NewNetwork.
	Epoch time.Time
}

// Backlog is how many connections may wait for a listener's Accept: what Linux
// allows by default, see net.core.somaxconn. The next one is refused.
const Backlog = 4096

// A Network joins those who dial and those who listen, by address, with one
// connection of two raw pipes each. It looks no names up: an address is reached
// if somebody listens on it, spelled alike. Its methods may be called from any
// number of goroutines.
type Network struct {
	config NetworkConfig
	halt   chan struct{} // closed by Stop

	mu        sync.Mutex // guards what follows, and the listeners' state
	dialled   int        // connections, so far
	stopped   bool
	listeners map[string]*listener
	open      map[int]*Conn // the dialling ends of those with an open end, by number
}

// NewNetwork returns a network on which nobody listens. It panics when the
// profile is not valid.
func NewNetwork(config NetworkConfig) *Network {
	if err := config.Profile.Validate(); err != nil {
		panic(fmt.Sprintf("netem: new network: %v", err))
	}
	if config.Epoch.IsZero() {
		config.Epoch = time.Now()
	}
	if config.Rig == nil {
		config.Rig = func(int) (up, down Rig) { return Rig{}, Rig{} }
	}
	if config.SetUp == nil {
		config.SetUp = func(int) time.Duration { return 0 }
	}
	return &Network{
		config:    config,
		halt:      make(chan struct{}),
		listeners: map[string]*listener{},
		open:      map[int]*Conn{},
	}
}

// Listen returns a listener for an address "host:port". What it accepts are
// *[Conn]. It errs when the address is none, when somebody listens on it already,
// and after Stop.
func (n *Network) Listen(address string) (net.Listener, error) {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, &net.OpError{Op: "listen", Net: "tcp", Err: err}
	}
	l := &listener{network: n, key: address, address: addressOf(address)}
	l.ready.L = &n.mu
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.stopped:
		return nil, &net.OpError{Op: "listen", Net: "tcp", Addr: l.address, Err: net.ErrClosed}
	case n.listeners[address] != nil:
		return nil, &net.OpError{Op: "listen", Net: "tcp", Addr: l.address, Err: os.NewSyscallError("bind", syscall.EADDRINUSE)}
	}
	n.listeners[address] = l
	return l, nil
}

// DialContext makes a connection to an address and returns this end of it, a
// *[Conn]; the other end can be accepted from the same instant on. It blocks for
// as long as the set-up takes, or until ctx is done, which means nothing to the
// connection afterwards. It errs like the dialer of package net: with ECONNREFUSED
// where nobody listens, only after the set-up, and with the error of ctx.
//
// The network must be tcp, tcp4 or tcp6, which are the same here.
func (n *Network) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if !slices.Contains([]string{"tcp", "tcp4", "tcp6"}, network) {
		return nil, &net.OpError{Op: "dial", Net: network, Err: net.UnknownNetworkError(network)}
	}
	n.mu.Lock()
	n.dialled++
	number := n.dialled
	n.mu.Unlock()
	err := n.await(ctx, n.config.SetUp(number))
	if err == nil {
		var conn *Conn
		if conn, err = n.connect(number, address); err == nil {
			return conn, nil
		}
	}
	return nil, &net.OpError{Op: "dial", Net: network, Addr: addressOf(address), Err: err}
}

// await lets d pass, unless something comes between.
func (n *Network) await(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-n.halt:
		return refused()
	}
}

func refused() error { return os.NewSyscallError("connect", syscall.ECONNREFUSED) }

// connect makes a connection, if somebody listens and has room for it.
func (n *Network) connect(number int, address string) (*Conn, error) {
	if !n.reaches(address) {
		return nil, refused()
	}
	near, far := n.join(number, address)
	n.mu.Lock()
	defer n.mu.Unlock()
	l := n.listeners[address]
	if n.stopped || !l.hasRoom() {
		return nil, refused()
	}
	n.open[number] = near
	l.backlog.push(far)
	l.ready.Signal()
	return near, nil
}

func (n *Network) reaches(address string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.listeners[address].hasRoom()
}

// join makes the two ends of a connection.
func (n *Network) join(number int, address string) (near, far *Conn) {
	shared := &connection{number: number, forget: n.forget}
	shared.open.Store(2)
	server := addressOf(address)
	client := clientOf(server, number)
	up, down := n.config.Rig(number)
	counter := new(atomic.Int64)
	pipe := func(direction Direction, rig Rig) *pipe {
		w, _ := NewPipe(PipeConfig{
			Direction: direction,
			Raw:       true,
			Travel:    rig.Travel,
			Stall:     rig.Stall,
			Tap:       rig.Tap,
			Epoch:     n.config.Epoch,
			Counter:   counter,
		})
		return w.p
	}
	there, back := pipe(n.config.Profile.Up, up), pipe(n.config.Profile.Down, down)
	return &Conn{in: back, out: there, local: client, remote: server, shared: shared},
		&Conn{in: there, out: back, local: server, remote: client, shared: shared}
}

func (n *Network) forget(c *connection) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.open, c.number)
}

// Open returns the number of connections of which not both ends are closed.
// What has not been accepted counts.
func (n *Network) Open() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.open)
}

// Conn returns the dialling end of a connection by its number, or nil when there
// is none or both its ends are closed.
func (n *Network) Conn(number int) *Conn {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.open[number]
}

// Stop breaks all connections for both ends at once, closes the listeners, and
// lets nobody dial or listen any more. The ends stay open until whoever has them
// closes them, so Open still tells who does not. It does not block and may be
// repeated.
func (n *Network) Stop() {
	n.mu.Lock()
	if !n.stopped {
		n.stopped = true
		close(n.halt)
	}
	listeners := inOrder(n.listeners)
	ends := inOrder(n.open)
	n.mu.Unlock()

	for _, l := range listeners {
		l.shut()
	}
	for _, end := range ends {
		end.breakDown()
	}
}

// inOrder returns the values of a map in the order of their keys.
func inOrder[K cmp.Ordered, V any](m map[K]V) []V {
	var values []V
	for _, key := range slices.Sorted(maps.Keys(m)) {
		values = append(values, m[key])
	}
	return values
}
