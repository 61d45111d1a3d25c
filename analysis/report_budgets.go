package analysis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// budgets says to which times that no clause sets the run was held, and how long it
// really took.
func (r Report) budgets() string {
	var parts []string
	for _, b := range oracle.Budgets() {
		if took := r.took(b); took.N() > 0 {
			parts = append(parts, fmt.Sprintf("%s %s, took %s", b.Name, budgetTime(r.Manifest.budget(b)), quantiles(took)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	parts[0] = "budgets, which no clause sets" + quantilesLabels + ": " + parts[0]
	return flow(parts, " · ", "  ")
}

// took is how long what a budget bounds took, over all versions, where its rules
// were exercised.
func (r Report) took(b oracle.Budget) Distribution {
	var out Distribution
	for _, g := range r.Summary.Tested() {
		for _, t := range g.Rules {
			switch {
			case !slices.Contains(b.Rules, t.Rule) || t.Checked == 0:
			case t.Took != nil:
				out.Merge(*t.Took)
			case b.Name == "stop":
				out.Merge(g.ReadToTold) // measured call by call
			}
		}
	}
	return out
}

// budget is what the run was held to.
func (m Manifest) budget(b oracle.Budget) time.Duration {
	for given := range strings.SplitSeq(m.Flags["budget"], ",") {
		if name, text, ok := strings.Cut(given, "="); ok && name == b.Name {
			if d, err := time.ParseDuration(text); err == nil {
				return d
			}
		}
	}
	return b.Default
}

func budgetTime(d time.Duration) string {
	if d >= time.Minute && d%time.Minute == 0 {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return Duration(int64(d))
}
