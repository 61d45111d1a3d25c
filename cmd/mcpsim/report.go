package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpsim/mcpsim/analysis"
)

// A reportCommand is mcpsim report.
type reportCommand struct {
	format   string
	coverage bool
	races    bool
	ascii    bool
	stdout   io.Writer
}

func newReport() *cobra.Command {
	r := &reportCommand{}
	cmd := &cobra.Command{
		Use:   "report [RESULTDIR] [FINDING]",
		Short: "Print the report of a run again, as text, Markdown or JSON, or a finding's page",
		Long: `Report renders a result directory anew, from its manifest and its summary; nothing
is run. Without a directory, or with latest, it takes the newest run under results/.

The Markdown begins with one sentence that can stand in a release note. The JSON is
the summary with the run's decision and manifest beside it, as run --json prints it.
With a finding's number, its page is printed. Of a run of all scenarios, that is
the page in the scenario that has the finding's smallest seed.

--coverage prints how often each rule was really put to the test: a table for each
side, rule by rule, with a column for each phase of a call's life in which cancels
were read. --races prints the benign races that were seen, which are never counted,
each with the smallest seed that shows it and the line to replay that. For both, of a
run of all scenarios, name the directory of one.

The report's last line names the exit code of the run; report itself exits with 0.`,
		GroupID: groupLook,
		Example: `  mcpsim report
  mcpsim report results/cancel-storm/latest --format markdown
  mcpsim report latest --coverage
  mcpsim report latest --races
  mcpsim report latest F1`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.stdout = cmd.OutOrStdout()
			return r.run(args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.format, "format", formatText, "`text|markdown|json`")
	f.BoolVar(&r.coverage, "coverage", false, "print how often each rule was exercised, and in which phase of a call")
	f.BoolVar(&r.races, "races", false, "print the benign races that were seen, each with a seed that shows it")
	f.BoolVar(&r.ascii, "ascii", !utf8Locale(), "print text in ASCII only (default: unless the locale is UTF-8)")
	return cmd
}

// The formats of a report.
const (
	formatText     = "text"
	formatMarkdown = "markdown"
	formatJSON     = "json"
)

func (r *reportCommand) run(args []string) error {
	if r.format != formatText && r.format != formatMarkdown && r.format != formatJSON {
		return usage(fmt.Errorf("--format %q: it is %s, %s or %s", r.format, formatText, formatMarkdown, formatJSON))
	}
	if r.races && (len(args) == 2 || r.format != formatText || r.coverage) {
		return usage(errors.New("--races is of a whole run, and text, and stands alone; the JSON has them as races"))
	}
	if r.coverage && (len(args) == 2 || r.format != formatText) {
		return usage(errors.New("--coverage is of a whole run, and text; the Markdown has it among its counts, the JSON as exercised"))
	}
	result, err := openResult(args)
	if err != nil {
		return usage(err)
	}
	text, err := r.render(result, args)
	if err != nil {
		return usage(err)
	}
	if _, err := io.WriteString(r.stdout, text); err != nil {
		return failed(fmt.Errorf("print the report: %w", err))
	}
	return nil
}

// openResult opens the directory that was named, or the newest there is.
func openResult(args []string) (*analysis.Run, error) {
	dir := analysis.LatestName
	if len(args) > 0 {
		dir = args[0]
	}
	if _, err := os.Stat(dir); dir == analysis.LatestName && errors.Is(err, fs.ErrNotExist) {
		if dir, err = analysis.Newest("results"); err != nil {
			return nil, err
		}
	}
	return analysis.Open(dir)
}

func (r *reportCommand) render(result *analysis.Run, args []string) (string, error) {
	if len(args) == 2 {
		run, id, err := among(result, args[1])
		if err != nil {
			return "", err
		}
		text, err := page(run, id)
		if result.Manifest.Swept() {
			text = belowSweep(text, id, run.Manifest.Scenario)
		}
		return text, err
	}
	if result.Manifest.Swept() {
		return r.renderSweep(result)
	}
	report, err := analysis.StoredReport(result)
	if err != nil {
		return "", err
	}
	report.Style = analysis.Style{Color: colorful(r.stdout), ASCII: r.ascii}
	if r.coverage {
		return analysis.CoverageText(report), nil
	}
	if r.races {
		return analysis.RacesText(report), nil
	}
	switch r.format {
	case formatMarkdown:
		return analysis.MarkdownReport(report), nil
	case formatJSON:
		data, err := analysis.JSON(report)
		return string(data), err
	}
	return analysis.Text(report), nil
}

func (r *reportCommand) renderSweep(result *analysis.Run) (string, error) {
	s, err := analysis.StoredSweep(result)
	if err != nil {
		return "", err
	}
	switch {
	case r.coverage:
		return "", ofOne(result, "--coverage")
	case r.races:
		return "", ofOne(result, "--races")
	}
	s.Style = analysis.Style{Color: colorful(r.stdout), ASCII: r.ascii}
	switch r.format {
	case formatMarkdown:
		return analysis.SweepMarkdown(s), nil
	case formatJSON:
		data, err := analysis.SweepJSON(s)
		return string(data), err
	}
	return analysis.SweepText(s), nil
}

// ofOne says that a sweep has no such thing of its own, and how to come by that of a
// scenario.
func ofOne(result *analysis.Run, flag string) error {
	why := flag + " is of one scenario, and this is a run of all"
	for _, sc := range result.Manifest.Scenarios {
		if sc.Undone == "" {
			return fmt.Errorf("%s; name one: mcpsim report %s %s", why, filepath.Join(result.Path, sc.Name), flag)
		}
	}
	return errors.New(why)
}

// among leads from a finding of a sweep to the scenario that has its smallest seed,
// and to the finding's number there. The findings of other results are their own.
func among(result *analysis.Run, id string) (*analysis.Run, string, error) {
	if !result.Manifest.Swept() {
		return result, id, nil
	}
	s, err := analysis.StoredSweep(result)
	if err != nil {
		return nil, "", err
	}
	f, err := s.FindingOf(id)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", result.Path, err)
	}
	below, err := result.Below(f.Scenario)
	return below, f.Finding, err
}

// belowSweep leads a page's reader from a sweep's result directory to what lies beside the
// page, in the directory of its scenario, and says by which number it goes there.
func belowSweep(page, id, scenario string) string {
	beside := analysis.Finding{ID: id}.BesideFile("")
	return strings.NewReplacer(
		"In the run's result directory: `"+beside, "In the run's result directory, "+id+" of "+scenario+": `"+filepath.Join(scenario, beside),
		"`"+beside, "`"+filepath.Join(scenario, beside),
	).Replace(page)
}

// page is the page of a finding, whose number may be typed in any case.
func page(result *analysis.Run, id string) (string, error) {
	summary, err := result.Summary()
	if err != nil {
		return "", err
	}
	finding, err := findingOf(summary, id)
	if err != nil {
		return "", fmt.Errorf("%s: %w", result.Path, err)
	}
	text, err := result.Page(finding.ID)
	return strings.TrimRight(text, "\n") + "\n", err
}
