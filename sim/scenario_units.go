package sim

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A complaint is why a text is not a figure, and the cure. The zero complaint is
// none.
type complaint struct{ problem, cure string }

var (
	plainNumber = regexp.MustCompile(`^[+-]?(\d[\d_]*\.?\d*|\.\d+)$`)
	withUnit    = regexp.MustCompile(`^(\d{1,18}(?:\.\d{1,18})?) ?([A-Za-z/]+)$`)
	goDuration  = regexp.MustCompile(`^(\d{1,18}(\.\d{1,18})?(ns|us|µs|μs|ms|s|m|h))+$`)
)

// parseDuration reads a duration in Go's notation, with its unit.
func parseDuration(text string) (time.Duration, complaint) {
	switch {
	case plainNumber.MatchString(text):
		return 0, complaint{text + " has no unit", bareNumberCure(text, "ms", "s", "m")}
	case strings.HasPrefix(text, "-"):
		return 0, complaint{text + " is negative", "the least is 0s"}
	case !goDuration.MatchString(text):
		return 0, complaint{quote(text) + " is no duration", durationCure(text)}
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, complaint{text + " is too long to count in nanoseconds", "write 24h or less"}
	}
	return d, complaint{}
}

// bareNumberCure attaches units to the number that was written without one.
func bareNumberCure(number string, units ...string) string {
	number = strings.Trim(number, "+-_.")
	if number == "" || number == "0" {
		return "write 0" + units[len(units)-1]
	}
	for i, unit := range units {
		units[i] = number + unit
	}
	return "write " + oneOf(units)
}

func durationCure(text string) string {
	const cure = "write it like 25ms, 1.5s or 2m30s; the units are ns, us, ms, s, m and h"
	if bare := strings.ReplaceAll(text, " ", ""); bare != text && goDuration.MatchString(bare) {
		return "write it without spaces: " + bare
	}
	if lower := strings.ToLower(text); lower != text && goDuration.MatchString(lower) {
		return "write the unit in lower case: " + lower
	}
	return cure
}

// formatDuration is the shortest text that parseDuration reads as d again.
func formatDuration(d time.Duration) string {
	s := strings.Replace(d.String(), "µ", "u", 1)
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// A unit is a multiple under the name that people type.
type unit struct {
	name string
	size int64
}

func bitrates() []unit {
	return []unit{{"bit/s", 1}, {"kbit/s", 1e3}, {"Mbit/s", 1e6}, {"Gbit/s", 1e9}}
}

func sizes() []unit {
	return []unit{{"B", 1}, {"kB", 1e3}, {"KiB", 1 << 10}, {"MB", 1e6}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}
}

const unlimited = "unlimited"

// parseBandwidth reads a rate and returns bits per second, a multiple of 8, or 0
// for "unlimited".
func parseBandwidth(text string) (int64, complaint) {
	const cure = "write it like 50Mbit/s, or unlimited; the units are bit/s, kbit/s, Mbit/s and Gbit/s"
	if text == unlimited {
		return 0, complaint{}
	}
	if plainNumber.MatchString(text) {
		return 0, complaint{text + " has no unit", bareNumberOr(text, "kbit/s", "Mbit/s")}
	}
	bits, ok := measure(text, bitrates())
	switch {
	case !ok:
		return 0, complaint{quote(text) + " is no bandwidth", cure}
	case bits == 0:
		return 0, complaint{text + " would let nothing through", "write unlimited, or leave it out"}
	case bits%8 != 0:
		return 0, complaint{text + " is no whole number of bytes a second", "write a multiple of 8bit/s"}
	}
	return bits, complaint{}
}

func bareNumberOr(text string, units ...string) string {
	if strings.Trim(text, "+-_.") == "0" {
		return "write " + unlimited + ", or leave it out"
	}
	return bareNumberCure(text, units...)
}

func formatBandwidth(bits int64) string {
	if bits == 0 {
		return unlimited
	}
	return formatMeasure(bits, bitrates())
}

// parseRate reads a number of calls a second.
func parseRate(text string) (float64, complaint) {
	const cure = "write it like 20/s or 0.5/s"
	if plainNumber.MatchString(text) {
		return 0, complaint{text + " has no unit", "write " + strings.Trim(text, "+-_.") + "/s"}
	}
	number, found := strings.CutSuffix(text, "/s")
	rate, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !found || err != nil || !plainNumber.MatchString(strings.TrimSpace(number)) {
		return 0, complaint{quote(text) + " is no rate", cure}
	}
	return rate, complaint{}
}

func formatRate(rate float64) string { return strconv.FormatFloat(rate, 'f', -1, 64) + "/s" }

// parseSize reads a number of bytes.
func parseSize(text string) (int64, complaint) {
	if plainNumber.MatchString(text) {
		return 0, complaint{text + " has no unit", bareNumberCure(text, "B", "KiB")}
	}
	n, ok := measure(text, sizes())
	if !ok {
		return 0, complaint{quote(text) + " is no size", "write it like 64KiB; the units are B, kB, KiB, MB, MiB and GiB"}
	}
	return n, complaint{}
}

func formatSize(bytes int64) string { return formatMeasure(bytes, sizes()) }

// measure reads a number with one of the units. It reports false when the text
// is something else, or no whole multiple of the smallest unit, or too large.
func measure(text string, units []unit) (int64, bool) {
	m := withUnit.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	for _, u := range units {
		if u.name != m[2] {
			continue
		}
		number, ok := new(big.Rat).SetString(m[1])
		if !ok {
			return 0, false
		}
		number.Mul(number, new(big.Rat).SetInt64(u.size))
		return number.Num().Int64(), number.IsInt() && number.Num().IsInt64()
	}
	return 0, false
}

// formatMeasure writes n in the largest unit that leaves no fraction.
func formatMeasure(n int64, units []unit) string {
	best := units[0]
	for _, u := range units {
		if n%u.size == 0 && n >= u.size {
			best = u
		}
	}
	return fmt.Sprintf("%d%s", n/best.size, best.name)
}
