package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// TestSlowNetworksAccuseNobody runs the reference over links of a few bits a
// second, and with a horizon shorter than the way: what is missing when such a
// world ends is the network's doing.
func TestSlowNetworksAccuseNobody(t *testing.T) {
	worker := builtWorker(t)
	files, err := filepath.Glob("testdata/slow/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			c := choice{client: "reference", server: "reference"}
			e, err := c.load(file)
			require.NoError(t, err)
			const seeds = 20
			for key, r := range records(t, worker, e, worldsOf(e, seeds), 2) {
				for _, v := range oracle.Judge(r.history).Verdicts {
					assert.NotEqual(t, oracle.Fail, v.Status, "%s at %s, seed %d: %+v", v.Rule, key.SpecVersion, key.Seed, v.Violations)
				}
			}
		})
	}
}
