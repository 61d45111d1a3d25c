package netem_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/netem"
)

const ms = time.Millisecond

var (
	paretoDelay = netem.Delay{Distribution: netem.Pareto, Scale: 10 * ms, Shape: 3, Cap: 1000 * ms}
	tableDelay  = netem.Delay{Distribution: netem.Empirical, Samples: &netem.Table{5 * ms, 7 * ms, 7 * ms, 40 * ms}}
)

var wanDelay = netem.Delay{Distribution: netem.Exponential, Offset: 5 * ms, Mean: 20 * ms}

func TestDelayValidate(t *testing.T) {
	for _, test := range []struct {
		why   string
		delay netem.Delay
		want  []string // what the error says, nothing: valid
	}{
		{"the zero value is no delay", netem.Delay{}, nil},
		{"a constant of zero is a delay of nothing", netem.Delay{Distribution: netem.Constant}, nil},
		{"one point is a range", netem.Delay{Distribution: netem.Uniform, Min: ms, Max: ms}, nil},
		{"a spread beyond the mean is truncated, not refused", netem.Delay{Distribution: netem.Normal, Mean: ms, StdDev: 5 * ms}, nil},
		{"no cap", wanDelay, nil},
		{"a cap", netem.Delay{Distribution: netem.Exponential, Mean: ms, Cap: 4 * ms}, nil},
		{"the longest", netem.Delay{Distribution: netem.Constant, Value: netem.MaxDelay}, nil},

		{"nobody knows it", netem.Delay{Distribution: "weibull"}, []string{`unknown distribution "weibull"`, "uniform"}},
		{"time does not run backwards", netem.Delay{Distribution: netem.Constant, Value: -ms}, []string{"constant: value -1ms is negative"}},
		{"a slip of the unit", netem.Delay{Distribution: netem.Constant, Value: 25 * time.Hour}, []string{"value 25h0m0s is above 24h0m0s"}},
		{"an empty range", netem.Delay{Distribution: netem.Uniform, Min: 2 * ms, Max: ms}, []string{"uniform: min 2ms is above max 1ms"}},
		{"nothing could satisfy the cap", netem.Delay{Distribution: netem.Exponential, Offset: 2 * ms, Mean: ms, Cap: ms}, []string{"exponential: cap 1ms is below offset 2ms"}},
		{"a parameter of another distribution would be ignored", netem.Delay{Distribution: netem.Constant, Value: ms, Mean: ms}, []string{"constant: mean 1ms has no meaning here"}},
		{"the distribution was forgotten", netem.Delay{Mean: ms}, []string{"no distribution: mean 1ms has no meaning here"}},
		{"a heavy tail that ends", paretoDelay, nil},
		{"a tail without end", netem.Delay{Distribution: netem.Pareto, Scale: ms, Shape: 1.5}, []string{"pareto: cap 0s is below scale 1ms"}},
		{"a tail of nothing", netem.Delay{Distribution: netem.Pareto, Shape: 1.5, Cap: ms}, []string{"pareto: scale is missing"}},
		{"all tail", netem.Delay{Distribution: netem.Pareto, Scale: ms, Shape: 0.01, Cap: ms}, []string{"pareto: shape 0.01 is not from 0.1 to 100"}},
		{"no number at all", netem.Delay{Distribution: netem.Pareto, Scale: ms, Shape: math.NaN(), Cap: ms}, []string{"pareto: shape NaN is not"}},
		{"another distribution's shape", netem.Delay{Distribution: netem.Constant, Shape: 1}, []string{"constant: shape 1 has no meaning here"}},
		{"one sample", netem.Delay{Distribution: netem.Empirical, Samples: &netem.Table{ms}}, nil},
		{"no samples", netem.Delay{Distribution: netem.Empirical, Samples: &netem.Table{}}, []string{"samples: there must be 1 to 1000"}},
		{"no table", netem.Delay{Distribution: netem.Empirical}, []string{"samples: there must be 1 to 1000"}},
		{"samples in any order", netem.Delay{Distribution: netem.Empirical, Samples: &netem.Table{2, 1}}, []string{"samples: they are not in ascending order"}},
		{"a sample from the future", netem.Delay{Distribution: netem.Empirical, Samples: &netem.Table{-2}}, []string{"samples: number 1, -2ns is negative"}},
		{"another distribution's samples", netem.Delay{Samples: &netem.Table{1}}, []string{"no distribution: samples have no meaning here"}},
		{"all faults at once", netem.Delay{Distribution: netem.Normal, Mean: -ms, StdDev: -2 * ms, Cap: ms},
			[]string{"normal: mean -1ms is negative", "normal: std_dev -2ms is negative", "normal: cap 1ms has no meaning"}},
	} {
		t.Run(test.why, func(t *testing.T) {
			err := test.delay.Validate()
			if test.want == nil {
				require.NoError(t, err)
			}
			for _, want := range test.want {
				assert.ErrorContains(t, err, want)
			}
		})
	}
}

// TestSampleStatistics holds the samples of 100,000 consecutive hashes against
// the distribution. The tolerances are more than five standard errors wide, and
// the hashes are fixed, so that it passes for ever or never.
func TestSampleStatistics(t *testing.T) {
	const n = 100_000
	// The normal distribution at (1, 1), truncated at 0, has the mean
	// 1 + φ(1)/Φ(1), and as its q-quantile 1 + Φ⁻¹(1 - (1-q)Φ(1)).
	truncatedMean, truncatedMedian := 1+0.2419707/0.8413447, 1.2002
	for _, test := range []struct {
		why                   string
		delay                 netem.Delay
		mean, p10, p50, p99   float64 // ms
		tolerance             float64 // of each, ms; p99 three times that
		least, most           time.Duration
		fewestDistinctSamples int
	}{
		{why: "no delay", most: 0, fewestDistinctSamples: 1},
		{why: "constant", delay: netem.Delay{Distribution: netem.Constant, Value: 7 * ms},
			mean: 7, p10: 7, p50: 7, p99: 7, least: 7 * ms, most: 7 * ms, fewestDistinctSamples: 1},
		{why: "uniform", delay: netem.Delay{Distribution: netem.Uniform, Min: 10 * ms, Max: 20 * ms},
			mean: 15, p10: 11, p50: 15, p99: 19.9, tolerance: 0.1, least: 10 * ms, most: 20 * ms, fewestDistinctSamples: n * 98 / 100},
		{why: "both ends of a range occur", delay: netem.Delay{Distribution: netem.Uniform, Min: 3, Max: 4},
			mean: 3.5e-6, p10: 3e-6, p50: 3.5e-6, p99: 4e-6, tolerance: 0.6e-6, least: 3, most: 4, fewestDistinctSamples: 2},
		{why: "normal", delay: netem.Delay{Distribution: netem.Normal, Mean: 50 * ms, StdDev: 5 * ms},
			mean: 50, p10: 50 - 1.28155*5, p50: 50, p99: 50 + 2.32635*5, tolerance: 0.15, least: 25 * ms, most: 75 * ms, fewestDistinctSamples: n * 98 / 100},
		{why: "normal, truncated and not clamped", delay: netem.Delay{Distribution: netem.Normal, Mean: ms, StdDev: ms},
			mean: truncatedMean, p10: 0.3027, p50: truncatedMedian, p99: 3.3904, tolerance: 0.02, least: 0, most: 6 * ms, fewestDistinctSamples: n * 95 / 100},
		{why: "normal without spread", delay: netem.Delay{Distribution: netem.Normal, Mean: ms},
			mean: 1, p10: 1, p50: 1, p99: 1, least: ms, most: ms, fewestDistinctSamples: 1},
		{why: "exponential", delay: wanDelay,
			mean: 25, p10: 5 + 20*0.1053605, p50: 5 + 20*math.Ln2, p99: 5 + 20*4.60517, tolerance: 0.4, least: 5 * ms, most: 600 * ms, fewestDistinctSamples: n * 98 / 100},
		// P(X > x) = (10/x)³, the integral of which is what the mean has above 10.
		{why: "pareto", delay: paretoDelay,
			mean: 15, p10: 10 / math.Cbrt(0.9), p50: 10 * math.Cbrt(2), p99: 10 * math.Cbrt(100), tolerance: 0.8, least: 10 * ms, most: 1000 * ms, fewestDistinctSamples: n * 98 / 100},
		{why: "samples, of which one is listed twice", delay: tableDelay,
			mean: 59.0 / 4, p10: 5, p50: 7, p99: 40, tolerance: 0.3, least: 5 * ms, most: 40 * ms, fewestDistinctSamples: 3},
		{why: "exponential with a cap", delay: netem.Delay{Distribution: netem.Exponential, Mean: 20 * ms, Cap: 20 * ms},
			mean: 20 * (1 - math.Exp(-1)), p10: 20 * 0.1053605, p50: 20 * math.Ln2, p99: 20, tolerance: 0.2, least: 0, most: 20 * ms, fewestDistinctSamples: n / 2},
	} {
		t.Run(test.why, func(t *testing.T) {
			require.NoError(t, test.delay.Validate())
			samples := make([]time.Duration, n)
			var sum float64
			for i := range samples {
				samples[i] = test.delay.Sample(uint64(i))
				require.Equal(t, samples[i], test.delay.Sample(uint64(i)), "the same hash, the same delay")
				sum += float64(samples[i]) / 1e6
			}
			slices.Sort(samples)
			quantile := func(q float64) float64 { return float64(samples[int(q*n)]) / 1e6 }
			assert.InDelta(t, test.mean, sum/n, test.tolerance+1e-9, "mean")
			assert.InDelta(t, test.p10, quantile(0.1), test.tolerance+1e-9, "10th percentile")
			assert.InDelta(t, test.p50, quantile(0.5), test.tolerance+1e-9, "median")
			assert.InDelta(t, test.p99, quantile(0.99), 3*test.tolerance+1e-9, "99th percentile")
			assert.GreaterOrEqual(t, samples[0], test.least)
			assert.LessOrEqual(t, samples[n-1], test.most)
			assert.GreaterOrEqual(t, len(slices.Compact(samples)), test.fewestDistinctSamples, "ties")
		})
	}
}

// TestSampleIsPinned: delays are part of what a seed replays, so a change of
// the sampling must be a decision.
func TestSampleIsPinned(t *testing.T) {
	assert.Equal(t, time.Duration(10_000_000)+8_833_108, netem.Delay{Distribution: netem.Uniform, Min: 10 * ms, Max: 20 * ms}.Sample(0))
	assert.InDelta(t, 7_481_563, netem.Delay{Distribution: netem.Exponential, Offset: 5 * ms, Mean: 20 * ms}.Sample(0), 1)
}

func TestDelayInYAML(t *testing.T) {
	var got netem.Direction
	text := "delay: {distribution: exponential, offset: 5ms, mean: 20ms}\nbandwidth: 6250000\n"
	require.NoError(t, yaml.UnmarshalWithOptions([]byte(text), &got, yaml.Strict()))
	assert.Equal(t, netem.Direction{Delay: wanDelay, Bandwidth: 6_250_000}, got)
}
