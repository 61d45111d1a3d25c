package netem_test

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/netem"
)

// A recorder is a tap that remembers what it saw, in order.
type recorder struct {
	mu     sync.Mutex // guards events
	events []event
}

// An event is one call of the tap.
type event struct {
	what     string // write, wrote, read, eof, close, reset
	frame    *netem.Frame
	complete bool   // the frame's state at that moment
	text     string // and its bytes
	err      error
}

func (e event) String() string {
	text := e.what
	if e.frame != nil {
		text += fmt.Sprintf(" %d", e.frame.Index)
		if e.what != "wrote" {
			text += fmt.Sprintf(" %q", e.text)
		}
		if !e.complete {
			text += " ..."
		}
	}
	if e.err != nil {
		text += ": " + e.err.Error()
	}
	return text
}

func (r *recorder) add(e event) {
	if e.frame != nil {
		e.complete, e.text = e.frame.Complete, string(e.frame.Bytes)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *recorder) tap() netem.Tap {
	return netem.Tap{
		Write: func(f *netem.Frame) { r.add(event{what: "write", frame: f}) },
		Wrote: func(f *netem.Frame, err error) { r.add(event{what: "wrote", frame: f, err: err}) },
		Read:  func(f *netem.Frame) { r.add(event{what: "read", frame: f}) },
		EOF:   func() { r.add(event{what: "eof"}) },
		Hangup: func(reset bool) {
			r.add(event{what: map[bool]string{false: "close", true: "reset"}[reset]})
		},
	}
}

// log returns what was seen since the last call, as text.
func (r *recorder) log() []string {
	var lines []string
	for _, e := range r.take() {
		lines = append(lines, e.String())
	}
	return lines
}

func (r *recorder) take() []event {
	r.mu.Lock()
	defer r.mu.Unlock()
	events := r.events
	r.events = nil
	return events
}

// read returns the frames that were handed over, in order.
func (r *recorder) read() []*netem.Frame {
	r.mu.Lock()
	defer r.mu.Unlock()
	var frames []*netem.Frame
	for _, e := range r.events {
		if e.what == "read" {
			frames = append(frames, e.frame)
		}
	}
	return frames
}

func indexes(frames []*netem.Frame) []int {
	var list []int
	for _, f := range frames {
		list = append(list, f.Index)
	}
	return list
}

func texts(frames []*netem.Frame) []string {
	var list []string
	for _, f := range frames {
		list = append(list, string(f.Bytes))
	}
	return list
}

func arrivals(frames []*netem.Frame) []time.Duration {
	var list []time.Duration
	for _, f := range frames {
		list = append(list, f.Arrived)
	}
	return list
}

// lines cuts a stream into frames the way a receiver does.
func lines(stream []byte) []string {
	var list []string
	for _, line := range bytes.SplitAfter(stream, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		if rest, whole := bytes.CutSuffix(line, []byte("\n")); whole {
			line = bytes.TrimSuffix(rest, []byte("\r"))
		}
		list = append(list, string(line))
	}
	return list
}

func write(t require.TestingT, w io.Writer, text string) {
	n, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.Equal(t, len(text), n)
}

// read makes one call of Read with room for size bytes.
func read(t require.TestingT, r io.Reader, size int) string {
	b := make([]byte, size)
	n, err := r.Read(b)
	require.NoError(t, err)
	return string(b[:n])
}

func readN(t require.TestingT, r io.Reader, n int) []byte {
	b := make([]byte, n)
	_, err := io.ReadFull(r, b)
	require.NoError(t, err)
	return b
}

// constant returns a rule that delays everything by d.
func constant(d time.Duration) func(netem.Segment) netem.Travel {
	return delayed(func(netem.Segment) time.Duration { return d })
}

// delayed makes a rule of one that knows delays only.
func delayed(rule func(netem.Segment) time.Duration) func(netem.Segment) netem.Travel {
	return func(s netem.Segment) netem.Travel { return netem.Travel{Delay: rule(s)} }
}

func closeBoth(t testing.TB, w *netem.Writer, r *netem.Reader) {
	require.NoError(t, w.Close())
	require.NoError(t, r.Close())
}
