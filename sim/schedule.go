package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim/clock"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A Schedule is a scenario and a seed fully expanded: every call with what its
// tool does and when it is cancelled. It is the reproducible artefact of a world.
// Delays of the network are not in it, since they belong to frames that only come
// to be while the world runs; they follow from the seed by [DelayHash].
//
// A schedule does not depend on the protocol version or on the targets: the same
// seed asks the same of everyone.
type Schedule struct {
	Scenario      string          `json:"scenario"`
	Seed          uint64          `json:"seed"`
	Scheduler     string          `json:"scheduler"` // Shuffled or FIFO
	SchedulerSeed uint64          `json:"scheduler_seed"`
	Calls         []ScheduledCall `json:"calls"`         // Calls[i].Call is i+1; client by client
	End           *ScheduledEnd   `json:"end,omitempty"` // nil: closed once everything is quiet
	// Connects is when each of several clients connects, since the world began; nil: there
	// is one, which connects at once.
	Connects []time.Duration `json:"connects_ns,omitempty"`
	// Changes are what the server's application changes, by their instants.
	Changes []ScheduledChange `json:"changes,omitempty"`
}

// A ScheduledCall is one call of a world. Every duration in it has a few hundred
// nanoseconds of its own, so that no two acts fall on one instant by design.
type ScheduledCall struct {
	Call     int           `json:"call"`                 // from 1
	Client   int           `json:"client,omitempty"`     // which of several makes it, from 1; 0: there is one
	Caller   int           `json:"caller"`               // which of the client's, from 0; with open arrivals each call has a caller of its own
	Think    time.Duration `json:"think_ns"`             // before it is issued, since its caller's last call returned or the load began
	Method   string        `json:"method"`               // see Methods
	Tool     string        `json:"tool"`                 // the name of the tool or prompt; empty where no code of the application's answers
	Handler  string        `json:"handler"`              // the kind of that code
	Work     time.Duration `json:"work_ns"`              // how long the tool takes if nobody stops it
	Every    time.Duration `json:"every_ns,omitempty"`   // checkpoint, chatty: from one look, or report, to the next; polling: how long the client is to stay away
	Cleanup  time.Duration `json:"cleanup_ns,omitempty"` // slow-cleanup: from being told to stopping
	Progress bool          `json:"progress,omitempty"`   // the caller asks for progress
	Asks     *ScheduledAsk `json:"asks,omitempty"`       // asking: what its tool asks the client
	// Life is how long the call is expected to take from being issued to returning
	// when nobody cancels it: the way there, the work and the way back.
	Life time.Duration `json:"life_ns"`
	// Cancel is when the caller loses interest, since the call was issued, from 1 ns
	// to Life; nil for a call that is left alone as control, or has an Aim.
	Cancel *time.Duration `json:"cancel_ns,omitempty"`
	// Aim is the event of the call from which on its cancel is timed; nil: none.
	Aim *ScheduledAim `json:"aim,omitempty"`
	// Tools says of a subscription that it is about the list of tools, too.
	Tools bool `json:"tools,omitempty"`
	// Deadline says that Cancel is a deadline that the call is made with.
	Deadline bool `json:"deadline,omitempty"`
	// Token is the progress token of a call that asks for progress; empty: its own.
	Token string `json:"token,omitempty"`
	// Mischief is what a peer that can does on purpose; nil: nothing.
	Mischief *Mischief `json:"mischief,omitempty"`
	// Task is what the caller of a call does that is made as a task; nil: it is none.
	// What it does when it loses interest has the instant of Cancel or of Aim.
	Task *ScheduledTask `json:"task,omitempty"`
}

// A ScheduledTask is a [TaskPlan] drawn for one call.
type ScheduledTask struct {
	Wait   string        `json:"wait"`
	Every  time.Duration `json:"every_ns,omitempty"`
	GiveUp string        `json:"give_up"`
	Then   []string      `json:"then,omitempty"`
}

// A ScheduledAim is when a caller loses interest, since an event of its call.
type ScheduledAim struct {
	Event  string        `json:"event"`     // see CancelEvents
	Offset time.Duration `json:"offset_ns"` // below 0: before the end of the handler, if nobody stops it
}

// Expand draws the schedule of one seed. The scheduler's seed follows from the
// seed unless it is given; nothing else in the schedule depends on it. The same
// arguments give the same schedule.
//
// The scenario must be valid, as those of [Parse] are. Since this runs once a
// world, only what nothing could be drawn from is looked for again.
func Expand(sc *Scenario, seed uint64, schedulerSeed *uint64) (*Schedule, error) {
	if !sc.drawable() {
		return nil, fmt.Errorf("expand %s: %w", sc.Name, sc.Validate())
	}
	s := &Schedule{
		Scenario:      sc.Name,
		Seed:          seed,
		Scheduler:     sc.Scheduler,
		SchedulerSeed: NewStream(seed, "scheduler", 0).Uint64(),
		Calls:         make([]ScheduledCall, sc.Load.Total()),
		Connects:      drawConnects(sc.Load, seed),
		End:           drawEnd(sc.End, endsOver(sc.Transport), seed),
	}
	if schedulerSeed != nil {
		s.SchedulerSeed = *schedulerSeed
	}
	for i := range s.Calls {
		s.Calls[i] = expandCall(sc, seed, i+1)
	}
	if sc.Load.Arrivals == Open {
		s.open(sc.Load)
	}
	s.Changes = drawChanges(sc.Changes, s.Calls, seed)
	s.drawMischief(sc)
	return s, nil
}

// open makes what each call waits for before it is issued run from its client's call
// before, as a Poisson process of so many calls a second, and gives it a caller of
// its own.
func (s *Schedule) open(l Load) {
	between := Distribution{Distribution: netem.Exponential, Mean: time.Duration(float64(time.Second) / l.Rate)}
	at := time.Duration(0)
	for i := range s.Calls {
		_, own := l.place(i + 1)
		if own == 0 {
			at = 0
		}
		at += NewStream(s.Seed, "arrival", i+1).Dithered(between)
		s.Calls[i].Caller, s.Calls[i].Think = own, at
	}
}

// drawable reports whether there are calls to draw, and something to draw them
// from. What is not drawable is not valid either.
func (sc *Scenario) drawable() bool {
	weightless := func(h Handler) bool { return h.Weight < 1 || h.Weight > maxWeight }
	unknown := func(k RequestKind) bool {
		_, known := lookupMethod(k.Kind)
		return !known || k.Weight < 1 || k.Weight > maxWeight
	}
	idle := func(k IDKind) bool { return k.Weight < 1 || k.Weight > maxWeight }
	l := sc.Load
	closed := l.Arrivals != Open && l.Callers >= 1 && l.Callers <= MaxCallers
	return l.Calls >= 1 && l.Clients >= 0 && l.Clients <= MaxClients && l.Total() <= MaxCalls && (closed || l.Arrivals == Open && l.Rate >= minRate) &&
		len(sc.Handlers) > 0 && !slices.ContainsFunc(sc.Handlers, weightless) &&
		!slices.ContainsFunc(l.Requests, unknown) && !slices.ContainsFunc(l.IDs, idle)
}

// expandCall draws one call. Each figure comes from a stream of its own.
func expandCall(sc *Scenario, seed uint64, call int) ScheduledCall {
	draw := func(label string, d Distribution) time.Duration {
		return NewStream(seed, label, call).Dithered(d)
	}
	client, own := sc.Load.place(call)
	c := ScheduledCall{
		Call:   call,
		Client: client,
		Caller: own % max(sc.Load.Callers, 1),
		Think:  draw("think", sc.Load.Think),
	}
	kind := pickKind(sc.Load.Requests, NewStream(seed, "request", call))
	c.Method = kind.Kind
	if m, _ := lookupMethod(kind.Kind); m.runs {
		h := pickHandler(sc.Handlers, NewStream(seed, "handler", call))
		c.runs(h, draw)
		c.Asks = h.Asks.draw(sc.Load.Total()+call, draw)
	}
	c.Life = c.Work + sc.Network.roundTrip()
	if c.Asks != nil {
		c.Life += c.Asks.Work + sc.Network.roundTrip()
	}
	if c.Method == protocol.Listen {
		c.listen(draw("keep", kind.For), seed)
	} else {
		c.drawCancel(sc.Cancel, seed)
	}
	if task := kind.Task; task != nil {
		c.Task = &ScheduledTask{Wait: task.Wait, GiveUp: task.GiveUp, Then: task.Then}
		if task.Wait == ByPolling {
			c.Task.Every = draw("task-every", task.Every)
		}
		c.Deadline = false // a task outlives the request that a deadline ends
	}
	return c
}

// runs has the call answered by a handler, whose figures are drawn.
func (c *ScheduledCall) runs(h Handler, draw func(label string, d Distribution) time.Duration) {
	c.Tool, c.Handler = h.Kind, h.Kind
	c.Work = draw("work", h.Work)
	c.Progress = h.Kind == Chatty
	switch {
	case h.steps():
		c.Every = max(draw("every", h.Every), c.Work/maxSteps)
	case h.Kind == Polling:
		c.Every = draw("every", h.Every)
	}
	if h.Kind == SlowCleanup {
		c.Cleanup = draw("cleanup", h.Cleanup)
	}
}

// pickHandler draws a handler by weight.
func pickHandler(handlers []Handler, s *Stream) Handler {
	return pick(handlers, func(h Handler) int { return h.Weight }, s)
}

// pickKind draws what kind of request a call is, by weight.
func pickKind(kinds []RequestKind, s *Stream) RequestKind {
	if len(kinds) == 0 {
		return RequestKind{Kind: protocol.ToolsCall}
	}
	return pick(kinds, func(k RequestKind) int { return k.Weight }, s)
}

// pick draws one of several by weight. The sum of weights is above 0.
func pick[T any](all []T, weight func(T) int, s *Stream) T {
	sum := 0
	for _, x := range all {
		sum += weight(x)
	}
	n := int(s.Below(uint64(sum)))
	for _, x := range all {
		if n -= weight(x); n < 0 {
			return x
		}
	}
	panic("a draw below the sum of weights hits nothing")
}

// drawCancel decides whether a call is cancelled, and when. A uniform cancel comes
// anywhere in the call's expected life: since the network draws its delays later,
// some come before the request has arrived, most while the tool is at work, and
// some when the response is under way or has been read.
func (c *ScheduledCall) drawCancel(p CancelPlan, seed uint64) {
	if NewStream(seed, "cancelled", c.Call).Float64() >= p.Share {
		return
	}
	if p.When == Aimed {
		c.Aim = drawAim(p.Aims, seed, c.Call)
	} else {
		at := 1 + time.Duration(NewStream(seed, "cancel", c.Call).Below(uint64(c.Life)))
		c.Cancel = &at
	}
	if c.Aim != nil && c.Aim.Event == AtIssued {
		c.Cancel, c.Aim = &c.Aim.Offset, nil
	}
	c.Deadline = c.Cancel != nil && NewStream(seed, "deadline", c.Call).Float64() < p.Timeouts
}

// drawAim draws what a call's cancel is aimed at.
func drawAim(aims []Aim, seed uint64, call int) *ScheduledAim {
	a := pick(aims, func(a Aim) int { return a.Weight }, NewStream(seed, "aim", call))
	distance := NewStream(seed, "aim-distance", call)
	if a.Before != (Distribution{}) {
		return &ScheduledAim{Event: a.Event, Offset: -distance.Dithered(a.Before)}
	}
	return &ScheduledAim{Event: a.Event, Offset: distance.Dithered(a.Offset)}
}

// ByCaller returns the calls of each caller in the order in which it makes them,
// by the clients' numbers and theirs.
func (s *Schedule) ByCaller() [][]ScheduledCall {
	var out [][]ScheduledCall
	first := 0 // of the client's callers
	for i, c := range s.Calls {
		if i > 0 && c.Client != s.Calls[i-1].Client {
			first = len(out)
		}
		for len(out) <= first+c.Caller {
			out = append(out, nil)
		}
		out[first+c.Caller] = append(out[first+c.Caller], c)
	}
	return out
}

// Chance returns the seeds for the runtime of the world.
func (s *Schedule) Chance() clock.Seeds {
	return clock.Seeds{
		Runtime:   NewStream(s.Seed, "runtime", 0).Uint64(),
		Scheduler: s.SchedulerSeed,
		Shuffled:  s.Scheduler == Shuffled,
	}
}
