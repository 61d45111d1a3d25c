package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/lease"
)

// A runCommand is mcpsim run.
type runCommand struct {
	choice
	gateFlags
	seeds      string
	seedsGiven bool // by the user
	budget     time.Duration
	until      bool
	jobs       int
	out        string
	controls   bool
	ascii      bool
	all        bool

	stdout, stderr io.Writer
	started        time.Time
	plan           plan
	typedAs        []string // the command line of one scenario of a sweep; nil: what the user typed
}

func newRun() *cobra.Command {
	r := &runCommand{}
	cmd := &cobra.Command{
		Use:   "run SCENARIO|FILE|--all",
		Short: "Run a scenario over many seeds, judge every world, and write a result directory",
		Long: `Run simulates one world for every seed and protocol version, judges each against
the specification, and reports what was broken with a seed that shows it.

Beside the pair under test it runs the same seeds with the reference on both
sides, and with two mutants of it as controls for the plots.

--all runs every scenario of the catalogue on one pair of targets, each as a run of
its own below results/all, and prints one report: each broken rule once, with its
smallest seed, and a table of rules and scenarios. It takes 100 seeds a scenario, and
no controls or plots unless --controls is given. A scenario that needs what a target
or the protocol version does not have is said to, and fails nothing; --for is shared
out among the scenarios.

A file of --expected-failures lists what is known to be broken, and why that is
put up with. What it lists does not fail the run; anything else does, and so does
an entry that no longer fails. --write-expected-failures writes it, with a reason
and a link to be filled in. In a GitHub job, the report is also appended to the
job's summary, the file that GITHUB_STEP_SUMMARY names.

--transport plays the scenario over another transport than its own, at those of its
versions that have it. What that transport cannot have is refused; with --all such a
scenario is left out.

--for ends the run when the time is up, with the seeds that are under way; without
--seeds they then go on from 0. --seeds random draws where to begin, and prints the
range, which can be typed again. --until-finding counts worlds up to the smallest
seed that shows a finding (one that is not expected), whatever --jobs is.

Exit 1 means that the run worked and a MUST was broken (or, with --strict, a SHOULD
or a QUALITY rule), or that an expected failure is stale. 0: nothing of that. 2: the
command line or a file is wrong. 3: the experiment failed or was interrupted. 4:
nothing broken, but a rule that the scenario requires, or --rules names, was not
exercised, or one was left open by a death that nobody can be blamed for, or no
rule was exercised at all.`,
		GroupID: groupTest,
		Example: `  mcpsim run cancel-storm
  mcpsim run cancel-storm --server go-sdk --client reference --seeds 0-99
  mcpsim run --all --server go-sdk --client reference
  mcpsim run cancel-storm --transport streamable-http
  mcpsim run mine.yaml --spec-version 2025-11-25 --strict
  mcpsim run cancel-storm --seeds 0-199 --write-expected-failures expected.yaml
  mcpsim run cancel-storm --expected-failures expected.yaml --junit mcpsim.xml
  mcpsim run cancel-storm --seeds random --for 10m --until-finding
  mcpsim run cancel-storm --rules CANCEL-SILENCE,RESP-ONCE --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if r.all && len(args) > 0 {
				return fmt.Errorf("--all runs every scenario and takes none by name; leave out --all to run %s alone, or leave out %[1]s", strings.Join(args, " "))
			}
			if r.all {
				return nil
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			r.stdout, r.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			r.seedsGiven = cmd.Flags().Changed("seeds")
			if cmd.Flags().Changed("for") && r.budget == 0 {
				return usage(errors.New("--for 0s: it is how long to go on, such as 10m"))
			}
			if r.all {
				r.controls = r.controls && cmd.Flags().Changed("controls")
				return r.sweep(cmd.Context())
			}
			return r.run(cmd.Context(), args[0])
		},
	}
	r.flags(cmd)
	f := cmd.Flags()
	f.BoolVar(&r.all, "all", false, "run every scenario of the catalogue, and print one table")
	f.StringVar(&r.seeds, "seeds", defaultSeeds, "seeds to run, `LIST` like 7 or 0-999 or 3,9,20-25, or random, or random:200; where none are given, fewer of worlds with many clients")
	f.DurationVar(&r.budget, "for", 0, "take no new seed after this `TIME`, such as 10m; without --seeds, go on from 0 until then")
	f.BoolVar(&r.until, "until-finding", false, "stop at the smallest seed with a finding that is not expected")
	f.StringArrayVar(&r.specVersions, "spec-version", nil, "protocol version, `DATE`; may be repeated; all: each that both sides speak (default: the scenario's)")
	f.IntVar(&r.jobs, "jobs", runtime.NumCPU(), "workers at a time, `N`; the result does not depend on it")
	f.StringVar(&r.out, "out", "", "result directory, `DIR` (default: results/<scenario>/<run id>)")
	r.define(cmd)
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
	gate, err := r.gateFlags.read(grounds(e.transport(), e.specVersions))
	if err != nil {
		return usage(err)
	}
	if !r.seedsGiven {
		r.seeds = seedsFor(e.scenario.Load.Clients)
	}
	if r.plan, err = planned(r.seeds, r.seedsGiven, r.budget); err != nil {
		return usage(err)
	}
	if r.jobs < 1 || r.jobs > maxJobs {
		return usage(fmt.Errorf("--jobs %d: name a number from 1 to %d", r.jobs, maxJobs))
	}
	fmt.Fprintf(r.stderr, "mcpsim %s: %s, %s%s\n", programVersion(), typed, &r.plan, at(e.specVersions))
	worker, err := e.build(ctx, r.stderr)
	if err != nil {
		return err
	}
	if err := gate.meet(e); err != nil {
		return usage(err)
	}
	m := r.manifest(e, worker)
	dir, err := r.openDir(m, e)
	var taken *analysis.TakenError
	if errors.As(err, &taken) {
		return usage(err)
	}
	if err != nil {
		return failed(err)
	}
	g := newGathering(e, worker, m, dir, r.pairs(e))
	g.gate = gate
	if r.until {
		g.until = newSequence(len(e.specVersions) * len(g.pairs))
	}
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
	m.CommandLine, m.Started, m.Seeds = r.plan.typed(os.Args), r.started, r.plan.seeds.String()
	if r.typedAs != nil {
		m.CommandLine = r.typedAs
	}
	m.Worlds = r.plan.total() * len(e.specVersions)
	m.Flags = r.flagsResolved(e.specVersions)
	m.Flags["client"], m.Flags["server"], m.Flags["scheduler"] = e.client.Name, e.server.Name, e.scenario.Scheduler
	if e.schedulerSeed != nil {
		m.Flags["scheduler-seed"] = fmt.Sprint(*e.schedulerSeed)
	}
	return m
}

// flagsResolved are the flags that say the same of every scenario.
func (r *runCommand) flagsResolved(specVersions []string) map[string]string {
	out := map[string]string{
		"seeds": r.plan.seeds.String(), "spec-version": strings.Join(specVersions, ","), "jobs": fmt.Sprint(r.jobs),
		"strict": fmt.Sprint(r.strict), "controls": fmt.Sprint(r.controls),
	}
	maps.Copy(out, r.gateFlags.resolved())
	if r.budget > 0 {
		out["for"] = r.budget.String()
	}
	if r.transport != "" {
		out["transport"] = r.transport
	}
	if len(r.budgets) > 0 {
		out["budget"] = strings.Join(r.budgets, ",")
	}
	if r.until {
		out["until-finding"] = "true"
	}
	return out
}

// manifest is the part that does not depend on the verb.
func (e *experiment) manifest(worker engine.Worker) analysis.Manifest {
	return analysis.Manifest{
		Mcpsim: programVersion(), Go: worker.Go, OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(),
		ReplayFlags: e.order, Scenario: e.typed, ScenarioSHA256: e.scenario.Hash(),
		Client: peerOf(e.client), Server: peerOf(e.server), Sources: e.sources(),
		Transport: e.scenario.Transport, Clock: "virtual", Network: e.scenario.Wire(),
		SpecVersions: e.specVersions, Seeded: worker.Seeded,
	}
}
