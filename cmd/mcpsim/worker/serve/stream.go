package serve

import (
	"bytes"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A stream sends a history out line by line while it comes to be, so that it is
// not lost with the process.
type stream struct {
	send    func(line []byte) error
	buf     bytes.Buffer
	encoder *history.Encoder
}

func (s *stream) Header(h history.Header) error {
	s.encoder = history.NewEncoder(&s.buf)
	return s.forward(s.encoder.Header(h))
}

func (s *stream) Event(e *history.Event) error { return s.forward(s.encoder.Event(e)) }

func (s *stream) forward(err error) error {
	if err != nil {
		return err
	}
	line := bytes.Clone(s.buf.Bytes())
	s.buf.Reset()
	return s.send(line)
}
