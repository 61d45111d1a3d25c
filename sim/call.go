package sim

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
	p := &pending{world: w, call: call}
	w.issued.Add(1)
	seat := w.seatOf(call)
	seat.calls.issued(call.Call, call.Method)
	p.record(history.Event{Kind: history.Issue})
	ctx := p.open()
	defer p.release()
	if call.Task != nil {
		p.runTask()
		return
	}
	r := request(call)
	if w.Client.Unruly {
		r.Mischief = call.Mischief
	}
	value, err := seat.client.Call(ctx, r)
	p.returned(value, err)
	p.linger()
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
	case protocol.Listen:
		r.Name, r.Tools = protocol.ResourceURI+number, call.Tools
	case protocol.PromptsGet, protocol.Complete:
		r.Name, r.Argument = call.Tool, number
	}
	if call.Progress {
		r.Progress = cmp.Or(call.Token, "p"+number)
	}
	return r
}

// A pending call can be cancelled until it has returned.
type pending struct {
	world  *world
	call   ScheduledCall
	ctx    context.Context
	cancel context.CancelCauseFunc // nil: there is nothing but a deadline
	reason error                   // why it will have been cancelled; nil: no reason is given
	stop   func()                  // frees what the context holds

	mu      sync.Mutex // guards what follows, and orders the events of the application
	over    bool       // the call has returned
	ended   bool       // its context has been ended before that
	reached bool       // the event that it was aimed at has come
	timer   *time.Timer
}

// record records something that the caller does, or sees.
func (p *pending) record(e history.Event) {
	e.Side, e.Call, e.Client = history.Client, p.call.Call, p.call.Client
	p.world.note(e)
}

// open makes the context of a call that has just been issued, and arranges for
// its end.
func (p *pending) open() context.Context {
	if reason := p.world.Scenario.Cancel.Reason; reason != "" {
		p.reason = errors.New(reason)
	}
	at := p.call.Cancel
	if p.call.Deadline {
		var cancel context.CancelFunc
		p.ctx, cancel = context.WithDeadlineCause(context.Background(), time.Now().Add(*at), p.reason)
		unwatch := context.AfterFunc(p.ctx, p.expire)
		p.stop = func() { unwatch(); cancel() }
		p.world.watch(p)
		return p.ctx
	}
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	p.stop = func() { p.cancel(nil) }
	switch {
	case at != nil:
		p.after(*at)
	case p.call.Aim != nil:
		p.world.watch(p)
	}
	return p.ctx
}

// after has the caller lose interest in a while.
func (p *pending) after(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		p.timer = time.AfterFunc(d, p.end)
	}
}

// end is the caller's losing interest.
func (p *pending) end() {
	p.mu.Lock()
	pending := !p.over
	if pending {
		p.note("cancel")
	}
	p.mu.Unlock()
	if pending {
		p.cancel(p.reason)
	}
}

// expire records, once, that the call's deadline came while it was pending. Who
// is woken by the deadline first is open, so whoever records something that may
// follow from it asks for this before.
func (p *pending) expire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expired()
}

func (p *pending) expired() {
	if !p.over && !p.ended && p.call.Deadline && p.ctx.Err() != nil {
		p.note("deadline")
	}
}

func (p *pending) note(cause string) {
	p.ended = true
	p.record(history.Event{Kind: history.Cancel, Text: cause})
}

func (p *pending) returned(value string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expired()
	p.over = true
	p.record(history.Event{Kind: history.Return, Value: value, Text: text(err)})
}

// linger lets a caller cancel what has returned already, where that is its aim,
// and records a cancel whose event did not come in time.
func (p *pending) linger() {
	aim := p.call.Aim
	ended, reached := p.fate()
	switch {
	case aim == nil || ended:
	case aim.Event == AtReturned:
		time.Sleep(aim.Offset)
		p.note("cancel")
		p.cancel(p.reason)
	case reached:
		p.missed(aim.Event + " had come, and the call returned before it was time to cancel")
	default:
		p.missed(aim.Event + " had not come when the call returned")
	}
}

func (p *pending) fate() (ended, reached bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended, p.reached
}

func (p *pending) missed(why string) {
	p.record(history.Event{Kind: history.Missed, Text: why})
}

func (p *pending) release() {
	p.world.unwatch(p)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
	p.stop()
}
