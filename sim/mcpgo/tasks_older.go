//go:build mcpsim_older

package mcpgo

import (
	"encoding/json"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcpsim/mcpsim/sim"
)

// Releases before v0.44 have no tasks.

func taskMethods() []string       { return nil }
func servedTaskMethods() []string { return nil }

func tasks(sim.ServerEnv) []sdk.ServerOption { return nil }

func listed(_ sim.ServerEnv, name string) mcp.Tool {
	return mcp.NewToolWithRawSchema(name, "", json.RawMessage(`{"type":"object"}`))
}

func watch(t *transport.Stdio) transport.Interface              { return t }
func watchHTTP(t *transport.StreamableHTTP) transport.Interface { return t }
