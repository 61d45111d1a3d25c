package reference

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// BenchmarkCalls makes calls one after the other over a perfect network that
// nobody watches: what the two peers alone allow.
func BenchmarkCalls(b *testing.B) {
	for _, version := range []string{protocol.V20251125, protocol.V20260728} {
		b.Run(version, func(b *testing.B) {
			ours, theirs := netem.NewPair(netem.PairConfig{})
			client := newClient(sim.ClientEnv{SpecVersion: version}, none)
			server := newServer(sim.ServerEnv{SpecVersion: version, Tools: []sim.Tool{{Name: "nop", Run: nop}}}, none)
			var served sync.WaitGroup
			served.Go(func() {
				if err := server.Serve(b.Context(), sim.Conn{In: theirs.In, Out: theirs.Out}); err != nil {
					b.Error(err)
				}
			})
			require.NoError(b, client.Connect(b.Context(), sim.Conn{In: ours.In, Out: ours.Out}))
			call := sim.Request{Method: protocol.ToolsCall, Name: "nop", Arguments: json.RawMessage(`{"call":1}`), Progress: "p1"}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := client.Call(b.Context(), call); err != nil {
					b.Fatal(err)
				}
			}
			require.NoError(b, client.Close())
			served.Wait()
		})
	}
}

func nop(context.Context, json.RawMessage, func(float64) error) (string, error) { return "done", nil }
