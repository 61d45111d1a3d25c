package sim

import (
	"fmt"
	"time"

	"github.com/mcpsim/mcpsim/netem"
)

var lossCure = fmt.Sprintf("write a share of the segments from 0 (none) to %v, without quotes, such as 0.01", netem.MaxLoss)

// losing adds the key for a loss to those of a network, or of a direction, of a
// transport that can lose something.
func (d *decoder) losing(keys []key, to *float64) []key {
	if d.transport == Stdio {
		return keys
	}
	return append(keys, key{"loss", d.decimal(to, lossCure), ""})
}

// lossy puts the loss of the network as a whole into the directions that do not name
// their own.
func (d *decoder) lossy(to *Network, loss float64, path string) {
	if !possibleLoss(loss) {
		d.fault(d.places[join(path, "loss")], join(path, "loss"), fmt.Sprintf("%v is out of range", loss), lossCure)
		return
	}
	put := func(l *Link, direction string) {
		if _, given := d.places[join(join(path, direction), "loss")]; !given {
			l.Loss = loss
		}
	}
	put(&to.ClientToServer, "client_to_server")
	put(&to.ServerToClient, "server_to_client")
}

func possibleLoss(loss float64) bool { return loss >= 0 && loss <= netem.MaxLoss } // not of NaN

// loss checks what a direction loses, and that the transport can.
func (c *checker) loss(path, transport string, l Link) {
	switch path += ".loss"; {
	case transport == Stdio && l.Loss != 0:
		c.fault(path, "impossible on "+onStream(Stdio, "loss"), "leave it out")
	case !possibleLoss(l.Loss):
		c.fault(path, fmt.Sprintf("%v is out of range", l.Loss), lossCure)
	}
}

// resent is about how much later a segment arrives because it can be lost: each loss
// costs a timeout that is twice the one before, of which the first is a round trip and
// some. Where half of everything is lost that has no end; then it is taken to be long.
func (l Link) resent() time.Duration {
	first := float64(2*expected(l.Delay) + netem.LeastVariance)
	return time.Duration(first * l.Loss / max(1-2*l.Loss, 0.05))
}
