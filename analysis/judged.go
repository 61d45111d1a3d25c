package analysis

import (
	"slices"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// Only returns the world with the verdicts on these rules alone; with none named
// it is the world as it is. A verdict of which all breaches are reported under a
// stricter rule stands for itself when the stricter one is left out.
func (w World) Only(rules []string) World {
	if len(rules) == 0 {
		return w
	}
	var kept []oracle.Verdict
	for _, v := range w.Judgement.Verdicts {
		if !slices.Contains(rules, v.Rule) {
			continue
		}
		if !slices.Contains(rules, v.Implied) {
			v.Implied = ""
		}
		kept = append(kept, v)
	}
	w.Judgement.Verdicts = kept
	return w
}
