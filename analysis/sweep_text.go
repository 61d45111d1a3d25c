package analysis

import (
	"fmt"
	"slices"
	"strings"
)

// SweepText renders a sweep: at most 100 columns, the verdict first, then each
// broken rule once, the table of rules and scenarios, the files, and a last line that
// names the exit code and why. It ends in a line end.
func SweepText(s Sweep) string {
	whole := s.whole()
	sections := []string{
		s.header(whole),
		join(whole.verdict(), s.findingLines(whole), whole.expectations(), s.undone()),
		s.table(),
		join(s.files(), s.Style.paint(bold, s.Decision.Line)),
	}
	text := trimLines(strings.Join(nonEmpty(sections), "\n\n")) + "\n"
	if s.Style.ASCII {
		return ascii(strings.NewReplacer("✗", "x", "▲", "!", "×", "x").Replace(text))
	}
	return text
}

func (s Sweep) header(whole Report) string {
	m := s.Manifest
	pair := m.Pair()
	who := []string{
		"mcpsim " + m.Mcpsim, plural(len(m.Scenarios), "scenario"), "client " + pair.Client, "server " + pair.Server,
		m.Transport, m.Clock + " time",
	}
	calls := 0
	for _, g := range whole.Summary.Tested() {
		calls += g.Calls
	}
	what := []string{
		"seeds " + m.Seeds + " at " + plural(len(m.SpecVersions), "spec version"),
		plural(whole.Summary.testedWorlds(), "world"), plural(calls, "call"), fmt.Sprintf("%.1f s", s.Elapsed.Seconds()),
	}
	if rules := whole.Summary.Judged; len(rules) > 0 {
		what = append(what, "only "+strings.Join(rules, ", "))
	}
	return join(flow(who, " · ", "  "), flow(what, " · ", "  "))
}

func (s Sweep) findingLines(whole Report) string {
	all := s.findings()
	if len(all) == 0 {
		return ""
	}
	lines := []string{""}
	for _, u := range all {
		f := u.asFinding()
		head := left(u.ID, 3) + " " + left(string(u.Level), 9) + " " + left(u.Rule, 22)
		where := []string{f.who(), s.versions(u.SpecVersions)}
		what := f.whats(shownWhats)
		if u.SameActAs != "" {
			what = fmt.Sprintf("the same behaviour as %s, which this version only advises against", u.SameActAs)
		}
		lines = append(lines, join(
			s.Style.paint(levelColor(f), head)+" "+strings.Join(where, " · ")+f.expectedMark(),
			fold(fmt.Sprintf("%s, in %s: %s", f.ratio(textOf(s.Rules, u.Rule)), s.inScenarios(u.Scenarios), what), "    "),
			f.expectedLine(),
			replayLines(u.Replay, "    "),
		))
	}
	return strings.Join(lines, "\n")
}

// versions names protocol versions, briefly where they are all.
func (s Sweep) versions(list []string) string {
	if len(list) > 2 && len(list) == len(s.Manifest.SpecVersions) {
		return fmt.Sprintf("all %d versions", len(list))
	}
	return strings.Join(list, ", ")
}

// inScenarios names the scenarios, or counts them where they are many.
func (s Sweep) inScenarios(names []string) string {
	if len(names) <= 2 {
		return sequence(names)
	}
	return fmt.Sprintf("%d scenarios", len(names))
}

// undone names the scenarios that could not be run, or could not do what they are
// for, and those that exercised too little.
func (s Sweep) undone() string {
	var lines []string
	for _, sc := range s.Manifest.Scenarios {
		mark := "-   not run: "
		if sc.Failed {
			mark = "!   failed: "
		}
		if sc.Undone != "" {
			lines = append(lines, hang(mark, sc.Name+": "+printable(sc.Undone, 300)))
		}
	}
	for _, r := range s.Reports {
		name := r.Manifest.Scenario
		switch why := s.Unable(r); {
		case r.Decision.Partial != "":
			lines = append(lines, hang("!   failed: ", name+": "+printable(r.Decision.Partial, 300)))
		case why != "":
			lines = append(lines, hang("-   not for this pair: ", fmt.Sprintf("%s: %s, and so it does not exercise %s", name, printable(why, 200), strings.Join(r.Decision.Missing, ", "))))
		case len(r.Decision.Missing) > 0 && len(r.Summary.Judged) == 0:
			lines = append(lines, hang("?   too little: ", fmt.Sprintf("%s did not exercise %s", name, strings.Join(r.Decision.Missing, ", "))))
		}
		if u := r.unconnected(); u != "" {
			lines = append(lines, strings.ReplaceAll(u, "!   ", "!   "+name+": "))
		}
	}
	return strings.Join(lines, "\n")
}

func (s Sweep) files() string {
	var lines []string
	if s.Dir != "" {
		where := s.Dir + ": SCENARIO/findings/, SCENARIO/" + SummaryFile + ", " + SummaryFile
		if list := s.findings(); len(list) > 0 {
			where += fmt.Sprintf(" · F1's page is %s/%s/%s.md", list[0].Scenario, FindingsDir, list[0].Finding)
		}
		lines = append(lines, fold(where, ""))
	}
	for _, t := range s.Troubles {
		lines = append(lines, s.Style.paint(red, hang("!   ", printable(t, 400))))
	}
	return strings.Join(lines, "\n")
}

// names are the scenarios that were run, in their order.
func (s Sweep) names() []string {
	var out []string
	for _, r := range s.Reports {
		out = append(out, r.Manifest.Scenario)
	}
	return slices.Clip(out)
}
