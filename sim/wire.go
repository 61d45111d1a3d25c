package sim

import (
	"errors"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A wire is the connection of one world: two byte pipes, one a direction, with a
// tap at each end that tells the recorder what passes.
type wire struct {
	client, server Conn

	world    *world
	rec      *history.Recorder
	calls    *callBook
	up, down netem.End    // the client's end, the server's end
	frames   atomic.Int64 // so far, see passage
}

func newWire(w *world) *wire {
	x := &wire{world: w, rec: w.rec, calls: newCallBook(w.Client.Unmarked)}
	network := w.Scenario.Network
	x.up, x.down = netem.NewPair(netem.PairConfig{
		Profile: netem.Profile{Up: network.ClientToServer.direction(), Down: network.ServerToClient.direction()},
		Up:      x.rig("client_to_server", history.Client, network.ClientToServer, w.schedule.Seed),
		Down:    x.rig("server_to_client", history.Server, network.ServerToClient, w.schedule.Seed),
		Epoch:   w.start,
	})
	x.client = Conn{In: x.up.In, Out: x.up.Out}
	x.server = Conn{In: x.down.In, Out: x.down.Out}
	return x
}

// rig mounts the tap, the delays and the stalls on what sender writes.
func (x *wire) rig(direction string, sender history.Side, link Link, seed uint64) netem.Rig {
	t := &tap{wire: x, sender: sender}
	d := &delays{direction: direction, seed: seed, link: link.direction(), seen: map[FrameIdentity]int{}}
	return netem.Rig{
		Travel: func(s netem.Segment) netem.Travel { return d.travel(s, x.calls) },
		Stall:  link.Stall.Rule(d.stall),
		Tap:    netem.Tap{Write: t.write, Wrote: t.wrote, Read: t.read, EOF: t.eof, Hangup: t.hangup},
	}
}

// stop records what nobody ever read and takes the connection away.
func (x *wire) stop() {
	x.unread(history.Server, x.down.In)
	x.unread(history.Client, x.up.In)
	for _, end := range []netem.End{x.up, x.down} {
		// Closing an end of a pipe never errs, see package netem.
		_ = errors.Join(end.Out.Close(), end.In.Close())
	}
}

// halfClose closes the client's writing end. What was written still arrives.
func (x *wire) halfClose() {
	_ = x.up.Out.Close() // never errs, see package netem
}

// abandon closes both ends that the server has, as happens to the descriptors of
// a process that dies: what it had written still arrives, what it had not read is
// lost, and writing to it fails.
func (x *wire) abandon() {
	_ = errors.Join(x.down.Out.Close(), x.down.In.Close()) // neither errs
}

func (x *wire) unread(receiver history.Side, in *netem.Reader) {
	if x.rec == nil {
		return
	}
	for _, f := range in.Unread() {
		p := passageOf(f)
		for i, msg := range p.msgs {
			x.rec.Add(history.Event{
				Side: receiver, Kind: history.Unread, Call: x.calls.of(receiver.Peer(), msg),
				Frame: p.first + i, Msg: msg, Arrived: f.Arrived,
			})
		}
	}
}

// A tap watches one direction.
type tap struct {
	wire   *wire
	sender history.Side
}

func (t *tap) write(f *netem.Frame) {
	p := &passage{msgs: protocol.Messages(f.Bytes, t.wire.world.SpecVersion)}
	last := int(t.wire.frames.Add(int64(len(p.msgs))))
	p.first = last - len(p.msgs) + 1
	f.Tag = p
	for _, msg := range p.msgs {
		t.wire.calls.learn(t.sender, msg)
	}
	t.note(t.sender, history.Write, f, 0, nil)
}

func (t *tap) wrote(f *netem.Frame, err error) { t.note(t.sender, history.Wrote, f, 0, err) }

func (t *tap) read(f *netem.Frame) { t.note(t.sender.Peer(), history.Read, f, f.Arrived, nil) }

func (t *tap) note(side history.Side, kind history.Kind, f *netem.Frame, arrived time.Duration, err error) {
	p := passageOf(f)
	for i, msg := range p.msgs {
		call := t.wire.calls.of(t.sender, msg)
		if kind == history.Write {
			t.wire.world.expire(t.sender)
		}
		t.wire.rec.Add(history.Event{
			Side: side, Kind: kind, Call: call,
			Frame: p.first + i, Msg: msg, Arrived: arrived, Text: text(err),
		})
		t.wire.world.sawFrame(t.sender, kind, msg, call)
	}
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

// A passage is what the network carries at a time: a message, or a batch of them,
// each of which is a frame of its own to those who judge.
type passage struct {
	first int // the number of the first
	msgs  []*history.Message
}

// passageOf returns what the frame says. A frame that was written piecemeal is
// read again once it is complete, into the same message, so that the events of
// its first bytes show it too; a batch that was is no message.
func passageOf(f *netem.Frame) *passage {
	p, ok := f.Tag.(*passage)
	if !ok {
		return &passage{first: f.Index, msgs: []*history.Message{nil}}
	}
	if msg := p.msgs[0]; msg.Batch == 0 && len(msg.Raw) != len(f.Bytes) {
		*msg = *protocol.Identify(f.Bytes)
	}
	return p
}

// delays draws the delays of one direction. Each comes from what the frame is, so
// that a frame more or less never shifts another's. The pipe asks one segment
// after the other.
type delays struct {
	direction string
	seed      uint64
	link      netem.Direction
	seen      map[FrameIdentity]int // frames so far; the key's Occurrence is 0
}

// dither sets arrivals apart from everything else that happens in a world. It is
// less than a microsecond.
const dither = 1000

func (d *delays) travel(s netem.Segment, calls *callBook) netem.Travel {
	stream := &Stream{state: DelayHash(d.seed, d.identify(s, calls))}
	t := d.link.Travel(s, stream.Uint64, d.slot)
	t.Delay += time.Duration(stream.Below(dither))
	return t
}

// slot gives the bits of the direction's weather in a slot of time.
func (d *delays) slot(n uint64) uint64 {
	return NewStream(d.seed, "weather of "+d.direction, int(n)).Uint64()
}

// stall draws how long the n-th of the periods is in which the direction goes or
// does not go. They are the world's, whatever travels.
func (d *delays) stall(n int, length Distribution) time.Duration {
	return NewStream(d.seed, "stalls of "+d.direction, n).Dithered(length)
}

func (d *delays) identify(s netem.Segment, calls *callBook) FrameIdentity {
	id := FrameIdentity{Direction: d.direction}
	if s.EOF {
		id.Method = "end of stream"
		return id
	}
	msg := passageOf(s.Frame).msgs[0] // a batch travels as the first of it would
	if msg == nil {
		return id
	}
	id.Kind, id.Method, id.ID = msg.Kind, msg.Method, msg.ID+msg.Ref+msg.Token
	if msg.Kind == history.Notification {
		id.ID += msg.Sub
	}
	sender := history.Client
	if d.direction != "client_to_server" {
		sender = history.Server
	}
	if call := calls.of(sender, msg); call != 0 {
		// The call's own number, so that targets that count ids differently get the
		// same network.
		id.ID = "call " + strconv.Itoa(call)
	}
	key := id
	id.Occurrence = d.seen[key]
	if s.Part == 0 {
		d.seen[key]++
	}
	return id
}
