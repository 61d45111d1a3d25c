package analysis

import (
	"encoding/xml"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestJUnit(t *testing.T) {
	s := synthSummary(answers, 500, legacy, modern)
	expecting(Expectation{Rule: "CANCEL-SILENCE"}, Expectation{Rule: "RACE-GRACEFUL"}, Expectation{Rule: "NO-LEAK", Scenario: "other"}).Apply(&s, false)
	r := testReport(s, false, nil, legacy, modern)
	data, err := JUnit(r, false)
	require.NoError(t, err)
	golden(t, "junit.xml", string(data))
	assertJUnitAgrees(t, s, r.Decision, false, "with a stale entry")
}

// assertJUnitAgrees parses the JUnit report of a summary: its counts are true, and
// it is red exactly when the exit code is not 0.
func assertJUnitAgrees(t *testing.T, s Summary, d Decision, strict bool, reason string) {
	t.Helper()
	r := testReport(s, strict, nil, legacy, modern)
	r.Decision = d
	data, err := JUnit(r, strict)
	require.NoError(t, err)
	var back junitReport
	require.NoError(t, xml.Unmarshal(data, &back), reason)
	red := 0
	for _, suite := range back.Suites {
		var failures, errors, skipped int
		for _, c := range suite.Cases {
			failures += btoi(c.Failure != nil)
			errors += btoi(c.Error != nil)
			skipped += btoi(c.Skipped != nil)
		}
		assert.Equal(t, []int{len(suite.Cases), failures, errors, skipped},
			[]int{suite.Tests, suite.Failures, suite.Errors, suite.Skipped}, "%s: %s", reason, suite.Name)
		red += failures + errors
	}
	assert.Equal(t, d.Code != ExitHeld, red > 0, "%s: %s, and %d red", reason, d.Line, red)
}

func TestJUnitIsRedWhenTheRunIsNotGreen(t *testing.T) {
	for _, tt := range []struct {
		reason   string
		flavour  flavour
		required []string
		strict   bool
		partial  string
	}{
		{"clean", silent, nil, true, ""},
		{"a MUST", answers, nil, false, ""},
		{"QUALITY", leaking, nil, false, ""},
		{"QUALITY, strict", leaking, nil, true, ""},
		{"interrupted", silent, nil, false, "interrupted"},
		{"not exercised", silent, []string{"CANCEL-INVALID-IGNORED"}, false, ""},
	} {
		s := synthSummary(tt.flavour, 50, legacy, modern)
		assertJUnitAgrees(t, s, Decide(s, tt.required, tt.strict, tt.partial), tt.strict, tt.reason)
	}
}

// TestJUnitOfHostileText: what a target says cannot break the file.
func TestJUnitOfHostileText(t *testing.T) {
	s := synthSummary(answers, 20, modern)
	s.Findings[0].What = map[string]int{"said ]]> and <b>\x00\x1b[31m & \"more\"": 3}
	r := testReport(s, false, nil, modern)
	data, err := JUnit(r, false)
	require.NoError(t, err)
	var back junitReport
	require.NoError(t, xml.Unmarshal(data, &back))
	found := ""
	for _, suite := range back.Suites {
		for _, c := range suite.Cases {
			if c.Failure != nil {
				found += c.Failure.Body
			}
		}
	}
	assert.Contains(t, found, "said ]]> and <b>")
	assert.NotContains(t, found, "\x1b")
}
