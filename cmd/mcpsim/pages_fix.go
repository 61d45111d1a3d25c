package main

import (
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/lease"
	"github.com/mcpsim/mcpsim/sim/targets"
)

// careless is the scenario of tools that do not stop when they are told to.
const careless = "careless-tools"

// afterFix is what shows that a fix mended this and broke nothing else. Both lines play
// over the transport of the run.
func (g *gathering) afterFix(rule analysis.RuleText) string {
	m := g.manifest
	pair := []string{"--client", checkout(m, m.Client), "--server", checkout(m, m.Server)}
	text := "# nothing new may be broken\n"
	if rule.Late {
		text = "# nothing new may be broken: a caller that waits for the late answer would hang (CALLER-UNBLOCKS)\n"
	}
	text += analysis.ShellLine(slices.Concat([]string{"mcpsim", "run", m.Scenario}, pair, m.ReplayFlags))
	flags, playable := carelessOver(m)
	if m.Scenario == careless || !playable {
		return text
	}
	return text + "\n# tools that do not stop when told\n" +
		analysis.ShellLine(slices.Concat([]string{"mcpsim", "run", careless}, pair, flags))
}

// carelessOver returns the flags with which careless-tools plays as the run did, and
// whether it can.
func carelessOver(m analysis.Manifest) (flags []string, playable bool) {
	s, err := catalogued(careless)
	if err != nil {
		return nil, false
	}
	flags = slices.Clone(m.ReplayFlags)
	if m.Transport != s.Transport && !slices.Contains(flags, "--transport") {
		flags = append([]string{"--transport", m.Transport}, flags...)
	}
	_, err = s.Over(m.Transport)
	return flags, err == nil
}

// checkout is how a target is asked for once somebody has mended it.
func checkout(m analysis.Manifest, p history.Peer) string {
	if _, local := m.Sources[p.Name()]; local {
		return m.Typed(p)
	}
	if _, module := targets.Module(p.Name()); module {
		return p.Target + "@PATH"
	}
	return p.Target
}

// unchosen lists, in the words of list targets, the options that the targets of a side have
// over the run's transport, and were run without.
func (g *gathering) unchosen(side history.Side) []analysis.OptionText {
	var out []analysis.OptionText
	for s, p := range map[history.Side]lease.Player{history.Client: g.experiment.client, history.Server: g.experiment.server} {
		if side != s && side != history.World {
			continue
		}
		t := sim.ReadTyped(p.Name)
		for _, o := range p.Options {
			if slices.Contains(o.Sides, string(s)) && slices.Contains(o.Transports, g.manifest.Transport) && !slices.Contains(t.Options, o.Name) {
				out = append(out, analysis.OptionText{Target: t.Name, Name: o.Name, Doc: o.Doc})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b analysis.OptionText) int { return strings.Compare(a.Target, b.Target) })
	return out
}
