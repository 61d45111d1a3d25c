package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// objections answers with the example what its reader will object, and says how
// often in this run what looked like a breach was none.
func (p Page) objections() string {
	if len(p.Rule.Exempt) == 0 && len(p.Finding.Uncounted) == 0 {
		return ""
	}
	return strings.Join(nonEmpty([]string{p.answers(), p.unasked(), p.uncounted()}), "\n\n")
}

// answers puts each exemption as a question and answers it.
func (p Page) answers() string {
	var lines []string
	asked := ""
	for i, o := range p.Objections {
		if o.Answer == "" {
			continue
		}
		if asked += " " + o.Asks; i+1 < len(p.Objections) && p.Objections[i+1].Answer == o.Answer {
			continue // one answer to several questions
		}
		lines = append(lines, fmt.Sprintf("- *%s* %s", strings.TrimSpace(asked), o.Answer))
		asked = ""
	}
	if len(lines) == 0 {
		return ""
	}
	return "Whatever the rule excuses, asked of this example; times are those above, an event's number is its `seq` in the history.\n\n" +
		strings.Join(lines, "\n")
}

// unasked lists the exemptions that the example does not answer.
func (p Page) unasked() string {
	var lines []string
	for _, x := range p.Rule.Exempt {
		if x.OfLong || x.OfHTTP && p.overStdio() {
			continue // where it mattered, it was counted
		}
		if !slices.ContainsFunc(p.Objections, func(o oracle.Objection) bool { return o.What == x.What && o.Answer != "" }) {
			lines = append(lines, "- "+x.What)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	title := "Never counted by this rule:"
	if len(lines) < len(p.Rule.Exempt) {
		title = "Nor does the rule count:"
	}
	return title + "\n\n" + strings.Join(lines, "\n")
}

// overStdio reports whether the run was over a stream of bytes.
func (p Page) overStdio() bool {
	return cmp.Or(oracle.Transport(p.Manifest.Transport), oracle.Stdio) == oracle.Stdio
}

// uncounted says what was made use of.
func (p Page) uncounted() string {
	var lines []string
	for _, u := range p.Finding.Uncounted {
		lines = append(lines, fmt.Sprintf("- %s × %s", group(u.N), printable(u.Why, 200)))
	}
	if len(lines) == 0 {
		return "Nothing else in this run looked like a breach."
	}
	return "Not counted in this run, though it looked like a breach:\n\n" + strings.Join(lines, "\n")
}

// late reports whether the example is a message that was sent for a call after
// its cancel had been read.
func (p Page) late() bool {
	return p.Rule.Late && unfinished(p.Finding.Example.Phase) && p.Finding.Example.Lateness >= 0
}

func (p Page) howOften() string {
	f := p.Finding
	var lines []string
	add := func(what string, parts []string) {
		if len(parts) > 0 {
			lines = append(lines, "- "+what+": "+strings.Join(parts, " · "))
		}
	}
	add("by handler", p.shares(f.Handlers, func(x oracle.Exercise) string { return x.Handler }))
	add("by request", f.byRequest())
	what := "what it did"
	if p.late() {
		add("by lateness", ofListed(byLateness(f.Lateness), int(f.Lateness.N()), f.Failed))
		what = "by answer"
	}
	add(what, f.ways())
	phase, none := "by phase in which the cancel was read", "nobody cancelled"
	if ClosesToCancel(p.Manifest.Transport, f.SpecVersion) {
		phase, none = closed(phase), "connection broken, nobody cancelled"
	}
	add(phase, p.shares(f.Phases, func(x oracle.Exercise) string { return cmp.Or(string(x.Phase), none) }))
	if words := phaseWords(f.phasesSeen(), func(p oracle.Phase) string { return string(p) }); words != "" {
		lines = append(lines, "  ("+words+")")
	}
	var seeds []string
	for _, s := range f.Seeds {
		seeds = append(seeds, fmt.Sprint(s))
	}
	if len(seeds) > 0 {
		lines = append(lines, "- smallest seeds: "+strings.Join(seeds, ", "))
	}
	return strings.Join(lines, "\n")
}

// phasesSeen are those of the finding's violations, in the order of a call's life.
func (f Finding) phasesSeen() []oracle.Phase {
	return slices.DeleteFunc(phasesInOrder(), func(p oracle.Phase) bool { return f.Phases[string(p)] == 0 })
}

// pageWays is how many ways of breaking a rule a page tells apart.
const pageWays = 8

// byRequest counts violations by kind of request, where that is not the usual one
// alone.
func (f Finding) byRequest() []string {
	var out []string
	for _, m := range byCount(f.Methods) {
		out = append(out, m+" "+group(f.Methods[m]))
	}
	return out
}

// ways tells what the violations did, the most frequent first.
func (f Finding) ways() []string {
	var out []string
	words, kept := f.words()
	if len(words) == 1 && kept > 0 {
		return []string{code(words[0])}
	}
	rest := 0
	for i, w := range words {
		if i < pageWays {
			out = append(out, group(f.What[w])+" "+code(w))
		} else {
			rest += f.What[w]
		}
	}
	if rest > 0 {
		out = append(out, group(rest)+" otherwise")
	}
	return append(out, ofKept(kept)...)
}

// shares counts violations by a key, of the checks with that key where the rule
// told them all apart, and exactly where it has one cause alone. Else they are
// those that the verdicts list.
func (p Page) shares(listed map[string]int, key func(oracle.Exercise) string) []string {
	if len(listed) == 0 {
		return nil
	}
	r, _ := p.tally(ArmTarget)
	of, bad, checked, failed := map[string]int{}, map[string]int{}, 0, 0
	for _, x := range r.Exercised {
		of[key(x)] += x.N
		bad[key(x)] += x.Failed
		checked, failed = checked+x.N, failed+x.Failed
	}
	if failed != p.Finding.Failed || failed != r.Failed {
		bad = listed
	}
	told := 0
	var out []string
	for _, k := range byCount(bad) {
		told += bad[k]
		part := k + " " + group(bad[k])
		if checked == r.Checked && bad[k] <= of[k] {
			part += " of " + group(of[k])
		}
		out = append(out, part)
	}
	return ofListed(out, told, p.Finding.Failed)
}

// ofListed says of how many of all violations the parts are, where that is not all.
func ofListed(parts []string, told, all int) []string {
	if told >= all || len(parts) == 0 {
		return parts
	}
	return append(parts, ofKept(told)...)
}

// latenessBounds cut the lateness into the ranges that a page names.
var latenessBounds = [...]struct {
	below time.Duration // 0: no bound
	name  string
}{
	{1, "same instant (order proven)"},
	{time.Millisecond, "under 1 ms"},
	{10 * time.Millisecond, "1 to 10 ms"},
	{100 * time.Millisecond, "10 to 100 ms"},
	{0, "100 ms and more"},
}

func byLateness(d Distribution) []string {
	var counts [len(latenessBounds)]int64
	for _, b := range d.Buckets() {
		for i, bound := range latenessBounds {
			if bound.below == 0 || b.Value < bucketOf(int64(bound.below)) {
				counts[i] += b.N
				break
			}
		}
	}
	var out []string
	for i, n := range counts {
		if n > 0 {
			out = append(out, latenessBounds[i].name+" "+group(n))
		}
	}
	return out
}
