package netem

import (
	"math"
	"math/bits"
	"time"
)

// forever stands for instants that no run reaches. Two of them still add up
// without overflow.
const forever = time.Duration(1) << 61

// never is no instant at all.
const never = time.Duration(math.MaxInt64)

// A line sends bytes one after the other at a fixed rate.
type line struct {
	rate  int64         // bytes/s, 0: unlimited
	start time.Duration // when it began to be busy without a gap
	bytes int64         // sent since then
	free  time.Duration // when the last of them is sent
}

// transmit returns when n more bytes are sent that are ready now. It counts
// from the start of the busy time, so that rounding up to a nanosecond never
// adds up.
func (l *line) transmit(now time.Duration, n int) time.Duration {
	if l.rate == 0 {
		return now
	}
	if now >= l.free {
		l.start, l.bytes = now, 0
	}
	l.bytes += int64(n)
	l.free = min(l.start+span(uint64(l.bytes), uint64(l.rate)), forever)
	return l.free
}

// span returns how long n bytes take at rate bytes/s, rounded up.
func span(n, rate uint64) time.Duration {
	hi, lo := bits.Mul64(n, uint64(time.Second))
	lo, carry := bits.Add64(lo, rate-1, 0)
	hi += carry
	if hi >= rate {
		return forever
	}
	ns, _ := bits.Div64(hi, lo, rate)
	return time.Duration(min(ns, uint64(forever)))
}
