package sim

import (
	"hash/fnv"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The figures are those that the author of splitmix64's C code published for the
// seed 1234567.
func TestSplitmix64(t *testing.T) {
	s := Stream{state: 1234567}
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		assert.Equal(t, want, s.Uint64(), "draw %d", i)
	}
}

func TestFNV(t *testing.T) {
	for _, text := range []string{"", "a", "foobar", "tools/call"} {
		want := fnv.New64a()
		_, err := want.Write([]byte(text))
		assert.NoError(t, err)
		assert.Equal(t, want.Sum64(), hashText(fnvOffset, text), "%q", text)
	}
	assert.Equal(t, hashText(fnvOffset, "\x02\x01\x00\x00\x00\x00\x00\x00"), hashNumber(fnvOffset, 0x0102), "low byte first")
}
