package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// makeCall makes one call as the application does, cancels it if the schedule
// says so and the call is still pending, and blocks until the target gives
// control back.
func (w *world) makeCall(call ScheduledCall) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := &pending{world: w, call: call.Call, cancel: cancel}
	w.issued.Add(1)
	w.event(history.Client, history.Issue, call.Call, nil)
	if call.Cancel != nil {
		timer := time.AfterFunc(*call.Cancel, p.end)
		defer timer.Stop()
	}
	value, err := w.client.Call(ctx, toolCall(call))
	p.returned(value, err)
}

func toolCall(call ScheduledCall) ToolCall {
	t := ToolCall{Tool: call.Tool, Arguments: json.RawMessage(fmt.Sprintf(`{"call":%d}`, call.Call))}
	if call.Progress {
		t.Progress = fmt.Sprintf("p%d", call.Call)
	}
	return t
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
