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
}

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
	return errors.Join(errs...)
}

// Rule returns a rule for [PipeConfig] that samples d.Delay with the hash that
// the caller gives each segment. It returns nil, which is the cheapest rule,
// when d has no delay.
func (d Direction) Rule(hash func(Segment) uint64) func(Segment) time.Duration {
	if d.Delay.Distribution == None {
		return nil
	}
	return func(segment Segment) time.Duration { return d.Delay.Sample(hash(segment)) }
}

func (d Direction) buffer() int {
	if d.Buffer == 0 {
		return DefaultBuffer
	}
	return d.Buffer
}
