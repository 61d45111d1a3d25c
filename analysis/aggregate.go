package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// A Pair names the two targets under test the way people read them, "go-sdk
// v1.8.0".
type Pair struct {
	Client string `json:"client"`
	Server string `json:"server"`
}

// Of names the target on a side, or both where both are bound.
func (p Pair) Of(side history.Side) string {
	switch {
	case side == history.Client:
		return p.Client
	case side == history.Server || p.Client == p.Server:
		return p.Server
	}
	return p.Client + " and " + p.Server
}

// An Aggregate adds judged worlds up. Worlds may come in any order: the summary
// is the same. Its size is bounded, whatever their number. It is for one
// goroutine.
type Aggregate struct {
	pair   Pair
	groups map[groupKey]*tally
	worlds int
}

type groupKey struct {
	arm         Arm
	specVersion string
}

// NewAggregate returns an empty aggregate of a run that tests pair.
func NewAggregate(pair Pair) *Aggregate {
	return &Aggregate{pair: pair, groups: map[groupKey]*tally{}}
}

// Add counts one world. It returns an error, and counts nothing, when the world
// was not judged by the same rules as the others of its arm and version.
func (a *Aggregate) Add(w World) error {
	if w.Arm == "" || w.SpecVersion == "" {
		return errors.New("add a world: it names no arm or no protocol version")
	}
	key := groupKey{w.Arm, w.SpecVersion}
	t := a.groups[key]
	if t == nil {
		t = newTally(w)
	}
	if err := t.sameRules(w.Judgement.Verdicts); err != nil {
		return fmt.Errorf("add world %s %s seed %d: %w", w.Arm, w.SpecVersion, w.Seed, err)
	}
	a.groups[key] = t
	t.add(w)
	a.worlds++
	return nil
}

// Worlds is the number of worlds that were added.
func (a *Aggregate) Worlds() int { return a.worlds }

// FindingCount is the number of findings so far. It is cheap enough for a
// progress line.
func (a *Aggregate) FindingCount() int {
	n := 0
	for key, t := range a.groups {
		if key.arm == ArmTarget {
			n += len(t.findings)
		}
	}
	return n
}

// Summary returns what has been added so far. Later worlds do not change it.
func (a *Aggregate) Summary() Summary {
	s := Summary{Schema: SummarySchema, Pair: a.pair, Groups: []Group{}}
	var tested []*tally
	for _, t := range a.sorted() {
		s.Groups = append(s.Groups, t.snapshot())
		if t.group.Arm == ArmTarget {
			tested = append(tested, t)
		}
	}
	s.Findings = findings(a.pair, tested)
	return s
}

func (a *Aggregate) sorted() []*tally {
	var out []*tally
	for _, t := range a.groups {
		out = append(out, t)
	}
	slices.SortFunc(out, func(x, y *tally) int {
		return cmp.Or(
			cmp.Compare(x.group.Arm.rank(), y.group.Arm.rank()),
			strings.Compare(string(x.group.Arm), string(y.group.Arm)),
			strings.Compare(x.group.SpecVersion, y.group.SpecVersion),
		)
	})
	return out
}

func (a Arm) rank() int {
	known := []Arm{ArmTarget, ArmReference, ArmDeaf, ArmLeaky}
	if i := slices.Index(known, a); i >= 0 {
		return i
	}
	return len(known)
}

// ruleNames returns the rules of a judgement, in order.
func ruleNames(verdicts []oracle.Verdict) []string {
	names := make([]string, len(verdicts))
	for i, v := range verdicts {
		names[i] = v.Rule
	}
	return names
}
