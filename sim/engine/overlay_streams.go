package engine

// streams is added to rand.go: splitmix64 streams for the scheduler, for select
// and for everything else that asks for chance, the call that starts them anew,
// and the draws that the patches use.
//
// A process draws more in its first worlds than later, when its caches are full.
// So that this shifts nothing for long, the streams start anew with each instant
// of virtual time, from the world's seeds and the time since its start.
const streams = `
var mcpsimKeys uint64

var mcpsimSched, mcpsimSelect, mcpsimRandom, mcpsimMaps uint64 // the streams

var mcpsimWorld struct {
	scheduler, runtime uint64 // seeds
	start, at          int64  // of the world, and the instant that the streams belong to
	timers             uint32 // set so far
}

// mcpsimKey is called while the process starts: the same keys in every process.
func mcpsimKey() uint64 {
	if faketime == 0 {
		return bootstrapRand()
	}
	return mcpsimNext(&mcpsimKeys)
}

//go:nosplit
func mcpsimNext(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	return mcpsimMix(*state)
}

//go:nosplit
func mcpsimMix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

//go:nosplit
func mcpsimBelow(state *uint64, n uint32) uint32 {
	return uint32((uint64(uint32(mcpsimNext(state)>>32)) * uint64(n)) >> 32)
}

//go:nosplit
func mcpsimScheduler(n uint32) uint32 {
	if faketime == 0 {
		return cheaprandn(n)
	}
	return mcpsimBelow(&mcpsimSched, n)
}

//go:nosplit
func mcpsimChance(n uint32) uint32 {
	if faketime == 0 {
		return cheaprandn(n)
	}
	return mcpsimBelow(&mcpsimSelect, n)
}

// mcpsimOffset is where an iteration over a map begins: the same for all of one
// instant, so that an iteration more, over a cache that is filled, shifts no other.
//
//go:linkname mcpsimOffset internal/runtime/maps.mcpsimOffset
func mcpsimOffset() uint64 {
	if faketime == 0 {
		return rand()
	}
	return mcpsimMaps
}

// mcpsimTimer places a timer among those of its instant: at random when the
// scheduler shuffles, else in the order in which they were set.
//
//go:nosplit
func mcpsimTimer() uint32 {
	if randomizeScheduler {
		return uint32(mcpsimNext(&mcpsimSched) >> 32)
	}
	mcpsimWorld.timers++
	return mcpsimWorld.timers
}

// mcpsimInstant starts the streams of the instant that has just begun.
//
//go:nosplit
func mcpsimInstant() {
	w := &mcpsimWorld
	if w.at == faketime {
		return
	}
	w.at = faketime
	t := mcpsimMix(uint64(faketime-w.start) + 0x9e3779b97f4a7c15)
	mcpsimSched = mcpsimMix(w.scheduler ^ t)
	mcpsimSelect = mcpsimMix(w.runtime ^ t)
	mcpsimRandom = mcpsimMix(mcpsimSelect)
	mcpsimMaps = mcpsimMix(mcpsimRandom)
}

//go:linkname mcpsimReseed
func mcpsimReseed(runtime, scheduler uint64, shuffled bool) {
	mcpsimWorld.runtime, mcpsimWorld.scheduler = runtime, scheduler
	mcpsimWorld.start, mcpsimWorld.at, mcpsimWorld.timers = faketime, 0, 0
	randomizeScheduler = shuffled
	mcpsimInstant()
}
`
