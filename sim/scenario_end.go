package sim

import (
	"fmt"
	"slices"
	"time"
)

// An EndPlan says how the session ends while calls are in flight. The zero
// EndPlan leaves it alone until all calls have returned, the world is quiet and a
// health probe was answered; then the application closes it.
type EndPlan struct {
	How string // see EndKinds, or EndAny; empty: no such end
	// At is when, since the load began; with several clients, since the first of them
	// could connect. Callers make no further calls from then on. It has to come before
	// the horizon.
	At Distribution
}

// The ways in which a session can end while calls are in flight.
const (
	EndClose     = "close"       // the application closes its client
	EndHalfClose = "half-close"  // the client's writing end is closed on the wire; the client reads on; stdio alone
	EndExit      = "server-exit" // the server's process dies; over HTTP it leaves every connection, and there is nobody to connect to any more
	EndStop      = "server-stop" // the server's application ends the context of its server's run; over HTTP it shuts its server down
	// EndAny is one of these or none: each seed draws.
	EndAny = "any"
)

// EndKinds returns the ways in which a session can end while calls are in flight.
func EndKinds() []string { return []string{EndClose, EndHalfClose, EndExit, EndStop} }

// endsOver returns those of them that a transport has. Over HTTP a client has no
// writing end that could close by itself: what it says is requests, each of which ends.
func endsOver(transport string) []string {
	if OverHTTP(transport) {
		return []string{EndClose, EndExit, EndStop}
	}
	return EndKinds()
}

// A ScheduledEnd is the end of one world's session.
type ScheduledEnd struct {
	How string        `json:"how"`   // see EndKinds
	At  time.Duration `json:"at_ns"` // since the load began
}

// drawEnd draws when the session ends, and of the ways that its transport has in which;
// nil without a plan.
func drawEnd(p EndPlan, ways []string, seed uint64) *ScheduledEnd {
	if p.How == "" {
		return nil
	}
	how := p.How
	if how == EndAny {
		n := NewStream(seed, "end-how", 0).Below(uint64(len(ways) + 1))
		if n == uint64(len(ways)) {
			return nil
		}
		how = ways[n]
	}
	return &ScheduledEnd{How: how, At: NewStream(seed, "end", 0).Dithered(p.At)}
}

func (d *decoder) end(p *EndPlan, n *node, path string) {
	d.mapping(n, path,
		key{"how", d.text(&p.How, EndClose), EndClose},
		key{"at", d.distribution(&p.At), exampleEnd},
	)
}

const exampleEnd = "{uniform: {min: 50ms, max: 2s}}"

// lastsAtMost is a bound of how long the load takes where the session ends early:
// until its end, and for as long as a tool may then still be at work.
func (sc *Scenario) lastsAtMost() time.Duration {
	d := time.Duration(0)
	for _, h := range sc.Handlers {
		d = max(d, h.longest())
	}
	return longest(sc.End.At) + d
}

func (c *checker) end(sc *Scenario) {
	p, horizon := sc.End, sc.Limits.Horizon
	if p == (EndPlan{}) {
		return
	}
	ways := append(endsOver(sc.Transport), EndAny)
	if p.How == EndHalfClose && !slices.Contains(ways, p.How) {
		c.fault("end.how", "impossible on "+sc.Transport+": a client has no writing end there that could close while it reads on, since each message is a request of its own",
			"write "+oneOf(ways))
	} else {
		c.oneOf("end.how", p.How, ways...)
	}
	c.distribution("end.at", p.At, maxDelay)
	if late := longest(p.At); late >= horizon {
		c.fault("end.at", fmt.Sprintf("the session may end as late as %s, and the world has ended by %s", formatDuration(late), formatDuration(horizon)),
			"put a cap on it, or write a longer limits.horizon")
	}
}

func (w *yamlWriter) end(p EndPlan) {
	if p.How == "" {
		return
	}
	w.line("end:")
	w.line("  how: %s", p.How)
	w.line("  at: %s", formatDistribution(p.At))
}
