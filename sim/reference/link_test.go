package reference

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A server that is gone before the client has looked finds a client that is ready for it:
// the reader may end the link before openLink returns. The order is the scheduler's, so
// it takes many clients, and the race detector sees more than the outcome.
func TestTheServerIsGoneAlready(t *testing.T) {
	for _, tt := range []struct {
		transport string
		conn      func() sim.Conn
	}{
		{sim.Stdio, func() sim.Conn { return connOf(nil, io.Discard) }},
		{sim.HTTPSSE, func() sim.Conn {
			return sim.Conn{HTTP: &http.Client{Transport: refuser{}}, Endpoint: "http://mcp.test/"}
		}},
	} {
		t.Run(tt.transport, func(t *testing.T) {
			for range 2_000 {
				client := newClient(sim.ClientEnv{SpecVersion: protocol.V20241105, Transport: tt.transport}, none)
				require.Error(t, client.Connect(context.Background(), tt.conn()))
				_ = client.Close() // may repeat why
			}
		})
	}
}

// A refuser is the way to a server that is not there.
type refuser struct{}

func (refuser) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("connection refused")
}
