package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/reference"
)

// A selftest is mcpsim selftest.
type selftest struct {
	seeds        string
	jobs         int
	mutants      []string
	specVersions []string
	json         bool
	ascii        bool

	stdout, stderr io.Writer
}

func newSelftest() *cobra.Command {
	s := &selftest{}
	cmd := &cobra.Command{
		Use:   "selftest",
		Short: "Judge the judge: catch every mutant, and accuse the reference of nothing",
		Long: `Selftest runs the mutants, each the reference with one named defect, opposite the
reference, and the reference opposite itself in every scenario. It prints which
rule caught which mutant, with the smallest seed that shows it, at each protocol
version; which mutants got away, and why; and what the reference was accused of,
which has to be nothing.

A mutant takes no more worlds when everything that it must break has failed, but
10 at least, in which nothing else may. Where none of its rules exists at a
version, there is no defect there to be caught.

Exit 0: all caught, nobody accused wrongly. 1: not so. 3: it could not be run.`,
		GroupID: groupSetup,
		Example: `  mcpsim selftest
  mcpsim selftest --mutant ignores-cancel --spec-version 2026-07-28
  mcpsim selftest --json > selftest.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.stdout, s.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return s.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.seeds, "seeds", matrixSeeds, "seeds of a row at most, `LIST` like 0-99")
	f.IntVar(&s.jobs, "jobs", runtime.NumCPU(), "workers at a time, `N`; the result does not depend on it")
	f.StringSliceVar(&s.mutants, "mutant", nil, "only this mutant, `NAME`; may be repeated")
	f.StringArrayVar(&s.specVersions, "spec-version", nil, "protocol version, `DATE`; may be repeated (default: all)")
	f.BoolVar(&s.json, "json", false, "print the matrix as JSON")
	f.BoolVar(&s.ascii, "ascii", !utf8Locale(), "print ASCII only (default: unless the locale is UTF-8)")
	return cmd
}

func (s *selftest) run(ctx context.Context) error {
	started := time.Now()
	seeds, err := sim.ParseSeeds(s.seeds)
	if err != nil {
		return usage(fmt.Errorf("--seeds %w", err))
	}
	if s.jobs < 1 || s.jobs > maxJobs {
		return usage(fmt.Errorf("--jobs %d: name a number from 1 to %d", s.jobs, maxJobs))
	}
	plan, err := s.plan(seeds)
	if err != nil {
		return usage(err)
	}
	fmt.Fprintf(s.stderr, "mcpsim %s: selftest, %s\n", programVersion(), plural(len(plan.mutants), "mutant", "mutants"))
	worker, err := buildWorker(ctx, engine.Recipe{}, s.stderr)
	if err != nil {
		return err
	}
	m := plan.matrix()
	progress := (&progress{out: s.stderr, plain: true}).begin()
	runner := matrixRunner{worker: worker, jobs: s.jobs, seeds: seeds, step: func() { progress.step(0) }}
	err = runner.run(ctx, m)
	progress.stop()
	if err != nil {
		return failed(err)
	}
	return s.print(m, selftestOutcome{Mutants: len(plan.mutants), Worlds: runner.worlds, elapsed: time.Since(started)})
}

// plan is the whole matrix, or the part that was asked for.
func (s *selftest) plan(seeds sim.Seeds) (matrixPlan, error) {
	versions := sim.SpecVersions()
	for _, v := range s.specVersions {
		if !slices.Contains(versions, v) {
			return matrixPlan{}, fmt.Errorf("--spec-version %s: there are %s", v, strings.Join(versions, ", "))
		}
	}
	if len(s.specVersions) > 0 {
		versions = slices.Compact(slices.Sorted(slices.Values(s.specVersions)))
	}
	plan := wholeMatrix(versions, seeds)
	if len(s.mutants) == 0 {
		return plan, nil
	}
	plan.mutants, plan.clean = nil, nil
	for _, name := range s.mutants {
		i := slices.IndexFunc(reference.Mutants(), func(m reference.Mutant) bool {
			return m.Name == strings.TrimPrefix(name, "mutant:")
		})
		if i < 0 {
			return plan, fmt.Errorf("--mutant %s: there is no such mutant; mcpsim list targets --mutants shows them", name)
		}
		m := reference.Mutants()[i]
		plan.mutants = append(plan.mutants, m)
		if scenario := rowOf(m).scenario; !slices.Contains(plan.clean, scenario) {
			plan.clean = append(plan.clean, scenario)
		}
	}
	return plan, nil
}

// A selftestOutcome is what the matrix comes to.
type selftestOutcome struct {
	Mutants     int          `json:"mutants"`
	Worlds      int          `json:"worlds"`
	Survivors   []survivor   `json:"survivors"`   // mutants that got away with something
	Accusations []accusation `json:"accusations"` // of what nobody did
	elapsed     time.Duration
}

// A survivor is a mutant that broke a rule and was not caught at it.
type survivor struct {
	Mutant      string `json:"mutant"`
	Scenario    string `json:"scenario"`
	SpecVersion string `json:"spec_version"`
	Rule        string `json:"rule"`
	Why         string `json:"why"`
}

// An accusation is a rule that was said to be broken by a pair that keeps it.
type accusation struct {
	Mutant      string `json:"mutant,omitempty"` // empty: the reference on both sides
	Scenario    string `json:"scenario"`
	SpecVersion string `json:"spec_version"`
	Rule        string `json:"rule"`
	Seed        uint64 `json:"seed"`
	What        string `json:"what"`
}

// weigh collects what the matrix has against the judge.
func (o *selftestOutcome) weigh(m *matrix) {
	o.Survivors, o.Accusations = []survivor{}, []accusation{}
	for _, r := range m.rows {
		for _, v := range m.specVersions {
			result := r.results[v]
			for _, id := range r.survived(v) {
				o.Survivors = append(o.Survivors, survivor{r.mutant, r.scenario, v, id, result.whyNot(id)})
			}
			for _, id := range r.accused(v) {
				c := result.cells[id]
				o.Accusations = append(o.Accusations, accusation{r.mutant, r.scenario, v, id, c.Seed, c.What})
			}
		}
	}
}

// whyNot says why a rule did not catch a mutant.
func (r *rowResult) whyNot(rule string) string {
	worlds := plural(r.worlds, "world", "worlds")
	if c := r.cells[rule]; c.Checked > 0 {
		return fmt.Sprintf("it was exercised %s in %s, and held", plural(c.Checked, "time", "times"), worlds)
	}
	return "nothing exercised it in " + worlds
}

func (o selftestOutcome) code() int {
	if len(o.Survivors)+len(o.Accusations) > 0 {
		return exitBroken
	}
	return exitOK
}

// line is the last one of the output.
func (o selftestOutcome) line() string {
	why := "every mutant was caught, and nobody was accused wrongly"
	switch {
	case len(o.Accusations) > 0:
		why = plural(len(o.Accusations), "false accusation", "false accusations")
	case len(o.Survivors) > 0:
		why = plural(len(o.Survivors), "defect was", "defects were") + " not caught"
	}
	return fmt.Sprintf("DONE %s, %s, exit %d (%s)", plural(o.Mutants, "mutant", "mutants"), plural(o.Worlds, "world", "worlds"), o.code(), why)
}

func (s *selftest) print(m *matrix, o selftestOutcome) error {
	o.weigh(m)
	text := []byte(selftestText(m, o, s.ascii))
	if s.json {
		var err error
		if text, err = json.Marshal(selftestJSON(m, o)); err != nil {
			return failed(fmt.Errorf("encode the matrix: %w", err))
		}
		text = append(text, '\n')
	}
	if _, err := s.stdout.Write(text); err != nil {
		return failed(fmt.Errorf("print the matrix: %w", err))
	}
	if code := o.code(); code != exitOK {
		return &exitError{code: code}
	}
	return nil
}
