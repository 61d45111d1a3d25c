package oracle

import (
	"iter"
	"maps"
	"slices"
)

// A window finds items by their numbers, which rise from 0 or from 1, and takes room
// for those that are there: what has been dropped at the low end costs nothing, and
// the few that stay for long do not keep the room of all that came after them.
type window[T any] struct {
	base  int // number of items[0]
	front int // everything before items[front] has been dropped
	items []*T
	old   map[int]*T // left behind; nil while there are none
}

// maxSpan is how far the numbers in items lie apart at most.
const maxSpan = 1 << 14

// get returns item n, or nil.
func (w *window[T]) get(n int) *T {
	if i := n - w.base; i >= w.front && i < len(w.items) {
		return w.items[i]
	}
	return w.old[n]
}

// top is the number behind the highest that was ever put in.
func (w *window[T]) top() int { return w.base + len(w.items) }

// put adds item n. It is for the caller to see that n is not far beyond the top.
func (w *window[T]) put(n int, item *T) {
	if n < w.base+w.front {
		w.leave(n, item)
		return
	}
	for n >= w.top() {
		w.items = append(w.items, nil)
	}
	w.items[n-w.base] = item
	for len(w.items)-w.front > maxSpan {
		if first := w.items[w.front]; first != nil {
			w.leave(w.base+w.front, first)
			w.items[w.front] = nil
		}
		w.front++
	}
}

func (w *window[T]) leave(n int, item *T) {
	if w.old == nil {
		w.old = map[int]*T{}
	}
	w.old[n] = item
}

// drop takes item n out.
func (w *window[T]) drop(n int) {
	i := n - w.base
	if i < w.front || i >= len(w.items) {
		delete(w.old, n)
		return
	}
	w.items[i] = nil
	for w.front < len(w.items) && w.items[w.front] == nil {
		w.front++
	}
	if w.front >= 64 && 2*w.front >= len(w.items) {
		left := copy(w.items, w.items[w.front:])
		clear(w.items[left:])
		w.items = w.items[:left]
		w.base += w.front
		w.front = 0
	}
}

// all yields what is there, by rising numbers. Nothing may be put in meanwhile.
func (w *window[T]) all() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for _, n := range slices.Sorted(maps.Keys(w.old)) {
			if !yield(w.old[n]) {
				return
			}
		}
		for _, item := range w.items[w.front:] {
			if item != nil && !yield(item) {
				return
			}
		}
	}
}

// A slab hands out items of one kind. For a small world it makes room once; of a long
// one each has room of its own, so that one that stays keeps no others in memory.
type slab[T any] struct{ free []T }

// room makes the next n items one allocation.
func (s *slab[T]) room(n int) { s.free = make([]T, n) }

func (s *slab[T]) next() *T {
	if len(s.free) == 0 {
		return new(T)
	}
	item := &s.free[0]
	s.free = s.free[1:]
	return item
}
