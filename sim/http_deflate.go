package sim

import "slices"

// A deflated is a stream of compressed data (RFC 1951) that is read as it comes. What is
// read at a time is the head of a block, or one of its words; where that is not there in
// full, the next attempt begins at its beginning.
type deflated struct {
	in     bitReader
	last   bool // the block is
	plain  int  // bytes of the block that follow as they are
	words  *code
	ways   *code  // back to what a word repeats
	window []byte // said before that, and near enough to be repeated
	fresh  []byte // said since the last slide
	said   int    // before
	wrong  bool   // this is none
}

const windowSize = 32 << 10

// step reads on, and reports whether the stream has ended.
func (d *deflated) step() (ended bool) {
	switch {
	case d.plain > 0:
		d.copy()
	case d.words != nil:
		d.word()
	case d.last:
		d.last = false
		return true
	default:
		d.block()
	}
	return false
}

// slide forgets what is too far back to be repeated.
func (d *deflated) slide() {
	d.said += len(d.fresh)
	d.window = append(d.window, d.fresh...)
	if far := len(d.window) - windowSize; far > windowSize { // not with every byte
		d.window = slices.Delete(d.window, 0, far)
	}
	d.fresh = d.fresh[:0]
}

// block reads the head of a block.
func (d *deflated) block() {
	last, kind := d.in.take(1) == 1, d.in.take(2)
	var plain int
	var words, ways *code
	switch kind {
	case 0:
		d.in.align()
		plain = d.in.take(16)
		d.wrong = !d.in.short && plain^0xffff != d.in.take(16) && !d.in.short
	case 1:
		words, ways = fixedCodes()
	case 2:
		words, ways = d.codes()
	default:
		d.wrong = true
	}
	if !d.in.short && !d.wrong {
		d.last, d.plain, d.words, d.ways = last, plain, words, ways
	}
}

// copy reads what stands as it is, as much of it as there is.
func (d *deflated) copy() {
	first := d.in.at / 8
	n := min(d.plain, len(d.in.bytes)-first)
	if d.in.short = n == 0; d.in.short {
		return
	}
	d.fresh = append(d.fresh, d.in.bytes[first:first+n]...)
	d.plain -= n
	d.in.skip(n)
}

// word reads a word: a byte, the block's end, or what to repeat from where.
func (d *deflated) word() {
	switch w := d.symbol(d.words); {
	case d.in.short || d.wrong:
	case w < 256:
		d.fresh = append(d.fresh, byte(w))
	case w == 256:
		d.words, d.ways = nil, nil
	case w > 285:
		d.wrong = true
	default:
		n := d.length(w)
		if way := d.distance(); !d.in.short && !d.wrong {
			d.repeat(n, way)
		}
	}
}

// length is how many bytes a word repeats (RFC 1951, 3.2.5).
func (d *deflated) length(word int) int {
	switch {
	case word == 285:
		return 258
	case word < 265:
		return word - 254
	}
	more := (word - 261) / 4
	return 3 + (4+(word-265)%4)<<more + d.in.take(more)
}

// distance is how far back they are (likewise).
func (d *deflated) distance() int {
	way := d.symbol(d.ways)
	if way < 4 {
		return way + 1
	}
	more := way/2 - 1
	d.wrong = d.wrong || way > 29
	return 1 + (2+way%2)<<more + d.in.take(more)
}

func (d *deflated) repeat(n, way int) {
	if d.wrong = way > len(d.fresh)+len(d.window); d.wrong {
		return
	}
	for range n {
		if at := len(d.fresh) - way; at >= 0 {
			d.fresh = append(d.fresh, d.fresh[at])
		} else {
			d.fresh = append(d.fresh, d.window[len(d.window)+at])
		}
	}
}

// codes reads the codes that a block has of its own (RFC 1951, 3.2.7).
func (d *deflated) codes() (words, ways *code) {
	const order = "\x10\x11\x12\x00\x08\x07\x09\x06\x0a\x05\x0b\x04\x0c\x03\x0d\x02\x0e\x01\x0f"
	nWords, nWays, n := 257+d.in.take(5), 1+d.in.take(5), 4+d.in.take(4)
	of := make([]int, len(order))
	for _, symbol := range order[:n] {
		of[symbol] = d.in.take(3)
	}
	lengths := d.lengths(d.newCode(of), nWords+nWays)
	if len(lengths) != nWords+nWays {
		d.wrong = d.wrong || !d.in.short
		return nil, nil
	}
	return d.newCode(lengths[:nWords]), d.newCode(lengths[nWords:])
}

// lengths reads those of the words of a code, n at least where that is right.
func (d *deflated) lengths(c *code, n int) (out []int) {
	for len(out) < n && !d.in.short && !d.wrong {
		length, times := d.symbol(c), 1
		switch {
		case length == 16 && len(out) == 0:
			d.wrong = true
		case length == 16:
			length, times = out[len(out)-1], 3+d.in.take(2)
		case length == 17:
			length, times = 0, 3+d.in.take(3)
		case length == 18:
			length, times = 0, 11+d.in.take(7)
		}
		out = append(out, slices.Repeat([]int{length}, times)...)
	}
	if d.in.short {
		return nil
	}
	return out
}

// fixedCodes are those of blocks that bring none of their own (RFC 1951, 3.2.6).
func fixedCodes() (words, ways *code) {
	long := slices.Concat(slices.Repeat([]int{8}, 144), slices.Repeat([]int{9}, 112), slices.Repeat([]int{7}, 24), slices.Repeat([]int{8}, 8))
	return newCode(long), newCode(slices.Repeat([]int{5}, 30))
}

// A code is a canonical Huffman code: the words of each length follow each other, and on
// those that are shorter (RFC 1951, 3.2.2).
type code struct {
	count   [16]int // words by length, none of 0
	symbols []int   // in the order of their words
}

func newCode(lengths []int) *code {
	c := &code{}
	for length := 1; length < len(c.count); length++ {
		for symbol, l := range lengths {
			if l == length {
				c.count[l]++
				c.symbols = append(c.symbols, symbol)
			}
		}
	}
	return c
}

// newCode is newCode, of lengths that were read: there may be too many words of them.
func (d *deflated) newCode(lengths []int) *code {
	c, room := newCode(lengths), 1
	for _, n := range c.count[1:] {
		room = 2*room - n
		d.wrong = d.wrong || room < 0
	}
	return c
}

// symbol reads a word of a code.
func (d *deflated) symbol(c *code) int {
	word, first, before := 0, 0, 0
	for _, n := range c.count[1:] {
		word, first = word<<1|d.in.take(1), first<<1
		if i := word - first; i < n {
			return c.symbols[before+i]
		}
		first, before = first+n, before+n
	}
	d.wrong = d.wrong || !d.in.short
	return 0
}

// A bitReader reads bits, those of a byte from the lowest on.
type bitReader struct {
	bytes []byte
	at    int  // bits that are read
	short bool // something was asked for that has not come
}

// take returns the next n bits, at most 16, the first as the lowest; 0 where they have
// not come.
func (b *bitReader) take(n int) (v int) {
	if b.short = b.short || b.at+n > 8*len(b.bytes); b.short {
		return 0
	}
	for i := range n {
		v |= int(b.bytes[b.at/8]>>(b.at%8)&1) << i
		b.at++
	}
	return v
}

// skip passes bytes over.
func (b *bitReader) skip(n int) {
	b.at += 8 * n
	b.short = b.short || b.at > 8*len(b.bytes)
}

// align goes to the next byte's beginning.
func (b *bitReader) align() { b.at = (b.at + 7) &^ 7 }

// forget forgets the bytes that are read.
func (b *bitReader) forget() {
	b.bytes = slices.Delete(b.bytes, 0, b.at/8)
	b.at %= 8
}
