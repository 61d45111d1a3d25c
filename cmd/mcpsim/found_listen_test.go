package main

import "testing"

// stopsWithListeners is a server that could not be stopped while a client listened.
func stopsWithListeners() discovery {
	return discovery{
		report: "go-sdk#1160", finding: "cannot be stopped while a subscription is open", target: "go-sdk", side: "server",
		bad: "v1.7.0", good: "v1.8.0", scenario: "listen-teardown", specVersion: "2026-07-28", rule: "CLOSE-BOUNDED", seed: 11,
	}
}

// losesListeners is one that forgets the other subscriptions when one of them ends,
// or a second one begins.
func losesListeners() discovery {
	return discovery{
		finding: "tells the list of tools to one subscription at a time, and to none once any has ended", target: "go-sdk", side: "server",
		bad: "v1.8.0", scenario: "listen-teardown", specVersion: "2026-07-28", rule: "LISTEN-DELIVERS", seed: 8,
	}
}

func TestListenersFound(t *testing.T) {
	for _, d := range []discovery{stopsWithListeners(), losesListeners()} {
		t.Run(d.report+" "+d.rule, func(t *testing.T) { d.hold(t) })
	}
}
