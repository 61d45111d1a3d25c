package reference

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

func TestFrameReader(t *testing.T) {
	const a, b = `{"jsonrpc":"2.0","method":"a"}`, `{"jsonrpc":"2.0","method":"b"}`
	for _, tt := range []struct {
		why    string
		stream string
		frames []string
		err    string
	}{
		{"nothing", "", nil, "EOF"},
		{"two frames", a + "\n" + b + "\n", []string{a, b}, "EOF"},
		{"either line end", a + "\r\n" + b + "\n", []string{a, b}, "EOF"},
		{"blank lines", "\n \n" + a + "\n\n", []string{a}, "EOF"},
		{"half a frame at the end", a + "\n" + b, []string{a}, "read a frame: unexpected EOF"},
		{"as long as may be", strings.Repeat(" ", maxFrame-len(a)-1) + a + "\n", []string{strings.Repeat(" ", maxFrame-len(a)-1) + a}, "EOF"},
		{"too long", a + "\n" + strings.Repeat("x", maxFrame) + "\n", []string{a}, "read a frame: longer than 4194304 bytes"},
	} {
		t.Run(tt.why, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.stream), iotest.HalfReader(strings.NewReader(tt.stream))} {
				frames := newFrameReader(r)
				for _, want := range tt.frames {
					m, err := frames.next()
					require.NoError(t, err)
					require.True(t, want == m.Raw, "a frame of %d bytes, want %d", len(m.Raw), len(want))
				}
				_, err := frames.next()
				require.EqualError(t, err, tt.err)
			}
		})
	}
}

func TestFrameReaderPassesErrorsOn(t *testing.T) {
	broken := errors.New("cable cut")
	_, err := newFrameReader(iotest.ErrReader(broken)).next()
	assert.ErrorIs(t, err, broken)
}

// Whatever a peer writes, ours end when it has written it, and do not panic.
func FuzzPeers(f *testing.F) {
	for _, e := range eras() {
		f.Add([]byte(e.call("2", "slow", "0") + "\n" + cancelOf("2") + "\n"))
		f.Add([]byte(e.answer("1", "x") + "\n" + errorOf("1", "1", "y") + "\n"))
	}
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}` + "\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n[]\n\n{"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		for _, version := range protocol.Versions() {
			var out bytes.Buffer
			server := newServer(sim.ServerEnv{SpecVersion: version}, none)
			err := server.Serve(t.Context(), connOf(stream, &out))
			if len(stream) == 0 || stream[len(stream)-1] == '\n' {
				assert.NoError(t, err, "an orderly end")
			}
			assertFrames(t, &out)

			client := newClient(sim.ClientEnv{SpecVersion: version}, none)
			_ = client.Connect(context.Background(), connOf(stream, &out)) // mostly an error, and always an end
			assert.NoError(t, client.Close())
			assertFrames(t, &out)
		}
	})
}

// assertFrames takes the frames out of what was written and checks that they are
// messages.
func assertFrames(t *testing.T, out *bytes.Buffer) {
	t.Helper()
	frames := newFrameReader(out)
	for {
		m, err := frames.next()
		if err == io.EOF {
			return
		}
		require.NoError(t, err)
		require.NotEqual(t, "invalid", string(m.Kind), "%s", m.Raw)
	}
}

func connOf(in []byte, out io.Writer) sim.Conn {
	return sim.Conn{In: io.NopCloser(bytes.NewReader(in)), Out: nopWriteCloser{out}}
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }
