package main

import (
	"github.com/mcpsim/mcpsim/analysis"
)

// A sequence puts worlds, which end in any order, back into the order in which
// their seeds were handed out, for a run that stops at a finding: it then has
// counted the same worlds however many workers there were. It is for one goroutine
// at a time. It holds what ended while a slower world before it was still running,
// which the limit on a world's time bounds.
type sequence struct {
	size    int                  // worlds of a seed
	seeds   []uint64             // handed out and not counted yet, in order
	waiting map[uint64][]arrived // what has ended of them
	stopped bool                 // a finding ended it
	at      uint64               // the seed that did
}

// An arrived world is one that has been judged and is not counted yet.
type arrived struct {
	world analysis.World
	fluke bool
}

func newSequence(size int) *sequence {
	return &sequence{size: size, waiting: map[uint64][]arrived{}}
}

// handOut notes the next seed. It reports false once the sequence has stopped.
func (s *sequence) handOut(seed uint64) bool {
	if s.stopped {
		return false
	}
	s.seeds = append(s.seeds, seed)
	return true
}

// arrive takes a world and calls count with each one whose turn has come. When a
// seed is complete and found reports true of one of its worlds, nothing is counted
// after it.
func (s *sequence) arrive(a arrived, found func(analysis.World) bool, count func(arrived) error) error {
	seed := a.world.Seed
	s.waiting[seed] = append(s.waiting[seed], a)
	for !s.stopped && len(s.seeds) > 0 && len(s.waiting[s.seeds[0]]) == s.size {
		next := s.seeds[0]
		for _, w := range s.waiting[next] {
			if err := count(w); err != nil {
				return err
			}
			if found(w.world) {
				s.stopped, s.at = true, next
			}
		}
		delete(s.waiting, next)
		s.seeds = s.seeds[1:]
	}
	return nil
}
