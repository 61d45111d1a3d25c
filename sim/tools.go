package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A handler is one execution of a tool, or of what else the application answers
// with.
type handler struct {
	world    *world
	call     ScheduledCall
	progress func(float64) error
	ask      Ask          // nil: it asks nobody
	dismiss  Dismiss      // nil: nobody can be sent away
	side     history.Side // whose application it is of; empty: the server's

	mu   sync.Mutex // guards told and over, and has what is told come before the end
	told bool
	over bool
}

func (h *handler) run(ctx context.Context) (string, error) {
	h.event(history.Start, history.Event{})
	stop := context.AfterFunc(ctx, func() { h.notice(ctx) })
	defer stop()
	text, err := "", errPanic
	defer func() { h.end(ctx, text, err) }() // after a panic, too, which goes its way
	text, err = bodies()[h.call.Handler](h, ctx)
	return text, err
}

// errPanic is the error of a handler that did not return.
var errPanic = errors.New("panic")

func (h *handler) end(ctx context.Context, text string, err error) {
	h.notice(ctx)
	h.mu.Lock()
	h.over = true // what the SDK does to the context from here on is tidying up
	h.mu.Unlock()
	end := history.Event{Value: text}
	if err != nil {
		end.Text = err.Error()
	}
	h.event(history.End, end)
}

// notice records, once, that the handler's context was done while the handler
// ran. The watcher calls it, and so does the handler before it acts on it, since
// either may be the first to run.
func (h *handler) notice(ctx context.Context) {
	err := ctx.Err()
	if err == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.told && !h.over {
		h.told = true
		h.event(history.Told, history.Event{Text: err.Error()}) // under the lock, or the end could overtake it
	}
}

func (h *handler) event(kind history.Kind, e history.Event) {
	e.Side, e.Kind, e.Call, e.Client = cmp.Or(h.side, history.Server), kind, h.call.Call, h.call.Client
	h.world.rec.Add(e)
	switch kind {
	case history.Start:
		h.world.saw(AtStarted, h.call.Call)
	case history.Progress:
		h.world.saw(AtProgress, h.call.Call)
	case history.End:
		h.world.saw(AtEnded, h.call.Call)
	}
}

// wait blocks for d, or until ctx is done: then it notes that the handler was
// told, and returns the context's error.
func (h *handler) wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		h.notice(ctx)
		return ctx.Err()
	case <-timer.C:
		// Both may be ready, and select takes either: who was told stops.
		if ctx.Err() != nil {
			h.notice(ctx)
		}
		return ctx.Err()
	}
}

func (h *handler) result() string { return fmt.Sprintf("call %d done", h.call.Call) }

// A body is the code of one kind of tool. Package documentation of the scenario
// says what each is for; [HandlerSource] prints it in reports.
type body func(h *handler, ctx context.Context) (string, error)

func bodies() map[string]body {
	return map[string]body{
		"cooperative":  (*handler).cooperative,
		"checkpoint":   (*handler).checkpoint,
		"slow-cleanup": (*handler).slowCleanup,
		"chatty":       (*handler).chatty,
		"stubborn":     (*handler).stubborn,
		"leaky":        (*handler).leaky,
		"swallow":      (*handler).swallow,
		"instant":      (*handler).instant,
		"panicking":    (*handler).panicking,
		"child":        (*handler).child,
		"asking":       (*handler).asking,
		"polling":      (*handler).polling,
	}
}

// cooperative stops at once.
func (h *handler) cooperative(ctx context.Context) (string, error) {
	if err := h.wait(ctx, h.call.Work); err != nil {
		return "", err
	}
	return h.result(), nil
}

// checkpoint looks at its context between two steps of its work.
func (h *handler) checkpoint(ctx context.Context) (string, error) {
	for left := h.call.Work; left > 0; left -= h.call.Every {
		time.Sleep(min(left, h.call.Every))
		if ctx.Err() != nil {
			h.notice(ctx)
			return "", ctx.Err()
		}
	}
	return h.result(), nil
}

// slowCleanup holds a resource and takes its time to give it back.
func (h *handler) slowCleanup(ctx context.Context) (string, error) {
	h.event(history.Open, history.Event{Value: "resource"})
	defer h.event(history.Release, history.Event{Value: "resource"})
	if err := h.wait(ctx, h.call.Work); err != nil {
		time.Sleep(h.call.Cleanup)
		return "", err
	}
	return h.result(), nil
}

// chatty reports progress while it works. It stops at once, and does not report
// any more once it was told.
func (h *handler) chatty(ctx context.Context) (string, error) {
	figure := 0.0
	for left := h.call.Work; left > 0; left -= h.call.Every {
		if err := h.wait(ctx, min(left, h.call.Every)); err != nil {
			return "", err
		}
		figure++
		h.event(history.Progress, history.Event{Value: fmt.Sprint(figure)})
		if err := h.progress(figure); err != nil {
			h.notice(ctx)
			return "", cmp.Or(ctx.Err(), err)
		}
	}
	return h.result(), nil
}

// stubborn never looks at its context, and does what it was asked to.
func (h *handler) stubborn(context.Context) (string, error) {
	time.Sleep(h.call.Work)
	h.event(history.Effect, history.Event{Value: "committed"})
	return h.result(), nil
}

// leaky starts a helper with a resource when it is told, and forgets both. The
// world lets the helper go once it has been counted.
func (h *handler) leaky(ctx context.Context) (string, error) {
	h.event(history.Open, history.Event{Value: "resource"})
	if err := h.wait(ctx, h.call.Work); err != nil {
		go h.world.forgotten()
		return "", err
	}
	h.event(history.Release, history.Event{Value: "resource"})
	return h.result(), nil
}

// swallow stops when it is told, and answers as if nothing had happened.
func (h *handler) swallow(ctx context.Context) (string, error) {
	if err := h.wait(ctx, h.call.Work); err != nil {
		return h.result(), nil // as if it were one
	}
	return h.result(), nil
}

// instant has nothing to do.
func (h *handler) instant(context.Context) (string, error) { return h.result(), nil }

// panicking cannot bear to be told.
func (h *handler) panicking(ctx context.Context) (string, error) {
	if err := h.wait(ctx, h.call.Work); err != nil {
		panic("the tool was told to stop: " + err.Error())
	}
	return h.result(), nil
}

// child has a goroutine of its own do the work, and waits for it.
func (h *handler) child(ctx context.Context) (string, error) {
	done := make(chan error, 1)
	go func() { done <- h.wait(ctx, h.call.Work) }()
	if err := <-done; err != nil {
		return "", err
	}
	return h.result(), nil
}

// asking asks the client something in the middle of its work.
func (h *handler) asking(ctx context.Context) (string, error) {
	if err := h.wait(ctx, h.call.Work/2); err != nil {
		return "", err
	}
	if err := h.askClient(ctx); err != nil {
		h.notice(ctx)
		return "", cmp.Or(ctx.Err(), err)
	}
	if err := h.wait(ctx, h.call.Work/2); err != nil {
		return "", err
	}
	return h.result(), nil
}

// polling has the client come back for the rest in the middle of its work.
func (h *handler) polling(ctx context.Context) (string, error) {
	if err := h.wait(ctx, h.call.Work/2); err != nil {
		return "", err
	}
	if h.dismiss != nil {
		h.dismiss(h.call.Every)
	}
	if err := h.wait(ctx, h.call.Work/2); err != nil {
		return "", err
	}
	return h.result(), nil
}

func (w *world) forgotten() { <-w.counted }
