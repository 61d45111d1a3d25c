package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// classNames are the classes of Weigh in words; a report never adds two.
var classNames = [3]string{"MUST", "SHOULD", "QUALITY"}

// A standing is what a run has to say of one rule at one class of levels, over
// all protocol versions.
type standing struct {
	rule                            string
	class                           int
	level                           oracle.Level
	broken, implied, checked, ruled bool
	expected                        bool   // broken, and only as it was expected to be
	open                            int    // worlds that came to neither a pass nor a failure, though it was exercised
	least                           int    // the fewest checks at a version that had any
	leastAt                         string // that version
}

// held: exercised, decided, and not broken by any act, not even one that is
// reported under another rule.
func (s *standing) held() bool { return s.checked && s.ruled && !s.broken && !s.implied }

func (s *standing) undecided() bool { return s.checked && !s.ruled }

func (s *standing) silent() bool { return !s.checked }

func (s *standing) isBroken() bool { return s.broken && !s.expected }

func (s *standing) asExpected() bool { return s.expected }

// standings lists the rules of the tested groups in their order. A rule that
// has no level at a version does not bind there; one that is only told of, see
// [oracle.Info], is neither held nor broken.
func (s Summary) standings() []*standing {
	var out []*standing
	for _, g := range s.Tested() {
		for _, r := range g.Rules {
			if r.weighs() {
				out = add(out, g.SpecVersion, r)
			}
		}
	}
	for _, f := range s.Findings {
		for _, x := range out {
			if x.rule == f.Rule && x.class == Weigh(f.Level) {
				x.expected = f.Expected != nil && (x.expected || !x.broken)
				x.broken = true
			}
		}
	}
	return out
}

func add(list []*standing, specVersion string, r RuleTally) []*standing {
	i := slices.IndexFunc(list, func(x *standing) bool { return x.rule == r.Rule && x.class == Weigh(r.Level) })
	if i < 0 {
		i = len(list)
		list = append(list, &standing{rule: r.Rule, class: Weigh(r.Level), level: r.Level})
	}
	x := list[i]
	x.implied = x.implied || r.Implied > 0
	x.ruled = x.ruled || r.decided()
	x.open += r.Worlds[oracle.Unknown] + r.Worlds[oracle.Ambiguous]
	if r.Checked > 0 && (!x.checked || r.Checked < x.least) {
		x.least, x.leastAt = r.Checked, specVersion
	}
	x.checked = x.checked || r.Checked > 0
	return list
}

func (r Report) verdict() string {
	all := r.Summary.standings()
	parts := []string{}
	for class, words := range [3]string{"MUST broken", "SHOULD not kept", "QUALITY not kept"} {
		if n := tallyOf(all, (*standing).isBroken)[class]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, words))
		}
	}
	if n := len(r.Summary.fulfilled(Stale)); n > 0 {
		parts = append(parts, plural(n, "expected failure")+" stale")
	}
	if len(parts) == 0 {
		parts = append(parts, r.Summary.nothingBroken())
	}
	for _, kind := range []struct {
		words string
		is    func(*standing) bool
	}{
		{"failed as expected", (*standing).asExpected},
		{"held", (*standing).held},
		{"not exercised", (*standing).silent},
		{"not decided", (*standing).undecided},
	} {
		if list := perClass(tallyOf(all, kind.is)); list != "" {
			parts = append(parts, kind.words+": "+list)
		}
	}
	word, color := r.word()
	parts[0] = word + strings.Repeat(" ", max(3, 9-len(word))) + parts[0]
	line := flow(parts, " · ", "         ")
	line = r.Style.paint(color, word) + line[len(word):]
	return join(line, r.early(), r.leastExercised(all))
}

func (r Report) word() (word, color string) {
	switch r.Decision.Code {
	case ExitHeld:
		return "PASSED", green
	case ExitBroken:
		return "FAILED", red
	case ExitNotAsked:
		return "UNDECIDED", yellow
	}
	return "STOPPED", yellow
}

// early says how much of the run there is when it is not whole.
func (r Report) early() string {
	why := r.Decision.Partial
	if why == "" {
		return ""
	}
	had := plural(r.Summary.testedWorlds(), "world")
	if n := r.Manifest.Worlds; n > 0 {
		had = group(r.Summary.testedWorlds()) + " of " + plural(n, "world")
	}
	return fold(fmt.Sprintf("the run is not whole: %s. It had %s; every count below is of those.", printable(why, 200), had), "")
}

// leastExercised keeps a clean run honest.
func (r Report) leastExercised(all []*standing) string {
	if r.Decision.Code != ExitHeld || len(r.Summary.Findings) > 0 {
		return ""
	}
	var least *standing
	for _, s := range all {
		if s.held() && (least == nil || s.least < least.least) {
			least = s
		}
	}
	if least == nil {
		return ""
	}
	return fold(fmt.Sprintf("least exercised: %s at %s, %s. A pass means: no violation in %s.",
		least.rule, least.leastAt, numbered(least.least, textOf(r.Rules, least.rule).over(r.Manifest.Transport, least.leastAt).counts()),
		these(r.Summary.testedWorlds(), "world")), "")
}

func these(n int, noun string) string {
	if n == 1 {
		return "this " + noun
	}
	return "these " + plural(n, noun)
}

func tallyOf(all []*standing, is func(*standing) bool) (n [3]int) {
	for _, s := range all {
		if is(s) {
			n[s.class]++
		}
	}
	return n
}

// perClass writes counts side by side: "5 MUST, 4 SHOULD".
func perClass(n [3]int) string {
	var parts []string
	for class, count := range n {
		if count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count, classNames[class]))
		}
	}
	return strings.Join(parts, ", ")
}

// silentRules says of each rule that was not exercised how to exercise it, and
// names the ones that could not be decided everywhere. What is required comes
// first, and then the others are only named.
func (r Report) silentRules() string {
	var lines, names, open []string
	levels := map[string][]string{}
	for _, s := range r.Summary.standings() {
		if s.open > 0 {
			open = append(open, fmt.Sprintf("%s in %s", s.rule, plural(s.open, "world")))
		}
		if !s.silent() || r.Decision.misses(s.rule) {
			continue
		}
		if levels[s.rule] == nil {
			names = append(names, s.rule)
			lines = append(lines, textOf(r.Rules, s.rule).cure())
		}
		levels[s.rule] = append(levels[s.rule], string(s.level))
	}
	for i, rule := range names {
		names[i] = fmt.Sprintf("%s (%s)", rule, strings.Join(levels[rule], ", "))
		lines[i] = hang("-   ", fmt.Sprintf("not exercised: %s. %s", names[i], lines[i]))
	}
	missing := r.missing()
	if len(lines) > curedRules || len(lines) > 0 && missing != "" {
		lines = []string{hang("-   ", fmt.Sprintf("not exercised: %s. Other scenarios do: mcpsim list scenarios.", strings.Join(families(names), ", ")))}
	}
	if len(open) > 0 {
		lines = append(lines, hang("?   ", "not decided: "+strings.Join(open, ", ")))
	}
	return join(missing, strings.Join(lines, "\n"))
}

// families names rules of one topic, which their first word says, together where they
// are many: "TASK-* (7 rules)". The report's coverage has each.
func families(names []string) []string {
	const many, named = 4, -1
	topic := func(name string) string {
		first, _, _ := strings.Cut(name, "-")
		return first
	}
	count := map[string]int{}
	for _, name := range names {
		count[topic(name)]++
	}
	var out []string
	for _, name := range names {
		t := topic(name)
		switch n := count[t]; {
		case n == named:
		case t == "CANCEL" || n < many: // cancels are the topic of all
			out = append(out, name)
		default:
			out = append(out, fmt.Sprintf("%s-* (%d rules)", t, n))
			count[t] = named
		}
	}
	return out
}

// curedRules is up to how many rules that were not exercised each get a line that
// says what would exercise them. More are a scenario that is about something else.
const curedRules = 2
