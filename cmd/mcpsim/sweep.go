package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/scenarios"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// allScenarios is what a sweep is called: its folder below results, and its name in
// reports.
const allScenarios = "all"

// sweepSeeds are the seeds of each scenario of a sweep when nobody asks for others:
// few enough for the whole catalogue to end in minutes.
const sweepSeeds = "0-99"

// A sweep is mcpsim run --all: every scenario of the catalogue on one pair of
// targets, one after the other, each as a run of its own.
type sweep struct {
	*runCommand
	gate     gate
	worker   engine.Worker
	legs     []*leg
	dir      *analysis.ResultDir
	told     analysis.Sweep
	deadline time.Time // of --for; zero: none
}

// A leg is one scenario of a sweep.
type leg struct {
	name       string
	experiment *experiment
	undone     error // why it cannot be run with these targets and flags
	failed     bool  // it was tried
}

// sweep runs the whole catalogue.
func (r *runCommand) sweep(ctx context.Context) error {
	r.started = time.Now()
	s := &sweep{runCommand: r}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	if err := s.open(); err != nil {
		return err
	}
	for i := range s.legs {
		if ctx.Err() != nil {
			s.legs[i].skip(errors.New("not reached: interrupted"))
			continue
		}
		s.run(ctx, i)
	}
	return s.conclude(ctx)
}

// prepare decides everything and builds the worker. A scenario that refuses the
// targets or flags is left out, unless all do.
func (s *sweep) prepare(ctx context.Context) error {
	if !s.seedsGiven {
		s.seeds = sweepSeeds
	}
	var err error
	if s.plan, err = planned(s.seeds, s.seedsGiven, s.budget); err != nil {
		return usage(err)
	}
	if s.jobs < 1 || s.jobs > maxJobs {
		return usage(fmt.Errorf("--jobs %d: name a number from 1 to %d", s.jobs, maxJobs))
	}
	if s.writeExpected != "" {
		return usage(errors.New("--write-expected-failures: it is written by one scenario at a time; leave out --all"))
	}
	if err := s.load(); err != nil {
		return err
	}
	if s.gate, err = s.gateFlags.read(s.where()); err != nil {
		return usage(err)
	}
	fmt.Fprintf(s.stderr, "mcpsim %s: %s, %s each%s\n", programVersion(), plural(len(s.legs), "scenario", "scenarios"), &s.plan, at(s.versions()))
	if s.worker, err = s.legs[s.first()].experiment.build(ctx, s.stderr); err != nil {
		return err
	}
	s.cast()
	if first := s.first(); first < 0 {
		return usage(s.legs[0].undone)
	}
	return nil
}

// load reads the catalogue. Both sides are seated with whom cancel-storm has, where
// nobody is named, so that all scenarios are of one pair.
func (s *sweep) load() error {
	common, err := catalogued(steadyScenario)
	if err != nil {
		return failed(err)
	}
	s.client, s.server = cmp.Or(s.client, common.Client), cmp.Or(s.server, common.Server)
	for _, name := range scenarios.Names() {
		e, err := s.choice.load(name)
		s.legs = append(s.legs, &leg{name: name, experiment: e, undone: err})
	}
	if s.first() < 0 {
		return s.legs[0].undone
	}
	return nil
}

// steadyScenario is the main job of the catalogue.
const steadyScenario = "cancel-storm"

// first is the first scenario that can be run; -1: none.
func (s *sweep) first() int {
	return slices.IndexFunc(s.legs, func(l *leg) bool { return l.undone == nil })
}

// cast seats the targets that were built with the worker in the other scenarios,
// leaves out versions that a scenario is not about, and holds the gate against each.
func (s *sweep) cast() {
	for _, l := range s.legs {
		if l.undone == nil && len(l.experiment.pinned) > 0 {
			l.undone = l.experiment.cast(s.worker.Players)
		}
		if l.undone == nil {
			l.undone = l.experiment.narrow()
		}
		if l.undone == nil {
			l.undone = bind(s.gate.rules, grounds(l.experiment.transport(), l.experiment.specVersions))
		}
	}
}

// narrow leaves out the versions of an era that the scenario has nothing to do in. It
// errs when none is left.
func (e *experiment) narrow() error {
	own := slices.DeleteFunc(slices.Clone(e.specVersions), func(v string) bool { return !ofItsEra(e.scenario, v) })
	if len(own) == 0 {
		return fmt.Errorf("it is about %s, and this run about %s", strings.Join(e.scenario.SpecVersions, ", "), strings.Join(e.specVersions, ", "))
	}
	e.specVersions = own
	return nil
}

// ofItsEra reports whether the scenario is about versions like this one.
func ofItsEra(sc *sim.Scenario, specVersion string) bool {
	return slices.ContainsFunc(sc.SpecVersions, func(v string) bool { return protocol.Modern(v) == protocol.Modern(specVersion) })
}

// where is what the scenarios are run at, as far as that is known.
func (s *sweep) where() []ground {
	var out []ground
	for _, l := range s.legs {
		if l.undone == nil {
			out = append(out, grounds(l.experiment.transport(), l.experiment.specVersions)...)
		}
	}
	return out
}

// versions are all protocol versions at which some scenario runs, as far as they
// are known.
func (s *sweep) versions() []string {
	all := map[string]bool{}
	for _, l := range s.legs {
		if l.undone == nil {
			for _, v := range l.experiment.specVersions {
				all[v] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func (l *leg) skip(err error) { l.undone = cmp.Or(l.undone, err) }

// open makes the result directory of the whole.
func (s *sweep) open() error {
	m := s.legs[s.first()].experiment.manifest(s.worker)
	m.CommandLine, m.Started, m.Seeds = s.plan.typed(os.Args), s.started, s.plan.seeds.String()
	m.Scenario, m.ScenarioSHA256, m.Network = allScenarios, "", "each scenario's own"
	m.Transport = s.transport()
	m.SpecVersions, m.Scenarios = s.versions(), s.swept()
	m.Flags = s.runCommand.flagsResolved(m.SpecVersions)
	for _, l := range s.legs {
		if l.undone == nil {
			m.Worlds += s.plan.total() * len(l.experiment.specVersions)
		}
	}
	var err error
	if s.out != "" {
		s.dir, err = analysis.CreateSweepAt(s.out, m)
	} else {
		s.dir, err = analysis.CreateSweep("results", m)
	}
	var taken *analysis.TakenError
	if errors.As(err, &taken) {
		return usage(err)
	}
	if err != nil {
		return failed(err)
	}
	s.told = analysis.Sweep{Manifest: m, Rules: analysis.RuleTexts(), Dir: s.dir.Path()}
	s.deadline = time.Time{}
	if s.budget > 0 {
		s.deadline = time.Now().Add(s.budget)
	}
	return nil
}

// transport names what the scenarios are played over, as far as they can be.
func (s *sweep) transport() string {
	var all []string
	for _, t := range sim.Transports() {
		if slices.ContainsFunc(s.legs, func(l *leg) bool { return l.undone == nil && l.experiment.scenario.Transport == t }) {
			all = append(all, t)
		}
	}
	return strings.Join(all, ", ")
}

// swept lists the scenarios as the manifest does.
func (s *sweep) swept() []analysis.SweptScenario {
	var out []analysis.SweptScenario
	for _, l := range s.legs {
		sc := analysis.SweptScenario{Name: l.name, Failed: l.failed}
		if l.undone != nil {
			sc.Undone = l.undone.Error()
		}
		out = append(out, sc)
	}
	return out
}

// run runs one scenario as mcpsim run does, in a directory below the whole's, and
// keeps its report. What goes wrong with it is its own affair.
func (s *sweep) run(ctx context.Context, i int) {
	l := s.legs[i]
	if l.undone != nil {
		return
	}
	one := *s.runCommand
	one.started, one.plan = time.Now(), s.share(i)
	one.typedAs = one.again(l)
	m := one.manifest(l.experiment, s.worker)
	dir, err := s.dir.Below(l.name, m)
	if err == nil {
		err = dir.WriteScenario(l.experiment.scenario.Marshal())
	}
	if err != nil {
		l.undone, l.failed = err, true
		return
	}
	g := newGathering(l.experiment, s.worker, m, dir, one.pairs(l.experiment))
	g.gate, g.part, g.bare = s.gate, true, !s.controls // a plot without controls says little
	g.note(g.gate.meet(l.experiment))
	if one.until {
		g.until = newSequence(len(l.experiment.specVersions) * len(g.pairs))
	}
	report := one.finish(ctx, g, one.gather(ctx, g), one.report)
	fmt.Fprintf(s.stderr, "%2d/%d %s: %s\n", i+1, len(s.legs), l.name, report.Decision.Line)
	s.told.Reports = append(s.told.Reports, report)
}

// share is the plan of a scenario: all seeds, and an equal part of the time that is
// left, if there is a bound.
func (s *sweep) share(i int) plan {
	p := s.plan
	if !s.deadline.IsZero() {
		p.budget = max(time.Until(s.deadline)/time.Duration(len(s.legs)-i), time.Millisecond)
	}
	return p
}

// again is the command line that runs one scenario of the sweep alone.
func (r *runCommand) again(l *leg) []string {
	e := l.experiment
	pair := analysis.Manifest{Client: peerOf(e.client), Server: peerOf(e.server), Sources: e.sources()}
	line := []string{os.Args[0], "run", l.name, "--client", pair.Typed(pair.Client), "--server", pair.Typed(pair.Server), "--seeds", r.plan.seeds.String()}
	for _, v := range e.specVersions {
		line = append(line, "--spec-version", v)
	}
	if len(r.rules) > 0 {
		line = append(line, "--rules", strings.Join(r.rules, ","))
	}
	return append(append(line, fmt.Sprintf("--controls=%t", r.controls)), e.order...)
}

// conclude adds up, writes what is about the whole, and prints.
func (s *sweep) conclude(ctx context.Context) error {
	s.told.Manifest.Scenarios = s.swept()
	partial := s.told.FailedScenarios()
	if ctx.Err() != nil {
		partial = "interrupted"
	}
	s.told.Elapsed = time.Since(s.started)
	s.told.Style = analysis.Style{Color: colorful(s.stdout), ASCII: s.ascii}
	s.decide(partial)
	if err := s.tell(); err != nil {
		s.decide(cmp.Or(partial, err.Error()))
	}
	s.note(s.write())
	s.dir.Amend(func(m *analysis.Manifest) {
		m.Scenarios, m.Decision = s.told.Manifest.Scenarios, &s.told.Decision
	})
	s.note(s.dir.Finish(s.told.Decision.Partial, time.Now()))
	return s.print()
}

func (s *sweep) decide(partial string) {
	s.told.Decision = analysis.DecideSweep(s.told, s.strict, partial)
}

func (s *sweep) note(err error) {
	if err != nil && !slices.Contains(s.told.Troubles, err.Error()) {
		s.told.Troubles = append(s.told.Troubles, err.Error())
	}
}

// tell tells the outcome in every place that asks for it, the screen apart.
func (s *sweep) tell() error {
	var errs []error
	if s.junit != "" {
		data, err := analysis.SweepJUnit(s.told, s.strict)
		if err == nil {
			err = write("the JUnit report", s.junit, data)
		}
		errs = append(errs, err)
	}
	if name := githubSummary(); name != "" {
		errs = append(errs, appendTo(name, analysis.SweepMarkdown(s.told)))
	}
	for _, err := range errs {
		s.note(err)
	}
	return errors.Join(errs...)
}

// write writes the summary of the whole.
func (s *sweep) write() error {
	data, err := analysis.SweepJSON(s.told)
	if err != nil {
		return err
	}
	return s.dir.WriteFile(analysis.SummaryFile, data)
}

func (s *sweep) print() error {
	text, err := []byte(analysis.SweepText(s.told)), error(nil)
	if s.json {
		if text, err = analysis.SweepJSON(s.told); err != nil {
			return failed(err)
		}
	}
	if _, err := s.stdout.Write(text); err != nil {
		return failed(fmt.Errorf("print the report: %w", err))
	}
	if s.json {
		if _, err := fmt.Fprintln(s.stderr, s.told.Decision.Line); err != nil {
			return failed(fmt.Errorf("print the outcome: %w", err))
		}
	}
	if code := s.told.Decision.Code; code != exitOK {
		return &exitError{code: code}
	}
	return nil
}
