package sim

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// makeCall makes one call as the application does, cancels it if the schedule
// says so and the call is still pending, and blocks until the target gives
// control back.
func (w *world) makeCall(call ScheduledCall) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := &pending{world: w, call: call.Call, cancel: cancel}
	w.issued.Add(1)
	w.wire.calls.issued(call.Call, call.Method)
	w.event(history.Client, history.Issue, call.Call, nil)
	if call.Cancel != nil {
		timer := time.AfterFunc(*call.Cancel, p.end)
		defer timer.Stop()
	}
	value, err := w.client.Call(ctx, request(call))
	p.returned(value, err)
}

// request is what the application asks of the client for a call. It holds the
// call's number, so that the application on the other side, and whoever watches
// the wire, can tell which call it is.
func request(call ScheduledCall) Request {
	r := Request{Method: call.Method, Mark: call.Call}
	number := strconv.Itoa(call.Call)
	switch call.Method {
	case protocol.ToolsCall:
		r.Name, r.Arguments = call.Tool, json.RawMessage(`{"call":`+number+`}`)
		r.Mark = 0 // the arguments say it
	case protocol.ResourcesRead:
		r.Name = protocol.ResourceURI + number
	case protocol.PromptsGet, protocol.Complete:
		r.Name, r.Argument = call.Tool, number
	}
	if call.Progress {
		r.Progress = "p" + number
	}
	return r
}

// A pending call can be cancelled until it has returned.
type pending struct {
	world  *world
	call   int
	cancel context.CancelFunc

	mu   sync.Mutex // guards over, and orders the two events
	over bool
}

func (p *pending) end() {
	p.mu.Lock()
	pending := !p.over
	if pending {
		p.world.note(history.Event{Side: history.Client, Kind: history.Cancel, Call: p.call, Text: "cancel"})
	}
	p.mu.Unlock()
	if pending {
		p.cancel()
	}
}

func (p *pending) returned(value string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.world.note(history.Event{Side: history.Client, Kind: history.Return, Call: p.call, Value: value, Text: text(err)})
}
