package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim"
)

func TestInVersion(t *testing.T) {
	for _, v := range sim.SpecVersions() {
		assert.True(t, sim.InVersion(sim.Stdio, v), v)
		assert.Equal(t, v == "2024-11-05", sim.InVersion(sim.HTTPSSE, v), v)
		assert.Equal(t, v != "2024-11-05", sim.InVersion(sim.StreamableHTTP, v), v)
	}
}
