package netem

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// breakOff breaks what carries an exchange, behind what was flushed: by HTTP/1.1
// the connection, by HTTP/2 the stream, which a deadline in the past resets from
// any goroutine. What is written afterwards fails.
func breakOff(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 1 && resetConn(r.Context().Value(connKey{})) {
		return
	}
	// A ResponseWriter that knows no deadlines is none of net/http's, and there is
	// nothing to break.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0))
}

func resetConn(conn any) bool {
	switch conn := conn.(type) {
	case *Conn:
		conn.Reset()
	case *net.TCPConn:
		_ = conn.SetLinger(0) // it errs on a connection that is closed
		_ = conn.Close()
	default:
		return false
	}
	return true
}

// errCut is what a backend finds when it writes to a client that is cut off.
func errCut() error { return os.NewSyscallError("write", syscall.ECONNRESET) }

// A cutter breaks an exchange in the middle of an event.
type cutter struct {
	exchange *exchange

	mu     sync.Mutex // guards what follows, and the exchange's ResponseWriter
	begun  bool
	events eventScanner
	passed int    // whole events
	held   []byte // of the event that is to be cut; frontMemory at most
	over   bool   // nothing is written any more
}

func (c *cutter) Header() http.Header { return c.exchange.w.Header() }

func (c *cutter) WriteHeader(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		c.exchange.w.WriteHeader(status)
	}
}

// Write passes whole events on while there are to be any, and then holds back
// until the one that is to be cut is complete, or more than a front keeps.
func (c *cutter) Write(b []byte) (n int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.begun {
		c.begun = true
		c.events.off = !strings.HasPrefix(c.Header().Get("Content-Type"), "text/event-stream")
	}
	for n < len(b) && !c.over {
		k, end := c.events.next(b[n:])
		if c.passed == c.exchange.fault.Events {
			k = min(k, frontMemory-len(c.held))
			c.held = append(c.held, b[n:n+k]...)
			if n += k; end || len(c.held) == frontMemory {
				c.breakOff()
			}
			continue
		}
		k, err = c.exchange.w.Write(b[n : n+k])
		n += k
		if err != nil {
			return n, err
		}
		if end {
			c.passed++
		}
	}
	if c.over {
		err = errCut()
	}
	return n, err
}

// breakOff lets half of what was held back through.
func (c *cutter) breakOff() {
	c.over = true
	// If it cannot be written, the client is gone already.
	_, _ = c.exchange.w.Write(c.held[:len(c.held)/2])
	_ = http.NewResponseController(c.exchange.w).Flush()
	breakOff(c.exchange.w, c.exchange.r)
}

func (c *cutter) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over && len(c.held) > 0 {
		c.breakOff()
	}
	c.over = true
}

// Flush does what FlushError does.
func (c *cutter) Flush() { _ = c.FlushError() }

// FlushError sends what was passed on.
func (c *cutter) FlushError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return errCut()
	}
	return http.NewResponseController(c.exchange.w).Flush()
}

// Unwrap is for http.ResponseController.
func (c *cutter) Unwrap() http.ResponseWriter { return c.exchange.w }

// An eventScanner finds the ends of server-sent events: blank lines with something
// before them. Lines end with "\n" or "\r\n"; nobody uses the "\r" alone that the
// HTML standard allows besides.
type eventScanner struct {
	off   bool // it finds none
	some  bool // there is something of an event already
	begun bool // and of its current line
}

// next returns how many bytes of b belong to the event that they go on with or
// begin, and whether it ends there.
func (s *eventScanner) next(b []byte) (n int, end bool) {
	if s.off {
		return len(b), false
	}
	for n < len(b) {
		i := bytes.IndexByte(b[n:], '\n')
		if i < 0 {
			s.begun = s.begun || len(bytes.Trim(b[n:], "\r")) > 0
			s.some = s.some || s.begun
			return len(b), false
		}
		blank := !s.begun && len(bytes.Trim(b[n:n+i], "\r")) == 0
		n += i + 1
		s.begun = false
		if blank && s.some {
			s.some = false
			return n, true
		}
		s.some = s.some || !blank
	}
	return n, false
}
