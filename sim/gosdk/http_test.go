package gosdk_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/gosdk"
	"github.com/mcpsim/mcpsim/sim/reference"
	"github.com/mcpsim/mcpsim/sim/sdktest"
)

// pairs seat the SDK opposite itself, and opposite the reference on either side.
func pairs() []sdktest.Pair {
	sdk, strict := gosdk.Target("v0.0.0"), reference.Targets()[0]
	return slices.Concat(sdktest.Pairs(sdk, sdk), sdktest.Pairs(sdk, strict), sdktest.Pairs(strict, sdk))
}

// Whatever the adapter lists comes through it over HTTP as well, whatever the
// application has chosen.
func TestEveryMethodOverHTTP(t *testing.T) {
	for _, p := range pairs() {
		t.Run(p.String(), func(t *testing.T) {
			p.EveryMethod(t, func(string) []int { return []int{reports(p)} })
		})
	}
}

// reports is how many of three reports of progress arrive: an answer that is one JSON
// object leaves them to the session's own stream, where there is one.
func reports(p sdktest.Pair) int {
	stateless := p.SpecVersion == "2026-07-28" || strings.Contains(p.Server.Name, "+stateless")
	if stateless && strings.Contains(p.Server.Name, "+json") && p.Transport == sim.StreamableHTTP {
		return 0
	}
	return 3
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
