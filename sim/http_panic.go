package sim

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/stack"
)

// What becomes of an HTTP handler that panics: net/http recovers, so that nobody but
// the history hears of it.

// serverDone records that the handler has returned, or has panicked.
func (ex *exchange) serverDone(tap *responseTap, panicked any) {
	tap.finish()
	ex.unheard()
	e := history.Event{Side: history.Server, Kind: history.Finish}
	if panicked != nil && panicked != http.ErrAbortHandler {
		where := panicStack()
		e.Text, e.Blame = fmt.Sprintf("panic: %v\n%s", panicked, where), ex.wire.blame(where)
	}
	ex.note(e)
}

// panicStack returns the stack of the goroutine that panics, from the function that did
// so first on, without what differs from run to run.
func panicStack() string {
	_, frames, _ := strings.Cut(string(debug.Stack()), "\n")
	return strings.Join(stack.Origin(strings.Split(stack.Clean(frames), "\n")), "\n")
}

// blame returns who is to blame for a panic with this stack: the scenario's own tool, the
// server, or nobody, if it is the simulator's own code that panicked.
func (x *httpWire) blame(where string) string {
	first := true
	for line := range strings.Lines(where) {
		switch {
		case line[0] == '\t', strings.HasPrefix(line, "runtime."):
			continue // a place, or what the runtime does to panic
		case strings.HasPrefix(line, toolFrame):
			return "tool"
		case stack.Below(line, x.world.Server.Package):
			return string(history.Server)
		case first && stack.Below(line, ownModule):
			return ""
		}
		first = false
	}
	return ""
}

const ownModule = "github.com/mcpsim/mcpsim"

// toolFrame begins the name of every function of the scenario's own tools.
const toolFrame = ownModule + "/sim.(*handler)."
