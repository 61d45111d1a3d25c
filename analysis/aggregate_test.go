package analysis

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

func TestSummaryDoesNotDependOnOrder(t *testing.T) {
	var worlds []World
	for seed := range uint64(200) {
		worlds = append(worlds, synth(ArmTarget, modern, seed, answers), synth(ArmTarget, legacy, seed, answers),
			synth(ArmReference, modern, seed, silent), synth(ArmLeaky, legacy, seed, leaking))
	}
	want := summaryJSON(t, worlds)
	for i := range uint64(5) {
		shuffled := slices.Clone(worlds)
		rand.New(rand.NewPCG(i, 1)).Shuffle(len(shuffled), func(a, b int) {
			shuffled[a], shuffled[b] = shuffled[b], shuffled[a]
		})
		require.Equal(t, want, summaryJSON(t, shuffled), "shuffle %d", i)
	}
	assert.NotEqual(t, want, summaryJSON(t, worlds[1:]), "one world less is another summary")
}

func summaryJSON(t *testing.T, worlds []World) string {
	t.Helper()
	a := NewAggregate(testPair)
	for _, w := range worlds {
		require.NoError(t, a.Add(w))
	}
	raw, err := json.Marshal(a.Summary())
	require.NoError(t, err)
	return string(raw)
}

func TestSummaryRoundTrips(t *testing.T) {
	for _, s := range []Summary{
		synthSummary(answers, 50, legacy, modern), synthSummary(unasked, 3, modern), NewAggregate(testPair).Summary(),
	} {
		first, err := json.Marshal(s)
		require.NoError(t, err)
		var back Summary
		require.NoError(t, json.Unmarshal(first, &back))
		second, err := json.Marshal(back)
		require.NoError(t, err)
		assert.JSONEq(t, string(first), string(second))
		assert.Equal(t, s, back)
	}
}

func TestSummaryIsASnapshot(t *testing.T) {
	a := NewAggregate(testPair)
	mustAdd(a, synth(ArmTarget, modern, 1, answers))
	s := a.Summary()
	before, err := json.Marshal(s)
	require.NoError(t, err)
	for seed := range uint64(100) {
		mustAdd(a, synth(ArmTarget, modern, seed, answers))
	}
	after, err := json.Marshal(s)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
}

func TestAddRefuses(t *testing.T) {
	a := NewAggregate(testPair)
	require.NoError(t, a.Add(synth(ArmTarget, modern, 1, silent)))
	other := synth(ArmTarget, modern, 2, silent)
	other.Judgement.Verdicts = other.Judgement.Verdicts[1:]
	assert.ErrorContains(t, a.Add(other), "seed 2: it was judged by the rules")
	assert.ErrorContains(t, a.Add(World{Arm: ArmTarget}), "no protocol version")
	assert.Equal(t, 1, a.Worlds(), "what was refused is not counted")
}

func TestGroupCounts(t *testing.T) {
	a := NewAggregate(testPair)
	calls, cancelled, sent, late := 0, 0, 0, 0
	for seed := range uint64(100) {
		w := synth(ArmTarget, modern, seed, answers)
		for _, c := range w.Judgement.Calls {
			calls += 1
			cancelled += btoi(c.Cancelled)
			sent += btoi(c.Sent)
			late += btoi(c.Late)
		}
		mustAdd(a, w)
	}
	g := a.Summary().Groups[0]
	assert.Equal(t, [3]int{calls, cancelled, sent}, [3]int{g.Calls, g.Cancelled, g.Sent})
	outcomes, lateness, binned := 0, int64(0), map[Result]int{}
	for _, o := range g.Outcomes {
		outcomes += o.N
	}
	for _, d := range g.Lateness {
		lateness += d.N()
	}
	for _, bin := range g.OffsetBins {
		for r, n := range bin {
			binned[r] += n
		}
	}
	assert.Equal(t, sent, outcomes, "outcomes partition the sent cancels")
	assert.Equal(t, int64(late), lateness)
	assert.Equal(t, cancelled, binned[ResultBeforeSent]+binned[ResultEnded]+binned[ResultLate]+binned[ResultSilent])
	assert.Equal(t, late, binned[ResultLate])
}

func TestResultOf(t *testing.T) {
	tests := []struct {
		reason string
		call   oracle.CallResult
		want   Result
	}{
		{"an incident outweighs all", oracle.CallResult{Sent: true, Late: true, Incident: oracle.Hung}, ResultOther},
		{"nothing was sent", oracle.CallResult{Cancelled: true}, ResultBeforeSent},
		{"late by the judge", oracle.CallResult{Sent: true, Phase: oracle.Running, Late: true}, ResultLate},
		{"the wire shows an answer", oracle.CallResult{Sent: true, Phase: oracle.Running, Wire: oracle.Answered}, ResultLate},
		{"nothing on the wire", oracle.CallResult{Sent: true, Phase: oracle.Queued, Wire: oracle.Silent}, ResultSilent},
		{"a response crossed in the same instant, benign", oracle.CallResult{Sent: true, Phase: oracle.Running, Wire: oracle.Crossed}, ResultEnded},
		{"handler had ended, benign", oracle.CallResult{Sent: true, Phase: oracle.Returned, Wire: oracle.Answered}, ResultEnded},
		{"crossing, benign", oracle.CallResult{Sent: true, Phase: oracle.Crossing, Wire: oracle.Crossed}, ResultEnded},
		{"it overtook its request, benign", oracle.CallResult{Sent: true, Phase: oracle.BeforeRequest, Wire: oracle.Answered}, ResultOvertook},
		{"nobody read it", oracle.CallResult{Sent: true, Phase: oracle.Undelivered}, ResultOther},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, resultOf(tt.call), tt.reason)
	}
}

func TestGoroutineBins(t *testing.T) {
	var g Group
	g.addGoroutines(World{
		Goroutines: []Sample{{0, 1}, {55, 4}, {150, 2}, {210, 0}},
		LastCancel: 100, Quiet: 200, Closed: -1, Simulated: 300,
	})
	assert.Equal(t, int64(1), g.Goroutines[0][0].Max(), "the first sample holds until the second")
	assert.Equal(t, int64(1), g.Goroutines[0][9].Max(), "at 50, before the second sample")
	assert.Equal(t, int64(4), g.Goroutines[0][10].Max(), "at 55")
	assert.Equal(t, int64(2), g.Goroutines[1][StageBins-1].Max(), "quiet")
	assert.Equal(t, int64(0), g.Goroutines[2][0].N(), "a stage that never came counts nothing")
	assert.Equal(t, int64(0), g.Goroutines[3][StageBins-1].Max(), "nothing is left at the end")
	assert.Equal(t, int64(1), g.Goroutines[3][0].N())
	assert.Equal(t, int64(0), g.StageEnds[2].N(), "an end that never came is not counted")
	assert.Equal(t, int64(300), g.StageEnds[3].Max())
}

func TestOffsetBin(t *testing.T) {
	ms := time.Millisecond
	tests := []struct {
		reason       string
		offset, life time.Duration
		want         int
		ok           bool
	}{
		{"at once", 0, 100 * ms, 0, true},
		{"a twentieth", 5 * ms, 100 * ms, 1, true},
		{"the end of its life", 100 * ms, 100 * ms, 20, true},
		{"far beyond", time.Hour, 100 * ms, OffsetBins - 1, true},
		{"no life is known", 5 * ms, 0, 0, false},
		{"not cancelled", -1, 100 * ms, 0, false},
	}
	for _, tt := range tests {
		bin, ok := offsetBin(oracle.CallResult{Offset: tt.offset, Life: tt.life})
		assert.Equal(t, tt.want, bin, tt.reason)
		assert.Equal(t, tt.ok, ok, tt.reason)
	}
}

func TestCounterIsBoundedAndIndependentOfOrder(t *testing.T) {
	var words []string
	for i := range 500 {
		words = append(words, fmt.Sprintf("error %03d", i), "error 007")
	}
	count := func(words []string) counter {
		c := counter{}
		for _, w := range words {
			c.add(w, 1)
		}
		return c
	}
	want := count(words)
	assert.LessOrEqual(t, len(want), maxWords+1)
	total := 0
	for _, n := range want {
		total += n
	}
	assert.Equal(t, len(words), total, "nothing is lost")
	assert.Equal(t, 501, want["error 007"], "a word that stays is counted from its first")
	slices.Reverse(words)
	assert.Equal(t, want, count(words))
}

// A million calls must stay far below 1 GiB in the process that adds them up.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("adds 250,000 worlds")
	}
	a := NewAggregate(testPair)
	arms := []Arm{ArmTarget, ArmReference, ArmDeaf, ArmLeaky}
	versions := []string{legacy, modern}
	before := liveHeap()
	for i := range uint64(250_000) {
		mustAdd(a, synth(arms[i%4], versions[i/4%2], i/8, answers))
	}
	s := a.Summary()
	grown := int64(liveHeap()) - int64(before)
	runtime.KeepAlive(a)
	require.Equal(t, 250_000, a.Worlds())
	require.Len(t, s.Groups, 8)
	t.Logf("250,000 worlds hold %d KiB", grown>>10)
	assert.Less(t, grown, int64(64<<20))
}

func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkAggregateAdd(b *testing.B) {
	worlds := make([]World, 512)
	for i := range worlds {
		worlds[i] = synth(ArmTarget, modern, uint64(i), answers)
	}
	a := NewAggregate(testPair)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		mustAdd(a, worlds[i%len(worlds)])
	}
}
