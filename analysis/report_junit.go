package analysis

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// The elements of a JUnit report, as CI systems read them.
type (
	junitReport struct {
		XMLName xml.Name     `xml:"testsuites"`
		Name    string       `xml:"name,attr"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"` // seconds
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string      `xml:"classname,attr"`
		Name    string      `xml:"name,attr"`
		Failure *junitText  `xml:"failure"`
		Error   *junitText  `xml:"error"`
		Skipped *junitShort `xml:"skipped"`
		Out     *junitOut   `xml:"system-out"`
	}
	junitText struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Body    string `xml:",cdata"`
	}
	junitOut struct {
		Body string `xml:",cdata"`
	}
	junitShort struct {
		Message string `xml:"message,attr"`
	}
)

// JUnit renders the report as JUnit XML: a suite for each side at each protocol
// version, a case for each rule that binds there, and one more suite for the run
// and its expected failures. It has a failure or an error exactly when the run's
// exit code is not 0. What was not exercised, is expected, or does not count
// without strict, is skipped, with the reason.
func JUnit(r Report, strict bool) ([]byte, error) {
	return encodeJUnit(junitReport{Name: "mcpsim " + r.Manifest.Scenario, Suites: append(r.ruleSuites(strict), r.runSuite())})
}

func encodeJUnit(out junitReport) ([]byte, error) {
	b, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the JUnit report: %w", err)
	}
	return bytes.Join([][]byte{[]byte(strings.TrimSpace(xml.Header)), b, nil}, []byte("\n")), nil
}

// ruleSuites has a suite for each side at each protocol version.
func (r Report) ruleSuites(strict bool) []junitSuite {
	var out []junitSuite
	for _, g := range r.Summary.Tested() {
		for _, side := range []history.Side{history.Client, history.Server, history.World} {
			suite := junitSuite{Name: r.suiteName(side, g.SpecVersion)}
			for _, tally := range g.Rules {
				if tally.Side == side && tally.weighs() {
					suite.add(r.junitCase(tally, g.SpecVersion, strict))
				}
			}
			if suite.Tests > 0 {
				out = append(out, suite)
			}
		}
	}
	return out
}

func (r Report) suiteName(side history.Side, specVersion string) string {
	pair := r.Manifest.Pair()
	name := string(side) + " " + pair.Of(side)
	if side == history.World {
		name = "both sides"
	}
	return name + ", " + specVersion
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	s.Time = "0"
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}

// junitCase is a rule at one protocol version.
func (r Report) junitCase(t RuleTally, specVersion string, strict bool) junitCase {
	c := r.named(fmt.Sprintf("%s.%s", specVersion, cmp.Or(strings.TrimPrefix(string(t.Side), string(history.World)), "both")),
		fmt.Sprintf("%s (%s)", t.Rule, t.Level))
	var failing, excused []string
	var body []string
	for _, f := range r.Summary.Findings {
		if f.Rule != t.Rule || f.SpecVersion != specVersion {
			continue
		}
		line := fmt.Sprintf("%s %s: %s: %s", f.ID, f.who(), f.ratio(textOf(r.Rules, f.Rule)), f.whats(1))
		body = append(body, line, ShellLine(r.Manifest.Replay(f.SpecVersion, f.ExampleSeed)))
		switch {
		case f.Expected != nil:
			excused = append(excused, f.Expected.because())
		case Weigh(f.Level) > 0 && !strict:
			excused = append(excused, fmt.Sprintf("%s not kept, which counts under --strict only: %s", f.Level, line))
		default:
			failing = append(failing, line)
		}
	}
	switch {
	case len(failing) > 0:
		c.Failure = &junitText{strings.Join(failing, "; "), string(t.Level), strings.Join(body, "\n")}
	case len(excused) > 0:
		c.Skipped, c.Out = &junitShort{strings.Join(excused, "; ")}, &junitOut{strings.Join(body, "\n")}
	default:
		c.Skipped = r.undone(t)
	}
	return c
}

// undone says why a rule that was not broken did not hold either; nil if it did.
func (r Report) undone(t RuleTally) *junitShort {
	switch {
	case t.Checked == 0:
		return &junitShort{strings.TrimSpace("not exercised: " + textOf(r.Rules, t.Rule).Exercise)}
	case t.Implied > 0:
		strict, _ := oracle.FindRule(t.Rule)
		return &junitShort{"broken by the act that is reported as " + strict.Implied}
	case !t.decided():
		return &junitShort{"not decided"}
	}
	return nil
}

// runSuite holds what is about no single rule.
func (r Report) runSuite() junitSuite {
	s := junitSuite{Name: "run"}
	whole := r.named("run", "runs to its end, and exercises what it has to")
	if code := r.Decision.Code; code == ExitFailed || code == ExitNotAsked {
		whole.Error = &junitText{Message: r.Decision.Line, Body: strings.Join(r.Troubles, "\n")}
	}
	s.add(whole)
	for _, e := range r.Summary.Expected {
		c := r.named("expected", fmt.Sprintf("%s%s (%s)", e.Rule, e.where(), e.Place()))
		switch e.Fulfilment {
		case Stale:
			c.Failure = &junitText{Message: e.staleness(r), Type: string(Stale)}
		case FailedAsExpected:
		default:
			c.Skipped = &junitShort{e.idle()}
		}
		s.add(c)
	}
	s.Time = fmt.Sprintf("%.3f", r.Elapsed.Seconds())
	return s
}

func (r Report) named(class, name string) junitCase {
	return junitCase{Class: "mcpsim." + slug(r.Manifest.Scenario) + "." + class, Name: name}
}
