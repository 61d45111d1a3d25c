package oracle

import (
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A handler that panics over HTTP takes no process with it: net/http recovers, and breaks
// off the one exchange. What the server's own code does so is held against it as a crash
// is; what a tool does, against nobody.

// whyPanicked is why something was not counted.
const whyPanicked = "the server's handler had panicked in the exchange"

// panicked returns the end of the exchange at the server, if its handler panicked; nil
// otherwise.
func (e *exchange) panicked() *history.Event {
	if e == nil || !isPanic(e.finish[atServer]) {
		return nil
	}
	return e.finish[atServer]
}

// isPanic reports whether the end of an exchange at the server is a panic.
func isPanic(e *history.Event) bool { return e != nil && strings.HasPrefix(e.Text, "panic: ") }

// notePanic notes the first panic of the server's own code, or of code that is nobody's.
func (b *builder) notePanic(ev *history.Event) {
	switch {
	case !isPanic(ev) || ev.Blame == toolsCrash || b.swapped:
	case ev.Blame == "":
		b.strangeFall = earlier(b.strangeFall, ev)
	default:
		if b.fall == nil {
			b.noteEnd(ev)
		}
		b.first(&b.fall, ev, false)
	}
}

// panicking is the mishap of a server whose own code panicked.
func (x *index) panicking() mishap {
	said := firstLine(x.fall.Text)
	return mishap{Violation: Violation{Side: history.Server, What: "its HTTP handler crashed: " + said, Lateness: -1, Cause: crashCause(x.fall.Text)}, at: x.fall}
}

// panickedFor returns the panic in which an exchange of c's ended, that of its request or
// of its cancel; nil: there is none.
func (c *call) panickedFor() *history.Event {
	if c.req == nil {
		return nil
	}
	found := c.req.frame.on.panicked()
	if f := c.req.cancel; f != nil {
		found = earlier(found, f.on.panicked())
	}
	return found
}
