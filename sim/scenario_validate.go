package sim

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Validate returns a [*ScenarioError] with everything that is impossible or
// beyond the bounds, or nil. [Parse] returns valid scenarios only; whoever builds
// one in code or changes one calls Validate.
func (sc *Scenario) Validate() error {
	var c checker
	c.scenario(sc)
	return faulty(sc.Name, c.faults)
}

// A checker gathers faults. What was already found to be wrong while reading is
// not complained about twice.
type checker struct {
	faults []Fault
	place  func(path string) (line, column int) // nil: there is no file
	known  func(path string) bool               // there is a fault about path already; nil: there is none
	Vocabulary
}

func (c *checker) fault(path, problem, cure string) {
	if c.doubtful(path) {
		return
	}
	f := Fault{Path: path, Problem: problem, Cure: cure}
	if c.place != nil {
		f.Line, f.Column = c.place(path)
	}
	c.faults = append(c.faults, f)
}

// doubtful reports whether something about path is at fault already.
func (c *checker) doubtful(path string) bool { return c.known != nil && c.known(path) }

func (c *checker) scenario(sc *Scenario) {
	c.words(sc)
	c.specVersions(sc)
	c.http(sc)
	c.load(sc.Load)
	c.clients(sc)
	c.link("network.client_to_server", sc.Network.ClientToServer)
	c.link("network.server_to_client", sc.Network.ServerToClient)
	c.loss("network.client_to_server", sc.Transport, sc.Network.ClientToServer)
	c.loss("network.server_to_client", sc.Transport, sc.Network.ServerToClient)
	c.handlers(sc.Handlers)
	c.cancel(sc.Cancel)
	c.shares("mischief", exampleMischief, sc.Mischief, ServerMischief())
	c.changes(sc)
	c.end(sc)
	c.duration("limits.horizon", sc.Limits.Horizon, time.Second, maxHorizon)
	c.duration("limits.settle", sc.Limits.Settle, time.Millisecond, maxHorizon)
	c.requirements(sc)
	if len(c.faults) == 0 {
		c.fits(sc)
	}
}

var (
	nameForm   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	ruleForm   = regexp.MustCompile(`^[A-Z][A-Z0-9]*(-[A-Z0-9]+)+$`)
	targetForm = regexp.MustCompile(`^[a-z0-9][A-Za-z0-9:._-]*(\+[a-z0-9-]+)*(@[^\x00-\x1f\x7f]+)?$`)
)

// words checks what is one word or one line.
func (c *checker) words(sc *Scenario) {
	if !nameForm.MatchString(sc.Name) || len(sc.Name) > 64 {
		c.fault("name", quote(sc.Name)+" is no name", "write lower-case letters, digits and single hyphens, 64 at most: cancel-storm")
	}
	if strings.TrimSpace(sc.Summary) == "" || len(sc.Summary) > 300 || !oneLine(sc.Summary) {
		c.fault("summary", "this is not one line of 1 to 300 bytes", "say in one sentence what the scenario hunts")
	}
	c.target("client", sc.Client)
	c.target("server", sc.Server)
	c.oneOf("scheduler", sc.Scheduler, Shuffled, FIFO)
	if sc.Unphysical {
		c.fault("unphysical", "a "+sc.Transport+" stream delivers everything, once and in order, and this version of mcpsim cannot break that even on request",
			"leave unphysical out")
	}
}

func oneLine(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

func (c *checker) oneOf(path, word string, legal ...string) {
	if !slices.Contains(legal, word) {
		c.fault(path, quote(word)+" is not possible here", choose(word, legal))
	}
}

func (c *checker) target(path, name string) {
	if !targetForm.MatchString(name) || len(name) > 4096 {
		c.fault(path, quote(name)+" is no target", "write one that `mcpsim list targets` shows, such as go-sdk")
		return
	}
	base := ReadTyped(name).Name
	if c.Targets != nil && !slices.Contains(c.Targets, base) {
		c.fault(path, quote(base)+" is no target", choose(base, c.Targets))
	}
}

func (c *checker) specVersions(sc *Scenario) {
	if len(sc.SpecVersions) == 0 {
		c.fault("spec_versions", "the list is empty", "write ["+strings.Join(SpecVersions(), ", ")+"], or leave it out")
	}
	for i, v := range sc.SpecVersions {
		path := fmt.Sprintf("spec_versions[%d]", i)
		c.oneOf(path, v, SpecVersions()...)
		if slices.Contains(sc.SpecVersions[:i], v) {
			c.fault(path, v+" is listed twice", "leave one out")
		}
	}
}

func (c *checker) integer(path string, n, least, most int) {
	if n < least || n > most {
		c.fault(path, fmt.Sprintf("%d is out of range", n), fmt.Sprintf("write a number from %d to %d", least, most))
	}
}

func (c *checker) duration(path string, d, least, most time.Duration) {
	if d < least || d > most {
		c.fault(path, formatDuration(d)+" is out of range",
			fmt.Sprintf("write a duration from %s to %s", formatDuration(least), formatDuration(most)))
	}
}

func (c *checker) handlers(handlers []Handler) {
	if n := len(handlers); n == 0 || n > maxHandlers {
		c.fault("handlers", fmt.Sprintf("there are %d", n), fmt.Sprintf("list 1 to %d, such as - {kind: cooperative, work: 100ms}", maxHandlers))
	}
	for i, h := range handlers {
		c.handler(fmt.Sprintf("handlers[%d]", i), h)
	}
}

func (c *checker) handler(path string, h Handler) {
	c.oneOf(path+".kind", h.Kind, HandlerKinds()...)
	c.integer(path+".weight", h.Weight, 1, maxWeight)
	c.distribution(path+".work", h.Work, maxHandlerTime)
	c.distribution(path+".every", h.Every, maxHandlerTime)
	c.distribution(path+".cleanup", h.Cleanup, maxHandlerTime)
	if !slices.Contains(HandlerKinds(), h.Kind) {
		return
	}
	c.owns(path, h.Kind, ownedFigure{"every", h.Every, h.steps() || h.Kind == Polling, "25ms"})
	if h.Kind == Instant && h.Work != (Distribution{}) {
		c.fault(path+".work", "work has no meaning for "+Instant, "leave it out")
	}
	c.owns(path, h.Kind, ownedFigure{"cleanup", h.Cleanup, h.Kind == SlowCleanup, "{uniform: {min: 5ms, max: 50ms}}"})
	c.question(path, h)
	if h.steps() && h.Every != (Distribution{}) && longest(h.Work)/maxSteps > expected(h.Every) {
		c.fault(path+".every", fmt.Sprintf("a call of up to %s would take more than %d steps", formatDuration(longest(h.Work)), maxSteps),
			"make every longer, or put a cap on work")
	}
}

// steps reports whether the tool does its work in steps.
func (h Handler) steps() bool { return h.Kind == Checkpoint || h.Kind == Chatty }

// An ownedFigure is one that some kinds of tools have to have, and no others.
type ownedFigure struct {
	key     string
	value   Distribution
	owned   bool
	example string
}

func (c *checker) owns(path, kind string, f ownedFigure) {
	given := f.value != Distribution{}
	switch {
	case f.owned && !given:
		c.fault(path+"."+f.key, fmt.Sprintf("%s has to be given for %s, and be above 0s", f.key, kind), "write "+f.key+": "+f.example)
	case given && !f.owned:
		c.fault(path+"."+f.key, fmt.Sprintf("%s has no meaning for %s", f.key, kind), "leave it out")
	}
}

func (c *checker) requirements(sc *Scenario) {
	for i, r := range sc.Require {
		path := fmt.Sprintf("require[%d]", i)
		if len(r.AnyOf) == 0 {
			c.fault(path, "no rule is named", "write the id of a rule, such as CANCEL-STOP-WORK")
		}
		for _, id := range r.AnyOf {
			c.rule(path, id)
		}
		for _, v := range r.SpecVersions {
			if !slices.Contains(sc.SpecVersions, v) {
				c.fault(path, fmt.Sprintf("version %s is not among spec_versions", quote(v)), "write "+oneOf(sc.SpecVersions))
			}
		}
	}
}

func (c *checker) rule(path, id string) {
	switch {
	case !ruleForm.MatchString(id):
		c.fault(path, quote(id)+" is no id of a rule",
			"write one that `mcpsim list rules` shows, such as CANCEL-STOP-WORK, or A|B for at least one of two")
	case c.Rules != nil && !slices.Contains(c.Rules, id):
		c.fault(path, quote(id)+" is no rule of this version", choose(id, c.Rules))
	}
}

// fits checks figures that are fine by themselves against each other.
func (c *checker) fits(sc *Scenario) {
	for i, h := range sc.Handlers {
		if t := h.longest(); t > sc.Limits.Settle {
			c.fault("limits.settle", fmt.Sprintf("handlers[%d] can be at work for %s, and would be taken for left behind after %s",
				i, formatDuration(t), formatDuration(sc.Limits.Settle)),
				fmt.Sprintf("write settle: %s, or put a cap on the handler's times", formatDuration(t)))
			break
		}
	}
	c.stalls("network.client_to_server.stall", sc.Network.ClientToServer.Stall, sc.Limits.Horizon)
	c.stalls("network.server_to_client.stall", sc.Network.ServerToClient.Stall, sc.Limits.Horizon)
	need := sc.expectedLoad() + longest(sc.Load.Connect).Round(time.Second)
	if sc.End.How != "" && sc.End.How != EndAny {
		need = min(need, sc.lastsAtMost().Round(time.Second))
	}
	if need <= sc.Limits.Horizon {
		return
	}
	cure := "make fewer calls, or spread them over more callers"
	if 2*need <= maxHorizon {
		cure = fmt.Sprintf("write horizon: %s or more, or %s", formatDuration(2*need), cure)
	}
	c.fault("limits.horizon", fmt.Sprintf("the load takes about %s, and what comes after %s counts as never",
		formatDuration(need), formatDuration(sc.Limits.Horizon)), cure)
}

// expectedLoad is about how long the callers of a client need for all calls when
// nobody cancels, in whole seconds.
func (sc *Scenario) expectedLoad() time.Duration {
	if sc.Load.Arrivals == Open {
		return time.Duration(min(float64(sc.Load.Calls)/sc.Load.Rate*float64(time.Second), float64(maxHorizon)*100)).Round(time.Second)
	}
	var work, weights float64
	for _, h := range sc.Handlers {
		work += float64(h.Weight) * float64(expected(h.Work)+expected(h.Asks.Work))
		weights += float64(h.Weight)
	}
	each := float64(expected(sc.Load.Think)+sc.Network.roundTrip()) + sc.expectedStay(work/weights)
	rounds := (sc.Load.Calls + sc.Load.Callers - 1) / sc.Load.Callers
	total := min(each*float64(rounds), float64(maxHorizon)*100)
	return time.Duration(total).Round(time.Second)
}

// roundTrip is the expected time that a call spends on its way there and back.
func (n Network) roundTrip() time.Duration {
	return n.ClientToServer.expected() + n.ServerToClient.expected()
}
