//go:build !mcpsim_old

package mcpgo

import sdk "github.com/mark3labs/mcp-go/server"

const stores = true

// newer are options of the SDK's handler that came with v0.58.
func (c chosen) newer() []sdk.StreamableHTTPOption {
	out := []sdk.StreamableHTTPOption{quiet(sdk.WithStreamableHTTPLogger)}
	if c.has(optStore) {
		out = append(out, sdk.WithEventStore(sdk.NewInMemoryEventStore()))
	}
	return out
}
