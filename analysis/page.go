package analysis

import (
	"fmt"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A Page is everything that a finding's page shows. It can be pasted into an
// issue unchanged. Parts that are empty are left out.
type Page struct {
	Manifest Manifest
	Summary  Summary
	Finding  Finding
	Rule     RuleText
	Digest   string // of the example's history
	Listing  string // the example's space-time listing, plain text
	Replay   string // commands that show the example again, to be pasted as they stand
	Handler  string // source of the example's tool
	AfterFix string // commands to run once it is mended, and why
}

// Markdown renders the page. It answers what its reader will object, in the
// order in which the objections come.
func Markdown(p Page) string {
	sections := []string{
		p.title(),
		section("What the specification says", p.clauses()),
		section(p.exampleTitle(), fenced("text", p.Listing)),
		section("Why this is not a benign race", p.objections()),
		section("How often", p.howOften()),
		section("Reproduce", p.reproduce()),
		section("The handler", fenced("go", p.Handler)),
		section("After a fix, run this too", fenced("sh", p.AfterFix)),
		p.versions(),
	}
	return strings.Join(nonEmpty(sections), "\n\n") + "\n"
}

func section(title, body string) string {
	if body == "" {
		return ""
	}
	return "## " + title + "\n\n" + body
}

func (p Page) title() string {
	f := p.Finding
	says := p.Rule.Says
	if says == "" {
		says = "does not keep " + f.Rule
	}
	who := f.Target + " " + string(f.Side)
	if f.Side == history.World {
		who = f.Target
	}
	lines := []string{
		fmt.Sprintf("# %s %s (%s, %s)", who, says, f.SpecVersion, p.Manifest.Transport),
		"",
		fmt.Sprintf("**%s** · %s · %s%s", f.Level, f.Rule, f.ratio(p.Rule), p.spread()),
	}
	if ref := p.reference(); ref != "" {
		lines = append(lines, "<br>"+ref)
	}
	if f.Expected != nil {
		lines = append(lines, "<br>Known: "+f.Expected.because())
	}
	if f.SameActAs != "" {
		lines = append(lines, fmt.Sprintf("<br>%s is the same behaviour at another protocol version.", f.SameActAs))
	}
	return strings.Join(lines, "\n")
}

func (p Page) group(arm Arm) (Group, bool) {
	for _, g := range p.Summary.Groups {
		if g.Arm == arm && g.SpecVersion == p.Finding.SpecVersion {
			return g, true
		}
	}
	return Group{}, false
}

// spread says in how many worlds it happened, where the rule does not count
// worlds anyway.
func (p Page) spread() string {
	g, _ := p.group(ArmTarget)
	if p.Finding.Checked == g.Worlds {
		return ""
	}
	return fmt.Sprintf(", in %s of %s", group(p.Finding.Worlds), plural(g.Worlds, "world"))
}

// reference says what a strict pair does under the same conditions.
func (p Page) reference() string {
	g, ok := p.group(ArmReference)
	if !ok {
		return ""
	}
	for _, r := range g.Rules {
		if r.Rule == p.Finding.Rule {
			return fmt.Sprintf("The reference client and server on the same seeds: %s of %s.",
				group(r.Failed), group(r.Checked))
		}
	}
	return ""
}

func (p Page) clauses() string {
	var lines []string
	version := p.Finding.SpecVersion
	for _, c := range p.Rule.ClausesOf(version) {
		lines = append(lines, fmt.Sprintf("- **%s**, [%s (%s)](%s): “%s”", c.Level, c.Page, version, c.URL(version), c.Quote))
	}
	if p.Rule.ID != "" && len(lines) == 0 {
		lines = append(lines, "No clause demands it, but every user counts on it. "+p.Rule.Statement)
	}
	for _, note := range p.Rule.Notes {
		lines = append(lines, "", note)
	}
	return strings.Join(lines, "\n")
}

func (p Page) exampleTitle() string {
	f := p.Finding
	call := ""
	if f.Example.Call != 0 {
		call = fmt.Sprintf(", call %d", f.Example.Call)
	}
	return fmt.Sprintf("What happened (seed %d%s; %s time)", f.ExampleSeed, call, p.Manifest.Clock)
}

func (p Page) reproduce() string {
	text := fenced("sh", p.Replay)
	if p.Digest != "" && text != "" {
		text += fmt.Sprintf("\n\nIt shows history %s and %s again.", p.Digest, p.Finding.ID)
	}
	return text
}

func (p Page) versions() string {
	m := p.Manifest
	return fmt.Sprintf("---\n\nmcpsim %s · %s · %s/%s · scenario %s sha256 %s · client %s · server %s · "+
		"rule text: `mcpsim list rules`", m.Mcpsim, m.Go, m.OS, m.Arch, m.Scenario, m.ScenarioSHA256,
		m.Pair().Client, m.Pair().Server)
}

// fenced puts text into a code block whose fence is longer than any in it.
func fenced(language, text string) string {
	text = strings.Trim(text, "\n")
	if text == "" {
		return ""
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + text + "\n" + fence
}

// code puts a few words into a code span on one line.
func code(text string) string {
	return "`" + strings.ReplaceAll(printable(text, 200), "`", "'") + "`"
}
