package spacetime

import (
	"slices"

	"github.com/mcpsim/mcpsim/sim/history"
)

// lanes are the columns in which frames travel down the listing. Each
// direction has its own, and the client's frames stand left of the server's:
// so two frames of one direction never cross, which a stream in order never
// lets them, and two that pass each other on the wire cross exactly once.
type lanes struct {
	out  []int // of the client's frames, in the order in which they are taken: to the left
	in   []int // of the server's: to the right
	used map[*frame]int
}

// newLanes divides the columns around middle; those of the client's frames
// begin at or after first, those of the server's end before last.
func newLanes(first, middle, last int) *lanes {
	l := &lanes{used: map[*frame]int{}}
	for x := middle - 1; x >= first; x -= 2 {
		l.out = append(l.out, x)
	}
	for x := middle + 1; x < last; x += 2 {
		l.in = append(l.in, x)
	}
	return l
}

// take gives f a lane beyond those of the frames that left before it, or any
// that is free. Not ok if none is.
func (l *lanes) take(f *frame) (x int, ok bool) {
	own := l.out
	if f.from == history.Server {
		own = l.in
	}
	next := 0
	for i, x := range own {
		if l.busy(x) {
			next = i + 1
		}
	}
	for _, x := range append(slices.Clone(own[next:]), own[:next]...) {
		if !l.busy(x) {
			l.used[f] = x
			return x, true
		}
	}
	return 0, false
}

// busy reports whether a frame travels in column x.
func (l *lanes) busy(x int) bool {
	for _, u := range l.used {
		if u == x {
			return true
		}
	}
	return false
}

// active are the columns in use, ascending.
func (l *lanes) active() []int {
	var xs []int
	for _, x := range l.used {
		xs = append(xs, x)
	}
	slices.Sort(xs)
	return xs
}
