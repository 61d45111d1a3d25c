package sim

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func gzipInflater() *inflater {
	return newInflater(http.Header{"Content-Encoding": {"gzip"}}, new(atomic.Int64))
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
	defer d.close()
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
}

// A stream is read as it is flushed, and each piece once.
func TestInflaterKeepsUp(t *testing.T) {
	var said []string
	for i := range 4000 {
		said = append(said, fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progress\":%d}}\n\n", i))
	}
	b, ends := compress(t, gzip.Header{}, 6, said...)
	d, at := gzipInflater(), 0
	defer d.close()
	for i, end := range ends {
		assert.Equal(t, said[i], string(d.feed(b[at:end])))
		assert.Empty(t, d.piece)
		at = end
	}
}

// What waits for the next piece counts as the simulator's, and is gone when there is none.
func TestInflaterLeavesNothing(t *testing.T) {
	b, _ := compress(t, gzip.Header{}, 6, anAnswer)
	before := runtime.NumGoroutine()
	for _, fed := range [][]byte{nil, b[:1], b[:20], b, []byte("no gzip")} {
		d := gzipInflater()
		d.feed(fed)
		if len(fed) > 0 {
			assert.EqualValues(t, 1, d.running.Load())
		}
		d.close()
		d.close()
		assert.Zero(t, d.running.Load())
		assert.Empty(t, d.feed(b), "it is closed")
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), before)
}

// Who reads no more does not wait for the next piece either, and counts as nobody.
func TestInflaterGivesUp(t *testing.T) {
	for _, b := range [][]byte{[]byte("this is no gzip"), append(bomb(t), "and more"...)} {
		d := gzipInflater()
		d.feed(b)
		assert.Zero(t, d.running.Load())
		assert.Empty(t, d.feed(b))
		d.close()
		assert.Zero(t, d.running.Load())
	}
}

// bomb is more than an inflater reads.
func bomb(t testing.TB) []byte {
	b, _ := compress(t, gzip.Header{}, 9, strings.Repeat(strings.Repeat("x", 1<<20), 2*maxInflated>>20))
	return b
}

func TestInflaterIsBounded(t *testing.T) {
	assert.Len(t, inPieces(bomb(t), 0), maxInflated)
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
		defer d.close()
		for _, c := range row.b {
			assert.Empty(t, d.feed([]byte{c}), row.why)
		}
		d.feed(bytes.Repeat([]byte{0xff}, 64))
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
