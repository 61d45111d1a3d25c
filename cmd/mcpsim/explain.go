package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/scenarios"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/lease"
)

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [RULE|NOTE|RACE|WORD]",
		Short: "Explain a rule: what it says, what convicts, what never does, and what proves it",
		Long: `Explain prints all that mcpsim knows of a rule: the clauses of the specification
that it stands on, how strongly it binds at each protocol version over each
transport, what an oracle must have seen to convict, what it leaves uncounted and
why, and the mutants that break the rule on purpose.

A note, such as Q1, is a place where the specification contradicts itself or leaves
a gap, with what mcpsim makes of it. A race, such as R4, is a crossing that is
benign. A word, such as crossed, is one that reports, pages and listings use. Without
an argument the notes, the races and the words are listed.`,
		GroupID: groupLook,
		Example: `  mcpsim explain CANCEL-SILENCE
  mcpsim explain Q1
  mcpsim explain crossed
  mcpsim explain`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeExplained,
		RunE: func(cmd *cobra.Command, args []string) error {
			text := explainables()
			if len(args) > 0 {
				var err error
				if text, err = explained(args[0]); err != nil {
					return usage(err)
				}
			}
			if _, err := io.WriteString(cmd.OutOrStdout(), text); err != nil {
				return failed(fmt.Errorf("print the explanation: %w", err))
			}
			return nil
		},
	}
}

// completeExplained offers what can be explained to a shell.
func completeExplained(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, r := range oracle.Catalogue() {
		out = append(out, r.ID+"\t"+r.Statement)
	}
	for _, n := range oracle.Notes() {
		out = append(out, n.ID+"\t"+n.Title)
	}
	for _, r := range oracle.Races() {
		out = append(out, r.ID+"\t"+r.What)
	}
	for _, w := range analysis.Words() {
		out = append(out, w.Word+"\t"+w.Means)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// explained returns what there is to say of a rule, a note, a race or a word, which may
// be typed in any case.
func explained(typed string) (string, error) {
	id := strings.ToUpper(typed)
	if r, ok := oracle.FindAny(id); ok {
		return explainRule(r)
	}
	if n, ok := oracle.FindNote(id); ok {
		return explainNote(n), nil
	}
	if r, ok := oracle.FindRace(id); ok {
		return explainRace(r), nil
	}
	if w, ok := analysis.FindWord(typed); ok {
		return wrapped(w.Word+"  ", w.Of+": "+w.Means), nil
	}
	return "", fmt.Errorf("there is no rule, note, race or word %q; %s", typed, explainCure(id))
}

func explainCure(id string) string {
	var ids []string
	for _, r := range oracle.Catalogue() {
		ids = append(ids, r.ID)
	}
	for _, w := range analysis.Words() {
		ids = append(ids, strings.ToUpper(w.Word))
	}
	if name := strings.ToLower(id); slices.Contains(scenarios.Names(), name) {
		return "there is a scenario of that name: mcpsim show scenario " + name
	}
	if t := sim.ReadTyped(strings.ToLower(id)); slices.ContainsFunc(linkedPlayers(), func(p lease.Player) bool { return p.Name == t.Name }) {
		return "there is a target of that name: mcpsim list targets says what it is, and what its options do"
	}
	const all = "mcpsim list rules shows the rules, mcpsim explain the notes, races and words"
	if meant := sim.Nearest(id, ids); meant != "" {
		return "did you mean " + meant + "? " + all
	}
	if near := containing(ids, id); len(near) > 0 {
		return "there are " + strings.Join(near, ", ") + "; " + all
	}
	return all
}

// explainables lists the notes, the races and the words.
func explainables() string {
	var b strings.Builder
	b.WriteString("where the specification contradicts itself or leaves a gap, and what mcpsim makes of it\n")
	for _, n := range oracle.Notes() {
		b.WriteString(wrapped("  "+padded(n.ID, 5), ended(n.Title)+" "+n.Decides))
	}
	b.WriteString("\nbenign races, which are never counted\n")
	for _, r := range oracle.Races() {
		b.WriteString(wrapped("  "+padded(r.ID, 5), r.What))
	}
	of := ""
	for _, w := range analysis.Words() {
		if w.Of != of {
			of = w.Of
			b.WriteString("\n" + of + "\n")
		}
		b.WriteString(wrapped("  "+padded(w.Word, 16), w.Means))
	}
	b.WriteString("\n" + wrapped("", "mcpsim explain Q1 and mcpsim explain R1 say more, mcpsim explain RULE all about a rule, and mcpsim list rules which there are."))
	return b.String()
}

// ended makes a title a sentence.
func ended(title string) string {
	if strings.HasSuffix(title, "?") {
		return title
	}
	return title + "."
}

func explainNote(n oracle.Note) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n\n", n.ID, n.Title)
	b.WriteString(wrapped("  the text  ", n.Text))
	b.WriteString(wrapped("  mcpsim    ", n.Decides))
	b.WriteString(wrapped("  at        ", reach(n)))
	if rules := n.Concerns(); len(rules) > 0 {
		b.WriteString(wrapped("  rules     ", strings.Join(rules, ", ")))
	}
	return b.String()
}

// reach says at which versions and over which transport a note is about something.
func reach(n oracle.Note) string {
	text := "every version"
	switch {
	case n.From != "" && n.Until == n.From:
		text = n.From + " alone"
	case n.From != "" && n.Until != "":
		text = n.From + " to " + n.Until
	case n.From != "":
		text = "from " + n.From + " on"
	case n.Until != "":
		text = "up to " + n.Until
	}
	if n.Over != "" {
		text += ", over " + string(n.Over)
	}
	return text
}

func explainRace(r oracle.Race) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  a benign race, never counted\n\n", r.ID)
	b.WriteString(wrapped("  what     ", r.What))
	b.WriteString(wrapped("  benign   ", r.Why))
	if rules := r.Excuses(); len(rules) > 0 {
		b.WriteString(wrapped("  excuses  ", strings.Join(rules, ", ")))
	}
	b.WriteString("  seeds    mcpsim report RESULTDIR --races: the smallest of a run that shows it\n")
	return b.String()
}
