package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/lease"
)

// A runCommand is mcpsim run.
type runCommand struct {
	choice
	seeds    string
	jobs     int
	out      string
	strict   bool
	controls bool
	ascii    bool

	stdout, stderr io.Writer
	started        time.Time
	plan           sim.Seeds
}

func newRun() *cobra.Command {
	r := &runCommand{}
	cmd := &cobra.Command{
		Use:   "run SCENARIO|FILE",
		Short: "Run a scenario over many seeds, judge every world, and write a result directory",
		Long: `Run simulates one world for every seed and protocol version, judges each against
the specification, and reports what was broken with a seed that shows it.

Beside the pair under test it runs the same seeds with the reference on both
sides, and with two mutants of it as controls for the plots.

Exit 1 means that the run worked and a MUST was broken (or, with --strict, a
SHOULD). 0: nothing was. 2: the command line or the scenario is wrong. 3: the
experiment failed or was interrupted. 4: nothing broken, but a rule that the
scenario requires was not exercised.`,
		GroupID: groupTest,
		Example: `  mcpsim run cancel-storm
  mcpsim run cancel-storm --server go-sdk --client reference --seeds 0-99
  mcpsim run mine.yaml --spec-version 2025-11-25 --strict`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.stdout, r.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return r.run(cmd.Context(), args[0])
		},
	}
	r.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&r.seeds, "seeds", "0-999", "seeds to run, `LIST` like 7 or 0-999 or 3,9,20-25")
	f.StringArrayVar(&r.specVersions, "spec-version", nil, "protocol version, `DATE`; may be repeated (default: all that both sides speak)")
	f.IntVar(&r.jobs, "jobs", runtime.NumCPU(), "workers at a time, `N`; the result does not depend on it")
	f.StringVar(&r.out, "out", "", "result directory, `DIR` (default: results/<scenario>/<run id>)")
	f.BoolVar(&r.strict, "strict", false, "exit 1 for a SHOULD that was not kept, too")
	f.BoolVar(&r.controls, "controls", true, "run the reference and two mutants on the same seeds, and findings opposite the reference")
	f.BoolVar(&r.ascii, "ascii", !utf8Locale(), "print ASCII only (default: unless the locale is UTF-8)")
	return cmd
}

func (r *runCommand) run(ctx context.Context, typed string) error {
	r.started = time.Now()
	e, err := r.load(typed)
	if err != nil {
		return err
	}
	if r.plan, err = sim.ParseSeeds(r.seeds); err != nil {
		return usage(fmt.Errorf("--seeds %w", err))
	}
	if r.jobs < 1 || r.jobs > maxJobs {
		return usage(fmt.Errorf("--jobs %d: name a number from 1 to %d", r.jobs, maxJobs))
	}
	fmt.Fprintf(r.stderr, "mcpsim %s: %s, seeds %s%s\n", programVersion(), typed, r.plan, at(e.specVersions))
	worker, err := e.build(ctx, r.stderr)
	if err != nil {
		return err
	}
	m := r.manifest(e, worker)
	dir, err := r.openDir(m, e)
	if err != nil {
		return failed(err)
	}
	g := newGathering(e, worker, m, dir, r.pairs(e))
	g.note(dir.Err())
	err = r.gather(ctx, g)
	return r.conclude(ctx, g, err)
}

// at names the versions as far as they are known: a player that is yet to be
// built has a say in them.
func at(specVersions []string) string {
	if len(specVersions) == 0 {
		return ""
	}
	return " at " + strings.Join(specVersions, ", ")
}

const maxJobs = 1024

func (r *runCommand) pairs(e *experiment) []lease.Pair {
	pairs := []lease.Pair{e.tested()}
	if r.controls {
		pairs = append(pairs, controls()...)
	}
	return pairs
}

// leases yields every world of the run: seed by seed, so that an interrupted run
// has the same seeds of every arm.
func (r *runCommand) leases(g *gathering) iter.Seq[lease.Lease] {
	return func(yield func(lease.Lease) bool) {
		for seed := range r.plan.All() {
			for _, v := range g.experiment.specVersions {
				for pair := range g.pairs {
					l := lease.Lease{Pair: pair, SpecVersion: v, Seed: seed, SchedulerSeed: g.experiment.schedulerSeed}
					if !yield(l) {
						return
					}
				}
			}
		}
	}
}

// gather runs all worlds. The context's end is not an error here: what was
// gathered until then counts.
func (r *runCommand) gather(ctx context.Context, g *gathering) error {
	total := int(r.plan.Count()) * len(g.experiment.specVersions) * len(g.pairs)
	g.progress = startProgress(r.stderr, total)
	defer g.progress.stop()
	pool := g.pool(r.jobs)
	return pool.Run(ctx, r.leases(g), g.take)
}

// conclude sums up, writes the rest of the result directory, and prints the
// report. runErr is why the run stopped early, if it did.
func (r *runCommand) conclude(ctx context.Context, g *gathering, runErr error) error {
	partial := ""
	switch {
	case ctx.Err() != nil:
		partial = "interrupted"
	case runErr != nil:
		partial = runErr.Error()
	}
	summary := g.aggregate.Summary()
	if partial != "" {
		fmt.Fprintf(r.stderr, "%s: writing what was gathered\n", partial)
	}
	g.write(context.WithoutCancel(ctx), r.jobs, summary, partial != "")
	if partial == "" && len(g.troubles) > 0 {
		partial = g.troubles[0].Error()
	}
	g.note(g.dir.Finish(partial, time.Now()))
	decision := analysis.Decide(summary, g.experiment.required(g.exercised(summary)), r.strict, partial)
	report := g.report(summary, decision)
	report.Elapsed = time.Since(r.started)
	report.Style = analysis.Style{Color: colorful(r.stdout), ASCII: r.ascii}
	if _, err := io.WriteString(r.stdout, analysis.Text(report)); err != nil {
		return failed(fmt.Errorf("print the report: %w", err))
	}
	if decision.Code != exitOK {
		return &exitError{code: decision.Code}
	}
	return nil
}

// openDir makes the result directory.
func (r *runCommand) openDir(m analysis.Manifest, e *experiment) (*analysis.ResultDir, error) {
	var dir *analysis.ResultDir
	var err error
	if r.out != "" {
		dir, err = analysis.CreateAt(r.out, m)
	} else {
		dir, err = analysis.CreateRun("results", m)
	}
	if err != nil {
		return nil, err
	}
	return dir, dir.WriteScenario(e.scenario.Marshal())
}

// manifest says what is known before the first world.
func (r *runCommand) manifest(e *experiment, worker engine.Worker) analysis.Manifest {
	m := e.manifest(worker)
	m.CommandLine, m.Started, m.Seeds = os.Args, r.started, r.plan.String()
	m.Worlds = int(r.plan.Count()) * len(e.specVersions)
	m.Flags = map[string]string{
		"seeds": r.plan.String(), "client": e.client.Name, "server": e.server.Name,
		"spec-version": strings.Join(e.specVersions, ","), "jobs": fmt.Sprint(r.jobs),
		"strict": fmt.Sprint(r.strict), "controls": fmt.Sprint(r.controls), "scheduler": e.scenario.Scheduler,
	}
	if e.schedulerSeed != nil {
		m.Flags["scheduler-seed"] = fmt.Sprint(*e.schedulerSeed)
	}
	return m
}

// manifest is the part that does not depend on the verb.
func (e *experiment) manifest(worker engine.Worker) analysis.Manifest {
	return analysis.Manifest{
		Mcpsim: programVersion(), Go: worker.Go, OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(),
		Scenario: e.typed, ScenarioSHA256: e.scenario.Hash(),
		Client: peerOf(e.client), Server: peerOf(e.server), Sources: e.sources(),
		Transport: e.scenario.Transport, Clock: "virtual", Network: e.scenario.Network.String(),
		SpecVersions: e.specVersions, Seeded: worker.Seeded,
	}
}
