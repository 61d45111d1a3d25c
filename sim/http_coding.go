package sim

import (
	"compress/gzip"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"
)

// An inflater reads what a body says that is compressed, as the body comes piece by piece:
// a server may compress for any client that does not refuse it (RFC 9110, 12.5.3). It
// knows gzip, the one coding that net/http asks for by itself.
//
// Package gzip reads on where a piece ended because it waits there, as a coroutine, for
// the next one. A nil inflater reads what is not compressed. It is for one goroutine at a
// time.
type inflater struct {
	running *atomic.Int64 // goroutines of the simulator's, as one of which the coroutine counts

	piece  []byte // that came and has not been read
	fresh  []byte // read since the last piece
	said   int    // before
	next   func() (struct{}, bool)
	stop   func() // nil: nothing has come
	closed bool
}

// maxInflated bounds what is read of a compressed body. What is beyond that nobody hears.
const maxInflated = maxBody

// newInflater returns the inflater for a body with that head, nil if it needs none. Who
// has fed it must close it.
func newInflater(h http.Header, running *atomic.Int64) *inflater {
	if strings.EqualFold(h.Get("Content-Encoding"), "gzip") {
		return &inflater{running: running}
	}
	return nil
}

// feed takes the next piece, and returns what can be read now and could not before. It
// does not block. Of what is no gzip, or behind what is wrong, nothing can be read.
func (d *inflater) feed(piece []byte) []byte {
	if d == nil || len(piece) == 0 {
		return piece
	}
	if d.closed {
		return nil
	}
	if d.stop == nil {
		d.running.Add(1)
		d.next, d.stop = iter.Pull(d.read)
	}
	d.piece, d.fresh = piece, nil
	if _, waits := d.next(); !waits {
		d.close() // nothing more can be read
	}
	d.piece = nil
	d.said += len(d.fresh)
	return d.fresh
}

// close ends it: nothing more comes. It may be repeated.
func (d *inflater) close() {
	if d == nil {
		return
	}
	if !d.closed && d.stop != nil {
		d.stop()
		d.running.Add(-1)
	}
	d.closed = true
}

// read is the coroutine: it reads member after member, and yields where a piece ends.
func (d *inflater) read(yield func(struct{}) bool) {
	pieces := pieceReader{d, yield}
	z, err := gzip.NewReader(pieces)
	for err == nil {
		z.Multistream(false) // or what a member ends with would wait for the next one
		if err = d.member(z); err == io.EOF {
			err = z.Reset(pieces)
		}
	}
}

// member reads to the end of a member. It errs, at that with io.EOF.
func (d *inflater) member(z io.Reader) error {
	buf := make([]byte, 4<<10)
	for {
		n, err := z.Read(buf)
		d.fresh = append(d.fresh, buf[:min(n, maxInflated-d.said-len(d.fresh))]...)
		switch {
		case err != nil:
			return err
		case d.said+len(d.fresh) == maxInflated:
			return io.ErrShortBuffer
		}
	}
}

// A pieceReader waits for pieces. It reads bytes one at a time, too, so that package flate
// takes no more than it needs.
type pieceReader struct {
	of    *inflater
	yield func(struct{}) bool
}

func (r pieceReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(r.of.piece) == 0 {
		if !r.yield(struct{}{}) {
			return 0, io.ErrUnexpectedEOF
		}
	}
	n := copy(p, r.of.piece)
	r.of.piece = r.of.piece[n:]
	return n, nil
}

func (r pieceReader) ReadByte() (byte, error) {
	var b [1]byte
	_, err := r.Read(b[:])
	return b[0], err
}
