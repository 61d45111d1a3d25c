package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/lease"
)

// An opposed world is one of a finding's seeds with the reference on the side that
// the finding is not about.
type opposed struct {
	pair int // index into opposedPairs
	analysis.HistoryKey
}

// opposedPairs seat the reference opposite either side.
func (e *experiment) opposedPairs() []lease.Pair {
	return []lease.Pair{
		{Arm: string(analysis.ArmOpposite), Client: "reference", Server: label(e.server)},
		{Arm: string(analysis.ArmOpposite), Client: label(e.client), Server: "reference"},
	}
}

// against lists the worlds that tell whether the finding needs both targets: none
// where it is about both, or where the reference is the other side already.
func (e *experiment) against(f analysis.Finding) []opposed {
	pair, other := 0, e.client.Name
	if f.Side == history.Client {
		pair, other = 1, e.server.Name
	}
	if f.Side == history.World || other == "reference" {
		return nil
	}
	var out []opposed
	for _, seed := range f.Seeds {
		out = append(out, opposed{pair, analysis.HistoryKey{SpecVersion: f.SpecVersion, Seed: seed}})
	}
	return out
}

// opposites runs the smallest seeds of every finding with the reference opposite,
// and puts into the findings what came of it. It reports whether there was
// anything to run: nothing is where the run was to do without controls. Worlds that cannot be run are noted and leave a finding without.
func (g *gathering) opposites(ctx context.Context, jobs int, findings []analysis.Finding) bool {
	if len(g.pairs) == 1 {
		return false
	}
	var list []opposed
	for _, f := range findings {
		list = append(list, g.experiment.against(f)...)
	}
	slices.SortFunc(list, func(a, b opposed) int {
		return cmp.Or(cmp.Compare(a.pair, b.pair), strings.Compare(a.SpecVersion, b.SpecVersion), cmp.Compare(a.Seed, b.Seed))
	})
	list = slices.Compact(list)
	if len(list) == 0 {
		return false
	}
	worlds, err := g.runOpposed(ctx, jobs, list)
	if err != nil {
		g.note(err)
		return false
	}
	for i := range findings {
		f := &findings[i]
		for _, k := range g.experiment.against(*f) {
			if f.Opposite == nil {
				f.Opposite = &analysis.Opposite{}
			}
			f.Opposite.Add(*f, worlds[k])
		}
	}
	return true
}

func (g *gathering) runOpposed(ctx context.Context, jobs int, list []opposed) (map[opposed]analysis.World, error) {
	e := g.experiment
	pairs := e.opposedPairs()
	worlds := map[opposed]analysis.World{}
	var mu sync.Mutex // guards worlds
	pool := engine.Pool{Worker: g.worker, Setup: e.setup(pairs), Jobs: jobs, CPULimit: e.cpuLimit()}
	err := pool.Run(ctx, func(yield func(lease.Lease) bool) {
		for _, o := range list {
			if !yield(lease.Lease{Pair: o.pair, SpecVersion: o.SpecVersion, Seed: o.Seed, SchedulerSeed: e.schedulerSeed}) {
				return
			}
		}
	}, func(out engine.Outcome) error {
		w, err := e.judged(out, pairs[out.Lease.Pair])
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		worlds[opposed{out.Lease.Pair, keyOf(w)}] = w
		return nil
	})
	return worlds, err
}
