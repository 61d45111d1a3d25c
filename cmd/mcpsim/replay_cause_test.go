package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// TestReplayAnswers: a finding is gone only where its rule was exercised and its side
// kept it. A crash that moved to another function is a change, not a cure.
func TestReplayAnswers(t *testing.T) {
	crash := func(side history.Side, cause string) oracle.Violation {
		return oracle.Violation{Side: side, Cause: cause, What: "crashed"}
	}
	verdict := func(status oracle.Status, checked int, broken ...oracle.Violation) oracle.Verdict {
		return oracle.Verdict{Rule: "RACE-GRACEFUL", Status: status, Checked: checked, Failed: len(broken), Violations: broken}
	}
	inF := recorded{finding: "F1", side: history.Server, cause: "crash in f"}
	unlisted := verdict(oracle.Fail, 40, crash(history.Client, "crash in f"))
	unlisted.Failed = 40
	for _, tt := range []struct {
		why     string
		verdict oracle.Verdict
		rec     recorded
		line    string
		code    int
	}{
		{"the cause is there", verdict(oracle.Fail, 4, crash(history.Server, "crash in g"), crash(history.Server, "crash in f")), inF, "still there", exitBroken},
		{"a crash elsewhere is no cure", verdict(oracle.Fail, 4, crash(history.Server, "crash in g")), inF, "changed: broken for another cause, crash in g", exitBroken},
		{"the other side's is another finding", verdict(oracle.Fail, 4, crash(history.Client, "crash in f")), inF, "gone", exitOK},
		{"what is not listed may be this side's", unlisted, inF, "not decided: what broke it is not listed in full", exitVacuous},
		{"exercised and held", verdict(oracle.Pass, 4), inF, "gone", exitOK},
		{"not exercised, as when the handshake failed", verdict(oracle.Vacuous, 0), inF, "not exercised in this world, which shows nothing", exitVacuous},
		{"unknown, as when something else crashed", verdict(oracle.Unknown, 4), inF, "not decided: the history does not suffice", exitVacuous},
		{"a result of an older version names no cause", verdict(oracle.Fail, 1, crash(history.Server, "crash in g")), recorded{finding: "F1", side: history.Server}, "still there", exitBroken},
		{"whatever was beyond the bound", verdict(oracle.Fail, 1, crash(history.Server, "crash in g")), recorded{finding: "F1", cause: analysis.OtherCauses}, "still there", exitBroken},
	} {
		r := replayCommand{rule: "RACE-GRACEFUL"}
		a := r.answer(oracle.Judgement{Verdicts: []oracle.Verdict{tt.verdict}}, tt.rec)
		assert.Equal(t, "F1 RACE-GRACEFUL: "+tt.line, a.line, tt.why)
		assert.Equal(t, tt.code, a.code, tt.why)
		assert.Equal(t, tt.code == exitBroken, len(a.shown) > 0, "%s: what breaks the rule is shown", tt.why)
	}
}

// TestReplayCutShort: what a crash kept from happening is not gone. The scenario's own
// tools may crash, since they do so again.
func TestReplayCutShort(t *testing.T) {
	r := replayCommand{rule: "B"}
	passed := []oracle.Verdict{{Rule: "B", Status: oracle.Pass, Checked: 1}}
	for incident, want := range map[oracle.Incident]int{"": exitOK, oracle.ToolCrashed: exitOK, oracle.Crashed: exitVacuous} {
		a := r.answer(oracle.Judgement{Verdicts: passed, Calls: []oracle.CallResult{{}, {Incident: incident}}}, recorded{})
		assert.Equal(t, want, a.code, "%s: %s", incident, a.line)
	}
}

// TestReplayOfEveryRule: with no rule named, nothing exercised is no pass either.
func TestReplayOfEveryRule(t *testing.T) {
	var r replayCommand
	vacuous, passed := oracle.Verdict{Rule: "A", Status: oracle.Vacuous}, oracle.Verdict{Rule: "B", Status: oracle.Pass, Checked: 1}
	assert.Equal(t, exitVacuous, r.answer(oracle.Judgement{Verdicts: []oracle.Verdict{vacuous}}, recorded{}).code)
	assert.Equal(t, exitOK, r.answer(oracle.Judgement{Verdicts: []oracle.Verdict{vacuous, passed}}, recorded{}).code)
}

// TestReplayNamesWhatElseIsBroken: a finding may be gone from a world that breaks another
// rule. What a stricter rule reports is not named twice.
func TestReplayNamesWhatElseIsBroken(t *testing.T) {
	j := oracle.Judgement{Verdicts: []oracle.Verdict{
		{Rule: "A", Level: oracle.Must, Status: oracle.Fail, Side: history.Server},
		{Rule: "B", Level: oracle.MustNot, Status: oracle.Fail, Side: history.Server},
		{Rule: "C", Level: oracle.Should, Status: oracle.Fail, Side: history.Server, Implied: "B"},
		{Rule: "D", Level: oracle.Quality, Status: oracle.Fail, Side: history.World},
		{Rule: "E", Level: oracle.Must, Status: oracle.Pass},
	}}
	assert.Equal(t, "!   also broken in this world: MUST NOT B (server), QUALITY D (either side)\n", alsoHere(j, "A"))
	assert.Empty(t, alsoHere(oracle.Judgement{Verdicts: j.Verdicts[:1]}, "A"), "nothing else is")
	assert.Empty(t, alsoHere(j, ""), "the answer names them all")
}

func TestAgainst(t *testing.T) {
	f := analysis.Finding{Side: history.Server, SpecVersion: "2026-07-28", Seeds: []uint64{3, 5}}
	of := func(client, server string) *experiment {
		e := &experiment{}
		e.client.Name, e.server.Name = client, server
		return e
	}
	assert.Len(t, of("go-sdk", "go-sdk").against(f), 2)
	assert.Empty(t, of("reference", "go-sdk").against(f), "it sits opposite the reference already")
	f.Side = history.World
	assert.Empty(t, of("go-sdk", "go-sdk").against(f), "nobody knows whose it is")
	f.Side = history.Client
	pairs := of("go-sdk", "mutant:x").opposedPairs()
	for _, o := range of("go-sdk", "mutant:x").against(f) {
		assert.Equal(t, "reference", pairs[o.pair].Server, "the accused stays on its side")
		assert.Equal(t, "go-sdk", pairs[o.pair].Client)
	}
}
