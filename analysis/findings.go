package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// Weigh puts a level into its class: 0 for MUST and MUST NOT, 1 for SHOULD and
// SHOULD NOT, 2 for everything else. Counts of different classes are never
// added.
func Weigh(l oracle.Level) int {
	switch l {
	case oracle.Must, oracle.MustNot:
		return 0
	case oracle.Should, oracle.ShouldNot:
		return 1
	}
	return 2
}

// stricter returns the one that binds more. Equal weights fall to the alphabet,
// so that the order of worlds does not matter.
func stricter(a, b oracle.Level) oracle.Level {
	if cmp.Or(cmp.Compare(Weigh(a), Weigh(b)), strings.Compare(string(a), string(b))) <= 0 {
		return a
	}
	return b
}

// candidate is a finding before it has a number.
type candidate struct {
	Finding
	rank  int // of its rule
	group *tally
}

// findings numbers what was found in the groups of the target's arm: MUST
// first, then SHOULD, then QUALITY; within one class by rule, then the newest
// protocol version first, then the most frequent cause.
func findings(pair Pair, tested []*tally) []Finding {
	var found []candidate
	for _, t := range tested {
		for key, e := range t.findings {
			found = append(found, candidate{t.finding(pair, key, e), key.rule, t})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(
			cmp.Compare(Weigh(a.Level), Weigh(b.Level)),
			cmp.Compare(a.rank, b.rank),
			strings.Compare(a.Rule, b.Rule),
			strings.Compare(b.SpecVersion, a.SpecVersion),
			strings.Compare(string(a.Side), string(b.Side)),
			cmp.Compare(b.Failed, a.Failed),
			strings.Compare(a.Cause, b.Cause),
		)
	})
	out := make([]Finding, 0, len(found))
	for i := range found {
		found[i].ID = fmt.Sprintf("F%d", i+1)
		found[i].SameActAs = sameAct(found[:i], found[i])
		out = append(out, found[i].Finding)
	}
	return out
}

// sameAct returns the earliest finding that is the same behaviour at another
// protocol version: of one cause, by the same rule, or by one that was seen, at its
// own version, to be broken by the very act that also breaks this one.
func sameAct(earlier []candidate, f candidate) string {
	for _, e := range earlier {
		if e.SpecVersion == f.SpecVersion || e.Side != f.Side || e.Cause != f.Cause {
			continue
		}
		if e.Rule == f.Rule || e.group.implied[impliedBy{rule: f.Rule, strict: e.Rule}] ||
			f.group.implied[impliedBy{rule: e.Rule, strict: f.Rule}] {
			return e.ID
		}
	}
	return ""
}

func (t *tally) finding(pair Pair, key findingKey, e *evidence) Finding {
	r := t.group.Rules[key.rule]
	return Finding{
		Rule: r.Rule, Level: r.Level, Side: key.side, Target: pair.Of(key.side), Cause: key.cause,
		SpecVersion: t.group.SpecVersion,
		Checked:     r.checkedOf(key.side), Failed: e.failed, Worlds: e.worlds,
		WorldsExercised: t.worldsExercised(key.rule),
		Seeds:           slices.Clone(e.seeds),
		Example:         e.example, ExampleSeed: e.exampleSeed,
		What: e.what.clone(), Handlers: e.handlers.clone(), Methods: e.byMethod(), Phases: e.phases.clone(),
		Lateness: e.lateness.clone(), Uncounted: t.uncounted[key.rule].uncounted(),
	}
}

// checkedOf is how often the rule was exercised by what a side can have done: of
// what tools ask of the client, the other side does what the one does of calls.
func (r RuleTally) checkedOf(side history.Side) int {
	rule, _ := oracle.FindRule(r.Rule)
	switch side {
	case rule.Side:
		return r.Checked - r.Nested
	case rule.Side.Peer():
		return r.Nested
	}
	return r.Checked
}

// worldsExercised is the number of worlds in which a rule could be broken: those
// that checked it.
func (t *tally) worldsExercised(rule int) int {
	w := t.group.Rules[rule].Worlds
	return w[oracle.Pass] + w[oracle.Fail] + w[oracle.Ambiguous]
}

// A findingKey tells the findings of one group apart.
type findingKey struct {
	sideKey
	cause string
}

// A sideKey is one rule and one side.
type sideKey struct {
	rule int // index of the rule
	side history.Side
}

// evidence is a finding while it grows.
type evidence struct {
	failed, worlds int
	seeds          []uint64 // the smallest, ascending
	example        oracle.Violation
	exampleSeed    uint64
	hasExample     bool
	what           counter
	handlers       counter
	methods        counter
	phases         counter
	lateness       Distribution
}

// addFailure records a broken rule. One that is reported under a stricter rule
// only leaves the relation between the two.
func (t *tally) addFailure(i int, v oracle.Verdict, w World) {
	if v.Implied != "" {
		t.implied[impliedBy{rule: v.Rule, strict: v.Implied}] = true
		return
	}
	for _, part := range partsOf(v) {
		t.evidence(sideKey{i, part.Side}, part.cause).add(part.Verdict, w.Seed)
	}
}

// evidence returns the finding that a cause belongs to, made on first use.
func (t *tally) evidence(at sideKey, cause string) *evidence {
	list := t.causes[at]
	under, evicts, ok := list.file(cause)
	t.causes[at] = list
	if ok {
		old := findingKey{at, evicts}
		t.made(findingKey{at, OtherCauses}).merge(t.findings[old])
		delete(t.findings, old)
	}
	return t.made(findingKey{at, under})
}

func (t *tally) made(key findingKey) *evidence {
	e := t.findings[key]
	if e == nil {
		e = &evidence{what: counter{}, handlers: counter{}, methods: counter{}, phases: counter{}}
		t.findings[key] = e
	}
	return e
}

// toolsCall is the kind of request that goes without saying.
const toolsCall = "tools/call"

// byMethod counts the violations by kind of request, nil if all are of the usual
// one.
func (e *evidence) byMethod() map[string]int {
	if len(e.methods) == 0 || len(e.methods) == 1 && e.methods[toolsCall] > 0 {
		return nil
	}
	return e.methods.clone()
}

// notListed is the word under which [Finding.What] counts the violations beyond
// oracle.MaxViolations of a world. It is in summaries; what is printed says it in
// other words.
const notListed = "not listed one by one"

func (e *evidence) add(v oracle.Verdict, seed uint64) {
	e.worlds++
	e.failed += v.Failed
	e.seeds = keepSmallest(e.seeds, seed, KeptSeeds)
	for _, x := range v.Violations {
		e.what.add(x.What, 1)
		if x.Handler != "" {
			e.handlers.add(x.Handler, 1)
			e.methods.add(cmp.Or(x.Method, toolsCall), 1)
		}
		if x.Phase != "" {
			e.phases.add(string(x.Phase), 1)
		}
		e.lateness.Add(int64(x.Lateness))
	}
	e.what.add(notListed, max(0, v.Failed-len(v.Violations)))
	e.offer(v.Violations, seed)
}

// offer proposes a world's violations as the example. A margin above zero
// convinces more readers than order within an instant, so it comes first; then
// the smaller seed.
func (e *evidence) offer(violations []oracle.Violation, seed uint64) {
	if len(violations) == 0 {
		return
	}
	best := violations[0]
	if i := slices.IndexFunc(violations, func(v oracle.Violation) bool { return v.Lateness > 0 }); i >= 0 {
		best = violations[i]
	}
	e.exemplify(best, seed)
}

func (e *evidence) exemplify(v oracle.Violation, seed uint64) {
	better := cmp.Or(
		-cmp.Compare(btoi(v.Lateness > 0), btoi(e.example.Lateness > 0)),
		cmp.Compare(seed, e.exampleSeed),
		slices.Compare(v.Events, e.example.Events),
	)
	if !e.hasExample || better < 0 {
		e.example, e.exampleSeed, e.hasExample = v, seed, true
	}
}

// merge adds what is known of another cause. Worlds that have both count twice.
func (e *evidence) merge(other *evidence) {
	e.failed += other.failed
	e.worlds += other.worlds
	for _, seed := range other.seeds {
		e.seeds = keepSmallest(e.seeds, seed, KeptSeeds)
	}
	e.what.merge(other.what)
	e.handlers.merge(other.handlers)
	e.methods.merge(other.methods)
	e.phases.merge(other.phases)
	e.lateness.Merge(other.lateness)
	if other.hasExample {
		e.exemplify(other.example, other.exampleSeed)
	}
}

// keepSmallest inserts v into an ascending list of at most n different values.
func keepSmallest(list []uint64, v uint64, n int) []uint64 {
	i, found := slices.BinarySearch(list, v)
	if found || i >= n {
		return list
	}
	list = slices.Insert(list, i, v)
	return list[:min(len(list), n)]
}
