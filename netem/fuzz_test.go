package netem_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/netem"
)

// FuzzPipe holds the framing to a receiver's own way of cutting lines: any
// bytes, written in pieces of one size and read in pieces of another.
func FuzzPipe(f *testing.F) {
	for _, seed := range []struct {
		stream              string
		write, read, buffer uint8
	}{
		{"", 1, 1, 0},
		{"\n", 1, 1, 1},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{}}` + "\r\n", 7, 5, 16},
		{"no line end", 4, 200, 3},
		{"\r\n\r\r\n\n\rx\r", 1, 2, 2},
		{strings.Repeat("long ", 50) + "\n", 255, 255, 9},
		{"\x00\xff\xfe\n\xc3\n\xa4", 2, 3, 0},
	} {
		f.Add([]byte(seed.stream), seed.write, seed.read, seed.buffer)
	}
	f.Fuzz(func(t *testing.T, stream []byte, writeSize, readSize, buffer uint8) {
		c := conversation{sizes: []int{int(readSize) + 1}}
		for rest := string(stream); rest != ""; {
			n := min(int(writeSize)+1, len(rest))
			c.writes = append(c.writes, rest[:n])
			rest = rest[n:]
		}
		var seen recorder
		w, r := netem.NewPipe(netem.PipeConfig{Direction: netem.Direction{Buffer: int(buffer)}, Tap: seen.tap()})
		got, err := c.run(w, r)
		require.NoError(t, err)
		require.Equal(t, string(stream), string(got))
		require.Equal(t, lines(stream), texts(seen.read()))
		require.Empty(t, r.Unread())
		requireTrueOrder(t, seen.take())
		require.NoError(t, r.Close())
	})
}
