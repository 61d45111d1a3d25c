package history

import (
	"encoding/json"
	"math"
	"time"
)

// A quick reads one line of an encoded history as an [Encoder] writes it: with the
// fields in their order and nothing between them. Of any other form, and of texts
// that are not plain ASCII, it says that it cannot, and encoding/json reads the line.
// What it reads, it reads alike.
type quick struct {
	rest  []byte
	bad   bool
	names map[string]string // texts that come again and again
	text  []byte            // of the last string that was escaped
}

// maxNames bounds how many texts are remembered.
const maxNames = 256

// event reads the line of an event, and reports whether it could.
func (q *quick) event(line []byte, rec *record) bool {
	q.rest, q.bad = line, false
	if !q.next(`{"seq":`) {
		return false
	}
	e := &rec.Event
	e.Seq = int(q.int())
	q.must(`,"at_ns":`)
	e.At = time.Duration(q.int())
	q.must(`,"side":`)
	e.Side = Side(q.name())
	q.must(`,"kind":`)
	e.Kind = Kind(q.name())
	e.Call = int(q.optional(`,"call":`))
	e.Client = int(q.optional(`,"client":`))
	e.Exchange = int(q.optional(`,"exchange":`))
	e.Frame = int(q.optional(`,"frame":`))
	if q.next(`,"msg":null`) {
		rec.Msg = json.RawMessage("null")
	} else if q.next(`,"msg":`) {
		rec.said = q.message()
	}
	e.Arrived = time.Duration(q.optional(`,"arrived_ns":`))
	e.N = int(q.optional(`,"n":`))
	e.Text = q.words(`,"text":`)
	e.Value = q.words(`,"value":`)
	if q.next(`,"http":`) {
		e.HTTP = q.head()
	}
	e.EventID = q.words(`,"event_id":`)
	e.Blame = q.words(`,"blame":`)
	q.must(`}`)
	return !q.bad && len(q.rest) == 0
}

// head takes the head of a request or a response, whose first member has no comma
// before it.
func (q *quick) head() *HTTPHead {
	h := &HTTPHead{}
	if q.next(`{}`) {
		return h
	}
	q.must(`{`)
	first := true
	name := func(key string) bool {
		if first {
			key = key[1:]
		}
		if q.next(key) {
			first = false
			return true
		}
		return false
	}
	text := func(to *string, key string) {
		if name(key) {
			*to = q.name()
		}
	}
	number := func(to *int, key string) {
		if name(key) {
			*to = int(q.int())
		}
	}
	text(&h.Method, `,"method":`)
	text(&h.Accept, `,"accept":`)
	text(&h.ContentType, `,"content_type":`)
	text(&h.Session, `,"session":`)
	text(&h.Version, `,"version":`)
	text(&h.LastEvent, `,"last_event":`)
	text(&h.MCPMethod, `,"mcp_method":`)
	text(&h.MCPName, `,"mcp_name":`)
	number(&h.Conn, `,"conn":`)
	number(&h.Instance, `,"instance":`)
	number(&h.Status, `,"status":`)
	text(&h.Body, `,"body":`)
	q.must(`}`)
	return h
}

func (q *quick) message() *Message {
	m := &Message{}
	q.must(`{"kind":`)
	m.Kind = MessageKind(q.name())
	if q.next(`,"method":`) {
		m.Method = q.name()
	}
	m.ID = q.words(`,"id":`)
	m.Ref = q.words(`,"ref":`)
	m.Token = q.words(`,"token":`)
	m.Code = q.optional(`,"code":`)
	m.Text = q.words(`,"text":`)
	m.Call = int(q.optional(`,"call":`))
	m.Sub = q.words(`,"sub":`)
	q.must(`,"raw":`)
	m.Raw = string(q.string())
	m.Augmented = q.next(`,"augmented":true`)
	m.Task = q.words(`,"task":`)
	if q.next(`,"status":`) {
		m.Status = q.name()
	}
	m.Batch = int(q.optional(`,"batch":`))
	q.must(`}`)
	return m
}

// next takes s, if that is what comes.
func (q *quick) next(s string) bool {
	if len(q.rest) < len(s) || string(q.rest[:len(s)]) != s {
		return false
	}
	q.rest = q.rest[len(s):]
	return true
}

func (q *quick) must(s string) {
	if !q.next(s) {
		q.bad = true
	}
}

// int takes a whole number as JSON writes it, of at most 18 digits.
func (q *quick) int() int64 {
	minus := q.next("-")
	n, digits := int64(0), 0
	for digits < len(q.rest) && q.rest[digits] >= '0' && q.rest[digits] <= '9' && digits < 19 {
		n = n*10 + int64(q.rest[digits]-'0')
		digits++
	}
	if digits == 0 || digits > 18 || q.rest[0] == '0' && digits > 1 {
		q.bad = true
		return 0
	}
	q.rest = q.rest[digits:]
	if minus {
		n = -n
	}
	if n > math.MaxInt || n < math.MinInt {
		q.bad = true // where int has 32 bits
	}
	return n
}

func (q *quick) optional(key string) int64 {
	if q.next(key) {
		return q.int()
	}
	return 0
}

func (q *quick) words(key string) string {
	if q.next(key) {
		return string(q.string())
	}
	return ""
}

// name takes a text that comes again and again.
func (q *quick) name() string {
	b := q.string()
	if s, ok := q.names[string(b)]; ok {
		return s
	}
	s := string(b)
	if q.names == nil {
		q.names = map[string]string{}
	}
	if len(q.names) < maxNames {
		q.names[s] = s
	}
	return s
}

// string takes a text. It is valid until the next one.
func (q *quick) string() []byte {
	q.must(`"`)
	for i, c := range q.rest {
		switch {
		case c == '"':
			s := q.rest[:i]
			q.rest = q.rest[i+1:]
			return s
		case c == '\\':
			return q.escaped(i)
		case c < ' ' || c > '~':
			q.bad = true
			return nil
		}
	}
	q.bad = true
	return nil
}

// escaped takes a text of which the first i bytes are plain.
func (q *quick) escaped(i int) []byte {
	q.text = append(q.text[:0], q.rest[:i]...)
	for ; i < len(q.rest); i++ {
		c := q.rest[i]
		if c == '"' {
			q.rest = q.rest[i+1:]
			return q.text
		}
		if c == '\\' && i+1 < len(q.rest) {
			i++
			c = q.rest[i]
			if c == 'n' {
				q.text = append(q.text, '\n')
				continue
			}
			if c != '"' && c != '\\' {
				break
			}
		}
		if c < ' ' || c > '~' {
			break
		}
		q.text = append(q.text, c)
	}
	q.bad = true
	return nil
}
