package netem_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/netem"
)

// TestRealPipe has one conversation over a pair and over the operating
// system's pipes: both peers must see the same frames, and the same end.
func TestRealPipe(t *testing.T) {
	lan, err := netem.LookupProfile("lan")
	require.NoError(t, err)
	lan.Up.Split = netem.Split{Pieces: 3, Gap: netem.Delay{Distribution: netem.Constant, Value: 20 * time.Microsecond}}
	lan.Down.Coalesce = netem.Delay{Distribution: netem.Constant, Value: 100 * time.Microsecond}
	up, down := new(recorder), new(recorder)
	first, second := netem.NewPair(netem.PairConfig{
		Profile: lan,
		Up:      netem.Rig{Tap: up.tap(), Travel: byIdentity(lan.Up)},
		Down:    netem.Rig{Tap: down.tap(), Travel: byIdentity(lan.Down)},
	})
	simulated := talk(t, end{first.In, first.Out}, end{second.In, second.Out})

	upReader, upWriter, err := os.Pipe()
	require.NoError(t, err)
	downReader, downWriter, err := os.Pipe()
	require.NoError(t, err)
	actual := talk(t, end{downReader, upWriter}, end{upReader, downWriter})

	assert.Equal(t, actual, simulated)
	assert.Equal(t, actual.atServer, texts(up.read()), "and the tap saw what the peer saw")
	assert.Equal(t, actual.atClient, texts(down.read()))
	assert.Len(t, actual.atServer, 32)
	assert.Len(t, actual.atClient, 32)
}

// byIdentity makes a rule of the direction, in which each segment has a stream of
// bits of its own.
func byIdentity(d netem.Direction) func(netem.Segment) netem.Travel {
	return func(s netem.Segment) netem.Travel {
		next := uint64(s.Frame.Index)<<32 | uint64(s.Part)<<16
		draw := func() uint64 { next++; return next }
		return d.Travel(s, draw, func(n uint64) uint64 { return n << 48 })
	}
}

// An end is what a peer holds, whatever the transport.
type end struct {
	in  io.ReadCloser
	out io.WriteCloser
}

// A transcript is what each side received, frame by frame.
type transcript struct{ atServer, atClient []string }

// talk has a client send requests, one of them larger than any buffer and one
// in two Writes, half-close, and read on; the server answers each request and
// ends with its input.
func talk(t *testing.T, client, server end) (heard transcript) {
	var peers sync.WaitGroup
	peers.Go(func() {
		in := scanner(server.in)
		for in.Scan() {
			heard.atServer = append(heard.atServer, in.Text())
			write(t, server.out, fmt.Sprintf("answer to %d bytes\r\n", len(in.Text())))
		}
		assert.NoError(t, in.Err())
		assert.NoError(t, server.out.Close())
	})
	peers.Go(func() {
		for i := range 30 {
			write(t, client.out, fmt.Sprintf("request %d %s\n", i, strings.Repeat("x", i*i)))
		}
		write(t, client.out, "large "+strings.Repeat("y", 200_000)+"\nin ")
		write(t, client.out, "two\n")
		assert.NoError(t, client.out.Close())
	})
	in := scanner(client.in)
	for in.Scan() {
		heard.atClient = append(heard.atClient, in.Text())
	}
	assert.NoError(t, in.Err())
	peers.Wait()
	assert.NoError(t, client.in.Close())
	assert.NoError(t, server.in.Close())
	return heard
}

func scanner(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	return s
}
