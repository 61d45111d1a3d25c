package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// A Page is everything that a finding's page shows. It can be pasted into an
// issue unchanged: it links to the specification and to nothing that only lies
// beside it. Parts that are empty are left out.
type Page struct {
	Manifest   Manifest
	Summary    Summary
	Finding    Finding
	Rule       RuleText
	Digest     string             // of the example's history
	Listing    string             // the example's space-time listing, plain text
	Objections []oracle.Objection // to the example; empty when its history is not to be had
	Also       []oracle.Rule      // rules that the example breaks by the same act, and that are not reported for it
	Files      []string           // names of the files beside the page, with what they are
	Stack      string             // that the example goes by, where it does
	Replay     []string           // the command that shows the example again, word by word
	Handler    string             // source of the example's tool
	AfterFix   string             // commands to run once it is mended, and why
	Options    []OptionText       // that its target has, and was run without
}

// An OptionText is what a target can be asked for behind its name, in a clause.
type OptionText struct{ Target, Name, Doc string }

// Markdown renders the page. It answers what its reader will object, in the
// order in which the objections come.
func Markdown(p Page) string {
	p.Rule = p.Rule.over(p.Manifest.Transport, p.Finding.SpecVersion)
	sections := []string{
		p.title(),
		section("What the specification says", p.clauses()),
		section(p.exampleTitle(), p.example()),
		section("The stack", fenced("text", firstLines(p.Stack, stackLines))),
		section("Why this is not a benign race", p.objections()),
		section("How often", p.howOften()),
		section("Reproduce", p.reproduce()),
		section("The handler", fenced("go", p.Handler)),
		section("After a fix, run this too", fenced("sh", p.AfterFix)),
		p.versions(),
	}
	return strings.Join(nonEmpty(sections), "\n\n") + "\n"
}

// stackLines is how much of a stack a page shows; the history has it whole.
const stackLines = 40

// firstLines cuts a text after n lines, and says so.
func firstLines(text string, n int) string {
	lines := strings.SplitAfterN(text, "\n", n+1)
	if len(lines) > n {
		lines[n] = "..."
	}
	return strings.Join(lines, "")
}

func section(title, body string) string {
	if body == "" {
		return ""
	}
	return "## " + title + "\n\n" + body
}

func (p Page) title() string {
	f := p.Finding
	who := f.Target + " " + string(f.Side)
	if f.Side == history.World {
		who = f.Target
	}
	lines := []string{
		fmt.Sprintf("# %s %s (%s, %s)", who, p.says(), f.SpecVersion, p.Manifest.Transport),
		"",
		fmt.Sprintf("**%s** · %s · %s%s", f.Level, f.Rule, f.ratio(p.Rule), p.spread()),
	}
	for _, more := range p.comparisons() {
		lines = append(lines, "<br>"+more)
	}
	if also := p.also(); also != "" {
		lines = append(lines, "<br>"+also)
	}
	if f.Expected != nil {
		lines = append(lines, "<br>Known: "+f.Expected.because())
	}
	if len(p.Options) > 0 {
		lines = append(lines, "<br>"+p.options())
	}
	return strings.Join(lines, "\n")
}

// also names the weaker rules that the same act breaks.
func (p Page) also() string {
	over := cmp.Or(oracle.Transport(p.Manifest.Transport), oracle.Stdio)
	var all []string
	for _, r := range p.Also {
		all = append(all, fmt.Sprintf("%s %s", r.LevelOver(over, p.Finding.SpecVersion), r.ID))
	}
	if len(all) == 0 {
		return ""
	}
	return "Broken by the same act, and not reported a second time: " + strings.Join(all, ", ") + "."
}

// options name what the target was run without: its maintainer asks for that first.
func (p Page) options() string {
	var all []string
	for _, o := range p.Options {
		all = append(all, code(o.Target+"+"+o.Name)+": "+escaped(o.Doc))
	}
	return "Options that were not chosen: " + strings.Join(all, " · ")
}

// says names the offence.
func (p Page) says() string {
	f := p.Finding
	switch {
	case p.Rule.Says == "":
		return "does not keep " + f.Rule
	case f.Rule == "CANCEL-SILENCE" && f.Cause == oracle.AnsweredCause:
		return p.otherSays("CANCEL-NO-RESPONSE")
	case f.Rule == "CANCEL-SILENCE" && len(p.Also) > 0: // whose name is of the act
		return p.otherSays(p.Also[0].ID)
	case p.Rule.OwnWords && f.Cause != OtherCauses && f.Example.What != "":
		return ownWords(f.Example.What)
	}
	return p.Rule.Says
}

// otherSays names the offence against another rule.
func (p Page) otherSays(rule string) string {
	return RuleTextOf(rule).over(p.Manifest.Transport, p.Finding.SpecVersion).Says
}

// clauses lists what the specification says at every level that it has: the
// rule's own clauses, and those of the rules that the same act breaks.
func (p Page) clauses() string {
	version := p.Finding.SpecVersion
	over := cmp.Or(oracle.Transport(p.Manifest.Transport), oracle.Stdio)
	clauses := slices.Clone(p.Rule.ClausesOver(over, version))
	for _, r := range p.Also {
		clauses = append(clauses, r.ClausesOver(over, version)...)
	}
	slices.SortStableFunc(clauses, func(a, b oracle.Clause) int { return cmp.Compare(strength(a.Level), strength(b.Level)) })
	var lines []string
	for i, c := range clauses {
		if slices.IndexFunc(clauses, func(o oracle.Clause) bool { return o.Page == c.Page && o.Quote == c.Quote }) == i {
			lines = append(lines, fmt.Sprintf("- **%s**, [%s (%s)](%s): “%s”", c.Level, c.Page, version, c.URL(version), c.Quote))
		}
	}
	if p.Rule.ID != "" && len(lines) == 0 {
		lines = append(lines, "No clause demands it, but every user counts on it. "+p.Rule.Statement)
	}
	rule := p.Summary.noting(p.Rule.Rule, version)
	for _, note := range rule.NotesAt(oracle.Transport(p.Manifest.Transport), version) {
		lines = append(lines, "", fmt.Sprintf("Note %s, %s: %s %s", note.ID, note.Title, note.Text, note.Decides))
	}
	for _, remark := range rule.Remarks() {
		lines = append(lines, "", "Note: "+remark)
	}
	return strings.Join(lines, "\n")
}

// strength orders the levels of clauses; what allows comes last.
func strength(l oracle.Level) int {
	return slices.Index([]oracle.Level{oracle.MustNot, oracle.Must, oracle.ShouldNot, oracle.Should, oracle.May}, l)
}

func (p Page) exampleTitle() string {
	f := p.Finding
	call := ""
	if f.Example.Call != 0 {
		call = fmt.Sprintf(", call %d", f.Example.Call)
	}
	return fmt.Sprintf("What happened (seed %d%s; %s time)", f.ExampleSeed, call, p.Manifest.Clock)
}

// example is the listing, which seed it is, and what lies beside the page.
func (p Page) example() string {
	if p.Listing == "" {
		return ""
	}
	blocks := []string{fenced("text", p.Listing)}
	f := p.Finding
	if len(f.Seeds) > 0 && f.Seeds[0] != f.ExampleSeed {
		blocks = append(blocks, fmt.Sprintf("Seed %d is the smallest that shows it; seed %d is the smallest in which time passes between the cancel and the offence.",
			f.Seeds[0], f.ExampleSeed))
	}
	if len(p.Files) > 0 {
		blocks = append(blocks, "In the run's result directory: "+strings.Join(p.Files, ", ")+".")
	}
	return strings.Join(blocks, "\n\n")
}

// mainPackage is what go run and go install are given, with the version behind.
const mainPackage = "github.com/mcpsim/mcpsim/cmd/mcpsim@v"

func (p Page) reproduce() string {
	if len(p.Replay) == 0 {
		return ""
	}
	text, after := fenced("sh", replayLines(p.Replay, "")), []string{}
	if p.portable() {
		run := slices.Concat([]string{"go", "run", mainPackage + p.Manifest.Mcpsim}, p.Replay[1:])
		text = fenced("sh", replayLines(p.Replay, "")+"\n\n# or, with nothing installed but Go:\n"+replayLines(run, ""))
	}
	for _, target := range slices.Sorted(maps.Keys(p.Manifest.Sources)) {
		after = append(after, fmt.Sprintf("%s is the directory that %s was built from, at the commit that is named above.",
			code(p.Manifest.Sources[target]), target))
	}
	if p.Digest != "" {
		after = append(after, fmt.Sprintf("It shows history %s and %s again, and exits 1 while it does.", p.Digest, p.Finding.ID))
	}
	if s := p.Manifest.Scenario; strings.ContainsAny(s, `/\.`) {
		after = append(after, fmt.Sprintf("%s is the file that %s of the result directory was made from.", code(s), code(ScenarioFile)))
	}
	return strings.Join(nonEmpty([]string{text, strings.Join(after, " ")}), "\n\n")
}

// portable reports whether the line means the same on another machine.
func (p Page) portable() bool {
	return len(p.Manifest.Sources) == 0 && !strings.ContainsAny(p.Manifest.Scenario, `/\.`)
}

func (p Page) versions() string {
	m := p.Manifest
	return fmt.Sprintf("---\n\nmcpsim %s · %s · %s/%s · scenario %s sha256 %s · seeds %s · client %s · server %s · "+
		"rule text: `mcpsim list rules`", m.Mcpsim, m.Go, m.OS, m.Arch, m.Scenario, m.ScenarioSHA256, m.Seeds,
		m.Pair().Client, m.Pair().Server)
}
