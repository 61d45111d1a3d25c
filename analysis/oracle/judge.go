package oracle

import (
	"slices"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Judge judges a history against all rules. It takes time in proportion to the
// number of events and changes nothing. It judges any history, however damaged,
// and convicts only on events that are there.
func Judge(h *history.History) Judgement {
	x := newIndex(h)
	all := checks()
	j := Judgement{Verdicts: make([]Verdict, len(all))}
	for i, c := range all {
		j.Verdicts[i] = c.apply(x)
	}
	imply(j.Verdicts)
	j.Calls = x.results()
	return j
}

// A check is one rule's oracle.
type check struct {
	rule   string
	side   history.Side
	level  func(specVersion string) Level
	oracle func(x *index, t *tally)
}

// checks lists the oracles in the order of [Rules].
func checks() []check {
	return []check{
		{"CANCEL-NO-RESPONSE", history.Server, always(Should), noResponse},
		{"CANCEL-SILENCE", history.Server, modern(MustNot), silence},
		{"CANCEL-STOP-WORK", history.Server, always(Should), stopWork},
		{"CANCEL-ONLY-ISSUED", history.World, always(Must), onlyIssued},
		{"CANCEL-STDIO-REQUIRED", history.Client, modern(Must), notifies},
		{"CANCEL-CLIENT-NOTIFIES", history.Client, since("2025-03-26", Should), notifies},
		{"TIMEOUT-CANCEL", history.Client, since("2025-03-26", Should), notifiesTimeouts},
		{"RESP-ONCE", history.World, always(Must), respondOnce},
		{"RACE-GRACEFUL", history.World, always(Must), raceGraceful},
		{"LATE-IGNORED", history.Client, always(Should), lateIgnored},
		{"PROGRESS-AFTER-CANCEL", history.Server, progressLevel, progressAfterCancel},
		{"SHUT-STDIO-SERVER", history.Server, shutdownLevel, shutdown},
		{"SESSION-SURVIVES", history.World, always(Quality), sessionSurvives},
		{"CALLER-UNBLOCKS", history.Client, always(Quality), callerUnblocks},
		{"CANCEL-NONBLOCKING", history.Client, always(Quality), cancelNonblocking},
		{"CANCEL-ORDER", history.Client, always(Quality), cancelOrder},
		{"CLOSE-BOUNDED", history.Client, always(Quality), closeBounded},
		{"EOF-DRAINS", history.Server, until(lastLegacy, Quality), eofDrains},
		{"REQUEST-DISPATCHED", history.Server, always(Quality), requestDispatched},
		{"NO-SPURIOUS-CANCEL", history.Server, always(Quality), noSpuriousCancel},
		{"ANSWER-OWN", history.World, always(Quality), answerOwn},
		{"NO-LEAK", history.World, always(Quality), noLeak},
	}
}

func always(l Level) func(string) Level { return func(string) Level { return l } }

func modern(l Level) func(string) Level { return since(modernEra, l) }

// since is the level of a rule that came with a version. Versions are dates, so
// text compares them.
func since(version string, l Level) func(string) Level {
	return func(v string) Level {
		if v < version {
			return ""
		}
		return l
	}
}

// until is the level of a rule that later versions do not have.
func until(version string, l Level) func(string) Level {
	return func(v string) Level {
		if v > version {
			return ""
		}
		return l
	}
}

func shutdownLevel(v string) Level {
	if l := modern(Should)(v); l != "" {
		return l
	}
	return Quality
}

func progressLevel(v string) Level {
	if l := modern(MustNot)(v); l != "" {
		return l
	}
	return Should
}

func (c check) apply(x *index) Verdict {
	t := tally{verdict: Verdict{
		Rule: c.rule, Status: Vacuous, Side: c.side, Violations: []Violation{},
		Level: c.level(x.header.SpecVersion),
	}}
	if t.verdict.Level != "" {
		c.oracle(x, &t)
	}
	return t.sum()
}

// imply marks the verdicts whose acts are all reported under a stricter rule, and
// no others.
func imply(verdicts []Verdict) {
	failed := func(rule string) bool {
		i := slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Rule == rule })
		return i >= 0 && verdicts[i].Status == Fail
	}
	for i := range verdicts {
		if v := &verdicts[i]; v.Implied != "" && !failed(v.Implied) {
			v.Implied = ""
		}
	}
	for _, p := range implications() {
		for i := range verdicts {
			if v := &verdicts[i]; v.Rule == p.rule && v.Status == Fail && failed(p.stricter) {
				v.Implied = p.stricter
			}
		}
	}
}

type implication struct{ rule, stricter string }

// implications lists the rules whose every breach is one of a stricter rule,
// wherever the version has that. Of others, now this act is and now that is not;
// their oracles tell the two apart.
func implications() [3]implication {
	return [...]implication{
		{"CANCEL-NO-RESPONSE", "CANCEL-SILENCE"},
		{"PROGRESS-AFTER-CANCEL", "CANCEL-SILENCE"},
		{"CANCEL-CLIENT-NOTIFIES", "CANCEL-STDIO-REQUIRED"},
	}
}
