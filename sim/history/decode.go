package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds a line of an encoded history, in bytes.
const maxLine = 16 << 20

// ErrCut says that a history ends before its last line: the program that wrote it
// was stopped, or the file was cut off. What came before is as it was written.
var ErrCut = errors.New("the history is cut off")

// A Decoder reads one history, event by event, in memory that does not grow with
// its length.
type Decoder struct {
	r      *bufio.Reader
	header Header
	digest *digester // knows the frames, too
	line   int       // number of the line read last, from 1
	n      int       // events so far
	limit  int       // of events; 0: none
	calls  []Call    // that came after the header and were not asked for yet
	buf    []byte
	quick  quick
	err    error
}

// A record is any line: exactly one of header, calls, end and event.
type record struct {
	Header *Header `json:"header"`
	Calls  []Call  `json:"calls"`
	End    *end    `json:"end"`
	Event
	Msg  json.RawMessage `json:"msg"` // hides the event's own: null and nothing differ
	said *Message        // what was read instead
}

// NewDecoder reads the header from r. It reads ahead, and closes nothing.
func NewDecoder(r io.Reader) (*Decoder, error) {
	d := &Decoder{r: bufio.NewReaderSize(r, 1<<16), digest: newDigester()}
	rec, err := d.record()
	if err != nil {
		return nil, err
	}
	if rec.Header == nil || rec.Header.Schema < 1 {
		return nil, d.damaged("this is not the header of a history; give the name of a file that mcpsim has written")
	}
	if rec.Header.Schema > Schema {
		return nil, d.damaged("the history has schema %d and this program reads up to %d; use the mcpsim that wrote it, or a newer one",
			rec.Header.Schema, Schema)
	}
	d.header = *rec.Header
	return d, nil
}

// Header returns the history's header, with the calls that its first line lists.
func (d *Decoder) Header() Header { return d.header }

// Calls returns the header's calls that have come since it was last asked, and were
// not in its first line: those that belong there before the event that [Decoder.Next]
// returned.
func (d *Decoder) Calls() []Call {
	calls := d.calls
	d.calls = nil
	return calls
}

// Digest returns the digest of the events so far; see [Digest].
func (d *Decoder) Digest() string { return d.digest.sum() }

// Next returns the next event, and io.EOF after the last, once the count and the
// digest have been found right. Events of one frame share their Message. Any
// other error is final, and names the line and what to do.
func (d *Decoder) Next() (Event, error) {
	if d.err != nil {
		return Event{}, d.err
	}
	ev, err := d.next()
	d.err = err
	return ev, err
}

func (d *Decoder) next() (Event, error) {
	rec, err := d.record()
	for err == nil && rec.Calls != nil && rec.Kind == "" && rec.Header == nil && rec.End == nil {
		d.calls = append(d.calls, rec.Calls...)
		rec, err = d.record()
	}
	if err != nil {
		return Event{}, err
	}
	if rec.End != nil {
		return Event{}, d.end(*rec.End)
	}
	if rec.Kind == "" || rec.Header != nil {
		return Event{}, d.damaged("this is no event%s", cure)
	}
	if d.limit > 0 && d.n == d.limit {
		return Event{}, d.damaged("there are more than %d events, which is as many as a world has", d.limit)
	}
	if rec.Seq != d.n {
		return Event{}, d.damaged("event %d stands where event %d belongs%s", rec.Seq, d.n, cure)
	}
	if err := d.message(&rec); err != nil {
		return Event{}, err
	}
	rec.restore()
	d.digest.add(&rec.Event)
	d.n++
	return rec.Event, nil
}

// cure is what to do about a damaged history.
const cure = "; the history is damaged: replay its seed to get it again"

// message gives the event its message: the line's, or the remembered one.
func (d *Decoder) message(rec *record) error {
	switch {
	case rec.said != nil:
		rec.Event.Msg = rec.said
	case rec.Msg == nil:
		rec.Event.Msg = d.digest.frames.known(rec.Frame)
	case !bytes.Equal(rec.Msg, []byte("null")):
		rec.Event.Msg = &Message{}
		if err := json.Unmarshal(rec.Msg, rec.Event.Msg); err != nil {
			return d.damaged("this is no message (%v)%s", err, cure)
		}
		rec.Event.Msg.restore()
	}
	return nil
}

func (e *Event) restore() {
	for _, s := range []*string{(*string)(&e.Side), (*string)(&e.Kind), &e.Text, &e.Value, &e.EventID, &e.Blame} {
		*s = restore(*s)
	}
	if e.HTTP != nil {
		e.HTTP.restore()
	}
}

func (h *HTTPHead) restore() {
	for _, s := range []*string{&h.Method, &h.Accept, &h.ContentType, &h.Session, &h.Version, &h.LastEvent, &h.MCPMethod, &h.MCPName, &h.Body} {
		*s = restore(*s)
	}
}

func (m *Message) restore() {
	for _, s := range []*string{(*string)(&m.Kind), &m.Method, &m.ID, &m.Ref, &m.Token, &m.Text, &m.Sub, &m.Raw, &m.Task, &m.Status} {
		*s = restore(*s)
	}
}

// end checks the last line and returns io.EOF when all is well.
func (d *Decoder) end(e end) error {
	if e.Events != d.n {
		return d.damaged("%d events are there, %d were written%s", d.n, e.Events, cure)
	}
	if sum := d.digest.sum(); e.Digest != sum {
		return d.damaged("the events have digest %s, those written had %s%s", sum, e.Digest, cure)
	}
	if _, err := d.r.ReadByte(); err == nil {
		d.line++
		return d.damaged("something follows the history's end%s", cure)
	} else if !errors.Is(err, io.EOF) {
		return fmt.Errorf("decode history: after line %d: %w", d.line, err)
	}
	return io.EOF
}

func (d *Decoder) record() (record, error) {
	line, err := d.readLine()
	if err != nil {
		return record{}, err
	}
	var rec record
	if d.quick.event(line, &rec) {
		return rec, nil
	}
	rec = record{}
	if err := json.Unmarshal(line, &rec); err != nil {
		return record{}, d.damaged("this is not a line of a history (%v)%s", err, cure)
	}
	return rec, nil
}

// readLine returns the next line without its end. It is valid until the next
// call.
func (d *Decoder) readLine() ([]byte, error) {
	d.line++
	d.buf = d.buf[:0]
	for {
		part, err := d.r.ReadSlice('\n')
		if err == nil && len(d.buf) == 0 {
			return part[:len(part)-1], nil
		}
		d.buf = append(d.buf, part...)
		switch {
		case len(d.buf) > maxLine:
			return nil, d.damaged("the line has more than %d bytes%s", maxLine, cure)
		case err == nil:
			return d.buf[:len(d.buf)-1], nil
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("decode history: line %d: %w before its end: replay its seed to get it whole", d.line, ErrCut)
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("decode history: line %d: %w", d.line, err)
		}
	}
}

func (d *Decoder) damaged(format string, args ...any) error {
	return fmt.Errorf("decode history: line %d: %s", d.line, fmt.Sprintf(format, args...))
}
