package netem

import "time"

// A Frame is one line of the stream, blank ones included; in a raw pipe, what
// one Write carried.
//
// A pipe and its tap share the one Frame. The pipe changes it inside Write
// only, and for the last time (Arrived) before it calls Tap.Read; the bytes
// are also those that travel, so nobody else may change them.
type Frame struct {
	// Index numbers the frames from 1 in the order in which their first bytes
	// were written, per pipe or across the pipes that share a counter.
	Index int
	// Bytes is the frame without its line end, "\n" or "\r\n". While the frame is
	// not complete it is what was written so far, a trailing "\r" included. In a
	// raw pipe it is all that the Write was given.
	Bytes []byte
	// Complete says that the line end was written. It stays false for what the
	// end of the stream cuts off. In a raw pipe it is always true.
	Complete bool
	// Written is when the Write with the frame's first byte was entered, and
	// Arrived when its last byte reached the receiver, both since the pipe's
	// epoch. Arrived is set when Tap.Read is called and by Unread; 0: not yet.
	Written, Arrived time.Duration
	// Tag is the tap's own: netem never looks at it.
	Tag any

	first, end int64         // where it begins and, as far as it is known, ends in the stream
	due        time.Duration // when the last byte that was sent so far arrives
	parts      int           // segments so far
	cut        bool          // its Write gave up before the end, and the stream goes on
}

// grow adds a chunk.
func (f *Frame) grow(chunk []byte) {
	if f.Bytes == nil {
		f.Bytes = chunk[:len(chunk):len(chunk)]
	} else {
		f.Bytes = append(f.Bytes, chunk...)
	}
}

// complete ends the frame, whose last so many bytes are not its own.
func (f *Frame) complete(ending int) {
	n := len(f.Bytes) - ending
	f.Bytes = f.Bytes[:n:n]
	f.Complete = true
}

// A Segment is what a pipe asks a delay for: the part of one frame that one
// Write carried, or the end of the stream.
type Segment struct {
	// Frame is what is known of the frame, after Tap.Write saw it. For the end of
	// the stream it is an empty Frame of its own; it is never nil.
	Frame *Frame
	// Part numbers the segments of the frame from 0. A frame that was written in
	// one Write has part 0 only.
	Part int
	// Size in bytes, the line end included.
	Size int
	// EOF: this is not part of a frame, but the end of the stream after a close.
	EOF bool
	// Reset: the end of the stream is a reset that travels, as the connections of a
	// [Network] send one.
	Reset bool
}

// A Tap observes a pipe. Any of its functions may be nil; the zero Tap sees
// nothing.
//
// The calls are made by the goroutine that is inside Write, Read, Close or
// Reset, and that call goes on when the function has returned. No function is
// called while the pipe's state is locked, so a tap may take locks of its own
// and call Close, Reset and Unread; it must not read from or write to the pipe
// that it watches, and should not block.
//
// The order of the calls is the true one: a frame's Write comes before any
// byte of it can be read, its Read before the reader has the last byte, Writes
// in the order in which they entered, Wrotes and Reads in the order of the
// stream. A frame's Wrote and Read have no order between them: a reader may
// be quicker than the return of the Write. Calls for the two ends can overlap.
type Tap struct {
	// Write: the Write that carries the frame's first byte was entered, and
	// nothing has happened to its bytes yet. If the frame's end is in the same
	// Write, it is complete; otherwise it is completed in place later. It is also
	// called when the pipe is broken and the Write is about to fail.
	Write func(f *Frame)
	// Wrote: the Write that carries the frame's last byte is about to return err.
	// When a Write fails, this is also called for the frame that it leaves
	// unfinished.
	Wrote func(f *Frame, err error)
	// Read: the Read that hands over the frame's last byte, its newline unless the
	// pipe is raw, is about to return. A frame without newline before the end of the stream counts as
	// handed over with its last byte if the stream had ended by then, otherwise
	// with the end of the stream. A frame whose Write failed half-way is not read.
	Read func(f *Frame)
	// EOF: a Read is about to return io.EOF for the first time.
	EOF func()
	// Hangup: the writing end is being closed, or the pipe reset. Nothing of it
	// has shown at the reader yet. A reset after a close is reported too. It is a
	// reset as well if a connection is closed with unread bytes, as TCP does it.
	Hangup func(reset bool)
}
