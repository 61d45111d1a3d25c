package sim

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// cut returns what a cutter finds in a stream: of each event its id and its data, and the id
// and the time to wait of its cue.
func cut(pieces ...string) []string {
	var c eventCutter
	out := []string{}
	for _, piece := range pieces {
		for _, e := range c.feed([]byte(piece)) {
			if len(e.data) > 0 {
				out = append(out, e.id+"|"+string(e.data))
			}
			if c, ok := e.cue(); ok {
				out = append(out, "cue "+c.EventID+"|"+c.Value)
			}
		}
	}
	return out
}

func TestEventsAreCut(t *testing.T) {
	for _, row := range []struct {
		why, stream string
		want        []string
	}{
		{"an event ends with its blank line", "data: {}\n\n", []string{"|{}"}},
		{"and not before", "data: {}\n", []string{}},
		{"one that nothing ends is none", "data: 1\n\ndata: 2", []string{"|1"}},
		{"the space behind the colon is not the message's, others are", "data:1\n\ndata:  2\n\n", []string{"|1", "| 2"}},
		{"lines end in any of three ways", "data: 1\r\n\r\ndata: 2\r\rdata: 3\n\n", []string{"|1", "|2", "|3"}},
		{"also in one event", "data: 1\r\ndata: 2\rdata: 3\n\r\n", []string{"|1\n2\n3"}},
		{"several lines of data are one message", "data: {\ndata:\ndata: }\n\n", []string{"|{\n\n}"}},
		{"comments say nothing", ": data: 0\n:\ndata: 1\n: 2\n\n:\n\n", []string{"|1"}},
		{"an event may name its kind", "event: message\ndata: 1\n\n", []string{"|1"}},
		{"others hold no message", "event: endpoint\ndata: /messages?sessionId=1\n\n", []string{}},
		{"and leave nothing for the next", "event: endpoint\ndata: 1\n\ndata: 2\n\n", []string{"|2"}},
		{"the kind may come last", "data: 1\nevent: endpoint\n\n", []string{}},
		{"an event may have an id", "id: 7\ndata: 1\n\n", []string{"7|1"}},
		{"which is its own alone", "id: 7\ndata: 1\n\ndata: 2\n\n", []string{"7|1", "|2"}},
		{"that of an event without a message, too", "id: 7\ndata: \n\ndata: 2\n\n", []string{"cue 7|", "|2"}},
		{"an id with a zero byte is none", "id: 7\x00\ndata: 1\n\n", []string{"|1"}},
		{"the time to wait is no message", "retry: 500\n\n", []string{"cue |500"}},
		{"but may come with one", "retry: 500\nid: 7\ndata: 1\n\ndata: 2\n\n", []string{"7|1", "cue |500", "|2"}},
		{"or with an id alone", "id: 7\nretry: 0\ndata:\n\n", []string{"cue 7|0"}},
		{"whatever the kind of its event", "event: close\nretry: 500\n\n", []string{"cue |500"}},
		{"one that is not all digits is none", "retry: 5s\n\nretry: -5\n\nretry:\n\n", []string{}},
		{"nor is one whose event does not end", "retry: 500\n", []string{}},
		{"nor is an event of spaces", "data:    \n\n", []string{}},
		{"unknown fields are passed over", "date: 0\ndata: 1\ndata\n\n", []string{"|1\n"}},
		{"blank lines between events are nothing", "\n\n\ndata: 1\n\n\n\n", []string{"|1"}},
	} {
		assert.Equal(t, row.want, cut(row.stream), row.why)
	}
}

// A message has begun when something of it is there.
func TestEventsBegin(t *testing.T) {
	for stream, want := range map[string]bool{
		"":                            false,
		"id: 7\n":                     false,
		"data":                        false,
		"data:":                       false,
		"data: ":                      false,
		"data: {":                     true,
		"data: {\n":                   true,
		"data: {}\n\n":                false,
		"data: {}\n\ndata: {":         true,
		": data: {":                   false,
		"event: endpoint\ndata: /mes": false,
		"event: message\ndata: {":     true,
		"data: {\r\n":                 true,
		"data: {\r\n\r":               false,
	} {
		var c eventCutter
		c.feed([]byte(stream))
		assert.Equal(t, want, c.begun(), "%q", stream)
	}
}

// FuzzEventCutter holds that it does not matter how a stream comes in pieces: where it
// is cut is drawn from the second text.
func FuzzEventCutter(f *testing.F) {
	for _, stream := range []string{
		"data: {\"a\":1}\n\ndata: 2\n\n", "id: 1\r\ndata: {\r\ndata: }\r\n\r\n", "event: endpoint\rdata: /\r\rdata: 1\r\r", ": c\nretry: 3\n\ndata: \ndata: x\n\n",
	} {
		f.Add([]byte(stream), []byte{1, 2, 3})
	}
	f.Fuzz(func(t *testing.T, stream, cuts []byte) {
		var pieces []string
		for rest := string(stream); rest != ""; {
			n := len(rest)
			if len(cuts) > 0 {
				n, cuts = min(n, int(cuts[0]%8)), cuts[1:]
			}
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		whole := cut(string(stream))
		assert.Equal(t, whole, cut(pieces...), "in pieces %q", pieces)
		assert.Equal(t, whole, cut(strings.Split(string(stream), "")...), "byte by byte")
		plain := bytes.ReplaceAll(stream, []byte("\r\n"), []byte("\n"))
		assert.Equal(t, whole, cut(string(bytes.ReplaceAll(plain, []byte("\r"), []byte("\n")))), "however lines end")
	})
}
