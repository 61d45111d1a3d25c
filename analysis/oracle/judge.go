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

// A check is one rule's oracle. It judges the world as a whole, or one by one its
// calls, requests, cancels or frames, each when all is known of it that matters;
// whatever of that is not nil. The oracles of single items do not look at others of
// their kind, so that a history need not be held whole.
type check struct {
	rule    string
	side    history.Side
	level   func(specVersion string) Level
	world   func(x *index, t *tally)
	call    func(x *index, c *call, t *tally)    // each of the header's calls, in its order
	request func(x *index, r *request, t *tally) // each request of either side, in the order of writing
	cancel  func(x *index, f *frame, t *tally)   // each notifications/cancelled of either side, likewise
	frame   func(x *index, f *frame, t *tally)   // each frame that was begun, by its number
}

// checks lists the oracles in the order of [Rules].
func checks() []check { return slices.Concat(cancelChecks()) }

func cancelChecks() []check {
	return []check{
		{rule: "CANCEL-NO-RESPONSE", side: history.Server, level: always(Should), call: noResponse},
		{rule: "CANCEL-SILENCE", side: history.Server, level: modern(MustNot), call: silence},
		{rule: "CANCEL-STOP-WORK", side: history.Server, level: always(Should), call: stopWork},
		{rule: "CANCEL-ONLY-ISSUED", side: history.World, level: always(Must), cancel: onlyIssued},
		{rule: "CANCEL-STDIO-REQUIRED", side: history.Client, level: modern(Must), world: notifies},
		{rule: "CANCEL-CLIENT-NOTIFIES", side: history.Client, level: since("2025-03-26", Should), world: notifies},
		{rule: "TIMEOUT-CANCEL", side: history.Client, level: since("2025-03-26", Should), world: notifiesTimeouts},
		{rule: "RESP-ONCE", side: history.World, level: always(Must), request: respondOnce},
		{rule: "RACE-GRACEFUL", side: history.World, level: always(Must), world: raceGraceful},
		{rule: "LATE-IGNORED", side: history.Client, level: always(Should), world: lateIgnored},
		{rule: "PROGRESS-AFTER-CANCEL", side: history.Server, level: progressLevel, call: progressAfterCancel},
		{rule: "SHUT-STDIO-SERVER", side: history.Server, level: shutdownLevel, world: shutdown},
		{rule: "SESSION-SURVIVES", side: history.World, level: always(Quality), world: sessionSurvives},
		{rule: "CALLER-UNBLOCKS", side: history.Client, level: always(Quality), world: callerUnblocks},
		{rule: "CANCEL-NONBLOCKING", side: history.Client, level: always(Quality), world: cancelNonblocking},
		{rule: "CANCEL-ORDER", side: history.Client, level: always(Quality), world: cancelOrder},
		{rule: "CLOSE-BOUNDED", side: history.Client, level: always(Quality), world: closeBounded},
		{rule: "EOF-DRAINS", side: history.Server, level: until(lastLegacy, Quality), world: eofDrains},
		{rule: "REQUEST-DISPATCHED", side: history.Server, level: always(Quality), world: requestDispatched},
		{rule: "NO-SPURIOUS-CANCEL", side: history.Server, level: always(Quality), world: noSpuriousCancel},
		{rule: "ANSWER-OWN", side: history.World, level: always(Quality), world: answerOwn},
		{rule: "NO-LEAK", side: history.World, level: always(Quality), world: noLeak},
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
		Level: c.levelIn(x.header),
	}}
	if t.verdict.Level != "" {
		c.judge(x, &t)
	}
	return t.sum()
}

// levelIn is the level of the rule under the conditions of a history. It is empty over
// transports that no oracle knows: what order proves over one stream, it does not over
// several.
func (c check) levelIn(h history.Header) Level {
	if h.Transport != "" && h.Transport != "stdio" {
		return ""
	}
	return c.level(h.SpecVersion)
}

func (c check) judge(x *index, t *tally) {
	if c.call != nil {
		for i := range x.calls {
			c.call(x, &x.calls[i], t)
		}
	}
	if c.request != nil {
		for i := range x.requests {
			c.request(x, &x.requests[i], t)
		}
	}
	if c.cancel != nil {
		for _, f := range x.cancels {
			c.cancel(x, f, t)
		}
	}
	if c.frame != nil {
		for i := range x.frames {
			if f := &x.frames[i]; f.write != nil && f.msg != nil {
				c.frame(x, f, t)
			}
		}
	}
	if c.world != nil {
		c.world(x, t)
	}
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
