package lease

import (
	"encoding/json"
	"fmt"
	"io"
)

// A Runner runs worlds inside a worker.
type Runner interface {
	// Setup is called once, before the first lease. events takes one line of an
	// encoded history at a time; it is nil unless the setup asks for a stream.
	Setup(s Setup, events func(line []byte) error) error
	// Run runs one world. It blocks until the world has ended.
	Run(l Lease) Reply
}

// Serve is a worker's loop: it greets, takes a setup and then leases from in
// until its end, and answers each on out. It errs when the parent has gone away
// or sends what it does not understand.
func Serve(in io.Reader, out io.Writer, hello Hello, runner Runner) error {
	if err := WriteJSON(out, KindHello, hello); err != nil {
		return fmt.Errorf("greet: %w", err)
	}
	for {
		kind, payload, err := Read(in)
		if err == io.EOF { // not an EOF within a frame
			return nil
		}
		if err != nil {
			return fmt.Errorf("take a lease: %w", err)
		}
		dirty := false
		switch kind {
		case KindSetup:
			err = setup(payload, out, runner)
		case KindLease:
			dirty, err = run(payload, out, runner)
		default:
			err = fmt.Errorf("a frame of unknown kind %q", byte(kind))
		}
		if err != nil || dirty {
			return err
		}
	}
}

func setup(payload []byte, out io.Writer, runner Runner) error {
	var s Setup
	if err := json.Unmarshal(payload, &s); err != nil {
		return fmt.Errorf("read setup: %w", err)
	}
	var events func([]byte) error
	if s.Stream {
		events = func(line []byte) error { return Write(out, KindEvent, line) }
	}
	return runner.Setup(s, events)
}

func run(payload []byte, out io.Writer, runner Runner) (dirty bool, err error) {
	var l Lease
	if err := json.Unmarshal(payload, &l); err != nil {
		return false, fmt.Errorf("read lease: %w", err)
	}
	reply := runner.Run(l)
	return reply.Dirty, Write(out, KindReply, reply.Encode())
}
