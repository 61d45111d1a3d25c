// Command worker runs worlds for mcpsim, one after another. The program builds
// and starts it; it is of no use by itself.
package main

import (
	"github.com/mcpsim/mcpsim/cmd/mcpsim/worker/serve"
	"github.com/mcpsim/mcpsim/sim/targets"
)

func main() { serve.Main(targets.All()) }
