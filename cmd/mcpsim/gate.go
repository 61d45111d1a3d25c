package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpsim/mcpsim/analysis"
)

// gateFlags are the flags that make a run the gate of a CI job: what counts, and
// where else the outcome is told.
type gateFlags struct {
	strict        bool
	rules         []string
	expected      string // file of expected failures
	writeExpected string
	junit         string
	json          bool
}

func (f *gateFlags) define(cmd *cobra.Command) {
	set := cmd.Flags()
	set.BoolVar(&f.strict, "strict", false, "exit 1 for a SHOULD or a QUALITY rule that was not kept, too")
	set.StringSliceVar(&f.rules, "rules", nil, "judge by these rules alone, `ID[,ID]`; each has to be exercised")
	set.StringVar(&f.expected, "expected-failures", "", "known failures, which do not fail the run: a YAML `FILE`")
	set.StringVar(&f.writeExpected, "write-expected-failures", "", "write what failed to this `FILE`, for --expected-failures")
	set.StringVar(&f.junit, "junit", "", "write the verdicts as JUnit XML to this `FILE`")
	set.BoolVar(&f.json, "json", false, "print the summary as JSON instead of the report")
}

// A gate is what decides whether a run passes.
type gate struct {
	rules    []string // empty: all
	expected analysis.Expectations
}

// read checks the flags before anything is run, so that a run of an hour does not
// end in a misspelt path. where is what is known by now of where rules are judged, if any.
func (f *gateFlags) read(where []ground) (gate, error) {
	var g gate
	var err error
	if g.rules, err = chosenRules(f.rules); err != nil {
		return g, err
	}
	if err := bind(g.rules, where); err != nil {
		return g, err
	}
	if f.expected != "" {
		if g.expected.Entries, err = readExpected(f.expected); err != nil {
			return g, err
		}
	}
	if f.writeExpected != "" && f.writeExpected != f.expected {
		if _, err := os.Stat(f.writeExpected); !errors.Is(err, fs.ErrNotExist) {
			return g, fmt.Errorf("--write-expected-failures %s: there is such a file; to bring it up to date, name it with --expected-failures too", f.writeExpected)
		}
	}
	if f.junit != "" && (f.junit == f.writeExpected || f.junit == f.expected) {
		return g, fmt.Errorf("--junit %s: the expected failures are in that file; name another", f.junit)
	}
	return g, errors.Join(writable("--write-expected-failures", f.writeExpected), writable("--junit", f.junit), f.clear())
}

// meet tells the gate what it is held against, now that everything about the
// experiment is decided.
func (g *gate) meet(e *experiment) error {
	g.expected.Scenario, g.expected.Client, g.expected.Server = e.scenario.Name, peerOf(e.client), peerOf(e.server)
	return bind(g.rules, grounds(e.transport(), e.specVersions))
}

// clear takes an earlier JUnit report away: it says nothing of this run, which may
// never get as far as to write one.
func (f *gateFlags) clear() error {
	if f.junit == "" {
		return nil
	}
	if info, err := os.Stat(f.junit); err != nil || !info.Mode().IsRegular() {
		return nil // nothing, or a pipe
	}
	if err := os.Remove(f.junit); err != nil {
		return fmt.Errorf("--junit %s: take the earlier report away: %w", f.junit, err)
	}
	return nil
}

// writable refuses a file that certainly cannot be written.
func writable(flag, name string) error {
	if name == "" {
		return nil
	}
	if info, err := os.Stat(filepath.Dir(name)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s %s: there is no directory %s; make it first", flag, name, filepath.Dir(name))
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return fmt.Errorf("%s %s: it is a directory; name a file in it", flag, name)
	}
	return nil
}

// resolved are the flags as the manifest lists them, but for those that are left
// as they are.
func (f *gateFlags) resolved() map[string]string {
	out := map[string]string{}
	for name, value := range map[string]string{
		"rules": strings.Join(f.rules, ","), "expected-failures": f.expected,
		"write-expected-failures": f.writeExpected, "junit": f.junit,
	} {
		if value != "" {
			out[name] = value
		}
	}
	return out
}

// githubSummary names the file to which a GitHub job's steps append what its page
// is to show; empty elsewhere.
func githubSummary() string { return os.Getenv("GITHUB_STEP_SUMMARY") }

// tellExpected writes what failed as expected failures, if the flags ask for it.
func (f *gateFlags) tellExpected(r analysis.Report, scenario string) error {
	if f.writeExpected == "" {
		return nil
	}
	return write("the expected failures", f.writeExpected, writeExpected(r.Manifest, scenario, r.Summary))
}

// tellJUnit writes the JUnit report, if the flags ask for it, over an earlier one.
func (f *gateFlags) tellJUnit(r analysis.Report) error {
	if f.junit == "" {
		return nil
	}
	data, err := analysis.JUnit(r, f.strict)
	if err != nil {
		return err
	}
	return write("the JUnit report", f.junit, data)
}

// tellPage appends the report to the page of the GitHub job, if this is one.
func tellPage(r analysis.Report) error {
	name := githubSummary()
	if name == "" {
		return nil
	}
	return appendTo(name, analysis.MarkdownReport(r))
}

func write(what, name string, data []byte) error {
	if err := os.WriteFile(name, data, 0o666); err != nil {
		return fmt.Errorf("write %s: %w", what, err)
	}
	return nil
}

func appendTo(name, text string) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return fmt.Errorf("append to the job's summary: %w", err)
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("append to the job's summary: %w", err)
	}
	return nil
}
