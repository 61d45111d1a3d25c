package sim

import (
	"net"
	"net/http"
	"slices"
	"sync"
)

// accepted are the connections of an HTTP server, in the order in which they came.
type accepted struct {
	mu    sync.Mutex
	conns []net.Conn
}

// follow is for http.Server.ConnState. It does not block.
func (a *accepted) follow(conn net.Conn, state http.ConnState) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch state {
	case http.StateNew:
		a.conns = append(a.conns, conn)
	case http.StateClosed, http.StateHijacked:
		a.conns = slices.DeleteFunc(a.conns, func(c net.Conn) bool { return c == conn })
	}
}

func (a *accepted) all() []net.Conn {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.conns)
}
