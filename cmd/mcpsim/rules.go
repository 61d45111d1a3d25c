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

// A ground is where rules bind: a protocol version over a transport.
type ground struct {
	transport   oracle.Transport
	specVersion string
}

// grounds are those of a transport.
func grounds(transport oracle.Transport, specVersions []string) []ground {
	var out []ground
	for _, v := range specVersions {
		out = append(out, ground{transport, v})
	}
	return out
}

func (g ground) String() string {
	if g.transport == oracle.Stdio {
		return g.specVersion
	}
	return g.specVersion + " over " + string(g.transport)
}

// bind refuses a rule that binds nowhere of where it is to be judged, which may not be
// known yet.
func bind(rules []string, where []ground) error {
	for _, id := range rules {
		rule, _ := oracle.FindRule(id)
		if len(where) > 0 && !slices.ContainsFunc(where, func(g ground) bool { return rule.LevelOver(g.transport, g.specVersion) != "" }) {
			var names []string
			for _, g := range where {
				names = append(names, g.String())
			}
			return fmt.Errorf("--rules %s: it does not bind at %s; mcpsim list rules shows where it does", id, strings.Join(names, ", "))
		}
	}
	return nil
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

// bindsAnywhere reports whether a rule binds at a protocol version over some transport.
func bindsAnywhere(rule oracle.Rule, specVersion string) bool {
	return slices.ContainsFunc(oracle.Transports(), func(t oracle.Transport) bool { return rule.LevelOver(t, specVersion) != "" })
}
