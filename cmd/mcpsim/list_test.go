package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestListsFitTheWidth is that of what people read in a terminal.
func TestListsFitTheWidth(t *testing.T) {
	for _, what := range []string{"scenarios", "targets", "targets --mutants", "rules"} {
		var out, stderr bytes.Buffer
		require.Equal(t, exitOK, run(append([]string{"list"}, strings.Fields(what)...), &out, &stderr), stderr.String())
		for line := range strings.Lines(out.String()) {
			assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")), columns, "%s: %s", what, line)
		}
	}
}

// TestEveryTargetIsListed once, in the one list or in the other.
func TestEveryTargetIsListed(t *testing.T) {
	var targets, mutants bytes.Buffer
	require.NoError(t, listTargets(&targets))
	require.NoError(t, listMutants(&mutants))
	for _, p := range linkedPlayers() {
		if strings.HasPrefix(p.Name, mutantPrefix) {
			assert.Equal(t, 1, strings.Count(mutants.String(), "\n  "+p.Name+" "), p.Name)
			continue
		}
		assert.Contains(t, "\n"+targets.String(), "\n"+p.Name+" ")
		for _, o := range p.Options {
			assert.Contains(t, targets.String(), "\n    +"+o.Name+" ")
		}
	}
}
