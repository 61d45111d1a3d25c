package oracle

import (
	"fmt"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// What stacks look like in which the simulator itself has a hand.
const (
	simulator    = "github.com/mcpsim/mcpsim/sim."
	toolCode     = "github.com/mcpsim/mcpsim/sim.(*handler)."
	toolHelper   = "github.com/mcpsim/mcpsim/sim.(*world).forgotten"
	bodyListener = "github.com/mcpsim/mcpsim/sim.pieceReader." // of a body that the target keeps open
	byTheSim     = "created by github.com/mcpsim/mcpsim/sim."
	byGosdk      = "created by github.com/mcpsim/mcpsim/sim/gosdk." // that asks the SDK for something
	byMcpgo      = "created by github.com/mcpsim/mcpsim/sim/mcpgo." // likewise
	createdBy    = "created by "
	unknownStack = "an unknown stack"
)

// noLeak: when the session has been closed and everything that could still
// happen has happened, nothing remains.
func noLeak(x *index, t *tally) {
	if x.part == member || x.close == nil || x.closed == nil && len(x.leaks) == 0 {
		return
	}
	var guilty []*history.Event
	side := history.Side("")
	for _, e := range x.leaks {
		if why := whyNotTheirs(e.Text); why != "" {
			t.leave(why)
			continue
		}
		owner := sideOf(e.Text)
		if x.stalled != nil && owner != history.Client && x.inputOpen(x.stalled) {
			t.leave(whyInputOpen)
			continue
		}
		if x.exit != nil && owner != history.Client {
			t.leave(whyProcessGone)
			continue
		}
		guilty = append(guilty, e)
		side = common(side, owner)
	}
	if len(guilty) == 0 {
		t.pass()
		return
	}
	what := fmt.Sprintf("left goroutines behind, created by %s", creator(guilty[0].Text))
	if len(guilty) > 1 {
		what += " and others"
	}
	v := Violation{Side: side, What: what, Lateness: -1, Cause: "created by " + creator(guilty[0].Text)}
	if stricter := x.heldUnder(guilty); stricter != "" {
		t.failUnder(stricter, v, guilty...)
		return
	}
	t.fail(v, guilty...)
}

// whyNotTheirs tells why a goroutine is not the targets' leak, "" if it is.
func whyNotTheirs(stack string) string {
	stuckIn := innermost(stack)
	switch {
	case strings.HasPrefix(stuckIn, toolCode) || strings.HasPrefix(stuckIn, toolHelper):
		return whyToolsOwn
	case strings.HasPrefix(stuckIn, bodyListener) || strings.Contains(stack, byTheSim) || strings.Contains(stack, byGosdk) || strings.Contains(stack, byMcpgo):
		return whySimulators
	}
	return ""
}

// innermost returns the line of the innermost frame outside the standard library:
// whose code the goroutine is stuck in, whoever called that. A tool that called
// the SDK and does not come back is the SDK's. Empty: there is no such frame.
func innermost(stack string) string {
	for line := range strings.Lines(stack) {
		if strings.HasPrefix(line, createdBy) {
			break
		}
		if !strings.HasPrefix(line, "\t") && !standard(line) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// standard reports whether a stack's line is a function of the standard library,
// or none at all: only the paths of other packages begin with a domain.
func standard(line string) bool {
	domain, _, path := strings.Cut(line, "/")
	return !path || !strings.Contains(domain, ".")
}

// creator returns the function that started the goroutine.
func creator(stack string) string {
	i := strings.LastIndex(stack, createdBy)
	if i < 0 {
		return unknownStack
	}
	name, _, _ := strings.Cut(stack[i+len(createdBy):], "\n")
	return strings.TrimSpace(name)
}

// sideOf guesses from the names of functions whose goroutine it is; World when
// they name both sides or neither. What the simulator calls its own functions, by which
// a tool asks a client or an application calls a server, says nothing of that.
func sideOf(stack string) history.Side {
	side := history.Side("")
	for line := range strings.Lines(stack) {
		if strings.HasPrefix(line, "\t") {
			continue // a file
		}
		if strings.HasPrefix(strings.TrimPrefix(line, createdBy), simulator) {
			continue
		}
		name := strings.ToLower(line[strings.LastIndexByte(line, '/')+1:])
		if strings.Contains(name, "server") {
			side = common(side, history.Server)
		}
		if strings.Contains(name, "client") {
			side = common(side, history.Client)
		}
	}
	if side == "" {
		return history.World
	}
	return side
}

// common joins two sides: the one, if both are the same or one is missing.
func common(a, b history.Side) history.Side {
	if a == "" || a == b {
		return b
	}
	return history.World
}
