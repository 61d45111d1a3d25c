package sim

import (
	"net/http"
	"slices"
	"strings"
)

// An inflater reads what a body says that is compressed, as the body comes piece by piece:
// a server may compress for any client that does not refuse it (RFC 9110, 12.5.3). It
// knows gzip (RFC 1952), the one coding that net/http asks for by itself.
//
// It looks at each byte once, as those of package compress cannot, which do not go on
// where a piece has ended. Checksums it passes over: whose they are wrong for will say so.
type inflater struct {
	deflated
	stage  func(*inflater) // reads on from where the last member, or what is about it, has ended
	spoilt bool            // nothing that follows can be read
}

const (
	// maxInflated bounds what is read of a compressed body. What is beyond that nobody
	// hears.
	maxInflated = maxBody
	// maxGzipHead bounds the head of a member: nobody puts more into it than a name.
	maxGzipHead = 4 << 10
)

// newInflater returns the inflater for a body with that head, nil if it needs none.
func newInflater(h http.Header) *inflater {
	if strings.EqualFold(h.Get("Content-Encoding"), "gzip") {
		return &inflater{stage: (*inflater).head}
	}
	return nil
}

// feed takes the next piece, and returns what can be read now and could not before. A nil
// inflater returns the piece.
func (d *inflater) feed(piece []byte) []byte {
	if d == nil || len(piece) == 0 {
		return piece
	}
	if d.spoilt {
		return nil
	}
	d.in.bytes = append(d.in.bytes, piece...)
	for !d.spoilt {
		before := d.in.at
		d.stage(d)
		if d.in.short {
			d.in.at, d.in.short = before, false
			break
		}
		d.spoilt = d.spoilt || d.wrong || d.said+len(d.fresh) >= maxInflated
	}
	d.in.forget()
	said := slices.Clone(d.fresh[:min(len(d.fresh), maxInflated-d.said)])
	d.slide()
	return said
}

// The bits of a head that say what else is in it.
const (
	gzipSum = 1 << (iota + 1)
	gzipExtra
	gzipName
	gzipComment
)

// head reads the head of a member.
func (d *inflater) head() {
	start := d.in.at / 8
	magic, method := d.in.take(16), d.in.take(8)
	has := d.in.take(8)
	if d.spoilt = !d.in.short && (magic != 0x8b1f || method != 8); d.spoilt {
		return
	}
	d.in.skip(6)
	if has&gzipExtra != 0 {
		d.in.skip(d.in.take(16))
	}
	for _, text := range []int{gzipName, gzipComment} {
		for has&text != 0 && d.in.take(8) != 0 {
			continue // to its end
		}
	}
	if has&gzipSum != 0 {
		d.in.skip(2)
	}
	d.reach((*inflater).content)
	d.spoilt = d.in.short && len(d.in.bytes)-start > maxGzipHead
}

// reach goes on to the next stage, if the one before was there in full.
func (d *inflater) reach(stage func(*inflater)) {
	if !d.in.short {
		d.stage = stage
	}
}

// content reads what a member says, a word or a block's head at a time.
func (d *inflater) content() {
	if d.step() {
		d.stage = (*inflater).tail
	}
}

// tail reads what follows the content of a member: its checksum and its size.
func (d *inflater) tail() {
	d.in.align()
	d.in.skip(8)
	d.reach((*inflater).head)
}
