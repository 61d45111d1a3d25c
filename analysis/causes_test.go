package analysis

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// crashes is a failed RACE-GRACEFUL with one violation for each cause.
func crashes(causes ...string) oracle.Verdict {
	v := oracle.Verdict{Rule: "RACE-GRACEFUL", Level: oracle.Must, Side: history.Server, Status: oracle.Fail,
		Checked: len(causes), Failed: len(causes)}
	for i, c := range causes {
		v.Violations = append(v.Violations, oracle.Violation{Side: history.Server, Events: []int{i}, What: "crashed: " + c, Cause: c, Lateness: -1})
	}
	return v
}

func TestFindingsAreToldApartByCause(t *testing.T) {
	answers := func(whats ...string) oracle.Verdict {
		v := broken("CANCEL-SILENCE", oracle.MustNot, history.Server)
		for i, what := range whats {
			v.Violations = append(v.Violations, oracle.Violation{Call: i + 1, Events: []int{i}, What: what, Cause: oracle.AnsweredCause})
		}
		v.Checked, v.Failed = len(whats), len(whats)
		return v
	}
	plain := func(what string) oracle.Verdict {
		v := broken("R", oracle.Must, history.Server, 0)
		v.Violations[0].What = what
		return v
	}
	for _, tt := range []struct {
		why    string
		worlds []oracle.Verdict
		want   []string // causes in the order of findings
	}{
		{"two crashes in two places", []oracle.Verdict{crashes("in f"), crashes("in g"), crashes("in g")}, []string{"in g", "in f"}},
		{"an error and a result are one habit", []oracle.Verdict{answers("answered with error 0", "answered with a result")}, []string{oracle.AnsweredCause}},
		{"numbers are no cause", []oracle.Verdict{plain("lost 3 frames"), plain("lost 14 frames")}, []string{"lost # frames"}},
		{"words are", []oracle.Verdict{plain("lost a frame"), plain("made up a frame")}, []string{"lost a frame", "made up a frame"}},
	} {
		a := NewAggregate(testPair)
		for seed, v := range tt.worlds {
			mustAdd(a, bare(modern, uint64(seed), v))
		}
		var got []string
		for _, f := range a.Summary().Findings {
			got = append(got, f.Cause)
		}
		assert.Equal(t, tt.want, got, tt.why)
	}
}

// TestSameActNeedsTheSameCause: a crash elsewhere at another version is another
// behaviour.
func TestSameActNeedsTheSameCause(t *testing.T) {
	a := NewAggregate(testPair)
	mustAdd(a, bare(modern, 1, crashes("in f")))
	mustAdd(a, bare(legacy, 1, crashes("in f", "in g")))
	same := map[string]string{}
	for _, f := range a.Summary().Findings {
		same[f.SpecVersion+" "+f.Cause] = f.SameActAs
	}
	assert.Equal(t, map[string]string{modern + " in f": "", legacy + " in f": "F1", legacy + " in g": ""}, same)
}

func TestUnlistedViolationsGoWithTheMost(t *testing.T) {
	v := crashes("a", "b", "b")
	v.Failed += 20
	failed := map[string]int{}
	for _, p := range partsOf(v) {
		failed[p.cause] = p.Failed
	}
	assert.Equal(t, map[string]int{"a": 1, "b": 22}, failed)
}

// TestUnlistedViolationsMakeNoFinding: what a verdict about both sides counts but
// does not list goes with the side of most, and makes no finding without example.
func TestUnlistedViolationsMakeNoFinding(t *testing.T) {
	v := crashes("a", "a", "a")
	v.Side, v.Violations[0].Side = history.World, history.Client
	v.Failed += 24
	a := NewAggregate(testPair)
	mustAdd(a, bare(modern, 5, v))
	failed := map[history.Side]int{}
	for _, f := range a.Summary().Findings {
		failed[f.Side] = f.Failed
		assert.NotEmpty(t, f.Example.Events, "%s: a finding has an example", f.Side)
		assert.Equal(t, uint64(5), f.ExampleSeed, "%s: of a seed that was run", f.Side)
	}
	assert.Equal(t, map[history.Side]int{history.Client: 1, history.Server: 26}, failed)
}

// TestManyCauses: an SDK that dies differently each time makes a bounded number of
// findings, the same ones in whatever order its worlds come, and their histories
// are the ones that are kept.
func TestManyCauses(t *testing.T) {
	var worlds []World
	for seed := range uint64(200) {
		worlds = append(worlds, bare(modern, seed, crashes(fmt.Sprintf("in f%02d", seed*7%40), fmt.Sprintf("in f%02d", seed*11%40))))
	}
	first := gatherCauses(t, worlds)
	require.Len(t, first.Findings, maxCauses+1)
	total := 0
	for _, f := range first.Findings {
		total += f.Failed
	}
	assert.Equal(t, 400, total, "none is lost")
	r := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		r.Shuffle(len(worlds), func(i, j int) { worlds[i], worlds[j] = worlds[j], worlds[i] })
		assert.Equal(t, first, gatherCauses(t, worlds))
	}
}

func gatherCauses(t *testing.T, worlds []World) Summary {
	a, r := NewAggregate(testPair), Retention{}
	for _, w := range worlds {
		mustAdd(a, w)
		r.Offer(w)
	}
	s := a.Summary()
	var want []HistoryKey
	for _, f := range s.Findings {
		for _, seed := range f.Seeds {
			want = append(want, HistoryKey{f.SpecVersion, seed})
		}
	}
	slices.SortFunc(want, func(a, b HistoryKey) int { return cmp.Compare(a.Seed, b.Seed) })
	assert.Equal(t, slices.Compact(want), r.Wanted(), "what the findings name is what is kept")
	return s
}

// TestUnitsOfARace: what is counted of a rule about whole worlds is worlds.
func TestUnitsOfARace(t *testing.T) {
	pass := oracle.Verdict{Rule: "RACE-GRACEFUL", Level: oracle.Must, Side: history.World, Status: oracle.Pass, Checked: 4}
	vacuous := oracle.Verdict{Rule: "RACE-GRACEFUL", Level: oracle.Must, Side: history.World, Status: oracle.Vacuous}
	a := NewAggregate(testPair)
	for seed, v := range []oracle.Verdict{pass, pass, vacuous, crashes("in f", "in f")} {
		mustAdd(a, bare(modern, uint64(seed), v))
	}
	var got []string
	for _, f := range a.Summary().Findings {
		got = append(got, f.Cause+": "+f.ratio(RuleTextOf("RACE-GRACEFUL")))
	}
	assert.ElementsMatch(t, []string{
		"in f: 1 of 3 worlds in which a cancel was sent",
	}, got)
}

func TestOpposite(t *testing.T) {
	f := Finding{Rule: "RACE-GRACEFUL", Side: history.Server, Cause: "in f"}
	client := crashes("in f")
	client.Side, client.Violations[0].Side = history.Client, history.Client
	var o Opposite
	for _, v := range []oracle.Verdict{crashes("in f", "in f"), crashes("in g"), client, {Rule: "RACE-GRACEFUL", Status: oracle.Pass, Checked: 4}, {Rule: "OTHER"}} {
		o.Add(f, bare(modern, 1, v))
	}
	assert.Equal(t, Opposite{Worlds: 5, Bad: 1, Checked: 8, Failed: 2}, o, "only the finding's own side, cause and rule count")
}
