package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/scenarios"
	"github.com/mcpsim/mcpsim/sim"
)

func TestOver(t *testing.T) {
	rows := []struct{ why, file, transport, same string }{
		{"there", "", sim.StreamableHTTP, "transport: streamable-http"},
		{"and back", "transport: streamable-http", sim.Stdio, ""},
		{"nowhere", "transport: streamable-http\nhttp: {protocol: h2c}", sim.StreamableHTTP, "transport: streamable-http\nhttp: {protocol: h2c}"},
		{"at the versions that have it", "spec_versions: [2024-11-05, 2025-03-26]\nrequire: [{any_of: [A-B], spec_versions: [2024-11-05]}, C-D]",
			sim.StreamableHTTP, "transport: streamable-http\nspec_versions: [2025-03-26]\nrequire: [C-D]"},
		{"with what is required at those", "spec_versions: [2024-11-05, 2025-03-26]\nrequire: [{any_of: [A-B], spec_versions: [2024-11-05, 2025-03-26]}]",
			sim.StreamableHTTP, "transport: streamable-http\nspec_versions: [2025-03-26]\nrequire: [{any_of: [A-B], spec_versions: [2025-03-26]}]"},
		{"or at those that anybody gets", "spec_versions: [2026-07-28]\nrequire: [{any_of: [A-B], spec_versions: [2026-07-28]}]",
			sim.HTTPSSE, "transport: http-sse"},
		{"as it joins the two sides already", "transport: streamable-http\nhttp: {protocol: h2c, faults: [{kind: bad-gateway, share: 0.5}]}", sim.HTTPSSE,
			"transport: http-sse\nhttp: {protocol: h2c, faults: [{kind: bad-gateway, share: 0.5}]}"},
	}
	for _, row := range rows {
		given := parse(t, minimal+row.file)
		before := given.Hash()
		got, err := given.Over(row.transport)
		require.NoError(t, err, row.why)
		assert.Equal(t, string(parse(t, minimal+row.same).Marshal()), string(got.Marshal()), row.why)
		assert.Equal(t, before, given.Hash(), "what it was made from stays")
	}
}

func TestOverRefuses(t *testing.T) {
	rows := []struct{ why, file, transport, problem string }{
		{"an end that it does not have", "end: {how: half-close, at: 1s}", sim.StreamableHTTP, "least: end.how: impossible on streamable-http"},
		{"several clients", "transport: streamable-http\nload: {clients: 2}", sim.Stdio, "least: load.clients: a server has one client over stdio"},
		{"what stands between", "transport: streamable-http\nhttp: {faults: [{kind: bad-gateway, share: 0.5}]}", sim.Stdio, "least: http: over stdio there is no HTTP"},
		{"several servers", "transport: streamable-http\nhttp: {instances: 2}", sim.Stdio, "least: http: over stdio there is no HTTP"},
		{"loss", "transport: streamable-http\nnetwork: {profile: wan, loss: 0.1}", sim.Stdio, "network.server_to_client.loss: impossible on stdio"},
		{"a DELETE", "transport: streamable-http\nhttp: {faults: [{kind: unanswered, of: DELETE, share: 1}]}", sim.HTTPSSE, "http.faults[0].of: a session over http-sse ends without a DELETE"},
		{"what nobody speaks", "", "carrier-pigeon", `least: transport: "carrier-pigeon" is not possible here; write stdio, streamable-http or http-sse`},
	}
	for _, row := range rows {
		got, err := parse(t, minimal+row.file).Over(row.transport)
		assert.Nil(t, got, row.why)
		assert.ErrorContains(t, err, row.problem, row.why)
	}
}

// All of the catalogue but what is about a pipe can be played over HTTP.
func TestTheCatalogueOverHTTP(t *testing.T) {
	var refused []string
	for _, name := range scenarios.Names() {
		data, err := scenarios.Read(name)
		require.NoError(t, err)
		if _, err := parse(t, string(data)).Over(sim.StreamableHTTP); err != nil {
			refused = append(refused, name)
		}
	}
	assert.Equal(t, []string{"half-close"}, refused)
}
