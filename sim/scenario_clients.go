package sim

import (
	"fmt"
	"time"
)

// Total is how many calls a world has, of all its clients together.
func (l Load) Total() int { return max(l.Clients, 1) * l.Calls }

// place says whose call that is, of those numbered from 1 in a world: the number of the
// client that makes it, from 1, or 0 where there is one, and which of that client's it
// is, from 0.
func (l Load) place(call int) (client, own int) {
	if l.Clients > 1 {
		client = (call-1)/l.Calls + 1
	}
	return client, (call - 1) % l.Calls
}

// drawConnects draws when each of several clients connects; nil for one.
func drawConnects(l Load, seed uint64) []time.Duration {
	if l.Clients < 2 {
		return nil
	}
	out := make([]time.Duration, l.Clients)
	for i := range out {
		out[i] = NewStream(seed, "connect", i+1).Dithered(l.Connect)
	}
	return out
}

// clients reads how many clients there are. One says nothing.
func (d *decoder) clients(to *int) reader {
	return func(n *node, path string) {
		given := 1
		d.integer(&given)(n, path)
		if given < 1 || given > MaxClients {
			d.fault(n, path, fmt.Sprintf("%d is out of range", given), fmt.Sprintf("write a number from 1 to %d", MaxClients))
			return
		}
		if *to = given; given == 1 {
			*to = 0
		}
	}
}

// clients checks what several clients are told, and that there can be several.
func (c *checker) clients(sc *Scenario) {
	l := sc.Load
	if l.Clients < 2 && l.Connect != (Distribution{}) && !c.doubtful("load.clients") {
		c.fault("load.connect", "one client connects when the world begins", "leave it out, or write clients: 20")
	}
	if l.Clients == 0 {
		return
	}
	c.integer("load.clients", l.Clients, 2, MaxClients)
	c.distribution("load.connect", l.Connect, maxDelay)
	if late := longest(l.Connect); late >= sc.Limits.Horizon {
		c.fault("load.connect", fmt.Sprintf("a client may connect as late as %s, and the world has ended by %s", formatDuration(late), formatDuration(sc.Limits.Horizon)),
			"put a cap on it, or write a longer limits.horizon")
	}
	if !OverHTTP(sc.Transport) {
		c.fault("load.clients", "a server has one client over "+sc.Transport, "leave it out, or write transport: "+StreamableHTTP)
	}
	if l.Calls >= 1 && l.Calls <= MaxCalls && l.Total() > MaxCalls {
		c.fault("load.calls", fmt.Sprintf("%d clients would make %d calls in all, and a world has at most %d", l.Clients, l.Total(), MaxCalls),
			fmt.Sprintf("write %d or less, or have fewer clients", MaxCalls/l.Clients))
	}
}

func (w *yamlWriter) clients(l Load) {
	if l.Clients < 2 {
		return
	}
	w.line("  clients: %d", l.Clients)
	w.line("  connect: %s", formatDistribution(l.Connect))
}
