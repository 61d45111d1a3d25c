package gosdk_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/gosdk"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/reference"
)

// A subscription comes through the adapter on either side: opened, taken, told of
// its resource, and cancelled when the application has had enough.
func TestListen(t *testing.T) {
	sdk, strict := gosdk.Target("v0.0.0"), reference.Targets()[0]
	for _, pair := range []struct{ client, server sim.Target }{{sdk, strict}, {strict, sdk}, {sdk, sdk}} {
		t.Run(pair.client.Name+" to "+pair.server.Name, func(t *testing.T) {
			heard := listen(t, pair.client, pair.server)
			for _, method := range []string{
				"subscriptions/listen", "notifications/subscriptions/acknowledged", "notifications/resources/updated", "notifications/cancelled",
			} {
				assert.Positive(t, heard[method], method)
			}
		})
	}
}

// listen counts what the two sides read for the one subscription of a world, and
// requires that its caller got control back.
func listen(t *testing.T, client, server sim.Target) map[string]int {
	sc, err := sim.Parse("test.yaml", []byte("name: one\nsummary: one subscription\nhandlers: [{kind: instant}]\n"+
		"load: {requests: [{kind: subscriptions/listen, for: 2s}]}\nchanges: {count: 30, every: 50ms}\n"))
	require.NoError(t, err)
	schedule, err := sim.Expand(sc, 1, nil)
	require.NoError(t, err)
	heard := map[string]int{}
	synctest.Test(t, func(t *testing.T) {
		h, _, err := sim.Run(sim.WorldConfig{
			Scenario: sc, Schedule: schedule, SpecVersion: "2026-07-28", Client: client, Server: server, Clock: "virtual", Observe: true,
		})
		require.NoError(t, err)
		returned := ""
		for _, e := range h.Events {
			switch {
			case e.Kind == history.Read && e.Call == 1:
				heard[e.Msg.Method]++
			case e.Kind == history.Return:
				returned = e.Text
			}
		}
		assert.Equal(t, "context canceled", returned)
	})
	return heard
}
