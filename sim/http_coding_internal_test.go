package sim

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func gzipInflater() *inflater {
	return newInflater(http.Header{"Content-Encoding": {"gzip"}})
}

// compress returns texts as gzip writes them, flushed after each, and how long it was then.
func compress(t testing.TB, head gzip.Header, level int, texts ...string) (b []byte, ends []int) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, level)
	require.NoError(t, err)
	z.Header = head
	for _, text := range texts {
		_, err := io.WriteString(z, text)
		require.NoError(t, err)
		require.NoError(t, z.Flush())
		ends = append(ends, out.Len())
	}
	require.NoError(t, z.Close())
	return out.Bytes(), ends
}

// inPieces feeds an inflater pieces of a size, 0 for all at once.
func inPieces(b []byte, size int) string {
	d, out := gzipInflater(), []byte{}
	for len(b) > 0 {
		n := len(b)
		if size > 0 {
			n = min(n, size)
		}
		out, b = append(out, d.feed(b[:n])...), b[n:]
	}
	return string(out)
}

// texts are of every kind that compresses in another way.
func texts() map[string]string {
	noise, dull := make([]byte, 70_000), make([]byte, 100_000)
	chance := rand.NewChaCha8([32]byte{})
	_, _ = chance.Read(noise) // it does not err
	for i := range dull {
		dull[i] = "aab"[chance.Uint64()%3]
	}
	return map[string]string{
		"empty": "", "a byte": "x", "an object": anAnswer, "one byte and again": strings.Repeat("x", 100_000),
		"noise": string(noise), "a few symbols": string(dull), "repeats from far back": string(noise[:30_000]) + string(noise[:30_000]),
	}
}

func TestInflater(t *testing.T) {
	for name, text := range texts() {
		for _, level := range []int{gzip.HuffmanOnly, gzip.NoCompression, gzip.BestSpeed, gzip.BestCompression} {
			b, _ := compress(t, gzip.Header{}, level, text)
			for _, size := range []int{0, 1, 7, 240, 4096} {
				assert.True(t, text == inPieces(b, size), "%s at level %d in pieces of %d", name, level, size)
			}
		}
	}
}

// What a member is preceded by, and what follows it.
func TestInflaterMembers(t *testing.T) {
	for _, head := range []gzip.Header{{}, {Name: "a"}, {Comment: "b"}, {Extra: []byte("cde"), Name: "a", Comment: "b"}} {
		b, _ := compress(t, head, 6, "one")
		two, _ := compress(t, head, 6, "two")
		assert.Equal(t, "one", inPieces(b, 1), "%+v", head)
		assert.Equal(t, "onetwo", inPieces(append(b, two...), 1), "%+v", head)
	}
	summed, _ := compress(t, gzip.Header{}, 6, "one")
	summed[3] |= gzipSum
	assert.Equal(t, "one", inPieces(append(summed[:10:10], append([]byte("12"), summed[10:]...)...), 1))
}

// A stream is read as it is flushed, and what is kept of it stays the same, so that the
// work for a piece does not grow with the stream.
func TestInflaterKeepsUp(t *testing.T) {
	var said []string
	for i := range 4000 {
		said = append(said, fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progress\":%d}}\n\n", i))
	}
	b, ends := compress(t, gzip.Header{}, 6, said...)
	d, at := gzipInflater(), 0
	for i, end := range ends {
		assert.Equal(t, said[i], string(d.feed(b[at:end])))
		at = end
		require.LessOrEqual(t, len(d.in.bytes), 1)
		require.LessOrEqual(t, len(d.window), 2*windowSize)
	}
	noFlush, _ := compress(t, gzip.Header{}, 6, strings.Join(said, ""))
	d = gzipInflater()
	for _, c := range noFlush {
		d.feed([]byte{c})
		require.LessOrEqual(t, len(d.in.bytes), 400, "the head of a block at most")
	}
}

func TestInflaterIsBounded(t *testing.T) {
	b, _ := compress(t, gzip.Header{}, 9, strings.Repeat(strings.Repeat("x", 1<<20), 2*maxInflated>>20))
	assert.Len(t, inPieces(b, 0), maxInflated)
	d := gzipInflater()
	for range 1 << 10 {
		d.feed([]byte("\x1f\x8b\x08\x08")) // a name without end
		d.feed(bytes.Repeat([]byte("x"), 1<<10))
	}
	assert.LessOrEqual(t, len(d.in.bytes), 2*maxGzipHead)
}

func TestSpoilt(t *testing.T) {
	b, _ := compress(t, gzip.Header{}, 6, strings.Repeat(anAnswer, 9))
	for _, row := range []struct {
		why string
		b   []byte
	}{
		{"another thing", []byte("this is not what gzip makes of anything")},
		{"another method", []byte("\x1f\x8b\x07\x00\x00\x00\x00\x00\x00\x00")},
		{"a block of no kind", append(b[:10:10], 7)},
		{"a length that is not", append(b[:10:10], "\x00\x01\x00\x01\x00x"...)},
		{"what repeats nothing", append(b[:10:10], 0x03, 0x02)},
	} {
		d := gzipInflater()
		for _, c := range row.b {
			assert.Empty(t, d.feed([]byte{c}), row.why)
		}
		d.feed(bytes.Repeat([]byte{0xff}, 64))
		assert.True(t, d.spoilt, row.why)
		assert.Empty(t, d.feed(b), row.why)
	}
}

// FuzzInflater holds that it does not matter how a stream comes in pieces, and that what
// package compress can read whole is read alike.
func FuzzInflater(f *testing.F) {
	for _, text := range []string{"", anAnswer, strings.Repeat(aReport, 30)} {
		for _, level := range []int{gzip.HuffmanOnly, gzip.NoCompression, gzip.BestCompression} {
			b, _ := compress(f, gzip.Header{Name: "x"}, level, text)
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := inPieces(b, 0)
		assert.True(t, got == inPieces(b, 1), "byte by byte")
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return
		}
		if want, err := io.ReadAll(io.LimitReader(z, maxInflated)); err == nil {
			assert.True(t, string(want) == got, "%d bytes, not %d", len(got), len(want))
		}
	})
}

func BenchmarkInflater(b *testing.B) {
	stream, _ := compress(b, gzip.Header{}, 6, texts()["a few symbols"])
	b.SetBytes(100_000)
	for b.Loop() {
		inPieces(stream, 240)
	}
}
