package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// objections answers with the example what its reader will object, and lists
// what the rule does not count, with how often each came up in this run.
func (p Page) objections() string {
	var asked, exempt []string
	if p.late() {
		asked = p.answers()
	}
	for _, x := range p.Rule.Exempt {
		exempt = append(exempt, "- "+x.What+p.uncounted(x.Why))
	}
	for _, u := range p.Finding.Uncounted {
		if !slices.ContainsFunc(p.Rule.Exempt, func(x oracle.Exemption) bool { return x.Why == u.Why }) {
			exempt = append(exempt, fmt.Sprintf("- %s (%s in this run)", printable(u.Why, 200), group(u.N)))
		}
	}
	if len(exempt) > 0 {
		exempt = slices.Insert(exempt, 0, "Not counted by this rule:", "")
	}
	return strings.Join(nonEmpty([]string{strings.Join(asked, "\n"), strings.Join(exempt, "\n")}), "\n\n")
}

// uncounted says how often an exemption was made use of, where that is known.
func (p Page) uncounted(why string) string {
	for _, u := range p.Finding.Uncounted {
		if u.Why == why && why != "" {
			return fmt.Sprintf(" (%s in this run)", group(u.N))
		}
	}
	return ""
}

// late reports whether the example is a message that was sent for a call after
// its cancel had been read.
func (p Page) late() bool {
	return p.Rule.Late && unfinished(p.Finding.Example.Phase) && p.Finding.Example.Lateness >= 0
}

// answers are the three objections to a late message, answered by the example.
func (p Page) answers() []string {
	x := p.Finding.Example
	when := exactly(x.Lateness) + " later"
	if x.Lateness == 0 {
		when = "in the same instant, and later in the recorded order"
	}
	return []string{
		fmt.Sprintf("- Already sent when the cancel was read? No, %s (events %s).", when, joinInts(x.Events)),
		fmt.Sprintf("- Handler already finished? No, the call was %s when the cancel was read.", x.Phase),
		fmt.Sprintf("- Call unknown, `initialize`, or a task? No, call %d is a `%s` that the server had read.", x.Call, cmp.Or(x.Method, "tools/call")),
	}
}

func (p Page) howOften() string {
	f := p.Finding
	var lines []string
	if len(f.Handlers) > 0 {
		lines = append(lines, "- by handler: "+strings.Join(p.byHandler(), " · "))
	}
	if p.late() {
		lines = append(lines, "- by lateness: "+strings.Join(byLateness(f.Lateness), " · "))
	}
	var whats []string
	for _, w := range byCount(f.What) {
		whats = append(whats, group(f.What[w])+" "+code(w))
	}
	if len(whats) > 0 {
		lines = append(lines, "- what it did: "+strings.Join(whats, " · "))
	}
	seeds := make([]string, len(f.Seeds))
	for i, s := range f.Seeds {
		seeds[i] = fmt.Sprint(s)
	}
	if len(seeds) > 0 {
		lines = append(lines, "- smallest seeds: "+strings.Join(seeds, ", "))
	}
	return strings.Join(lines, "\n")
}

// byHandler counts violations by kind of tool, of the cancels that could have
// led to one where the rule checks just those.
func (p Page) byHandler() []string {
	f := p.Finding
	open, total := map[string]int{}, 0
	g, _ := p.group(ArmTarget)
	for _, o := range g.Outcomes {
		if unfinished(o.Phase) && f.Handlers[o.Handler] > 0 {
			open[o.Handler] += o.N
			total += o.N
		}
	}
	var out []string
	for _, h := range byCount(f.Handlers) {
		part := h + " " + group(f.Handlers[h])
		if total == f.Checked && f.Handlers[h] <= open[h] {
			part += " of " + group(open[h])
		}
		out = append(out, part)
	}
	return out
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
	{time.Second, "0.1 to 1 s"},
	{0, "1 s and more"},
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

// exactly writes a duration in milliseconds to the microsecond.
func exactly(d time.Duration) string {
	return fmt.Sprintf("%.3f ms", float64(d)/float64(time.Millisecond))
}

func joinInts(list []int) string {
	parts := make([]string, len(list))
	for i, n := range list {
		parts[i] = fmt.Sprint(n)
	}
	return strings.Join(parts, ", ")
}
