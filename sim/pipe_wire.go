package sim

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim/history"
)

// A pipeWire is the wire of a pair over stdio: two byte pipes, one a direction, with a
// tap at each end that tells the recorder what passes.
type pipeWire struct {
	witness
	seat           *seat
	client, server end
}

// An end is one end of a byte stream.
type end struct {
	in  inlet
	out io.WriteCloser
}

// An inlet is where one end reads what the other writes, such as a [netem.Reader].
type inlet interface {
	io.ReadCloser
	Unread() []*netem.Frame
}

func newPipeWire(w *world) *pipeWire {
	x := &pipeWire{witness: witness{world: w, rec: w.rec}, seat: w.seats[0]}
	network := w.Scenario.Network
	up := x.rig("client_to_server", history.Client, network.ClientToServer, w.schedule.Seed)
	down := x.rig("server_to_client", history.Server, network.ServerToClient, w.schedule.Seed)
	if w.ground != nil {
		x.client.out, x.server.in = w.ground.pipe(up.Tap)
		x.server.out, x.client.in = w.ground.pipe(down.Tap)
		return x
	}
	client, server := netem.NewPair(netem.PairConfig{
		Profile: netem.Profile{Up: network.ClientToServer.direction(), Down: network.ServerToClient.direction()},
		Up:      up, Down: down, Epoch: w.start,
	})
	x.client, x.server = end{client.In, client.Out}, end{server.In, server.Out}
	return x
}

// rig mounts the tap, the delays and the stalls on what sender writes.
func (x *pipeWire) rig(direction string, sender history.Side, link Link, seed uint64) netem.Rig {
	t := &tap{wire: x, sender: sender}
	d := newDelays(direction, link, seed)
	return netem.Rig{
		Travel: func(s netem.Segment) netem.Travel {
			if s.EOF {
				return d.travel(s, FrameIdentity{})
			}
			return d.travel(s, identityOf(x.passage(sender, s.Frame)))
		},
		Stall: link.Stall.Rule(d.stall),
		Tap:   netem.Tap{Write: t.write, Wrote: t.wrote, Read: t.read, EOF: t.eof, Hangup: t.hangup},
	}
}

func (x *pipeWire) conn(*seat) Conn { return Conn{In: x.client.in, Out: x.client.out} }

func (x *pipeWire) serve(ctx context.Context) error {
	return x.world.servers[0].Serve(ctx, Conn{In: x.server.in, Out: x.server.out})
}

func (x *pipeWire) lasting() bool { return false }

func (x *pipeWire) left(*seat) {} // closing the client hangs up

func (x *pipeWire) stop() {
	x.unread(history.Server, x.server.in)
	x.unread(history.Client, x.client.in)
	for _, end := range []end{x.client, x.server} {
		// Closing an end of a pipe never errs, see package netem.
		_ = errors.Join(end.out.Close(), end.in.Close())
	}
}

func (x *pipeWire) halfClose() {
	_ = x.client.out.Close() // never errs, see package netem
}

func (x *pipeWire) abandon() {
	_ = errors.Join(x.server.out.Close(), x.server.in.Close()) // neither errs
}

func (x *pipeWire) unread(receiver history.Side, in inlet) {
	if x.rec == nil {
		return
	}
	for _, f := range in.Unread() {
		x.note(x.passage(receiver.Peer(), f), receiver, history.Unread, f.Arrived, nil)
	}
}

// passage returns what the frame says. A frame that was written piecemeal is
// read again once it is complete, into the same message, so that the events of
// its first bytes show it too; a batch that was is no message.
func (x *pipeWire) passage(sender history.Side, f *netem.Frame) *passage {
	p, ok := f.Tag.(*passage)
	if !ok {
		return &passage{first: f.Index, sender: sender, seat: x.seat, msgs: []*history.Message{nil}}
	}
	if msg := p.msgs[0]; msg.Batch == 0 && len(msg.Raw) != len(f.Bytes) {
		p.complete(f.Bytes)
	}
	return p
}

// A tap watches one direction.
type tap struct {
	wire   *pipeWire
	sender history.Side
}

func (t *tap) write(f *netem.Frame) {
	f.Tag = t.wire.written(passage{sender: t.sender, seat: t.wire.seat}, f.Bytes)
}

func (t *tap) wrote(f *netem.Frame, err error) { t.note(t.sender, history.Wrote, f, 0, err) }

func (t *tap) read(f *netem.Frame) { t.note(t.sender.Peer(), history.Read, f, f.Arrived, nil) }

func (t *tap) note(side history.Side, kind history.Kind, f *netem.Frame, arrived time.Duration, err error) {
	t.wire.note(t.wire.passage(t.sender, f), side, kind, arrived, err)
}

func (t *tap) eof() {
	t.wire.rec.Add(history.Event{Side: t.sender.Peer(), Kind: history.EOF})
}

func (t *tap) hangup(reset bool) {
	how := "half-close"
	if reset {
		how = "reset"
	}
	t.wire.rec.Add(history.Event{Side: t.sender, Kind: history.Hangup, Text: how})
}
