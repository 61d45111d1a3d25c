// Package engine builds the worker, runs a pool of them, and hands out worlds.
// It knows that a worker can die of what its world contains; it does not know
// what a world is.
//
// Read in this order: [Build] makes the [Worker], [Pool] runs many of it,
// [Outcome] is what comes back.
package engine

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/mcpsim/mcpsim/sim/lease"
)

// A Pool runs worlds on several workers at once.
type Pool struct {
	Worker Worker
	Setup  lease.Setup
	Jobs   int // workers at work at the same time, at least 1
	// CPULimit is how much processor time one world may use before it counts as
	// a busy loop; 0 is a minute.
	CPULimit time.Duration
}

// An Outcome is what came of one lease.
type Outcome struct {
	Lease lease.Lease
	Reply lease.Reply
	// Death is set when the worker died under this lease. The world was then run
	// again alone. Recurred tells whether it died again; if not, Reply is the
	// second run's.
	Death *Death
}

// A Death is how a worker ended that should not have.
type Death struct {
	How      string   // "panic", "fatal error", "exit status 3", "busy loop", ...
	Report   string   // what the Go runtime printed, at most a megabyte
	Recurred bool     // it happened again when the world was run alone
	Events   [][]byte // lines of the encoded history up to the second death, header first
}

// window is how many leases are under way with one worker, so that it never
// waits for the next.
const window = 4

// Run hands out the leases and calls deliver once for each outcome, from several
// goroutines at once, in no particular order. It blocks until all are done,
// until deliver errs, or until ctx ends; then the worlds under way are given a
// moment to finish and are delivered too. It returns ctx's error in that case.
// No worker outlives it.
func (p *Pool) Run(ctx context.Context, leases iter.Seq[lease.Lease], deliver func(Outcome) error) error {
	if p.CPULimit == 0 {
		p.CPULimit = time.Minute
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan lease.Lease) // closed by the feeder
	var all sync.WaitGroup
	all.Go(func() { feed(ctx, leases, queue) })
	for range max(p.Jobs, 1) {
		all.Go(func() {
			s := seat{pool: p, queue: queue, deliver: deliver}
			if err := s.work(ctx); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

func feed(ctx context.Context, leases iter.Seq[lease.Lease], queue chan<- lease.Lease) {
	defer close(queue)
	for l := range leases {
		select {
		case queue <- l:
		case <-ctx.Done():
			return
		}
	}
}

// A seat is one place in the pool: one worker after another sits in it.
type seat struct {
	pool    *Pool
	queue   <-chan lease.Lease
	deliver func(Outcome) error

	waiting []lease.Lease // taken back from a worker that ended
	sent    []lease.Lease // under way, oldest first
	ended   bool          // the queue is closed
}

// finishGrace is how long the worlds under way may take to finish after an
// interrupt.
const finishGrace = 3 * time.Second

// work runs workers until nothing is left to do.
func (s *seat) work(ctx context.Context) error {
	for {
		first, ok := s.next(ctx)
		if !ok {
			return nil
		}
		s.waiting = append([]lease.Lease{first}, s.waiting...)
		if err := s.runWorker(ctx); err != nil {
			return err
		}
	}
}

// next returns a lease: one that was taken back, or the queue's next.
func (s *seat) next(ctx context.Context) (lease.Lease, bool) {
	if ctx.Err() != nil {
		return lease.Lease{}, false
	}
	if len(s.waiting) > 0 {
		l := s.waiting[0]
		s.waiting = s.waiting[1:]
		return l, true
	}
	l, ok := <-s.queue
	if !ok {
		s.ended = true
	}
	return l, ok
}

// runWorker runs one worker until the leases end, it is dirty, or it dies.
func (s *seat) runWorker(ctx context.Context) error {
	proc, err := s.pool.Worker.start(ctx, s.pool.Setup, s.pool.CPULimit)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(finishGrace, proc.kill) })
	defer stop()
	for {
		s.fill(ctx, proc)
		if len(s.sent) == 0 {
			proc.end()
			return nil
		}
		reply, err := proc.receive(nil)
		if err != nil {
			return s.died(ctx, proc.end())
		}
		done := s.sent[0]
		s.sent = s.sent[1:]
		if reply.Dirty {
			s.takeBack()
			proc.end()
			return s.deliver(Outcome{Lease: done, Reply: reply})
		}
		if err := s.deliver(Outcome{Lease: done, Reply: reply}); err != nil {
			proc.kill()
			proc.end()
			return err
		}
	}
}

// fill keeps the worker supplied. Once ctx has ended it sends nothing new.
func (s *seat) fill(ctx context.Context, proc *child) {
	for len(s.sent) < window {
		if len(s.sent) > 0 && len(s.waiting) == 0 && !s.poll() {
			return
		}
		l, ok := s.next(ctx)
		if !ok {
			return
		}
		s.sent = append(s.sent, l)
		if proc.send(l) != nil {
			return // it has died; receive will say so
		}
	}
}

// poll takes the queue's next lease if there is one at once, so that a worker
// with worlds under way is not kept waiting for its replies to be read.
func (s *seat) poll() bool {
	if s.ended {
		return false
	}
	select {
	case l, ok := <-s.queue:
		if !ok {
			s.ended = true
			return false
		}
		s.waiting = append(s.waiting, l)
		return true
	default:
		return false
	}
}

func (s *seat) takeBack() {
	s.waiting = append(s.sent, s.waiting...)
	s.sent = nil
}

// died deals with a worker that ended under a lease: the oldest one under way is
// to blame and is run again alone; the others go to the next worker.
func (s *seat) died(ctx context.Context, first Death) error {
	s.takeBack()
	if ctx.Err() != nil {
		return nil
	}
	culprit := s.waiting[0]
	s.waiting = s.waiting[1:]
	out, err := s.pool.runAlone(ctx, culprit)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil // killed by the interrupt, so nothing was learned
	}
	if out.Death == nil {
		first.Recurred = false
		out.Death = &first
	}
	return s.deliver(out)
}

// runAlone runs one world in a worker of its own that streams its events.
func (p *Pool) runAlone(ctx context.Context, l lease.Lease) (Outcome, error) {
	setup := p.Setup
	setup.Stream = true
	proc, err := p.Worker.start(ctx, setup, p.CPULimit)
	if err != nil {
		return Outcome{}, err
	}
	defer context.AfterFunc(ctx, proc.kill)()
	out := Outcome{Lease: l}
	var events [][]byte
	if err = proc.send(l); err == nil {
		out.Reply, err = proc.receive(func(line []byte) { events = append(events, line) })
	}
	death := proc.end()
	if err != nil {
		death.Recurred, death.Events = true, events
		out.Death = &death
	}
	return out, nil
}

// RunOne runs a single world in a worker of its own and blocks until its outcome.
func (p *Pool) RunOne(ctx context.Context, l lease.Lease) (Outcome, error) {
	var out Outcome
	one := Pool{Worker: p.Worker, Setup: p.Setup, Jobs: 1, CPULimit: p.CPULimit}
	err := one.Run(ctx, func(yield func(lease.Lease) bool) { yield(l) }, func(o Outcome) error {
		out = o
		return nil
	})
	if err != nil {
		return Outcome{}, fmt.Errorf("run seed %d: %w", l.Seed, err)
	}
	return out, nil
}
