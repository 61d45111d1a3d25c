package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/protocol"
)

// weighs are the levels that a clause has to stand behind.
func weighs(l Level) bool { return l != "" && l != Quality && l != Info }

func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Catalogue() {
		t.Run(r.ID, func(t *testing.T) {
			assert.False(t, seen[r.ID], "twice")
			seen[r.ID] = true
			assert.Regexp(t, `^[A-Z]+(-[A-Z0-9]+)*$`, r.ID)
			assert.NotEmpty(t, r.Side)
			assert.True(t, strings.HasSuffix(r.Statement, "."), r.Statement)
			kinds := 0
			judged := slices.ContainsFunc(Transports(), r.Judged)
			for _, is := range []bool{judged, r.Awaits != "", r.Never != ""} {
				if is {
					kinds++
				}
			}
			assert.Equal(t, 1, kinds, "a rule is judged, or waits for something, or never convicts")
			assert.Equal(t, r.Never == "", r.Convicts != "", "what never convicts has nothing that does")
		})
	}
}

// A level that binds stands on a clause, wherever it binds; and no clause speaks of
// a transport that a rule does not bind over.
func TestLevelsStandOnClauses(t *testing.T) {
	for _, r := range Catalogue() {
		levels := 0
		for _, transport := range Transports() {
			for _, version := range protocol.Versions() {
				level := r.LevelOver(transport, version)
				where := fmt.Sprintf("%s at %s over %s", r.ID, version, transport)
				if level != "" {
					levels++
					assert.True(t, transport.In(version), "%s: there is no such transport", where)
				}
				if weighs(level) {
					assert.NotEmpty(t, r.ClausesOver(transport, version), where)
				}
				if r.Never != "" {
					assert.Contains(t, []Level{"", May, Info}, level, "%s: it never convicts", where)
				}
			}
		}
		assert.Positive(t, levels, "%s binds nowhere", r.ID)
	}
}

// The stricter of two levels is the one that a clause of that version has, or none
// has it: nothing is graded by a text of another version.
func TestLevelsAreTheClauses(t *testing.T) {
	exempt := map[string]string{
		"PROGRESS-AFTER-CANCEL":  "an inference from a MUST, graded SHOULD: Q9",
		"DISC-SCOPED":            "derived: of that request, and so of no other",
		"CANCEL-CLIENT-NOTIFIES": "the clause is of timeouts",
	}
	for _, r := range Catalogue() {
		if exempt[r.ID] != "" || r.Never != "" {
			continue
		}
		for _, transport := range Transports() {
			for _, version := range protocol.Versions() {
				level := r.LevelOver(transport, version)
				if !weighs(level) {
					continue
				}
				var levels []Level
				for _, c := range r.ClausesOver(transport, version) {
					levels = append(levels, c.Level)
				}
				assert.Contains(t, levels, level, "%s at %s over %s", r.ID, version, transport)
			}
		}
	}
}

func TestTransports(t *testing.T) {
	for _, c := range []struct {
		transport Transport
		versions  int
		why       string
	}{
		{Stdio, 5, "every version has it"},
		{HTTPSSE, 1, "it was replaced at once"},
		{StreamableHTTP, 4, "it came second"},
	} {
		n := 0
		for _, v := range protocol.Versions() {
			if c.transport.In(v) {
				n++
			}
		}
		assert.Equal(t, c.versions, n, "%s: %s", c.transport, c.why)
	}
}

func TestLevelsOverHTTP(t *testing.T) {
	for _, c := range []struct {
		rule, version string
		transport     Transport
		want          Level
		why           string
	}{
		{"CANCEL-NO-RESPONSE", "2024-11-05", HTTPSSE, Should, "one stream for all, as over stdio"},
		{"CANCEL-NO-RESPONSE", "2025-11-25", StreamableHTTP, Info, "Q4"},
		{"CANCEL-NO-RESPONSE", "2026-07-28", StreamableHTTP, Should, "Q4 is settled"},
		{"CANCEL-SILENCE", "2026-07-28", StreamableHTTP, MustNot, "that page has it too"},
		{"CANCEL-STDIO-REQUIRED", "2026-07-28", StreamableHTTP, "", "there is a stream to close"},
		{"DISC-NOT-CANCEL", "2025-06-18", StreamableHTTP, ShouldNot, "before, a disconnect is none"},
		{"DISC-NOT-CANCEL", "2026-07-28", StreamableHTTP, "", "and since, it is one"},
		{"DISC-IS-CANCEL", "2026-07-28", StreamableHTTP, Must, ""},
		{"DISC-IS-CANCEL", "2026-07-28", Stdio, "", "there is no stream of a request"},
		{"RACE-GRACEFUL", "2024-11-05", StreamableHTTP, "", "it did not exist"},
	} {
		r, ok := FindAny(c.rule)
		require.True(t, ok, c.rule)
		assert.Equal(t, c.want, r.LevelOver(c.transport, c.version), "%s: %s", c.rule, c.why)
	}
}

// Rules refer to notes and races that there are, and each is referred to, but for
// those whose rules belong to what is not judged yet.
func TestReferences(t *testing.T) {
	for _, r := range Catalogue() {
		for _, text := range r.Notes {
			if m := noteMark.FindStringSubmatch(text); m != nil {
				_, ok := FindNote(m[1])
				assert.True(t, ok, "%s refers to %s", r.ID, m[1])
			}
		}
		for _, e := range r.Exempt {
			if e.Race != "" {
				_, ok := FindRace(e.Race)
				assert.True(t, ok, "%s refers to %s", r.ID, e.Race)
			}
		}
	}
	for i, n := range Notes() {
		assert.Equal(t, fmt.Sprintf("Q%d", i+1), n.ID)
		assert.Regexp(t, regexp.MustCompile(`\.$`), n.Text)
		assert.Regexp(t, regexp.MustCompile(`\.$`), n.Decides)
		if n.ID != "Q7" { // of CANCEL-HAS-ID
			assert.NotEmpty(t, n.Concerns(), n.ID)
		}
	}
	assert.Len(t, Races(), 18)
	for i, r := range Races() {
		assert.Equal(t, fmt.Sprintf("R%d", i+1), r.ID)
		if r.ID != "R18" { // of CANCEL-INIT
			assert.NotEmpty(t, r.Excuses(), r.ID)
		}
	}
}

func TestNotesAt(t *testing.T) {
	ids := func(rule string, transport Transport, version string) []string {
		r, ok := FindAny(rule)
		require.True(t, ok, rule)
		var out []string
		for _, n := range r.NotesAt(transport, version) {
			out = append(out, n.ID)
		}
		return out
	}
	assert.Equal(t, []string{"Q1", "Q8"}, ids("CANCEL-NO-RESPONSE", Stdio, "2026-07-28"))
	assert.Equal(t, []string{"Q8"}, ids("CANCEL-NO-RESPONSE", Stdio, "2025-11-25"), "of two levels only since")
	assert.Equal(t, []string{"Q4", "Q8"}, ids("CANCEL-NO-RESPONSE", StreamableHTTP, "2025-11-25"), "of HTTP alone")
	r, _ := FindRule("CANCEL-STOP-WORK")
	require.Len(t, r.Remarks(), 1)
	assert.True(t, strings.HasPrefix(r.Remarks()[0], "In virtual time"), "a remark has no number before it")
}
