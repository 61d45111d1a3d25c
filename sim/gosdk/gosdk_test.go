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

// Whatever the adapter lists comes through it, with the application's own answer,
// and opposite the reference on either side.
func TestEveryMethod(t *testing.T) {
	sdk, strict := gosdk.Target("v0.0.0"), reference.Targets()[0]
	for _, pair := range []struct{ client, server sim.Target }{{sdk, strict}, {strict, sdk}} {
		for _, version := range sdk.SpecVersions {
			for _, method := range sim.Methods() {
				if method == "subscriptions/listen" {
					continue // it is answered only at its end; see TestListen
				}
				t.Run(pair.client.Name+" to "+pair.server.Name+" "+version+" "+method, func(t *testing.T) {
					h := call(t, pair.client, pair.server, version, method)
					if why := h.Header.Calls[0].NotAsked; why != "" {
						assert.Contains(t, []string{"ping", "server/discover"}, method, why)
						return
					}
					answered(t, h, method)
				})
			}
		}
	}
}

func call(t *testing.T, client, server sim.Target, version, method string) *history.History {
	return play(t, client, server, version, "handlers: [{kind: chatty, every: 4ms, work: 10ms}]\nload: {requests: [{kind: "+method+"}]}\n")
}

// play runs one world of a scenario with that in it.
func play(t *testing.T, client, server sim.Target, version, what string) *history.History {
	sc, err := sim.Parse("test.yaml", []byte("name: one\nsummary: one call\n"+what))
	require.NoError(t, err)
	schedule, err := sim.Expand(sc, 1, nil)
	require.NoError(t, err)
	var h *history.History
	synctest.Test(t, func(t *testing.T) {
		h, _, err = sim.Run(sim.WorldConfig{
			Scenario: sc, Schedule: schedule, SpecVersion: version, Client: client, Server: server, Clock: "virtual", Observe: true,
		})
		require.NoError(t, err)
	})
	return h
}

func answered(t *testing.T, h *history.History, method string) {
	value, progress := "", 0
	for _, e := range h.Events {
		switch {
		case e.Call != 1:
		case e.Kind == history.Return:
			assert.Empty(t, e.Text)
			value = e.Value
		case e.Kind == history.Read && e.Msg.Kind == history.Request:
			assert.Equal(t, method, e.Msg.Method)
			assert.Equal(t, 1, e.Msg.Call)
		case e.Kind == history.Read && e.Msg.Method == "notifications/progress":
			progress++
		}
	}
	if method == "tools/call" || method == "resources/read" || method == "prompts/get" || method == "completion/complete" {
		assert.Equal(t, "call 1 done", value)
		assert.Equal(t, 3, progress, "what the application reports arrives")
		return
	}
	assert.Empty(t, value)
}

// Whatever a tool asks comes through the adapter on either side, and so does the
// client's answer.
func TestEveryQuestion(t *testing.T) {
	sdk, strict := gosdk.Target("v0.0.0"), reference.Targets()[0]
	for _, pair := range []struct{ client, server sim.Target }{{sdk, strict}, {strict, sdk}} {
		for _, version := range sdk.SpecVersions {
			for _, kind := range sim.Questions() {
				t.Run(pair.client.Name+" to "+pair.server.Name+" "+version+" "+kind, func(t *testing.T) {
					work := ", work: 20ms"
					if kind == "roots/list" {
						work = ""
					}
					h := play(t, pair.client, pair.server, version, "handlers: [{kind: asking, work: 10ms, asks: {kind: "+kind+work+"}}]\n")
					if version == "2026-07-28" {
						assert.Equal(t, "servers ask nothing of clients at 2026-07-28", h.Header.Calls[0].NotAsked)
						return
					}
					if kind == "elicitation/create" && version < "2025-06-18" {
						assert.Equal(t, version+" has no elicitation/create", h.Header.Calls[0].NotAsked)
						return
					}
					answeredBoth(t, h, kind)
				})
			}
		}
	}
}

func answeredBoth(t *testing.T, h *history.History, kind string) {
	returned := map[int]string{}
	for _, e := range h.Events {
		switch {
		case e.Kind == history.Return:
			assert.Empty(t, e.Text)
			returned[e.Call] = e.Value
		case e.Kind == history.Read && e.Side == history.Client && e.Msg.Kind == history.Request:
			assert.Equal(t, kind, e.Msg.Method)
			assert.Equal(t, 2, e.Msg.Call)
		case e.Kind == history.Start && e.Call == 2:
			assert.Equal(t, history.Client, e.Side)
		}
	}
	assert.Equal(t, "call 1 done", returned[1])
	if kind != "roots/list" {
		assert.Equal(t, "call 2 done", returned[2])
	} else {
		assert.Contains(t, returned, 2)
	}
}
