package sim_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/scenarios"
)

// What a file says and what a seed makes of it must not change with what other
// scenarios come to be able to say. Each line of testdata/schedules.txt has a scenario
// of the catalogue, its hash, and the digest of its schedules. Who changes a scenario
// changes its line.
func TestSchedulesStayWhatTheyWere(t *testing.T) {
	lines, err := os.ReadFile("testdata/schedules.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(lines)) {
		name, _, _ := strings.Cut(line, " ")
		assert.Equal(t, line, scheduleLine(t, name), "put the line of %s into testdata/schedules.txt if the scenario was meant to change", name)
	}
}

func scheduleLine(t *testing.T, name string) string {
	data, err := scenarios.Read(name)
	require.NoError(t, err)
	sc := parse(t, string(data))
	sum := sha256.New()
	for seed := range uint64(20) {
		require.NoError(t, json.NewEncoder(sum).Encode(expand(t, sc, seed)))
	}
	return fmt.Sprintf("%s %.16s %.16s\n", name, sc.Hash(), hex.EncodeToString(sum.Sum(nil)))
}
