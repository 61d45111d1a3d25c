package main

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHelpShowsEveryVerbAtWork: each verb has an example, and each example is a
// command line that the verb would take.
func TestHelpShowsEveryVerbAtWork(t *testing.T) {
	for _, verb := range verbs(newRoot(io.Discard, io.Discard)) {
		t.Run(verb.CommandPath(), func(t *testing.T) {
			assert.NotEmpty(t, verb.Short)
			assert.True(t, strings.HasPrefix(verb.Example, "  mcpsim "), "no example, or not indented: %q", verb.Example)
			for line := range strings.Lines(verb.Example) {
				assertUnderstood(t, line)
			}
		})
	}
}

// verbs lists all commands that this program defines itself.
func verbs(cmd *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		out = append(out, verbs(sub)...)
	}
	return out
}

// assertUnderstood finds the verb of an example's line and parses its flags and
// arguments. Nothing is run.
func assertUnderstood(t *testing.T, line string) {
	t.Helper()
	line, _, _ = strings.Cut(strings.TrimSpace(line), " > ")
	words := strings.Fields(line)
	require.Equal(t, "mcpsim", words[0])
	verb, rest, err := newRoot(io.Discard, io.Discard).Find(words[1:])
	require.NoError(t, err, line)
	require.True(t, verb.Runnable(), "%s names no verb", line)
	require.NoError(t, verb.ParseFlags(rest), line)
	require.NoError(t, verb.ValidateArgs(verb.Flags().Args()), line)
}
