//go:build !mcpsim_seeded

package clock

const seeded = false

func reseed(uint64, uint64, bool) {}
