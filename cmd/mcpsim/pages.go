package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/analysis/spacetime"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
)

// page writes the page of a finding, and in a folder of its name what lies beside
// it. example is the encoded history of its example, nil where it is not to be had.
func (g *gathering) page(f analysis.Finding, summary analysis.Summary, example []byte) error {
	p := analysis.Page{
		Manifest: g.manifest, Summary: summary, Finding: f, Rule: analysis.RuleTextOf(f.Rule),
		Handler: sim.HandlerSource(f.Example.Handler),
	}
	p.Options, p.AfterFix = g.unchosen(f.Side), g.afterFix(p.Rule)
	p.Replay = append(g.manifest.Replay(f.SpecVersion, f.ExampleSeed), "--rule", f.Rule)
	if example != nil {
		h, err := history.Decode(bytes.NewReader(example))
		if err != nil {
			return err
		}
		j := oracle.Judge(h)
		p.Listing = spacetime.Story(h, j, f.Example.Call, f.Example)
		p.Objections = p.Rule.Objections(h, f.Example)
		p.Also = alsoBroken(j, f)
		p.Stack = stackOf(h, f.Example)
		p.Digest = history.Digest(h.Events)
		p.Replay = append(p.Replay, "--digest", p.Digest)
		if p.Files, err = g.beside(f, h, j, p.Replay); err != nil {
			return err
		}
	}
	return g.dir.WritePage(f.ID, analysis.Markdown(p))
}

// stackOf returns the stack that a violation goes by, of a crash or of a goroutine
// that was left behind; empty for every other.
func stackOf(h *history.History, v oracle.Violation) string {
	for _, e := range h.Events {
		if (e.Kind == history.Crash || e.Kind == history.Leak) && slices.Contains(v.Events, e.Seq) {
			return e.Text
		}
	}
	return ""
}

// beside writes the files beside a page, and names them for it.
func (g *gathering) beside(f analysis.Finding, h *history.History, j oracle.Judgement, replay []string) ([]string, error) {
	marked := spacetime.Finding{ID: f.ID, Violation: f.Example}
	// Of many clients the one that the example is about; the others would hide it.
	whole, flags, what := spacetime.Options{All: true, Finding: marked}, []string{"--all"}, "all calls of that world"
	if n := spacetime.ClientOf(h, f.Example); n > 0 {
		whole, flags = spacetime.Options{Client: n, Finding: marked}, []string{"--client-number", strconv.Itoa(n)}
		what = fmt.Sprintf("all calls of client %d of that world's %d", n, h.Header.Clients)
	}
	text := fmt.Sprintf("%s %s · %s seed %d at %s · history %s\n%s\n\n%s", f.ID, f.Rule, h.Header.Scenario, h.Header.Seed,
		h.Header.SpecVersion, history.Digest(h.Events), analysis.ShellLine(slices.Concat(replay, flags)),
		spacetime.Render(h, j, whole))
	if err := g.dir.WriteFile(f.BesideFile("history.txt"), []byte(text)); err != nil {
		return nil, err
	}
	drawing := spacetime.SVG(h, j, spacetime.Options{Call: f.Example.Call, Finding: marked})
	if err := g.dir.WriteFile(f.BesideFile("conversation.svg"), drawing); err != nil {
		return nil, err
	}
	return []string{
		fmt.Sprintf("`%s` (this as a diagram)", f.BesideFile("conversation.svg")),
		fmt.Sprintf("`%s` (%s)", f.BesideFile("history.txt"), what),
	}, nil
}

// alsoBroken returns the rules that a finding's example breaks by the same act, and
// that are not reported for it since the finding's own is stricter. An example that
// names no event has none.
func alsoBroken(j oracle.Judgement, f analysis.Finding) []oracle.Rule {
	if len(f.Example.Events) == 0 {
		return nil
	}
	offence := f.Example.Events[len(f.Example.Events)-1]
	var out []oracle.Rule
	for _, v := range j.Verdicts {
		same := slices.ContainsFunc(v.Violations, func(x oracle.Violation) bool { return slices.Contains(x.Events, offence) })
		if r, ok := oracle.FindRule(v.Rule); ok && v.Implied == f.Rule && same {
			out = append(out, r)
		}
	}
	return out
}
