// Package serve is the whole of a worker but for the list of who can play in it:
// the worker's own main and the ones that are written for a build with another
// version of an SDK, or with a target of the user's, differ in that list alone.
package serve

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/clock"
	"github.com/mcpsim/mcpsim/sim/lease"
	"github.com/mcpsim/mcpsim/sim/targets"
)

// Main runs worlds for the program that started the process until its leases
// end, and then ends the process. It returns only when all went well.
func Main(players []sim.Target) {
	if err := run(players); err != nil {
		fmt.Fprintln(os.Stderr, "mcpsim worker:", err)
		os.Exit(1)
	}
}

func run(players []sim.Target) error {
	crash := os.NewFile(lease.CrashFD, "crash")
	if err := debug.SetCrashOutput(crash, debug.CrashOptions{}); err != nil {
		return fmt.Errorf("started by hand? mcpsim starts it: %w", err)
	}
	// Garbage is collected between worlds: within one it would change the order
	// of events.
	debug.SetGCPercent(-1)
	hello := lease.Hello{
		Protocol: lease.Protocol, Virtual: clock.Virtual(), Seeded: clock.Seeded(), Go: runtime.Version(),
		Players: targets.Describe(players),
	}
	return lease.Serve(lease.FD(lease.InFD), lease.FD(lease.OutFD), hello, &runner{players: players})
}
