package sim

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// Questions returns what a tool can ask the client while it works: the methods of
// the requests that servers make in the legacy era.
func Questions() []string {
	return []string{protocol.Sampling, protocol.Elicitation, protocol.RootsList}
}

// since is the first protocol version that has the question; the last is 2025-11-25.
func since(question string) string {
	if question == protocol.Elicitation {
		return protocol.V20250618
	}
	return protocol.V20241105
}

// unanswerable says why a tool cannot ask the client in a world of this
// configuration, "" if it can or has nothing to ask. Such a call is not made.
func (cfg WorldConfig) unanswerable(ask *ScheduledAsk) string {
	switch {
	case ask == nil:
		return ""
	case protocol.Modern(cfg.SpecVersion):
		return fmt.Sprintf("servers ask nothing of clients at %s", cfg.SpecVersion)
	case cfg.SpecVersion < since(ask.Method):
		return fmt.Sprintf("%s has no %s", cfg.SpecVersion, ask.Method)
	case !slices.Contains(cfg.Server.Asks, ask.Method):
		return fmt.Sprintf("server %s offers its tools no %s", cfg.Server.Name, ask.Method)
	case !slices.Contains(cfg.Client.Answers, ask.Method):
		return fmt.Sprintf("client %s does not answer %s", cfg.Client.Name, ask.Method)
	}
	return ""
}

// nested is the header's line of what the tool of c asks.
func (cfg WorldConfig) nested(c ScheduledCall) history.Call {
	return history.Call{
		Call: c.Asks.Call, Parent: c.Call, Client: c.Client, Method: c.Asks.Method, Handler: c.Asks.Handler,
		Work: c.Asks.Work, Life: c.Asks.Work + cfg.Scenario.Network.roundTrip(),
		NotAsked: cfg.unanswerable(c.Asks),
	}
}

// clientEnv is what the simulated client's application offers: answers to what the
// scenario's tools ask, where client and server can do that.
func (w *world) clientEnv() ClientEnv {
	env := ClientEnv{SpecVersion: w.SpecVersion, Transport: w.Scenario.Transport}
	for _, h := range w.Scenario.Handlers {
		if h.Kind != Asking || w.unanswerable(&ScheduledAsk{Method: h.Asks.Kind}) != "" {
			continue
		}
		switch h.Asks.Kind {
		case protocol.Sampling:
			env.Sample = w.runAnswer
		case protocol.Elicitation:
			env.Elicit = w.runAnswer
		case protocol.RootsList:
			env.Roots = []string{"file:///mcpsim"}
		}
	}
	return env
}

// runAnswer is the application's code on the client's side. The text is the number
// of the nested call.
func (w *world) runAnswer(ctx context.Context, text string) (string, error) {
	number, err := strconv.Atoi(text)
	if err != nil {
		return "", fmt.Errorf("read the number of the call: %w", err)
	}
	parent := number - len(w.schedule.Calls)
	if parent < 1 || parent > len(w.schedule.Calls) || w.schedule.Calls[parent-1].Asks == nil {
		return "", fmt.Errorf("no tool asks call %d in this world", number)
	}
	ask := w.schedule.Calls[parent-1].Asks
	h := &handler{
		world: w, side: history.Client,
		call: ScheduledCall{Call: ask.Call, Method: ask.Method, Handler: ask.Handler, Work: ask.Work, Client: w.schedule.Calls[parent-1].Client},
	}
	return h.run(ctx)
}

// An asked is a question that a tool waits for the answer to.
type asked struct {
	world  *world
	call   int
	client int // that is asked, see seat
	ctx    context.Context

	mu    sync.Mutex // guards over and ended
	over  bool       // the target has given control back
	ended bool       // the tool was told to stop before that
}

// askClient asks the client what the schedule says and blocks until the target gives
// control back.
func (h *handler) askClient(ctx context.Context) error {
	if h.call.Asks == nil || h.ask == nil {
		return fmt.Errorf("the server gives call %d nobody to ask", h.call.Call)
	}
	a := &asked{world: h.world, call: h.call.Asks.Call, client: h.call.Client, ctx: ctx}
	a.record(history.Event{Kind: history.Issue})
	h.world.watchAsked(a)
	stop := context.AfterFunc(ctx, a.expire)
	defer stop()
	text, err := h.ask(ctx, h.call.Asks.request())
	a.returned(text, err)
	return err
}

// record records something that the tool does, or sees.
func (a *asked) record(e history.Event) {
	e.Side, e.Call, e.Client = history.Server, a.call, a.client
	a.world.note(e)
}

// expire records, once, that the tool was told to stop while it waited, which ends
// its question, too.
func (a *asked) expire() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.expired()
}

func (a *asked) expired() {
	if a.over || a.ended || a.ctx.Err() == nil {
		return
	}
	a.ended = true
	a.record(history.Event{Kind: history.Cancel, Text: "cancel"})
}

func (a *asked) returned(value string, err error) {
	a.world.unwatchAsked(a)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.expired()
	a.over = true
	a.record(history.Event{Kind: history.Return, Value: value, Text: text(err)})
}

func (w *world) watchAsked(a *asked) {
	w.watched.mu.Lock()
	defer w.watched.mu.Unlock()
	w.watched.asked = append(w.watched.asked, a)
}

func (w *world) unwatchAsked(a *asked) {
	w.watched.mu.Lock()
	defer w.watched.mu.Unlock()
	w.watched.asked = slices.DeleteFunc(w.watched.asked, func(b *asked) bool { return a == b })
}

// A ScheduledAsk is what the tool of a call asks the client in the middle of its
// work.
type ScheduledAsk struct {
	Call    int           `json:"call"`    // a number of its own, beyond those of the calls
	Method  string        `json:"method"`  // see Questions
	Handler string        `json:"handler"` // the kind of the client's code that answers; empty for roots/list
	Work    time.Duration `json:"work_ns"` // how long that takes if nobody stops it
}

// request is how a tool asks it. The number is what is asked, so that the client's
// application, and whoever watches the wire, can tell which call it is.
func (a *ScheduledAsk) request() Request {
	r := Request{Method: a.Method, Mark: a.Call}
	if a.Handler != "" {
		r.Argument = strconv.Itoa(a.Call)
	}
	return r
}
