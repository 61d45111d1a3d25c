//go:build mcpsim_seeded

package clock

import _ "unsafe" // for go:linkname

const seeded = true

// reseed lives in the runtime, in the overlay that package engine writes.
//
//go:linkname reseed runtime.mcpsimReseed
func reseed(runtime, scheduler uint64, shuffled bool)
