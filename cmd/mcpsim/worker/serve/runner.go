package serve

import (
	"bytes"
	"fmt"
	"github.com/segmentio/encoding/json"
	"runtime"
	"time"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/clock"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/lease"
	"github.com/mcpsim/mcpsim/sim/targets"
)

// A runner turns leases into judged worlds.
type runner struct {
	players  []sim.Target
	setup    lease.Setup
	scenario *sim.Scenario
	pairs    []pair
	events   func(line []byte) error
	worlds   int // since garbage was collected
	garbage  int // events since then
}

type pair struct {
	arm            analysis.Arm
	client, server sim.Target
}

// Garbage is collected between two worlds once so many worlds or events have
// passed.
const (
	collectWorlds = 50
	collectEvents = 20_000
)

func (r *runner) Setup(s lease.Setup, events func([]byte) error) error {
	scenario, err := sim.Parse("scenario", s.Scenario)
	if err != nil {
		return err
	}
	r.setup, r.scenario, r.events = s, scenario, events
	for _, p := range s.Pairs {
		client, err := targets.Find(r.players, p.Client)
		if err != nil {
			return err
		}
		server, err := targets.Find(r.players, p.Server)
		if err != nil {
			return err
		}
		r.pairs = append(r.pairs, pair{analysis.Arm(p.Arm), client, server})
	}
	return nil
}

func (r *runner) Run(l lease.Lease) lease.Reply {
	if r.worlds++; r.worlds > collectWorlds || r.garbage > collectEvents {
		r.worlds, r.garbage = 0, 0
		runtime.GC()
	}
	reply, err := r.world(l)
	if err != nil {
		return lease.Reply{Error: fmt.Sprintf("seed %d: %v", l.Seed, err), Dirty: true}
	}
	return reply
}

func (r *runner) world(l lease.Lease) (lease.Reply, error) {
	schedule, err := sim.Expand(r.scenario, l.Seed, l.SchedulerSeed)
	if err != nil {
		return lease.Reply{}, err
	}
	if l.Pair < 0 || l.Pair >= len(r.pairs) {
		return lease.Reply{}, fmt.Errorf("there is no pair %d", l.Pair)
	}
	p := r.pairs[l.Pair]
	cfg := sim.WorldConfig{
		Scenario: r.scenario, Schedule: schedule, SpecVersion: l.SpecVersion,
		Client: p.client, Server: p.server, Clock: "virtual", Observe: r.setup.Mode != lease.Bare,
		Budgets: r.setup.Budgets,
	}
	if r.events != nil {
		cfg.Sink = &stream{send: r.events}
	}
	settle()
	clock.Seed(schedule.Chance())
	h, left, err := sim.Run(cfg)
	if err != nil {
		return lease.Reply{}, err
	}
	if h != nil {
		r.garbage += len(h.Events)
	}
	return r.reply(l, p, h, left)
}

// settle lets everything run that is still runnable, from the start of the
// process or from the world before. The worker itself never waits otherwise, and
// what is left over would take part in the next world's shuffling. And it lets the
// world begin with a second of the clock: package net/http takes the age of connections
// by seconds, and what it does would depend on how they lie to the world.
func settle() {
	now := time.Now()
	time.Sleep(now.Add(time.Millisecond).Truncate(time.Second).Add(time.Second).Sub(now))
}

func (r *runner) reply(l lease.Lease, p pair, h *history.History, left int) (lease.Reply, error) {
	reply := lease.Reply{Dirty: left > 0 || p.client.Alone(r.scenario) || p.server.Alone(r.scenario)}
	if r.setup.Mode == lease.Judge {
		world, err := json.Marshal(analysis.Observe(p.arm, h))
		if err != nil {
			return lease.Reply{}, fmt.Errorf("encode the world: %w", err)
		}
		reply.World = world
	}
	if l.Keep && h != nil {
		var b bytes.Buffer
		if err := history.Encode(&b, h); err != nil {
			return lease.Reply{}, fmt.Errorf("encode the history: %w", err)
		}
		reply.History = b.Bytes()
	}
	return reply, nil
}
