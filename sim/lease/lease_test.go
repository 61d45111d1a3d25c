package lease

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReplyRoundTrip(t *testing.T) {
	for _, r := range []Reply{
		{},
		{World: json.RawMessage(`{"a":1}`), History: []byte("line\n"), Dirty: true, Error: "no"},
		{History: bytes.Repeat([]byte("x"), 1<<17)},
	} {
		got, err := DecodeReply(r.Encode())
		require.NoError(t, err)
		assert.Equal(t, string(r.World), string(got.World))
		assert.Equal(t, string(r.History), string(got.History))
		assert.Equal(t, r.Dirty, got.Dirty)
		assert.Equal(t, r.Error, got.Error)
	}
}

func TestDecodeReplyRefusesWhatIsCutShort(t *testing.T) {
	whole := Reply{World: json.RawMessage(`{}`), History: []byte("abc"), Error: "e"}.Encode()
	for n := range len(whole) {
		_, err := DecodeReply(whole[:n])
		assert.Error(t, err, "%d of %d bytes", n, len(whole))
	}
}

func FuzzDecodeReply(f *testing.F) {
	f.Add(Reply{World: json.RawMessage(`{}`), History: []byte("abc")}.Encode())
	f.Add([]byte{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, payload []byte) {
		// Whatever comes, no panic; what is accepted is not longer than it was.
		if r, err := DecodeReply(payload); err == nil {
			assert.LessOrEqual(t, len(r.World)+len(r.History)+len(r.Error), len(payload))
		}
	})
}

func TestReadTellsTheEndFromACut(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, Write(&b, KindLease, []byte("{}")))
	whole := b.Bytes()
	_, _, err := Read(bytes.NewReader(nil))
	assert.Equal(t, io.EOF, err, "between frames is the end")
	_, _, err = Read(bytes.NewReader(whole[:6]))
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF, "within a frame is a cut")
	_, _, err = Read(strings.NewReader("\xff\xff\xff\xffl"))
	assert.ErrorContains(t, err, "more than", "a length that cannot be is not allocated")
}

// A script answers leases with their seeds.
type script struct {
	setup Setup
	dirty uint64 // the seed after which the worker is to be replaced
}

func (s *script) Setup(setup Setup, events func([]byte) error) error {
	s.setup = setup
	if setup.Stream {
		return events([]byte("a line"))
	}
	if setup.Mode == "" {
		return errors.New("no mode")
	}
	return nil
}

func (s *script) Run(l Lease) Reply {
	return Reply{World: json.RawMessage(`"done"`), Dirty: l.Seed == s.dirty}
}

func serve(t *testing.T, runner *script, send func(io.Writer)) ([]Kind, error) {
	t.Helper()
	var in, out bytes.Buffer
	send(&in)
	err := Serve(&in, &out, Hello{Go: "go1"}, runner)
	var kinds []Kind
	for {
		kind, _, rerr := Read(&out)
		if rerr != nil {
			require.Equal(t, io.EOF, rerr)
			return kinds, err
		}
		kinds = append(kinds, kind)
	}
}

func TestServe(t *testing.T) {
	for _, c := range []struct {
		why   string
		send  func(io.Writer)
		kinds []Kind
		err   string
	}{
		{"an end at once is a farewell", func(io.Writer) {}, []Kind{KindHello}, ""},
		{"each lease gets one reply", func(w io.Writer) {
			_ = WriteJSON(w, KindSetup, Setup{Mode: Judge})
			_ = WriteJSON(w, KindLease, Lease{Seed: 1})
			_ = WriteJSON(w, KindLease, Lease{Seed: 2})
		}, []Kind{KindHello, KindReply, KindReply}, ""},
		{"a dirty worker takes no more leases", func(w io.Writer) {
			_ = WriteJSON(w, KindSetup, Setup{Mode: Judge})
			_ = WriteJSON(w, KindLease, Lease{Seed: 9})
			_ = WriteJSON(w, KindLease, Lease{Seed: 2})
		}, []Kind{KindHello, KindReply}, ""},
		{"events go out under a setup that streams", func(w io.Writer) {
			_ = WriteJSON(w, KindSetup, Setup{Mode: Judge, Stream: true})
		}, []Kind{KindHello, KindEvent}, ""},
		{"a setup that the runner refuses ends the worker", func(w io.Writer) {
			_ = WriteJSON(w, KindSetup, Setup{})
		}, []Kind{KindHello}, "no mode"},
		{"a frame of another kind is refused", func(w io.Writer) {
			_ = Write(w, KindReply, nil)
		}, []Kind{KindHello}, "unknown kind"},
		{"a lease that is no JSON is refused", func(w io.Writer) {
			_ = Write(w, KindLease, []byte("{"))
		}, []Kind{KindHello}, "read lease"},
	} {
		t.Run(c.why, func(t *testing.T) {
			kinds, err := serve(t, &script{dirty: 9}, c.send)
			assert.Equal(t, c.kinds, kinds)
			if c.err == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, c.err)
			}
		})
	}
}
