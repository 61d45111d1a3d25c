package history

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strconv"
)

// Digest identifies a list of events: two lists have the same digest exactly if
// they hold the same events in the same order. It is the first 16 hexadecimal
// digits of the SHA-256 of their canonical binary form. The header is not part
// of it.
func Digest(events []Event) string {
	d := newDigester()
	for i := range events {
		d.add(&events[i])
	}
	return d.sum()
}

// FirstDifference returns the index of the first event that differs between a
// and b, or -1 when they are equal. Where one is the beginning of the other, it
// is the length of the shorter.
func FirstDifference(a, b []Event) int {
	for i := range min(len(a), len(b)) {
		if !equal(&a[i], &b[i]) {
			return i
		}
	}
	if len(a) != len(b) {
		return min(len(a), len(b))
	}
	return -1
}

func equal(a, b *Event) bool {
	if !sameMessage(a.Msg, b.Msg) {
		return false
	}
	if !sameHead(a.HTTP, b.HTTP) {
		return false
	}
	x, y := *a, *b
	x.Msg, y.Msg = nil, nil
	x.HTTP, y.HTTP = nil, nil
	return x == y
}

func sameHead(a, b *HTTPHead) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func sameMessage(a, b *Message) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// A digester adds up the canonical form of events: per event its fields in the
// order of their declaration, integers as varints, strings behind their length,
// and the message behind a byte that tells whether it is missing, remembered
// from an earlier event of the frame, or spelled out.
type digester struct {
	hash   hash.Hash
	frames frames
	buf    []byte
}

// hashChunk is how many bytes are gathered before they are hashed.
const hashChunk = 1 << 13

func newDigester() *digester {
	return &digester{hash: sha256.New(), buf: make([]byte, 0, hashChunk+1<<10)}
}

// add takes the next event and returns how it speaks of its message.
func (d *digester) add(e *Event) mention {
	how := d.frames.note(e)
	b := d.buf
	b = binary.AppendVarint(b, int64(e.Seq))
	b = binary.AppendVarint(b, int64(e.At))
	b = appendString(b, string(e.Side))
	b = appendString(b, string(e.Kind))
	b = binary.AppendVarint(b, int64(e.Call))
	b = binary.AppendVarint(b, int64(e.Frame))
	b = append(b, mark(e, how))
	if how == newMessage {
		b = appendMessage(b, e.Msg)
	}
	b = binary.AppendVarint(b, int64(e.Arrived))
	b = binary.AppendVarint(b, int64(e.N))
	b = appendString(b, e.Text)
	b = appendString(b, e.Value)
	b = appendString(b, e.Blame)
	if e.Client != 0 || e.Exchange != 0 || e.HTTP != nil || e.EventID != "" { // so that histories of stdio keep their digest
		b = appendExchange(b, e)
	}
	d.buf = b
	if len(b) >= hashChunk {
		d.flush()
	}
	return how
}

func appendExchange(b []byte, e *Event) []byte {
	b = binary.AppendVarint(appendString(b, "http"), int64(e.Client))
	b = binary.AppendVarint(b, int64(e.Exchange))
	b = appendString(b, e.EventID)
	if e.HTTP != nil {
		b = appendHead(b, e.HTTP)
	}
	return append(b, 0)
}

// hasSub is set in the byte before a message that belongs to a subscription, so that
// histories without subscriptions keep their digest.
const hasSub = 1 << 7

// mark is the byte that tells how an event speaks of its message.
func mark(e *Event, how mention) byte {
	if how == newMessage && e.Msg.Sub != "" {
		return byte(how) | hasSub
	}
	return byte(how)
}

func appendMessage(b []byte, m *Message) []byte {
	b = appendString(b, string(m.Kind))
	b = appendString(b, m.Method)
	b = appendString(b, m.ID)
	b = appendString(b, m.Ref)
	b = appendString(b, m.Token)
	b = binary.AppendVarint(b, m.Code)
	b = appendString(b, m.Text)
	b = binary.AppendVarint(b, int64(m.Call))
	b = appendString(b, m.Raw)
	if m.Sub != "" {
		b = appendString(b, m.Sub)
	}
	if m.Augmented || m.Task != "" || m.Status != "" { // so that histories without tasks keep their digest
		b = appendString(appendString(b, m.Task), m.Status)
		b = strconv.AppendBool(b, m.Augmented)
	}
	if m.Batch > 0 { // likewise
		b = binary.AppendVarint(appendString(b, "batch"), int64(m.Batch))
	}
	return b
}

func (d *digester) flush() {
	// A hash's Write never errs, by contract.
	_, _ = d.hash.Write(d.buf)
	d.buf = d.buf[:0]
}

func (d *digester) sum() string {
	d.flush()
	return hex.EncodeToString(d.hash.Sum(nil)[:8])
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
