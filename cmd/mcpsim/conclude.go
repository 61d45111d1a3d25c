package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/sim/lease"
)

// leases yields every world of the run: seed by seed, so that an interrupted run
// has the same seeds of every arm.
func (r *runCommand) leases(g *gathering) iter.Seq[lease.Lease] {
	return func(yield func(lease.Lease) bool) {
		for seed := range r.plan.seeds.All() {
			if !g.goesOn(seed) || !r.plan.take(seed, time.Now()) {
				return
			}
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
	tested := r.plan.total() * len(g.experiment.specVersions)
	g.progress = startProgress(r.stderr, tested*len(g.pairs), tested*(len(g.pairs)-1))
	defer g.progress.stop()
	pool := g.pool(r.jobs)
	return pool.Run(ctx, r.leases(g), g.take)
}

// conclude sums up, tells the outcome, and prints the report. runErr is why the run
// stopped early, if it did.
func (r *runCommand) conclude(ctx context.Context, g *gathering, runErr error) error {
	return r.print(r.finish(ctx, g, runErr, r.tell))
}

// finish sums up, has the outcome told, and writes the rest of the result directory.
func (r *runCommand) finish(ctx context.Context, g *gathering, runErr error,
	tell func(*gathering, analysis.Summary, string) analysis.Report) analysis.Report {
	partial := ""
	switch {
	case ctx.Err() != nil:
		partial = "interrupted"
	case runErr != nil:
		partial = runErr.Error()
	}
	r.settle(g, partial != "")
	summary := g.summary(partial != "" || g.stopped() || r.plan.ended != "")
	if partial != "" {
		fmt.Fprintf(r.stderr, "%s: writing what was gathered\n", partial)
	}
	alive := startSign(r.stderr, "writing pages, plots and histories")
	g.write(context.WithoutCancel(ctx), r.jobs, summary, partial != "")
	alive.stop()
	if partial == "" && len(g.troubles) > 0 {
		partial = g.troubles[0].Error()
	}
	report := tell(g, summary, partial)
	partial = report.Decision.Partial
	g.amend(func(m *analysis.Manifest) { m.Decision = &report.Decision })
	g.note(g.dir.Finish(partial, time.Now()))
	report.Troubles = g.told()
	return report
}

// tell tells the outcome in every place that asks for it, the screen apart, and
// returns it. A place that cannot be told makes it a run that stopped early, which the
// later places are to know. Of a run that was cut short no expected failures are
// written. The page of a job comes last, as it can only be added to; the JUnit report
// is written again if that went wrong.
func (r *runCommand) tell(g *gathering, summary analysis.Summary, partial string) analysis.Report {
	report := r.report(g, summary, partial)
	told := func(err error) bool {
		if err != nil {
			g.note(err)
			partial = cmp.Or(partial, err.Error())
			report = r.report(g, summary, partial)
		}
		return err == nil
	}
	if partial == "" {
		told(r.tellExpected(report, g.experiment.scenario.Name))
	}
	told(r.tellJUnit(report))
	if !told(tellPage(report)) {
		told(r.tellJUnit(report))
	}
	return report
}

// settle writes into the manifest which seeds were run, where that was not known
// before.
func (r *runCommand) settle(g *gathering, cutShort bool) {
	p := &r.plan
	if g.stopped() {
		p.last, p.ended = g.until.at, fmt.Sprintf("at the first finding, seed %d", g.until.at)
	}
	if p.taken == 0 || !p.open && (p.ended == "" || cutShort) {
		return
	}
	ran := p.seeds.Through(p.last)
	g.amend(func(m *analysis.Manifest) {
		m.Seeds = ran.String()
		if !cutShort {
			m.Ended, m.Worlds = p.ended, ran.Count()*len(m.SpecVersions)
		}
	})
}

// report is what there is to tell once all worlds are counted.
func (r *runCommand) report(g *gathering, summary analysis.Summary, partial string) analysis.Report {
	required := g.required(summary)
	if g.stopped() {
		required = nil // it did not get the time
	}
	report := g.report(summary, analysis.Decide(summary, required, r.strict, partial))
	report.Elapsed = time.Since(r.started)
	report.Style = analysis.Style{Color: colorful(r.stdout), ASCII: r.ascii}
	return report
}

// print shows the report, or the summary as JSON, and ends with the exit code.
func (r *runCommand) print(report analysis.Report) error {
	text := []byte(nil)
	if r.json {
		var err error
		if text, err = analysis.JSON(report); err != nil {
			return failed(err)
		}
	} else {
		text = []byte(analysis.Text(report))
	}
	if _, err := r.stdout.Write(text); err != nil {
		return failed(fmt.Errorf("print the report: %w", err))
	}
	if r.json {
		if _, err := io.WriteString(r.stderr, report.Decision.Line+"\n"); err != nil {
			return failed(fmt.Errorf("print the outcome: %w", err))
		}
	}
	if report.Decision.Code != exitOK {
		return &exitError{code: report.Decision.Code}
	}
	return nil
}
