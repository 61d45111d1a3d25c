package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A Report is everything that the screen of a run shows.
type Report struct {
	Manifest Manifest
	Summary  Summary
	Decision Decision
	Rules    []RuleText
	Dir      string   // the result directory as it is shown; empty: nothing was written
	Files    []string // of Dir, the ones worth naming
	Troubles []string // what went wrong with writing, a sentence each
	Elapsed  time.Duration
	Style    Style
}

// Text renders the report: at most 100 columns, the verdict first, then the
// findings, the counts, the files, and a last line that names the exit code and
// why. It ends in a line end.
func Text(r Report) string {
	sections := []string{
		r.header(),
		join(r.verdict(), r.unconnected(), r.findings(), r.notes(), r.expectations(), r.silentRules()),
		r.cancelledCalls(),
		join(r.sources(), r.faults(), r.injected(), r.budgets(), r.incidents()),
		join(r.files(), r.Style.paint(bold, r.Decision.Line)),
	}
	text := trimLines(strings.Join(nonEmpty(sections), "\n\n")) + "\n"
	if r.Style.ASCII {
		return ascii(text)
	}
	return text
}

// trimLines removes the blanks that columns leave at the ends of lines.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// join puts blocks below each other and leaves out the empty ones.
func join(blocks ...string) string { return strings.Join(nonEmpty(blocks), "\n") }

func nonEmpty(blocks []string) []string {
	var out []string
	for _, b := range blocks {
		if b != "" {
			out = append(out, b)
		}
	}
	return out
}

func (r Report) header() string {
	m := r.Manifest
	pair := m.Pair()
	who := []string{
		"mcpsim " + m.Mcpsim, m.Scenario, "client " + pair.Client, "server " + pair.Server,
		m.Transport, m.Clock + " time",
	}
	calls := 0
	for _, g := range r.Summary.Tested() {
		calls += g.Calls
	}
	what := append(strings.Split("network "+m.Network, "; "), // one direction and the other, where they differ
		"seeds "+m.Seeds+" at "+plural(len(m.SpecVersions), "spec version"),
		plural(calls, "call"),
		fmt.Sprintf("%.1f s", r.Elapsed.Seconds()),
	)
	if rules := r.Summary.Judged; len(rules) > 0 {
		what = append(what, "only "+strings.Join(rules, ", "))
	}
	ended := ""
	if m.Ended != "" {
		ended = fold(fmt.Sprintf("ended %s, after %s", m.Ended, plural(r.Summary.testedWorlds(), "world")), "")
	}
	unseeded := ""
	if m.Clock == "virtual" && !m.Seeded {
		unseeded = "order within an instant not seeded: a seed may not repeat its history (mcpsim doctor says why)"
	}
	return join(flow(who, " · ", "  "), flow(what, " · ", "  "), ended, unseeded, r.unavailable())
}

// unavailable says what was asked for and could not be done. Nothing was judged
// from it.
func (r Report) unavailable() string {
	whats := r.unavailables()
	if len(whats) == 0 {
		return ""
	}
	return hang("-   ", "not available, and not judged: "+strings.Join(whats, ", "))
}

func (r Report) unavailables() []string {
	all := map[string]int{}
	for _, g := range r.Summary.Tested() {
		for why, n := range g.Unavailable {
			all[why] += n
		}
	}
	var whats []string
	for _, why := range slices.Sorted(maps.Keys(all)) {
		what := why
		if n := all[why]; n > 0 {
			what += fmt.Sprintf(" (%s)", plural(n, "call"))
		}
		whats = append(whats, what)
	}
	return whats
}

// unconnected says, version by version, in how many worlds no session came about:
// there nothing can have been exercised.
func (r Report) unconnected() string {
	var lines []string
	for _, g := range r.Summary.Tested() {
		if u := g.Unconnected; u != nil {
			lines = append(lines, hang("!   ", fmt.Sprintf("no session came about in %s of %s at %s. Seed %d: %s",
				group(u.Worlds), plural(g.Worlds, "world"), g.SpecVersion, u.Seed, printable(u.Why, 300))))
		}
	}
	return strings.Join(lines, "\n")
}

func (r Report) files() string {
	var lines []string
	if r.Dir != "" {
		where := r.Dir
		if len(r.Files) > 0 {
			where += ": " + strings.Join(r.Files, ", ")
		}
		lines = append(lines, fold(where, ""))
	}
	for _, t := range r.Troubles {
		lines = append(lines, r.Style.paint(red, hang("!   ", printable(t, 400))))
	}
	return strings.Join(lines, "\n")
}
