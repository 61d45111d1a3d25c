package sim

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// What becomes of an HTTP handler that panics: net/http recovers, so that nobody but
// the history hears of it.

// serverDone records that the handler has returned, or has panicked.
func (ex *exchange) serverDone(tap *responseTap, panicked any) {
	tap.finish()
	ex.unheard()
	e := history.Event{Side: history.Server, Kind: history.Finish}
	if panicked != nil && panicked != http.ErrAbortHandler {
		stack := panicStack()
		e.Text, e.Blame = fmt.Sprintf("panic: %v\n%s", panicked, stack), ex.wire.blame(stack)
	}
	ex.note(e)
}

// panicStack returns the stack of the goroutine that panics, from the function that did
// on, without what differs from run to run. Where code that was deferred panicked again,
// be it with what it had recovered, it is that of the first panic, without which there
// would have been no other.
func panicStack() string {
	_, frames, _ := strings.Cut(string(debug.Stack()), "\n")
	clean := cleanFrames(frames)
	if i := strings.LastIndex(clean, "\npanic\n"); i >= 0 {
		_, clean, _ = strings.Cut(clean[i+len("\npanic\n"):], "\n") // its place
	}
	return clean
}

// blame returns who is to blame for a panic with this stack: the scenario's own tool, the
// server, or nobody, if it is the simulator's own code that panicked.
func (x *httpWire) blame(stack string) string {
	first := true
	for line := range strings.Lines(stack) {
		switch {
		case line[0] == '\t', strings.HasPrefix(line, "runtime."):
			continue // a place, or what the runtime does to panic
		case strings.HasPrefix(line, toolFrame):
			return "tool"
		case below(line, x.world.Server.Package):
			return string(history.Server)
		case first && below(line, ownModule):
			return ""
		}
		first = false
	}
	return ""
}

// below reports whether a function, as a stack prints it, is of the package or of one
// below it.
func below(function, path string) bool {
	rest, ok := strings.CutPrefix(function, path)
	return ok && path != "" && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "/"))
}

const ownModule = "github.com/mcpsim/mcpsim"

// toolFrame begins the name of every function of the scenario's own tools.
const toolFrame = ownModule + "/sim.(*handler)."
