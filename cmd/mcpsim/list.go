package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mcpsim/mcpsim/scenarios"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/lease"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

func newList() *cobra.Command {
	lists := map[string]func(io.Writer) error{
		"scenarios": listScenarios,
		"targets":   listTargets,
		"rules":     listRules,
	}
	return &cobra.Command{
		Use:       "list scenarios|targets|rules",
		Short:     "List the scenarios, the targets, or the rules",
		GroupID:   groupLook,
		Example:   "  mcpsim list rules",
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"scenarios", "targets", "rules"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := lists[args[0]](cmd.OutOrStdout()); err != nil {
				return failed(err)
			}
			return nil
		},
	}
}

// table writes rows of tab-separated cells in columns.
func table(out io.Writer, rows []string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		if _, err := fmt.Fprintln(w, row); err != nil {
			return err
		}
	}
	return w.Flush()
}

func listScenarios(out io.Writer) error {
	var rows []string
	for _, name := range scenarios.Names() {
		s, err := catalogued(name)
		if err != nil {
			return err
		}
		rows = append(rows, s.Name+"\t"+s.Summary)
		if s.Transport != sim.Stdio {
			rows = append(rows, "\t  over "+s.Transport)
		}
		for _, line := range requiredLines(s) {
			rows = append(rows, "\t  "+line)
		}
	}
	return table(out, rows)
}

// requiredLines says what a run of the scenario has to exercise, in lines of a
// readable width.
func requiredLines(s *sim.Scenario) []string {
	var lines []string
	line := "requires "
	for i, req := range s.Require {
		text := strings.Join(req.AnyOf, " or ")
		if len(req.SpecVersions) > 0 {
			text += " (" + strings.Join(req.SpecVersions, ", ") + ")"
		}
		if i < len(s.Require)-1 {
			text += ", "
		}
		if len(line)+len(text) > requiredWidth {
			lines, line = append(lines, strings.TrimRight(line, " ")), strings.Repeat(" ", len("requires "))
		}
		line += text
	}
	return append(lines, line)
}

const requiredWidth = 90

// catalogued parses a scenario of the catalogue.
func catalogued(name string) (*sim.Scenario, error) {
	data, err := scenarios.Read(name)
	if err != nil {
		return nil, err
	}
	return sim.Parse(name+".yaml", data)
}

func listTargets(out io.Writer) error {
	rows := []string{"TARGET\tVERSION\tSIDES\tTRANSPORTS\tSPEC VERSIONS\tWHAT IT IS"}
	for _, t := range linkedPlayers() {
		rows = append(rows, strings.Join([]string{
			t.Name, orDash(t.Version), sides(t), strings.Join(spoken(t), " "), span(t.SpecVersions), t.Doc,
		}, "\t"))
		for _, o := range t.Options {
			rows = append(rows, strings.Join([]string{
				"  +" + o.Name, "", strings.Join(o.Sides, " "), strings.Join(o.Transports, " "), "", o.Doc,
			}, "\t"))
		}
	}
	return table(out, rows)
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
