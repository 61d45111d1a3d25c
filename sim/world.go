package sim

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim/history"
)

// A WorldConfig is everything that one world is made of.
type WorldConfig struct {
	Scenario    *Scenario
	Schedule    *Schedule
	SpecVersion string
	Client      Target
	Server      Target
	Clock       string // "virtual" or "wall", for the header
	// Budgets, for the header: the times that the judge is to use in place of its own.
	Budgets map[string]time.Duration
	// Observe false runs the world without recording anything.
	Observe bool
	// Sink, if not nil, gets the header and then every event as it is recorded.
	Sink   Sink
	ground *ground // nil: what is simulated
}

// A ground is what a world stands on in place of the simulated network and the virtual
// clock: tests hold the simulator to something real. What only virtual time can afford,
// or a process with one world in it, is left out there: the drain, the count of leaks.
type ground struct {
	network road                                    // over HTTP
	pipe    func(netem.Tap) (io.WriteCloser, inlet) // over stdio: makes one direction
}

// A Sink takes a history while it comes to be.
type Sink interface {
	Header(history.Header) error
	Event(*history.Event) error
}

// Run simulates one world and blocks until it has ended and everything that it
// started is gone, or is known to stay. It returns the history, which is nil when
// nothing was observed, and how many goroutines stayed. An error means that the
// experiment failed; what the targets do wrong is in the history.
//
// The stages of a world: connect, load (every call has returned, or the horizon
// has come), quiet (the settle time has passed), probe, close, drain (what is
// left of timers fires), count. A session that the schedule ends while calls are
// in flight is not probed, see end.go.
func Run(cfg WorldConfig) (*history.History, int, error) {
	cfg.Client, cfg.Server = cfg.Client.On(cfg.Scenario.Transport), cfg.Server.On(cfg.Scenario.Transport)
	w, err := newWorld(cfg)
	if err != nil {
		return nil, 0, err
	}
	w.live()
	left := w.drain()
	if w.rec == nil {
		return nil, left, nil
	}
	return w.rec.History(w.header), left, w.rec.Err()
}

// A world is one run of one schedule. Its goroutines other than the targets' are
// counted, so that they can be told from the targets'.
type world struct {
	WorldConfig
	schedule *Schedule
	header   history.Header
	rec      *history.Recorder
	start    time.Time
	baseline int             // goroutines before anything was started
	present  map[string]bool // and the numbers of those beside the one that runs the world
	own      atomic.Int64    // goroutines of the simulator's, at this moment
	wire     wire
	seats    []*seat      // of the clients
	servers  []Server     // one, or several that share nothing
	issued   atomic.Int64 // calls made so far
	said     atomic.Int64 // over HTTP: bytes of bodies and streams so far, and what each piece costs
	shaking  atomic.Int64 // handshakes under way
	exited   atomic.Bool  // the server's process has died
	probing  atomic.Bool  // the load is over, and the server is asked for a sign of life
	watched  watch

	limited  sync.Once          // closes horizon
	cut      atomic.Bool        // and did before its time
	horizon  chan struct{}      // closed when the world's limit is reached
	ending   chan struct{}      // closed when callers are to make no further calls
	served   chan struct{}      // closed when the server's run has returned
	kill     context.CancelFunc // ends what the server runs under
	counted  chan struct{}      // closed once leaks have been counted
	sampling chan struct{}      // closed when no more samples are wanted
}

func newWorld(cfg WorldConfig) (*world, error) {
	if cfg.Client.NewClient == nil {
		return nil, fmt.Errorf("%s cannot sit on the client's side", cfg.Client.Name)
	}
	if cfg.Server.NewServer == nil {
		return nil, fmt.Errorf("%s cannot sit on the server's side", cfg.Server.Name)
	}
	w := &world{
		WorldConfig: cfg,
		schedule:    cfg.Schedule,
		header:      header(cfg),
		start:       time.Now(),
		present:     map[string]bool{},
		horizon:     make(chan struct{}),
		ending:      make(chan struct{}),
		served:      make(chan struct{}),
		counted:     make(chan struct{}),
		sampling:    make(chan struct{}),
	}
	if w.baseline = runtime.NumGoroutine(); w.baseline > 1 && w.ground == nil {
		for id := range stacks() {
			w.present[id] = true
		}
	}
	if cfg.Observe {
		if err := w.record(); err != nil {
			return nil, err
		}
	}
	w.takeSeats()
	if !OverHTTP(cfg.Scenario.Transport) {
		w.wire = newPipeWire(w)
		return w, nil
	}
	x, err := newHTTPWire(w)
	w.wire = x
	return w, err
}

// takeSeats makes the peers.
func (w *world) takeSeats() {
	env := w.clientEnv()
	env.Listens = w.publishes()
	if w.Client.RepeatsCancels {
		env.RepeatCancels = w.Scenario.Cancel.Repeat
	}
	for n := range w.clients() {
		s := &seat{client: w.Client.NewClient(env), calls: newCallBook(w.Client.Unmarked)}
		if w.clients() > 1 {
			s.n = n + 1
		}
		w.seats = append(w.seats, s)
	}
	for range max(w.Scenario.HTTP.Instances, 1) {
		w.servers = append(w.servers, w.Server.NewServer(w.serverEnv()))
	}
}

// clients is how many clients the world has.
func (cfg WorldConfig) clients() int { return max(cfg.Scenario.Load.Clients, 1) }

// seatOf returns where the client sits that makes a call.
func (w *world) seatOf(call ScheduledCall) *seat { return w.seats[max(call.Client, 1)-1] }

func (w *world) record() error {
	var sink func(*history.Event) error
	if w.Sink != nil {
		if err := w.Sink.Header(w.header); err != nil {
			return fmt.Errorf("stream the history: %w", err)
		}
		sink = w.Sink.Event
	}
	w.rec = history.NewRecorder(func() time.Duration { return time.Since(w.start) }, sink)
	return nil
}

func header(cfg WorldConfig) history.Header {
	s := cfg.Schedule
	h := history.Header{
		Schema: history.Schema, Scenario: cfg.Scenario.Name,
		Seed: s.Seed, SchedulerSeed: s.SchedulerSeed,
		SpecVersion: cfg.SpecVersion, Transport: cfg.Scenario.Transport, Clock: cfg.Clock,
		Client:  history.Peer{Target: cfg.Client.Name, Version: cfg.Client.Version},
		Server:  history.Peer{Target: cfg.Server.Name, Version: cfg.Server.Version},
		Horizon: cfg.Scenario.Limits.Horizon, Settle: cfg.Scenario.Limits.Settle,
		Calls: make([]history.Call, len(s.Calls)), Budgets: cfg.Budgets,
	}
	if cfg.Scenario.Cancel.Repeat > 0 && !cfg.Client.RepeatsCancels {
		h.Unavailable = append(h.Unavailable, "client "+cfg.Client.Name+" repeats no cancels")
	}
	h.Unavailable = append(h.Unavailable, wanting(cfg)...)
	h.Deliberate = breaches(cfg.Scenario, cfg.SpecVersion, cfg.Client.Unruly, cfg.Server.Unruly)
	if n := cfg.clients(); n > 1 {
		h.Clients = n
	}
	if n := cfg.Scenario.HTTP.Instances; n > 1 {
		h.Instances = n
	}
	for i, c := range s.Calls {
		h.Calls[i] = history.Call{
			Client: c.Client,
			Call:   c.Call, Method: c.Method, Handler: c.Handler, Work: c.Work, Life: c.Life,
			NotAsked: cmp.Or(cfg.unavailable(c), cfg.unanswerable(c.Asks)),
		}
		if c.Asks != nil {
			h.Calls[i].Work += c.Asks.Work
			h.Nested = append(h.Nested, cfg.nested(c))
		}
		if c.Task != nil {
			h.Calls[i].Task = c.Task.GiveUp
		}
	}
	return h
}

// spawn starts a goroutine of the simulator's.
func (w *world) spawn(f func()) {
	w.own.Add(1)
	go func() {
		defer w.own.Add(-1)
		f()
	}()
}

// event records something of the world as a whole or of the application.
func (w *world) event(side history.Side, kind history.Kind, call int, err error) {
	w.note(history.Event{Side: side, Kind: kind, Call: call, Text: text(err)})
}

// act records something that the application of a client does, or sees.
func (w *world) act(s *seat, kind history.Kind, err error) {
	w.note(history.Event{Side: history.Client, Kind: kind, Client: s.n, Text: text(err)})
}

func (w *world) note(e history.Event) { w.rec.Add(e) }

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// live takes the world from its connection to its close.
func (w *world) live() {
	limit := time.AfterFunc(w.header.Horizon, func() { w.limited.Do(func() { close(w.horizon) }) })
	defer limit.Stop()
	w.serve()
	w.spawn(w.sample)
	connected, callers := w.begin()
	switch {
	case !connected:
		w.close()
	case w.schedule.End != nil:
		w.endEarly(*w.schedule.End, callers)
	default:
		w.finish(callers)
		w.settle()
		w.probe()
		w.close()
	}
	close(w.sampling)
}

func (w *world) serve() {
	ctx, cancel := context.WithCancel(context.Background())
	w.kill = cancel
	w.spawn(func() {
		defer close(w.served)
		err := w.wire.serve(ctx)
		w.event(history.Server, history.Served, 0, err)
	})
}

// within runs f and waits for it, at most until the horizon. It reports whether
// f ended in time; if not, f goes on by itself.
func (w *world) within(f func()) bool {
	done := make(chan struct{})
	w.spawn(func() {
		defer close(done)
		f()
	})
	return w.await(done)
}

// await waits for done, at most until the horizon, and then lets a moment pass,
// so that what the world does next has an instant of its own.
func (w *world) await(done <-chan struct{}) bool {
	select {
	case <-done:
		time.Sleep(ownInstant)
		return true
	case <-w.horizon:
		return false
	}
}

// ownInstant separates an act of the simulator from what provoked it.
const ownInstant = 1013 * time.Nanosecond

// finish waits for the callers, at most until the horizon.
func (w *world) finish(callers <-chan struct{}) {
	if w.await(callers) {
		return
	}
	what := "calls had not returned"
	if w.shaking.Load() > 0 {
		what = "a handshake did not end"
	}
	w.overdue(what)
}

// over reports whether no further calls are to be made: the horizon has come, or
// the session is ending.
func (w *world) over() bool {
	select {
	case <-w.horizon:
		return true
	case <-w.ending:
		return true
	default:
		return false
	}
}

// settle leaves the world alone until nothing is expected of it any more.
func (w *world) settle() {
	time.Sleep(w.header.Settle)
	w.event(history.World, history.Quiet, 0, nil)
}

func (w *world) probe() {
	if w.over() {
		return
	}
	w.probing.Store(true)
	w.within(func() {
		ctx, cancel := context.WithTimeout(context.Background(), w.header.Horizon)
		defer cancel()
		w.each(w.ready(), func(s *seat) {
			s.calls.probing(w.SpecVersion)
			w.act(s, history.Probe, nil)
			w.act(s, history.Probed, s.client.Probe(ctx))
		})
	})
}

// stop takes the network and the server's context away.
func (w *world) stop() {
	w.kill()
	w.wire.stop()
}
