package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A ChangePlan says what the server's application changes while the load lasts: now
// the list of its tools, now one of the resources that the scenario's subscriptions
// are about. The zero ChangePlan changes nothing.
//
// Changes are made where the protocol version has subscriptions/listen, the server
// can tell of them and the client can ask.
type ChangePlan struct {
	Count int          // how many; at most maxChanges
	Every Distribution // from one to the next, the first since the load began
}

const maxChanges = 10_000

// A ScheduledChange is one of them.
type ScheduledChange struct {
	At   time.Duration `json:"at_ns"`          // since the load began
	Call int           `json:"call,omitempty"` // the subscription whose resource changes; 0: the list of tools does
}

// listens reports whether calls of the scenario can be subscriptions.
func (sc *Scenario) listens() bool {
	return slices.ContainsFunc(sc.Load.Requests, func(k RequestKind) bool { return k.Kind == protocol.Listen })
}

// expectedStay is about how long a call takes at the server, in nanoseconds, when
// one that a handler answers takes work: subscriptions stay for as long as they are
// kept.
func (sc *Scenario) expectedStay(work float64) float64 {
	var sum, weights float64
	for _, k := range sc.Load.Requests {
		stay := work
		if k.Kind == protocol.Listen {
			stay = float64(expected(k.For))
		}
		sum += float64(k.Weight) * stay
		weights += float64(k.Weight)
	}
	if weights == 0 {
		return work
	}
	return sum / weights
}

// listen makes a call one that opens a subscription: the application keeps it for
// a while, and then has no interest in it any more.
func (c *ScheduledCall) listen(keep time.Duration, seed uint64) {
	c.Cancel, c.Life = &keep, c.Life+keep
	c.Tools = NewStream(seed, "listen-tools", c.Call).Float64() < 0.5
}

// drawChanges draws the changes of a world whose calls have been drawn.
func drawChanges(p ChangePlan, calls []ScheduledCall, seed uint64) []ScheduledChange {
	var listens []int
	for _, c := range calls {
		if c.Method == protocol.Listen {
			listens = append(listens, c.Call)
		}
	}
	var out []ScheduledChange
	at := time.Duration(0)
	for i := range p.Count {
		at += NewStream(seed, "change", i+1).Dithered(p.Every)
		change := ScheduledChange{At: at}
		if n := uint64(len(listens)); n > 0 {
			if pick := NewStream(seed, "changed", i+1).Below(2 * n); pick < n {
				change.Call = listens[pick]
			}
		}
		out = append(out, change)
	}
	return out
}

func (d *decoder) changes(p *ChangePlan, n *node, path string) {
	d.mapping(n, path,
		key{"count", d.integer(&p.Count), "20"},
		key{"every", d.distribution(&p.Every), exampleExponential},
	)
}

// kept checks how long a subscription is kept, which other calls are not.
func (c *checker) kept(path string, k RequestKind) {
	switch {
	case k.Kind == protocol.Listen && k.For == (Distribution{}):
		c.fault(path, "for is missing, and nobody knows how long the subscription is kept", "write for: "+exampleExponential)
	case k.Kind == protocol.Listen:
		c.distribution(path+".for", k.For, maxHandlerTime)
	case k.For != (Distribution{}):
		c.fault(path+".for", "for has no meaning for "+quote(k.Kind), "leave it out: only a "+protocol.Listen+" is kept for a while")
	}
}

func (c *checker) changes(sc *Scenario) {
	p := sc.Changes
	if p == (ChangePlan{}) {
		return
	}
	c.integer("changes.count", p.Count, 1, maxChanges)
	c.distribution("changes.every", p.Every, maxDelay)
	if !sc.listens() {
		c.fault("changes", "nobody in this scenario asks to be told of changes",
			fmt.Sprintf("leave them out, or add - {kind: %s, for: 1s} to load.requests", protocol.Listen))
	}
}

func (w *yamlWriter) changes(p ChangePlan) {
	if p == (ChangePlan{}) {
		return
	}
	w.line("changes:")
	w.line("  count: %d", p.Count)
	w.line("  every: %s", formatDistribution(p.Every))
}
