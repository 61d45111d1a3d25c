package sim

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Bounds of a range of seeds.
const (
	MaxSeed  = 1 << 63   // the largest seed
	MaxSeeds = 1_000_000 // how many seeds one run may have
)

// Seeds is a set of seeds as people type it: "0-999", "7", "3,9,20-25". It holds
// at least one, each once; the zero Seeds is not valid. Read one with
// [ParseSeeds].
type Seeds struct {
	typed string
	spans []span // ascending, apart from each other
	count uint64
}

// A span is the seeds from first to last, both included.
type span struct{ first, last uint64 }

// ParseSeeds reads seeds and ranges of seeds, with commas between them and
// nothing else. It refuses what is empty, reversed, listed twice, not plain
// decimal or too much, and says how to write it.
func ParseSeeds(text string) (Seeds, error) {
	s := Seeds{typed: text}
	if text == "" {
		return Seeds{}, fmt.Errorf("there are no seeds; write 0-999, or 7, or 3,9,20-25")
	}
	for part := range strings.SplitSeq(text, ",") {
		one, err := parseSpan(part)
		if err != nil {
			return Seeds{}, fmt.Errorf("%s: %w", quote(text), err)
		}
		s.spans = append(s.spans, one)
	}
	slices.SortFunc(s.spans, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	if err := s.tally(); err != nil {
		return Seeds{}, fmt.Errorf("%s: %w", quote(text), err)
	}
	return s, nil
}

// tally counts the seeds, and makes sure that none is listed twice.
func (s *Seeds) tally() error {
	for i, p := range s.spans {
		if i > 0 && p.first <= s.spans[i-1].last {
			return fmt.Errorf("seed %d is listed twice; leave it out once", p.first)
		}
		s.count += p.last - p.first + 1 // below 2^64: spans are apart
		if p.last-p.first >= MaxSeeds || s.count > MaxSeeds {
			return fmt.Errorf("there are more than %d seeds; split the run, each part with a range of its own", MaxSeeds)
		}
	}
	return nil
}

func parseSpan(part string) (span, error) {
	from, to, isRange := strings.Cut(part, "-")
	if isRange && from == "" {
		return span{}, fmt.Errorf("%s is negative or has no beginning; the smallest seed is 0", quote(part))
	}
	first, err := ParseSeed(from)
	if err != nil || !isRange {
		return span{first, first}, err
	}
	if to == "" {
		return span{}, fmt.Errorf("the range %s has no end; write %d-%d, say", quote(part), first, min(first+999, MaxSeed))
	}
	last, err := ParseSeed(to)
	if err != nil {
		return span{}, err
	}
	if last < first {
		return span{}, fmt.Errorf("the range %s is reversed; write %d-%d", quote(part), last, first)
	}
	return span{first, last}, nil
}

// ParseSeed reads one seed, as it is printed: a decimal number up to MaxSeed.
func ParseSeed(text string) (uint64, error) {
	if text == "" {
		return 0, fmt.Errorf("a seed is missing; look for a comma too many")
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' }) {
		return 0, fmt.Errorf("%s is no seed; seeds are decimal digits, with no sign, space, point or 0x", quote(text))
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > MaxSeed {
		return 0, fmt.Errorf("%s is too large; the largest seed is %d", quote(text), uint64(MaxSeed))
	}
	if plain := strconv.FormatUint(n, 10); plain != text {
		return 0, fmt.Errorf("%s has zeros in front; write %s", quote(text), plain)
	}
	return n, nil
}

// All yields the seeds in ascending order, without holding them in memory.
func (s Seeds) All() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for _, p := range s.spans {
			for seed := p.first; seed <= p.last; seed++ { // p.last is far from overflow
				if !yield(seed) {
					return
				}
			}
		}
	}
}

// Through returns the seeds up to last, which is one of them.
func (s Seeds) Through(last uint64) Seeds {
	var parts []string
	var out Seeds
	for _, p := range s.spans {
		if p.first > last {
			break
		}
		p.last = min(p.last, last)
		out.spans = append(out.spans, p)
		out.count += p.last - p.first + 1
		parts = append(parts, p.String())
	}
	out.typed = strings.Join(parts, ",")
	return out
}

func (p span) String() string {
	if p.first == p.last {
		return strconv.FormatUint(p.first, 10)
	}
	return fmt.Sprintf("%d-%d", p.first, p.last)
}

// Count returns how many seeds there are, from 1 to MaxSeeds.
func (s Seeds) Count() int { return int(s.count) }

// String returns the seeds as they were typed.
func (s Seeds) String() string { return s.typed }
