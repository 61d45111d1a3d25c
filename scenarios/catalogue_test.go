package scenarios_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/scenarios"
	"github.com/mcpsim/mcpsim/sim"
)

func TestCatalogue(t *testing.T) {
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

// TestReadmeListsTheCatalogue holds the guide's table to the files: a row for each
// scenario, which names every rule that it requires.
func TestReadmeListsTheCatalogue(t *testing.T) {
	guide, err := os.ReadFile("README.md")
	require.NoError(t, err)
	rows := map[string]string{}
	for line := range strings.Lines(string(guide)) {
		if cells := strings.Split(line, "|"); len(cells) == 5 && strings.HasPrefix(cells[1], " `") {
			rows[strings.Trim(cells[1], " `")] = cells[3]
		}
	}
	for _, name := range scenarios.Names() {
		required, listed := rows[name]
		if !assert.True(t, listed, "%s has no row", name) {
			continue
		}
		data, err := scenarios.Read(name)
		require.NoError(t, err)
		sc, err := sim.Parse(name+".yaml", data)
		require.NoError(t, err)
		var rules []string
		for _, req := range sc.Require {
			rules = append(rules, req.AnyOf...)
		}
		assert.ElementsMatch(t, rules, strings.Split(strings.TrimSpace(required), ", "), "the rules that %s requires", name)
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

// TestReadmeExplainsEveryKey holds the guide to what a scenario can say.
func TestReadmeExplainsEveryKey(t *testing.T) {
	guide, err := os.ReadFile("README.md")
	require.NoError(t, err)
	files, err := filepath.Glob("../sim/scenario_*.go")
	require.NoError(t, err)
	found := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, key := range regexp.MustCompile(`\bkey\{"([a-z_]+)"`).FindAllSubmatch(source, -1) {
			found++
			assert.Regexp(t, `\b`+string(key[1])+`\b`, string(guide), file)
		}
	}
	assert.Greater(t, found, 50, "the keys are where the decoder reads them")
}

func TestReadRefusesOtherNames(t *testing.T) {
	for _, name := range []string{"", "quiet", "cancel-storm.yaml", "../scenarios/cancel-storm", "embed.go"} {
		_, err := scenarios.Read(name)
		assert.ErrorContains(t, err, "there are abandoned-exchange, abrupt-close, aimed-cancels", "%q", name)
	}
}
