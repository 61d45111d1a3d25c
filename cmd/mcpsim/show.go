package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpsim/mcpsim/scenarios"
)

func newShow() *cobra.Command {
	show := &cobra.Command{
		Use:     "show",
		Short:   "Show a scenario of the catalogue as its file",
		GroupID: groupLook,
		Example: "  mcpsim show scenario cancel-storm > mine.yaml\n  mcpsim run mine.yaml",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usage(fmt.Errorf("show what? mcpsim show scenario NAME"))
		},
	}
	show.AddCommand(&cobra.Command{
		Use:       "scenario NAME",
		Short:     "Print a scenario of the catalogue, comments included",
		Example:   "  mcpsim show scenario cancel-storm > mine.yaml",
		Args:      cobra.ExactArgs(1),
		ValidArgs: scenarios.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := scenarioFile(args[0])
			if err != nil {
				return usage(err)
			}
			if _, err := cmd.OutOrStdout().Write(data); err != nil {
				return failed(err)
			}
			return nil
		},
	})
	return show
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of mcpsim",
		GroupID: groupSetup,
		Example: "  mcpsim version",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := fmt.Fprintln(cmd.OutOrStdout(), "mcpsim", programVersion()); err != nil {
				return failed(err)
			}
			return nil
		},
	}
}
