package oracle

import (
	"slices"
	"strconv"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A memory knows which names forgotten requests and calls had: ids, progress tokens
// and what tools returned. It tells "never" from "perhaps" and takes bounded room, so
// that a name that nobody ever used can still be told in a long history. What it
// remembers it never denies; of names that are no small whole numbers it may say
// "perhaps" of one that was never there. Only "never" convicts.
type memory struct {
	numbers [2]spans // ids that are whole numbers, by side
	crowded bool     // an id could not be noted among them, and so was noted among the others
	others  []uint64 // two bits a name; nil while there are none

	shared *memory // of a world with many clients, which has the others; nil: these are here
	prefix string  // of the client's names there
}

// What a name is of, beside its side.
const (
	ofRequest = 'i'
	ofToken   = 't'
	ofTool    = 'v'
	ofEvent   = 'e' // over HTTP
)

// memoryBits bounds the room for names that are no whole numbers: a mebibyte. With a
// million of them noted, one in twenty that was never there counts as perhaps.
const memoryBits = 1 << 23

// note remembers a name.
func (m *memory) note(kind byte, side history.Side, name string) {
	if n, ok := wholeNumber(name); ok && kind == ofRequest {
		if m.numbers[seat(side)].add(n) {
			return
		}
		m.crowded = true
	}
	if m.shared != nil {
		m.shared.note(kind, side, m.qualified(kind, name))
		return
	}
	if m.others == nil {
		m.others = make([]uint64, memoryBits/64)
	}
	a, b := bitsOf(kind, side, name)
	m.others[a/64] |= 1 << (a % 64)
	m.others[b/64] |= 1 << (b % 64)
}

// perhaps reports whether a name may have been noted.
func (m *memory) perhaps(kind byte, side history.Side, name string) bool {
	if n, ok := wholeNumber(name); ok && kind == ofRequest {
		if m.numbers[seat(side)].has(n) || !m.crowded {
			return m.numbers[seat(side)].has(n)
		}
	}
	if m.shared != nil {
		return m.shared.perhaps(kind, side, m.qualified(kind, name))
	}
	if m.others == nil {
		return false
	}
	a, b := bitsOf(kind, side, name)
	return m.others[a/64]>>(a%64)&1 == 1 && m.others[b/64]>>(b%64)&1 == 1
}

// qualified is the name of a client's in the memory of the world. What tools return is
// the world's own.
func (m *memory) qualified(kind byte, name string) string {
	if kind == ofTool {
		return name
	}
	return m.prefix + name
}

// wholeNumber returns the number that raw JSON is, if it is written in the one usual
// way.
func wholeNumber(raw string) (int64, bool) {
	if raw == "" || len(raw) > 18 || raw[0] == '0' && len(raw) > 1 {
		return 0, false
	}
	for i := range len(raw) {
		if raw[i] < '0' || raw[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(raw, 10, 64)
	return n, err == nil
}

// bitsOf spreads names evenly over the memory's bits (FNV-1a, 64 bits, halved).
func bitsOf(kind byte, side history.Side, name string) (a, b uint64) {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	h = (h ^ uint64(kind)) * prime
	h = (h ^ uint64(seat(side))) * prime
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * prime
	}
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	return h % memoryBits, h >> 32 % memoryBits
}

// spans are numbers, those next to each other as one span.
type spans []struct{ low, high int64 }

// maxSpans bounds how many spans are told apart.
const maxSpans = 4096

// add notes n, and reports whether it could.
func (s *spans) add(n int64) bool {
	i := s.behind(n)
	list := *s
	switch {
	case i > 0 && n <= list[i-1].high:
		return true
	case i > 0 && n == list[i-1].high+1:
		list[i-1].high = n
		if i < len(list) && list[i].low == n+1 {
			list[i-1].high = list[i].high
			*s = slices.Delete(list, i, i+1)
		}
		return true
	case i < len(list) && list[i].low == n+1:
		list[i].low = n
		return true
	case len(list) == maxSpans:
		return false
	}
	*s = slices.Insert(list, i, struct{ low, high int64 }{n, n})
	return true
}

func (s spans) has(n int64) bool {
	i := s.behind(n)
	return i > 0 && n <= s[i-1].high
}

// behind is the index of the first span that begins after n.
func (s spans) behind(n int64) int {
	low, high := 0, len(s)
	for low < high {
		if mid := (low + high) / 2; s[mid].low <= n {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}
