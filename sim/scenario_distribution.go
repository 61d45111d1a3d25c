package sim

import (
	"fmt"
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
	}
	return 0
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
	}
	return 0
}

// A parameter is one figure of a distribution, under the name that people type.
type parameter struct {
	name     string
	value    *time.Duration
	optional bool
}

// parameters returns the figures that a kind of distribution has, and nil when
// there is no such kind.
func parameters(d *Distribution, kind netem.Distribution) []parameter {
	switch kind {
	case netem.Constant:
		return []parameter{{"value", &d.Value, false}}
	case netem.Uniform:
		return []parameter{{"min", &d.Min, false}, {"max", &d.Max, false}}
	case netem.Normal:
		return []parameter{{"mean", &d.Mean, false}, {"std_dev", &d.StdDev, false}}
	case netem.Exponential:
		return []parameter{{"offset", &d.Offset, true}, {"mean", &d.Mean, false}, {"cap", &d.Cap, true}}
	}
	return nil
}

func distributionKinds() []string {
	return []string{string(netem.Constant), string(netem.Uniform), string(netem.Normal), string(netem.Exponential)}
}

// What cures show as examples of a distribution.
const (
	exampleUniform     = "{uniform: {min: 0s, max: 20ms}}"
	exampleExponential = "{exponential: {mean: 150ms, cap: 2s}}"
)

// distribution checks a distribution whose figures lie between 0 and most.
func (c *checker) distribution(path string, d Distribution, most time.Duration) {
	kind := string(d.Distribution)
	if kind != "" && !slices.Contains(distributionKinds(), kind) {
		c.fault(path, fmt.Sprintf("%q is no kind of distribution", kind), "write "+oneOf(distributionKinds()))
		return
	}
	path += "." + kind
	for _, p := range parameters(&d, d.Distribution) {
		least := time.Duration(0)
		if p.name == "mean" && d.Distribution == netem.Exponential {
			least = 1
		}
		at := path + "." + p.name
		if d.Distribution == netem.Constant {
			at = path
		}
		c.duration(at, *p.value, least, most)
	}
	c.order(path, d)
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
}
