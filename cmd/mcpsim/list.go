package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpsim/mcpsim/scenarios"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/lease"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

func newList() *cobra.Command {
	mutants := false
	cmd := &cobra.Command{
		Use:   "list scenarios|targets|rules",
		Short: "List the scenarios, the targets, or the rules",
		Long: `List shows what there is: the scenarios with the rules that a run has to exercise, the
targets with their options, the rules with how strongly each binds where.

The mutants of the reference, each with one defect that a rule must catch, are targets,
too, and many: --mutants lists them.`,
		GroupID: groupLook,
		Example: `  mcpsim list rules
  mcpsim list targets --mutants`,
		Args:      listed,
		ValidArgs: listables(),
		RunE: func(cmd *cobra.Command, args []string) error {
			list := map[string]func(io.Writer) error{"scenarios": listScenarios, "targets": listTargets, "rules": listRules}[args[0]]
			if mutants && args[0] != "targets" {
				return usage(fmt.Errorf("list %s --mutants: mutants are targets; write list targets --mutants", args[0]))
			}
			if mutants {
				list = listMutants
			}
			if err := list(cmd.OutOrStdout()); err != nil {
				return failed(err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&mutants, "mutants", false, "list the mutants of the reference, with what each does wrong")
	return cmd
}

// listables are what can be listed.
func listables() []string { return []string{"scenarios", "targets", "rules"} }

// listed refuses a list of nothing, or of something else.
func listed(_ *cobra.Command, args []string) error {
	const choice = "mcpsim list scenarios, mcpsim list targets or mcpsim list rules"
	switch {
	case len(args) == 0:
		return errors.New("what is to be listed? " + choice)
	case len(args) > 1:
		return errors.New("one list at a time: " + choice)
	case !slices.Contains(listables(), args[0]):
		return fmt.Errorf("there is no list of %s; %s", args[0], choice)
	}
	return nil
}

// nameColumn is the width of the column of the scenarios' names.
const nameColumn = 32

func listScenarios(out io.Writer) error {
	var b strings.Builder
	for _, name := range scenarios.Names() {
		s, err := catalogued(name)
		if err != nil {
			return err
		}
		b.WriteString(wrapped(padded(s.Name, nameColumn), s.Summary))
		if s.Transport != sim.Stdio {
			b.WriteString(padded("", nameColumn) + "  over " + s.Transport + "\n")
		}
		b.WriteString(wrapped(padded("", nameColumn)+"  requires ", required(s)))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// required says what a run of the scenario has to exercise.
func required(s *sim.Scenario) string {
	var out []string
	for _, req := range s.Require {
		text := strings.Join(req.AnyOf, " or ")
		if len(req.SpecVersions) > 0 {
			text += " (" + strings.Join(req.SpecVersions, ", ") + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// catalogued parses a scenario of the catalogue.
func catalogued(name string) (*sim.Scenario, error) {
	data, err := scenarios.Read(name)
	if err != nil {
		return nil, err
	}
	return sim.Parse(name+".yaml", data)
}

// mutantPrefix begins the names of the mutants.
const mutantPrefix = "mutant:"

// listTargets prints all targets but the mutants, each with its options.
func listTargets(out io.Writer) error {
	var b strings.Builder
	mutants := 0
	for _, t := range linkedPlayers() {
		if strings.HasPrefix(t.Name, mutantPrefix) {
			mutants++
			continue
		}
		b.WriteString(described(t) + "\n")
	}
	b.WriteString(wrapped("options   ", "are typed behind the name, before a version: go-sdk+stateless+json, go-sdk+store@v1.7.0"))
	b.WriteString(wrapped("versions  ", "NAME@VERSION is any other release of an SDK, NAME@PATH a checkout, or a target of your own"))
	b.WriteString(wrapped("mutants   ", fmt.Sprintf("%d, the reference with one defect each, to test the judge: mcpsim list targets --mutants", mutants)))
	_, err := io.WriteString(out, b.String())
	return err
}

// described is a target in a few lines: who it is, where it can play, and its options.
func described(t lease.Player) string {
	name := strings.TrimRight(t.Name+" "+t.Version, " ")
	text := wrapped(name+"  ", strings.Join([]string{
		strings.ReplaceAll(sides(t), " ", " and "), strings.Join(spoken(t), ", "), span(t.SpecVersions)}, " · "))
	text += wrapped("    ", t.Doc)
	widest := 0
	for _, o := range t.Options {
		widest = max(widest, len(o.Name))
	}
	for _, o := range t.Options {
		head := padded("    +"+o.Name, widest+7)
		text += wrapped(head, o.Doc+" · "+strings.Join(o.Sides, " and ")+optionReach(t, o))
	}
	return text
}

// optionReach says over which transports an option means something, where that is not
// all that its target speaks.
func optionReach(t lease.Player, o lease.Option) string {
	if slices.Equal(o.Transports, spoken(t)) {
		return ""
	}
	return ", " + strings.Join(o.Transports, ", ")
}

// The columns of the list of mutants.
const (
	mutantColumn     = 34
	mutantSideColumn = 8
)

// listMutants prints the mutants, those together that can be had in the same places.
func listMutants(out io.Writer) error {
	var b strings.Builder
	b.WriteString(wrapped("", "Each is the reference with one defect, and the rules that it has to be convicted of; mcpsim selftest runs them all."))
	var places []string
	texts := map[string]string{} // by place
	for _, t := range linkedPlayers() {
		if !strings.HasPrefix(t.Name, mutantPrefix) {
			continue
		}
		at := "over " + strings.Join(spoken(t), ", ") + " · " + span(t.SpecVersions)
		if texts[at] == "" {
			places = append(places, at)
		}
		texts[at] += wrapped("  "+padded(t.Name, mutantColumn)+"  "+padded(sides(t), mutantSideColumn), t.Doc)
	}
	for _, at := range places {
		b.WriteString("\n" + at + "\n" + texts[at])
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// spoken lists the transports of a player.
func spoken(p lease.Player) []string {
	if len(p.Transports) == 0 {
		return []string{sim.Stdio}
	}
	return p.Transports
}

// span names versions, oldest first, in short where none of those between the
// first and the last is missing.
func span(specVersions []string) string {
	all := protocol.Versions()
	n := len(specVersions)
	if n < 3 || !strings.Contains(strings.Join(all, " "), strings.Join(specVersions, " ")) {
		return strings.Join(specVersions, " ")
	}
	return specVersions[0] + " to " + specVersions[n-1]
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
