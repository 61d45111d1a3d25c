package netem

import (
	"fmt"
	"time"
)

// MaxLoss bounds [Direction.Loss]. A connection that loses more is as good as
// broken.
const MaxLoss = 0.5

// How Linux sends again what was lost (tcp(7) and net/ipv4/tcp_timer.c); RFC 6298
// allows a least timeout of its own choice.
const (
	// LeastVariance is what the retransmission timeout exceeds the smoothed round
	// trip by, at least: TCP_RTO_MIN.
	LeastVariance = 200 * time.Millisecond
	// MaxTimeout bounds a timeout that doubles: TCP_RTO_MAX.
	MaxTimeout = 120 * time.Second
	// MaxRetries is how often a segment is sent again: net.ipv4.tcp_retries2. TCP
	// then gives the connection up. Here the last try succeeds, since chance alone
	// does not end a stream.
	MaxRetries = 15
)

func (d Direction) validateLoss() error {
	if !(d.Loss >= 0 && d.Loss <= MaxLoss) { // not the other way round: NaN is neither
		return fmt.Errorf("loss: %v is not from 0 to %v", d.Loss, MaxLoss)
	}
	return nil
}

// resent returns how much later a segment arrives because it was lost, so many
// times as bits say, by the timer of RFC 6298, section 5: the first timeout is a
// round trip and [LeastVariance], and each time it expires it doubles.
//
// The round trip is taken to be twice the segment's own delay. What else TCP has
// to find a loss sooner needs segments behind the one that was lost, of which
// requests and events, each smaller than a segment, have none: a tail loss probe
// (RFC 8985, section 7) of a lone segment waits for as long as the timer does.
func (d Direction) resent(delay time.Duration, bits64 uint64) time.Duration {
	u := fraction(mix(bits64))
	timeout := min(2*delay+LeastVariance, MaxTimeout)
	var later time.Duration
	lost := d.Loss // the probability of being lost that often
	for n := 0; n < MaxRetries && u < lost; n++ {
		later += timeout
		timeout = min(2*timeout, MaxTimeout)
		lost *= d.Loss
	}
	return later
}
