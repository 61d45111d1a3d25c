package mcpgo_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpsim/mcpsim/sim/mcpgo"
	"github.com/mcpsim/mcpsim/sim/reference"
	"github.com/mcpsim/mcpsim/sim/sdktest"
)

// pairs seat the SDK opposite itself, and opposite the reference on either side.
func pairs() []sdktest.Pair {
	sdk, strict := mcpgo.Target("v0.0.0"), reference.Targets()[0]
	return slices.Concat(sdktest.Pairs(sdk, sdk), sdktest.Pairs(sdk, strict), sdktest.Pairs(strict, sdk))
}

// Whatever the adapter lists comes through it over HTTP, whatever the application has
// chosen.
func TestEveryMethodOverHTTP(t *testing.T) {
	for _, p := range pairs() {
		if strings.Contains(p.Server.Name, "+stateless+") && p.Client.Name != "mcp-go" {
			// With a store as well, the SDK keeps the session of a client that listens, which
			// has no id by which it could be ended.
			continue
		}
		t.Run(p.String(), func(t *testing.T) {
			p.EveryMethod(t, func(method string) []int {
				if method == "completion/complete" {
					return []int{0} // the SDK gives its handler no request to report on
				}
				return []int{2, 3} // what is reported just before the end may get lost
			})
		})
	}
}

// Whatever a tool asks comes through as well.
func TestEveryQuestionOverHTTP(t *testing.T) {
	for _, p := range pairs() {
		t.Run(p.String(), p.EveryQuestion)
	}
}

// Clients that a tool sends away come back for its answer.
func TestPolling(t *testing.T) {
	for _, p := range pairs() {
		t.Run(p.String(), p.Polling)
	}
}

// Subscriptions do, too.
func TestListenOverHTTP(t *testing.T) {
	for _, p := range pairs() {
		if p.SpecVersion == "2026-07-28" {
			t.Run(p.String(), p.Listen)
		}
	}
}
