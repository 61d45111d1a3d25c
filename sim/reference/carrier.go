package reference

import (
	"errors"
	"io"
	"sync"

	"github.com/mcpsim/mcpsim/sim"
)

// A carrier takes what a link has to say to the server, and hands it what the server
// says, see [link.receiveAll]. There is a [pipe] for a byte stream and a [web] for HTTP.
type carrier interface {
	// start begins to read what the server says unasked. Its goroutines use the link's
	// carrier, so the link has it by then; they end with the link, which waits for them.
	start()
	// carry hands a frame to the network, when nothing may hold it back any more. It
	// blocks until the network has begun with it, so that of two frames the first is
	// sent first. An error means that the server cannot be reached any more.
	carry(o *outgoing) error
	// farewell is called when there is nothing more to carry. It does what ends a
	// session in an orderly way, and blocks for as long as that takes.
	farewell() error
	// hangup takes the connection away, at once. Both may be called several times, and
	// return what went wrong.
	hangup() error
}

// A pipe carries frames by a byte stream, a line each.
type pipe struct {
	link *link
	conn sim.Conn

	closeOut, closeBoth func() error // once each
}

func newPipe(l *link, conn sim.Conn) *pipe {
	p := &pipe{link: l, conn: conn, closeOut: sync.OnceValue(conn.Out.Close)}
	p.closeBoth = sync.OnceValue(func() error { return errors.Join(p.closeOut(), conn.In.Close()) })
	return p
}

func (p *pipe) start() { p.link.ends.Go(p.read) }

func (p *pipe) carry(o *outgoing) error {
	_, err := p.conn.Out.Write(o.bytes())
	return err
}

func (p *pipe) farewell() error { return p.closeOut() }

func (p *pipe) hangup() error { return p.closeBoth() }

// read is the reader. It never waits for anything but the next frame.
func (p *pipe) read() {
	frames := newFrameReader(p.conn.In)
	for {
		m, err := frames.next()
		if errors.Is(err, io.EOF) {
			if p.link.defect == strandsCallers {
				return
			}
			err = errors.New("the server has hung up")
		}
		if err == nil {
			err = p.link.receiveAll(m)
		}
		if err != nil {
			p.link.fail(err)
			return
		}
	}
}
