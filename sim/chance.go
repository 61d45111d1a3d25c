package sim

import (
	"math/bits"
	"strconv"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A Stream is one sub-stream of a seed's chance: splitmix64 (Steele, Lea and
// Flood, OOPSLA 2014), started from the seed, a label and a number.
//
// Every purpose has a label of its own, and every call a number, so that one more
// draw for one purpose, or one more call, never shifts what another one draws.
// The zero Stream is the stream of no seed; use [NewStream].
type Stream struct{ state uint64 }

// NewStream starts the stream of a seed that label and n name. n tells apart
// streams of one label, by the number of the call say; it is 0 where there is
// only one.
func NewStream(seed uint64, label string, n int) *Stream {
	return &Stream{state: mix(mix(seed^hashText(fnvOffset, label)) + uint64(n)*gamma)}
}

// Uint64 returns the next 64 bits.
func (s *Stream) Uint64() uint64 {
	s.state += gamma
	return mix(s.state)
}

// Float64 returns the next number from 0 (included) to 1 (not included), a
// multiple of 2^-53.
func (s *Stream) Float64() float64 {
	return float64(s.Uint64()>>11) / (1 << 53)
}

// Below returns the next whole number from 0 to n-1, by one draw and without
// division (Lemire 2019, without the rejection: the bias is below n in 2^64). It
// returns 0 for n = 0.
func (s *Stream) Below(n uint64) uint64 {
	hi, _ := bits.Mul64(s.Uint64(), n)
	return hi
}

// Duration returns the next duration that d describes. It takes one draw,
// whatever d is. d must be valid.
func (s *Stream) Duration(d Distribution) time.Duration { return d.Sample(s.Uint64()) }

// Dithered is Duration plus 1 to 999 ns: never zero, and with an instant of its
// own where many things would otherwise happen at the same round figure. It takes
// two draws.
func (s *Stream) Dithered(d Distribution) time.Duration {
	return s.Duration(d) + 1 + time.Duration(s.Below(uint64(time.Microsecond)-1))
}

// A FrameIdentity says which frame of a world one is, by what it means and never
// by its bytes, which may hold session ids that differ from run to run.
type FrameIdentity struct {
	Direction  string // "client_to_server" or "server_to_client"
	Kind       history.MessageKind
	Method     string
	ID         string // the id, the id referred to or the token: raw JSON
	Occurrence int    // how many frames with the same identity went before, from 0
}

// flat is the identity with its occurrence as part of its id, for something of which
// there are several parts.
func (f FrameIdentity) flat() FrameIdentity {
	f.ID += " " + strconv.Itoa(f.Occurrence)
	f.Occurrence = 0
	return f
}

// DelayHash returns 64 bits that belong to one frame of one seed's world. The
// network draws the frame's delay from them, so that the delay does not depend on
// how many other frames were sent, or in which order.
func DelayHash(seed uint64, f FrameIdentity) uint64 {
	h := hashNumber(fnvOffset, seed)
	for _, part := range []string{f.Direction, string(f.Kind), f.Method, f.ID} {
		h = hashText(hashNumber(h, uint64(len(part))), part)
	}
	return mix(hashNumber(h, uint64(f.Occurrence)))
}

// gamma is splitmix64's step; the other two are those of 64-bit FNV-1a.
const (
	gamma     = 0x9e3779b97f4a7c15
	fnvOffset = 0xcbf29ce484222325
	fnvPrime  = 0x100000001b3
)

// mix is splitmix64's finaliser: a bijection in which every bit of the input
// turns about half of the output's.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// hashText continues the FNV-1a hash h over a text.
func hashText(h uint64, text string) uint64 {
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * fnvPrime
	}
	return h
}

// hashNumber continues the FNV-1a hash h over a number's eight bytes.
func hashNumber(h, n uint64) uint64 {
	for shift := 0; shift < 64; shift += 8 {
		h = (h ^ n>>shift&0xff) * fnvPrime
	}
	return h
}
