package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// The exit codes of a run.
const (
	ExitHeld     = 0 // every rule that was exercised held
	ExitBroken   = 1 // a MUST was broken, or under strict anything else; or an expected failure is stale
	ExitUsage    = 2 // usage or scenario error; never decided here
	ExitFailed   = 3 // the experiment failed, or stopped before its end
	ExitNotAsked = 4 // nothing broken, but a required rule was not exercised, or one was not decided, or nothing was exercised at all
)

// A Decision is the exit code of a run and the line that says why.
type Decision struct {
	Code int    `json:"code"`
	Line string `json:"line"` // the last line of the output
	// Partial says why the run stopped before its end; empty for a whole one.
	Partial string `json:"partial,omitempty"`
	// Missing is what the scenario, or --rules, requires and nothing exercised, whether
	// that decided or not: an id, or several with "or" between them, and a version. It is
	// empty for a run that stopped before its end, which did not get the time.
	Missing []string `json:"missing,omitempty"`
}

// misses reports whether a rule is one of those that were required.
func (d Decision) misses(rule string) bool {
	return slices.ContainsFunc(d.Missing, func(required string) bool {
		return slices.Contains(strings.Fields(required), rule)
	})
}

// Decide turns a summary into the exit code. A broken rule outweighs everything
// else, unless its being broken was expected: it stays broken when the run was cut
// short. partial says why the run
// stopped before its end and is empty for a whole one; required are the rules
// that the scenario exists for; strict makes SHOULD and QUALITY count.
func Decide(s Summary, required []string, strict bool, partial string) Decision {
	code, why := decide(s, required, strict, partial, commas)
	verb := "DONE"
	if partial != "" {
		verb = "STOPPED"
	}
	d := Decision{Code: code, Partial: partial, Line: fmt.Sprintf("%s %s, %s, exit %d (%s)", verb,
		plural(s.testedWorlds(), "world"), plural(len(s.Findings), "finding"), code, why)}
	if partial == "" {
		d.Missing = s.unexercised(required)
	}
	return d
}

// decide writes what is missing with list.
func decide(s Summary, required []string, strict bool, partial string, list func([]string) string) (code int, why string) {
	broken := s.brokenClasses()
	switch {
	case broken[0]:
		return ExitBroken, andPartial("a MUST was broken"+s.unforeseen(), partial)
	case strict && (broken[1] || broken[2]):
		return ExitBroken, andPartial(weakest(broken)+s.unforeseen()+", which counts under --strict", partial)
	case len(s.fulfilled(Stale)) > 0:
		return ExitBroken, s.staleLine()
	case partial != "":
		return ExitFailed, s.held(broken) + " so far, but stopped early: " + printable(partial, partialWidth)
	case s.testedWorlds() == 0:
		return ExitFailed, "no world was run"
	}
	if missing := s.unexercised(required); len(missing) > 0 {
		return ExitNotAsked, s.held(broken) + ", but required and not exercised: " + list(s.atOnce(missing))
	}
	if open := s.undecided(required); len(open) > 0 {
		return ExitNotAsked, s.held(broken) + ", but required and not decided: " + list(open)
	}
	if open := s.unknown(); open != "" {
		return ExitNotAsked, s.held(broken) + ", but not decided: " + open
	}
	if !s.exercised() {
		return ExitNotAsked, s.held(broken) + ", and no rule was exercised at all"
	}
	if broken[1] || broken[2] {
		return ExitHeld, weakest(broken) + "; --strict makes that exit 1"
	}
	if s.asExpected() {
		return ExitHeld, "every rule that was exercised held, or failed as expected"
	}
	return ExitHeld, "every rule that was exercised held"
}

// atOnce puts what is required and missing at a version at which no session came about
// together in one entry.
func (s Summary) atOnce(missing []string) []string {
	rest, versions := s.apart(missing)
	for _, v := range versions {
		rest = append(rest, "all at "+v+", where no session came about")
	}
	return rest
}

// apart parts what is missing at versions at which a session came about from those at which
// none did, in any world.
func (s Summary) apart(missing []string) (rest, versions []string) {
	rest = slices.Clone(missing)
	for _, g := range s.Tested() {
		if g.Unconnected == nil || g.Unconnected.Worlds < g.Worlds {
			continue
		}
		n := len(rest)
		rest = slices.DeleteFunc(rest, func(required string) bool { return strings.HasSuffix(required, " at "+g.SpecVersion) })
		if len(rest) < n {
			versions = append(versions, g.SpecVersion)
		}
	}
	return rest, versions
}

// partialWidth bounds the reason for a stop in the last line: a path, and what is
// wrong with it.
const partialWidth = 200

func commas(words []string) string { return strings.Join(words, ", ") }

// some is commas of the first three, and counts the others.
func some(words []string) string {
	if len(words) <= 3 {
		return commas(words)
	}
	return fmt.Sprintf("%s and %s more", commas(words[:3]), group(len(words)-3))
}

// held says what may be said when no MUST was broken but the expected ones.
func (s Summary) held(broken [3]bool) string {
	switch {
	case s.asExpected():
		return "nothing broken but what was expected"
	case broken[1] || broken[2]:
		return "no MUST was broken"
	}
	return "nothing broken"
}

// asExpected reports whether a finding was expected.
func (s Summary) asExpected() bool {
	return slices.ContainsFunc(s.Findings, func(f Finding) bool { return f.Expected != nil })
}

func andPartial(why, partial string) string {
	if partial == "" {
		return why
	}
	return why + " before the run stopped early"
}

func weakest(broken [3]bool) string {
	switch {
	case broken[1] && broken[2]:
		return "a SHOULD was not kept, and a QUALITY rule neither"
	case broken[1]:
		return "a SHOULD was not kept"
	}
	return "a QUALITY rule was not kept"
}

// brokenClasses tells for each class of Weigh whether it has a finding that was
// not expected.
func (s Summary) brokenClasses() (broken [3]bool) {
	for _, f := range s.Findings {
		if f.Expected == nil {
			broken[Weigh(f.Level)] = true
		}
	}
	return broken
}

// Tested returns the groups of the pair under test, oldest version first.
func (s Summary) Tested() []Group { return s.arm(ArmTarget) }

func (s Summary) arm(a Arm) []Group {
	var out []Group
	for _, g := range s.Groups {
		if g.Arm == a {
			out = append(out, g)
		}
	}
	return out
}

func (s Summary) testedWorlds() int {
	n := 0
	for _, g := range s.Tested() {
		n += g.Worlds
	}
	return n
}

// unexercised returns those of the rules that no tested world exercised, at any
// version.
func (s Summary) unexercised(rules []string) []string {
	return slices.DeleteFunc(slices.Clone(rules), func(rule string) bool {
		return s.anyTally(rule, func(r RuleTally) bool { return r.Checked > 0 })
	})
}

// undecided returns those of the rules that were exercised, but for which no
// world came to a pass or a failure.
func (s Summary) undecided(rules []string) []string {
	return slices.DeleteFunc(slices.Clone(rules), func(rule string) bool {
		return s.anyTally(rule, RuleTally.decided)
	})
}

// unknown names the rule that most worlds leave open, because a process died there
// of which nobody can say whose fault it was; empty where no world does.
func (s Summary) unknown() string {
	worlds := map[string]int{}
	for _, g := range s.Tested() {
		for _, r := range g.Rules {
			worlds[r.Rule] += r.Worlds[oracle.Unknown]
		}
	}
	most := ""
	for _, rule := range slices.Sorted(maps.Keys(worlds)) {
		if worlds[rule] > worlds[most] {
			most = rule
		}
	}
	if most == "" {
		return ""
	}
	return fmt.Sprintf("%s in %s", most, plural(worlds[most], "world"))
}

// exercised reports whether anything was.
func (s Summary) exercised() bool {
	return slices.ContainsFunc(s.Tested(), func(g Group) bool {
		return slices.ContainsFunc(g.Rules, func(r RuleTally) bool { return r.Checked > 0 })
	})
}

func (s Summary) anyTally(rule string, holds func(RuleTally) bool) bool {
	for _, g := range s.Tested() {
		for _, r := range g.Rules {
			if r.Rule == rule && holds(r) {
				return true
			}
		}
	}
	return false
}

func (r RuleTally) decided() bool { return r.Worlds[oracle.Pass]+r.Worlds[oracle.Fail] > 0 }

// plural writes a number with its noun: "1 finding", "2,000 worlds".
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return group(n) + " " + noun
}

// group writes an integer with a comma between the thousands.
func group[T int | int64](n T) string {
	digits := fmt.Sprint(n)
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	var parts []string
	for len(digits) > 3 {
		parts = append([]string{digits[len(digits)-3:]}, parts...)
		digits = digits[:len(digits)-3]
	}
	return sign + cmp.Or(strings.Join(append([]string{digits}, parts...), ","), "0")
}
