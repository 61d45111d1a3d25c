package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/lease"
)

// TestPins is what has to come from elsewhere: one release of a module at most,
// whatever is chosen of it on either side.
func TestPins(t *testing.T) {
	for _, c := range []struct {
		client, server string
		want           []pin
		err            string
	}{
		{"go-sdk", "go-sdk+json", nil, ""},
		{"go-sdk+discover@v1.7.0", "go-sdk+json@v1.7.0", []pin{{"go-sdk", "v1.7.0"}}, ""},
		{"go-sdk+discover", "go-sdk+json@v1.7.0", []pin{{"go-sdk", "v1.7.0"}}, ""},
		{"reference", "mine+fast@./mine", []pin{{"mine", "./mine"}}, ""},
		{"mcp-go@v0.46.0", "go-sdk+json@../go-sdk", []pin{{"mcp-go", "v0.46.0"}, {"go-sdk", "../go-sdk"}}, ""},
		{"go-sdk+discover@v1.7.0", "go-sdk+discover@v1.6.1", nil, "go-sdk@v1.7.0 and go-sdk@v1.6.1 cannot play in one world"},
		{"go-sdk+json@", "go-sdk", nil, "write a version or a path behind the @"},
		{"mine+fast", "go-sdk", nil, `there is no target "mine"`},
	} {
		got, err := pins(c.client, c.server)
		if c.err != "" {
			assert.ErrorContains(t, err, c.err, "%s, %s", c.client, c.server)
			continue
		}
		require.NoError(t, err)
		assert.ElementsMatch(t, c.want, got, "%s, %s", c.client, c.server)
	}
}

// TestSeatWithOptions seats a player of a build that has options of its own.
func TestSeatWithOptions(t *testing.T) {
	e := loaded(t, "cancel-storm", choice{client: "reference", server: "reference"})
	e.players = []lease.Player{{
		Name: "mine", Version: "0a1b2c+dirty", Client: true, Server: true, Options: []lease.Option{
			{Name: "fast", Sides: []string{"client", "server"}, Transports: []string{"stdio"}},
			{Name: "loud", Sides: []string{"server"}, Transports: []string{"stdio", "streamable-http"}},
			{Name: "json", Sides: []string{"server"}, Transports: []string{"streamable-http"}},
		},
	}}
	for _, c := range []struct{ typed, side, label, err string }{
		{"mine@./mine", "client", "mine@0a1b2c+dirty", ""},
		{"mine+fast@./mine", "client", "mine+fast@0a1b2c+dirty", ""},
		{"mine+loud+fast@./mine", "server", "mine+fast+loud@0a1b2c+dirty", ""},
		{"mine+loud@./mine", "client", "", "client: mine+loud: +loud is for the server's side"},
		{"mine+json@./mine", "server", "", "server: mine+json: +json means something over streamable-http, and cancel-storm is played over stdio"},
		{"mine+slow@./mine", "server", "", `server: mine has no option "slow"; it has +fast, +loud, +json`},
	} {
		got, err := e.seat(c.typed, c.side)
		if c.err != "" {
			assert.ErrorContains(t, err, c.err, c.typed)
			continue
		}
		require.NoError(t, err, c.typed)
		assert.Equal(t, c.label, label(got), c.typed)
		assert.Equal(t, "mine", peerOf(got).Name(), c.typed)
	}
}
