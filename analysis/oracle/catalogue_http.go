package oracle

import (
	"slices"

	"github.com/mcpsim/mcpsim/sim/history"
)

// What the rules that are laid out wait for.
const (
	needsHTTP   = "Streamable HTTP"
	needsSSE    = "HTTP+SSE and Streamable HTTP"
	needsExt    = "the extension io.modelcontextprotocol/tasks"
	needsReturn = "a client that connects again"
	needsRounds = "requests of several rounds, and Streamable HTTP"
)

// awaitingRules are described and not judged yet. What convicts, and what must not,
// is laid down, so that an oracle only has to add the evidence.
func awaitingRules() []Rule {
	return slices.Concat(httpCancelRules(), httpExchangeRules(), httpStreamRules(), otherAwaitingRules())
}

// How a call is cancelled over HTTP, and what a disconnect means.
func httpCancelRules() []Rule {
	return []Rule{{
		ID: "CANCEL-HTTP-EXPLICIT", Side: history.Client, Property: Liveness, Awaits: needsHTTP,
		Statement: "To cancel a call over HTTP a legacy client posts notifications/cancelled; to drop the connection is not enough.",
		Elsewhere: overStreamable(firstHTTP, lastLegacy, Should),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "To cancel, the client SHOULD explicitly send an MCP CancelledNotification", Level: Should},
		},
		Convicts: "The caller gave up a pending call, the client at most dropped its stream, and until the session's end or the world's limit it posted no cancel for it.",
		Exempt: []Exemption{
			{Race: "R7", What: "The session ended, or was deleted, before."},
			{What: "The client had read the response when its caller gave up."},
		},
	}, {
		ID: "CANCEL-HTTP-CLOSE", Side: history.Client, Property: Liveness, Awaits: needsHTTP,
		Statement: "To cancel a call over HTTP a modern client closes the stream of its response.",
		Elsewhere: overStreamable(modernEra, "", Should),
		Clauses: []Clause{
			{From: modernEra, Over: StreamableHTTP, Page: modernPage, Quote: "Closing the SSE response stream is the cancellation signal", Level: Should},
			{From: modernEra, Page: modernPage, Quote: "the sender SHOULD cancel the request and stop waiting for a response", Level: Should},
		},
		Convicts: "The caller gave up a pending call, and its response stream was still open when the budget for closing it had run out.",
		Exempt:   []Exemption{{What: "The response was complete first."}},
		Notes:    []string{"How to cancel is defined, and that a call whose time is up is to be cancelled is a SHOULD."},
	}, {
		ID: "DISC-NOT-CANCEL", Side: history.Server, Property: Safety, Awaits: needsHTTP,
		Statement: "A legacy server does not take the loss of a connection for a cancel.",
		Elsewhere: overStreamable(firstHTTP, lastLegacy, ShouldNot),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "Disconnection SHOULD NOT be interpreted as the client cancelling its request", Level: ShouldNot},
		},
		Convicts: "The client dropped the stream of a call, posted no cancel for it, and the handler's context was done while the session lived.",
		Exempt: []Exemption{
			{Race: "R11", What: "The response is kept for the stream that the client resumes: that is as it should be."},
			{What: "The session was deleted, or ran out, or the server was shutting down."},
		},
	}, {
		ID: "DISC-IS-CANCEL", Side: history.Server, Property: Liveness, Awaits: needsHTTP,
		Statement: "A modern server takes the client's disconnect for a cancel of that request.",
		Elsewhere: overStreamable(modernEra, "", Must),
		Clauses: []Clause{
			{From: modernEra, Over: StreamableHTTP, Page: modernPage, Quote: "The server MUST treat a client disconnect as cancellation of that request", Level: Must},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "Closing the SSE response stream MUST be treated by the server as cancellation of that request", Level: Must},
		},
		Convicts: "The server saw the stream of a call closed while its handler was at work, time passed, and the handler's context was not done.",
		Exempt: []Exemption{
			{Race: "R2", What: "The handler had ended by then."},
			{Race: "R10", What: "The server had not seen the close yet."},
		},
		Notes: []string{"Q3", "Q6"},
	}, {
		ID: "DISC-SCOPED", Side: history.Server, Property: Safety, Awaits: needsHTTP,
		Statement: "A disconnect cancels the request of that stream and no other, also where they share a connection.",
		Elsewhere: overStreamable(modernEra, "", Must),
		Clauses: []Clause{
			{From: modernEra, Over: StreamableHTTP, Page: modernPage, Quote: "The server MUST treat a client disconnect as cancellation of that request", Level: Must},
		},
		Convicts: "The handler of another request was told to stop when the client closed one stream.",
		Exempt:   []Exemption{{What: "The client closed the whole connection, which carried both."}},
	}, {
		ID: "EXCHANGE-ENDED", Side: history.Server, Property: Liveness, Awaits: needsHTTP,
		Statement: "An HTTP exchange does not outlive its call.",
		Elsewhere: slices.Concat(overStreamable(firstHTTP, lastLegacy, Info), overStreamable(modernEra, "", Quality)),
		Convicts:  "Nothing was left of a call that had been cancelled, the world had settled, and its response stream was still open.",
		Exempt:    []Exemption{{Race: "R12", What: "Before 2026-07-28: no text offers a clean end."}},
		Notes:     []string{"Q4"},
	}}
}

// How messages travel by HTTP.
func httpExchangeRules() []Rule {
	return []Rule{{
		ID: "HTTP-POST-PER-MSG", Side: history.Client, Property: Safety, Awaits: needsHTTP,
		Statement: "A client sends each message as an HTTP POST of its own.",
		Elsewhere: overStreamable(firstHTTP, "", Must),
		Clauses: []Clause{
			{From: firstHTTP, Over: StreamableHTTP, Page: legacyHTTP, Until: lastLegacy, Quote: "Every JSON-RPC message sent from the client MUST be a new HTTP POST request", Level: Must},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "Every JSON-RPC message sent from the client MUST be a new HTTP POST request", Level: Must},
		},
		Convicts: "One POST carried several messages, or a message came by other means; since 2026-07-28 also a POST that carried a response.",
		Exempt:   []Exemption{{What: "A batch at 2025-03-26."}},
	}, {
		ID: "HTTP-ACCEPT", Side: history.Client, Property: Safety, Awaits: needsHTTP,
		Statement: "A client accepts both a JSON object and an SSE stream, and says so.",
		Elsewhere: overStreamable(firstHTTP, "", Must),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "The client MUST include an Accept header", Level: Must},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "The client MUST include an Accept header", Level: Must},
		},
		Convicts: "The Accept header of a POST lacked application/json or text/event-stream, or that of a GET the latter.",
	}, {
		ID: "HTTP-202", Side: history.Server, Property: Safety, Awaits: needsHTTP,
		Statement: "A notification that is accepted, a cancel too, is answered with 202 and nothing else, at once.",
		Elsewhere: overStreamable(firstHTTP, "", Must),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "the server MUST return HTTP status code 202 Accepted with no body", Level: Must},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "the server MUST return HTTP status code 202 Accepted with no body", Level: Must},
		},
		Convicts: "The POST of a notification was answered with another success, or with a body, or stayed open until the handler of the cancelled call had ended.",
		Exempt: []Exemption{
			{Race: "R17", What: "A notification that the server refuses is answered with an error status."},
		},
	}, {
		ID: "HTTP-SESSION", Side: history.Client, Property: Safety, Awaits: needsHTTP,
		Statement: "A client whose server gave it a session names it in every later request, that of a cancel too.",
		Elsewhere: overStreamable(firstHTTP, lastLegacy, Must),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "clients using the Streamable HTTP transport MUST include it", Level: Must},
		},
		Convicts: "A POST after the initialize result lacked the session's id, or had another.",
		Exempt:   []Exemption{{Race: "R7", What: "A cancel for a session that has ended is answered with 404."}},
	}, {
		ID: "HTTP-VERSION-HDR", Side: history.Client, Property: Safety, Awaits: needsHTTP,
		Statement: "A client names the protocol version in a header of every request, after the handshake where there is one.",
		Elsewhere: overStreamable("2025-06-18", "", Must),
		Clauses: []Clause{
			{From: "2025-06-18", Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "the client MUST include the MCP-Protocol-Version", Level: Must},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "Every POST request to the MCP endpoint MUST include an MCP-Protocol-Version header", Level: Must},
		},
		Convicts: "A request lacked the header, or since 2026-07-28 named another version in it than in its _meta.",
		Exempt:   []Exemption{{What: "The POST of a notification since 2026-07-28, whose headers are not defined."}},
	}, {
		ID: "HTTP-M-HEADERS", Side: history.Client, Property: Safety, Awaits: needsHTTP,
		Statement: "A modern client repeats in headers which method it asks for, and of which tool, prompt or resource.",
		Elsewhere: overStreamable(modernEra, "", Must),
		Clauses: []Clause{
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "These headers are REQUIRED for compliance", Level: Must},
		},
		Convicts: "A request lacked Mcp-Method, or one that names a tool, a prompt or a resource lacked Mcp-Name.",
		Exempt:   []Exemption{{What: "The POST of a notification, whose headers are not defined."}},
	}}
}

// What travels on which stream, and when one ends.
func httpStreamRules() []Rule {
	return []Rule{{
		ID: "HTTP-RESP-STREAM", Side: history.Server, Property: Safety, Awaits: needsHTTP,
		Statement: "A legacy server sends no response on the stream that a client opened by GET, unless to resume another.",
		Elsewhere: overStreamable(firstHTTP, lastLegacy, MustNot),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "The server MUST NOT send a JSON-RPC response on the stream unless resuming", Level: MustNot},
		},
		Convicts: "The response of a call, cancelled or disconnected, came on the client's own stream.",
		Exempt:   []Exemption{{Race: "R11", What: "The stream resumes that of the call."}},
	}, {
		ID: "HTTP-NO-BROADCAST", Side: history.Server, Property: Safety, Awaits: needsHTTP,
		Statement: "A legacy server sends each message on one stream only.",
		Elsewhere: overStreamable(firstHTTP, lastLegacy, Must),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "The server MUST send each of its JSON-RPC messages on only one of the connected streams", Level: Must},
		},
		Convicts: "One message was delivered on two streams, that of the call and one that resumed it, say.",
		Exempt:   []Exemption{{Race: "R11", What: "A message that was sent again because the client had not received it."}},
	}, {
		ID: "HTTP-REPLAY-SCOPE", Side: history.Server, Property: Safety, Awaits: needsHTTP,
		Statement: "A legacy server that resumes a stream replays the messages of that stream alone.",
		Elsewhere: overStreamable(firstHTTP, lastLegacy, MustNot),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "The server MUST NOT replay messages that would have been delivered on a different stream", Level: MustNot},
		},
		Convicts: "A resumed stream carried a message that belonged to another call's.",
	}, {
		ID: "HTTP-EVENT-ID", Side: history.Server, Property: Safety, Awaits: needsHTTP,
		Statement: "The ids that a legacy server gives to SSE events are unique in the session.",
		Elsewhere: overStreamable(firstHTTP, lastLegacy, Must),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "the ID MUST be globally unique across all streams within that session", Level: Must},
		},
		Convicts: "Two events of one session had the same id.",
		Exempt:   []Exemption{{Race: "R11", What: "The same event, replayed."}},
	}, {
		ID: "HTTP-NO-EARLY-CLOSE", Side: history.Server, Property: Safety, Awaits: needsHTTP,
		Statement: "A server does not close the stream of a call before it has carried the response.",
		Elsewhere: overStreamable(firstHTTP, "2025-06-18", ShouldNot),
		Clauses: []Clause{
			{From: firstHTTP, Until: "2025-06-18", Over: StreamableHTTP, Page: legacyHTTP, Quote: "The server SHOULD NOT close the SSE stream before sending", Level: ShouldNot},
		},
		Convicts: "The server closed the stream of a call that nobody had cancelled before it had written the response.",
		Exempt: []Exemption{
			{Race: "R12", What: "The call was cancelled, and so is not to be answered."},
			{What: "The session had run out."},
		},
		Notes: []string{"Q4", "From 2025-11-25 on a server may close the connection once it has sent an event id, and the client resumes."},
	}, {
		ID: "HTTP-TERMINATE", Side: history.Server, Property: Liveness, Awaits: needsHTTP,
		Statement: "A server ends the stream of a call once it has carried the response.",
		Elsewhere: overStreamable(firstHTTP, "", Should),
		Clauses: []Clause{
			{From: firstHTTP, Until: "2025-06-18", Over: StreamableHTTP, Page: legacyHTTP, Quote: "the server SHOULD close the SSE stream", Level: Should},
			{From: lastLegacy, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "the server SHOULD terminate the SSE stream", Level: Should},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "The final JSON-RPC response SHOULD terminate the stream", Level: Should},
		},
		Convicts: "The response had been written, the world had settled, and the stream was still open.",
	}, {
		ID: "HTTP-STREAM-RELATED", Side: history.Server, Property: Safety, Awaits: needsHTTP,
		Statement: "What a server sends on the stream of a call before its response belongs to that call.",
		Elsewhere: slices.Concat(overStreamable(firstHTTP, lastLegacy, Should), overStreamable(modernEra, "", Must)),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "These messages SHOULD relate to the originating client request", Level: Should},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "These notifications MUST relate to the originating client request", Level: Must},
		},
		Convicts: "The stream of one call carried progress, or a log message, of another call or of another client's.",
	}, {
		ID: "SHUT-HTTP", Side: history.Client, Property: Liveness, Awaits: needsSSE,
		Statement: "A client that is done with a session says so by HTTP DELETE, or over HTTP+SSE by closing the connection.",
		Elsewhere: slices.Concat(overSSE(Info), overStreamable(firstHTTP, lastLegacy, Should)),
		Clauses: []Clause{
			{From: firstVersion, Until: firstVersion, Over: HTTPSSE, Page: "basic/lifecycle", Quote: "is indicated by closing the associated HTTP connection(s)", Level: Info},
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "SHOULD send an HTTP DELETE to the MCP endpoint", Level: Should},
		},
		Convicts: "The application closed the client, which had a session, and no DELETE for it followed.",
		Exempt:   []Exemption{{What: "The server had ended the session before."}},
	}}
}

// Rules that wait for something else than HTTP alone.
func otherAwaitingRules() []Rule {
	return []Rule{{
		ID: "RETRY-NEW-ID", Side: history.Client, Property: Safety, Awaits: needsRounds,
		Statement: "A request that is made again, for the next round or because its stream was lost, gets a new id.",
		Elsewhere: []Binding{{Stdio, modernEra, "", Must}, {StreamableHTTP, modernEra, "", Must}},
		Clauses: []Clause{
			{From: modernEra, Page: "basic/patterns/mrtr", Quote: "The JSON-RPC id MUST be different between the initial request and the retry", Level: Must},
		},
		Convicts: "A request was sent again under the id that it had before.",
	}, {
		ID: "CANCEL-TASK-EXT", Side: history.Client, Property: Safety, Awaits: needsExt,
		Statement: "A call that has become a task of the extension is cancelled by tasks/cancel, not by notifications/cancelled.",
		Elsewhere: []Binding{{Stdio, modernEra, "", MustNot}, {StreamableHTTP, modernEra, "", MustNot}},
		Clauses: []Clause{
			{From: modernEra, Page: "/seps/2663-tasks-extension", Quote: "The notifications/cancelled notification MUST NOT be used for task cancellation", Level: MustNot},
		},
		Convicts: "A cancel named a tools/call whose result, a task, the client had read.",
		Exempt: []Exemption{
			{Race: "R9", What: "The cancel was written before the client had read that the call is a task."},
			{Race: "R15", What: "The task completes all the same."},
		},
	}, {
		ID: "PROGRESS-TASK-EXT", Side: history.Server, Property: Safety, Awaits: needsExt,
		Statement: "Progress and log messages of a task of the extension are not sent on the stream of a subscription.",
		Elsewhere: []Binding{{Stdio, modernEra, "", MustNot}, {StreamableHTTP, modernEra, "", MustNot}},
		Clauses: []Clause{
			{From: modernEra, Page: "/seps/2663-tasks-extension", Quote: "MUST NOT be sent on the subscriptions/listen stream for a task", Level: MustNot},
		},
		Convicts: "A message of a task was tagged with the id of a subscription.",
	}, {
		ID: "LOST-INFLIGHT", Side: history.Client, Property: Liveness, Awaits: needsReturn,
		Statement: "A client whose server's process has ended on its own starts it again; what was in flight is lost.",
		Elsewhere: []Binding{{Stdio, modernEra, "", Should}},
		Clauses: []Clause{
			{From: modernEra, Over: Stdio, Page: stdioPage, Quote: "If the server process exits unexpectedly, the client SHOULD restart it", Level: Should},
		},
		Convicts: "The server's process ended, which nobody had asked for, the application made another call, and no process was started for it.",
		Exempt: []Exemption{
			{Race: "R7", What: "The application was closing the client."},
			{What: "That the calls in flight get no answer. That their callers hear of it is CALLER-UNBLOCKS."},
		},
	}, {
		ID: "LISTEN-RESEND", Side: history.Client, Property: Liveness, Awaits: needsReturn,
		Statement: "A client that has connected again over stdio subscribes again.",
		Elsewhere: []Binding{{Stdio, modernEra, "", Must}},
		Clauses: []Clause{
			{From: modernEra, Over: Stdio, Page: "basic/patterns/subscriptions", Quote: "client MUST re-send subscriptions/listen to re-establish its subscriptions", Level: Must},
		},
		Convicts: "The client had a subscription, connected anew, and did not ask for it again.",
		Exempt:   []Exemption{{What: "The application had given the subscription up."}},
	}}
}
