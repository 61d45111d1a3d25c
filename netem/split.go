package netem

import (
	"errors"
	"fmt"
)

// MaxPieces bounds [Split.Pieces].
const MaxPieces = 100

// A Split makes each segment arrive in pieces, so that a reader sees parts of
// frames. The zero Split leaves segments whole.
type Split struct {
	// Pieces is how many there are of each segment, 2 to [MaxPieces]; fewer of one
	// that is too short. 0: segments stay whole, and Gap must be none.
	Pieces int `json:"pieces,omitempty" yaml:"pieces,omitempty"`
	// Gap is the time from one piece to the next, 1 ns at least.
	Gap Delay `json:"gap,omitzero" yaml:"gap,omitempty"`
}

// Validate reports every fault of s, joined, or nil.
func (s Split) Validate() error {
	if s.Pieces == 0 && s.Gap.Distribution != None {
		return errors.New("pieces is missing, without which gap has no meaning")
	}
	var errs []error
	if s.Pieces < 0 || s.Pieces == 1 || s.Pieces > MaxPieces {
		errs = append(errs, fmt.Errorf("pieces: %d is not from 2 to %d; 0 means whole", s.Pieces, MaxPieces))
	}
	return errors.Join(append(errs, prefix("gap", s.Gap.Validate()))...)
}

// cuts draws where a segment of so many bytes is parted. Each cut lies in a
// stretch of its own: with three pieces, one in the first half of the segment and
// one in the second.
func (s Split) cuts(size int, draw func() uint64) []Cut {
	n := min(s.Pieces, size) - 1
	if n < 1 {
		return nil
	}
	cuts := make([]Cut, n)
	for i := range cuts {
		from, to := 1+i*(size-1)/n, 1+(i+1)*(size-1)/n
		cuts[i] = Cut{At: from + int(scale(mix(draw()), uint64(to-from))), Gap: s.Gap.Sample(draw())}
	}
	return cuts
}
