package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// selftestText shows the matrix: the verdict, what is wrong, rules against mutants in
// one character each, and then by which seed each mutant was caught.
func selftestText(m *matrix, o selftestOutcome, asASCII bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "mcpsim %s · selftest · %s and the reference · %d rules · %s · %s · %.1f s\n\n", programVersion(),
		plural(o.Mutants, "mutant", "mutants"), len(m.rules()), plural(len(m.specVersions), "spec version", "spec versions"),
		plural(o.Worlds, "world", "worlds"), o.elapsed.Seconds())
	b.WriteString(verdictOf(m, o))
	b.WriteString("\n" + grid(m))
	b.WriteString("\n" + catches(m))
	b.WriteString("\n" + o.line() + "\n")
	if asASCII {
		return strings.NewReplacer("·", "-", "✗", "X", "▲", "x", "×", "x", "–", "-").Replace(b.String())
	}
	return b.String()
}

func verdictOf(m *matrix, o selftestOutcome) string {
	var b strings.Builder
	clean, scenarios := 0, 0
	for _, r := range m.rows {
		if r.mutant != "" {
			continue
		}
		scenarios++
		for _, result := range r.results {
			clean += result.worlds
		}
	}
	free := map[string]bool{}
	for _, s := range o.Survivors {
		free[s.Mutant] = true
	}
	word := "PASSED"
	if o.code() != exitOK {
		word = "FAILED"
	}
	fmt.Fprintf(&b, "%s   %d of %s caught of all that they break\n", word, o.Mutants-len(free), plural(o.Mutants, "mutant", "mutants"))
	fmt.Fprintf(&b, "         %s in %s of the reference against itself, in %s\n", plural(o.ofReference(), "false accusation", "false accusations"),
		plural(clean, "world", "worlds"), plural(scenarios, "scenario", "scenarios"))
	for _, a := range o.Accusations {
		fmt.Fprintf(&b, "!   accused wrongly: %s in %s at %s, of %s: %s\n    seed %d\n", orReference(a.Mutant), a.Scenario, a.SpecVersion, a.Rule, a.What, a.Seed)
	}
	for _, s := range o.Survivors {
		fmt.Fprintf(&b, "!   survived: %s in %s at %s, %s: %s\n", s.Mutant, s.Scenario, s.SpecVersion, s.Rule, s.Why)
	}
	return b.String()
}

// ofReference is how many false accusations are of the reference itself.
func (o selftestOutcome) ofReference() int {
	n := 0
	for _, a := range o.Accusations {
		if a.Mutant == "" {
			n++
		}
	}
	return n
}

func orReference(mutant string) string {
	if mutant == "" {
		return "reference"
	}
	return mutant
}

// mainRows are those of the mutants in their own scenarios.
func (m *matrix) mainRows() []*matrixRow {
	var out []*matrixRow
	for _, r := range m.rows {
		if r.main {
			out = append(out, r)
		}
	}
	return out
}

const (
	gridLabel = 25
	gridMost  = 60 // columns side by side
)

// grid has a row for each rule and a column for each mutant.
func grid(m *matrix) string {
	var b strings.Builder
	rows := m.mainRows()
	for from := 0; from < len(rows); from += gridMost {
		part := rows[from:min(from+gridMost, len(rows))]
		for place, name := range []int{10, 1} {
			head := ""
			if place == 0 {
				head = "rule × mutant"
			}
			fmt.Fprintf(&b, "%-*s", gridLabel, head)
			for i := range part {
				b.WriteByte(byte('0' + (from+i+1)/name%10))
				b.WriteString(gap(i))
			}
			b.WriteByte('\n')
		}
		for _, id := range m.rules() {
			fmt.Fprintf(&b, "%-*s", gridLabel, id)
			for i, r := range part {
				b.WriteString(m.mark(r, id) + gap(i))
			}
			b.WriteByte('\n')
		}
	}
	b.WriteString("✗ caught at a MUST · ▲ caught · . held · blank: not exercised · ? not caught · ! accused wrongly\n")
	return strings.ReplaceAll(trimmed(b.String()), " \n", "\n")
}

// gap sets the columns apart in fives.
func gap(i int) string {
	if i%5 == 4 {
		return " "
	}
	return ""
}

func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// mark is a cell over all versions, the worst first.
func (m *matrix) mark(r *matrixRow, rule string) string {
	worst := " "
	rank := func(s string) int { return strings.Index(" .▲✗?!", s) }
	for _, v := range m.specVersions {
		if at := r.mark(v, rule); rank(at) > rank(worst) {
			worst = at
		}
	}
	return worst
}

func (r *matrixRow) mark(specVersion, id string) string {
	c := r.results[specVersion].cells[id]
	must := slices.Contains(r.expected(specVersion), id)
	switch {
	case must && c.Failed == 0:
		return "?"
	case !must && c.Failed > 0:
		return "!"
	case must:
		return levelMark(r.bind.level[specVersion][id])
	case c.Checked > 0:
		return "."
	}
	return " "
}

func levelMark(level oracle.Level) string {
	if analysis.Weigh(level) == 0 {
		return "✗"
	}
	return "▲"
}

// catches lists the mutants with the rules that caught them, and the smallest seed at
// each version.
func catches(m *matrix) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-*s", gridLabel+7, "mutant, rule, smallest seed")
	for _, v := range m.specVersions {
		fmt.Fprintf(&b, "%12s", v)
	}
	b.WriteByte('\n')
	for i, r := range m.mainRows() {
		side := "server"
		if r.server == "reference" {
			side = "client"
		}
		fmt.Fprintf(&b, "%2d %s · %s · %s\n", i+1, r.mutant, side, r.scenario)
		for _, id := range m.rules() {
			if line := r.catch(m, id); line != "" {
				b.WriteString(line + "\n")
			}
		}
	}
	return trimmed(b.String()) + "blank: the version does not have the rule, or does not know the act for a defect\n"
}

func (r *matrixRow) catch(m *matrix, id string) string {
	line, shows := fmt.Sprintf("     %-*s", gridLabel+2, id), false
	for _, v := range m.specVersions {
		cell := ""
		switch mark := r.mark(v, id); mark {
		case "✗", "▲", "!":
			cell = fmt.Sprintf("%s %d", mark, r.results[v].cells[id].Seed)
		case "?":
			cell = mark
		}
		shows = shows || cell != ""
		line += strings.Repeat(" ", max(0, 12-len([]rune(cell)))) + cell
	}
	if !shows {
		return ""
	}
	return line
}

// A selftestRow is a row of the matrix for programs.
type selftestRow struct {
	Mutant   string                           `json:"mutant,omitempty"` // empty: the reference on both sides
	Scenario string                           `json:"scenario"`
	Own      bool                             `json:"own"` // the scenario is the one that the mutant is to be caught in
	Worlds   map[string]int                   `json:"worlds"`
	Expected map[string][]string              `json:"expected"` // by version: the rules that must fail, and no others
	Cells    map[string]map[string]matrixCell `json:"cells"`    // by version and rule: those that were exercised
}

func selftestJSON(m *matrix, o selftestOutcome) any {
	out := struct {
		Schema       int           `json:"schema"`
		Mcpsim       string        `json:"mcpsim"`
		SpecVersions []string      `json:"spec_versions"`
		Code         int           `json:"code"`
		Line         string        `json:"line"`
		Rows         []selftestRow `json:"rows"`
		selftestOutcome
	}{Schema: 1, Mcpsim: programVersion(), SpecVersions: m.specVersions, Code: o.code(), Line: o.line(), selftestOutcome: o}
	for _, r := range m.rows {
		row := selftestRow{Mutant: r.mutant, Scenario: r.scenario, Own: r.main, Worlds: map[string]int{}, Expected: map[string][]string{}, Cells: map[string]map[string]matrixCell{}}
		for _, v := range m.specVersions {
			row.Worlds[v], row.Expected[v], row.Cells[v] = r.results[v].worlds, append([]string{}, r.expected(v)...), map[string]matrixCell{}
			for id, c := range r.results[v].cells {
				if c.Checked+c.Failed > 0 {
					row.Cells[v][id] = c
				}
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
