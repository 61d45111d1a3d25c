package netem

import (
	"sync/atomic"
	"time"
)

// An End is one end of a pair: In is what the other end writes, Out what it
// reads. Whoever has it closes both.
type End struct {
	In  *Reader
	Out *Writer
}

// A Rig is what is mounted on one direction of a pair.
type Rig struct {
	Travel func(Segment) Travel // see [PipeConfig]; nil: at once and whole, whatever the profile says
	Stall  func(now time.Duration) (until time.Duration)
	Tap    Tap
}

// A PairConfig says what is between two ends.
type PairConfig struct {
	Profile Profile // must be valid
	// Up is mounted on what the first end writes, Down on what the second writes.
	Up, Down Rig
	// Epoch is the instant from which frames count their time. The zero time: the
	// moment of NewPair.
	Epoch time.Time
}

// NewPair returns the two ends of a connection with the given profile. The
// frames of both directions share one numbering. It panics when the profile is
// not valid.
func NewPair(config PairConfig) (first, second End) {
	if config.Epoch.IsZero() {
		config.Epoch = time.Now()
	}
	counter := new(atomic.Int64)
	pipe := func(direction Direction, rig Rig) (*Writer, *Reader) {
		return NewPipe(PipeConfig{
			Direction: direction,
			Travel:    rig.Travel,
			Stall:     rig.Stall,
			Tap:       rig.Tap,
			Epoch:     config.Epoch,
			Counter:   counter,
		})
	}
	first.Out, second.In = pipe(config.Profile.Up, config.Up)
	second.Out, first.In = pipe(config.Profile.Down, config.Down)
	return first, second
}
