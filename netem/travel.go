package netem

import (
	"math"
	"time"
)

// A Travel says how a segment gets from one end to the other. The zero Travel is
// at once and whole.
type Travel struct {
	// Delay is how long the segment is under way. Less than zero counts as zero.
	Delay time.Duration
	// Window is how long the receiving end holds the segment back when it arrives,
	// unless it holds something back already, with which this then goes. Less than
	// zero counts as zero: not at all.
	Window time.Duration
	// Cuts are where the segment is parted, in ascending order. The end of the
	// stream has none.
	Cuts []Cut
}

// A Cut parts a segment.
type Cut struct {
	At  int           // behind so many bytes of the segment
	Gap time.Duration // what comes behind arrives this much later, and 1 ns at least
}

// Travel draws how a segment travels in this direction. draw gives 64 random bits
// that belong to the segment, others with every call. It is called for the delay
// first, even if there is none, and then for what else the direction has: the
// window, then each cut's place and gap, then the losses. The end of the stream
// has a delay and losses only, a reset no losses: TCP sends none again. slot gives
// 64 random bits that belong to the n-th knot of the direction; it is called only
// with a correlation. d must be valid.
//
// # Loss
//
// A segment that is lost k times, which happens with the probability lossᵏ(1-loss),
// arrives later by k timeouts. The first is twice the segment's delay and
// [LeastVariance], each other one twice the one before, at most [MaxTimeout]; k is
// at most [MaxRetries].
//
// # Correlation
//
// The delays of two frames resemble each other because the direction has a
// weather, which depends on the instant and on nothing that travels; so one frame
// more does not shift the others' delays. With ρ the correlation, T its time, t
// the instant at which the frame's first byte was written, and w = t/T - ⌊t/T⌋:
//
//	k(n) = Φ⁻¹(bits of slot n)                               a knot of the weather
//	s    = ((1-w)·k(⌊t/T⌋) + w·k(⌊t/T⌋+1)) / √((1-w)² + w²)   the weather at t
//	e    = Φ⁻¹(bits of the frame)                            the frame's own luck
//	u    = Φ(√ρ·s + √(1-ρ)·e)
//	delay = the distribution's u-quantile
//
// s and e are standard normal, so u is even and the delays have exactly the
// distribution that they have without correlation. The normal scores of two
// frames correlate by ρ at one instant, and less the further they are apart, down
// to 0 at 2T.
func (d Direction) Travel(segment Segment, draw func() uint64, slot func(n uint64) uint64) Travel {
	t := d.travel(segment, draw, slot)
	if d.Loss > 0 && !segment.Reset {
		t.Delay += d.resent(t.Delay, draw())
	}
	return t
}

// travel is Travel on a way that loses nothing.
func (d Direction) travel(segment Segment, draw func() uint64, slot func(n uint64) uint64) Travel {
	own := draw()
	t := Travel{Delay: d.Delay.Sample(own)}
	if segment.EOF {
		return t
	}
	if d.Correlation > 0 {
		t.Delay = d.Delay.quantile(d.correlated(own, segment.Frame.Written, slot))
	}
	if d.Coalesce.Distribution != None {
		t.Window = d.Coalesce.Sample(draw())
	}
	t.Cuts = d.Split.cuts(segment.Size, draw)
	return t
}

// correlated returns u, see [Direction.Travel].
func (d Direction) correlated(own uint64, at time.Duration, slot func(n uint64) uint64) float64 {
	length := d.CorrelationTime
	if length == 0 {
		length = DefaultCorrelationTime
	}
	n := uint64(at / length)
	w := float64(at%length) / float64(length)
	weather := (1-w)*score(slot(n)) + w*score(slot(n+1))
	weather /= math.Sqrt((1-w)*(1-w) + w*w)
	z := math.Sqrt(d.Correlation)*weather + math.Sqrt(1-d.Correlation)*score(own)
	return min(max(math.Erfc(-z/math.Sqrt2)/2, 0x1p-53), 1-0x1p-53)
}

// score turns random bits into a standard normal number.
func score(bits64 uint64) float64 {
	return math.Sqrt2 * math.Erfinv(2*fraction(mix(bits64))-1)
}
