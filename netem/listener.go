package netem

import (
	"net"
	"net/netip"
	"sync"
)

// A listener is where connections to one address wait to be accepted. The
// network's mutex guards it.
type listener struct {
	network *Network
	key     string // the address as it was spelled
	address net.Addr
	ready   sync.Cond // something is in the backlog, or the listener was closed
	backlog fifo[*Conn]
	closed  bool
}

// Accept returns the next connection in the order in which they were made. It
// blocks until there is one, and fails with net.ErrClosed once the listener is
// closed.
func (l *listener) Accept() (net.Conn, error) {
	l.network.mu.Lock()
	defer l.network.mu.Unlock()
	for l.backlog.len() == 0 && !l.closed {
		l.ready.Wait()
	}
	if l.closed {
		return nil, l.opError("accept")
	}
	conn := *l.backlog.at(0)
	l.backlog.pop()
	return conn, nil
}

// Close lets nobody connect any more and resets who was not accepted.
func (l *listener) Close() error {
	if !l.shut() {
		return l.opError("close")
	}
	return nil
}

func (l *listener) Addr() net.Addr { return l.address }

func (l *listener) opError(op string) error {
	return &net.OpError{Op: op, Net: "tcp", Addr: l.address, Err: net.ErrClosed}
}

// hasRoom reports whether one more can wait; with nobody listening, none can.
func (l *listener) hasRoom() bool { return l != nil && l.backlog.len() < Backlog }

func (l *listener) shut() bool {
	waiting, first := l.markClosed()
	for _, conn := range waiting {
		conn.Reset()
	}
	return first
}

func (l *listener) markClosed() (waiting []*Conn, first bool) {
	l.network.mu.Lock()
	defer l.network.mu.Unlock()
	if l.closed {
		return nil, false
	}
	l.closed = true
	delete(l.network.listeners, l.key)
	for ; l.backlog.len() > 0; l.backlog.pop() {
		waiting = append(waiting, *l.backlog.at(0))
	}
	l.ready.Broadcast()
	return waiting, true
}

// A name is an address whose host is a name.
type name string

func (name) Network() string { return "tcp" }

func (n name) String() string { return string(n) }

// addressOf returns an address as package net would, but for names, which it
// would look up.
func addressOf(address string) net.Addr {
	if ip, err := netip.ParseAddrPort(address); err == nil {
		return net.TCPAddrFromAddrPort(ip)
	}
	return name(address)
}

// The ports that a client's end may have by RFC 6335, section 6.
const firstPort, ports = 49152, 1 << 14

// clientOf returns the address of the dialling end: on the same host if the
// server is reached by a loopback address, otherwise on one for documentation (RFC
// 5737). The port tells connections apart, as long as there are not too many.
func clientOf(server net.Addr, number int) net.Addr {
	host := netip.AddrFrom4([4]byte{192, 0, 2, 1})
	if ip, is := server.(*net.TCPAddr); is && ip.IP.IsLoopback() {
		host = ip.AddrPort().Addr()
	}
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(host, uint16(firstPort+(number-1)%ports)))
}
