package netem

import (
	"errors"
	"fmt"
	"time"
)

// DefaultBuffer is the buffer of a [Direction] that names none: what a pipe
// holds on Linux, 64 KiB.
const DefaultBuffer = 64 << 10

// A Direction says what a link does to what travels one way. The zero
// Direction is a perfect link with the default buffer.
type Direction struct {
	// Delay is how long a segment is under way once its last byte was sent.
	// The zero Delay is none.
	Delay Delay `json:"delay,omitzero" yaml:"delay,omitempty"`
	// Bandwidth is the rate of the line in bytes per second. Bytes queue behind
	// those that were written before them. 0: unlimited.
	Bandwidth int64 `json:"bandwidth_bytes_per_s,omitempty" yaml:"bandwidth,omitempty"`
	// Buffer is how many bytes may be between a Write and the Read that hands
	// them over, under way and unread together. When it is full, Write blocks.
	// 0: [DefaultBuffer].
	Buffer int `json:"buffer_bytes,omitempty" yaml:"buffer,omitempty"`
	// Correlation is how much the delays of frames that are sent close together
	// resemble each other, 0 to [MaxCorrelation]; see [Direction.Travel] for what it
	// means exactly. 0: each is drawn by itself.
	Correlation float64 `json:"correlation,omitempty" yaml:"correlation,omitempty"`
	// CorrelationTime is how far apart "close together" ends: twice as far apart,
	// two delays have nothing in common any more. 0: [DefaultCorrelationTime].
	CorrelationTime time.Duration `json:"correlation_time_ns,omitempty" yaml:"correlation_time,omitempty"`
	// Loss is the share of segments that get lost on the way, 0 to [MaxLoss], each
	// by itself. The stream is sent again until it arrives, so a loss shows as a
	// delay, of the segment and of everything behind it; see [Direction.Travel]. A
	// line with a bandwidth does not become busier by it. 0: none.
	Loss float64 `json:"loss,omitempty" yaml:"loss,omitempty"`
	// Stall is when the line takes nothing. The zero Stall: never.
	Stall Stall `json:"stall,omitzero" yaml:"stall,omitempty"`
	// Coalesce is how long the receiving end holds back what has arrived, in order
	// to hand over with it, at one instant, what arrives meanwhile: as network cards
	// do that interrupt rarely, and Nagle's algorithm at the sending end. The zero
	// Delay: not at all, and arrivals are distinct.
	Coalesce Delay `json:"coalesce,omitzero" yaml:"coalesce,omitempty"`
	// Split makes frames arrive in pieces. The zero Split: whole.
	Split Split `json:"split,omitzero" yaml:"split,omitempty"`
}

// Bounds and defaults of a [Direction]'s correlation.
const (
	MaxCorrelation         = 0.99
	DefaultCorrelationTime = 100 * time.Millisecond
)

// Validate reports every fault of d, joined, or nil.
func (d Direction) Validate() error {
	var errs []error
	if err := d.Delay.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("delay: %w", err))
	}
	if d.Bandwidth < 0 {
		errs = append(errs, fmt.Errorf("bandwidth: %d bytes/s is negative; 0 means unlimited", d.Bandwidth))
	}
	if d.Buffer < 0 {
		errs = append(errs, fmt.Errorf("buffer: %d bytes cannot hold anything; the least is 1, and 0 means %d", d.Buffer, DefaultBuffer))
	}
	errs = append(errs, d.validateCorrelation(), d.validateLoss(), prefix("stall", d.Stall.Validate()),
		prefix("coalesce", d.Coalesce.Validate()), prefix("split", d.Split.Validate()))
	return errors.Join(errs...)
}

func (d Direction) validateCorrelation() error {
	switch {
	case !(d.Correlation >= 0 && d.Correlation <= MaxCorrelation): // not the other way round: NaN is neither
		return fmt.Errorf("correlation: %v is not from 0 to %v", d.Correlation, MaxCorrelation)
	case d.CorrelationTime < 0 || d.CorrelationTime > MaxDelay:
		return fmt.Errorf("correlation_time: %v is not from 0s to %v; 0s means %v", d.CorrelationTime, MaxDelay, DefaultCorrelationTime)
	}
	return nil
}

func prefix(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

func (d Direction) buffer() int {
	if d.Buffer == 0 {
		return DefaultBuffer
	}
	return d.Buffer
}
