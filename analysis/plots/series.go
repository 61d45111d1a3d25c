package plots

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/mcpsim/mcpsim/analysis"
)

// A curve is a share over time since an event, as steps: the share is atZero
// in the event's own instant and changes at each step. Shares are in [0, 1].
// A curve of nothing has n 0 and no steps.
type curve struct {
	n      int64
	atZero float64
	steps  []step // at ascending times above zero
}

// A step is the share from an instant on, until the next step.
type step struct {
	at    int64 // ns
	share float64
}

// at is the share at t >= 0.
func (c curve) at(t int64) float64 {
	i, found := slices.BinarySearchFunc(c.steps, t, func(s step, t int64) int { return cmp.Compare(s.at, t) })
	if found {
		return c.steps[i].share
	}
	if i == 0 {
		return c.atZero
	}
	return c.steps[i-1].share
}

// last is when the curve changes for the last time, 0 when it never does after
// the instant itself.
func (c curve) last() int64 {
	if len(c.steps) == 0 {
		return 0
	}
	return c.steps[len(c.steps)-1].at
}

// survival is the share of total whose value is above t. The buckets may hold
// fewer than total: the rest counts as gone from the start.
func survival(total int64, buckets []analysis.Bucket) curve {
	if total <= 0 {
		return curve{}
	}
	left := count(buckets)
	return walk(left, buckets, func(gone int64) float64 { return float64(left-gone) / float64(total) })
}

// ecdf is the share of the values that are at most t.
func ecdf(buckets []analysis.Bucket) curve {
	n := count(buckets)
	if n == 0 {
		return curve{}
	}
	return walk(n, buckets, func(passed int64) float64 { return float64(passed) / float64(n) })
}

// walk turns ascending buckets into steps; share maps how many values have
// been passed to the curve's share.
func walk(n int64, buckets []analysis.Bucket, share func(passed int64) float64) curve {
	c := curve{n: n, atZero: share(0)}
	var passed int64
	for _, b := range buckets {
		passed += b.N
		if b.Value <= 0 {
			c.atZero = share(passed)
			continue
		}
		c.steps = append(c.steps, step{at: b.Value, share: share(passed)})
	}
	return c
}

// sum adds two curves of shares of the same whole.
func sum(a, b curve) curve {
	out := curve{n: a.n + b.n, atZero: a.atZero + b.atZero}
	for _, t := range instants(a, b) {
		out.steps = append(out.steps, step{at: t, share: a.at(t) + b.at(t)})
	}
	return out
}

// instants lists the times at which any of the curves changes, ascending.
func instants(curves ...curve) []int64 {
	var out []int64
	for _, c := range curves {
		for _, s := range c.steps {
			out = append(out, s.at)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// buckets adds distributions up, bucket by bucket, ascending. A distribution's
// bucket tells its lower bound, which is up to a thousandth below what was
// counted: the 100 ms of a timer would read as 99.94 ms, on the wrong side of a
// boundary. The middle, rounded to the histogram's three digits, is 100 ms.
func buckets(ds ...analysis.Distribution) []analysis.Bucket {
	n := map[int64]int64{}
	for _, d := range ds {
		for _, b := range d.Buckets() {
			n[threeDigits(b.Value+breadth(b.Value)/2)] += b.N
		}
	}
	var out []analysis.Bucket
	for _, v := range slices.Sorted(maps.Keys(n)) {
		out = append(out, analysis.Bucket{Value: v, N: n[v]})
	}
	return out
}

// breadth of the bucket that begins at v: a histogram of three digits has 1,024
// buckets for each doubling, and below 2,048 every value has its own.
func breadth(v int64) int64 {
	return 1 << max(0, bits.Len64(uint64(v))-11)
}

// threeDigits rounds v >= 0 to three significant digits.
func threeDigits(v int64) int64 {
	unit := int64(1)
	for v/unit >= 1000 {
		unit *= 10
	}
	return (v + unit/2) / unit * unit
}

// count is how many values the buckets hold.
func count(buckets []analysis.Bucket) int64 {
	var n int64
	for _, b := range buckets {
		n += b.N
	}
	return n
}

// total is the sum of the values, to the histogram's three digits.
func total(buckets []analysis.Bucket) float64 {
	var t float64
	for _, b := range buckets {
		t += float64(b.Value) * float64(b.N)
	}
	return t
}

// ratio is a/b, 0 when b is 0.
func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// span is the whole decades, as powers of ten of a nanosecond, that cover every
// time above zero of the curves. Without any it is 1 ms to 1 s, so that an
// empty axis still has a scale.
func span(curves ...curve) (lo, hi int) {
	times := instants(curves...)
	if len(times) == 0 {
		return 6, 9
	}
	lo = int(math.Floor(math.Log10(float64(times[0]))))
	hi = int(math.Ceil(math.Log10(float64(times[len(times)-1]))))
	return lo, max(hi, lo+1)
}

// arms is one protocol version of the target's arm with the arms that it is
// read against; those are nil when they were not run.
type arms struct {
	target    analysis.Group
	reference *analysis.Group
	deaf      *analysis.Group
	leaky     *analysis.Group
	closes    bool // the cancel is a closed response stream, see [analysis.ClosesToCancel]
}

// byVersion lists the versions of the target's arm in the summary's order.
func byVersion(s *analysis.Summary) []arms {
	find := func(arm analysis.Arm, version string) *analysis.Group {
		for i, g := range s.Groups {
			if g.Arm == arm && g.SpecVersion == version {
				return &s.Groups[i]
			}
		}
		return nil
	}
	var out []arms
	for _, g := range s.Groups {
		if g.Arm != analysis.ArmTarget {
			continue
		}
		out = append(out, arms{
			target:    g,
			reference: find(analysis.ArmReference, g.SpecVersion),
			deaf:      find(analysis.ArmDeaf, g.SpecVersion),
			leaky:     find(analysis.ArmLeaky, g.SpecVersion),
		})
	}
	return out
}
