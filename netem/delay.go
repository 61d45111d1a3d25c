package netem

import (
	"errors"
	"fmt"
	"slices"
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
	Pareto      Distribution = "pareto"      // Scale, Shape, Cap
	Empirical   Distribution = "samples"     // Samples
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
	// included, and of the Pareto distribution: what would be longer takes
	// exactly this long. 0: no cap, which the Pareto distribution must have, since
	// its tail has no end and below a shape of 1 not even a mean.
	Cap time.Duration `json:"cap_ns,omitempty" yaml:"cap,omitempty"`
	// Scale is the least delay of the Pareto distribution, above 0.
	Scale time.Duration `json:"scale_ns,omitempty" yaml:"scale,omitempty"`
	// Shape is the Pareto distribution's exponent, [MinShape] to [MaxShape]: a
	// delay is longer than x with the probability (Scale/x)^Shape. The smaller, the
	// heavier the tail.
	Shape float64 `json:"shape,omitempty" yaml:"shape,omitempty"`
	// Samples are the delays of the empirical distribution. nil: none.
	Samples *Table `json:"samples_ns,omitempty" yaml:"samples,omitempty"`
}

// Bounds of a Pareto distribution's shape. Beyond them the tail is all there is,
// or there is none.
const (
	MinShape = 0.1
	MaxShape = 100
)

// A Table lists observed delays in ascending order, 1 to [MaxSamples] of them.
// Each is drawn as often as any other; one that is listed twice, twice as often.
// Delays share their table, so nobody may change one that is in use; for the same
// reason == tells two tables apart even if they list the same.
type Table []time.Duration

// MaxSamples bounds a [Table].
const MaxSamples = 1000

// Validate reports every fault of d, joined, or nil.
func (d Delay) Validate() error {
	used, known := d.uses()
	if !known {
		return fmt.Errorf("unknown distribution %q: it must be constant, uniform, normal, exponential, pareto or samples", d.Distribution)
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
	errs = append(errs, d.validatePareto(), d.validateSamples())
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
		{"scale", d.Scale},
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
	case Pareto:
		return []string{"scale", "cap"}, true
	case Empirical:
		return nil, true
	}
	return nil, false
}

// name is what errors call d's distribution.
func (d Delay) name() string {
	if d.Distribution == None {
		return "no distribution"
	}
	return string(d.Distribution)
}

func (d Delay) validateField(field delayField, used []string) error {
	if field.value == 0 {
		return nil
	}
	for _, u := range used {
		if u == field.name {
			return validateRange(d.name(), field)
		}
	}
	return fmt.Errorf("%s: %s %v has no meaning here", d.name(), field.name, field.value)
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

func (d Delay) validatePareto() error {
	switch {
	case d.Distribution != Pareto && d.Shape != 0:
		return fmt.Errorf("%s: shape %v has no meaning here", d.name(), d.Shape)
	case d.Distribution != Pareto:
		return nil
	case !(d.Shape >= MinShape && d.Shape <= MaxShape): // not the other way round: NaN is neither
		return fmt.Errorf("pareto: shape %v is not from %v to %v", d.Shape, MinShape, MaxShape)
	case d.Scale == 0:
		return errors.New("pareto: scale is missing; it is the least delay, above 0")
	case d.Cap < d.Scale:
		return fmt.Errorf("pareto: cap %v is below scale %v; the tail needs an end", d.Cap, d.Scale)
	}
	return nil
}

func (d Delay) validateSamples() error {
	switch {
	case d.Distribution != Empirical && d.Samples != nil:
		return fmt.Errorf("%s: samples have no meaning here", d.name())
	case d.Distribution != Empirical:
		return nil
	case d.Samples == nil || len(*d.Samples) == 0 || len(*d.Samples) > MaxSamples:
		return fmt.Errorf("samples: there must be 1 to %d", MaxSamples)
	}
	var errs []error
	for i, sample := range *d.Samples {
		errs = append(errs, validateRange("samples", delayField{fmt.Sprintf("number %d,", i+1), sample}))
	}
	if !slices.IsSorted(*d.Samples) {
		errs = append(errs, errors.New("samples: they are not in ascending order"))
	}
	return errors.Join(errs...)
}
