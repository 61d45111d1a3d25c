package plots

import (
	"testing"
	"time"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ms = int64(time.Millisecond)

// spread makes a distribution from pairs of a value and how often it occurs.
func spread(pairs ...[2]int64) analysis.Distribution {
	var d analysis.Distribution
	for _, p := range pairs {
		for range p[1] {
			d.Add(p[0])
		}
	}
	return d
}

func TestSurvivalIsTheShareAboveATime(t *testing.T) {
	c := survival(10, spread([2]int64{0, 4}, [2]int64{100, 3}, [2]int64{1000, 1}).Buckets())
	for _, row := range []struct {
		at   int64
		want float64
		why  string
	}{
		{0, 0.4, "four of the eight ended in the instant, two never ran"},
		{99, 0.4, "nothing ends between"},
		{100, 0.1, "who ends at 100 is gone at 100"},
		{999, 0.1, "one is left"},
		{1000, 0, "and ends"},
		{1 << 50, 0, "for good"},
	} {
		assert.InDelta(t, row.want, c.at(row.at), 1e-12, row.why)
	}
	assert.Equal(t, int64(1000), c.last())
	assert.Equal(t, curve{}, survival(0, nil), "nothing survives of nothing, and nothing divides by it")
}

func TestECDFIsTheShareAtMost(t *testing.T) {
	c := ecdf(spread([2]int64{0, 1}, [2]int64{10, 1}, [2]int64{20, 2}).Buckets())
	assert.Equal(t, curve{n: 4, atZero: 0.25, steps: []step{{10, 0.5}, {20, 1}}}, c)
	assert.Equal(t, curve{}, ecdf(nil))

	all := ecdf(spread([2]int64{0, 7}).Buckets())
	assert.Equal(t, curve{n: 7, atZero: 1}, all, "all in one instant: no steps, and one share")
	assert.Zero(t, all.last())
}

// The histogram's buckets begin a little below what was counted.
func TestBucketsGiveRoundTimesBack(t *testing.T) {
	for _, v := range []int64{0, 1, 999, 1000, ms, 25 * ms, 100 * ms, 1000 * ms, 3_600_000 * ms} {
		assert.Equal(t, []analysis.Bucket{{Value: v, N: 2}}, buckets(spread([2]int64{v, 1}), spread([2]int64{v, 1})))
	}
	assert.Equal(t, []analysis.Bucket{{Value: 1_230_000, N: 2}}, buckets(spread([2]int64{1_229_000, 1}, [2]int64{1_231_000, 1})),
		"what three digits do not tell apart is one bucket")
}

func TestSpanCoversEveryTimeInWholeDecades(t *testing.T) {
	at := func(ts ...int64) curve {
		c := curve{n: 1}
		for _, v := range ts {
			c.steps = append(c.steps, step{at: v})
		}
		return c
	}
	for _, row := range []struct {
		curves []curve
		lo, hi int
		why    string
	}{
		{nil, 6, 9, "an empty axis has a scale"},
		{[]curve{at(ms)}, 6, 7, "a single decade boundary still has a width"},
		{[]curve{at(2*ms, 300*ms)}, 6, 9, "outwards to whole decades"},
		{[]curve{at(3), at(5 * ms)}, 0, 7, "over all curves"},
	} {
		lo, hi := span(row.curves...)
		assert.Equal(t, []int{row.lo, row.hi}, []int{lo, hi}, row.why)
	}
}

func TestOrphanedSplitsByWhoseTimeItIs(t *testing.T) {
	o := orphanedOf(analysis.Group{
		ReadToEnd: map[oracle.Work]analysis.Distribution{
			oracle.NeverTold: spread([2]int64{100 * ms, 2}, [2]int64{200 * ms, 1}),
			oracle.Stopped:   spread([2]int64{0, 4}),
			oracle.ToldRanOn: spread([2]int64{50 * ms, 3}),
		},
		Outcomes: []analysis.Outcome{{Work: oracle.NotRead, N: 5}, {Work: oracle.Stopped, N: 4}},
	})
	assert.Equal(t, []int64{10, 3, 7, 3, 5}, []int64{o.running, o.neverTold, o.told, o.ranOn, o.unread})
	assert.InDelta(t, 400e6, o.orphanNs, 400e6/1000, "two of 100 ms and one of 200 ms, to three digits")

	assert.InDelta(t, 0.3, o.never.at(0), 1e-12, "shares are of all that were running, so that the two add up")
	assert.InDelta(t, 0.3, o.toldCurve.at(0), 1e-12)
	assert.InDelta(t, 0.6, o.all().at(0), 1e-12)
	assert.InDelta(t, 0.3, o.all().at(60*ms), 1e-12, "only the never told are left")
	assert.InDelta(t, 0.1, o.all().at(150*ms), 1e-12)
	assert.Zero(t, o.all().at(300*ms))
}

func TestByLatenessPutsEveryBoundaryWhereItsNameSays(t *testing.T) {
	for _, row := range []struct {
		late   time.Duration
		bucket string
	}{
		{0, "same instant"}, {1, "< 1 ms"}, {999 * time.Microsecond, "< 1 ms"},
		{time.Millisecond, "1–10 ms"}, {10 * time.Millisecond, "10–100 ms"},
		{100 * time.Millisecond, "0.1–1 s"}, {time.Second, "≥ 1 s"}, {time.Hour, "≥ 1 s"},
	} {
		got := byLateness(spread([2]int64{int64(row.late), 1}))
		for i, n := range got {
			assert.Equal(t, lateBuckets[i].name == row.bucket, n == 1, "%v is %q, not %q", row.late, row.bucket, lateBuckets[i].name)
		}
	}
}

func TestLateCountsOfThoseThatWereRunning(t *testing.T) {
	l := lateOf(analysis.Group{
		Lateness: map[string]analysis.Distribution{"chatty": spread([2]int64{0, 2}, [2]int64{5 * ms, 1})},
		Outcomes: []analysis.Outcome{
			{Handler: "chatty", Phase: oracle.Running, Wire: oracle.Answered, Late: true, N: 3},
			{Handler: "stubborn", Phase: oracle.Running, Wire: oracle.Answered, N: 2},
			{Handler: "stubborn", Phase: oracle.Queued, Wire: oracle.Silent, N: 1},
			{Handler: "chatty", Phase: oracle.Crossing, Wire: oracle.Crossed, N: 9},
		},
	})
	assert.Equal(t, int64(6), l.exercised, "a crossing cancel has nothing to stop")
	assert.Equal(t, int64(3), l.n)
	assert.Equal(t, int64(2), l.ranOn, "the tool's doing, not counted")
	assert.Equal(t, []lateKind{
		{"chatty", 3, []int64{2, 0, 1, 0, 0, 0}},
		{"stubborn", 3, []int64{0, 0, 0, 0, 0, 0}},
	}, l.kinds)
	assert.Equal(t, []int64{2, 1}, []int64{l.bucket(0), l.bucket(2)})
}

func TestOffsetSharesAddUpToOne(t *testing.T) {
	g := analysis.Group{}
	g.OffsetBins[0] = map[analysis.Result]int{analysis.ResultLate: 3, analysis.ResultSilent: 1}
	g.OffsetBins[24] = map[analysis.Result]int{analysis.ResultBeforeSent: 2}
	o := offsetsOf(g)
	require.Len(t, o.bins, analysis.OffsetBins)
	assert.Equal(t, offsetBin{4, []float64{0, 0, 0, 0.25, 0.75, 0}}, o.bins[0])
	assert.Equal(t, offsetBin{0, []float64{0, 0, 0, 0, 0, 0}}, o.bins[1], "an empty bin is empty, not NaN")
	assert.Equal(t, []int64{6, 3, 2}, []int64{o.n, o.of(analysis.ResultLate), o.of(analysis.ResultBeforeSent)})

	for _, b := range offsetsOf(run(50, broken).Groups[0]).bins {
		sum := 0.0
		for _, s := range b.shares {
			sum += s
		}
		if b.n > 0 {
			assert.InDelta(t, 1, sum, 1e-9)
		}
	}
}

// A result that the stack does not know would be left out of the picture.
func TestEveryResultIsStacked(t *testing.T) {
	var known []analysis.Result
	for _, s := range stack {
		known = append(known, s.result)
	}
	assert.Equal(t, []analysis.Result{
		analysis.ResultBeforeSent, analysis.ResultEnded, analysis.ResultOvertook, analysis.ResultSilent, analysis.ResultLate, analysis.ResultOther,
	}, known)
}

func TestLeakedTakesMedianAndMaximumOfEachBin(t *testing.T) {
	g := analysis.Group{Worlds: 3, LeakyWorlds: 2, Leaked: 6, Sent: 9}
	g.Goroutines[0][0] = spread([2]int64{1, 1}, [2]int64{2, 1}, [2]int64{9, 1})
	g.Goroutines[3][19] = spread([2]int64{4, 3})
	g.StageEnds[0] = spread([2]int64{100, 1}, [2]int64{200, 1}, [2]int64{900, 1})
	l := leakedOf(g)
	assert.Equal(t, []reading{{0, 0.05, 2}, {3.95, 4, 4}}, l.median, "bins without a world are left out")
	assert.Equal(t, []reading{{0, 0.05, 9}, {3.95, 4, 4}}, l.most)
	assert.Equal(t, [analysis.Stages]int64{200, -1, -1, -1}, l.ends)
	assert.Equal(t, "6 in 2 of 3 worlds, 0.67 per cancel", untied(l.verdict()))
}

func TestLatencyCountsWhatTookNoTime(t *testing.T) {
	l := latencyOf("read → told", "the SDK's", spread([2]int64{0, 3}, [2]int64{7, 1}))
	assert.Equal(t, []int64{4, 3, 0, 7}, []int64{l.curve.n, l.zeros, l.p50, l.most})
	assert.Equal(t, "read → told (the SDK's): p50 0 s, p99 7 ns, max 7 ns, n = 4", untied(l.words()))
	assert.Contains(t, latencyOf("a", "b", analysis.Distribution{}).words(), "none")
}

func TestStagesFillTheAxis(t *testing.T) {
	assert.Zero(t, alongStages(0))
	assert.InDelta(t, 1, alongStages(analysis.Stages), 1e-12)
	assert.InDelta(t, 0.4+0.125, alongStages(1.5), 1e-12)
}

func TestLevelTicks(t *testing.T) {
	for _, row := range []struct{ top, step, end int64 }{
		{0, 1, 1}, {1, 1, 1}, {5, 1, 5}, {6, 2, 6}, {7, 2, 8}, {14, 5, 15}, {10_001, 5000, 15_000},
	} {
		assert.Equal(t, []int64{row.step, row.end}, []int64{levelStep(row.top), levelTop(row.top)}, "for %d", row.top)
	}
}
