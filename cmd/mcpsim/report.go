package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpsim/mcpsim/analysis"
)

// A reportCommand is mcpsim report.
type reportCommand struct {
	format   string
	coverage bool
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
With a finding's number, its page is printed.

--coverage prints how often each rule was really put to the test: a table for each
side, rule by rule, with a column for each phase of a call's life in which cancels
were read.

The report's last line names the exit code of the run; report itself exits with 0.`,
		GroupID: groupLook,
		Example: `  mcpsim report
  mcpsim report results/cancel-storm/latest --format markdown
  mcpsim report latest --coverage
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
		return page(result, args[1])
	}
	report, err := analysis.StoredReport(result)
	if err != nil {
		return "", err
	}
	report.Style = analysis.Style{Color: colorful(r.stdout), ASCII: r.ascii}
	if r.coverage {
		return analysis.CoverageText(report), nil
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
