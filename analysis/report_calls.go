package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// The columns of the table of cancelled calls.
const (
	callsLabel  = 40
	markWidth   = 4
	countWidth  = 9
	shareWidth  = 6
	maxVersions = 3
)

// A fate is where the cancels of a group ended up. Blocks of them add up:
// cancelled = unsent + sent; sent = undelivered + early + over + open; open =
// silent + answered + twice.
type fate struct {
	unsent, sent                   int
	undelivered, early, over, open int
	silent, answered, twice        int
}

func fateOf(g Group) fate {
	f := fate{unsent: g.Cancelled - g.Sent, sent: g.Sent}
	for _, o := range g.Outcomes {
		switch o.Phase {
		case oracle.Undelivered:
			f.undelivered += o.N
		case oracle.NeverIssued, oracle.BeforeRequest:
			f.early += o.N
		case oracle.Queued, oracle.Running:
			f.addOpen(o)
		default:
			f.over += o.N
		}
	}
	return f
}

// addOpen adds cancels that were read while the call was queued or running. One
// that a response crossed in the same instant was too late, as if the call had
// ended before.
func (f *fate) addOpen(o Outcome) {
	if o.Wire == oracle.Crossed {
		f.over += o.N
		return
	}
	f.open += o.N
	switch o.Wire {
	case oracle.Answered:
		f.answered += o.N
	case oracle.AnsweredTwice:
		f.twice += o.N
	default:
		f.silent += o.N
	}
}

// A callRow is one line of the table. part and block give, for a group, the
// count and the parts that it adds up to 100 % with.
type callRow struct {
	label, note string
	always      bool // also when it is zero everywhere
	marked      bool // with the finding that convicts it
	part        func(fate) int
	block       func(fate) []int
}

func callRows() []callRow {
	all := func(f fate) []int { return []int{f.unsent, f.sent} }
	sent := func(f fate) []int { return []int{f.undelivered, f.early, f.over, f.open} }
	open := func(f fate) []int { return []int{f.silent, f.answered, f.twice} }
	return []callRow{
		{label: "  no cancel sent", always: true, part: func(f fate) int { return f.unsent }, block: all},
		{label: "  cancel sent", always: true, part: func(f fate) int { return f.sent }, block: all},
		{label: "    never read", part: func(f fate) int { return f.undelivered }, block: sent},
		{label: "    read before its request", note: "benign race R4", part: func(f fate) int { return f.early }, block: sent},
		{label: "    read after the call had ended", note: "benign races R1-R3", always: true,
			part: func(f fate) int { return f.over }, block: sent},
		{label: "    read while queued or running", always: true,
			part: func(f fate) int { return f.open }, block: sent},
		{label: "      silent", always: true, part: func(f fate) int { return f.silent }, block: open},
		{label: "      answered", always: true, marked: true,
			part: func(f fate) int { return f.answered }, block: open},
		{label: "      answered twice", part: func(f fate) int { return f.twice }, block: open},
	}
}

// cancelledCalls is the table of what became of the calls that the application
// cancelled, a column for each protocol version.
func (r Report) cancelledCalls() string {
	groups := r.Summary.Tested()
	calls, cancelled := 0, 0
	for _, g := range groups {
		calls, cancelled = calls+g.Calls, cancelled+g.Cancelled
	}
	if cancelled == 0 {
		return "cancelled calls: none, of " + plural(calls, "call")
	}
	hidden := max(0, len(groups)-maxVersions)
	groups = groups[hidden:]
	lines := []string{left("cancelled calls", callsLabel)}
	fates := make([]fate, len(groups))
	for i, g := range groups {
		fates[i] = fateOf(g)
		lines[0] += right(g.SpecVersion, markWidth+countWidth+shareWidth)
	}
	for _, row := range callRows() {
		if row.always || slices.ContainsFunc(fates, func(f fate) bool { return row.part(f) > 0 }) {
			lines = append(lines, r.callLine(row, groups, fates))
		}
	}
	if remark := r.signalling().remark(); remark != "" {
		lines = append(lines, fold(remark, "  "))
	}
	if remark := r.notJudged(groups, fates); remark != "" {
		lines = append(lines, fold(remark, "  "))
	}
	if remark := r.brokenUnder(groups); remark != "" {
		lines = append(lines, fold(remark, "  "))
	}
	if remark := notesBelow(groups, fates); remark != "" {
		lines = append(lines, fold(remark, "  "))
	}
	if hidden > 0 {
		lines = append(lines, fmt.Sprintf("  (and %s, older: %s)", plural(hidden, "version"), SummaryFile))
	}
	return strings.Join(lines, "\n")
}

// notJudged says that answers in the table convict nobody, where they do not.
func (r Report) notJudged(groups []Group, fates []fate) string {
	rule, _ := oracle.FindAny("CANCEL-NO-RESPONSE")
	for i, g := range groups {
		told := rule.LevelOver(oracle.Transport(r.Manifest.Transport), g.SpecVersion) == oracle.Info
		if told && fates[i].answered+fates[i].twice > 0 && r.Summary.answerFinding(g.SpecVersion) == "" {
			return "answered: not judged over Streamable HTTP before 2026-07-28, see mcpsim explain Q4"
		}
	}
	return ""
}

// brokenUnder reconciles the table with rules that count more than it has: where a
// disconnect is a cancel, connections that broke under calls that nobody cancelled.
func (r Report) brokenUnder(groups []Group) string {
	n := 0
	for _, g := range groups {
		if ClosesToCancel(r.Manifest.Transport, g.SpecVersion) {
			n += g.broken()
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("not in the table, though rules about cancels count them: %s lost while nobody cancelled; from 2026-07-28 on a disconnect is a cancel all the same",
		plural(n, "connection"))
}

// broken is the number of calls with which rules about cancels that came in time were
// checked though nobody had cancelled them: of the rule that has most of them.
func (g Group) broken() int {
	most := 0
	for _, t := range g.Rules {
		if !strings.HasPrefix(wording(t.Rule).Counts, openCancels) {
			continue
		}
		n := 0
		for _, x := range t.Exercised {
			if x.Phase == "" {
				n += x.N
			}
		}
		most = max(most, n)
	}
	return most
}

func (r Report) callLine(row callRow, groups []Group, fates []fate) string {
	line := left(r.signalling().words(row.label), callsLabel)
	for i, f := range fates {
		mark := ""
		if row.marked && row.part(f) > 0 {
			mark = r.Summary.answerFinding(groups[i].SpecVersion)
		}
		line += right(mark, markWidth) + right(group(row.part(f)), countWidth) + right(row.share(f), shareWidth)
	}
	if row.note != "" && notesFit(groups) {
		line += "   " + row.note
	}
	return line
}

// noteWidth is that of the widest note behind a row.
const noteWidth = 22

// notesFit reports whether there is room for notes behind the columns.
func notesFit(groups []Group) bool {
	return callsLabel+len(groups)*(markWidth+countWidth+shareWidth)+noteWidth <= width
}

// notesBelow says in a line below what the rows have no room for.
func notesBelow(groups []Group, fates []fate) string {
	if notesFit(groups) {
		return ""
	}
	var out []string
	for _, row := range callRows() {
		if row.note != "" && slices.ContainsFunc(fates, func(f fate) bool { return row.part(f) > 0 }) {
			out = append(out, strings.TrimSpace(row.label)+": "+row.note)
		}
	}
	return strings.Join(out, " · ")
}

// share is the row's per cent of its block; empty for a block of nothing.
func (row callRow) share(f fate) string {
	block := row.block(f)
	if slices.Max(block) == 0 {
		return ""
	}
	return shares(block)[row.index()]
}

// index is the row's place in its block, found by a fate of one.
func (row callRow) index() int {
	probe := fate{1, 2, 3, 4, 5, 6, 7, 8, 9}
	return slices.Index(row.block(probe), row.part(probe))
}

// answerFinding is the finding that convicts late answers at a version.
func (s Summary) answerFinding(specVersion string) string {
	for _, f := range s.Findings {
		if f.SpecVersion == specVersion && (f.Cause == "" || f.Cause == oracle.AnsweredCause) && (f.Rule == "CANCEL-SILENCE" || f.Rule == "CANCEL-NO-RESPONSE") {
			return f.ID
		}
	}
	return ""
}
