package analysis

import (
	"fmt"
	"slices"
	"strings"
)

// A SweepRow is one rule in a sweep's table. A rule that is a MUST at one version and
// a SHOULD at another has two rows.
type SweepRow struct {
	Rule  string      `json:"rule"`
	Class string      `json:"class"` // MUST, SHOULD or QUALITY
	Cells []SweepCell `json:"cells"` // one a scenario that was run, in their order
}

// A SweepCell is what one scenario came to for one rule, all versions together.
type SweepCell struct {
	State    CellState `json:"state"`
	Checked  int       `json:"checked"`
	Failed   int       `json:"failed"`             // what is reported under this rule, not under a stricter one
	Expected bool      `json:"expected,omitempty"` // Broken, and only as it was expected to be
}

// A CellState is a cell in one word.
type CellState string

// The states of a cell.
const (
	CellBroken  CellState = "broken"
	CellImplied CellState = "implied" // broken by an act that is reported under a stricter rule
	CellOpen    CellState = "open"    // exercised, and not decided
	CellHeld    CellState = "held"
	CellSilent  CellState = "not exercised"
	CellAbsent  CellState = "" // the rule binds at none of the versions
)

// rows is the table, MUST first, each class in the order of the rules.
func (s Sweep) rows() []SweepRow {
	var out []SweepRow
	for class, name := range classNames {
		for _, t := range s.Rules {
			row := SweepRow{Rule: t.ID, Class: name}
			binds := false
			for _, r := range s.Reports {
				c := r.Summary.cell(t.ID, class)
				binds = binds || c.State != CellAbsent
				row.Cells = append(row.Cells, c)
			}
			if binds {
				out = append(out, row)
			}
		}
	}
	return out
}

// cell adds up what the versions say of a rule where it is of a class.
func (s Summary) cell(rule string, class int) SweepCell {
	i := slices.IndexFunc(s.standings(), func(x *standing) bool { return x.rule == rule && x.class == class })
	if i < 0 {
		return SweepCell{}
	}
	x := s.standings()[i]
	c := SweepCell{State: x.state(), Expected: x.expected}
	for _, g := range s.Tested() {
		for _, r := range g.Rules {
			if r.Rule == rule && r.weighs() && Weigh(r.Level) == class {
				c.Checked += r.Checked
				c.Failed += r.Failed - r.Implied
			}
		}
	}
	return c
}

func (s *standing) state() CellState {
	switch {
	case s.broken:
		return CellBroken
	case s.implied:
		return CellImplied
	case s.silent():
		return CellSilent
	case s.undecided():
		return CellOpen
	}
	return CellHeld
}

const (
	ruleColumn = 25 // wide enough for the name of any rule
	cellColumn = 6
	mostCells  = (width - ruleColumn) / cellColumn
)

// table prints the rows, in several blocks where there are more scenarios than fit
// side by side. A rule that a block has nothing to say of has no row there.
func (s Sweep) table() string {
	rows := s.rows()
	if len(rows) == 0 {
		return ""
	}
	names := s.names()
	blocks := (len(names) + mostCells - 1) / mostCells
	each := (len(names) + blocks - 1) / blocks
	var parts []string
	for from := 0; from < len(names); from += each {
		parts = append(parts, s.block(rows, names, from, min(from+each, len(names))))
	}
	return strings.Join(append(parts, s.legend(rows)), "\n\n")
}

func (s Sweep) block(rows []SweepRow, names []string, from, to int) string {
	var titles []string
	head := left("rule × scenario", ruleColumn)
	for i := from; i < to; i++ {
		head += right(fmt.Sprint(i+1), cellColumn)
		titles = append(titles, fmt.Sprintf("%d %s", i+1, names[i]))
	}
	lines := []string{flow(titles, " · ", "  "), head}
	class := ""
	for _, row := range rows {
		if !slices.ContainsFunc(row.Cells[from:to], SweepCell.says) {
			continue
		}
		if row.Class != class {
			class = row.Class
			lines = append(lines, class)
		}
		lines = append(lines, row.text(from, to))
	}
	return strings.Join(lines, "\n")
}

func (r SweepRow) text(from, to int) string {
	line := left("  "+r.Rule, ruleColumn)
	mark := "▲"
	if r.Class == classNames[0] {
		mark = "✗"
	}
	for _, c := range r.Cells[from:to] {
		line += right(c.text(mark), cellColumn)
	}
	return line
}

// says reports whether the cell is worth a row.
func (c SweepCell) says() bool { return c.State != CellAbsent && c.State != CellSilent }

func (c SweepCell) text(mark string) string {
	switch c.State {
	case CellBroken:
		if c.Expected {
			return "e" + short(c.Failed)
		}
		return mark + short(c.Failed)
	case CellImplied:
		return "="
	case CellOpen:
		return "?"
	case CellSilent:
		return "–"
	case CellHeld:
		return short(c.Checked)
	}
	return ""
}

// short writes a count in at most four characters up to a million.
func short(n int) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%dM", n/1_000_000)
}

// legend explains the marks that occur, and names the rules that nothing exercised.
func (s Sweep) legend(rows []SweepRow) string {
	marks := []string{"✗12 a MUST broken, so often", "▲12 another rule not kept", "12 held, so often", "– not exercised", "blank: binds at none of the versions"}
	occurs := func(is func(SweepCell) bool) bool {
		return slices.ContainsFunc(rows, func(r SweepRow) bool { return slices.ContainsFunc(r.Cells, is) })
	}
	if occurs(func(c SweepCell) bool { return c.State == CellImplied }) {
		marks = append(marks, "= broken by an act that a stricter rule reports")
	}
	if occurs(func(c SweepCell) bool { return c.State == CellOpen }) {
		marks = append(marks, "? not decided")
	}
	if occurs(func(c SweepCell) bool { return c.Expected }) {
		marks = append(marks, "e12 as expected")
	}
	var silent []string
	for _, row := range rows {
		if !slices.ContainsFunc(row.Cells, SweepCell.says) {
			silent = append(silent, fmt.Sprintf("%s (%s)", row.Rule, row.Class))
		}
	}
	never := ""
	if len(silent) > 0 {
		never = hang("-   ", "exercised by none: "+strings.Join(silent, ", "))
	}
	return join(flow(marks, " · ", "  "), never)
}
