package oracle

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

func TestEveryRuleIsDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		t.Run(r.ID, func(t *testing.T) {
			assert.False(t, seen[r.ID], "twice")
			seen[r.ID] = true
			assert.NotEmpty(t, r.Side)
			assert.NotEmpty(t, r.Convicts)
			assert.Contains(t, []Property{Safety, Liveness}, r.Property)
			assert.True(t, strings.HasSuffix(r.Statement, "."))
			graded := false
			for _, transport := range Transports() {
				for _, version := range protocol.Versions() {
					graded = graded || !slices.Contains([]Level{"", Quality, Info}, r.LevelOver(transport, version))
				}
			}
			assert.Equal(t, graded || r.ID == "LISTEN-NO-REQ-SCOPED", len(r.Clauses) > 0, "quality is what no clause demands")
		})
	}
	assert.Len(t, seen, len(described()), "every description has its oracle")
}

func TestClausesGoWithLevels(t *testing.T) {
	for _, r := range judgedOver(Stdio) {
		for _, version := range protocol.Versions() {
			level := r.Level(version)
			if level == Quality {
				continue
			}
			assert.Equal(t, level != "", len(r.ClausesOf(version)) > 0, "%s at %s", r.ID, version)
		}
	}
}

func TestLevels(t *testing.T) {
	levels := []struct {
		rule           string
		legacy, modern Level
	}{
		{"CANCEL-NO-RESPONSE", Should, Should},
		{"CANCEL-SILENCE", "", MustNot},
		{"CANCEL-STOP-WORK", Should, Should},
		{"CANCEL-ONLY-ISSUED", Must, Must},
		{"CANCEL-STDIO-REQUIRED", "", Must},
		{"CANCEL-CLIENT-NOTIFIES", Should, Should},
		{"TIMEOUT-CANCEL", Should, Should},
		{"RESP-ONCE", Must, Must},
		{"RACE-GRACEFUL", Must, Must},
		{"LATE-IGNORED", Should, Should},
		{"PROGRESS-AFTER-CANCEL", Should, MustNot},
		{"SESSION-SURVIVES", Quality, Quality},
		{"CALLER-UNBLOCKS", Quality, Quality},
		{"CANCEL-NONBLOCKING", Quality, Quality},
		{"CANCEL-ORDER", Quality, Quality},
		{"NO-LEAK", Quality, Quality},
		{"SHUT-STDIO-SERVER", Quality, Should},
		{"CLOSE-BOUNDED", Quality, Quality},
		{"EOF-DRAINS", Quality, ""},
		{"REQUEST-DISPATCHED", Quality, Quality},
		{"NO-SPURIOUS-CANCEL", Quality, Quality},
		{"ANSWER-OWN", Quality, Quality},
		{"CANCEL-RIGHT-CALL", Must, Must},
		{"CANCEL-INVALID-IGNORED", Should, Should},
		{"CANCEL-NO-REPLY", MustNot, MustNot},
		{"NESTED-CANCELLED", Quality, ""},
		{"CANCEL-SAME-DIRECTION", Must, ""},
		{"CANCEL-ONLY-INPROGRESS", Must, Must},
		{"CANCEL-INIT", MustNot, ""},
		{"CANCEL-SERVER-FORBIDDEN", "", MustNot},
		{"CANCEL-HAS-ID", Must, Must},
		{"CANCEL-NO-RPC-ID", MustNot, MustNot},
		{"ID-NO-REUSE-L", MustNot, ""},
		{"ID-NO-REUSE-M", "", MustNot},
		{"ID-NOT-NULL", MustNot, MustNot},
		{"ID-TYPE", Must, Must},
		{"RESP-SAME-ID", Must, Must},
		{"RESP-ONE-OF", "", ""},
		{"SERVER-NO-REQUESTS", "", MustNot},
		{"PROGRESS-ACTIVE", Must, Must},
		{"PROGRESS-STOP", Must, Must},
		{"PROGRESS-MONOTONE", Must, Must},
		{"PROGRESS-TOKEN-UNIQUE", Must, Must},
		{"LOG-OPT-IN", "", MustNot},
		{"SHUT-STDIO-CLIENT", Should, Should},
		{"PING-PROMPT", Must, ""},
		{"CANCEL-FREE", Should, Should},
		{"LATE-NO-LEAK", Quality, Quality},
		{"CANCEL-TASK-VIA-TASKS", Must, ""},
		{"TASK-CANCEL-TERMINAL", Must, ""},
		{"TASK-CANCEL-TRANSITION", Must, ""},
		{"TASK-STOP-WORK", Should, ""},
		{"TASK-CANCEL-STICKY", Must, ""},
		{"TASK-TERMINAL-FINAL", MustNot, ""},
		{"TASK-RESULT-BLOCK", Must, ""},
		{"TASK-UNKNOWN", Must, ""},
		{"PROGRESS-TASK", Must, ""},
		{"LISTEN-CANCEL", "", MustNot},
		{"LISTEN-ACK-FIRST", "", Must},
		{"LISTEN-ONLY-ASKED", "", MustNot},
		{"LISTEN-TAG", "", Must},
		{"LISTEN-DELIVERS", "", Should},
		{"LISTEN-NO-REQ-SCOPED", "", Quality},
	}
	assert.Len(t, judgedOver(Stdio), len(levels), "all of them")
	for _, tc := range levels {
		r, ok := FindRule(tc.rule)
		require.True(t, ok, tc.rule)
		assert.Equal(t, tc.legacy, r.Level(legacyVersion), tc.rule)
		assert.Equal(t, tc.modern, r.Level(modernVersion), tc.rule)
	}
}

func TestVerdictsComeInTheOrderOfRules(t *testing.T) {
	for _, transport := range Transports() {
		j := Judge(&history.History{Header: history.Header{Transport: string(transport)}})
		for i, r := range judgedOver(transport) {
			assert.Equal(t, r.ID, j.Verdicts[i].Rule)
			assert.Equal(t, r.Side, j.Verdicts[i].Side)
			assert.Equal(t, Vacuous, j.Verdicts[i].Status)
		}
	}
}

// judgedOver lists the rules that are judged over a transport.
func judgedOver(transport Transport) []Rule {
	return slices.DeleteFunc(Rules(), func(r Rule) bool { return !r.Judged(transport) })
}

func TestFindRule(t *testing.T) {
	_, ok := FindRule("NO-SUCH-RULE")
	assert.False(t, ok)
	r, ok := FindRule("CANCEL-CLIENT-NOTIFIES")
	require.True(t, ok)
	assert.Equal(t, "CANCEL-STDIO-REQUIRED", r.Implied)
	assert.Equal(t, "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle", r.ClausesOf(legacyVersion)[0].URL(legacyVersion))
}

// Every reason that a verdict can give is explained by its rule.
func TestReasonsAreExplained(t *testing.T) {
	explained := map[string]bool{whyWithinGrace: true} // wall time only
	for _, r := range Rules() {
		for _, e := range r.Exempt {
			explained[r.ID+e.Why] = true
			assert.NotEmpty(t, e.What, r.ID)
		}
	}
	for _, h := range corpus(t) {
		for _, version := range []string{legacyVersion, modernVersion} {
			h.Header.SpecVersion = version
			for _, v := range Judge(h).Verdicts {
				for _, u := range v.Uncounted {
					assert.True(t, explained[v.Rule+u.Why], "%s: %s", v.Rule, u.Why)
				}
			}
		}
	}
}

func TestViolationsAreBounded(t *testing.T) {
	v := verdictOf(t, Judge(wide(t, 50)), "CANCEL-SILENCE")
	assert.Equal(t, 50, v.Failed)
	assert.Equal(t, 50, v.Checked)
	assert.Len(t, v.Violations, MaxViolations)
}
