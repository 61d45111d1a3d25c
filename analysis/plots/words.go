package plots

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpsim/mcpsim/analysis"
)

// comma writes 2396 as "2,396".
func comma[T int | int64](n T) string {
	digits := strconv.FormatInt(int64(n), 10)
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// compact writes a count in at most four characters: 9999, 12k, 3.4M, 120M.
func compact(n int64) string {
	switch {
	case n < 10_000:
		return strconv.FormatInt(n, 10)
	case n < 999_500:
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	case n < 9_950_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
	return fmt.Sprintf("%.0fM", float64(n)/1e6)
}

// percent writes a share as "48 %". What is not nothing never reads as 0 %,
// and what is not all never as 100 %.
func percent(share float64) string {
	switch {
	case share > 0 && share < 0.005:
		return tied("<1 %")
	case share < 1 && share > 0.995:
		return tied(">99 %")
	}
	return tied(fmt.Sprintf("%.0f %%", share*100))
}

// tied keeps a line from being broken inside words that belong together.
func tied(words string) string { return strings.ReplaceAll(words, " ", nbsp) }

const nbsp = "\u00a0"

// nOfM writes "2,396 of 2,396", "none of 2,396" or "none" when there were none
// to begin with.
func nOfM(n, m int64) string {
	switch {
	case m == 0:
		return "none"
	case n == 0:
		return tied("none of " + comma(m))
	}
	return tied(comma(n) + " of " + comma(m))
}

// duration writes nanoseconds as the report does.
func duration(ns int64) string { return strings.ReplaceAll(analysis.Duration(ns), " ", nbsp) }

// decade writes ten to the power of exp nanoseconds: "1 ms", "100 ms", "10 s".
func decade(exp int) string {
	units := []string{"ns", "µs", "ms"}
	unit, zeros := "s", exp-9
	if i := exp / 3; i < len(units) {
		unit, zeros = units[i], exp%3
	}
	n, err := strconv.Atoi("1" + strings.Repeat("0", zeros))
	if err != nil {
		return fmt.Sprintf("1e%d %s", zeros, unit)
	}
	return comma(n) + nbsp + unit
}

// each joins what is said of each version: "A (2025-11-25); B (2026-07-28)".
// What is the same for all is said once.
func each(versions []arms, say func(arms) string) string {
	var parts []string
	same := true
	for _, v := range versions {
		words := say(v)
		same = same && words == say(versions[0])
		parts = append(parts, tied(words+" ("+v.target.SpecVersion+")"))
	}
	if same && len(versions) > 1 {
		return say(versions[0]) + " at each of " + comma(len(versions)) + " versions"
	}
	return strings.Join(parts, "; ")
}

// perCancel writes a rate as "0.67 per cancel".
func perCancel(rate float64) string {
	if rate < 0.005 {
		return tied("<0.01 per cancel")
	}
	return tied(fmt.Sprintf("%.2f per cancel", rate))
}

// worlds writes "1,000 worlds".
func worlds(n int) string {
	if n == 1 {
		return tied("1 world")
	}
	return comma(n) + nbsp + "worlds"
}
