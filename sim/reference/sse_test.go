package reference

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEvents(t *testing.T) {
	none := time.Duration(-1)
	for _, c := range []struct {
		why    string
		stream string
		want   []event
		err    error
	}{
		{"a message", "event: message\ndata: {}\n\n", []event{{"message", "{}", "", none}}, io.EOF},
		{"lines are joined", "data: a\ndata: b\ndata\n\n", []event{{"", "a\nb\n", "", none}}, io.EOF},
		{"one space is taken off", "data:x\n\ndata:  y\n\n", []event{{"", "x", "", none}, {"", " y", "", none}}, io.EOF},
		{"any line end", "data: a\r\n\r\ndata: b\r\rdata: c\n\n", []event{{"", "a", "", none}, {"", "b", "", none}, {"", "c", "", none}}, io.EOF},
		{"comments and unknown fields are nothing", ": hello\nfoo: bar\ndata: a\n\n", []event{{"", "a", "", none}}, io.EOF},
		{"an id stays", "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", []event{{"", "a", "1", none}, {"", "b", "1", none}, {"", "c", "", none}}, io.EOF},
		{"an id with a null is none", "id: 1\x00\ndata: a\n\n", []event{{"", "a", "", none}}, io.EOF},
		{"an event may be for its id", "id: 7\ndata:\n\n", []event{{"", "", "7", none}}, io.EOF},
		{"and for the time to wait", "retry: 250\n\n", []event{{"", "", "", 250 * time.Millisecond}}, io.EOF},
		{"which is in digits", "retry: +1\ndata: a\n\nretry: x\ndata: b\n\n", []event{{"", "a", "", none}, {"", "b", "", none}}, io.EOF},
		{"blank lines are nothing", "\n\n\ndata: a\n\n\n", []event{{"", "a", "", none}}, io.EOF},
		{"what is not ended is lost, with its id", "id: 1\ndata: a\n\nid: 2\ndata: b\n", []event{{"", "a", "1", none}}, io.EOF},
		{"a byte order mark", "\uFEFFdata: a\n\ndata: \uFEFFb\n\n", []event{{"", "a", "", none}, {"", "\uFEFFb", "", none}}, io.EOF},
		{"what is no UTF-8 is replaced", "data: \xff\n\n", []event{{"", "\uFFFD", "", none}}, io.EOF},
		{"too long a line", "data: " + strings.Repeat("x", maxFrame), nil, errLongEvent},
		{"too long an event", strings.Repeat("data: "+strings.Repeat("x", 1<<20)+"\n", 5), nil, errLongEvent},
	} {
		t.Run(c.why, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(c.stream), iotest.OneByteReader(strings.NewReader(c.stream))} {
				events := newEventReader(r)
				for _, want := range c.want {
					got, err := events.next()
					require.NoError(t, err)
					require.Equal(t, want, got)
				}
				_, err := events.next()
				require.ErrorIs(t, err, c.err)
			}
		})
	}
}

// An event is there with the first byte of its blank line, also where that is a carriage
// return that a line feed may follow.
func TestEventsAreHandedOverAtOnce(t *testing.T) {
	r, w := io.Pipe()
	go func() {
		for _, piece := range []string{"data: a\r\n\r", "\ndata: b\r\n\r"} {
			if _, err := io.WriteString(w, piece); err != nil {
				panic(err)
			}
		}
	}()
	events := newEventReader(r)
	for _, want := range []string{"a", "b"} {
		got, err := events.next()
		require.NoError(t, err)
		require.Equal(t, want, got.data)
	}
}

// What is written is read again.
func FuzzAppendEvent(f *testing.F) {
	f.Add("message", "{}", "1-2", uint16(500))
	f.Add("", "", "", uint16(0))
	f.Fuzz(func(t *testing.T, name, data, id string, retry uint16) {
		clean := func(s string) string {
			return strings.ToValidUTF8(strings.NewReplacer("\r", "", "\n", "", "\x00", "").Replace(s), "")
		}
		e := event{clean(name), clean(data), clean(id), time.Duration(retry) * time.Millisecond}
		got, err := newEventReader(strings.NewReader(string(appendEvent(nil, e)))).next()
		require.NoError(t, err)
		if e.retry == 0 {
			e.retry = -1
		}
		require.Equal(t, e, got)
	})
}

// However a stream is cut into pieces, the same events come of it, and nothing harms the
// reader.
func FuzzEvents(f *testing.F) {
	f.Add("id: 1\r\nevent: message\r\ndata: {}\r\n\r\n: x\rretry: 5\r\r")
	f.Fuzz(func(t *testing.T, stream string) {
		read := func(r io.Reader) (all []event, end error) {
			events := newEventReader(r)
			for {
				e, err := events.next()
				if err != nil {
					return all, err
				}
				all = append(all, e)
			}
		}
		whole, err := read(strings.NewReader(stream))
		require.ErrorIs(t, err, io.EOF)
		pieces, err := read(iotest.OneByteReader(strings.NewReader(stream)))
		require.ErrorIs(t, err, io.EOF)
		assert.Equal(t, whole, pieces)
		broken, err := read(io.MultiReader(strings.NewReader(stream), iotest.ErrReader(errors.New("cut"))))
		require.ErrorContains(t, err, "cut")
		assert.Equal(t, whole, broken)
	})
}
