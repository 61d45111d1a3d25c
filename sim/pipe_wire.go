package sim

import (
	"context"
	"errors"
	"time"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim/history"
)

// A pipeWire is the wire of a pair over stdio: two byte pipes, one a direction, with a
// tap at each end that tells the recorder what passes.
type pipeWire struct {
	witness
	seat     *seat
	up, down netem.End // the client's end, the server's end
}

func newPipeWire(w *world) *pipeWire {
	x := &pipeWire{witness: witness{world: w, rec: w.rec}, seat: w.seats[0]}
	network := w.Scenario.Network
	x.up, x.down = netem.NewPair(netem.PairConfig{
		Profile: netem.Profile{Up: network.ClientToServer.direction(), Down: network.ServerToClient.direction()},
		Up:      x.rig("client_to_server", history.Client, network.ClientToServer, w.schedule.Seed),
		Down:    x.rig("server_to_client", history.Server, network.ServerToClient, w.schedule.Seed),
		Epoch:   w.start,
	})
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

func (x *pipeWire) conn(*seat) Conn { return Conn{In: x.up.In, Out: x.up.Out} }

func (x *pipeWire) serve(ctx context.Context) error {
	return x.world.servers[0].Serve(ctx, Conn{In: x.down.In, Out: x.down.Out})
}

func (x *pipeWire) lasting() bool { return false }

func (x *pipeWire) left(*seat) {} // closing the client hangs up

func (x *pipeWire) stop() {
	x.unread(history.Server, x.down.In)
	x.unread(history.Client, x.up.In)
	for _, end := range []netem.End{x.up, x.down} {
		// Closing an end of a pipe never errs, see package netem.
		_ = errors.Join(end.Out.Close(), end.In.Close())
	}
}

func (x *pipeWire) halfClose() {
	_ = x.up.Out.Close() // never errs, see package netem
}

func (x *pipeWire) abandon() {
	_ = errors.Join(x.down.Out.Close(), x.down.In.Close()) // neither errs
}

func (x *pipeWire) unread(receiver history.Side, in *netem.Reader) {
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
