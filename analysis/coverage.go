package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// A coverage is how often a run put one rule to the test, over all versions.
type coverage struct {
	rule    string
	phases  map[oracle.Phase]int // by where the cancel fell in its call's life
	other   int                  // of checks that are not of one cancelled call, or of none
	checked int
	bound   bool     // at some version of the run
	never   []string // versions that have the rule and did not exercise it
}

// covered lists the rules of a side that bind at some version of the run, in their
// order.
func (s Summary) covered(side history.Side) []coverage {
	var out []coverage
	for _, g := range s.Tested() {
		for _, r := range g.Rules {
			if binds(r) != side {
				continue
			}
			i := slices.IndexFunc(out, func(c coverage) bool { return c.rule == r.Rule })
			if i < 0 {
				i = len(out)
				out = append(out, coverage{rule: r.Rule, phases: map[oracle.Phase]int{}})
			}
			out[i].add(g.SpecVersion, r)
		}
	}
	return slices.DeleteFunc(out, func(c coverage) bool { return !c.bound })
}

// binds is who is bound; a tally's side is that of who broke the rule.
func binds(r RuleTally) history.Side {
	if rule, ok := oracle.FindRule(r.Rule); ok {
		return rule.Side
	}
	return r.Side
}

func (c *coverage) add(specVersion string, r RuleTally) {
	if r.Level == "" {
		return // the version has no such rule
	}
	c.bound = true
	c.checked += r.Checked
	if r.Checked == 0 {
		c.never = append(c.never, specVersion)
	}
	rest := r.Checked
	for _, x := range r.Exercised {
		if x.Phase != "" {
			c.phases[x.Phase] += x.N
			rest -= x.N
		}
	}
	c.other += rest
}

// CoverageText renders how often the rules were really exercised, phase × rule, a
// table for each side, in at most 100 columns.
func CoverageText(r Report) string {
	sections := []string{
		r.header(),
		r.coverage(),
		join(r.missing(), r.Style.paint(bold, r.Decision.Line)),
	}
	text := trimLines(strings.Join(nonEmpty(sections), "\n\n")) + "\n"
	if r.Style.ASCII {
		return ascii(text)
	}
	return text
}

// coverage is the tables of both sides and of the rules that bind both.
func (r Report) coverage() string {
	var tables []string
	for _, side := range []history.Side{history.Server, history.Client, history.World} {
		if rows := r.Summary.covered(side); len(rows) > 0 {
			tables = append(tables, coverageTable(boundSide(side), rows))
		}
	}
	if len(tables) == 0 {
		return ""
	}
	tables = append(tables, fold("A column is where a cancel fell in its call's life when it was read, "+
		"other what is not about one cancelled call. A pass of what was not exercised says nothing.", "")+r.phaseLegend())
	return strings.Join(tables, "\n\n")
}

// phaseLegend explains the columns that the tables have.
func (r Report) phaseLegend() string {
	text := ""
	for _, p := range phasesInOrder() {
		shown := slices.ContainsFunc([]history.Side{history.Server, history.Client, history.World}, func(side history.Side) bool {
			return slices.ContainsFunc(r.Summary.covered(side), func(c coverage) bool { return c.phases[p] > 0 })
		})
		if shown {
			text += "\n" + hang("  "+left(phaseName(p), phaseWidth), meaning(p))
		}
	}
	return text
}

func boundSide(side history.Side) string {
	if side == history.World {
		return "rules of both sides"
	}
	return "rules of the " + string(side)
}

// The columns of the tables of coverage.
const (
	coverageLabel = 24
	coverageWidth = 10
	phaseWidth    = 10
)

// coverageTable has a column for each phase in which some rule was exercised.
func coverageTable(title string, rows []coverage) string {
	phases := slices.DeleteFunc(phasesInOrder(), func(p oracle.Phase) bool {
		return !slices.ContainsFunc(rows, func(c coverage) bool { return c.phases[p] > 0 })
	})
	head := left(title, coverageLabel)
	for _, p := range phases {
		head += right(" "+phaseName(p), coverageWidth)
	}
	lines := []string{head + right(" other", coverageWidth) + right(" all", coverageWidth)}
	for _, c := range rows {
		lines = append(lines, c.line(phases))
	}
	return strings.Join(lines, "\n")
}

func (c coverage) line(phases []oracle.Phase) string {
	if c.checked == 0 {
		return "  " + left(c.rule, coverageLabel-2) + "  not exercised"
	}
	line := "  " + left(c.rule, coverageLabel-2)
	for _, p := range phases {
		line += right(" "+count(c.phases[p]), coverageWidth)
	}
	line += right(" "+count(c.other), coverageWidth) + right(" "+group(c.checked), coverageWidth)
	if len(c.never) > 0 {
		line += "\n" + hang("    ", "not exercised at "+strings.Join(c.never, ", "))
	}
	return line
}

// count writes a dash for nothing.
func count(n int) string {
	if n == 0 {
		return notApplicable
	}
	return group(n)
}

// phasesInOrder are the phases in the order of a call's life.
func phasesInOrder() []oracle.Phase {
	return []oracle.Phase{
		oracle.NeverIssued, oracle.BeforeRequest, oracle.Queued, oracle.Running, oracle.Returned,
		oracle.Crossing, oracle.AfterResponse, oracle.Undelivered,
	}
}

// phaseName is a phase in a column's width.
func phaseName(p oracle.Phase) string {
	switch p {
	case oracle.NeverIssued:
		return "unissued"
	case oracle.BeforeRequest:
		return "early"
	case oracle.AfterResponse:
		return "answered"
	case oracle.Undelivered:
		return "unread"
	}
	return string(p)
}

// missing says of each requirement that was not met what would meet it, but where no
// session came about.
func (r Report) missing() string {
	var lines []string
	missing, _ := r.Summary.apart(r.Decision.Missing)
	for _, required := range missing {
		rule, _, _ := strings.Cut(required, " ")
		cure := textOf(r.Rules, rule).cure()
		if n, why := r.Summary.loose(required, rule); n > 0 {
			cure = fmt.Sprintf("The server need not have made anything of what was read in time: %s, %s.", plural(n, "cancel"), why)
		}
		lines = append(lines, hang("!   ", fmt.Sprintf("required and not exercised: %s. %s", required, cure)))
	}
	return strings.Join(lines, "\n")
}

// loose is how many cancels a rule that is required at a version left uncounted because the
// server need not have made anything of them, and why, of most; 0: none, or others, too.
func (s Summary) loose(required, rule string) (n int, why string) {
	most := 0
	for _, g := range s.Tested() {
		if !strings.HasSuffix(required, " at "+g.SpecVersion) {
			continue
		}
		for _, r := range g.Rules {
			for _, u := range r.Uncounted {
				if r.Rule != rule || !oracle.IsLoose(u.Why) {
					continue
				}
				if n += u.N; u.N > most {
					most, why = u.N, u.Why
				}
			}
		}
	}
	return n, why
}

// cure says what would exercise the rule.
func (r RuleText) cure() string {
	if r.Exercise == "" {
		return "Nothing happened that it speaks of."
	}
	return r.Exercise
}
