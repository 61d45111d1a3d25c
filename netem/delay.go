package netem

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"time"
)

// MaxDelay bounds every parameter of a [Delay]. A longer one is more likely a
// slip of the unit than a network.
const MaxDelay = 24 * time.Hour

// A Distribution names the shape of a [Delay].
type Distribution string

// The distributions, with the fields of [Delay] that each of them uses.
const (
	None        Distribution = ""            // no delay at all
	Constant    Distribution = "constant"    // Value
	Uniform     Distribution = "uniform"     // Min, Max
	Normal      Distribution = "normal"      // Mean, StdDev
	Exponential Distribution = "exponential" // Offset, Mean, Cap
)

// A Delay is a distribution of one-way delays. The zero Delay is none.
//
// A distribution uses the fields that are listed beside its name, and the
// others must be zero.
type Delay struct {
	Distribution Distribution `json:"distribution,omitempty" yaml:"distribution,omitempty"`
	// Value of the constant.
	Value time.Duration `json:"value_ns,omitempty" yaml:"value,omitempty"`
	// Min and Max of the uniform distribution; both can occur.
	Min time.Duration `json:"min_ns,omitempty" yaml:"min,omitempty"`
	Max time.Duration `json:"max_ns,omitempty" yaml:"max,omitempty"`
	// Mean of the normal distribution before truncation, or of the exponential
	// part, which is what comes on top of Offset.
	Mean time.Duration `json:"mean_ns,omitempty" yaml:"mean,omitempty"`
	// StdDev is the standard deviation of the normal distribution before
	// truncation. What would be below zero does not occur: the distribution is
	// conditioned on a delay of at least zero, not folded or clamped.
	StdDev time.Duration `json:"std_dev_ns,omitempty" yaml:"std_dev,omitempty"`
	// Offset is the least delay of the exponential distribution.
	Offset time.Duration `json:"offset_ns,omitempty" yaml:"offset,omitempty"`
	// Cap is the greatest delay of the exponential distribution, Offset
	// included: what would be longer takes exactly this long. 0: no cap.
	Cap time.Duration `json:"cap_ns,omitempty" yaml:"cap,omitempty"`
}

// Validate reports every fault of d, joined, or nil.
func (d Delay) Validate() error {
	used, known := d.uses()
	if !known {
		return fmt.Errorf("unknown distribution %q: it must be constant, uniform, normal or exponential", d.Distribution)
	}
	var errs []error
	for _, field := range d.fields() {
		errs = append(errs, d.validateField(field, used))
	}
	if d.Distribution == Uniform && d.Min > d.Max {
		errs = append(errs, fmt.Errorf("uniform: min %v is above max %v", d.Min, d.Max))
	}
	if d.Distribution == Exponential && d.Cap != 0 && d.Cap < d.Offset {
		errs = append(errs, fmt.Errorf("exponential: cap %v is below offset %v", d.Cap, d.Offset))
	}
	return errors.Join(errs...)
}

// A delayField is one parameter of a Delay under the name that people type.
type delayField struct {
	name  string
	value time.Duration
}

func (d Delay) fields() []delayField {
	return []delayField{
		{"value", d.Value},
		{"min", d.Min},
		{"max", d.Max},
		{"mean", d.Mean},
		{"std_dev", d.StdDev},
		{"offset", d.Offset},
		{"cap", d.Cap},
	}
}

// uses returns the names of the fields that d's distribution looks at.
func (d Delay) uses() (fields []string, known bool) {
	switch d.Distribution {
	case None:
		return nil, true
	case Constant:
		return []string{"value"}, true
	case Uniform:
		return []string{"min", "max"}, true
	case Normal:
		return []string{"mean", "std_dev"}, true
	case Exponential:
		return []string{"offset", "mean", "cap"}, true
	}
	return nil, false
}

func (d Delay) validateField(field delayField, used []string) error {
	name := d.Distribution
	if name == None {
		name = "no distribution"
	}
	if field.value == 0 {
		return nil
	}
	for _, u := range used {
		if u == field.name {
			return validateRange(string(name), field)
		}
	}
	return fmt.Errorf("%s: %s %v has no meaning here", name, field.name, field.value)
}

func validateRange(distribution string, field delayField) error {
	if field.value < 0 {
		return fmt.Errorf("%s: %s %v is negative", distribution, field.name, field.value)
	}
	if field.value > MaxDelay {
		return fmt.Errorf("%s: %s %v is above %v", distribution, field.name, field.value, MaxDelay)
	}
	return nil
}

// Sample returns the delay that belongs to hash: the same hash, the same
// delay, never negative. Hashes need not look random, they only have to differ;
// consecutive numbers are good enough. d must be valid.
//
// The normal and the exponential distribution use floating point, whose last
// bit may differ between processor architectures.
func (d Delay) Sample(hash uint64) time.Duration {
	bits64 := mix(hash)
	switch d.Distribution {
	case Constant:
		return d.Value
	case Uniform:
		return d.Min + time.Duration(scale(bits64, uint64(d.Max-d.Min)+1))
	case Normal:
		return d.normal(fraction(bits64))
	case Exponential:
		return d.exponential(fraction(bits64))
	}
	return 0
}

// normal inverts the distribution function, which takes one number where other
// methods take several. Truncation maps u onto the part of the range that lies
// above zero.
func (d Delay) normal(u float64) time.Duration {
	if d.StdDev == 0 {
		return d.Mean
	}
	mean, dev := float64(d.Mean), float64(d.StdDev)
	below := math.Erfc(mean/dev/math.Sqrt2) / 2 // the share that would be negative
	u = min(below+u*(1-below), 1-0x1p-53)       // rounding may reach 1, which has no inverse
	x := mean + dev*math.Sqrt2*math.Erfinv(2*u-1)
	return time.Duration(math.Round(max(x, 0)))
}

func (d Delay) exponential(u float64) time.Duration {
	x := d.Offset + time.Duration(math.Round(-math.Log(u)*float64(d.Mean)))
	if d.Cap > 0 {
		x = min(x, d.Cap)
	}
	return x
}

// mix is the finaliser of splitmix64 (Steele, Lea, Flood: Fast splittable
// pseudorandom number generators, 2014) on the state behind z: it turns
// neighbouring hashes into unrelated bits, one to one.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// scale maps x from the whole range of uint64 onto [0, n).
func scale(x, n uint64) uint64 {
	hi, _ := bits.Mul64(x, n)
	return hi
}

// fraction maps x onto the open interval (0, 1): neither end can occur, so
// that logarithms and inverses stay finite.
func fraction(x uint64) float64 {
	return (float64(x>>12) + 0.5) / (1 << 52)
}
