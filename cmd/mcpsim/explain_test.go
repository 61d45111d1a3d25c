package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// TestExplanations: everything can be explained, in the width of a terminal.
func TestExplanations(t *testing.T) {
	ids := []string{}
	for _, r := range oracle.Catalogue() {
		ids = append(ids, r.ID)
	}
	for _, n := range oracle.Notes() {
		ids = append(ids, n.ID)
	}
	for _, r := range oracle.Races() {
		ids = append(ids, r.ID)
	}
	for _, id := range ids {
		text, err := explained(strings.ToLower(id))
		require.NoError(t, err, id)
		assert.True(t, strings.HasPrefix(text, id+"  "), "%s: %q", id, text)
		narrow(t, id, text)
	}
	narrow(t, "the list", explainables())
	var list strings.Builder
	require.NoError(t, listRules(&list))
	narrow(t, "list rules", list.String())
	for _, r := range oracle.Catalogue() {
		assert.Contains(t, list.String(), "\n"+r.ID+" ", "%s is not listed", r.ID)
	}
}

func narrow(t *testing.T, what, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		assert.LessOrEqual(t, utf8.RuneCountInString(line), columns, "%s: %q", what, line)
		assert.Equal(t, strings.TrimRight(line, " "), line, "%s: blanks at the end of %q", what, line)
	}
}

// TestExplainedProofs: a rule that is judged has at least one mutant, all that must
// break it are named, and how to see one at work.
func TestExplainedProofs(t *testing.T) {
	for _, r := range oracle.Rules() {
		assert.NotEmpty(t, provers(r), "%s: an oracle without its mutant is not done", r.ID)
		text, err := explained(r.ID)
		require.NoError(t, err)
		for _, m := range provers(r) {
			assert.Contains(t, text, "\n  "+m.Target(), r.ID)
		}
		assert.Contains(t, text, "  see it:\n    mcpsim run ", r.ID)
	}
}

func TestWrapped(t *testing.T) {
	long := strings.Repeat("x", columns)
	for _, c := range []struct{ why, head, text, want string }{
		{"short text stays on the line of its head", "  R1   ", "a b", "  R1   a b\n"},
		{"lines go on below the text", strings.Repeat("h", columns-4), "ab cd ef", strings.Repeat("h", columns-4) + "ab\n" +
			strings.Repeat(" ", columns-4) + "cd\n" + strings.Repeat(" ", columns-4) + "ef\n"},
		{"a word that is too long gets a line of its own", "", "a " + long + " b", "a\n" + long + "\nb\n"},
		{"nothing is a line with a head", "RULE   ", "", "RULE\n"},
	} {
		assert.Equal(t, c.want, wrapped(c.head, c.text), c.why)
	}
}
