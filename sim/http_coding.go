package sim

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
)

// An inflater reads what a body says that is compressed, as the body comes piece by piece:
// a server may compress for any client that does not refuse it (RFC 9110, 12.5.3). It
// knows gzip, the one coding that net/http asks for by itself.
type inflater struct {
	raw  []byte
	said int64 // bytes of what it says that have been returned, at most maxInflated
	gzip gzip.Reader
}

// maxInflated bounds what is read of a compressed body, which is read from its beginning
// with every piece.
const maxInflated = 4 << 20

// newInflater returns the inflater for a body with that head, nil if it needs none.
func newInflater(h http.Header) *inflater {
	if strings.EqualFold(h.Get("Content-Encoding"), "gzip") {
		return &inflater{}
	}
	return nil
}

// feed takes the next piece, and returns what can be read now and could not before. A nil
// inflater returns the piece.
func (d *inflater) feed(piece []byte) []byte {
	if d == nil || len(piece) == 0 {
		return piece
	}
	if d.said >= maxInflated {
		return nil
	}
	d.raw = append(d.raw, piece...)
	if d.gzip.Reset(bytes.NewReader(d.raw)) != nil {
		return nil // its head has not come, or it is none
	}
	if _, err := io.CopyN(io.Discard, &d.gzip, d.said); err != nil {
		return nil
	}
	// Where it breaks off is where the next piece goes on, or where it is spoilt.
	more, _ := io.ReadAll(io.LimitReader(&d.gzip, maxInflated-d.said))
	d.said += int64(len(more))
	return more
}
