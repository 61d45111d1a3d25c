package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/scenarios"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/lease"
)

// A matrixRunner runs the worlds of a matrix.
type matrixRunner struct {
	worker engine.Worker
	jobs   int
	seeds  sim.Seeds
	step   func() // after every world; may be called from several goroutines

	mu     sync.Mutex // guards the rows' results and what follows
	worlds int
}

// run fills the matrix in. It goes in rounds, and decides between them which rows
// have seen enough, so that the same worlds are run whatever the number of jobs.
func (x *matrixRunner) run(ctx context.Context, m *matrix) error {
	first, all := uint64(0), uint64(x.seeds.Count())
	for _, until := range []uint64{min(cleanWorlds, all), all} {
		for _, scenario := range scenarios.Names() {
			if err := x.round(ctx, m, scenario, first, until); err != nil {
				return fmt.Errorf("%s: %w", scenario, err)
			}
		}
		first = until
	}
	return nil
}

// round runs the seeds from the first on, by their place in the list, of all rows
// of one scenario that still want some: in one pool, since a lease says who plays.
func (x *matrixRunner) round(ctx context.Context, m *matrix, scenario string, first, until uint64) error {
	var leases []lease.Lease
	var rows []*matrixRow
	var versions []string // the same of all rows of a scenario
	var pairs []lease.Pair
	for _, r := range m.rows {
		if r.scenario != scenario {
			continue
		}
		versions = r.played(m.specVersions)
		for _, v := range versions {
			if r.wants(v, first) {
				leases = append(leases, x.leases(len(rows), v, first, until)...)
			}
		}
		rows = append(rows, r)
		pairs = append(pairs, lease.Pair{Arm: string(analysis.ArmTarget), Client: r.client, Server: r.server})
	}
	if len(leases) == 0 {
		return nil
	}
	e, err := (&choice{client: "reference", server: "reference", specVersions: versions}).load(scenario)
	if err != nil {
		return err
	}
	pool := engine.Pool{Worker: x.worker, Setup: e.setup(pairs), Jobs: x.jobs, CPULimit: e.cpuLimit()}
	err = pool.Run(ctx, func(yield func(lease.Lease) bool) {
		for _, l := range leases {
			if ctx.Err() != nil || !yield(l) {
				return
			}
		}
	}, func(out engine.Outcome) error { return x.take(e, rows[out.Lease.Pair], pairs[out.Lease.Pair], out) })
	if err != nil {
		return err
	}
	for _, r := range rows {
		r.require(e)
	}
	return ctx.Err()
}

func (x *matrixRunner) leases(pair int, specVersion string, first, until uint64) []lease.Lease {
	var out []lease.Lease
	i := uint64(0)
	for seed := range x.seeds.All() {
		if i >= first && i < until {
			out = append(out, lease.Lease{Pair: pair, SpecVersion: specVersion, Seed: seed})
		}
		i++
	}
	return out
}

func (x *matrixRunner) take(e *experiment, r *matrixRow, pair lease.Pair, out engine.Outcome) error {
	if out.Death != nil {
		return fmt.Errorf("seed %d of %s and %s: %s\n%s", out.Lease.Seed, pair.Client, pair.Server, out.Death.Headline(), out.Death.Report)
	}
	w, err := e.judged(out, pair)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.worlds++
	r.results[w.SpecVersion].add(w)
	if x.step != nil {
		x.step()
	}
	return nil
}

// add counts the verdicts of a world. One that is implied by a stricter rule reports
// the same act a second time, and does not count.
func (r *rowResult) add(w analysis.World) {
	r.worlds++
	for _, v := range w.Judgement.Verdicts {
		c := r.cells[v.Rule]
		c.Checked += v.Checked
		if v.Status == oracle.Fail && v.Implied == "" {
			if c.Failed == 0 || w.Seed < c.Seed {
				c.Seed, c.What = w.Seed, v.Violations[0].What
			}
			c.Failed += v.Failed
		}
		r.cells[v.Rule] = c
	}
}

// require notes what the scenario requires, at versions that it is about, and the
// row's worlds did not exercise.
func (r *matrixRow) require(e *experiment) {
	for v, result := range r.results {
		exercised := map[string]bool{}
		for id, c := range result.cells {
			exercised[id] = c.Checked > 0
		}
		if result.missing = nil; result.worlds > 0 && ofItsEra(e.scenario, v) {
			result.missing = e.unmet(v, exercised)
		}
	}
}
