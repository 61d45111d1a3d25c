package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// A tally is a group while it grows.
type tally struct {
	group     Group
	rules     []string
	uncounted []counter // why → n, one a rule
	outcomes  map[Outcome]int
	findings  map[findingKey]*evidence
	causes    map[sideKey]causeList
	implied   map[impliedBy]bool // which rules were seen to be broken by one act
	races     map[string]RaceSeen
	excused   map[excuse]string

	exercised []map[exerciseKey]oracle.Exercise // one a rule
}

type exerciseKey struct {
	handler string
	phase   oracle.Phase
}

// An impliedBy says that breaking strict broke rule by the same act.
type impliedBy struct{ rule, strict string }

func newTally(w World) *tally {
	t := &tally{
		group: Group{
			Arm: w.Arm, SpecVersion: w.SpecVersion,
			Rules: []RuleTally{}, Outcomes: []Outcome{},
			Incidents: map[oracle.Incident]int{},
			ReadToEnd: map[oracle.Work]Distribution{},
			Lateness:  map[string]Distribution{},
		},
		rules:    ruleNames(w.Judgement.Verdicts),
		outcomes: map[Outcome]int{},
		findings: map[findingKey]*evidence{},
		causes:   map[sideKey]causeList{},
		implied:  map[impliedBy]bool{},
		races:    map[string]RaceSeen{},
		excused:  excuses(ruleNames(w.Judgement.Verdicts)),
	}
	for i := range t.group.OffsetBins {
		t.group.OffsetBins[i] = map[Result]int{}
	}
	for _, v := range w.Judgement.Verdicts {
		t.group.Rules = append(t.group.Rules, RuleTally{
			Rule: v.Rule, Level: v.Level, Side: v.Side, Worlds: map[oracle.Status]int{},
		})
		t.uncounted = append(t.uncounted, counter{})
		t.exercised = append(t.exercised, map[exerciseKey]oracle.Exercise{})
	}
	return t
}

// sameRules guards the sums: a tally's rules are told apart by their position.
func (t *tally) sameRules(verdicts []oracle.Verdict) error {
	if got := ruleNames(verdicts); !slices.Equal(got, t.rules) {
		return fmt.Errorf("it was judged by the rules %v, the others by %v", got, t.rules)
	}
	return nil
}

func (t *tally) add(w World) {
	g := &t.group
	g.Worlds++
	g.Events += w.Events
	g.Simulated += w.Simulated
	g.Leaked += w.Leaked
	if w.Remains != nil {
		if g.Remains == nil {
			g.Remains = &Remains{}
		}
		g.Remains.add(*w.Remains)
	}
	if w.Bodies != nil {
		if g.Bodies == nil {
			g.Bodies = &Bodies{}
		}
		g.Bodies.JSON += w.Bodies.JSON
		g.Bodies.Stream += w.Bodies.Stream
	}
	for _, f := range w.Faults {
		g.Faults = addFault(g.Faults, f)
	}
	for _, s := range racesOf(w, t.excused) {
		addRace(t.races, s)
	}
	for why, n := range w.Unavailable {
		if g.Unavailable == nil {
			g.Unavailable = map[string]int{}
		}
		g.Unavailable[why] += n
	}
	if w.Leaked > 0 {
		g.LeakyWorlds++
	}
	if w.Refusal != "" {
		g.refuse(w)
	}
	for i, v := range w.Judgement.Verdicts {
		t.addVerdict(i, v, w)
	}
	for _, c := range w.Judgement.Calls {
		t.addCall(c)
	}
	g.addGoroutines(w)
}

func (g *Group) refuse(w World) {
	if g.Unconnected == nil {
		g.Unconnected = &Refusal{Seed: w.Seed, Why: w.Refusal}
	}
	g.Unconnected.Worlds++
	if w.Seed < g.Unconnected.Seed {
		g.Unconnected.Seed, g.Unconnected.Why = w.Seed, w.Refusal
	}
}

func (t *tally) addVerdict(i int, v oracle.Verdict, w World) {
	r := &t.group.Rules[i]
	r.Level = stricter(r.Level, v.Level)
	if r.Side != v.Side {
		r.Side = history.World // now the one, now the other
	}
	r.Worlds[v.Status]++
	r.Checked += v.Checked
	r.Failed += v.Failed
	r.Nested += v.Nested
	if v.Implied != "" {
		r.Implied += v.Failed
	}
	for _, d := range v.Took {
		if r.Took == nil {
			r.Took = &Distribution{}
		}
		r.Took.Add(int64(d))
	}
	for _, u := range v.Uncounted {
		t.uncounted[i].add(u.Why, u.N)
	}
	for _, x := range v.Exercised {
		key := exerciseKey{x.Handler, x.Phase}
		sum := t.exercised[i][key]
		x.N, x.Failed = x.N+sum.N, x.Failed+sum.Failed
		t.exercised[i][key] = x
	}
	if v.Status == oracle.Fail {
		t.addFailure(i, v, w)
	}
}

func (t *tally) addCall(c oracle.CallResult) {
	g := &t.group
	g.Calls++
	if c.Incident != "" {
		g.Incidents[c.Incident]++
	}
	if !c.Cancelled {
		return
	}
	g.Cancelled++
	g.CancelToReturn.Add(int64(c.CancelToRet))
	if bin, ok := offsetBin(c); ok {
		g.OffsetBins[bin][resultOf(c)]++
	}
	if c.Sent {
		t.addSent(c)
	}
}

func (t *tally) addSent(c oracle.CallResult) {
	g := &t.group
	g.Sent++
	t.outcomes[Outcome{Handler: c.Handler, Phase: c.Phase, Work: c.Work, Wire: c.Wire, Late: c.Late}]++
	g.SentToRead.Add(int64(c.SentToRead))
	g.ReadToTold.Add(int64(c.ReadToTold))
	g.ToldToEnd.Add(int64(c.ToldToEnd))
	if unfinished(c.Phase) {
		addTo(g.ReadToEnd, c.Work, int64(c.ReadToEnd))
	}
	if c.Late {
		addTo(g.Lateness, c.Handler, int64(c.Lateness))
	}
}

func addTo[K comparable](m map[K]Distribution, key K, v int64) {
	d := m[key]
	d.Add(v)
	m[key] = d
}

// unfinished reports whether a cancel that was read in this phase still had
// something to stop.
func unfinished(p oracle.Phase) bool { return p == oracle.Queued || p == oracle.Running }

// snapshot returns the group as it stands, sharing nothing with the tally.
func (t *tally) snapshot() Group {
	g := t.group
	g.Rules = slices.Clone(g.Rules)
	for i := range g.Rules {
		g.Rules[i].Worlds = maps.Clone(g.Rules[i].Worlds)
		if took := g.Rules[i].Took; took != nil {
			copied := took.clone()
			g.Rules[i].Took = &copied
		}
		g.Rules[i].Uncounted = t.uncounted[i].uncounted()
		g.Rules[i].Exercised = sortedExercises(t.exercised[i])
	}
	g.Outcomes = sortedOutcomes(t.outcomes)
	g.Incidents = maps.Clone(g.Incidents)
	if g.Remains != nil {
		copied := *g.Remains
		g.Remains = &copied
	}
	if g.Bodies != nil {
		copied := *g.Bodies
		g.Bodies = &copied
	}
	g.Faults, g.Races = slices.Clone(g.Faults), sortedRaces(t.races)
	g.Unavailable = maps.Clone(g.Unavailable)
	if g.Unconnected != nil {
		refusal := *g.Unconnected
		g.Unconnected = &refusal
	}
	g.SentToRead, g.ReadToTold = g.SentToRead.clone(), g.ReadToTold.clone()
	g.ToldToEnd, g.CancelToReturn = g.ToldToEnd.clone(), g.CancelToReturn.clone()
	g.ReadToEnd, g.Lateness = cloneAll(g.ReadToEnd), cloneAll(g.Lateness)
	for i := range g.OffsetBins {
		g.OffsetBins[i] = maps.Clone(g.OffsetBins[i])
	}
	for i := range g.Goroutines {
		g.StageEnds[i] = g.StageEnds[i].clone()
		for j := range g.Goroutines[i] {
			g.Goroutines[i][j] = g.Goroutines[i][j].clone()
		}
	}
	return g
}

func cloneAll[K comparable](m map[K]Distribution) map[K]Distribution {
	out := make(map[K]Distribution, len(m))
	for k, d := range m {
		out[k] = d.clone()
	}
	return out
}

func sortedOutcomes(counts map[Outcome]int) []Outcome {
	out := make([]Outcome, 0, len(counts))
	for o, n := range counts {
		o.N = n
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b Outcome) int {
		return cmp.Or(
			strings.Compare(a.Handler, b.Handler),
			strings.Compare(string(a.Phase), string(b.Phase)),
			strings.Compare(string(a.Work), string(b.Work)),
			strings.Compare(string(a.Wire), string(b.Wire)),
			cmp.Compare(btoi(a.Late), btoi(b.Late)),
		)
	})
	return out
}

func sortedExercises(counts map[exerciseKey]oracle.Exercise) []oracle.Exercise {
	var out []oracle.Exercise
	for _, x := range counts {
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b oracle.Exercise) int {
		return cmp.Or(strings.Compare(a.Handler, b.Handler), strings.Compare(string(a.Phase), string(b.Phase)))
	})
	return out
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
