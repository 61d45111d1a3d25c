package plots

import (
	"strings"
	"testing"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/stretchr/testify/assert"
)

func untied(s string) string { return strings.ReplaceAll(s, nbsp, " ") }

func TestNumbersInWords(t *testing.T) {
	for _, row := range []struct{ got, want, why string }{
		{comma(0), "0", ""},
		{comma(999), "999", ""},
		{comma(1000), "1,000", ""},
		{comma(int64(-1234567)), "-1,234,567", "the sign takes no part"},
		{compact(9999), "9999", "as long as it fits"},
		{compact(10_000), "10k", ""},
		{compact(999_499), "999k", ""},
		{compact(999_500), "1.0M", "1000k has five characters"},
		{compact(9_950_000), "10M", ""},
		{percent(0), "0 %", ""},
		{percent(0.001), "<1 %", "something is not nothing"},
		{percent(0.9999), ">99 %", "nearly all is not all"},
		{percent(1), "100 %", ""},
		{percent(0.484), "48 %", ""},
		{nOfM(0, 0), "none", ""},
		{nOfM(0, 2396), "none of 2,396", "an empty class is said"},
		{nOfM(2396, 2396), "2,396 of 2,396", ""},
		{duration(0), "0 s", ""},
		{duration(999), "999 ns", ""},
		{duration(340_000), "340 µs", ""},
		{duration(11_025_000), "11 ms", ""},
		{duration(1_250_000), "1.2 ms", ""},
		{duration(620_000_000), "620 ms", ""},
		{duration(2_000_000_000), "2.0 s", ""},
		{duration(1_320_000_000_000), "1,320 s", ""},
		{decade(0), "1 ns", ""},
		{decade(5), "100 µs", ""},
		{decade(8), "100 ms", ""},
		{decade(9), "1 s", ""},
		{decade(13), "10,000 s", ""},
		{perCancel(0.0001), "<0.01 per cancel", "some is not none"},
		{perCancel(1), "1.00 per cancel", ""},
	} {
		assert.Equal(t, row.want, untied(row.got), row.why)
	}
}

func TestTitlesSayTheConclusion(t *testing.T) {
	at := func(version string) arms { return arms{target: analysis.Group{SpecVersion: version}} }
	two := []arms{at("2025-11-25"), at("2026-07-28")}
	assert.Equal(t, "none at each of 2 versions", untied(each(two, func(arms) string { return "none" })))
	assert.Equal(t, "none (2025-11-25)", untied(each(two[:1], func(arms) string { return "none" })))
	assert.Equal(t, "of 2025-11-25 (2025-11-25); of 2026-07-28 (2026-07-28)",
		untied(each(two, func(v arms) string { return "of " + v.target.SpecVersion })))

	for _, row := range []struct {
		target behaviour
		figure func([]arms) figure
		want   string
	}{
		{strict, orphanedFigure, "No orphaned work · handlers never told of their cancel: none of "},
		{broken, orphanedFigure, "Orphaned work · handlers never told of their cancel: "},
		{strict, lateFigure, "Late responses to cancels read while the call was running: none of "},
		{strict, leakedFigure, "No leaked goroutines · left after close: none in any of 40 worlds (2025-11-25)"},
		{leakyOne, leakedFigure, "Leaked goroutines · left after close: "},
		{deafOne, latencyFigure, "Cancel latency: no handler was told of a cancel"},
		{strict, latencyFigure, "Cancel latency · handlers told in the instant of reading: "},
		{strict, offsetFigure, "Cancelled calls by the cancel's offset · answered late: none of 120"},
	} {
		assert.Contains(t, untied(row.figure(byVersion(run(40, row.target))).title), row.want)
	}
}

func TestSubtitleLeavesOutWhatIsNotKnown(t *testing.T) {
	assert.Equal(t, "cancel-storm · client go-sdk v1.8.0 · server go-sdk v1.8.0 · stdio · virtual time · "+
		"network wan (5 ms + exp 20 ms each way) · seeds 0-999", info.subtitle())
	assert.Equal(t, "seeds 7", Info{Seeds: "7"}.subtitle())
}
