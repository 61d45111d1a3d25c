package sim

import (
	"fmt"
	"math"
	"strings"

	"github.com/mcpsim/mcpsim/netem"
)

// String names a network the way a report does: "wan (5ms + exp 20ms each way)".
func (n Network) String() string {
	// A profile's name stands for its bandwidth.
	there, back := n.ClientToServer.text(n.Profile == ""), n.ServerToClient.text(n.Profile == "")
	text := there + " there, " + back + " back"
	if strings.Contains(there+back, ",") {
		text = there + " there; " + back + " back"
	}
	if there == back {
		text = there + " each way"
	}
	if n.Profile == "" {
		return text
	}
	return n.Profile + " (" + text + ")"
}

func (l Link) text(bandwidth bool) string {
	text := shortDistribution(l.Delay)
	if bandwidth && l.Bandwidth > 0 {
		text += ", " + formatBandwidth(l.Bandwidth)
	}
	if l.Correlation > 0 {
		text += ", correlated"
	}
	if l.Stall != (netem.Stall{}) {
		text += ", stalling"
	}
	if l.Coalesce != (Distribution{}) {
		text += ", coalesced"
	}
	if l.Split != (netem.Split{}) {
		text += ", in pieces"
	}
	if l.Loss > 0 {
		text += ", " + formatDecimal(math.Round(l.Loss*1e6)/1e4) + " % lost"
	}
	return text
}

// Wire says in one line how the two sides are joined, the way a report does: its
// network, and over HTTP what is out of the ordinary, each behind a semicolon.
func (sc *Scenario) Wire() string {
	parts := []string{sc.Network.String()}
	if n := sc.Load.Clients; n > 1 {
		parts = append(parts, fmt.Sprintf("%d clients a world", n))
	}
	p := sc.HTTP
	if p.Protocol == H2C {
		parts = append(parts, H2C)
	}
	if p.Instances > 1 {
		parts = append(parts, fmt.Sprintf("%d servers at one address", p.Instances))
	}
	for _, f := range p.Faults {
		parts = append(parts, f.text())
	}
	return strings.Join(parts, "; ")
}

// text is a fault in words: "hold 30 % of tools/call".
func (f HTTPFault) text() string {
	of := f.Of
	if of == "" {
		of = "all that is posted"
	}
	return f.Kind + " " + formatDecimal(math.Round(f.Share*1e6)/1e4) + " % of " + of
}

// shortDistribution is for people; [formatDistribution] is for files.
func shortDistribution(d Distribution) string {
	switch d.Distribution {
	case netem.Uniform:
		return formatDuration(d.Min) + " to " + formatDuration(d.Max)
	case netem.Normal:
		return formatDuration(d.Mean) + " ± " + formatDuration(d.StdDev)
	case netem.Exponential:
		if d.Offset == 0 {
			return "exp " + formatDuration(d.Mean)
		}
		return formatDuration(d.Offset) + " + exp " + formatDuration(d.Mean)
	case netem.Pareto:
		return fmt.Sprintf("Pareto from %s (shape %s)", formatDuration(d.Scale), formatDecimal(d.Shape))
	case netem.Empirical:
		if n := len(*d.Samples); n > 1 {
			return fmt.Sprintf("one of %d samples", n)
		}
		return formatDuration((*d.Samples)[0])
	case netem.Constant:
		if d.Value > 0 {
			return formatDuration(d.Value)
		}
	}
	return "no delay"
}
