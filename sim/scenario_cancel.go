package sim

import (
	"fmt"
	"slices"
	"strconv"
)

// A CancelPlan says which calls are cancelled, when, and how.
type CancelPlan struct {
	Share float64 // of the calls, 0 to 1; the rest are left alone, as control
	When  string  // Uniform or Aimed
	// Aims are what Aimed cancels are aimed at: one of them is drawn for each call.
	Aims []Aim
	// Timeouts is the share of the cancelled calls, 0 to 1, that are not cancelled
	// by their caller but have a deadline at the same instant. It is 0 where
	// cancels wait for an event.
	Timeouts float64
	// Reason is what the caller gives as its reason; empty: nothing.
	Reason string
	// Repeat is how many times each cancel is written again, by a client that can.
	Repeat int
	// Together is the share of the cancelled calls, 0 to 1, whose cancel is written
	// with the request, in one Write, by a client that can.
	Together float64
	// Strays are cancels that are not for a call that goes on, likewise, by kind.
	Strays []Share
}

// When calls are cancelled.
const (
	// Uniform: anywhere in the call's expected life, which is the way there, the
	// tool's work and the way back.
	Uniform = "uniform"
	// Aimed: at a distance from an event of the call.
	Aimed = "aimed"
)

// An Aim is an event of a call, and how far from it the call is cancelled.
type Aim struct {
	Event  string       // see CancelEvents
	Weight int          // its share is Weight in the sum of weights
	Offset Distribution // after the event
	// Before is how long before the event, instead of Offset. Only the end of a
	// handler is known beforehand: it follows from the schedule.
	Before Distribution
}

// The events that a cancel can be aimed at, in the order of a call's life.
const (
	AtIssued       = "issued"        // the application made the call
	AtWritten      = "written"       // the client's writing of the request has returned
	AtRead         = "read"          // the server's reading returned the request
	AtStarted      = "started"       // the handler was entered
	AtProgress     = "progress"      // the handler reported progress for the first time
	AtEnded        = "ended"         // the handler has returned
	AtAnswered     = "answered"      // the server has begun to write the response
	AtResponseRead = "response-read" // the client's reading returned the response
	AtReturned     = "returned"      // the caller has its result
)

// CancelEvents returns the events that a cancel can be aimed at.
func CancelEvents() []string {
	return []string{AtIssued, AtWritten, AtRead, AtStarted, AtProgress, AtEnded, AtAnswered, AtResponseRead, AtReturned}
}

func (d *decoder) cancel(p *CancelPlan, n *node, path string) {
	d.mapping(n, path,
		key{"share", d.share(&p.Share), "0.725"},
		key{"when", func(n *node, path string) { d.when(p, n, path) }, ""},
		key{"timeouts", d.share(&p.Timeouts), ""},
		key{"reason", d.text(&p.Reason, "the user pressed stop"), ""},
		key{"repeat", d.integer(&p.Repeat), ""},
		key{"together", d.share(&p.Together), ""},
		key{"strays", d.shares(&p.Strays, exampleStrays, Unknown), ""},
	)
}

// when reads "uniform", or an event to aim at, or a list of such events.
func (d *decoder) when(p *CancelPlan, n *node, path string) {
	switch n.kind {
	case aMapping:
		p.When, p.Aims = Aimed, []Aim{d.aim(n, path)}
	case aList:
		p.When, p.Aims = Aimed, nil
		d.list(n, path, exampleAim, func(n *node, path string) { p.Aims = append(p.Aims, d.aim(n, path)) })
	default:
		d.text(&p.When, Uniform)(n, path)
	}
}

const exampleAim = "- {event: started, offset: {uniform: {min: 0s, max: 1ms}}}"

func (d *decoder) aim(n *node, path string) Aim {
	a := Aim{Weight: 1}
	d.mapping(n, path,
		key{"event", d.text(&a.Event, AtStarted), AtStarted},
		key{"weight", d.integer(&a.Weight), ""},
		key{"offset", d.distribution(&a.Offset), ""},
		key{"before", d.distribution(&a.Before), ""},
	)
	return a
}

func (c *checker) cancel(p CancelPlan) {
	if !(p.Share >= 0 && p.Share <= 1) { // not the other way round: NaN is neither
		c.fault("cancel.share", fmt.Sprintf("%v is no share", p.Share), shareCure)
	}
	if p.When != Uniform && (p.When != Aimed || len(p.Aims) == 0) {
		c.fault("cancel.when", quote(p.When)+" is not possible here", "write "+Uniform+", or an event to aim at: {event: started, offset: 1ms}")
	}
	c.aims(p)
	if !(p.Timeouts >= 0 && p.Timeouts <= 1) {
		c.fault("cancel.timeouts", fmt.Sprintf("%v is no share", p.Timeouts), shareCure)
	}
	if waits := func(a Aim) bool { return a.Event != AtIssued }; p.Timeouts > 0 && slices.ContainsFunc(p.Aims, waits) {
		c.fault("cancel.timeouts", "a deadline is set when the call is made, and cannot wait for an event", "leave it out, or aim at issued alone")
	}
	if len(p.Reason) > maxReason || !oneLine(p.Reason) {
		c.fault("cancel.reason", fmt.Sprintf("this is not one line of at most %d bytes", maxReason), "write a short sentence: the user pressed stop")
	}
	c.integer("cancel.repeat", p.Repeat, 0, maxRepeat)
	c.share("cancel.together", p.Together)
	c.shares("cancel.strays", exampleStrays, p.Strays, StrayKinds())
}

func (c *checker) aims(p CancelPlan) {
	if n := len(p.Aims); n > maxHandlers || n > 0 && p.When != Aimed {
		c.fault("cancel.when", fmt.Sprintf("there are %d events to aim at", n), fmt.Sprintf("list 1 to %d, such as %s, or write %s", maxHandlers, exampleAim, Uniform))
	}
	for i, a := range p.Aims {
		path := fmt.Sprintf("cancel.when[%d]", i)
		c.oneOf(path+".event", a.Event, CancelEvents()...)
		c.integer(path+".weight", a.Weight, 1, maxWeight)
		c.distribution(path+".offset", a.Offset, maxHandlerTime)
		c.distribution(path+".before", a.Before, maxHandlerTime)
		early := a.Before != Distribution{}
		switch {
		case early && a.Event != AtEnded:
			c.fault(path+".before", "what happens before "+a.Event+" is not known beforehand", "write offset, or aim at "+AtEnded)
		case early && a.Offset != Distribution{}:
			c.fault(path+".before", "before and offset are both there", "leave one out")
		}
	}
}

// cancel leaves out what would say nothing.
func (w *yamlWriter) cancel(p CancelPlan) {
	w.line("cancel:")
	w.line("  share: %s", formatShare(p.Share))
	if p.When == Aimed {
		w.line("  when:")
	} else {
		w.line("  when: %s", p.When)
	}
	for _, a := range p.Aims {
		how, distance := "offset", a.Offset
		if a.Before != (Distribution{}) {
			how, distance = "before", a.Before
		}
		w.line("    - {event: %s, weight: %d, %s: %s}", a.Event, a.Weight, how, formatDistribution(distance))
	}
	if p.Timeouts > 0 {
		w.line("  timeouts: %s", formatShare(p.Timeouts))
	}
	if p.Reason != "" {
		w.line("  reason: %s", strconv.Quote(p.Reason))
	}
	if p.Repeat > 0 {
		w.line("  repeat: %d", p.Repeat)
	}
	if p.Together > 0 {
		w.line("  together: %s", formatShare(p.Together))
	}
	w.shares("  ", "strays", p.Strays)
}

func formatShare(share float64) string { return strconv.FormatFloat(share, 'f', -1, 64) }
