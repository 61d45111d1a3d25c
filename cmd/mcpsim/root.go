package main

import (
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// version of mcpsim, where the build does not know a better one.
const version = "0.1.0"

// programVersion is the module's version in a binary that go install made of a
// release, and this source's otherwise.
func programVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") && info.Main.Sum != "" {
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	return version
}

const (
	groupTest  = "test"
	groupLook  = "look"
	groupSetup = "setup"
)

// newRoot makes the command line. What a verb reports goes to stdout; progress
// and complaints go to stderr.
func newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "mcpsim",
		Short: "Find, reproduce and measure cancellation races in MCP implementations",
		Long: `mcpsim finds, reproduces and measures cancellation races in implementations of
the Model Context Protocol. It runs many client/server pairs of unmodified SDKs in
virtual time over a simulated network, cancels calls at random instants, and
judges what happened against the specification. One seed is one world is one
history: a seed that shows a fault shows it again.`,
		Example: `  mcpsim run cancel-storm
  mcpsim replay cancel-storm --seed 12 --spec-version 2026-07-28
  mcpsim list rules`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddGroup(
		&cobra.Group{ID: groupTest, Title: "Test:"},
		&cobra.Group{ID: groupLook, Title: "Look:"},
		&cobra.Group{ID: groupSetup, Title: "Set up:"},
	)
	root.SetHelpCommandGroupID(groupSetup)
	root.SetCompletionCommandGroupID(groupSetup)
	root.AddCommand(newRun(), newReplay(), newCheck(), newReport(), newList(), newExplain(), newShow(), newDoctor(), newVersion())
	return root
}
