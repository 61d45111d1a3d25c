package sim_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/scenarios"
	"github.com/mcpsim/mcpsim/sim"
)

// Whatever the file holds, Parse returns either a scenario that holds all its
// promises or an error that points into the file.
func FuzzParse(f *testing.F) {
	for _, name := range scenarios.Names() {
		data, err := scenarios.Read(name)
		require.NoError(f, err)
		f.Add(data)
	}
	files, err := filepath.Glob("testdata/faults/*.yaml")
	require.NoError(f, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		sc, err := sim.Parse("fuzz.yaml", data)
		if err != nil {
			pointsIntoTheFile(t, err)
			return
		}
		holdsItsPromises(t, sc)
	})
}

func pointsIntoTheFile(t *testing.T, err error) {
	faults := faultsOf(t, err)
	require.NotEmpty(t, faults)
	for _, f := range faults {
		require.Positive(t, f.Line, "%+v", f)
		require.Positive(t, f.Column, "%+v", f)
		require.NotEmpty(t, f.Problem, "%+v", f)
		require.NotEmpty(t, f.Cure, "%+v", f)
	}
}

func holdsItsPromises(t *testing.T, sc *sim.Scenario) {
	require.NoError(t, sc.Validate())
	again, err := sim.Parse("again.yaml", sc.Marshal())
	require.NoError(t, err, "%s", sc.Marshal())
	require.Equal(t, sc, again)
	for _, l := range []sim.Link{sc.Network.ClientToServer, sc.Network.ServerToClient} {
		require.NoError(t, netem.Direction{
			Delay: l.Delay, Bandwidth: l.Bandwidth / 8, Buffer: int(l.Buffer),
			Correlation: l.Correlation, CorrelationTime: l.CorrelationTime, Stall: l.Stall, Coalesce: l.Coalesce, Split: l.Split, Loss: l.Loss,
		}.Validate())
	}
	if sc.Load.Total() <= 1000 {
		_, err = sim.Expand(sc, 1, nil)
		require.NoError(t, err)
	}
}
