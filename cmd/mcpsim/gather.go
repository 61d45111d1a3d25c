package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/plots"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/lease"
)

// A gathering takes the worlds of a run as they end and keeps what is to be kept
// of them. Nothing that goes wrong with writing stops the run: it is noted, and
// told at the end.
type gathering struct {
	experiment *experiment
	worker     engine.Worker
	pairs      []lease.Pair
	manifest   analysis.Manifest
	gate       gate
	progress   *progress
	bare       bool // makes no plots
	part       bool // of a run of all scenarios, one of which has to exercise what --rules names

	mu        sync.Mutex // guards what follows
	until     *sequence  // nil: worlds are counted as they end
	aggregate *analysis.Aggregate
	dir       *analysis.ResultDir
	digests   map[analysis.HistoryKey]string // of the pair under test
	troubles  []error
	flukes    int // workers that died once and not again
}

func newGathering(e *experiment, worker engine.Worker, m analysis.Manifest, dir *analysis.ResultDir, pairs []lease.Pair) *gathering {
	return &gathering{
		experiment: e, worker: worker, pairs: pairs, dir: dir, manifest: m,
		aggregate: analysis.NewAggregate(m.Pair()),
		digests:   map[analysis.HistoryKey]string{},
	}
}

func (g *gathering) pool(jobs int) *engine.Pool {
	return &engine.Pool{Worker: g.worker, Setup: g.experiment.setup(g.pairs), Jobs: jobs, CPULimit: g.experiment.cpuLimit()}
}

// take counts one world. It may be called from several goroutines.
func (g *gathering) take(out engine.Outcome) error {
	w, err := g.experiment.judged(out, g.pairs[out.Lease.Pair])
	if err != nil {
		return err
	}
	a := arrived{world: w.Only(g.gate.rules), fluke: out.Death != nil && !out.Death.Recurred}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.until != nil {
		return g.until.arrive(a, g.gate.expected.Surprising, g.count)
	}
	return g.count(a)
}

// count adds a judged world to everything that is kept. The caller holds mu.
func (g *gathering) count(a arrived) error {
	if a.fluke {
		g.flukes++
	}
	w := a.world
	if err := g.aggregate.Add(w); err != nil {
		return err
	}
	if w.Arm == analysis.ArmTarget {
		g.digests[keyOf(w)] = w.Digest
	}
	g.note(g.dir.Add(w))
	g.progress.step(g.aggregate.FindingCount())
	return nil
}

// goesOn reports whether one more seed is to be run, and notes it.
func (g *gathering) goesOn(seed uint64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.until == nil || g.until.handOut(seed)
}

// stopped reports whether a finding ended the run before its seeds were out. It is
// for when all worlds have ended.
func (g *gathering) stopped() bool { return g.until != nil && g.until.stopped }

// summary adds up, and holds what was found against what was expected.
func (g *gathering) summary(cutShort bool) analysis.Summary {
	s := g.aggregate.Summary()
	s.Judged = g.gate.rules
	g.gate.expected.Apply(&s, cutShort)
	return s
}

// amend changes what the manifest says, here and on the disk.
func (g *gathering) amend(change func(*analysis.Manifest)) {
	change(&g.manifest)
	g.dir.Amend(change)
}

func keyOf(w analysis.World) analysis.HistoryKey {
	return analysis.HistoryKey{SpecVersion: w.SpecVersion, Seed: w.Seed}
}

// note remembers a trouble with writing, the first of each wording.
func (g *gathering) note(err error) {
	if err == nil || slices.ContainsFunc(g.troubles, func(e error) bool { return e.Error() == err.Error() }) {
		return
	}
	g.troubles = append(g.troubles, err)
}

// write fills the result directory with everything that needs the whole run, what
// cannot be had again first. A run that was cut short keeps no histories but the
// findings' examples, and those only as far as they are made within a moment.
func (g *gathering) write(ctx context.Context, jobs int, summary analysis.Summary, cutShort bool) {
	g.note(g.dir.WriteSummary(summary))
	if !cutShort && g.opposites(ctx, jobs, summary.Findings) {
		g.note(g.dir.WriteSummary(summary))
	}
	if cutShort {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, exampleTime)
		defer cancel()
	}
	examples := map[analysis.HistoryKey][]byte{}
	for _, f := range summary.Findings {
		examples[exampleOf(f)] = nil
	}
	g.rerunAll(ctx, jobs, slices.Collect(maps.Keys(examples)), func(k analysis.HistoryKey, encoded []byte) {
		examples[k] = encoded
	})
	for _, f := range summary.Findings {
		g.note(g.page(f, summary, examples[exampleOf(f)]))
	}
	if !g.bare {
		g.draw(summary)
	}
	for k, encoded := range examples {
		if encoded != nil {
			g.note(g.dir.KeepHistory(k, encoded))
		}
	}
	if !cutShort {
		g.rerunAll(ctx, jobs, g.dir.Missing(), func(k analysis.HistoryKey, encoded []byte) {
			g.note(g.dir.KeepHistory(k, encoded))
		})
	}
}

// draw makes the plots.
func (g *gathering) draw(summary analysis.Summary) {
	figures, err := plots.All(&summary, g.plotInfo())
	g.note(err)
	for _, p := range figures {
		g.note(g.dir.WriteFile("plots/"+p.Name+".svg", p.SVG))
		g.note(g.dir.WriteFile("plots/"+p.Name+".png", p.PNG))
	}
}

// exampleTime is how long a run that was cut short may still take to run its
// findings' examples once more.
const exampleTime = 5 * time.Second

// rerunAll runs worlds once more and hands their encoded histories to keep, one at
// a time. The seed gives the same history again; should one differ, that is told.
// Worlds that ctx leaves no time for are left out.
func (g *gathering) rerunAll(ctx context.Context, jobs int, keys []analysis.HistoryKey, keep func(analysis.HistoryKey, []byte)) {
	var mu sync.Mutex // for keep and the notes
	err := g.pool(jobs).Run(ctx, func(yield func(lease.Lease) bool) {
		for _, k := range keys {
			if !yield(lease.Lease{SpecVersion: k.SpecVersion, Seed: k.Seed, SchedulerSeed: g.experiment.schedulerSeed, Keep: true}) {
				return
			}
		}
	}, func(out engine.Outcome) error {
		encoded, digest, err := g.experiment.rerun(out)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		k := analysis.HistoryKey{SpecVersion: out.Lease.SpecVersion, Seed: out.Lease.Seed}
		if digest != g.digests[k] {
			g.note(fmt.Errorf("seed %d at %s gave history %s, and %s when it was run again", k.Seed, k.SpecVersion, g.digests[k], digest))
		}
		keep(k, encoded)
		return nil
	})
	if ctx.Err() == nil {
		g.note(err)
	}
}

func exampleOf(f analysis.Finding) analysis.HistoryKey {
	return analysis.HistoryKey{SpecVersion: f.SpecVersion, Seed: f.ExampleSeed}
}

// rerun returns the encoded history of a world that was run to keep it, and its
// digest.
func (e *experiment) rerun(out engine.Outcome) (encoded []byte, digest string, err error) {
	if out.Death == nil || !out.Death.Recurred {
		w, err := e.judged(out, e.tested())
		return out.Reply.History, w.Digest, err
	}
	h, err := e.lastWords(out, e.tested())
	if err != nil {
		return nil, "", err
	}
	var b bytes.Buffer
	err = history.Encode(&b, h)
	return b.Bytes(), history.Digest(h.Events), err
}

func (g *gathering) plotInfo() plots.Info {
	m := g.manifest
	pair := m.Pair()
	return plots.Info{
		Scenario: m.Scenario, Client: pair.Client, Server: pair.Server, Transport: m.Transport,
		Clock: m.Clock + " time", Network: m.Network, Seeds: m.Seeds,
		Command: commandLine(m),
	}
}

// commandLine is how the run is made again.
func commandLine(m analysis.Manifest) string {
	return "mcpsim " + analysis.ShellLine(m.CommandLine[1:])
}

func (g *gathering) report(summary analysis.Summary, decision analysis.Decision) analysis.Report {
	r := analysis.Report{
		Manifest: g.manifest, Summary: summary, Decision: decision, Rules: analysis.RuleTexts(),
		Dir: g.dir.Path(), Files: analysis.FilesWorthNaming(summary),
	}
	r.Troubles = g.told()
	return r
}

// told is what went wrong with writing, and what is odd, a sentence each.
func (g *gathering) told() []string {
	var out []string
	for _, err := range g.troubles {
		out = append(out, err.Error())
	}
	if g.flukes > 0 {
		out = append(out, fmt.Sprintf("%s died once and not again when run alone; those worlds were counted by their second run", plural(g.flukes, "worker", "workers")))
	}
	return out
}
