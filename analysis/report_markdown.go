package analysis

import (
	"fmt"
	"strings"
)

// MarkdownReport renders the report for a release's notes, a pull request or the
// summary of a CI job. Its first paragraph is one sentence that stands alone.
func MarkdownReport(r Report) string {
	r.Style = Style{}
	sections := []string{
		r.sentence(),
		r.outcome(),
		r.findingsTable(),
		r.replays(),
		bullets(r.noteBullets()),
		bullets(r.entries()),
		bullets(r.Troubles),
		r.details(),
		r.footer(),
	}
	return strings.Join(nonEmpty(sections), "\n\n") + "\n"
}

// sentence says what was run against whom, and what came of it.
func (r Report) sentence() string {
	m := r.Manifest
	text := fmt.Sprintf("mcpsim %s ran %s against %s over %s, %s (seeds %s at %s): %s", m.Mcpsim, m.Scenario, m.Pair().opposed(),
		m.Transport, plural(r.Summary.testedWorlds(), "world"), m.Seeds, sequence(m.SpecVersions), r.inShort())
	if r.Decision.Partial != "" {
		text += "; the run stopped early: " + printable(r.Decision.Partial, 100)
	}
	return text + "."
}

// opposed names both targets, the one that is under test first.
func (p Pair) opposed() string {
	if p.Client == p.Server {
		return p.Client + " (client and server)"
	}
	client, server := p.Client+" (client)", p.Server+" (server)"
	if ours(p.Client) && p.Server != "reference" {
		return server + " with " + client
	}
	return client + " with " + server
}

// ours reports whether a target is the reference or one of its mutants.
func ours(target string) bool {
	return target == "reference" || strings.HasPrefix(target, "mutant:")
}

// inShort is the verdict in words, with the names of what was broken.
func (r Report) inShort() string {
	all := r.Summary.standings()
	var parts []string
	for class, words := range [3]string{"MUST broken", "SHOULD not kept", "QUALITY not kept"} {
		parts = append(parts, namely(all, class, words, (*standing).isBroken))
	}
	if len(nonEmpty(parts)) == 0 {
		parts = append(parts, r.Summary.nothingBroken())
	}
	if len(r.Summary.fulfilled(Stale)) > 0 {
		parts = append(parts, r.Summary.staleLine())
	}
	for class, name := range classNames {
		parts = append(parts, namely(all, class, name+" broken as expected", (*standing).asExpected))
	}
	if list := perClass(tallyOf(all, (*standing).held)); list != "" {
		parts = append(parts, "held: "+list)
	}
	return strings.Join(nonEmpty(parts), "; ")
}

// namely counts rules of one class and names them: "1 MUST broken (RESP-ONCE)".
func namely(all []*standing, class int, words string, is func(*standing) bool) string {
	var rules []string
	for _, s := range all {
		if s.class == class && is(s) {
			rules = append(rules, s.rule)
		}
	}
	if len(rules) == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s (%s)", len(rules), words, strings.Join(rules, ", "))
}

// sequence lists words the way prose does: "a", "a and b", "a, b and c".
func sequence(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

func (r Report) outcome() string {
	word, _ := r.word()
	text := fmt.Sprintf("**%s** · %s", word, r.Decision.Line)
	if r.Manifest.Ended != "" {
		text += " · ended " + r.Manifest.Ended
	}
	return text
}

func (r Report) findingsTable() string {
	if len(r.Summary.Findings) == 0 {
		return ""
	}
	lines := []string{"| | level | rule | where | how often |", "|---|---|---|---|---|"}
	for _, f := range r.Summary.Findings {
		often := f.ratio(textOf(r.Rules, f.Rule)) + ": " + f.inCode(shownWhats)
		if f.Expected != nil {
			often += "<br>" + f.Expected.because()
		}
		cells := []string{f.ID, string(f.Level), f.Rule, f.who() + ", " + f.SpecVersion, often}
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(c, "|", `\|`)
		}
		lines = append(lines, "| "+strings.Join(cells, " | ")+" |")
	}
	return strings.Join(lines, "\n")
}

// inCode tells what the violations did, in the targets' own words.
func (f Finding) inCode(most int) string {
	words, kept := f.words()
	if len(words) == 1 && kept > 0 {
		return code(words[0])
	}
	var parts []string
	for _, w := range words[:min(most, len(words))] {
		parts = append(parts, code(w)+" ("+group(f.What[w])+")")
	}
	if len(words) > most {
		parts = append(parts, "…")
	}
	return strings.Join(append(parts, ofKept(kept)...), ", ")
}

// replays are the commands that show each finding again.
func (r Report) replays() string {
	var lines []string
	for _, f := range r.Summary.Findings {
		lines = append(lines, ShellLine(r.Manifest.Replay(f.SpecVersion, f.ExampleSeed))+"   # "+f.ID)
	}
	return fenced("sh", strings.Join(lines, "\n"))
}

// entries are the expected failures that no finding speaks of.
func (r Report) entries() []string {
	var out []string
	for _, e := range r.Summary.fulfilled(Stale) {
		out = append(out, "**Stale**"+strings.TrimPrefix(e.staleness(r), "stale"))
	}
	for _, e := range r.Summary.fulfilled(Unexercised, Undecided, NotApplicable) {
		out = append(out, e.idle())
	}
	return out
}

func bullets(items []string) string {
	var lines []string
	for _, item := range items {
		lines = append(lines, "- "+printable(item, 400))
	}
	return strings.Join(lines, "\n")
}

// details are the tables of the screen, folded away.
func (r Report) details() string {
	tables := strings.Join(nonEmpty([]string{r.silentRules(), r.cancelledCalls(), join(r.sources(), r.faults(), r.injected(), r.budgets(), r.incidents()), r.coverage()}), "\n\n")
	if tables == "" {
		return ""
	}
	return "<details><summary>Counts</summary>\n\n" + fenced("text", trimLines(tables)) + "\n\n</details>"
}

func (r Report) footer() string {
	m := r.Manifest
	return fmt.Sprintf("Network %s, %s time, %s %s/%s. Again: `%s`", m.Network, m.Clock, m.Go, m.OS, m.Arch,
		strings.ReplaceAll(m.again(), "`", "'"))
}

// again is the command line that makes the run again.
func (m Manifest) again() string {
	if len(m.CommandLine) == 0 {
		return "mcpsim run " + ShellLine([]string{m.Scenario})
	}
	return "mcpsim " + ShellLine(m.CommandLine[1:])
}
