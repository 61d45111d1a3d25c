package analysis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
)

// SweepSchema is the version of the JSON form of a sweep.
const SweepSchema = 1

// CreateSweep makes root/<m.Scenario>/<run id>/ for a sweep, as [CreateRun] does for
// a run. The results of the scenarios go below it, see [ResultDir.Below].
func CreateSweep(root string, m Manifest) (*ResultDir, error) { return createRun(root, m, begin) }

// CreateSweepAt makes the result directory of a sweep at path, as [CreateAt] does.
func CreateSweepAt(path string, m Manifest) (*ResultDir, error) { return createAt(path, m, begin) }

// Below makes the result directory of one scenario of the sweep.
func (d *ResultDir) Below(scenario string, m Manifest) (*ResultDir, error) {
	return CreateAt(d.File(slug(scenario)), m)
}

// jsonSweep is a sweep for programs.
type jsonSweep struct {
	Schema    int               `json:"schema"`
	Pair      Pair              `json:"pair"`
	Scenarios []jsonSwept       `json:"scenarios"`
	Findings  []SweepFinding    `json:"findings"`
	Columns   []string          `json:"columns"` // scenarios, one a cell of each row
	Rows      []SweepRow        `json:"rows"`
	Judged    []string          `json:"judged,omitempty"`
	Expected  []ExpectedFailure `json:"expected,omitempty"`
	Decision  Decision          `json:"decision"`
	Manifest  Manifest          `json:"manifest"`
	Dir       string            `json:"dir,omitempty"`
	Troubles  []string          `json:"troubles,omitempty"`
}

type jsonSwept struct {
	SweptScenario
	Worlds   int       `json:"worlds"`
	Unable   string    `json:"unable,omitempty"` // see Sweep.Unable
	Decision *Decision `json:"decision,omitempty"`
}

// SweepJSON renders a sweep for programs, on one line: its findings, its table, and
// what each scenario came to, whose own summary lies in its directory.
func SweepJSON(s Sweep) ([]byte, error) {
	whole := s.whole().Summary
	out := jsonSweep{
		Schema: SweepSchema, Pair: whole.Pair, Findings: s.findings(), Columns: s.names(), Rows: s.rows(),
		Judged: whole.Judged, Expected: whole.Expected, Decision: s.Decision, Manifest: s.Manifest, Dir: s.Dir, Troubles: s.Troubles,
	}
	for _, sc := range s.Manifest.Scenarios {
		j := jsonSwept{SweptScenario: sc}
		for _, r := range s.Reports {
			if r.Manifest.Scenario == sc.Name {
				j.Worlds, j.Unable, j.Decision = r.Summary.testedWorlds(), s.Unable(r), &r.Decision
			}
		}
		out.Scenarios = append(out.Scenarios, j)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return nil, fmt.Errorf("encode the report: %w", err)
	}
	return b.Bytes(), nil
}

// SweepJUnit renders a sweep as JUnit XML, as [JUnit] does a run: the suites of every
// scenario, and one for the whole.
func SweepJUnit(s Sweep, strict bool) ([]byte, error) {
	out := junitReport{Name: "mcpsim " + s.Manifest.Scenario}
	for _, r := range s.Reports {
		for _, suite := range r.ruleSuites(strict) {
			suite.Name = r.Manifest.Scenario + ", " + suite.Name
			out.Suites = append(out.Suites, suite)
		}
	}
	whole := s.whole()
	whole.Elapsed, whole.Troubles = s.Elapsed, s.Troubles
	out.Suites = append(out.Suites, whole.runSuite())
	return encodeJUnit(out)
}

// SweepMarkdown renders a sweep for a page: the outcome in a line, and the report as
// it stands on the screen.
func SweepMarkdown(s Sweep) string {
	s.Style = Style{}
	word, _ := s.whole().word()
	return fmt.Sprintf("**%s** · %s\n\n%s\n", word, s.Decision.Line, fenced("text", SweepText(s)))
}

// StoredSweep is the report of a sweep as its result directory has it: made from the
// manifests and summaries of its scenarios. What a scenario that was under way when
// the process died has to say is left out.
func StoredSweep(r *Run) (Sweep, error) {
	m := r.Manifest
	s := Sweep{Manifest: m, Rules: RuleTexts(), Dir: r.Path, Elapsed: m.elapsed()}
	var troubles error
	for _, sc := range m.Scenarios {
		if sc.Undone != "" {
			continue
		}
		report, err := r.scenarioReport(sc.Name)
		if err != nil {
			troubles = errors.Join(troubles, err)
			continue
		}
		s.Reports = append(s.Reports, report)
	}
	if troubles != nil && (m.unfinished() == "" || len(s.Reports) == 0) {
		return s, troubles
	}
	if m.Decision != nil {
		s.Decision = *m.Decision
	} else {
		s.Decision = DecideSweep(s, m.Flags["strict"] == "true", m.unfinished())
	}
	return s, nil
}

func (r *Run) scenarioReport(name string) (Report, error) {
	run, err := r.Below(name)
	if err != nil {
		return Report{}, err
	}
	return StoredReport(run)
}

// Below opens the result of one scenario of a sweep.
func (r *Run) Below(name string) (*Run, error) { return Open(filepath.Join(r.Path, slug(name))) }
