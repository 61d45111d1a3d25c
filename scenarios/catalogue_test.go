package scenarios_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/scenarios"
	"github.com/mcpsim/mcpsim/sim"
)

func TestCatalogue(t *testing.T) {
	assert.Equal(t, []string{"abrupt-close", "aimed-cancels", "cancel-storm", "careless-tools", "every-call", "half-close", "listen-teardown", "no-cancels", "server-dies", "shaky-network"}, scenarios.Names())
	for _, name := range scenarios.Names() {
		data, err := scenarios.Read(name)
		require.NoError(t, err)
		sc, err := sim.Parse(name+".yaml", data)
		require.NoError(t, err)
		assert.Equal(t, name, sc.Name, "a scenario is called like its file")
		assert.NotEmpty(t, sc.Require, "%s would pass although it exercised nothing", name)
		assert.True(t, strings.HasPrefix(string(data), "# "), "%s begins with a comment that says what it hunts", name)
		for i, line := range strings.Split(string(data), "\n") {
			assert.LessOrEqual(t, len(line), 120, "%s:%d is too long", name, i+1)
		}
	}
}

// TestReadmeScenario parses the whole scenario that the guide shows.
func TestReadmeScenario(t *testing.T) {
	guide, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(guide), "```yaml\nname:")
	require.True(t, found)
	text, _, found := strings.Cut(rest, "```")
	require.True(t, found)
	_, err = sim.Parse("README.md", []byte("name:"+text))
	require.NoError(t, err)
}

func TestReadRefusesOtherNames(t *testing.T) {
	for _, name := range []string{"", "quiet", "cancel-storm.yaml", "../scenarios/cancel-storm", "embed.go"} {
		_, err := scenarios.Read(name)
		assert.ErrorContains(t, err, "there are abrupt-close, aimed-cancels, cancel-storm", "%q", name)
	}
}
