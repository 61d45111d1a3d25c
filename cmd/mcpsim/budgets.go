package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// budgetFlag is --budget, which may be repeated.
func budgetFlag(cmd *cobra.Command, typed *[]string) {
	cmd.Flags().StringSliceVar(typed, "budget", nil,
		"a time that no clause sets, `NAME=TIME`, such as shutdown=5s; mcpsim explain RULE shows which a rule is held to")
}

// maxBudget keeps a budget within what a world can show.
const maxBudget = 10 * time.Minute

// budgets reads what --budget says; nil if nothing.
func budgets(typed []string) (map[string]time.Duration, error) {
	var out map[string]time.Duration
	for _, t := range typed {
		name, text, _ := strings.Cut(t, "=")
		if why := notABudget(name); why != "" {
			return nil, fmt.Errorf("--budget %s: %s", t, why)
		}
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 || d > maxBudget {
			return nil, fmt.Errorf("--budget %s: write a time from 0s to 10m behind the =, such as %s=5s", t, name)
		}
		if _, again := out[name]; again {
			return nil, fmt.Errorf("--budget %s: %s is set twice", t, name)
		}
		if out == nil {
			out = map[string]time.Duration{}
		}
		out[name] = d
	}
	return out, nil
}

// notABudget says why a budget cannot be set; "" where it can.
func notABudget(name string) string {
	b, known := oracle.FindBudget(name)
	switch {
	case !known:
		return "there is no such budget; " + settable()
	case b.SetBy != "":
		return "the scenario sets it, as " + b.SetBy
	case b.Fixed:
		return fmt.Sprintf("it is fixed, at %s; %s", b.Default, settable())
	}
	return ""
}

func settable() string {
	var names []string
	for _, b := range oracle.Budgets() {
		if b.SetBy == "" && !b.Fixed {
			names = append(names, fmt.Sprintf("%s (%s)", b.Name, b.Default))
		}
	}
	return "there are " + strings.Join(names, ", ")
}

// budgetWords are the flags that set the same budgets again, word by word.
func budgetWords(set map[string]time.Duration) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		out = append(out, "--budget", name+"="+set[name].String())
	}
	return out
}

// over puts the budgets that were given in place of those that a history was
// recorded with.
func over(recorded, given map[string]time.Duration) map[string]time.Duration {
	if len(given) == 0 {
		return recorded
	}
	out := maps.Clone(recorded)
	if out == nil {
		out = map[string]time.Duration{}
	}
	maps.Copy(out, given)
	return out
}
