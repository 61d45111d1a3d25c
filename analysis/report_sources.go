package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// The columns of the table of sources.
const (
	sourceLabel     = 36
	sdkWidth        = 19
	toolsWidth      = 22
	referenceWidth  = 23
	notApplicable   = "-"
	quantilesLabels = " [p50, p99, max]"
)

// aftermath is what happened after cancels were read, over all versions of an
// arm.
type aftermath struct {
	ran                    bool
	worlds                 int
	open, late             int // cancels read while queued or running; of those, answered late
	neverTold, ranOn       int
	leaked, leakyWorlds    int
	neverTime, ranOnTime   Distribution
	told, stopped, crossed Distribution
	incidents              map[oracle.Incident]int
}

func aftermathOf(groups []Group) aftermath {
	a := aftermath{ran: len(groups) > 0, incidents: map[oracle.Incident]int{}}
	for _, g := range groups {
		a.worlds += g.Worlds
		a.leaked += g.Leaked
		a.leakyWorlds += g.LeakyWorlds
		a.neverTime.Merge(g.ReadToEnd[oracle.NeverTold])
		a.ranOnTime.Merge(g.ReadToEnd[oracle.ToldRanOn])
		a.told.Merge(g.ReadToTold)
		a.stopped.Merge(g.ToldToEnd)
		a.crossed.Merge(g.SentToRead)
		for k, n := range g.Incidents {
			a.incidents[k] += n
		}
		for _, o := range g.Outcomes {
			a.add(o)
		}
	}
	return a
}

func (a *aftermath) add(o Outcome) {
	if o.Late {
		a.late += o.N
	}
	if !unfinished(o.Phase) {
		return
	}
	a.open += o.N
	switch o.Work {
	case oracle.NeverTold:
		a.neverTold += o.N
	case oracle.ToldRanOn:
		a.ranOn += o.N
	}
}

// sources tells the SDK, the scenario's own tools and the reference apart.
func (r Report) sources() string {
	target := aftermathOf(r.Summary.Tested())
	left := r.remains()
	if !target.ran || target.open == 0 && len(left) == 0 {
		return ""
	}
	if target.open == 0 {
		return sourceLines(append([][4]string{{"after all clients had closed", "SDK", "scenario's own tools", "reference, same seeds"}}, left...))
	}
	ref := aftermathOf(r.Summary.arm(ArmReference))
	words := r.signalling().words
	title := words("after cancels were read")
	if n := len(r.Summary.Tested()); n > 1 {
		title += fmt.Sprintf(", %d versions", n)
	}
	sdkLeaked, toolsLeaked := leaks(target, ref)
	rows := [][4]string{
		{title, "SDK", "scenario's own tools", "reference, same seeds"},
		{"  late responses, of " + group(target.open), group(target.late), notApplicable, ref.cell(group(ref.late))},
		{"  handler never told (orphaned work)", calls(target.neverTold, target.neverTime), notApplicable,
			ref.cell(calls(ref.neverTold, ref.neverTime))},
		{"  handler told, ran on", notApplicable, calls(target.ranOn, target.ranOnTime), notApplicable},
		{"  goroutines left after close", sdkLeaked, toolsLeaked, ref.cell(group(ref.leaked))},
	}
	rows = append(rows, left...)
	return sourceLines(append(rows, [][4]string{
		{words("  read until told") + quantilesLabels, quantiles(target.told), notApplicable, ref.cell(quantiles(ref.told))},
		{"  told until stopped" + quantilesLabels, notApplicable, quantiles(target.stopped), notApplicable},
	}...))
}

// remains are the rows of what a server over HTTP is left with; none where nobody
// counted.
func (r Report) remains() [][4]string {
	target := remainsOf(r.Summary.Tested())
	if target == nil {
		return nil
	}
	sessions, exchanges := "not run", "not run"
	if ref := remainsOf(r.Summary.arm(ArmReference)); ref != nil {
		sessions, exchanges = aliveOf(r.Summary.arm(ArmReference)), group(ref.Open)+" of "+group(ref.Exchanges)
	}
	return [][4]string{
		{"  sessions alive after close", aliveOf(r.Summary.Tested()), notApplicable, sessions},
		{"  HTTP exchanges never ended", group(target.Open) + " of " + group(target.Exchanges), notApplicable, exchanges},
	}
}

// aliveOf says how many sessions of how many are alive, over the versions that have
// sessions: 2026-07-28 has none. What a server keeps there all the same SESSION-ENDS
// judges; it is no share of anything.
func aliveOf(groups []Group) string {
	sum := remainsOf(slices.DeleteFunc(slices.Clone(groups), func(g Group) bool { return WithoutSessions(g.SpecVersion) }))
	if sum == nil {
		return notApplicable
	}
	return group(sum.Alive) + " of " + group(sum.Closed)
}

// firstWithoutSessions is the first protocol version over HTTP that has no sessions.
const firstWithoutSessions = "2026-07-28"

// WithoutSessions reports whether a protocol version has no sessions over HTTP.
func WithoutSessions(specVersion string) bool { return specVersion >= firstWithoutSessions }

// sourceLines lay the table of sources out.
func sourceLines(rows [][4]string) string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = left(row[0], sourceLabel) + right(" "+row[1], sdkWidth) +
			right(" "+row[2], toolsWidth) + right(" "+row[3], referenceWidth)
	}
	return strings.Join(lines, "\n")
}

// cell is text, unless the arm was not run.
func (a aftermath) cell(text string) string {
	if !a.ran {
		return "not run"
	}
	return text
}

// leaks splits the goroutines that were left over. The reference leaves none of
// its own, so what remains with it on as many worlds is the tools'.
func leaks(target, ref aftermath) (sdk, tools string) {
	if target.leaked == 0 {
		return "0", "0"
	}
	if !ref.ran || ref.worlds != target.worlds {
		return group(target.leaked), "not told apart"
	}
	own := min(ref.leaked, target.leaked)
	return group(target.leaked - own), group(own)
}

func calls(n int, total Distribution) string {
	return plural(n, "call") + ", " + Duration(total.Sum())
}

func quantiles(d Distribution) string {
	if d.N() == 0 {
		return notApplicable
	}
	return Duration(d.Quantile(0.5)) + ", " + Duration(d.Quantile(0.99)) + ", " + Duration(d.Max())
}

// injected says how much of what people would measure is our own network, and
// what virtual time leaves out.
func (r Report) injected() string {
	target := aftermathOf(r.Summary.Tested())
	if target.crossed.N() == 0 {
		return ""
	}
	text := fmt.Sprintf("injected: %s [p50, p99] %s, %s, not the SDK's.", r.signalling().words("cancel sent until read"),
		Duration(target.crossed.Quantile(0.5)), Duration(target.crossed.Quantile(0.99)))
	if r.Manifest.Clock == "virtual" {
		text += " Virtual time counts no CPU."
	}
	return fold(text, "")
}

func (r Report) incidents() string {
	target := aftermathOf(r.Summary.Tested())
	var names []oracle.Incident
	total := 0
	for _, g := range r.Summary.Tested() {
		total += g.Calls
	}
	for k, n := range target.incidents {
		if n > 0 {
			names = append(names, k)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.SortFunc(names, func(a, b oracle.Incident) int { return cmp.Compare(a, b) })
	var parts []string
	for _, k := range names {
		parts = append(parts, fmt.Sprintf("%s %s", group(target.incidents[k]), k))
	}
	return r.Style.paint(red, fold(fmt.Sprintf("incidents, of %s: %s", plural(total, "call"), strings.Join(parts, ", ")), ""))
}
