package analysis

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/bits"
	"slices"
)

// A Distribution counts non-negative integers, nanoseconds or numbers of
// things. It keeps three significant digits, rounded down: values below 2,048
// are exact, larger ones are off by less than a thousandth. The zero value is
// empty and ready to use; a copy shares the counts with its original.
//
// It is a histogram whose buckets are those of HdrHistogram, kept sparse: a
// summary holds hundreds of distributions, most of which have few different
// values.
type Distribution struct{ n map[int64]int64 }

// maxDistribution is the largest value that is told apart, about 28 hours in
// nanoseconds.
const maxDistribution = int64(1e14)

// significantBits is how many leading bits of a value are kept: 11 give a
// resolution of 1/1024.
const significantBits = 11

// bucketOf returns the lower bound of v's bucket.
func bucketOf(v int64) int64 {
	v = min(v, maxDistribution)
	shift := max(0, bits.Len64(uint64(v))-significantBits)
	return v >> shift << shift
}

// Add counts v once. Negative values mean "does not apply" and are left out;
// values above the range count as its maximum.
func (d *Distribution) Add(v int64) { d.add(v, 1) }

func (d *Distribution) add(v, times int64) {
	if v < 0 {
		return
	}
	if d.n == nil {
		d.n = map[int64]int64{}
	}
	d.n[bucketOf(v)] += times
}

// Merge counts everything that other counted.
func (d *Distribution) Merge(other Distribution) {
	for v, n := range other.n {
		d.add(v, n)
	}
}

// clone returns a copy that shares nothing with d.
func (d Distribution) clone() Distribution { return Distribution{n: maps.Clone(d.n)} }

// N is the number of values.
func (d Distribution) N() int64 {
	var total int64
	for _, n := range d.n {
		total += n
	}
	return total
}

// Sum adds up all values, each rounded down to its bucket.
func (d Distribution) Sum() int64 {
	var total int64
	for v, n := range d.n {
		total += v * n
	}
	return total
}

// Max is the largest value, 0 when there is none.
func (d Distribution) Max() int64 {
	var largest int64
	for v := range d.n {
		largest = max(largest, v)
	}
	return largest
}

// Quantile returns the smallest value that at least the share q, in [0, 1], of
// all values does not exceed; 0 when there is none.
func (d Distribution) Quantile(q float64) int64 {
	rank := q * float64(d.N())
	var below int64
	for _, b := range d.Buckets() {
		if below += b.N; float64(below) >= rank {
			return b.Value
		}
	}
	return d.Max()
}

// A Bucket is a number of values that are not told apart; Value is their lower
// bound.
type Bucket struct {
	Value int64
	N     int64
}

// Buckets lists the buckets that are not empty, in ascending order.
func (d Distribution) Buckets() []Bucket {
	out := make([]Bucket, 0, len(d.n))
	for _, v := range slices.Sorted(maps.Keys(d.n)) {
		out = append(out, Bucket{Value: v, N: d.n[v]})
	}
	return out
}

// MarshalJSON writes the buckets as a list of [value, n] pairs.
func (d Distribution) MarshalJSON() ([]byte, error) {
	pairs := [][2]int64{}
	for _, b := range d.Buckets() {
		pairs = append(pairs, [2]int64{b.Value, b.N})
	}
	return json.Marshal(pairs)
}

// UnmarshalJSON reads what MarshalJSON wrote and replaces what d held. Nothing
// is lost on the way.
func (d *Distribution) UnmarshalJSON(data []byte) error {
	var pairs [][2]int64
	if err := json.Unmarshal(data, &pairs); err != nil {
		return err
	}
	d.n = nil
	for _, p := range pairs {
		if p[0] < 0 || p[0] > maxDistribution || p[1] <= 0 {
			return fmt.Errorf("distribution: bucket %v is out of range", p)
		}
		d.add(p[0], p[1])
	}
	return nil
}
