package sim

import (
	"bytes"
	"net/url"

	"github.com/mcpsim/mcpsim/sim/history"
)

// An eventCutter cuts a stream of server-sent events into those, as it comes piece by
// piece. It follows the HTML standard (section 9.2.6, "interpreting an event stream"), but
// for a byte order mark, which nobody sends, and but for what is longer than maxBody, which
// is cut off.
type eventCutter struct {
	line  []byte // of which the end has not come
	after bool   // the last byte was the carriage return of a line's end
	kind  string
	data  []byte
	some  bool // the event has data
	id    string
	retry string
	where string // the last that an event named as the endpoint, over HTTP+SSE
}

// A streamEvent is one event that holds a message of the protocol, or that says where, or
// when, a client is to resume the stream.
type streamEvent struct {
	id    string // that it gave; empty: none, which clients take for that of the event before
	data  []byte // the message; empty: it holds none
	retry string // the reconnection time that it gave, in milliseconds: digits; empty: none
}

// cue is what is recorded of an event besides the message that it holds; false: nothing. The
// id of a message is its frames'.
func (e streamEvent) cue() (history.Event, bool) {
	c := history.Event{Kind: history.Cue, Value: e.retry}
	if len(e.data) == 0 {
		c.EventID = e.id
	}
	return c, c.EventID != "" || c.Value != ""
}

// feed takes the next piece of the stream, and returns the events that end in it and
// hold a message, or have a [streamEvent.cue].
func (c *eventCutter) feed(piece []byte) []streamEvent {
	var out []streamEvent
	for _, b := range piece {
		switch {
		case b == '\n' && c.after:
			c.after = false // the second half of a line's end
		case b == '\n' || b == '\r':
			c.after = b == '\r'
			if e, ok := c.endLine(); ok {
				out = append(out, e)
			}
		default:
			c.after = false
			if len(c.line) < maxBody {
				c.line = append(c.line, b)
			}
		}
	}
	return out
}

// endLine acts on a whole line, and returns the event that it ends, if it does.
func (c *eventCutter) endLine() (e streamEvent, ok bool) {
	line := c.line
	c.line = c.line[:0]
	if len(line) == 0 {
		return c.endEvent()
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	c.take(string(field), bytes.TrimPrefix(value, []byte(" ")))
	return e, false
}

// endEvent returns the event of the lines before, if it has anything to say, and begins
// the next.
func (c *eventCutter) endEvent() (e streamEvent, ok bool) {
	e = streamEvent{id: c.id, retry: c.retry}
	if c.message() && len(bytes.TrimSpace(c.data)) > 0 {
		e.data = c.data
	}
	if c.kind == "endpoint" {
		c.where = string(c.data)
	}
	c.kind, c.data, c.some, c.id, c.retry = "", nil, false, "", ""
	_, cue := e.cue()
	return e, cue || len(e.data) > 0
}

// take takes a field of the event.
func (c *eventCutter) take(field string, value []byte) {
	switch field {
	case "data":
		if len(c.data) >= maxBody {
			break
		}
		if c.some {
			c.data = append(c.data, '\n')
		}
		c.data, c.some = append(c.data, value...), true
	case "event":
		c.kind = string(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			c.id = string(value)
		}
	case "retry":
		if len(value) > 0 && len(bytes.Trim(value, "0123456789")) == 0 {
			c.retry = string(value)
		}
	}
}

// session returns the session that the endpoint names, empty for none.
func (c *eventCutter) session() string {
	u, err := url.Parse(c.where)
	if err != nil {
		return ""
	}
	return sessionIn(u)
}

// message reports whether the event is of the kind that holds messages: HTTP+SSE has
// others.
func (c *eventCutter) message() bool { return c.kind == "" || c.kind == "message" }

// begun reports whether a message has begun of which the end has not come.
func (c *eventCutter) begun() bool {
	unfinished := bytes.HasPrefix(c.line, []byte("data:")) && len(bytes.TrimSpace(c.line)) > len("data:")
	return c.message() && (len(c.data) > 0 || unfinished)
}
