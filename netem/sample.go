package netem

import (
	"math"
	"math/bits"
	"time"
)

// Sample returns the delay that belongs to hash: the same hash, the same
// delay, never negative. Hashes need not look random, they only have to differ;
// consecutive numbers are good enough. d must be valid.
//
// The normal, the exponential and the Pareto distribution use floating point,
// whose last bit may differ between processor architectures.
func (d Delay) Sample(hash uint64) time.Duration {
	bits64 := mix(hash)
	switch d.Distribution {
	case Uniform:
		return d.Min + time.Duration(scale(bits64, uint64(d.Max-d.Min)+1))
	case Exponential:
		return d.exponential(fraction(bits64))
	}
	return d.quantile(fraction(bits64))
}

// quantile returns the delay below which the share u of all delays lies, for u
// in (0, 1): the inverse of the distribution function.
func (d Delay) quantile(u float64) time.Duration {
	switch d.Distribution {
	case Constant:
		return d.Value
	case Uniform:
		return d.Min + min(time.Duration(u*float64(d.Max-d.Min+1)), d.Max-d.Min)
	case Normal:
		return d.normal(u)
	case Exponential:
		return d.exponential(1 - u)
	case Pareto:
		return d.pareto(1 - u)
	case Empirical:
		return (*d.Samples)[min(int(u*float64(len(*d.Samples))), len(*d.Samples)-1)]
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

// exponential returns the delay that the share u of all delays exceeds.
func (d Delay) exponential(u float64) time.Duration {
	x := d.Offset + time.Duration(math.Round(-math.Log(u)*float64(d.Mean)))
	if d.Cap > 0 {
		x = min(x, d.Cap)
	}
	return x
}

// pareto returns the delay that the share u of all delays exceeds, but for the
// cap.
func (d Delay) pareto(u float64) time.Duration {
	x := float64(d.Scale) * math.Pow(u, -1/d.Shape)
	return time.Duration(math.Round(min(x, float64(d.Cap))))
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
