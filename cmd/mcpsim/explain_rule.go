package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/scenarios"
	"github.com/mcpsim/mcpsim/sim/protocol"
	"github.com/mcpsim/mcpsim/sim/reference"
)

// explainRule prints all that is known of a rule, a part under each heading; parts
// that are empty are left out.
func explainRule(r oracle.Rule) (string, error) {
	exercised, err := exercisedIn(r)
	if err != nil {
		return "", err
	}
	parts := []string{
		heading(r) + "\n" + wrapped("", r.Statement),
		part("how strongly it binds", levelTable(r)),
		part("what the specification says", clauseList(r)),
		part("what convicts", indented(r.Convicts)),
		part("why it never convicts", indented(r.Never)),
		part("what never does", exemptionList(r)),
		part("budgets, which no clause sets", budgetList(r)),
		part("notes", noteList(r)),
		part("proven by", proofList(r)),
		part("exercised", exercised),
		part("before you blame a target", optionHint(r)),
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n"), nil
}

// optionHint is for the rules that bind over HTTP alone, where targets have options.
func optionHint(r oracle.Rule) string {
	if slices.ContainsFunc(protocol.Versions(), func(v string) bool { return r.LevelOver(oracle.Stdio, v) != "" }) {
		return ""
	}
	return wrapped("  ", "It plays as an application has it that sets nothing. An option of its own may change this: mcpsim list targets names them, and a finding's page those that were not chosen.")
}

func part(title, body string) string {
	if body == "" {
		return ""
	}
	return title + "\n" + body
}

func indented(text string) string {
	if text == "" {
		return ""
	}
	return wrapped("  ", text)
}

// heading says who is bound, what kind of rule it is, and whether it is judged.
func heading(r oracle.Rule) string {
	who := "binds the " + bound(r.Side)
	if r.Side != "client" && r.Side != "server" {
		who = "binds both sides"
	}
	kind := "safety: a breach shows as it happens"
	if r.Property == oracle.Liveness {
		kind = "liveness: a breach shows when waiting has an end"
	}
	judged := "judged over " + conjoined(judgedOver(r))
	switch {
	case r.Awaits != "":
		judged = "not judged yet: needs " + r.Awaits
	case r.Never != "":
		kind, judged = "", "never convicts"
	}
	text := strings.Join(slices.DeleteFunc([]string{who, kind, judged}, func(s string) bool { return s == "" }), " · ")
	return wrapped(r.ID+"  ", text)
}

// judgedOver lists the transports over which an oracle judges the rule.
func judgedOver(r oracle.Rule) []string {
	var out []string
	for _, t := range oracle.Transports() {
		if r.Judged(t) {
			out = append(out, string(t))
		}
	}
	return out
}

// conjoined lists words, with "and" before the last.
func conjoined(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// The columns of the table of levels.
const (
	transportColumn = 19
	versionColumn   = 12
)

// levelTable has a row for each transport over which the rule binds at all.
func levelTable(r oracle.Rule) string {
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", transportColumn))
	for _, v := range protocol.Versions() {
		b.WriteString(padded(v, versionColumn))
	}
	lines := []string{b.String()}
	unjudged := false
	for _, t := range oracle.Transports() {
		if row := levelRow(r, t); row != "" {
			lines = append(lines, row)
			unjudged = unjudged || r.Never == "" && !r.Judged(t)
		}
	}
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	if unjudged && r.Awaits == "" {
		lines = append(lines, "  what binds over another transport than "+conjoined(judgedOver(r))+" is laid out")
	}
	return strings.Join(lines, "\n") + "\n"
}

// levelRow is empty where the rule binds at no version. A blank is a version without
// the transport, a dash one without the rule.
func levelRow(r oracle.Rule, t oracle.Transport) string {
	row, binds := padded("  "+string(t), transportColumn), false
	for _, v := range protocol.Versions() {
		level := r.LevelOver(t, v)
		cell := orDash(string(level))
		if !t.In(v) {
			cell = ""
		}
		binds = binds || level != ""
		row += padded(cell, versionColumn)
	}
	if !binds {
		return ""
	}
	return row
}

// clauseList has each clause with its level, and below it where it stands: which
// versions have it, and a link to the newest of them.
func clauseList(r oracle.Rule) string {
	if len(r.Clauses) == 0 {
		return "  No clause demands it, but every user counts on it.\n"
	}
	var b strings.Builder
	for i, c := range r.Clauses {
		same := func(o oracle.Clause) bool { return o.Quote == c.Quote && o.Level == c.Level }
		if slices.IndexFunc(r.Clauses, same) < i {
			continue // told with the first of them
		}
		b.WriteString(wrapped("  "+padded(string(c.Level), 12), "“"+c.Quote+"”"))
		for _, o := range r.Clauses {
			if same(o) {
				fmt.Fprintf(&b, "    %s\n    %s\n", place(o), o.URL(newest(o)))
			}
		}
	}
	return b.String()
}

// place says which versions have the clause, and of which transport it speaks.
func place(c oracle.Clause) string {
	text := c.From
	if last := newest(c); last != c.From {
		text += " to " + last
	}
	if c.Over != "" {
		text += ", " + string(c.Over)
	}
	return text
}

// newest is the last version that has the clause.
func newest(c oracle.Clause) string {
	all := protocol.Versions()
	if c.Until != "" {
		return c.Until
	}
	return all[len(all)-1]
}

// exemptionList has what is not counted, under the race's number where it is one,
// and under which words verdicts report it.
func exemptionList(r oracle.Rule) string {
	var b strings.Builder
	for _, e := range r.Exempt {
		text := e.What
		if e.Why != "" {
			text += " Told as: " + e.Why + "."
		}
		b.WriteString(wrapped("  "+padded(orDash(e.Race), 5), text))
	}
	return b.String()
}

// budgetList has the times that the rule is held to, and what sets them.
func budgetList(r oracle.Rule) string {
	var b strings.Builder
	for _, x := range r.Budgets() {
		set := "--budget " + x.Name + "=TIME sets it"
		switch {
		case x.SetBy != "":
			set = "the scenario sets it, as " + x.SetBy
		case x.Fixed:
			set = "it is fixed"
		}
		b.WriteString(wrapped("  "+padded(x.Name, 10), fmt.Sprintf("%s (%s): %s. %s", x.Default, set, x.What, x.Why)))
	}
	return b.String()
}

func noteList(r oracle.Rule) string {
	var b strings.Builder
	for _, n := range r.RefersTo() {
		b.WriteString(wrapped("  "+padded(n.ID, 5), fmt.Sprintf("%s (%s). %s %s", n.Title, reach(n), n.Text, n.Decides)))
	}
	for _, remark := range r.Remarks() {
		b.WriteString(wrapped("  "+padded("-", 5), remark))
	}
	return b.String()
}

// proofList has the mutants that break the rule on purpose, each with the scenario
// that makes it show, and a command that shows the first.
func proofList(r oracle.Rule) string {
	all := provers(r)
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	for _, m := range all {
		b.WriteString(wrapped("  "+padded(m.Target(), 32), m.Doc+" (in "+scenarioOf(m)+")"))
	}
	own := slices.IndexFunc(all, func(m reference.Mutant) bool { return strings.Contains(m.Doc, r.ID) })
	return b.String() + demonstration(r, all[max(own, 0)])
}

// provers are the mutants that have to fail the rule at some version that has it, over
// the transport of their scenario.
func provers(r oracle.Rule) []reference.Mutant {
	return slices.DeleteFunc(reference.Mutants(), func(m reference.Mutant) bool {
		over := oracle.Transport(transportOf(scenarioOf(m)))
		return !slices.ContainsFunc(protocol.Versions(), func(v string) bool {
			return r.LevelOver(over, v) != "" && slices.Contains(m.Expect(v), r.ID)
		})
	})
}

// scenarioOf is where a mutant's defect shows.
func scenarioOf(m reference.Mutant) string {
	if m.Scenario == "" {
		return "cancel-storm"
	}
	return m.Scenario
}

// demonstration is the command that has the mutant break the rule.
func demonstration(r oracle.Rule, m reference.Mutant) string {
	client, server := "reference", m.Target()
	if m.Side == "client" {
		client, server = server, client
	}
	return fmt.Sprintf("  see it:\n    mcpsim run %s --client %s --server %s \\\n        --seeds 0-99 --rules %s\n",
		scenarioOf(m), client, server, r.ID)
}

// exercisedIn names the scenarios of the catalogue that mean nothing unless they
// exercise the rule, and what brings it about.
func exercisedIn(r oracle.Rule) (string, error) {
	if len(judgedOver(r)) == 0 {
		return "", nil
	}
	var names []string
	for _, name := range scenarios.Names() {
		sc, err := catalogued(name)
		if err != nil {
			return "", err
		}
		for _, req := range sc.Require {
			if slices.Contains(req.AnyOf, r.ID) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	text := ""
	if len(names) > 0 {
		text = wrapped("  ", "required by "+strings.Join(names, ", "))
	}
	if counts := analysis.RuleTextOf(r.ID).Counts; counts != "" {
		text += wrapped("  ", "counted: "+counts)
	}
	return text, nil
}
