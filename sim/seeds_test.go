package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/sim"
)

func TestParseSeeds(t *testing.T) {
	rows := []struct {
		why, typed string
		want       []uint64
	}{
		{"one", "7", []uint64{7}},
		{"zero is a seed", "0", []uint64{0}},
		{"a range has both its ends", "0-3", []uint64{0, 1, 2, 3}},
		{"a range of one", "5-5", []uint64{5}},
		{"a list", "3,9,20-22", []uint64{3, 9, 20, 21, 22}},
		{"in any order, yielded ascending", "20-21,9,3", []uint64{3, 9, 20, 21}},
		{"ranges may touch", "0-1,2-3", []uint64{0, 1, 2, 3}},
		{"the largest seed", "9223372036854775807-9223372036854775808", []uint64{1<<63 - 1, 1 << 63}},
	}
	for _, row := range rows {
		s, err := sim.ParseSeeds(row.typed)
		require.NoError(t, err, row.why)
		assert.Equal(t, row.want, slices.Collect(s.All()), row.why)
		assert.Equal(t, len(row.want), s.Count(), row.why)
		assert.Equal(t, row.typed, s.String(), row.why)
	}
}

func TestParseSeedsRefuses(t *testing.T) {
	rows := []struct{ why, typed, want string }{
		{"empty", "", "there are no seeds; write 0-999, or 7, or 3,9,20-25"},
		{"reversed", "9-3", `"9-3": the range "9-3" is reversed; write 3-9`},
		{"overlapping", "0-10,5-20", `"0-10,5-20": seed 5 is listed twice; leave it out once`},
		{"twice", "7,3,7", `"7,3,7": seed 7 is listed twice; leave it out once`},
		{"negative", "-5", `"-5": "-5" is negative or has no beginning; the smallest seed is 0`},
		{"negative end", "0--5", `"0--5": "-5" is no seed; seeds are decimal digits, with no sign, space, point or 0x`},
		{"hex", "0x10", `"0x10": "0x10" is no seed; seeds are decimal digits, with no sign, space, point or 0x`},
		{"space", "1, 2", `"1, 2": " 2" is no seed; seeds are decimal digits, with no sign, space, point or 0x`},
		{"sign", "+1", `"+1": "+1" is no seed; seeds are decimal digits, with no sign, space, point or 0x`},
		{"other digits", "٣", `"٣": "٣" is no seed; seeds are decimal digits, with no sign, space, point or 0x`},
		{"zeros in front", "007", `"007": "007" has zeros in front; write 7`},
		{"a comma too many", "1,,2", `"1,,2": a seed is missing; look for a comma too many`},
		{"no end", "5-", `"5-": the range "5-" has no end; write 5-1004, say`},
		{"too large", "9223372036854775809", `"9223372036854775809": "9223372036854775809" is too large; the largest seed is 9223372036854775808`},
		{"far too large", "99999999999999999999", `"99999999999999999999": "99999999999999999999" is too large; the largest seed is 9223372036854775808`},
		{"no end near the largest seed", "9223372036854775808-", `"9223372036854775808-": the range "9223372036854775808-" has no end; write 9223372036854775808-9223372036854775808, say`},
		{"too many", "0-1000000", `"0-1000000": there are more than 1000000 seeds; split the run, each part with a range of its own`},
		{"too many together", "0-599999,600000-1100000", `"0-599999,600000-1100000": there are more than 1000000 seeds; split the run, each part with a range of its own`},
		{"all there are", "0-9223372036854775808", `"0-9223372036854775808": there are more than 1000000 seeds; split the run, each part with a range of its own`},
	}
	for _, row := range rows {
		s, err := sim.ParseSeeds(row.typed)
		assert.EqualError(t, err, row.want, row.why)
		assert.Zero(t, s, row.why)
	}
}

func TestSeedsAtTheBound(t *testing.T) {
	s, err := sim.ParseSeeds("1-1000000")
	require.NoError(t, err)
	assert.Equal(t, sim.MaxSeeds, s.Count())
	for seed := range s.All() {
		assert.Equal(t, uint64(1), seed)
		break // must not go on to the other 9,999,999, and must not hold them
	}
}

// Any list that keeps the rules yields exactly what it says; any text at all
// yields either that or an error, and never a panic.
func TestParseSeedsProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := map[uint64]bool{}
		var parts []string
		next := uint64(0)
		for range rapid.IntRange(1, 8).Draw(t, "parts") {
			first := next + rapid.Uint64Range(0, 1<<58).Draw(t, "gap")
			size := rapid.Uint64Range(1, 50).Draw(t, "size")
			next = first + size
			for seed := first; seed < next; seed++ {
				want[seed] = true
			}
			part := fmt.Sprint(first)
			if size > 1 {
				part = fmt.Sprintf("%d-%d", first, next-1)
			}
			parts = append(parts, part)
		}
		s, err := sim.ParseSeeds(strings.Join(rapid.Permutation(parts).Draw(t, "order"), ","))
		require.NoError(t, err)
		got := slices.Collect(s.All())
		assert.True(t, slices.IsSorted(got))
		assert.Len(t, got, len(want))
		for _, seed := range got {
			assert.True(t, want[seed])
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		typed := rapid.StringMatching(`[0-9,\- x]{0,20}`).Draw(t, "typed")
		if s, err := sim.ParseSeeds(typed); err == nil {
			assert.Positive(t, s.Count())
			assert.Equal(t, typed, s.String())
		}
	})
}
