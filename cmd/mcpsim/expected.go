package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// expectedTable is the form of a file of expected failures.
func expectedTable() sim.Table {
	return sim.Table{
		Columns: []sim.Column{
			{Name: "rule", Example: "CANCEL-SILENCE", Required: true},
			{Name: "scenario", Example: "cancel-storm"},
			{Name: "target", Example: "go-sdk"},
			{Name: "side", Example: "server"},
			{Name: "spec_version", Example: "2026-07-28"},
			{Name: "reason", Example: "answers although told to stop", Required: true},
			{Name: "link", Example: exampleLink, Required: true},
		},
		Example: "- {rule: CANCEL-SILENCE, reason: known since spring, link: " + exampleLink + "}",
		Purpose: "expected failures",
	}
}

const exampleLink = "https://github.com/OWNER/REPOSITORY/issues/1"

// readExpected reads a file of expected failures. Its error lists everything that
// is wrong with the file, each with its line, its column and the cure.
func readExpected(name string) ([]analysis.Expectation, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no file %s of expected failures; --write-expected-failures makes one", name)
	}
	if err != nil {
		return nil, fmt.Errorf("read the expected failures: %w", err)
	}
	return parseExpected(name, data)
}

func parseExpected(name string, data []byte) ([]analysis.Expectation, error) {
	rows, faults := expectedTable().Read(data)
	c := expectedChecker{faults: faults}
	var out []analysis.Expectation
	for _, row := range rows {
		x := expectationOf(row)
		x.File = name
		c.path = fmt.Sprintf("[%d]", len(out))
		c.check(row, x, out)
		out = append(out, x)
	}
	if err := sim.NewFaults(name, c.faults); err != nil {
		return nil, err
	}
	return out, nil
}

func expectationOf(row sim.Row) analysis.Expectation {
	text := func(column string) string { return row.Cells[column].Text }
	return analysis.Expectation{
		Line: row.Line, Rule: text("rule"), Scenario: text("scenario"), Target: text("target"),
		Side: history.Side(text("side")), SpecVersion: protocol.Named(text("spec_version")),
		Reason: text("reason"), Link: text("link"),
	}
}

// An expectedChecker finds fault with what rows say. What a row leaves out is the
// table's to complain about.
type expectedChecker struct {
	faults []sim.Fault
	path   string // of the row
}

func (c *expectedChecker) fault(row sim.Row, column, problem, cure string) {
	cell, given := row.Cells[column]
	if !given {
		return
	}
	c.faults = append(c.faults, sim.Fault{Line: cell.Line, Column: cell.Column, Path: c.path + "." + column, Problem: problem, Cure: cure})
}

func (c *expectedChecker) check(row sim.Row, x analysis.Expectation, earlier []analysis.Expectation) {
	for column, cell := range row.Cells {
		if strings.TrimSpace(cell.Text) == "" {
			c.fault(row, column, "this is empty", "give it a value, or leave the key out")
			delete(row.Cells, column) // one complaint is enough
		}
	}
	rule, known := oracle.FindRule(x.Rule)
	if !known {
		c.unjudged(row, x.Rule)
	}
	c.side(row, x, rule, known)
	c.specVersion(row, x, rule, known)
	if unfilled(x.Reason) {
		c.fault(row, "reason", "the reason is still to be written", "say in a few words why the failure is put up with")
	}
	if u, err := url.Parse(x.Link); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		c.fault(row, "link", fmt.Sprintf("%q is no link", x.Link), "give the address where it is being dealt with, such as "+exampleLink)
	}
	if strings.ContainsAny(x.Target, " \t\n/\\") {
		c.fault(row, "target", fmt.Sprintf("%q is no target", x.Target), "write its NAME, or NAME@VERSION; one that is built from a directory has its NAME alone")
	}
	i := slices.IndexFunc(earlier, func(e analysis.Expectation) bool { return sameScope(e, x) })
	if i >= 0 && known {
		c.fault(row, "rule", fmt.Sprintf("line %d expects the same failure", earlier[i].Line), "leave one out")
	}
}

// unjudged refuses a rule that does not exist, or that cannot fail.
func (c *expectedChecker) unjudged(row sim.Row, rule string) {
	if _, laidOut := oracle.FindAny(rule); laidOut {
		c.fault(row, "rule", rule+" cannot fail", notJudged(rule))
		return
	}
	c.fault(row, "rule", fmt.Sprintf("there is no rule %q", rule), ruleCure(rule))
}

// unfilled reports whether a placeholder of --write-expected-failures still
// stands where a person's word is asked for.
func unfilled(text string) bool { return strings.HasPrefix(text, placeholder) }

const placeholder = "TODO"

func (c *expectedChecker) side(row sim.Row, x analysis.Expectation, rule oracle.Rule, known bool) {
	switch {
	case x.Side != "" && x.Side != history.Client && x.Side != history.Server:
		c.fault(row, "side", fmt.Sprintf("%q is no side", x.Side), "write client or server, or leave it out")
	case known && x.Side != "" && rule.Side != history.World && rule.Side != x.Side:
		c.fault(row, "side", fmt.Sprintf("%s binds the %s", x.Rule, rule.Side), "write "+string(rule.Side)+", or leave it out")
	}
}

func (c *expectedChecker) specVersion(row sim.Row, x analysis.Expectation, rule oracle.Rule, known bool) {
	versions := sim.SpecVersions()
	switch {
	case x.SpecVersion != "" && !slices.Contains(versions, x.SpecVersion):
		c.fault(row, "spec_version", fmt.Sprintf("%q is no version that mcpsim speaks", x.SpecVersion), "write one of "+strings.Join(versions, ", ")+", or leave it out")
	case known && x.SpecVersion != "" && !bindsAnywhere(rule, x.SpecVersion):
		c.fault(row, "spec_version", fmt.Sprintf("%s does not bind at %s", x.Rule, x.SpecVersion), "mcpsim list rules shows where it does")
	}
}

// sameScope reports whether two entries expect the same failure.
func sameScope(a, b analysis.Expectation) bool {
	a.File, a.Line, a.Reason, a.Link = b.File, b.Line, b.Reason, b.Link
	return a == b
}

// writeExpected returns a file of expected failures that fits a run: the entries
// that it was given, but for the stale ones, and one for each finding that none
// foresaw, whose reason and link are to be filled in.
func writeExpected(m analysis.Manifest, scenario string, s analysis.Summary) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# Failures of %s that are known, and do not fail a run:
#     mcpsim run %s --expected-failures THIS-FILE
# An entry that no longer fails does, so that the file stays true. Each needs a
# reason, and a link to where it is being dealt with.
`, scenario, analysis.ShellLine([]string{m.Scenario}))
	var written []analysis.Expectation
	for _, e := range s.Expected {
		if e.Fulfilment != analysis.Stale {
			b.WriteByte('\n')
			writeEntry(&b, e.Expectation)
			written = append(written, e.Expectation)
		}
	}
	for _, f := range s.Findings {
		x := foreseeing(m, scenario, f)
		if f.Expected != nil || slices.ContainsFunc(written, func(e analysis.Expectation) bool { return sameScope(e, x) }) {
			continue // one entry stands for all findings of a rule
		}
		fmt.Fprintf(&b, "\n# %s %s, %d of %d. See it: %s\n", f.ID, f.Level, f.Failed, f.Checked,
			analysis.ShellLine(m.Replay(f.SpecVersion, f.ExampleSeed)))
		writeEntry(&b, x)
		written = append(written, x)
	}
	if len(written) == 0 {
		b.WriteString("[]\n")
	}
	return b.Bytes()
}

// foreseeing is the entry that expects a finding. It names no version of the
// target, so that it lasts until the failure is mended.
func foreseeing(m analysis.Manifest, scenario string, f analysis.Finding) analysis.Expectation {
	x := analysis.Expectation{Rule: f.Rule, Scenario: scenario, SpecVersion: f.SpecVersion,
		Reason: placeholder + ": why is this put up with?", Link: placeholder}
	switch {
	case f.Side == history.Client:
		x.Side, x.Target = f.Side, m.Client.Target
	case f.Side == history.Server:
		x.Side, x.Target = f.Side, m.Server.Target
	case m.Client.Target == m.Server.Target:
		x.Target = m.Server.Target
	}
	return x
}

func writeEntry(b *bytes.Buffer, x analysis.Expectation) {
	mark := "- "
	for _, field := range [][2]string{
		{"rule", x.Rule}, {"scenario", x.Scenario}, {"target", x.Target}, {"side", string(x.Side)},
		{"spec_version", x.SpecVersion}, {"reason", x.Reason}, {"link", x.Link},
	} {
		if field[1] != "" {
			fmt.Fprintf(b, "%s%s: %s\n", mark, field[0], scalar(field[1]))
			mark = "  "
		}
	}
}

// scalar writes a text as YAML, in quotes unless it plainly needs none.
func scalar(text string) string {
	if regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._@/:#?&=+-]*[A-Za-z0-9]$|^\d{4}-\d\d-\d\d$`).MatchString(text) &&
		!slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off"}, strings.ToLower(text)) {
		return text
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b) // a JSON string is a YAML string
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		panic(err) // a string can be encoded
	}
	return strings.TrimSpace(b.String())
}
