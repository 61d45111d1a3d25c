package sim

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mcpsim/mcpsim/netem"
)

// A Distribution says how a duration is drawn, be it the network's or a tool's.
// The zero Distribution is always 0.
type Distribution = netem.Delay

// Fixed returns the distribution that always gives d.
func Fixed(d time.Duration) Distribution {
	if d == 0 {
		return Distribution{}
	}
	return Distribution{Distribution: netem.Constant, Value: d}
}

// expected returns the mean of d, as if nothing were cut or truncated. It leaves
// out what would need floating point, since cancels are placed by it.
func expected(d Distribution) time.Duration {
	switch d.Distribution {
	case netem.Constant:
		return d.Value
	case netem.Uniform:
		return d.Min + (d.Max-d.Min)/2
	case netem.Normal:
		return d.Mean
	case netem.Exponential:
		if d.Cap != 0 {
			return min(d.Offset+d.Mean, d.Cap)
		}
		return d.Offset + d.Mean
	case netem.Pareto:
		return paretoMean(d)
	case netem.Empirical:
		return tableMean(tableOf(d))
	}
	return 0
}

// paretoMean is the mean with everything above the cap at the cap. It takes
// floating point, so it is rounded to what does not depend on the last bit:
//
//	∫ min(x, cap) dP = scale + ∫ (scale/x)^shape dx from scale to cap
func paretoMean(d Distribution) time.Duration {
	if d.Scale <= 0 || d.Cap < d.Scale {
		return 0 // not valid
	}
	scale, rest := float64(d.Scale), float64(d.Cap)/float64(d.Scale)
	tail := math.Log(rest)
	if a := d.Shape - 1; math.Abs(a) > 1e-9 {
		tail = (1 - math.Pow(rest, -a)) / a
	}
	return time.Duration(scale * (1 + tail)).Round(time.Microsecond)
}

// tableOf returns the samples of d. What is not valid has one of nothing.
func tableOf(d Distribution) netem.Table {
	if d.Samples == nil || len(*d.Samples) == 0 {
		return netem.Table{0}
	}
	return *d.Samples
}

func tableMean(table netem.Table) time.Duration {
	var sum time.Duration // at most 1,000 times a day: far from overflow
	for _, sample := range table {
		sum += sample
	}
	return sum / time.Duration(len(table))
}

// longest returns a bound of what can be drawn from d. A normal or an
// exponential distribution has none on paper; in practice the 52 bits of a draw
// end it below 9 standard deviations, or 37 means.
func longest(d Distribution) time.Duration {
	switch d.Distribution {
	case netem.Constant:
		return d.Value
	case netem.Uniform:
		return d.Max
	case netem.Normal:
		return d.Mean + 9*d.StdDev
	case netem.Exponential:
		if d.Cap != 0 {
			return d.Cap
		}
		return d.Offset + 37*d.Mean
	case netem.Pareto:
		return d.Cap
	case netem.Empirical:
		return slices.Max(tableOf(d))
	}
	return 0
}

// A parameter is one figure of a distribution, under the name that people type:
// a duration, or a number if it has one.
type parameter struct {
	name     string
	value    *time.Duration
	number   *float64
	optional bool
}

// parameters returns the figures that a kind of distribution has, and nil when
// there is no such kind, or it has no names for them.
func parameters(d *Distribution, kind netem.Distribution) []parameter {
	required := func(name string, value *time.Duration) parameter { return parameter{name: name, value: value} }
	optional := func(name string, value *time.Duration) parameter {
		return parameter{name: name, value: value, optional: true}
	}
	switch kind {
	case netem.Constant:
		return []parameter{required("value", &d.Value)}
	case netem.Uniform:
		return []parameter{required("min", &d.Min), required("max", &d.Max)}
	case netem.Normal:
		return []parameter{required("mean", &d.Mean), required("std_dev", &d.StdDev)}
	case netem.Exponential:
		return []parameter{optional("offset", &d.Offset), required("mean", &d.Mean), optional("cap", &d.Cap)}
	case netem.Pareto:
		return []parameter{required("scale", &d.Scale), {name: "shape", number: &d.Shape}, required("cap", &d.Cap)}
	}
	return nil
}

func (p parameter) read(d *decoder) reader {
	if p.number != nil {
		return d.decimal(p.number, shapeCure)
	}
	return figure(d, p.value, parseDuration)
}

func (p parameter) example() string {
	switch {
	case p.number != nil:
		return "1.5"
	case p.name == "cap":
		return "2s"
	}
	return "20ms"
}

// samples reads a list of durations. Their order means nothing, so they are
// sorted. A scenario is complete in itself: there is no way to name a file.
func (d *decoder) samples(to *Distribution, n *node, path string) {
	var table netem.Table
	d.list(n, path, exampleSamples, func(n *node, path string) {
		var sample time.Duration
		figure(d, &sample, parseDuration)(n, path)
		table = append(table, sample)
	})
	if len(table) == 0 {
		if n.kind == aList {
			d.fault(n, path, "the list is empty", "write durations, such as "+exampleSamples)
		}
		return
	}
	slices.Sort(table)
	*to = Distribution{Distribution: netem.Empirical, Samples: &table}
}

func distributionKinds() []string {
	return []string{
		string(netem.Constant), string(netem.Uniform), string(netem.Normal), string(netem.Exponential),
		string(netem.Pareto), string(netem.Empirical),
	}
}

// What cures show as examples of a distribution.
const (
	exampleUniform     = "{uniform: {min: 0s, max: 20ms}}"
	exampleExponential = "{exponential: {mean: 150ms, cap: 2s}}"
	exampleSamples     = "[5ms, 7ms, 40ms]"
)

var shapeCure = fmt.Sprintf("write a number from %v (all tail) to %v (no tail), without quotes, such as 1.5", netem.MinShape, netem.MaxShape)

// distribution checks a distribution whose figures lie between 0 and most.
func (c *checker) distribution(path string, d Distribution, most time.Duration) {
	kind := string(d.Distribution)
	if kind != "" && !slices.Contains(distributionKinds(), kind) {
		c.fault(path, fmt.Sprintf("%q is no kind of distribution", kind), "write "+oneOf(distributionKinds()))
		return
	}
	path += "." + kind
	for _, p := range parameters(&d, d.Distribution) {
		at := path + "." + p.name
		if d.Distribution == netem.Constant {
			at = path
		}
		if p.number != nil {
			c.shape(at, *p.number)
			continue
		}
		least := time.Duration(0)
		if p.name == "mean" && d.Distribution == netem.Exponential || p.name == "scale" {
			least = 1
		}
		c.duration(at, *p.value, least, most)
	}
	c.samples(path, d, most)
	c.order(path, d)
}

func (c *checker) shape(path string, shape float64) {
	if !(shape >= netem.MinShape && shape <= netem.MaxShape) { // not the other way round: NaN is neither
		c.fault(path, fmt.Sprintf("%v is out of range", shape), shapeCure)
	}
}

func (c *checker) samples(path string, d Distribution, most time.Duration) {
	if d.Distribution != netem.Empirical {
		return
	}
	if d.Samples == nil || len(*d.Samples) == 0 || len(*d.Samples) > netem.MaxSamples {
		c.fault(path, "the list is empty, or too long", fmt.Sprintf("write 1 to %d durations, such as %s", netem.MaxSamples, exampleSamples))
		return
	}
	for _, sample := range *d.Samples {
		c.duration(path, sample, 0, most)
	}
	if !slices.IsSorted(*d.Samples) {
		c.fault(path, "the samples are not in ascending order", "sort them")
	}
}

// order checks that the figures of a distribution fit each other.
func (c *checker) order(path string, d Distribution) {
	if d.Distribution == netem.Uniform && d.Min > d.Max {
		c.fault(path, fmt.Sprintf("min %s is above max %s", formatDuration(d.Min), formatDuration(d.Max)), "swap them")
	}
	if d.Distribution == netem.Exponential && d.Cap != 0 && d.Cap < d.Offset {
		c.fault(path, fmt.Sprintf("cap %s is below offset %s", formatDuration(d.Cap), formatDuration(d.Offset)),
			"raise cap, which counts from 0s and includes the offset")
	}
	if d.Distribution == netem.Pareto && d.Cap < d.Scale {
		c.fault(path, fmt.Sprintf("cap %s is below scale %s", formatDuration(d.Cap), formatDuration(d.Scale)),
			"raise cap: no delay is shorter than scale or longer than cap")
	}
}
