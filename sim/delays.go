package sim

import (
	"strconv"
	"time"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim/history"
)

// delays draws the delays of one direction. Each comes from what the frame is, so
// that a frame more or less never shifts another's. The pipe asks one segment
// after the other.
type delays struct {
	direction string
	seed      uint64
	link      netem.Direction
	seen      map[FrameIdentity]int // frames so far; the key's Occurrence is 0
}

func newDelays(direction string, link Link, seed uint64) *delays {
	return &delays{direction: direction, seed: seed, link: link.direction(), seen: map[FrameIdentity]int{}}
}

// dither sets arrivals apart from everything else that happens in a world. It is
// less than a microsecond.
const dither = 1000

// travel draws how a segment travels. id is the identity of what it belongs to, but
// for its direction and its occurrence.
func (d *delays) travel(s netem.Segment, id FrameIdentity) netem.Travel {
	stream := &Stream{state: DelayHash(d.seed, d.number(s, id))}
	t := d.link.Travel(s, stream.Uint64, d.slot)
	t.Delay += time.Duration(stream.Below(dither))
	return t
}

// number completes an identity.
func (d *delays) number(s netem.Segment, id FrameIdentity) FrameIdentity {
	id.Direction = d.direction
	if s.EOF {
		return FrameIdentity{Direction: d.direction, Method: "end of stream", ID: id.ID}
	}
	key := id
	id.Occurrence = d.seen[key]
	if s.Part == 0 {
		d.seen[key]++
	}
	return id
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

// identityOf says what a frame is, but for its direction and its occurrence. A call's
// frames go by its own number, so that targets that count ids differently get the same
// network, and a batch travels as the first of it would.
func identityOf(p *passage) (id FrameIdentity) {
	msg := p.msgs[0]
	if msg == nil {
		return id
	}
	id.Kind, id.Method, id.ID = msg.Kind, msg.Method, msg.ID+msg.Ref+msg.Token
	if msg.Kind == history.Notification {
		id.ID += msg.Sub
	}
	if call := p.seat.calls.of(p.sender, msg); call != 0 {
		id.ID = "call " + strconv.Itoa(call)
	}
	return id
}
