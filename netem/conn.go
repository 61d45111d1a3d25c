package netem

import (
	"context"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A Conn is one end of a connection of a [Network]. It behaves as a TCP
// connection does on Linux, and its errors have the shape that package net gives
// them: a *net.OpError around net.ErrClosed, os.ErrDeadlineExceeded,
// syscall.ECONNRESET or syscall.EPIPE. Its methods may be called from any number
// of goroutines.
//
//	what one end does            what the other end finds, once it has arrived
//	CloseWrite                   what was written, then io.EOF; it can go on writing
//	Close, all read              the same, but what it writes is answered by a reset
//	Close, something unread      what was written, then ECONNRESET
//	Reset                        likewise
//
// A reset travels behind what was written, as a segment of its own. When it
// comes back for something that was written after the peer closed, Write fails
// with EPIPE and Read still finds the end of the stream; so it is with TCP.
// Other than there, an error stays: a reset is not reported once and then turns
// into EPIPE and io.EOF.
type Conn struct {
	in, out       *pipe // what the peer writes, and what this end writes
	local, remote net.Addr
	shared        *connection

	mu     sync.Mutex // guards what follows
	closed bool
	fuse   *time.Timer // resets the connection
	fuseAt time.Time
}

// A connection is what its two ends share.
type connection struct {
	number int
	open   atomic.Int32      // ends that are not closed
	forget func(*connection) // both are
}

var _ net.Conn = (*Conn)(nil)

// Number returns the number of the connection, the same at both ends. They are
// given from 1 in the order in which connections were dialled, the failed ones
// included.
func (c *Conn) Number() int { return c.shared.number }

// LocalAddr returns the address of this end.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr returns the address of the other end.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// Read hands over what has arrived and blocks while that is nothing. It returns
// io.EOF at the end of the stream.
func (c *Conn) Read(b []byte) (int, error) {
	n, err := (&Reader{c.in}).Read(b)
	return n, c.wrap("read", err)
}

// Write sends b and blocks until all of it is in the buffer of its direction.
// One Write is one segment.
func (c *Conn) Write(b []byte) (int, error) {
	n, err := (&Writer{c.out}).Write(b)
	return n, c.wrap("write", err)
}

// wrap gives an error of a pipe the shape that package net gives it.
func (c *Conn) wrap(op string, err error) error {
	switch err {
	case nil, io.EOF:
		return err
	case ErrReset:
		err = os.NewSyscallError(op, syscall.ECONNRESET)
	case io.ErrClosedPipe:
		err = c.closedError(op)
	}
	return c.opError(op, err)
}

// closedError says which end it was that closed.
func (c *Conn) closedError(op string) error {
	if c.isClosed() {
		return net.ErrClosed
	}
	return os.NewSyscallError(op, syscall.EPIPE)
}

func (c *Conn) opError(op string, err error) error {
	return &net.OpError{Op: op, Net: c.local.Network(), Source: c.local, Addr: c.remote, Err: err}
}

func (c *Conn) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// SetDeadline does what SetReadDeadline and SetWriteDeadline do.
func (c *Conn) SetDeadline(t time.Time) error { return c.setDeadline(t, c.in, c.out) }

// SetReadDeadline makes Reads fail with os.ErrDeadlineExceeded from t on, blocked
// ones included, whether there is something to read or not. It can be moved; the
// zero time clears it. It errs on an end that was closed.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.setDeadline(t, c.in, nil) }

// SetWriteDeadline does the same for Writes. What such a Write has sent by then,
// it reports and it arrives.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.setDeadline(t, nil, c.out) }

func (c *Conn) setDeadline(t time.Time, in, out *pipe) error {
	if c.isClosed() {
		return &net.OpError{Op: "set", Net: c.local.Network(), Addr: c.local, Err: net.ErrClosed}
	}
	if in != nil {
		in.setReadDeadline(t)
	}
	if out != nil {
		out.setWriteDeadline(t)
	}
	return nil
}

// CloseWrite ends what this end writes; it can go on reading. It does not block
// and errs on an end that was closed.
func (c *Conn) CloseWrite() error {
	if c.isClosed() {
		return c.opError("close", net.ErrClosed)
	}
	c.out.hangUp(false)
	return nil
}

// Close gives this end up; blocked Reads and Writes return. What was written is
// still delivered, behind it the end of the stream, or a reset if something had
// arrived that nobody has read: the other end is not to believe that it was. Close
// does not block. It errs on an end that was closed.
func (c *Conn) Close() error {
	if !c.shut(false) {
		return c.opError("close", net.ErrClosed)
	}
	return nil
}

// Reset gives this end up as Close does, but with a reset behind what was
// written. It does nothing to an end that was closed.
func (c *Conn) Reset() { c.shut(true) }

// resetAfter makes the connection break as by Reset when so much time has
// passed, unless this end is closed by then; first is called right before. Of
// several such times the first counts.
func (c *Conn) resetAfter(d time.Duration, first func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := time.Now().Add(d)
	switch {
	case c.closed || c.fuse != nil && c.fuseAt.Before(at):
		return
	case c.fuse != nil:
		c.fuse.Stop()
	}
	c.fuseAt = at
	c.fuse = time.AfterFunc(d, func() {
		if !c.isClosed() {
			first()
			c.Reset()
		}
	})
}

func (c *Conn) shut(abort bool) bool {
	if !c.markClosed() {
		return false
	}
	if unread := c.in.deafen(); abort || unread {
		c.abort()
	} else {
		c.finish()
	}
	if c.shared.open.Add(-1) == 0 {
		c.shared.forget(c.shared)
	}
	return true
}

func (c *Conn) markClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.closed = true
	if c.fuse != nil {
		c.fuse.Stop()
	}
	return true
}

// abort sends a reset. A peer that has seen the end of the stream before takes it
// for the fate of its own writing only.
func (c *Conn) abort() {
	due, isEnd := c.out.hangUp(true)
	if isEnd {
		c.in.refuse(due, ErrReset)
	} else {
		c.in.refuse(due, io.ErrClosedPipe)
	}
}

// finish sends the end of the stream, and says now how long the reset takes that
// answers whatever the peer writes in spite of it.
func (c *Conn) finish() {
	end, _ := c.out.hangUp(false)
	back := c.out.travel(Segment{Frame: new(Frame), EOF: true, Reset: true})
	c.in.answer(echo{delay: back.Delay, notBefore: end})
}

// breakDown resets both directions at once, for both ends.
func (c *Conn) breakDown() {
	c.in.reset()
	c.out.reset()
}

type connKey struct{}

// WithConn returns ctx with the connection that it belongs to. It fits
// http.Server.ConnContext.
func WithConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// ConnOf returns the connection of a [Network] that [WithConn] has put into ctx,
// or nil. In a handler, it is the server's end of what the request came on.
func ConnOf(ctx context.Context) *Conn {
	conn, _ := ctx.Value(connKey{}).(*Conn)
	return conn
}
