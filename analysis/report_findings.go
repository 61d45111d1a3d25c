package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// How many findings get their three lines, and how many kinds of violation are
// told in each.
const (
	shownFindings = 5
	shownWhats    = 3
)

func (r Report) findings() string {
	all := r.Summary.Findings
	if len(all) == 0 {
		return ""
	}
	lines := []string{""}
	for _, f := range all[:min(len(all), shownFindings)] {
		lines = append(lines, r.finding(f))
	}
	if len(all) > shownFindings {
		var rest []string
		for _, f := range all[shownFindings:] {
			rest = append(rest, fmt.Sprintf("%s %s %s at %s%s", f.ID, f.Level, f.Rule, f.SpecVersion, f.expectedMark()))
		}
		lines = append(lines, flow(append([]string{fmt.Sprintf("and %d more", len(rest))}, rest...), ", ", "    "))
	}
	return strings.Join(lines, "\n")
}

func (r Report) finding(f Finding) string {
	head := left(f.ID, 3) + " " + left(string(f.Level), 9) + " " + left(f.Rule, 22)
	where := f.who() + " · " + f.SpecVersion + f.expectedMark()
	what := r.sameBehaviour(f)
	if what == "" {
		what = f.whats(shownWhats)
	}
	return join(
		r.Style.paint(levelColor(f), head)+" "+where,
		fold(f.ratio(textOf(r.Rules, f.Rule).over(r.Manifest.Transport, f.SpecVersion))+": "+what, "    "),
		f.expectedLine(),
		replayLines(r.Manifest.Replay(f.SpecVersion, f.ExampleSeed), "    "),
	)
}

// who names the target with the side it was on.
func (f Finding) who() string {
	if f.Side == history.World {
		return "pair " + f.Target
	}
	return string(f.Side) + " " + f.Target
}

func levelColor(f Finding) string {
	if f.Expected != nil {
		return green
	}
	if Weigh(f.Level) == 0 {
		return red
	}
	return yellow
}

// ratio says how many of what. A rule about whole worlds is not said to have been
// broken by so many of its cancels.
func (f Finding) ratio(text RuleText) string {
	bad, of := f.counts(text)
	what := text.counts()
	if text.perWorld() {
		what = text.Worlds
	}
	if bad > of { // other causes, of which a world may have several
		return fmt.Sprintf("%s in %s %s", times(bad), group(of), what)
	}
	return fmt.Sprintf("%s of %s %s", group(bad), group(of), what)
}

// counts says how many of how many.
func (f Finding) counts(text RuleText) (bad, of int) {
	if text.perWorld() {
		return f.Worlds, f.WorldsExercised
	}
	return f.Failed, f.Checked
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return group(n) + " times"
}

// sameBehaviour says that a finding is an earlier one at another version.
func (r Report) sameBehaviour(f Finding) string {
	for _, other := range r.Summary.Findings {
		if other.ID != f.SameActAs || f.SameActAs == "" {
			continue
		}
		if Weigh(f.Level) > Weigh(other.Level) {
			return fmt.Sprintf("the same behaviour as %s, which this version only advises against", other.ID)
		}
		return fmt.Sprintf("the same behaviour as %s, at another version", other.ID)
	}
	return ""
}

// whatWidth is how much is shown of one thing that violations did: the words of a rule, and
// what they quote of a target.
const whatWidth = 160

// whats tells what the violations did, the most frequent first; where there are several
// kinds, with a number behind each, and of how many if that is not all.
func (f Finding) whats(most int) string {
	words, kept := f.words()
	if len(words) == 1 {
		return printable(words[0], whatWidth)
	}
	var parts []string
	rest := 0
	for i, w := range words {
		if i < most {
			parts = append(parts, fmt.Sprintf("%s (%s)", printable(w, whatWidth), group(f.What[w])))
		} else {
			rest += f.What[w]
		}
	}
	if rest > 0 {
		parts = append(parts, fmt.Sprintf("otherwise (%s)", group(rest)))
	}
	return strings.Join(append(parts, ofKept(kept)...), ", ")
}

// words are what the violations did, the most frequent first, and how many violations are
// kept in detail; 0: all.
func (f Finding) words() (words []string, kept int) {
	words = slices.DeleteFunc(byCount(f.What), func(w string) bool { return w == notListed })
	if f.What[notListed] == 0 {
		return words, 0
	}
	for _, w := range words {
		kept += f.What[w]
	}
	return words, kept
}

// ofKept says that numbers are of those violations that verdicts list; nothing where kept
// is 0.
func ofKept(kept int) []string {
	if kept == 0 {
		return nil
	}
	return []string{fmt.Sprintf("of the %s kept in detail", group(kept))}
}

// replayLines writes a command that can be pasted, over several lines where it
// is too long for one. A flag and its value stay together.
func replayLines(words []string, indent string) string {
	if line := indent + ShellLine(words); len([]rune(line)) <= width {
		return line
	}
	var lines []string
	line := indent
	for i, w := range words {
		quoted := shellQuote(w)
		next := quoted
		if strings.HasPrefix(w, "-") && i+1 < len(words) {
			next += " " + shellQuote(words[i+1])
		}
		if len([]rune(line+" "+next))+len(` \`) > width && line != indent {
			lines = append(lines, line+` \`)
			line = indent + "   "
		}
		if line != indent {
			line += " "
		}
		line += quoted
	}
	return strings.Join(append(lines, line), "\n")
}
