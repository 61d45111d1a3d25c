package analysis

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDistribution(t *testing.T) {
	tests := []struct {
		name          string
		values        []int64
		n, p50, max   int64
		buckets       []Bucket
		reason, asRaw string
	}{
		{"empty", nil, 0, 0, 0, []Bucket{}, "the zero value is usable", `[]`},
		{"one zero", []int64{0}, 1, 0, 0, []Bucket{{0, 1}}, "zero is a value", `[[0,1]]`},
		{"negative", []int64{-1, 5}, 1, 5, 5, []Bucket{{5, 1}}, "negative means: does not apply", `[[5,1]]`},
		{"small are exact", []int64{2047, 2046, 1}, 3, 2046, 2047, []Bucket{{1, 1}, {2046, 1}, {2047, 1}},
			"eleven bits are kept", `[[1,1],[2046,1],[2047,1]]`},
		{"large are rounded down", []int64{4097, 4096}, 2, 4096, 4096, []Bucket{{4096, 2}},
			"a bucket is two wide from 2048 on, four from 4096 on", `[[4096,2]]`},
		{"beyond the range", []int64{1 << 62}, 1, bucketOf(maxDistribution), bucketOf(maxDistribution),
			[]Bucket{{bucketOf(maxDistribution), 1}}, "counts as the maximum", `[[99986838650880,1]]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d Distribution
			for _, v := range tt.values {
				d.Add(v)
			}
			assert.Equal(t, tt.n, d.N(), tt.reason)
			assert.Equal(t, tt.p50, d.Quantile(0.5), tt.reason)
			assert.Equal(t, tt.max, d.Max(), tt.reason)
			assert.Equal(t, tt.max, d.Quantile(1), "the last quantile is the maximum")
			assert.Equal(t, tt.buckets, d.Buckets(), tt.reason)
			raw, err := json.Marshal(d)
			require.NoError(t, err)
			assert.Equal(t, tt.asRaw, string(raw))
			var back Distribution
			require.NoError(t, json.Unmarshal(raw, &back))
			assert.Equal(t, d.Buckets(), back.Buckets(), "nothing is lost on the way")
		})
	}
}

func TestDistributionResolution(t *testing.T) {
	for v := int64(1); v < maxDistribution; v = v*3 + 1 {
		low := bucketOf(v)
		assert.LessOrEqual(t, low, v)
		assert.Less(t, float64(v-low)/float64(v), 0.001, "three significant digits of %d", v)
		assert.Equal(t, low, bucketOf(low), "a bucket's bound lies in its bucket")
	}
}

func TestDistributionMergeAndSum(t *testing.T) {
	var a, b Distribution
	a.Add(10)
	b.Add(20)
	b.Add(20)
	copied := b.clone()
	b.Merge(a)
	assert.Equal(t, []Bucket{{10, 1}, {20, 2}}, b.Buckets())
	assert.Equal(t, int64(50), b.Sum())
	assert.Equal(t, int64(2), copied.N(), "a clone shares nothing")
}

func TestDistributionRefusesNonsense(t *testing.T) {
	for _, raw := range []string{`[[-1,1]]`, `[[5,0]]`, `[[5,-2]]`, `[[1000000000000000,1]]`, `{}`, `[["a",1]]`} {
		var d Distribution
		assert.Error(t, json.Unmarshal([]byte(raw), &d), raw)
	}
}
