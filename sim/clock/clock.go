// Package clock is the simulator's hold on the Go runtime of a worker: whether
// its clock is virtual, and the seed of its chance and of its scheduler.
//
// A worker is built with the tag faketime, which makes the runtime's clock jump
// to the next timer whenever every goroutine waits, and with an overlay over
// files of the standard library (package engine writes it), which adds the tag
// mcpsim_seeded. In any other binary the functions here do nothing and say so.
package clock

import (
	"crypto/rand"
	"encoding/binary"
	"io"
)

// Virtual reports whether time in this process is simulated.
func Virtual() bool { return virtual }

// Seeded reports whether select order, map order, math/rand/v2 and the
// scheduler of this process follow the seed that [Seed] gives.
func Seeded() bool { return seeded }

// A Seeds is what one world's chance is made of. Runtime seeds select order,
// map order and the random packages, Scheduler decides which of several
// runnable goroutines goes next. Shuffled false leaves the runtime's own
// first-in-first-out order.
type Seeds struct {
	Runtime   uint64
	Scheduler uint64
	Shuffled  bool
}

// Seed starts the streams of chance anew, for the next world. It also puts a
// seeded stream in the place of crypto/rand.Reader, so that session ids and the
// like repeat. It must be called with no other goroutine at work.
func Seed(s Seeds) {
	rand.Reader = &reader{state: s.Runtime ^ 0x6d637073696d} // "mcpsim": a stream of its own
	reseed(s.Runtime, s.Scheduler, s.Shuffled)
}

// reader is a splitmix64 stream as a source of bytes. It is not for secrets.
type reader struct{ state uint64 }

var _ io.Reader = (*reader)(nil)

func (r *reader) Read(p []byte) (int, error) {
	var word [8]byte
	for i := range p {
		if i%8 == 0 {
			binary.LittleEndian.PutUint64(word[:], r.next())
		}
		p[i] = word[i%8]
	}
	return len(p), nil
}

// next is splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
func (r *reader) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
