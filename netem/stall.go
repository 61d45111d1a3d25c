package netem

import (
	"errors"
	"time"
)

// A Stall says when a line takes nothing, as if the peer had stopped reading and
// everything between were full: a Write waits until it is over. What the line has
// taken before still arrives. The zero Stall is none.
type Stall struct {
	// Every is the time from the end of one stall, or from the pipe's epoch, to the
	// beginning of the next.
	Every Delay `json:"every,omitzero" yaml:"every,omitempty"`
	// For is how long a stall lasts.
	For Delay `json:"for,omitzero" yaml:"for,omitempty"`
}

// Validate reports every fault of s, joined, or nil.
func (s Stall) Validate() error {
	var errs []error
	if (s.Every.Distribution == None) != (s.For.Distribution == None) {
		errs = append(errs, errors.New("every and for go together"))
	}
	return errors.Join(append(errs, prefix("every", s.Every.Validate()), prefix("for", s.For.Validate()))...)
}

// Rule returns a rule for [PipeConfig], or nil when s is none. draw gives the
// n-th duration that the rule asks for, from 0; one of less than 1 ns counts as
// that. The periods depend on s and draw alone, and on nothing that travels.
//
// The rule remembers where it is, so each pipe needs one of its own. It takes
// time in proportion to the number of stalls that have passed.
func (s Stall) Rule(draw func(n int, d Delay) time.Duration) func(now time.Duration) time.Duration {
	if s.Every.Distribution == None {
		return nil
	}
	n := 0
	next := func(d Delay) time.Duration {
		n++
		return max(draw(n-1, d), 1)
	}
	begin := next(s.Every)
	end := begin + next(s.For)
	return func(now time.Duration) time.Duration {
		for end <= now {
			begin = end + next(s.Every)
			end = begin + next(s.For)
		}
		if now < begin {
			return 0
		}
		return end
	}
}
