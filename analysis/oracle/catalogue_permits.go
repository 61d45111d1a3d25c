package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// permissions are what the specification allows, or leaves so open that nobody can
// be held to it. They never convict: they are why other rules do not.
func permissions() []Rule {
	return []Rule{{
		ID: "CANCEL-MAY-IGNORE", Side: history.World, Property: Safety,
		Statement: "A receiver may ignore the cancel of a request that is unknown, that is over, or that cannot be cancelled.",
		Never:     "It is what exempts the rules of who reads a cancel.",
		Elsewhere: []Binding{
			{Stdio, firstVersion, "", May}, {HTTPSSE, firstVersion, firstVersion, May}, {StreamableHTTP, firstHTTP, "", May},
		},
		Clauses: onBothPages(mayIgnore, May),
	}, {
		ID: "CANCEL-HTTP-NOPOST", Side: history.Client, Property: Safety,
		Statement: "Over HTTP a modern client need not post notifications/cancelled.",
		Never:     "Nothing forbids to post one. It is told as a note.",
		Elsewhere: overStreamable(modernEra, "", Info),
		Clauses: []Clause{
			{From: modernEra, Over: StreamableHTTP, Page: modernPage, Quote: "No notifications/cancelled message is required or expected", Level: Info},
		},
		Exempt: []Exemption{{Race: "R17", What: "A server accepts such a POST, or refuses it."}},
	}, {
		ID: "TIMEOUT-RESET", Side: history.World, Property: Safety,
		Statement: "Who waits for a response may begin to wait anew when progress is reported.",
		Never:     "Both are allowed, to begin anew and not to.",
		Elsewhere: []Binding{{Stdio, firstHTTP, "", May}, {StreamableHTTP, firstHTTP, "", May}},
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Page: "basic/lifecycle", Quote: "Implementations MAY choose to reset the timeout clock", Level: May},
			{From: modernEra, Page: modernPage, Quote: "Implementations MAY choose to reset the timeout clock", Level: May},
		},
	}, {
		ID: "LISTEN-SERVER-END", Side: history.Server, Property: Safety,
		Statement: "A server that ends a subscription by itself says so.",
		Never:     "Two pages ask for two different things.",
		Elsewhere: []Binding{{Stdio, modernEra, "", Info}, {StreamableHTTP, modernEra, "", Info}},
		Clauses: []Clause{
			{From: modernEra, Page: modernPage, Quote: "A server MUST send notifications/cancelled referencing a subscriptions/listen request ID when it tears down that subscription stream", Level: Must},
			{From: modernEra, Page: "basic/patterns/subscriptions", Quote: "it SHOULD send a successful subscriptions/listen response to signal a graceful end", Level: Should},
		},
		Notes: []string{"Q2"},
	}, {
		ID: "TASK-NO-RETENTION", Side: history.Server, Property: Safety,
		Statement: "A receiver may forget a cancelled task at once.",
		Never:     "That a cancelled task is not found later is allowed.",
		Elsewhere: []Binding{{Stdio, lastLegacy, lastLegacy, May}, {StreamableHTTP, lastLegacy, lastLegacy, May}},
		Clauses: []Clause{
			{From: lastLegacy, Until: lastLegacy, Page: "basic/utilities/tasks", Quote: "receivers MAY delete cancelled tasks at their discretion at any time", Level: May},
		},
	}, {
		ID: "BATCH", Side: history.World, Property: Safety,
		Statement: "Requests may come in batches, at one version, and one of a batch may be cancelled.",
		Never:     "No text says what becomes of the response to a batch one of whose requests was cancelled.",
		Elsewhere: []Binding{{Stdio, firstHTTP, firstHTTP, Info}, {StreamableHTTP, firstHTTP, firstHTTP, Info}},
		Clauses: []Clause{
			{From: firstHTTP, Until: firstHTTP, Page: "basic", Quote: "MUST support receiving JSON-RPC batches", Level: Must},
		},
	}, {
		ID: "HTTP-M-NO-RESUME", Side: history.World, Property: Safety,
		Statement: "Since 2026-07-28 no stream is resumed: there are no event ids, no stream by GET, no session to delete.",
		Never:     "What is gone from the protocol is ignored or refused; either will do.",
		Elsewhere: overStreamable(modernEra, "", Info),
		Exempt:    []Exemption{{Race: "R10", What: "A connection that is lost cancels its request, by design."}},
	}, {
		ID: "TIMEOUT-EXISTS", Side: history.World, Property: Liveness,
		Statement: "A request does not wait for its answer for ever.",
		Never: "In Go a caller brings its deadline in a context, so that a call without one waits because its caller wants it to. " +
			"Whether an implementation has a limit of its own, and how long that is, no history of minutes shows.",
		Elsewhere: []Binding{{Stdio, firstVersion, "", Info}, {StreamableHTTP, firstHTTP, "", Info}},
		Clauses: []Clause{
			{From: firstVersion, Until: firstVersion, Page: "basic/lifecycle", Quote: "Implementations SHOULD implement appropriate timeouts for all requests", Level: Should},
			{From: firstHTTP, Until: lastLegacy, Page: "basic/lifecycle", Quote: "Implementations SHOULD establish timeouts for all sent requests", Level: Should},
			{From: modernEra, Page: modernPage, Quote: "Implementations SHOULD establish timeouts for all sent requests", Level: Should},
		},
	}, {
		ID: "TIMEOUT-CONFIG", Side: history.World, Property: Liveness,
		Statement: "A request can be given a limit of its own.",
		Never: "The simulator asks for calls with a deadline through an adapter, which could not be written for an implementation that has none. " +
			"What follows from a deadline is TIMEOUT-CANCEL and CALLER-UNBLOCKS.",
		Elsewhere: []Binding{{Stdio, firstHTTP, "", Info}, {StreamableHTTP, firstHTTP, "", Info}},
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Page: "basic/lifecycle", Quote: "SDKs and other middleware SHOULD allow these timeouts to be configured on a per-request basis", Level: Should},
			{From: modernEra, Page: modernPage, Quote: "SDKs and other middleware SHOULD allow these timeouts to be configured on a per-request basis", Level: Should},
		},
	}, {
		ID: "TIMEOUT-MAX", Side: history.World, Property: Liveness,
		Statement: "Progress does not keep a request alive for ever.",
		Never:     "What the maximum is, is the implementation's choice, and a call without a deadline has none because its caller set none.",
		Elsewhere: []Binding{{Stdio, firstHTTP, "", Info}, {StreamableHTTP, firstHTTP, "", Info}},
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Page: "basic/lifecycle", Quote: "implementations SHOULD always enforce a maximum timeout, regardless of progress notifications", Level: Should},
			{From: modernEra, Page: modernPage, Quote: "implementations SHOULD always enforce a maximum timeout, regardless of progress notifications", Level: Should},
		},
	}}
}
