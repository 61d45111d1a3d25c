package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/analysis/spacetime"
	"github.com/mcpsim/mcpsim/sim/history"
)

// An answer says what became of the finding, or of all rules where none was named.
type answer struct {
	line  string
	code  int
	shown []oracle.Verdict // what the listing is to show: the first violation of the first
}

// print shows the answers, the listing and the last line.
func (r *replayCommand) print(h *history.History, sameness string, rec recorded) error {
	j := oracle.Judge(h)
	a := r.answer(j, rec)
	opts := spacetime.Options{Call: r.call, Client: r.clientNo, All: r.all, Wire: r.wire, ASCII: r.ascii, Colour: colorful(r.stdout)}
	if len(a.shown) == 0 && r.clientNo == 0 && r.call == 0 {
		opts.Call = rec.shownCall(h) // what has become of it, not the whole world
	}
	if len(a.shown) > 0 {
		opts.Finding = spacetime.Finding{ID: named(rec.finding, a.shown[0].Rule), Violation: a.shown[0].Violations[0]}
	}
	_, err := fmt.Fprintf(r.stdout, "%s\n%s\n\n%s\n%sexit %d (%s)\n", sameness, a.line, spacetime.Render(h, j, opts),
		alsoHere(j, r.rule), a.code, a.line)
	if err != nil {
		return failed(err)
	}
	if a.code != exitOK {
		return &exitError{code: a.code}
	}
	return nil
}

// alsoHere names the rules that the world breaks beside the one that a replay asked for,
// with the level and the side of each: that one may be gone and the world not be well. It is
// empty where no rule was asked for, since the answer then names them all.
func alsoHere(j oracle.Judgement, asked string) string {
	var also []string
	for _, v := range j.Verdicts {
		if asked == "" || v.Rule == asked || v.Status != oracle.Fail || v.Implied != "" {
			continue
		}
		who := string(v.Side)
		if v.Side == history.World {
			who = "either side"
		}
		also = append(also, fmt.Sprintf("%s %s (%s)", v.Level, v.Rule, who))
	}
	if len(also) == 0 {
		return ""
	}
	return wrapped("!   ", "also broken in this world: "+strings.Join(also, ", "))
}

// shownCall is the call of the finding's example if h has it; 0: it has none.
func (rec recorded) shownCall(h *history.History) int {
	if slices.ContainsFunc(h.Header.Calls, func(c history.Call) bool { return c.Call == rec.call }) {
		return rec.call
	}
	return 0
}

func (r *replayCommand) answer(j oracle.Judgement, rec recorded) answer {
	if r.rule == "" {
		return anyRule(j, rec)
	}
	i := slices.IndexFunc(j.Verdicts, func(v oracle.Verdict) bool { return v.Rule == r.rule })
	if i < 0 {
		return answer{line: r.rule + ": not judged", code: exitVacuous}
	}
	a := oneRule(j.Verdicts[i], rec)
	if a.line == gone && rec.finding == "" && rec.digest == "" {
		a.line = "held in this world"
	}
	if a.code == exitOK && slices.ContainsFunc(j.Calls, cutShort) {
		a = answer{line: "not decided: a crash cut the world short", code: exitVacuous}
	}
	a.line = strings.TrimSpace(rec.finding+" "+r.rule) + ": " + a.line
	return a
}

// cutShort reports whether a call did not come to its end because of a crash that is
// not the scenario's own.
func cutShort(c oracle.CallResult) bool { return c.Incident == oracle.Crashed }

// anyRule counts every broken rule, but for what is reported under a stricter one.
func anyRule(j oracle.Judgement, rec recorded) answer {
	var a answer
	var names []string
	exercised := false
	for _, v := range j.Verdicts {
		exercised = exercised || v.Checked > 0
		if v.Status == oracle.Fail && v.Implied == "" && len(v.Violations) > 0 {
			names, a.shown = append(names, v.Rule), append(a.shown, only(v, rec, anyCause))
		}
	}
	switch {
	case len(names) > 0:
		a.line, a.code = "broken: "+strings.Join(names, ", "), exitBroken
	case exercised:
		a.line = "no rule was broken"
	default:
		a.line, a.code = "no rule was exercised", exitVacuous
	}
	return a
}

// oneRule tells what became of a finding from the verdict on its rule. It is gone
// only where the rule was exercised and its side kept it altogether: a cause holds
// names of functions, which a fix may change without mending anything.
func oneRule(v oracle.Verdict, rec recorded) answer {
	same, other := only(v, rec, rec.meant), only(v, rec, anyCause)
	switch {
	case v.Status == oracle.Fail && len(same.Violations) > 0:
		return answer{"still there", exitBroken, []oracle.Verdict{same}}
	case v.Status == oracle.Fail && len(other.Violations) > 0:
		return answer{"changed: broken for another cause, " + other.Violations[0].Signature(), exitBroken, []oracle.Verdict{other}}
	case v.Status == oracle.Fail && v.Failed > len(v.Violations):
		return answer{line: "not decided: what broke it is not listed in full", code: exitVacuous}
	case v.Status == oracle.Unknown || v.Status == oracle.Ambiguous:
		return answer{line: "not decided: the history does not suffice", code: exitVacuous}
	case v.Checked == 0:
		return answer{line: "not exercised in this world, which shows nothing", code: exitVacuous}
	}
	return answer{line: gone}
}

// gone is said of a finding. Where none was recorded, nothing can have gone.
const gone = "gone"

// only leaves in a verdict the violations of the finding's side that are meant, the
// example's call first.
func only(v oracle.Verdict, rec recorded, meant func(oracle.Violation) bool) oracle.Verdict {
	v.Violations = slices.DeleteFunc(slices.Clone(v.Violations), func(x oracle.Violation) bool {
		return rec.side != "" && x.Side != rec.side || !meant(x)
	})
	slices.SortStableFunc(v.Violations, func(a, b oracle.Violation) int {
		return preferred(b, rec) - preferred(a, rec)
	})
	return v
}

func anyCause(oracle.Violation) bool { return true }

// meant reports whether a violation has the finding's cause. A result of an older
// version names none.
func (rec recorded) meant(v oracle.Violation) bool {
	return rec.cause == "" || rec.cause == analysis.OtherCauses || rec.cause == v.Signature()
}

func preferred(v oracle.Violation, rec recorded) int {
	if rec.call != 0 && v.Call == rec.call {
		return 1
	}
	return 0
}

func named(finding, rule string) string {
	if finding == "" {
		return rule
	}
	return finding
}
