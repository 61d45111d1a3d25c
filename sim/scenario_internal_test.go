package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/netem"
)

func TestFormatDuration(t *testing.T) {
	rows := []struct {
		d    time.Duration
		want string
	}{
		{0, "0s"},
		{1, "1ns"},
		{1500, "1.5us"},
		{25 * time.Millisecond, "25ms"},
		{time.Minute, "1m"},
		{10 * time.Minute, "10m"},
		{90 * time.Second, "1m30s"},
		{time.Hour, "1h"},
		{100*time.Hour + 30*time.Minute, "100h30m"},
		{time.Hour + time.Second, "1h0m1s"},
	}
	for _, row := range rows {
		assert.Equal(t, row.want, formatDuration(row.d))
		back, why := parseDuration(row.want)
		assert.Empty(t, why, row.want)
		assert.Equal(t, row.d, back)
	}
}

func TestMeasures(t *testing.T) {
	rows := []struct {
		why, text, again string
		want             int64
		read             func(string) (int64, complaint)
		write            func(int64) string
	}{
		{"bits to bits", "8bit/s", "8bit/s", 8, parseBandwidth, formatBandwidth},
		{"a fraction that is whole bits", "1.5Mbit/s", "1500kbit/s", 1_500_000, parseBandwidth, formatBandwidth},
		{"a space before the unit", "50 Mbit/s", "50Mbit/s", 50_000_000, parseBandwidth, formatBandwidth},
		{"no limit", "unlimited", "unlimited", 0, parseBandwidth, formatBandwidth},
		{"binary", "64KiB", "64KiB", 65536, parseSize, formatSize},
		{"decimal", "64kB", "64kB", 64000, parseSize, formatSize},
		{"the largest unit that fits", "2048KiB", "2MiB", 2 << 20, parseSize, formatSize},
		{"odd bytes", "1025B", "1025B", 1025, parseSize, formatSize},
	}
	for _, row := range rows {
		got, why := row.read(row.text)
		assert.Empty(t, why, row.why)
		assert.Equal(t, row.want, got, row.why)
		assert.Equal(t, row.again, row.write(got), row.why)
	}
	for _, text := range []string{"", "9999999999GiB", "0.5B", "1e3B", "-1B", "64 K iB", "64KIB"} {
		_, why := parseSize(text)
		assert.NotEmpty(t, why.problem, "%q", text)
	}
}

// longest has to bound what the network's sampling can give, at its very ends.
func TestLongestBoundsEveryDraw(t *testing.T) {
	for _, d := range []Distribution{
		{},
		Fixed(time.Second),
		{Distribution: netem.Uniform, Min: time.Second, Max: 2 * time.Second},
		{Distribution: netem.Normal, Mean: time.Second, StdDev: time.Second},
		{Distribution: netem.Exponential, Offset: time.Second, Mean: time.Second},
		{Distribution: netem.Exponential, Mean: time.Second, Cap: 2 * time.Second},
		{Distribution: netem.Pareto, Scale: 100 * time.Millisecond, Shape: 1, Cap: 9 * time.Second},
		{Distribution: netem.Pareto, Scale: time.Second, Shape: 1.5, Cap: 9 * time.Second},
		{Distribution: netem.Empirical, Samples: &netem.Table{0, time.Second, 4 * time.Second}},
	} {
		s, sum := NewStream(1, "test", 0), time.Duration(0)
		for range 20_000 {
			got := s.Duration(d)
			assert.LessOrEqual(t, got, longest(d), "%s", d.Distribution)
			sum += got
		}
		if (d.Cap == 0 || d.Distribution == netem.Pareto) && d.Distribution != netem.Normal { // those are cut, and expected leaves that out
			assert.InDelta(t, float64(expected(d)), float64(sum)/20_000, float64(30*time.Millisecond), "%s", d.Distribution)
		}
	}
}

// A link is expected to take what it takes on average.
func TestExpectedOfALink(t *testing.T) {
	second := Fixed(time.Second)
	for _, row := range []struct {
		why  string
		link Link
		want time.Duration
	}{
		{"nothing", Link{}, 0},
		{"the delay", Link{Delay: second}, time.Second},
		{"and the window", Link{Delay: second, Coalesce: second}, 2 * time.Second},
		{"and the gaps between three pieces", Link{Split: netem.Split{Pieces: 3, Gap: second}}, 2 * time.Second},
		{"half a stall, half of the time", Link{Stall: netem.Stall{Every: second, For: second}}, 250 * time.Millisecond},
		{"a quarter lost: half a timeout of a round trip and 200 ms", Link{Delay: Fixed(400 * time.Millisecond), Loss: 0.25}, 900 * time.Millisecond},
		{"stalled most of the time", Link{Stall: netem.Stall{Every: second, For: Fixed(9 * time.Second)}}, 4050 * time.Millisecond},
	} {
		assert.Equal(t, row.want, row.link.expected(), row.why)
	}
}

func TestNearest(t *testing.T) {
	legal := HandlerKinds()
	rows := []struct{ why, word, want string }{
		{"a letter too few", "cooperativ", Cooperative},
		{"two letters swapped", "chekcpoint", Checkpoint},
		{"another hyphen", "slow_cleanup", SlowCleanup},
		{"another case", "Leaky", Leaky},
		{"something else", "quick", ""},
		{"nothing", "", ""},
		{"far too long to compare", string(make([]byte, 1000)), ""},
	}
	for _, row := range rows {
		assert.Equal(t, row.want, nearest(row.word, legal), row.why)
	}
}
