//go:build mcpsim_old

package mcpgo

import sdk "github.com/mark3labs/mcp-go/server"

// Releases before v0.58 have no event store.
const stores = false

// newer keeps the handler quiet, where that is done with this option.
func (c chosen) newer() []sdk.StreamableHTTPOption {
	if option, ok := any(quiet(sdk.WithLogger)).(sdk.StreamableHTTPOption); ok {
		return []sdk.StreamableHTTPOption{option}
	}
	return nil
}
