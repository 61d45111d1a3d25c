package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// required lists the rules that have to be exercised, or the run says nothing: those
// that --rules names, or what the scenario requires.
func (g *gathering) required(summary analysis.Summary) []string {
	if len(g.gate.rules) > 0 && g.part {
		return nil
	}
	if len(g.gate.rules) > 0 {
		return g.gate.rules
	}
	return g.experiment.required(exercised(summary))
}

// exercised tells which rules were checked at a protocol version.
func exercised(summary analysis.Summary) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, group := range summary.Tested() {
		rules := map[string]bool{}
		for _, r := range group.Rules {
			rules[r.Rule] = r.Checked > 0
		}
		out[group.SpecVersion] = rules
	}
	return out
}

// required lists, for the decision, one rule for every requirement of the
// scenario that is not met at some version, and of those that are met the rule
// that met it. A version that has none of a requirement's rules cannot meet it,
// and need not.
func (e *experiment) required(exercised map[string]map[string]bool) []string {
	rules := map[string]bool{}
	for _, req := range e.scenario.Require {
		for _, v := range e.specVersions {
			if !req.AppliesTo(v) || !slices.ContainsFunc(req.AnyOf, e.boundAt(v)) {
				continue
			}
			met := slices.IndexFunc(req.AnyOf, func(rule string) bool { return exercised[v][rule] })
			if met >= 0 {
				rules[req.AnyOf[met]] = true
			} else {
				rules[strings.Join(req.AnyOf, " or ")+" at "+v] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(rules))
}

// boundAt reports whether a rule binds at a protocol version, over the scenario's
// transport.
func (e *experiment) boundAt(specVersion string) func(id string) bool {
	return func(id string) bool {
		rule, known := oracle.FindRule(id)
		return known && rule.LevelOver(e.transport(), specVersion) != ""
	}
}

// transport is what the scenario runs over.
func (e *experiment) transport() oracle.Transport { return oracle.Transport(e.scenario.Transport) }

// unmet lists the requirements of the scenario that are not met at a version.
func (e *experiment) unmet(specVersion string, exercised map[string]bool) []string {
	var out []string
	for _, req := range e.scenario.Require {
		if req.AppliesTo(specVersion) && slices.ContainsFunc(req.AnyOf, e.boundAt(specVersion)) &&
			!req.Met(func(rule string) bool { return exercised[rule] }) {
			out = append(out, strings.Join(req.AnyOf, " or "))
		}
	}
	return out
}
