//go:build !mcpsim_older

package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcpsim/mcpsim/sim"
)

const completes = true

func completion(run sim.Answer) []sdk.ServerOption {
	return []sdk.ServerOption{sdk.WithCompletions(), sdk.WithPromptCompletionProvider(completer(run))}
}

type completer sim.Answer

// CompletePromptArgument offers the one value that the application has.
func (run completer) CompletePromptArgument(ctx context.Context, _ string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	text, err := run(ctx, argument.Value, func(float64) error { return nil })
	if err != nil {
		return nil, err
	}
	return &mcp.Completion{Values: []string{text}, Total: 1}, nil
}
