package sim_test

import (
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/gosdk"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/reference"
)

// A conversation is what is played on every ground. Where the order of two of its events
// is a matter of time alone, they are so far apart that a machine which stands still for
// half as long does not change it.
type conversation struct {
	name string
	what string // of a scenario
	only string // the one version that has it; empty: each
	// apart is the target whose applications see something else over HTTP, and why.
	apart, why string
}

func conversations() []conversation {
	// A cancel comes a second after the start, and nothing else within a second of it that
	// it does not bring about.
	const running = "cancel: {share: 1, when: {event: started, offset: 1s}}\n"
	return []conversation{
		{name: "a call", what: "handlers: [{kind: cooperative, work: 1s}]\n"},
		{name: "a call that reports progress", what: "handlers: [{kind: chatty, every: 1s, work: 3s}]\n"},
		{name: "one call after another", what: "load: {callers: 1, calls: 3}\nhandlers: [{kind: instant}]\n"},
		{name: "two calls at once", what: "load: {callers: 2, calls: 2}\nhandlers: [{kind: cooperative, work: 1s}]\n"},
		{name: "a cancel at work", what: "handlers: [{kind: cooperative, work: 3s}]\n" + running},
		{name: "a cancel between two reports", what: "handlers: [{kind: chatty, every: 2s, work: 6s}]\n" +
			"cancel: {share: 1, when: {event: progress, offset: 1s}}\n"},
		{name: "a cancel that is noticed late", what: "handlers: [{kind: checkpoint, every: 2s, work: 3s}]\n" + running},
		{name: "a cancel that nobody heeds", what: "handlers: [{kind: stubborn, work: 3s}]\n" + running},
		{name: "a cancel that is swallowed", what: "handlers: [{kind: swallow, work: 3s}]\n" + running},
		{name: "a cancel of one of two calls", what: "load: {callers: 2, calls: 2}\nhandlers: [{kind: cooperative, work: 3s}]\n" +
			"cancel: {share: 0.5, when: {event: started, offset: 1s}}\n"},
		{name: "a cancel after the return", what: "handlers: [{kind: instant}]\ncancel: {share: 1, when: {event: returned, offset: 1s}}\n"},
		{name: "a deadline", what: "handlers: [{kind: cooperative, work: 3s}]\ncancel: {share: 1, timeouts: 1, when: {event: issued, offset: 1s}}\n"},
		{name: "a resource", what: "load: {requests: [{kind: resources/read}]}\nhandlers: [{kind: cooperative, work: 3s}]\n" + running},
		{name: "the lists", what: "load: {callers: 1, calls: 4, requests: [{kind: tools/list}, {kind: prompts/list}]}\nhandlers: [{kind: instant}]\n"},
		{name: "a close with a call in flight", what: "handlers: [{kind: cooperative, work: 3s}]\nend: {how: close, at: 1s}\n"},
		{name: "a server that is stopped", what: "handlers: [{kind: cooperative, work: 3s}]\nend: {how: server-stop, at: 1s}\n"},
		{name: "a tool that asks", only: legacy, what: "handlers: [{kind: asking, work: 2s, asks: {kind: sampling/createMessage, work: 1s}}]\n"},
		{name: "a cancel while the client is asked", only: legacy, apart: "go-sdk", why: "its client drops the stream that would bring the cancel",
			what: "handlers: [{kind: asking, work: 2s, asks: {kind: elicitation/create, work: 3s}}]\n" +
				"cancel: {share: 1, when: {event: started, offset: 2s}}\n"},
		{name: "a subscription", only: modern, what: "load: {requests: [{kind: subscriptions/listen, for: 3s}]}\nhandlers: [{kind: instant}]\n" +
			"changes: {count: 2, every: 1s}\n"},
	}
}

// apart is how far apart they are, at least.
const apart = time.Second

// A place is where a conversation is played: in virtual time, or on what real makes of
// the machine.
type place struct {
	name, transport string
	protocol        string // of HTTP
	real            bool
}

func places() []place {
	return []place{
		{name: "pipes in memory", transport: sim.Stdio},
		{name: "pipes of the machine", transport: sim.Stdio, real: true},
		{name: "http/1.1 in memory", transport: sim.StreamableHTTP, protocol: sim.HTTP1},
		{name: "http/1.1 over loopback", transport: sim.StreamableHTTP, protocol: sim.HTTP1, real: true},
		{name: "h2c in memory", transport: sim.StreamableHTTP, protocol: sim.H2C},
		{name: "h2c over loopback", transport: sim.StreamableHTTP, protocol: sim.H2C, real: true},
	}
}

// A performance is a conversation with its players on a place.
type performance struct {
	conversation
	place
	peer    sim.Target // on both sides
	version string
}

func (p performance) String() string {
	return fmt.Sprintf("%s, %s, %s, %s", p.conversation.name, p.peer.Name, p.version, p.place.name)
}

func performances() (all []performance) {
	for _, c := range conversations() {
		for _, peer := range []sim.Target{reference.Targets()[0], gosdk.Target("v0.0.0")} {
			for _, version := range []string{legacy, modern} {
				if c.only != "" && c.only != version {
					continue
				}
				for _, place := range places() {
					all = append(all, performance{c, place, peer, version})
				}
			}
		}
	}
	return all
}

func (p performance) config(t *testing.T) sim.WorldConfig {
	http := ""
	if p.protocol != "" {
		http = "http: {protocol: " + p.protocol + "}\n"
	}
	server := p.peer
	if p.transport == sim.StreamableHTTP && p.version == modern && server.With != nil {
		server = server.With([]string{"propagate"}) // or nobody hears of a cancel, as nobody does not over stdio
	}
	sc := parse(t, "name: reality\nsummary: a conversation\ntransport: "+p.transport+"\n"+http+p.what+
		"network: {client_to_server: {delay: 0s}, server_to_client: {delay: 0s}}\nlimits: {horizon: 1m, settle: 6s}\n")
	cfg := sim.WorldConfig{
		Scenario: sc, Schedule: expand(t, sc, 1), SpecVersion: p.version, Client: p.peer, Server: server, Clock: "virtual", Observe: true,
	}
	if p.real {
		sc.Limits.Settle = 2500 * time.Millisecond // the longest that a tool goes on after its cancel, and a bit
		cfg.Clock = "wall"
		cfg.StandOn(&loopback{}, func(tap netem.Tap) (io.WriteCloser, sim.Inlet) { return newMachinePipe(t, tap) })
	}
	return cfg
}

// TestReality holds the simulator to reality: what is told of a conversation must be
// the same over the simulated network in virtual time, over the loopback interface and
// over the operating system's pipes, but for time. What applications see must be the same over
// all transports.
//
// The worlds on real ground live by their own schedule, in wall time, all at once but for
// a moment between one and the next. Nothing waits for them by sleeping. Where the machine
// stood still for too long, what they tell is not looked at, and they are played again.
func TestReality(t *testing.T) {
	t.Parallel()
	all := performances()
	told := make([]*history.History, len(all))
	imagine(t, all, told)
	var held time.Duration
	for range 3 {
		if held = realize(t, all, told); held > apart/2 {
			continue
		}
		for i := 0; i < len(all); i += len(places()) {
			compare(t, all[i:i+len(places())], told[i:i+len(places())])
		}
		return
	}
	t.Skipf("the machine ran nothing of this for %v at a time, and the instants of a conversation are %v apart", held, apart)
}

// imagine plays what is played in memory.
func imagine(t *testing.T, all []performance, told []*history.History) {
	for i, p := range all {
		if !p.real {
			synctest.Test(t, func(t *testing.T) {
				h, _, err := sim.Run(p.config(t))
				require.NoError(t, err, p)
				told[i] = h
			})
			assert.GreaterOrEqual(t, closest(told[i]), apart, p)
		}
	}
}

// closest returns how far apart those events of a history are, at least, that nothing but
// time separates: what brings each other about does so in a moment, for which an SDK may
// gather what it tells. A server that is stopped asks now and then whether all have gone.
func closest(h *history.History) time.Duration {
	const moment = 20 * time.Millisecond
	gap, began, last := time.Hour, time.Duration(0), time.Duration(0) // of a moment
	for _, e := range h.Events {
		switch {
		case e.Kind == history.Goroutines:
			continue // they are counted at any time
		case e.At-last > moment:
			gap, began = min(gap, e.At-began), e.At
		}
		if last = e.At; e.Kind == history.Stop {
			break
		}
	}
	return gap.Round(time.Millisecond)
}

// realize plays what is played on real ground, and returns for how long the machine ran
// nothing of it at a time.
func realize(t *testing.T, all []performance, told []*history.History) (held time.Duration) {
	watch := watchMachine()
	var real sync.WaitGroup
	for i, p := range all {
		if p.real {
			time.Sleep(50 * time.Millisecond) // one beginning at a time
			cfg := p.config(t)
			real.Go(func() {
				h, _, err := sim.Run(cfg)
				assert.NoError(t, err, p)
				told[i] = h
			})
		}
	}
	real.Wait()
	return watch()
}

// compare compares what was told of one conversation on all places.
func compare(t *testing.T, on []performance, told []*history.History) {
	for i := 0; i < len(on); i += 2 {
		same(t, retold(told[i]), retold(told[i+1]), on[i+1].String()+": as in memory")
		if on[i].apart == on[i].peer.Name {
			continue
		}
		same(t, applications(told[0]), applications(told[i]), on[i].String()+": as over stdio")
	}
}

// same holds two tales to be the same, list by list.
func same(t *testing.T, want, got map[string][]string, what string) {
	for name := range want {
		assert.Equal(t, want[name], got[name], "%s: %s", what, name)
	}
	for name := range got {
		assert.Contains(t, want, name, what)
	}
}
