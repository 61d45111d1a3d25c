package sim

import (
	"strconv"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A Publisher is a [Server] whose application can have changes of its told to the
// clients that asked for it. A target whose server answers subscriptions/listen
// makes one. Neither method waits for a client; both may be called before Serve and
// after it has returned, and do nothing then.
type Publisher interface {
	Server
	// ChangeTools adds the tool, or takes it away again.
	ChangeTools(extra Tool, there bool)
	// ChangeResource says that what can be read under the URI has changed.
	ChangeResource(uri string)
}

// publishes reports whether changes are made in this world: clients can ask for
// them, and the server can tell.
func (cfg WorldConfig) publishes() bool {
	return cfg.Scenario.listens() && cfg.unavailable(ScheduledCall{Method: protocol.Listen}) == ""
}

// change makes the changes of the schedule, until the session ends.
func (w *world) change() {
	publishers := w.publishers()
	if len(publishers) == 0 || !w.publishes() {
		return
	}
	there, now := false, time.Duration(0)
	for _, c := range w.schedule.Changes {
		time.Sleep(c.At - now)
		now = c.At
		if w.over() {
			return
		}
		if c.Call == 0 {
			there = !there
			w.note(history.Event{Side: history.Server, Kind: history.Change, Value: "tools"})
			for _, p := range publishers {
				p.ChangeTools(Tool{Name: "extra", Run: w.runTool}, there)
			}
			continue
		}
		uri := protocol.ResourceURI + strconv.Itoa(c.Call)
		w.note(history.Event{Side: history.Server, Kind: history.Change, Value: uri})
		for _, p := range publishers {
			p.ChangeResource(uri)
		}
	}
}

// publishers returns those of the servers that can tell of changes.
func (w *world) publishers() []Publisher {
	var out []Publisher
	for _, s := range w.servers {
		if p, can := s.(Publisher); can {
			out = append(out, p)
		}
	}
	return out
}
