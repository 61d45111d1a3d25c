package analysis

import (
	"fmt"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// comparisons say who else does it: the same side opposite the reference, the
// reference on both sides, the same target at another protocol version.
func (p Page) comparisons() []string {
	lines := []string{p.opposite(), p.reference()}
	if f := p.Finding; f.SameActAs != "" {
		lines = append(lines, f.SameActAs+" is the same behaviour at another protocol version.")
	}
	return nonEmpty(lines)
}

func (p Page) group(arm Arm) (Group, bool) {
	for _, g := range p.Summary.Groups {
		if g.Arm == arm && g.SpecVersion == p.Finding.SpecVersion {
			return g, true
		}
	}
	return Group{}, false
}

// tally is the rule's in an arm; not ok where the arm was not run.
func (p Page) tally(arm Arm) (RuleTally, bool) {
	g, ok := p.group(arm)
	for _, r := range g.Rules {
		if ok && r.Rule == p.Finding.Rule {
			return r, true
		}
	}
	return RuleTally{}, false
}

// spread says in how many worlds it happened, where that is not what is counted
// anyway, or else how often.
func (p Page) spread() string {
	f := p.Finding
	g, _ := p.group(ArmTarget)
	switch {
	case p.Rule.perWorld() && f.Failed > f.Worlds:
		return ", " + times(f.Failed)
	case p.Rule.perWorld() || f.Cause == OtherCauses || f.Checked == g.Worlds:
		return ""
	}
	return fmt.Sprintf(", in %s of %s", group(f.Worlds), plural(g.Worlds, "world"))
}

// opposite says whether one side does it alone.
func (p Page) opposite() string {
	f := p.Finding
	other := map[history.Side]history.Peer{history.Client: p.Manifest.Server, history.Server: p.Manifest.Client}[f.Side]
	switch {
	case f.Opposite != nil:
		o := *f.Opposite
		line := fmt.Sprintf("The same %s opposite the reference %s, the %s: %s of %s show it", f.Side, f.Side.Peer(),
			smallestSeeds(o.Worlds), group(o.Bad), plural(o.Worlds, "world"))
		if p.Rule.perWorld() {
			return line + "."
		}
		return line + fmt.Sprintf(" (%s of %s %s).", group(o.Failed), group(o.Checked), p.Rule.counts())
	case other.Target == "reference":
		return fmt.Sprintf("It sat opposite the reference %s.", f.Side.Peer())
	}
	return ""
}

func smallestSeeds(n int) string {
	if n == 1 {
		return "smallest seed"
	}
	return group(n) + " smallest seeds"
}

// reference says what a strict pair does under the same conditions.
func (p Page) reference() string {
	r, ok := p.tally(ArmReference)
	if !ok {
		return ""
	}
	bad, of := r.Failed, r.Checked
	if p.Rule.perWorld() {
		bad, of = r.Worlds[oracle.Fail], r.Worlds[oracle.Pass]+r.Worlds[oracle.Fail]
	}
	return fmt.Sprintf("The reference client and server on the same seeds: %s of %s.", group(bad), group(of))
}
