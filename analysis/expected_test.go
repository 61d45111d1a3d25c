package analysis

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// expecting holds a run of cancel-storm on go-sdk against some entries.
func expecting(entries ...Expectation) Expectations {
	sdk := history.Peer{Target: "go-sdk", Version: "v1.8.0"}
	for i := range entries {
		entries[i].File, entries[i].Line = "expected.yaml", 1+i
		entries[i].Reason, entries[i].Link = "known since spring", "https://example.com/1"
	}
	return Expectations{Scenario: "cancel-storm", Client: sdk, Server: sdk, Entries: entries}
}

func TestFulfilment(t *testing.T) {
	const silence, late = "CANCEL-SILENCE", "CANCEL-NO-RESPONSE"
	both := synthSummary(answers, 50, legacy, modern)
	quiet := synthSummary(silent, 50, legacy, modern)
	idle := synthSummary(unasked, 5, legacy, modern)
	crashed := synthSummary(crashing, 60, modern)
	for i := range crashed.Groups {
		for k := range crashed.Groups[i].Rules {
			r := &crashed.Groups[i].Rules[k]
			if r.Rule == "RACE-GRACEFUL" {
				r.Worlds = map[oracle.Status]int{oracle.Unknown: 60}
			}
		}
	}
	only := synthSummary(answers, 50, modern)
	only.Judged = []string{"RACE-GRACEFUL"}
	for _, tt := range []struct {
		reason  string
		entry   Expectation
		summary Summary
		cut     bool
		want    Fulfilment
		finding string
	}{
		{"the bare rule", Expectation{Rule: silence}, both, false, FailedAsExpected, "F1"},
		{"everything named", Expectation{Rule: silence, Scenario: "cancel-storm", Target: "go-sdk@v1.8.0", Side: history.Server, SpecVersion: modern},
			both, false, FailedAsExpected, "F1"},
		{"a target without its version", Expectation{Rule: silence, Target: "go-sdk"}, both, false, FailedAsExpected, "F1"},
		{"a SHOULD counts as well, whether strict or not", Expectation{Rule: late, SpecVersion: legacy}, both, false, FailedAsExpected, "F2"},
		{"it fails at one version of two", Expectation{Rule: late}, both, false, FailedAsExpected, "F2"},
		{"a run cut short has seen it fail all the same", Expectation{Rule: silence}, both, true, FailedAsExpected, "F1"},

		{"it held", Expectation{Rule: silence}, quiet, false, Stale, ""},
		{"another rule fails, this one held", Expectation{Rule: "RACE-GRACEFUL"}, both, false, Stale, ""},
		{"it held at the version that is named", Expectation{Rule: "CANCEL-STOP-WORK", SpecVersion: legacy}, both, false, Stale, ""},
		{"what a run cut short has not seen proves nothing", Expectation{Rule: silence}, quiet, true, Undecided, ""},
		{"it fails, under the name of a stricter rule", Expectation{Rule: late, SpecVersion: modern}, both, false, Undecided, ""},
		{"no world came to a verdict", Expectation{Rule: "RACE-GRACEFUL"}, crashed, false, Undecided, ""},

		{"nobody cancelled", Expectation{Rule: silence}, idle, false, Unexercised, ""},
		{"exercised at the other version only", Expectation{Rule: "CANCEL-INVALID-IGNORED"}, both, false, Unexercised, ""},

		{"another scenario", Expectation{Rule: silence, Scenario: "careless-tools"}, both, false, NotApplicable, ""},
		{"another target", Expectation{Rule: silence, Target: "mcp-go"}, both, false, NotApplicable, ""},
		{"another version of the target", Expectation{Rule: silence, Target: "go-sdk@v1.7.0"}, quiet, false, NotApplicable, ""},
		{"another side", Expectation{Rule: silence, Side: history.Client}, both, false, NotApplicable, ""},
		{"a spec version that was not run", Expectation{Rule: silence, SpecVersion: modern}, synthSummary(answers, 5, legacy), false, NotApplicable, ""},
		{"a spec version that has no such rule", Expectation{Rule: silence}, synthSummary(answers, 5, legacy), false, NotApplicable, ""},
		{"a rule that was not judged", Expectation{Rule: "CANCEL-STOP-WORK"}, only, false, NotApplicable, ""},
	} {
		s := tt.summary
		s.Findings = append([]Finding(nil), s.Findings...)
		expecting(tt.entry).Apply(&s, tt.cut)
		require.Len(t, s.Expected, 1, tt.reason)
		got := s.Expected[0]
		assert.Equal(t, tt.want, got.Fulfilment, "%s: %s", tt.reason, got.Why)
		if tt.want == Undecided || tt.want == NotApplicable {
			assert.NotEmpty(t, got.Why, tt.reason)
		}
		for _, f := range s.Findings {
			assert.Equal(t, f.ID == tt.finding, f.Expected != nil, "%s: %s", tt.reason, f.ID)
		}
	}
}

// TestExpectedOnWhichSide: where the rule binds both, the one who broke it decides.
func TestExpectedOnWhichSide(t *testing.T) {
	x := Expectations{Client: history.Peer{Target: "reference"}, Server: history.Peer{Target: "go-sdk", Version: "v1.8.0"}}
	for _, tt := range []struct {
		reason string
		entry  Expectation
		side   history.Side
		want   bool
	}{
		{"the target's own side", Expectation{Target: "go-sdk"}, history.Server, true},
		{"the other side's breach is the other's", Expectation{Target: "go-sdk"}, history.Client, false},
		{"nobody knows whose: it may be the target's", Expectation{Target: "go-sdk"}, history.World, true},
		{"nobody knows whose, and the entry names a side", Expectation{Side: history.Server}, history.World, false},
		{"neither of the two", Expectation{Target: "mcp-go"}, history.World, false},
		{"a version that is not its own", Expectation{Target: "go-sdk@v1.7.0"}, history.Server, false},
	} {
		tt.entry.Rule = "NO-LEAK"
		x.Entries = []Expectation{tt.entry}
		_, got := x.foresees("NO-LEAK", tt.side, modern)
		assert.Equal(t, tt.want, got, tt.reason)
	}
}

func TestSurprising(t *testing.T) {
	seed := uint64(0)
	for ; synth(ArmTarget, modern, seed, answers).Judgement.Verdicts[1].Failed == 0; seed++ {
	}
	w := synth(ArmTarget, modern, seed, answers)
	assert.True(t, expecting().Surprising(w), "nothing is expected")
	assert.False(t, expecting(Expectation{Rule: "CANCEL-SILENCE"}).Surprising(w),
		"expected, and CANCEL-NO-RESPONSE is the same act")
	assert.True(t, expecting(Expectation{Rule: "CANCEL-SILENCE", SpecVersion: legacy}).Surprising(w), "expected elsewhere")
	assert.False(t, expecting().Surprising(synth(ArmTarget, modern, seed, silent)), "nothing failed")
	w.Arm = ArmDeaf
	assert.False(t, expecting().Surprising(w), "a control is there to fail")
}

func TestDecideWithExpectations(t *testing.T) {
	const silence, late = "CANCEL-SILENCE", "CANCEL-NO-RESPONSE"
	for _, tt := range []struct {
		reason   string
		entries  []Expectation
		required []string
		strict   bool
		partial  string
		code     int
		why      string
	}{
		{"all that failed was expected", []Expectation{{Rule: silence}, {Rule: late}}, nil, true, "", 0,
			"every rule that was exercised held, or failed as expected"},
		{"a SHOULD that was not expected", []Expectation{{Rule: silence}}, nil, false, "", 0,
			"a SHOULD was not kept; --strict makes that exit 1"},
		{"a SHOULD that was not expected, strict", []Expectation{{Rule: silence}}, nil, true, "", 1,
			"a SHOULD was not kept that was not expected to be, which counts under --strict"},
		{"a MUST that was not expected", []Expectation{{Rule: late}}, nil, false, "", 1,
			"a MUST was broken that was not expected to be"},
		{"a stale entry", []Expectation{{Rule: silence}, {Rule: late}, {Rule: "RACE-GRACEFUL"}}, nil, false, "", 1,
			"an expected failure is stale: expected.yaml:3"},
		{"two stale entries", []Expectation{{Rule: silence}, {Rule: "CANCEL-STOP-WORK"}, {Rule: "RACE-GRACEFUL"}}, nil, false, "", 1,
			"2 expected failures are stale"},
		{"an entry that was not exercised is not stale", []Expectation{{Rule: silence}, {Rule: late}, {Rule: "CANCEL-INVALID-IGNORED"}}, nil, false, "", 0,
			"every rule that was exercised held, or failed as expected"},
		{"nothing is stale in a run that was cut short", []Expectation{{Rule: silence}, {Rule: late}, {Rule: "RACE-GRACEFUL"}}, nil, false, "interrupted", 3,
			"nothing broken but what was expected so far, but stopped early: interrupted"},
		{"a required rule has to be exercised all the same", []Expectation{{Rule: silence}, {Rule: late}}, []string{"CANCEL-INVALID-IGNORED"}, false, "", 4,
			"nothing broken but what was expected, but required and not exercised: CANCEL-INVALID-IGNORED"},
	} {
		s := synthSummary(answers, 50, legacy, modern)
		expecting(tt.entries...).Apply(&s, tt.partial != "")
		got := Decide(s, tt.required, tt.strict, tt.partial)
		assert.Equal(t, tt.code, got.Code, tt.reason)
		assert.Contains(t, got.Line, "("+tt.why+")", tt.reason)
		assertJUnitAgrees(t, s, got, tt.strict, tt.reason)
	}
}

func TestOnly(t *testing.T) {
	seed := uint64(0)
	for ; synth(ArmTarget, modern, seed, answers).Judgement.Verdicts[1].Failed == 0; seed++ {
	}
	w := synth(ArmTarget, modern, seed, answers)
	assert.Equal(t, w, w.Only(nil), "no rules named: all")
	one := w.Only([]string{"CANCEL-SILENCE"})
	require.Len(t, one.Judgement.Verdicts, 1)
	assert.Equal(t, "CANCEL-SILENCE", one.Judgement.Verdicts[0].Rule)
	weaker := w.Only([]string{"CANCEL-NO-RESPONSE"})
	require.Len(t, weaker.Judgement.Verdicts, 1)
	assert.Empty(t, weaker.Judgement.Verdicts[0].Implied, "the stricter rule does not report the act, so this one does")
	assert.Equal(t, "CANCEL-SILENCE", w.Judgement.Verdicts[0].Implied, "the world itself is left alone")
	both := w.Only([]string{"CANCEL-NO-RESPONSE", "CANCEL-SILENCE"})
	assert.Equal(t, "CANCEL-SILENCE", both.Judgement.Verdicts[0].Implied)
}
