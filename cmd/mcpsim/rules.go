package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim"
)

// chosenRules checks the ids that were typed after --rules and returns them in the
// order of the catalogue. With none it returns none, which stands for all.
func chosenRules(typed []string) ([]string, error) {
	for _, id := range typed {
		if _, known := oracle.FindRule(id); !known {
			return nil, fmt.Errorf("--rules %q: %s", id, notJudged(id))
		}
	}
	var out []string
	for _, r := range oracle.Rules() {
		if slices.Contains(typed, r.ID) {
			out = append(out, r.ID)
		}
	}
	return out, nil
}

// bind refuses a rule that binds at none of the versions, of which there may be
// none yet, over any of the transports.
func bind(rules, specVersions []string, over ...oracle.Transport) error {
	for _, id := range rules {
		rule, _ := oracle.FindRule(id)
		if len(specVersions) > 0 && !slices.ContainsFunc(specVersions, func(v string) bool { return bindsAt(rule, v, over) }) {
			return fmt.Errorf("--rules %s: it does not bind at %s%s; mcpsim list rules shows where it does", id, strings.Join(specVersions, ", "), overWhat(over))
		}
	}
	return nil
}

func bindsAt(rule oracle.Rule, specVersion string, over []oracle.Transport) bool {
	return slices.ContainsFunc(over, func(t oracle.Transport) bool { return rule.LevelOver(t, specVersion) != "" })
}

// overWhat names the transport if it is one, and not the one that goes without saying.
func overWhat(over []oracle.Transport) string {
	if len(over) != 1 || over[0] == oracle.Stdio {
		return ""
	}
	return " over " + string(over[0])
}

// notJudged says why a rule cannot be judged by, and what to do about it.
func notJudged(id string) string {
	rule, known := oracle.FindAny(id)
	switch {
	case known && rule.Never != "":
		return "it never convicts; mcpsim explain " + id + " says why"
	case known:
		return "it is laid out and not judged yet, since it needs " + rule.Awaits + "; mcpsim explain " + id
	}
	return "there is no such rule; " + ruleCure(id)
}

// ruleCure is what to do about the name of a rule that is none.
func ruleCure(typed string) string {
	var ids []string
	for _, r := range oracle.Rules() {
		ids = append(ids, r.ID)
	}
	const all = "mcpsim list rules shows them"
	if meant := sim.Nearest(typed, ids); meant != "" {
		return "did you mean " + meant + "? " + all
	}
	return all
}
