package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// A checkCommand is mcpsim check.
type checkCommand struct {
	strict  bool
	rules   []string
	budgets []string

	stdin          io.Reader
	stdout, stderr io.Writer
}

func newCheck() *cobra.Command {
	c := &checkCommand{}
	cmd := &cobra.Command{
		Use:   "check HISTORY...",
		Short: "Judge recorded histories by the rules of this version, without running anything",
		Long: `Check reads histories as a result directory keeps them in histories/, plain or
compressed, and judges each. A directory stands for the histories in it and below
it, and - for the standard input. A history is judged while it is read. The memory
that this takes grows with what is under way at one time, and not with what is over:
a history may be of any length if its calls end.

Exit 1: a MUST was broken (or, with --strict, a SHOULD or a QUALITY rule). 0: nothing
was. 2: there is no such file, or a rule that --rules names binds at none of the
histories' versions. 3: a history is damaged or cut off, and nothing was broken in the
others. 4: nothing broken, but no rule was exercised, or not one that --rules names.`,
		GroupID: groupTest,
		Example: `  mcpsim check results/cancel-storm/latest/histories
  mcpsim check results/cancel-storm/latest/histories/2026-07-28/0.ndjson.zst --strict
  mcpsim check --rules CANCEL-SILENCE -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.stdin, c.stdout, c.stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			return c.run(args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&c.strict, "strict", false, "exit 1 for a SHOULD or a QUALITY rule that was not kept, too")
	f.StringSliceVar(&c.rules, "rules", nil, "judge by these rules alone, `ID[,ID]`; each has to be exercised")
	budgetFlag(cmd, &c.budgets)
	return cmd
}

const stdinName = "-"

func (c *checkCommand) run(args []string) error {
	rules, err := chosenRules(c.rules)
	if err != nil {
		return usage(err)
	}
	given, err := budgets(c.budgets)
	if err != nil {
		return usage(err)
	}
	names, err := historyFiles(args)
	if err != nil {
		return usage(err)
	}
	sum := analysis.NewAggregate(analysis.Pair{})
	unread, unbound := 0, error(nil)
	var where []ground
	var held bytes.Buffer // until all rules bind at a version that there is
	printed := bufio.NewWriter(c.stdout)
	for _, name := range names {
		h, w, err := c.read(name, given)
		if err != nil {
			unread++
			fmt.Fprintf(c.stderr, "mcpsim: %s: %v\n", name, err)
			continue
		}
		w = w.Only(rules)
		if err := sum.Add(w); err != nil {
			return failed(err)
		}
		if g := (ground{oracle.Transport(h.Transport), h.SpecVersion}); !slices.Contains(where, g) {
			where = append(where, g)
			unbound = bind(rules, where)
		}
		held.WriteString(analysis.HistoryText(name, h, w))
		if unbound == nil {
			_, _ = held.WriteTo(printed) // Flush reports what goes wrong
		}
	}
	if unbound != nil && unread == 0 {
		return usage(unbound)
	}
	_, _ = held.WriteTo(printed)
	decision := c.decide(sum.Summary(), rules, unread)
	fmt.Fprintln(printed, decision.Line)
	if err := printed.Flush(); err != nil {
		return failed(fmt.Errorf("print the verdicts: %w", err))
	}
	if decision.Code != exitOK {
		return &exitError{code: decision.Code}
	}
	return nil
}

// decide is the decision of a run over the same worlds. What is not whole is what
// could not be read.
func (c *checkCommand) decide(s analysis.Summary, rules []string, unread int) analysis.Decision {
	partial := ""
	if unread > 0 {
		partial = plural(unread, "history", "histories") + " could not be read"
	}
	return analysis.Decide(s, rules, c.strict, partial)
}
