package sim

import (
	"io"

	"github.com/mcpsim/mcpsim/netem"
)

// What tests outside the package need of a [ground].
type (
	Road  = road
	Inlet = inlet
)

// StandOn has the world stand on something real: a network over HTTP, and over stdio
// what pipe makes of each direction.
func (cfg *WorldConfig) StandOn(n Road, pipe func(netem.Tap) (io.WriteCloser, Inlet)) {
	cfg.ground = &ground{network: n, pipe: pipe}
}
