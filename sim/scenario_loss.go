package sim

import "fmt"

// maxLoss is the largest share of segments that may be lost: above it a connection
// does little else than to send again.
const maxLoss = 0.5

var lossCure = fmt.Sprintf("write a share of the segments from 0 (none) to %v, without quotes, such as 0.01", maxLoss)

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

func possibleLoss(loss float64) bool { return loss >= 0 && loss <= maxLoss } // not of NaN

// loss checks what a direction loses, and that the transport can.
func (c *checker) loss(path, transport string, l Link) {
	switch path += ".loss"; {
	case transport == Stdio && l.Loss != 0:
		c.fault(path, "impossible on "+onStream(Stdio, "loss"), "leave it out")
	case !possibleLoss(l.Loss):
		c.fault(path, fmt.Sprintf("%v is out of range", l.Loss), lossCure)
	}
}
