package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim"
)

func TestBefalls(t *testing.T) {
	rows := []struct {
		why, of, httpMethod, method string
		want                        bool
	}{
		{"everything that is posted", "", "POST", "tools/call", true},
		{"a cancel, too", "", "POST", "notifications/cancelled", true},
		{"and an answer", "", "POST", "", true},
		{"but no handshake", "", "POST", "initialize", false},
		{"no part of it", "", "POST", "notifications/initialized", false},
		{"of neither era", "", "POST", "server/discover", false},
		{"nor what is not posted", "", "GET", "", false},
		{"a handshake that is named", "initialize", "POST", "initialize", true},
		{"one method", "tools/call", "POST", "tools/call", true},
		{"and no other", "tools/call", "POST", "tools/list", false},
		{"a stream of the client's own", "GET", "GET", "", true},
		{"the end of a session", "DELETE", "DELETE", "", true},
		{"which is no stream", "GET", "DELETE", "", false},
	}
	for _, row := range rows {
		assert.Equal(t, row.want, sim.HTTPFault{Of: row.of}.Befalls(row.httpMethod, row.method), row.why)
	}
}

func TestInVersion(t *testing.T) {
	for _, v := range sim.SpecVersions() {
		assert.True(t, sim.InVersion(sim.Stdio, v), v)
		assert.Equal(t, v == "2024-11-05", sim.InVersion(sim.HTTPSSE, v), v)
		assert.Equal(t, v != "2024-11-05", sim.InVersion(sim.StreamableHTTP, v), v)
	}
}
