package sim

import (
	"cmp"
	"fmt"
	"time"

	"github.com/mcpsim/mcpsim/netem"
)

// linkOf returns a profile's direction as a scenario has it.
func linkOf(d netem.Direction) Link {
	l := Link{
		Delay:       d.Delay,
		Bandwidth:   8 * d.Bandwidth,
		Buffer:      int64(cmp.Or(d.Buffer, netem.DefaultBuffer)),
		Correlation: d.Correlation,
		Stall:       d.Stall,
		Coalesce:    d.Coalesce,
		Split:       d.Split,
		Loss:        d.Loss,
	}
	if l.Correlation > 0 {
		l.CorrelationTime = cmp.Or(d.CorrelationTime, netem.DefaultCorrelationTime)
	}
	return l
}

// direction is the link as the network has it.
func (l Link) direction() netem.Direction {
	return netem.Direction{
		Delay:           l.Delay,
		Bandwidth:       l.Bandwidth / 8,
		Buffer:          int(l.Buffer),
		Correlation:     l.Correlation,
		CorrelationTime: l.CorrelationTime,
		Stall:           l.Stall,
		Coalesce:        l.Coalesce,
		Split:           l.Split,
		Loss:            l.Loss,
	}
}

// expected is about how long a frame is under way, the wait for the end of a stall
// included: a frame comes at any instant of the period, and finds half a stall
// before it if it comes during one.
func (l Link) expected() time.Duration {
	d := expected(l.Delay) + l.resent() + expected(l.Coalesce) + time.Duration(max(l.Split.Pieces-1, 0))*expected(l.Split.Gap)
	if stall := expected(l.Stall.For); stall > 0 {
		share := float64(stall) / float64(stall+expected(l.Stall.Every))
		d += time.Duration(share * float64(stall/2))
	}
	return d
}

// link reads one direction. It replaces that of a profile as a whole.
func (d *decoder) link(to *Link, n *node, path string) {
	*to = linkOf(netem.Direction{})
	keys := []key{
		{"delay", d.distribution(&to.Delay), ""},
		{"bandwidth", figure(d, &to.Bandwidth, parseBandwidth), ""},
		{"buffer", figure(d, &to.Buffer, parseSize), ""},
		{"correlation", d.decimal(&to.Correlation, correlationCure), ""},
		{"correlation_time", figure(d, &to.CorrelationTime, parseDuration), ""},
		{"stall", func(n *node, path string) { d.stall(&to.Stall, n, path) }, ""},
		{"coalesce", d.distribution(&to.Coalesce), ""},
		{"split", func(n *node, path string) { d.split(&to.Split, n, path) }, ""},
	}
	d.mapping(d.possible(n, path), path, d.losing(keys, &to.Loss)...)
	if _, given := d.places[join(path, "correlation_time")]; !given && to.Correlation > 0 {
		to.CorrelationTime = netem.DefaultCorrelationTime
	}
}

func (d *decoder) stall(to *netem.Stall, n *node, path string) {
	d.mapping(n, path,
		key{"every", d.distribution(&to.Every), "{exponential: {mean: 1s}}"},
		key{"for", d.distribution(&to.For), "{uniform: {min: 50ms, max: 500ms}}"},
	)
	if *to == (netem.Stall{}) && len(n.entries) > 0 {
		d.fault(n, path, "this link would never stall", "write a duration above 0s for both, or leave it out")
	}
}

func (d *decoder) split(to *netem.Split, n *node, path string) {
	d.mapping(n, path,
		key{"pieces", d.integer(&to.Pieces), "3"},
		key{"gap", d.distribution(&to.Gap), "1ms"},
	)
	if *to == (netem.Split{}) && len(n.entries) > 0 {
		d.fault(n, path, "this would leave frames whole", "write 2 pieces or more, or leave it out")
	}
}

const correlationCure = "write a number from 0 (none) to 0.99, without quotes, such as 0.5"

// minStallEvery is the least expected time between two stalls: below it a link
// would do little else.
const minStallEvery = time.Millisecond

func (c *checker) link(path string, l Link) {
	c.distribution(path+".delay", l.Delay, maxDelay)
	if l.Bandwidth < 0 || l.Bandwidth > maxBandwidth || l.Bandwidth%8 != 0 {
		c.fault(path+".bandwidth", fmt.Sprintf("%d bit/s are out of range", l.Bandwidth),
			"write a multiple of 8bit/s up to "+formatBandwidth(maxBandwidth)+", or unlimited")
	}
	if l.Buffer < minBuffer || l.Buffer > maxBuffer {
		c.fault(path+".buffer", fmt.Sprintf("%d bytes are out of range", l.Buffer),
			fmt.Sprintf("write a size from %s to %s", formatSize(minBuffer), formatSize(maxBuffer)))
	}
	c.correlation(path, l)
	c.stall(path+".stall", l.Stall)
	c.distribution(path+".coalesce", l.Coalesce, maxDelay)
	if l.Split != (netem.Split{}) {
		c.integer(path+".split.pieces", l.Split.Pieces, 2, netem.MaxPieces)
		c.distribution(path+".split.gap", l.Split.Gap, maxDelay)
	}
}

func (c *checker) correlation(path string, l Link) {
	switch {
	case !(l.Correlation >= 0 && l.Correlation <= netem.MaxCorrelation): // not the other way round: NaN is neither
		c.fault(path+".correlation", fmt.Sprintf("%v is out of range", l.Correlation), correlationCure)
	case l.Correlation > 0:
		c.duration(path+".correlation_time", l.CorrelationTime, time.Millisecond, maxDelay)
	case l.CorrelationTime != 0:
		c.fault(path+".correlation_time", "it has no meaning without a correlation", "write correlation: 0.5, or leave it out")
	}
}

func (c *checker) stall(path string, s netem.Stall) {
	if s == (netem.Stall{}) {
		return
	}
	c.distribution(path+".every", s.Every, maxDelay)
	c.distribution(path+".for", s.For, maxDelay)
	if expected(s.Every) < minStallEvery {
		c.fault(path+".every", "the link would stall every "+formatDuration(expected(s.Every)), "write "+formatDuration(minStallEvery)+" or more")
	}
	if expected(s.For) <= 0 {
		c.fault(path+".for", "a stall that lasts 0s is none", "write a duration above 0s, or leave the stall out")
	}
}

// stalls checks that a world does not stall more often than anybody wants to wait
// for.
func (c *checker) stalls(path string, s netem.Stall, horizon time.Duration) {
	if s == (netem.Stall{}) {
		return
	}
	if n := horizon / (expected(s.Every) + expected(s.For)); n > maxStalls {
		c.fault(path+".every", fmt.Sprintf("the link would stall about %d times in %s, and may %d times", n, formatDuration(horizon), maxStalls),
			"stall more rarely, or lower the horizon")
	}
}

const maxStalls = 1_000_000

// link writes one direction, without what the link does not have.
func (w *yamlWriter) link(name string, l Link) {
	w.line("  %s:", name)
	w.line("    delay: %s", formatDistribution(l.Delay))
	w.line("    bandwidth: %s", formatBandwidth(l.Bandwidth))
	w.line("    buffer: %s", formatSize(l.Buffer))
	if l.Correlation != 0 {
		w.line("    correlation: %s", formatDecimal(l.Correlation))
		w.line("    correlation_time: %s", formatDuration(l.CorrelationTime))
	}
	if l.Stall != (netem.Stall{}) {
		w.line("    stall: {every: %s, for: %s}", formatDistribution(l.Stall.Every), formatDistribution(l.Stall.For))
	}
	if l.Coalesce != (Distribution{}) {
		w.line("    coalesce: %s", formatDistribution(l.Coalesce))
	}
	if l.Loss != 0 {
		w.line("    loss: %s", formatShare(l.Loss))
	}
	if l.Split != (netem.Split{}) {
		w.line("    split: {pieces: %d, gap: %s}", l.Split.Pieces, formatDistribution(l.Split.Gap))
	}
}
