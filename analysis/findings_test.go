package analysis

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

func TestFindingsOrderAndLinks(t *testing.T) {
	s := synthSummary(answers, 100, legacy, modern)
	require.Len(t, s.Findings, 2, "the implied CANCEL-NO-RESPONSE at %s makes none", modern)
	first, second := s.Findings[0], s.Findings[1]
	assert.Equal(t, "F1", first.ID)
	assert.Equal(t, "CANCEL-SILENCE", first.Rule, "MUST NOT comes first")
	assert.Equal(t, modern, first.SpecVersion)
	assert.Equal(t, "go-sdk v1.8.0", first.Target)
	assert.Empty(t, first.SameActAs)
	assert.Equal(t, "F2", second.ID)
	assert.Equal(t, "CANCEL-NO-RESPONSE", second.Rule)
	assert.Equal(t, "F1", second.SameActAs, "the same act at another level, as the implied verdicts show")
	assert.Len(t, first.Seeds, KeptSeeds)
	assert.True(t, slices.IsSorted(first.Seeds))
	assert.Positive(t, first.Example.Lateness)
	assert.Equal(t, first.Checked, first.Failed)
	n := 0
	for _, count := range first.What {
		n += count
	}
	assert.Equal(t, first.Failed, n, "every violation is told")
}

// bare makes a world with nothing but the given verdicts.
func bare(specVersion string, seed uint64, verdicts ...oracle.Verdict) World {
	return World{Arm: ArmTarget, SpecVersion: specVersion, Seed: seed, LastCancel: -1, Quiet: -1, Closed: -1,
		Judgement: oracle.Judgement{Verdicts: verdicts}}
}

func broken(rule string, level oracle.Level, side history.Side, lateness ...time.Duration) oracle.Verdict {
	v := oracle.Verdict{Rule: rule, Level: level, Side: side, Status: oracle.Fail, Checked: len(lateness), Failed: len(lateness)}
	for i, l := range lateness {
		v.Violations = append(v.Violations, oracle.Violation{Call: i + 1, Events: []int{i}, What: "did it", Lateness: l})
	}
	return v
}

func TestFindingsSort(t *testing.T) {
	a := NewAggregate(Pair{Client: "c", Server: "s"})
	for _, v := range []string{"2024-11-05", legacy, modern} {
		mustAdd(a, bare(v, 1,
			broken("A", oracle.Quality, history.World, 0),
			broken("B", oracle.Should, history.Client, 0),
			broken("C", oracle.Must, history.Server, 0),
			broken("D", oracle.MustNot, history.Server, 0),
		))
	}
	var got []string
	for _, f := range a.Summary().Findings {
		got = append(got, f.ID+" "+f.Rule+" "+f.SpecVersion+" "+f.Target+" "+f.SameActAs)
	}
	assert.Equal(t, []string{
		"F1 C 2026-07-28 s ", "F2 C 2025-11-25 s F1", "F3 C 2024-11-05 s F1",
		"F4 D 2026-07-28 s ", "F5 D 2025-11-25 s F4", "F6 D 2024-11-05 s F4",
		"F7 B 2026-07-28 c ", "F8 B 2025-11-25 c F7", "F9 B 2024-11-05 c F7",
		"F10 A 2026-07-28 c and s ", "F11 A 2025-11-25 c and s F10", "F12 A 2024-11-05 c and s F10",
	}, got)
}

func TestFindingSidesAreApart(t *testing.T) {
	a := NewAggregate(testPair)
	mustAdd(a, bare(modern, 1, broken("RACE-GRACEFUL", oracle.Must, history.Client, 0)))
	mustAdd(a, bare(modern, 2, broken("RACE-GRACEFUL", oracle.Must, history.Server, 0)))
	s := a.Summary()
	require.Len(t, s.Findings, 2)
	assert.Equal(t, history.World, s.Groups[0].Rules[0].Side, "the tally speaks of both")
}

func TestBothSidesInOneWorld(t *testing.T) {
	v := broken("RACE-GRACEFUL", oracle.Must, history.World, 0, 0, 0)
	v.Violations[0].Side, v.Violations[1].Side, v.Violations[2].Side = history.Client, history.Server, history.Server
	v.Failed += 5 // not listed
	a := NewAggregate(testPair)
	mustAdd(a, bare(modern, 1, v))
	failed := map[history.Side]int{}
	for _, f := range a.Summary().Findings {
		failed[f.Side] = f.Failed
	}
	assert.Equal(t, map[history.Side]int{history.Client: 1, history.Server: 7}, failed, "what is not listed goes with the most")
}

func TestExample(t *testing.T) {
	rule := func(l ...time.Duration) oracle.Verdict { return broken("R", oracle.Must, history.Server, l...) }
	tests := []struct {
		reason   string
		worlds   map[uint64]oracle.Verdict
		seed     uint64
		lateness time.Duration
	}{
		{"a margin beats a smaller seed", map[uint64]oracle.Verdict{1: rule(0), 7: rule(0, 5), 9: rule(8)}, 7, 5},
		{"no margin anywhere", map[uint64]oracle.Verdict{4: rule(0), 3: rule(0)}, 3, 0},
		{"the largest seed there is", map[uint64]oracle.Verdict{math.MaxUint64: rule(1)}, math.MaxUint64, 1},
		{"seed zero", map[uint64]oracle.Verdict{0: rule(2), 5: rule(1)}, 0, 2},
	}
	for _, tt := range tests {
		a := NewAggregate(testPair)
		for seed, v := range tt.worlds {
			mustAdd(a, bare(modern, seed, v))
		}
		f := a.Summary().Findings[0]
		assert.Equal(t, tt.seed, f.ExampleSeed, tt.reason)
		assert.Equal(t, tt.lateness, f.Example.Lateness, tt.reason)
	}
}

func TestUnlistedViolationsAreCounted(t *testing.T) {
	v := broken("R", oracle.Must, history.Server, 0, 0)
	v.Failed, v.Checked = 40, 50
	a := NewAggregate(testPair)
	mustAdd(a, bare(modern, 1, v))
	assert.Equal(t, map[string]int{"did it": 2, notListed: 38}, a.Summary().Findings[0].What)
}

func TestKeepSmallest(t *testing.T) {
	var list []uint64
	for _, v := range []uint64{9, 3, 5, 3, 1, 7, 9} {
		list = keepSmallest(list, v, 3)
	}
	assert.Equal(t, []uint64{1, 3, 5}, list)
}
