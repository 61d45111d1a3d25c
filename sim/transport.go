package sim

import (
	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// The transports between the two sides, as scenarios name them.
const (
	Stdio          = "stdio"
	StreamableHTTP = "streamable-http" // since 2025-03-26
	HTTPSSE        = "http-sse"        // HTTP+SSE, of 2024-11-05 alone
)

// Transports lists the transports.
func Transports() []string { return []string{Stdio, StreamableHTTP, HTTPSSE} }

// InVersion reports whether a protocol version has the transport.
func InVersion(transport, specVersion string) bool {
	switch transport {
	case HTTPSSE:
		return specVersion == protocol.V20241105
	case StreamableHTTP:
		return specVersion > protocol.V20241105
	}
	return true
}

// OverHTTP reports whether a transport's messages travel by HTTP.
func OverHTTP(transport string) bool { return transport == StreamableHTTP || transport == HTTPSSE }

// An HTTPPlan says how the two sides are joined over HTTP. The zero HTTPPlan is that
// of stdio.
type HTTPPlan struct {
	Protocol string // HTTP1 or H2C
	// Instances is how many servers that share nothing stand behind one address, at least
	// 1. An exchange that names a session goes to the one that made it, others to any, by
	// the seed.
	Instances int
	Faults    []HTTPFault // of what stands between the two sides; each exchange has at most one, the first that is drawn
}

// The versions of HTTP.
const (
	HTTP1 = "http/1.1"
	H2C   = "h2c" // HTTP/2 without TLS
)

// An HTTPFault is something that HTTP exchanges suffer on their way.
type HTTPFault struct {
	Kind   string       // see HTTPFaultKinds
	Of     string       // the exchanges that can suffer it: those whose request is of that method of the protocol, or GET or DELETE; empty: all that post something, but the handshake's
	Share  float64      // of these, 0 to 1
	After  Distribution // when, or for how long; zero for the kinds that have no time
	Events int          // cut: behind how many whole events
}

// What HTTP exchanges suffer: what a [netem.Front] does to them, and the wrong way.
const (
	SlowPost   = netem.FrontSlowPost   // the request's body arrives piecemeal, the last of it After later
	Hold       = netem.FrontHold       // the whole request is held back for After, so that others overtake it
	Cut        = netem.FrontCut        // the response breaks off in the middle of the event behind the first Events
	Drop       = netem.FrontDrop       // the exchange breaks off After it began
	Buffer     = netem.FrontBuffer     // nothing of the response passes before it is complete, or After has gone; zero: before it is complete
	Timeout    = netem.FrontTimeout    // what stands between gives the server up After it began, and says so
	BadGateway = netem.FrontBadGateway // the request does not reach the server, and is answered with a 502
	Unanswered = netem.FrontUnanswered // the request does not reach the server, and is never answered
	Misroute   = "misroute"            // it reaches another server than the balancer would choose: there have to be several
)

// HTTPFaultKinds lists what HTTP exchanges can suffer.
func HTTPFaultKinds() []string {
	return []string{SlowPost, Hold, Cut, Drop, Buffer, Timeout, BadGateway, Unanswered, Misroute}
}
