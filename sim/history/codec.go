package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// The encoded form is text, one JSON object a line:
//
//	{"header":{"schema":1,…}}
//	{"seq":0,"at_ns":0,"side":"client","kind":"connect"}
//	…
//	{"end":{"events":152,"digest":"9c41e07bd2a85f13"}}
//
// A header with very many calls lists the first of them; the others follow, a number
// of them at a time, in lines of their own, before the first event of any of them:
//
//	{"calls":[{"call":10001,…},…]}
//
// The last line tells a whole history from one that was cut off or changed. The
// message of a frame stands on the frame's first line; the others name it by
// their frame's number alone. Where a target wrote bytes that are not UTF-8, each
// is written as the code point U+10FF00 plus the byte, so that nothing is lost.

// An end is what the last line says.
type end struct {
	Events int    `json:"events"`
	Digest string `json:"digest"`
}

// An Encoder writes one history as it comes to be: Header once, Event for each
// event in order, End once. Each writes one line in a single call of the
// writer's Write. After an error the encoder only repeats it.
type Encoder struct {
	w      io.Writer
	digest *digester
	n      int
	line   []byte
	err    error
}

// NewEncoder returns an encoder that writes to w, which it does not close.
func NewEncoder(w io.Writer) *Encoder {
	return &Encoder{w: w, digest: newDigester()}
}

// Header writes the first line.
func (e *Encoder) Header(h Header) error {
	return e.value("header", h)
}

// Calls writes further calls of the header, before the first event of any of them.
func (e *Encoder) Calls(calls []Call) error {
	return e.value("calls", calls)
}

// Event writes the next event, which must be the next by its Seq.
func (e *Encoder) Event(ev *Event) error {
	if e.err == nil && ev.Seq != e.n {
		e.err = fmt.Errorf("encode history: event %d came where event %d belongs", ev.Seq, e.n)
	}
	if e.err != nil {
		return e.err
	}
	e.n++
	how := e.digest.add(ev)
	e.line = append(appendEvent(e.line[:0], ev, how), '\n')
	return e.flush()
}

// End writes the last line.
func (e *Encoder) End() error {
	return e.value("end", end{Events: e.n, Digest: e.digest.sum()})
}

func (e *Encoder) value(key string, v any) error {
	if e.err != nil {
		return e.err
	}
	line, err := json.Marshal(map[string]any{key: v})
	if err != nil {
		e.err = fmt.Errorf("encode history: %s: %w", key, err)
		return e.err
	}
	e.line = append(append(e.line[:0], line...), '\n')
	return e.flush()
}

func (e *Encoder) flush() error {
	if _, err := e.w.Write(e.line); err != nil {
		e.err = fmt.Errorf("encode history: %w", err)
	}
	return e.err
}

// callsPerLine is how many calls are written in one line at most.
const callsPerLine = 10_000

// Encode writes a whole history to w.
func Encode(w io.Writer, h *History) error {
	e, first, rest := NewEncoder(w), h.Header, [][]Call(nil)
	if len(first.Calls) > callsPerLine {
		rest = slices.Collect(slices.Chunk(first.Calls[callsPerLine:], callsPerLine))
		first.Calls = first.Calls[:callsPerLine]
	}
	if err := e.Header(first); err != nil {
		return err
	}
	for _, calls := range rest {
		if err := e.Calls(calls); err != nil {
			return err
		}
	}
	for i := range h.Events {
		if err := e.Event(&h.Events[i]); err != nil {
			return err
		}
	}
	return e.End()
}

// Decode reads a whole history, of at most [MaxEvents] events. When the input is damaged or cut off it returns
// an error together with what stood before the damage; the history is nil only
// when the header could not be read. [ErrCut] tells a history that merely ends
// early from one that is damaged.
func Decode(r io.Reader) (*History, error) {
	d, err := NewDecoder(r)
	if err != nil {
		return nil, err
	}
	d.limit = MaxEvents
	h := &History{Header: d.Header()}
	for {
		ev, err := d.Next()
		h.Header.Calls = append(h.Header.Calls, d.Calls()...)
		if errors.Is(err, io.EOF) {
			return h, nil
		}
		if err != nil {
			return h, err
		}
		h.Events = append(h.Events, ev)
	}
}
