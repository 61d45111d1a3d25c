package sim_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/netem"
)

// A loopback is the machine's own network, on which one server listens.
type loopback struct {
	mu       sync.Mutex   // guards what follows
	listener net.Listener // nil: nobody listens, or it could not be
	dialled  []*net.TCPConn
}

func (l *loopback) Listen(string) (net.Listener, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listener = listener
	return listener, nil
}

// DialContext reaches the server, whatever its name. It waits for nobody to listen: the
// simulated network refuses who comes too early.
func (l *loopback) DialContext(ctx context.Context, network, _ string) (net.Conn, error) {
	l.mu.Lock()
	listener := l.listener
	l.mu.Unlock()
	if listener == nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.ErrNotExist}
	}
	conn, err := new(net.Dialer).DialContext(ctx, network, listener.Addr().String())
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dialled = append(l.dialled, conn.(*net.TCPConn))
	return conn, nil
}

// Stop breaks what is still open.
func (l *loopback) Stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listener != nil {
		_ = l.listener.Close() // its server has, as a rule
	}
	for _, conn := range l.dialled {
		_ = conn.SetLinger(0) // likewise
		_ = conn.Close()
	}
}

// A machinePipe is a pipe of the operating system's that tells a tap what passes, a
// line a frame.
type machinePipe struct {
	tap  netem.Tap
	r, w *os.File
	turn sync.Mutex // of those who write

	mu     sync.Mutex     // guards what follows
	frames []*netem.Frame // begun and not read
	ended  bool
	hung   bool
}

func newMachinePipe(t *testing.T, tap netem.Tap) (*machineOut, *machineIn) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	p := &machinePipe{tap: tap, r: r, w: w}
	return &machineOut{p}, &machineIn{p}
}

type machineOut struct{ p *machinePipe }

func (o *machineOut) Write(b []byte) (int, error) {
	p := o.p
	p.turn.Lock()
	defer p.turn.Unlock()
	whole := p.enter(b)
	n, err := p.w.Write(b)
	for _, f := range whole {
		p.tap.Wrote(f, err)
	}
	if err != nil {
		p.forget(whole)
	}
	return n, err
}

// enter tells of the frames that begin in b, and returns those that end in it.
func (p *machinePipe) enter(b []byte) (whole []*netem.Frame) {
	for line := range bytes.Lines(b) {
		text, ends := bytes.CutSuffix(line, []byte("\n"))
		f, first := p.frame()
		f.Bytes, f.Complete = append(f.Bytes, text...), ends
		if first {
			p.tap.Write(f)
		}
		if ends {
			whole = append(whole, f)
		}
	}
	return whole
}

// frame returns the frame whose end has not been written, or the next one.
func (p *machinePipe) frame() (f *netem.Frame, first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.frames); n > 0 && !p.frames[n-1].Complete {
		return p.frames[n-1], false
	}
	f = &netem.Frame{}
	p.frames = append(p.frames, f)
	return f, true
}

// forget forgets frames that were not sent.
func (p *machinePipe) forget(frames []*netem.Frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frames = slices.DeleteFunc(p.frames, func(f *netem.Frame) bool { return slices.Contains(frames, f) })
}

func (o *machineOut) Close() error {
	if !once(&o.p.mu, &o.p.hung) {
		return nil
	}
	o.p.tap.Hangup(false)
	return o.p.w.Close()
}

type machineIn struct{ p *machinePipe }

func (i *machineIn) Read(b []byte) (int, error) {
	n, err := i.p.r.Read(b)
	for range bytes.Count(b[:n], []byte("\n")) {
		i.p.tap.Read(i.p.next())
	}
	if err == io.EOF && once(&i.p.mu, &i.p.ended) {
		i.p.tap.EOF()
	}
	return n, err
}

// next takes the frame whose end has been read.
func (p *machinePipe) next() *netem.Frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.frames[0]
	p.frames = p.frames[1:]
	return f
}

func (i *machineIn) Close() error { return i.p.r.Close() }

func (i *machineIn) Unread() []*netem.Frame {
	i.p.mu.Lock()
	defer i.p.mu.Unlock()
	return i.p.frames
}

// once sets a flag under its lock, and reports whether it was not set yet.
func once(mu *sync.Mutex, flag *bool) bool {
	mu.Lock()
	defer mu.Unlock()
	first := !*flag
	*flag = true
	return first
}

// watchMachine watches for how long the machine does not run who is ready to, until the
// function that it returns is called, which returns the longest time.
func watchMachine() (held func() time.Duration) {
	over, longest := make(chan struct{}), make(chan time.Duration)
	go func() {
		const step = 20 * time.Millisecond
		var most time.Duration
		for {
			began := time.Now()
			select {
			case <-over:
				longest <- most
				return
			case <-time.After(step):
				most = max(most, time.Since(began)-step)
			}
		}
	}()
	return func() time.Duration {
		close(over)
		return <-longest
	}
}

// Who cannot listen can still stop.
func TestLoopbackThatNeverListened(t *testing.T) { new(loopback).Stop() }
