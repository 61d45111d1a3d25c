// Command worker runs worlds for mcpsim, one after another. The program builds
// and starts it; it is of no use by itself.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/mcpsim/mcpsim/sim/clock"
	"github.com/mcpsim/mcpsim/sim/lease"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mcpsim worker:", err)
		os.Exit(1)
	}
}

func run() error {
	crash := os.NewFile(lease.CrashFD, "crash")
	if err := debug.SetCrashOutput(crash, debug.CrashOptions{}); err != nil {
		return fmt.Errorf("started by hand? mcpsim starts it: %w", err)
	}
	// Garbage is collected between worlds: within one it would change the order
	// of events.
	debug.SetGCPercent(-1)
	hello := lease.Hello{Protocol: lease.Protocol, Virtual: clock.Virtual(), Seeded: clock.Seeded(), Go: runtime.Version()}
	return lease.Serve(lease.FD(lease.InFD), lease.FD(lease.OutFD), hello, &runner{})
}
