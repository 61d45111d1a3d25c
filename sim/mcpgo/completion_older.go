//go:build mcpsim_older

package mcpgo

import (
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcpsim/mcpsim/sim"
)

// Releases before v0.44 have no completion.
const completes = false

func completion(sim.Answer) []sdk.ServerOption { return nil }
