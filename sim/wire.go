package sim

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A wire joins the clients of a world to its server, and tells the recorder what
// passes. There is one kind for a byte stream, see [pipeWire], and one for HTTP, see
// [httpWire].
type wire interface {
	// conn is what the client's target is to connect with. It is called once a client.
	conn(c *seat) Conn
	// serve runs the server until it is over by itself or ctx ends, and blocks.
	serve(ctx context.Context) error
	// lasting tells that the server does not end because its clients have gone.
	lasting() bool
	// left does what an application does whose client has closed.
	left(c *seat)
	// halfClose closes the client's writing end, abandon what the server has, as happens
	// to the descriptors of a process that dies: what it had written still arrives, what
	// it had not read is lost, and writing to it fails.
	halfClose()
	abandon()
	// stop records what nobody ever read and takes the network away.
	stop()
}

// A seat is where one of a world's clients sits.
type seat struct {
	n      int // which of several clients it is, from 1; 0: there is one
	client Client
	calls  *callBook
	ready  bool // its handshake went well
}

// A witness tells the recorder of what passes on a wire.
type witness struct {
	world  *world
	rec    *history.Recorder
	frames atomic.Int64 // so far, see passage
}

// A passage is what the network carries at a time: a message, or a batch of them,
// each of which is a frame of its own to those who judge.
type passage struct {
	first  int // the number of the first
	sender history.Side
	seat   *seat // of the client that it is from, or for
	msgs   []*history.Message

	exchange int    // over HTTP
	eventID  string // over HTTP, of the SSE event that it is
}

// written records that the writing of a frame begins, and returns what it says.
func (x *witness) written(p passage, frame []byte) *passage {
	p.msgs = protocol.Messages(frame, x.world.SpecVersion)
	p.first = int(x.frames.Add(int64(len(p.msgs)))) - len(p.msgs) + 1
	for _, msg := range p.msgs {
		p.seat.calls.learn(p.sender, msg)
	}
	x.note(&p, p.sender, history.Write, 0, nil)
	return &p
}

// note records what has happened to a passage at one of the sides.
func (x *witness) note(p *passage, side history.Side, kind history.Kind, arrived time.Duration, err error) {
	for i, msg := range p.msgs {
		call := p.seat.calls.of(p.sender, msg)
		if kind == history.Write {
			x.world.expire(p.sender)
		}
		x.rec.Add(history.Event{
			Side: side, Kind: kind, Call: call, Client: p.seat.n, Exchange: p.exchange,
			Frame: p.first + i, Msg: msg, Arrived: arrived, Text: text(err), EventID: p.eventID,
		})
		x.world.sawFrame(p.sender, kind, msg, call)
	}
}

// complete reads a frame again of which the writing had begun, and which is whole now,
// into the same message, so that the events of its first bytes show it, too. A batch
// that was written piecemeal is no message.
func (p *passage) complete(frame []byte) {
	*p.msgs[0] = *protocol.Identify(frame)
	p.seat.calls.learn(p.sender, p.msgs[0])
}
