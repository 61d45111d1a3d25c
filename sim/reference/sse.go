package reference

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// An event is one of a stream of server-sent events.
type event struct {
	name string // its type; empty: "message"
	data string // its lines, joined by line feeds
	// id is the last that the stream has given, in this event or before; empty: none.
	id string
	// retry is how long to wait before connecting again; negative: the event does not say.
	retry time.Duration
}

// message reports whether the event carries a message of the protocol.
func (e event) message() bool { return (e.name == "" || e.name == "message") && e.data != "" }

// An eventReader cuts a stream into events as the HTML standard wants it, chapter 9.2.6,
// except that it hands out events without data as well, since they may have an id.
type eventReader struct {
	in      *bufio.Reader
	id      string // see event.id
	started bool
	afterCR bool // a line feed that comes next belongs to the line end that was read
}

func newEventReader(r io.Reader) *eventReader {
	return &eventReader{in: bufio.NewReaderSize(r, firstBuffer)}
}

// next blocks for an event. It returns io.EOF when the stream ends, also in the middle of
// one, which is lost then.
func (r *eventReader) next() (event, error) {
	e, size, lines := event{retry: -1}, 0, []string(nil)
	for empty := true; ; {
		line, err := r.line(maxFrame - size)
		if err != nil {
			return event{}, err
		}
		if line == "" && empty {
			continue
		}
		if line == "" {
			e.data, e.id = strings.Join(lines, "\n"), r.id
			return e, nil
		}
		empty = false
		size += len(line)
		r.field(line, &e, &lines)
	}
}

// field takes in one line that is not blank.
func (r *eventReader) field(line string, e *event, lines *[]string) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "event":
		e.name = value
	case "data":
		*lines = append(*lines, value)
	case "id":
		if !strings.Contains(value, "\x00") {
			r.id = value
		}
	case "retry":
		if ms, err := strconv.ParseUint(value, 10, 31); err == nil {
			e.retry = time.Duration(ms) * time.Millisecond
		}
	}
}

var errLongEvent = fmt.Errorf("an event is longer than %d bytes", maxFrame)

// line blocks for a line of at most so many bytes and returns it without its end.
func (r *eventReader) line(limit int) (string, error) {
	var line []byte
	for {
		b, err := r.in.ReadByte()
		if err != nil {
			return "", err
		}
		switch {
		case b == '\n' && r.afterCR:
			r.afterCR = false
			continue
		case b == '\n' || b == '\r':
			r.afterCR = b == '\r'
			return r.text(line), nil
		}
		r.afterCR = false
		if len(line) >= limit {
			return "", errLongEvent
		}
		line = append(line, b)
	}
}

// text decodes a line. The first may begin with a byte order mark.
func (r *eventReader) text(line []byte) string {
	if !r.started {
		r.started = true
		line = bytes.TrimPrefix(line, []byte("\uFEFF"))
	}
	return strings.ToValidUTF8(string(line), string(utf8.RuneError))
}

var errOneLine = errors.New("an event's fields are one line each")

// appendEvent adds an event. What it has no value for is left out, except the data.
func appendEvent(b []byte, e event) []byte {
	if strings.ContainsAny(e.name+e.data+e.id, "\r\n") {
		panic(errOneLine) // frames are one line, and all else is ours
	}
	if e.id != "" {
		b = append(append(append(b, "id: "...), e.id...), '\n')
	}
	if e.name != "" {
		b = append(append(append(b, "event: "...), e.name...), '\n')
	}
	if e.retry > 0 {
		b = strconv.AppendInt(append(b, "retry: "...), e.retry.Milliseconds(), 10)
		b = append(b, '\n')
	}
	if e.data == "" {
		return append(b, "data:\n\n"...)
	}
	return append(append(append(b, "data: "...), e.data...), "\n\n"...)
}
