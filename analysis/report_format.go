package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// width is the number of columns that a report fits into.
const width = 100

// A Style is how a report is dressed.
type Style struct {
	Color bool // ANSI colours for the verdict and the levels
	ASCII bool // no character beyond ASCII
}

const (
	red    = "31"
	yellow = "33"
	green  = "32"
	bold   = "1"
)

func (s Style) paint(code, text string) string {
	if !s.Color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// ascii replaces what a report of ours uses beyond ASCII by something as wide;
// anything else, from a target's error text say, becomes a question mark.
func ascii(text string) string {
	text = strings.NewReplacer("·", "-", "…", "~", "µ", "u", "–", "-").Replace(text)
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII {
			return '?'
		}
		return r
	}, text)
}

// printable makes text of a target's fit to print: one line, no escape
// sequences, at most limit characters.
func printable(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}

// flow joins parts with sep and breaks the line between two parts where it would
// become too long; the lines after the first are indented.
func flow(parts []string, sep, indent string) string {
	var lines []string
	line := ""
	for _, p := range parts {
		switch {
		case line == "":
			line = p
		case utf8.RuneCountInString(line+sep+p) > width:
			lines = append(lines, line+strings.TrimRight(sep, " "))
			line = indent + p
		default:
			line += sep + p
		}
	}
	return strings.Join(append(lines, line), "\n")
}

// fold breaks a sentence between words.
func fold(sentence, indent string) string {
	words := strings.Fields(sentence)
	if len(words) > 0 {
		words[0] = indent + words[0]
	}
	return flow(words, " ", indent)
}

// hang folds a sentence behind a mark; the lines after the first are indented as
// far as the mark is wide.
func hang(mark, sentence string) string {
	indent := strings.Repeat(" ", utf8.RuneCountInString(mark))
	return mark + strings.TrimPrefix(fold(sentence, indent), indent)
}

// Duration writes nanoseconds with two or three digits, rounded to the nearest: "0 s",
// "620 ms", "2.0 s". Reports and plots share it, so that one figure has one form.
func Duration(ns int64) string {
	units := []struct {
		size float64
		name string
	}{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}}
	if ns == 0 {
		return "0 s"
	}
	for i, u := range units {
		v := float64(ns) / u.size
		switch {
		case v >= 999.5 && i+1 < len(units): // would be written as 1,000
		case v < 9.95 && i > 0:
			return fmt.Sprintf("%.1f %s", v, u.name)
		default:
			return group(int64(math.Round(v))) + " " + u.name
		}
	}
	return ""
}

// percents gives each part its share of the whole in full per cent, so that
// they add up to 100 (largest remainders are rounded up). All zero for nothing.
func percents(parts []int) []int {
	total := 0
	for _, p := range parts {
		total += p
	}
	out := make([]int, len(parts))
	if total == 0 {
		return out
	}
	order := make([]int, len(parts))
	left := 100
	for i, p := range parts {
		out[i], order[i] = p*100/total, i
		left -= out[i]
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(parts[b]*100%total, parts[a]*100%total)
	})
	for _, i := range order[:left] {
		out[i]++
	}
	return out
}

// shares writes the percents of a block. A part that is not nothing is never
// printed as 0 %, and one that is not all never as 100 %.
func shares(parts []int) []string {
	total := 0
	for _, p := range parts {
		total += p
	}
	out := make([]string, len(parts))
	for i, p := range percents(parts) {
		switch {
		case p == 0 && parts[i] > 0:
			out[i] = "<1 %"
		case p == 100 && parts[i] < total:
			out[i] = ">99 %"
		default:
			out[i] = fmt.Sprintf("%d %%", p)
		}
	}
	return out
}

// byCount returns the words with the largest counts first; equal ones in the
// alphabet.
func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
}

// left and right pad to n characters.
func left(text string, n int) string {
	return text + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(text)))
}

func right(text string, n int) string {
	return strings.Repeat(" ", max(0, n-utf8.RuneCountInString(text))) + text
}
