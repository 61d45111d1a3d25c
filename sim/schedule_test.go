package sim_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/scenarios"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/clock"
)

func storm(t testing.TB) *sim.Scenario {
	t.Helper()
	data, err := scenarios.Read("cancel-storm")
	require.NoError(t, err)
	return parse(t, string(data))
}

func expand(t testing.TB, sc *sim.Scenario, seed uint64) *sim.Schedule {
	t.Helper()
	s, err := sim.Expand(sc, seed, nil)
	require.NoError(t, err)
	return s
}

func TestExpandRepeats(t *testing.T) {
	sc := storm(t)
	for seed := range uint64(20) {
		assert.Equal(t, expand(t, sc, seed), expand(t, sc, seed))
		assert.NotEqual(t, expand(t, sc, seed).Calls, expand(t, sc, seed+1).Calls, "seed %d and the next", seed)
	}
}

func TestExpandRefusesWhatCannotBeDrawn(t *testing.T) {
	rows := []struct {
		why    string
		change func(*sim.Scenario)
	}{
		{"no handlers", func(sc *sim.Scenario) { sc.Handlers = nil }},
		{"no calls", func(sc *sim.Scenario) { sc.Load.Calls = 0 }},
		{"too many calls", func(sc *sim.Scenario) { sc.Load.Calls = sim.MaxCalls + 1 }},
		{"no callers", func(sc *sim.Scenario) { sc.Load.Callers = -1 }},
		{"a handler without weight", func(sc *sim.Scenario) { sc.Handlers[3].Weight = 0 }},
	}
	for _, row := range rows {
		sc := storm(t)
		row.change(sc)
		_, err := sim.Expand(sc, 1, nil)
		assert.ErrorContains(t, err, "expand cancel-storm: cancel-storm: ", row.why)
	}
}

// What a seed means must not change from version to version of mcpsim.
func TestExpandIsPinned(t *testing.T) {
	s := expand(t, storm(t), 12)
	cancel := time.Duration(66077889)
	assert.Equal(t, sim.ScheduledCall{
		Call: 4, Caller: 1, Think: 13220953, Method: "tools/call", Tool: "checkpoint", Handler: "checkpoint",
		Work: 23263692, Every: 25000690, Life: 73263692, Cancel: &cancel,
	}, s.Calls[3])
	assert.Equal(t, uint64(6248793832844055167), s.SchedulerSeed)
}

func TestScheduleDoesNotDependOnWhoIsTested(t *testing.T) {
	sc, other := storm(t), storm(t)
	other.Client, other.Server = "reference", "mutant:late-value"
	other.SpecVersions = []string{"2026-07-28"}
	assert.Equal(t, expand(t, sc, 7), expand(t, other, 7))
}

// A change to one figure of the scenario leaves what is drawn for the others.
func TestDrawsDoNotShiftEachOther(t *testing.T) {
	base := expand(t, storm(t), 7)
	rows := []struct {
		why    string
		change func(*sim.Scenario)
		forget func(*sim.ScheduledCall) // what may differ
	}{
		{"another think time", func(sc *sim.Scenario) { sc.Load.Think = sim.Fixed(time.Second) },
			func(c *sim.ScheduledCall) { c.Think = 0 }},
		{"another time between looks", func(sc *sim.Scenario) { sc.Handlers[1].Every = sim.Fixed(time.Second) },
			func(c *sim.ScheduledCall) { c.Every = 0 }},
		{"another cleanup", func(sc *sim.Scenario) { sc.Handlers[2].Cleanup = sim.Fixed(time.Second) },
			func(c *sim.ScheduledCall) { c.Cleanup = 0 }},
		{"no cancels", func(sc *sim.Scenario) { sc.Cancel.Share = 0 },
			func(c *sim.ScheduledCall) { c.Cancel = nil }},
		{"an early end", func(sc *sim.Scenario) { sc.End = sim.EndPlan{How: sim.EndClose, At: sim.Fixed(time.Second)} },
			func(*sim.ScheduledCall) {}},
		{"more calls", func(sc *sim.Scenario) { sc.Load.Calls = 400 }, func(*sim.ScheduledCall) {}},
		{"more callers", func(sc *sim.Scenario) { sc.Load.Callers = 4 },
			func(c *sim.ScheduledCall) { c.Caller = 0 }},
	}
	for _, row := range rows {
		sc := storm(t)
		row.change(sc)
		changed := expand(t, sc, 7)
		for i, want := range base.Calls {
			got := changed.Calls[i]
			row.forget(&got)
			row.forget(&want)
			assert.Equal(t, want, got, row.why)
		}
		assert.Equal(t, base.SchedulerSeed, changed.SchedulerSeed, row.why)
	}
}

func TestSchedulerSeedIsItsOwn(t *testing.T) {
	sc, given := storm(t), uint64(99)
	derived := expand(t, sc, 7)
	s, err := sim.Expand(sc, 7, &given)
	require.NoError(t, err)
	assert.Equal(t, given, s.SchedulerSeed)
	assert.Equal(t, derived.Calls, s.Calls, "the schedule stays")
	assert.Equal(t, clock.Seeds{Runtime: derived.Chance().Runtime, Scheduler: 99, Shuffled: true}, s.Chance())
	assert.NotEqual(t, derived.Chance().Runtime, derived.Chance().Scheduler, "two streams")
	sc.Scheduler = sim.FIFO
	assert.False(t, expand(t, sc, 7).Chance().Shuffled)
}

func TestCallsSuitTheirTools(t *testing.T) {
	sc := storm(t)
	sc.Load.Calls = 2000
	kinds := map[string]int{}
	for i, c := range expand(t, sc, 1).Calls {
		kinds[c.Handler]++
		assert.Equal(t, i+1, c.Call)
		assert.Equal(t, i%2, c.Caller)
		assert.Equal(t, c.Handler, c.Tool)
		assert.Equal(t, c.Handler == sim.Chatty, c.Progress)
		assert.Equal(t, c.Handler == sim.Chatty || c.Handler == sim.Checkpoint, c.Every > 0)
		assert.Equal(t, c.Handler == sim.SlowCleanup, c.Cleanup > 0)
		assert.Equal(t, c.Work+50*time.Millisecond, c.Life, "twice 25 ms of network")
		assert.LessOrEqual(t, c.Work, 2*time.Second+time.Microsecond, "the cap")
	}
	for kind, weight := range map[string]float64{sim.Cooperative: 3, sim.Checkpoint: 2, sim.SlowCleanup: 1, sim.Chatty: 1} {
		assert.InDelta(t, 2000*weight/7, kinds[kind], 110, "%s: five standard deviations", kind)
	}
}

// However short the steps that are drawn, a call has a bounded number of them.
func TestStepsAreBounded(t *testing.T) {
	sc := parse(t, "name: steps\nsummary: steps\nload: {calls: 1000}\nlimits: {horizon: 100h, settle: 1h}\n"+
		"handlers: [{kind: chatty, work: 1m, every: {uniform: {min: 0s, max: 2ms}}}]\n")
	for _, c := range expand(t, sc, 1).Calls {
		assert.LessOrEqual(t, int64(c.Work/c.Every), int64(100_000))
	}
}

func TestEndIsDrawn(t *testing.T) {
	sc := storm(t)
	require.Nil(t, expand(t, sc, 7).End)
	sc.End = sim.EndPlan{How: sim.EndExit, At: sim.Distribution{Distribution: netem.Uniform, Min: time.Second, Max: time.Minute}}
	seen := map[time.Duration]bool{}
	for seed := range uint64(100) {
		end := expand(t, sc, seed).End
		require.NotNil(t, end)
		assert.Equal(t, sim.EndExit, end.How)
		assert.True(t, time.Second < end.At && end.At < time.Minute+time.Microsecond, end.At)
		assert.NotZero(t, end.At%time.Microsecond, "an instant of its own")
		seen[end.At] = true
	}
	assert.Len(t, seen, 100)
}

func TestInstantsAreUnique(t *testing.T) {
	sc := parse(t, minimal+"load: {callers: 100, calls: 100, think: 10s}\ncancel: {share: 1}\n")
	seen := map[time.Duration]int{}
	for _, c := range expand(t, sc, 1).Calls {
		assert.NotZero(t, c.Think%time.Microsecond, "call %d thinks for a round figure", c.Call)
		seen[c.Think+*c.Cancel]++
	}
	assert.Len(t, seen, 100, "cancels at one instant")
}

// The plan of cancels, over the seeds that a plain run of cancel-storm takes.
func TestCancelPlan(t *testing.T) {
	sc := storm(t)
	calls, cancelled := 0, 0
	twentieths := make([]int, 20)
	for seed := range uint64(1000) {
		for _, c := range expand(t, sc, seed).Calls {
			calls++
			if c.Cancel == nil {
				continue
			}
			cancelled++
			require.True(t, 0 < *c.Cancel && *c.Cancel <= c.Life, "seed %d call %d", seed, c.Call)
			twentieths[(*c.Cancel-1)*20/c.Life]++
		}
	}
	assert.Equal(t, 4000, calls)
	assert.InDelta(t, 0.725, float64(cancelled)/float64(calls), 0.03, "four standard deviations are 0.028")
	for i, n := range twentieths {
		assert.InDelta(t, cancelled/20, n, 60, "twentieth %d of life: five standard deviations are 58", i)
	}
}

func TestShareOfNoneAndAll(t *testing.T) {
	for share, cancelled := range map[float64]int{0: 0, 1: 100} {
		sc := storm(t)
		sc.Load.Calls, sc.Cancel.Share = 100, share
		n := 0
		for _, c := range expand(t, sc, 1).Calls {
			if c.Cancel != nil {
				n++
			}
		}
		assert.Equal(t, cancelled, n)
	}
}

func TestByCaller(t *testing.T) {
	sc := storm(t)
	sc.Load.Callers, sc.Load.Calls = 3, 7
	var numbers [][]int
	for _, calls := range expand(t, sc, 1).ByCaller() {
		var own []int
		for _, c := range calls {
			own = append(own, c.Call)
		}
		numbers = append(numbers, own)
	}
	assert.Equal(t, [][]int{{1, 4, 7}, {2, 5}, {3, 6}}, numbers)
}

func TestScheduleIsPlainData(t *testing.T) {
	want := expand(t, storm(t), 1<<63)
	data, err := json.Marshal(want)
	require.NoError(t, err)
	var got sim.Schedule
	require.NoError(t, json.Unmarshal(data, &got))
	assert.Equal(t, want, &got)
}

func BenchmarkExpand(b *testing.B) {
	sc := storm(b)
	for b.Loop() {
		if _, err := sim.Expand(sc, 12, nil); err != nil {
			b.Fatal(err)
		}
	}
}
