package analysis

import (
	"fmt"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// HistoryText is what there is to say of one judged history: what it is, a line
// for each rule that was broken, and which held or could not be judged.
func HistoryText(name string, h history.Header, w World) string {
	pair := Manifest{Client: h.Client, Server: h.Server}.Pair()
	lines := []string{fold(fmt.Sprintf("%s: seed %d at %s, client %s, server %s, history %s",
		printable(name, 400), h.Seed, printable(h.SpecVersion, 40), printable(pair.Client, 100), printable(pair.Server, 100), w.Digest), "")}
	named := map[oracle.Status][]string{}
	for _, v := range w.Judgement.Verdicts {
		switch {
		case v.Level == "" || v.Level == oracle.Info: // the version has no such rule, or holds it against nobody
		case v.Status == oracle.Fail:
			lines = append(lines, brokenLine(v))
		default:
			named[v.Status] = append(named[v.Status], v.Rule)
		}
	}
	for _, kind := range []struct {
		status oracle.Status
		words  string
	}{
		{oracle.Pass, "held"}, {oracle.Vacuous, "not exercised"},
		{oracle.Unknown, "not decided"}, {oracle.Ambiguous, "ambiguous"},
	} {
		if rules := named[kind.status]; len(rules) > 0 {
			lines = append(lines, hang("    ", kind.words+": "+strings.Join(rules, ", ")))
		}
	}
	return trimLines(strings.Join(lines, "\n")) + "\n"
}

// brokenLine says how a rule was broken, by the first violation and the events
// that prove it.
func brokenLine(v oracle.Verdict) string {
	head := fmt.Sprintf("%s %s: ", v.Level, v.Rule)
	if v.Implied != "" {
		return hang("    ", head+"broken by the same act as "+v.Implied)
	}
	text := fmt.Sprintf("%sbroken, %s of %s", head, group(v.Failed), group(v.Checked))
	if len(v.Violations) > 0 {
		x := v.Violations[0]
		text += fmt.Sprintf(": %s (events %s", printable(x.What, 200), joinInts(x.Events))
		if x.Call != 0 {
			text += fmt.Sprintf(" of call %d", x.Call)
		}
		text += ")"
	}
	return hang("    ", text)
}

func joinInts(list []int) string {
	parts := make([]string, len(list))
	for i, n := range list {
		parts[i] = fmt.Sprint(n)
	}
	return strings.Join(parts, ", ")
}
