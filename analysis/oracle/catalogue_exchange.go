package oracle

import (
	"slices"

	"github.com/mcpsim/mcpsim/sim/history"
)

// How messages travel by HTTP.
func httpExchangeRules() []Rule {
	return append(headerRules(), []Rule{{
		ID: "HTTP-POST-PER-MSG", Side: history.Client, Property: Safety,
		Statement: "A client sends each message as an HTTP POST of its own.",
		Elsewhere: overStreamable(firstHTTP, "", Must),
		Clauses: []Clause{
			{From: firstHTTP, Over: StreamableHTTP, Page: legacyHTTP, Until: lastLegacy, Quote: "Every JSON-RPC message sent from the client MUST be a new HTTP POST request", Level: Must},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "Every JSON-RPC message sent from the client MUST be a new HTTP POST request", Level: Must},
		},
		Convicts: "One POST carried several messages, or a message came by another method of HTTP.",
		Exempt: []Exemption{
			{What: "A batch at 2025-03-26."},
			{Why: whyUnderNoRequests, What: "Since 2026-07-28 a POST that carries a response: the same is a breach of SERVER-NO-REQUESTS."},
		},
		Implied: "SERVER-NO-REQUESTS",
	}, {
		ID: "HTTP-202", Side: history.Server, Property: Safety,
		Statement: "A notification that is accepted, a cancel too, is answered with 202 and nothing else, at once.",
		Elsewhere: overStreamable(firstHTTP, "", Must),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "the server MUST return HTTP status code 202 Accepted with no body", Level: Must},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "the server MUST return HTTP status code 202 Accepted with no body", Level: Must},
		},
		Convicts: "The POST of a notification, or of a response, was answered with another status than 202 that is neither an error nor a redirection, or with a body; or that of a cancel when, and not before, the handler of the cancelled call had ended; " +
			"or for more than ten seconds not at all.",
		Exempt: []Exemption{
			{Race: "R17", Why: whyRefused, What: "A notification that the server refuses, or sends elsewhere, is answered with a status that says so, and a body if it likes."},
			{Why: whyUnderNoReply, What: "A body that is a response to a cancel: the same is a breach of CANCEL-NO-REPLY."},
			{Why: whyPanicked, What: "The server's handler panicked, which SESSION-SURVIVES or RACE-GRACEFUL judge."},
			{What: "An exchange that the client or the network broke off."},
			unclearIDExemption(),
		},
		Implied: "CANCEL-NO-REPLY",
		Notes: []string{
			"Q6: no text says how soon. What is held against a server is that it waits for what the cancel is to end.",
		},
	}}...)
}

// What the heads of requests say.
func headerRules() []Rule {
	return []Rule{{
		ID: "HTTP-ACCEPT", Side: history.Client, Property: Safety,
		Statement: "A client accepts both a JSON object and an SSE stream, and says so.",
		Elsewhere: overStreamable(firstHTTP, "", Must),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "The client MUST include an Accept header", Level: Must},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "The client MUST include an Accept header", Level: Must},
		},
		Convicts: "The Accept header of a POST lacked application/json or text/event-stream, or that of a GET the latter.",
		Notes: []string{
			"The text has the header list the types; */* lists none.",
		},
	}, {
		ID: "HTTP-SESSION", Side: history.Client, Property: Safety,
		Statement: "A client whose server gave it a session names it in every later request, that of a cancel too.",
		Elsewhere: overStreamable(firstHTTP, lastLegacy, Must),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "clients using the Streamable HTTP transport MUST include it", Level: Must},
		},
		Convicts: "A request that was begun after the client had read the initialize result lacked the session's id, or had another.",
		Exempt: []Exemption{
			{Why: whyNotYet, What: "A request in the instant in which the client read the result, unless it carries notifications/initialized."},
			{What: "An initialize, which begins a session, and all that is sent before it is answered."},
			{Race: "R7", What: "What is sent after the client has ended the session. A cancel for a session that has ended is answered with 404."},
		},
		Notes: []string{
			"That a client which is answered with 404 begins a new session shows only if it has something to ask; it is not judged.",
		},
	}, {
		ID: "HTTP-VERSION-HDR", Side: history.Client, Property: Safety,
		Statement: "A client names the protocol version in a header of every request, after the handshake where there is one.",
		Elsewhere: overStreamable("2025-06-18", "", Must),
		Clauses: []Clause{
			{From: "2025-06-18", Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "the client MUST include the MCP-Protocol-Version", Level: Must},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "Every POST request to the MCP endpoint MUST include an MCP-Protocol-Version header", Level: Must},
		},
		Convicts: "A request lacked the header, or since 2026-07-28 named another version in it than in its _meta.",
		Exempt: []Exemption{
			{Why: whyNotYet, What: "A request in the instant in which the client read the result of initialize, unless it carries notifications/initialized."},
			{What: "An initialize, and all that is sent before it is answered."},
			{What: "The POST of a notification since 2026-07-28, whose headers are not defined."},
		},
		Notes: []string{
			"Before 2026-07-28 the value SHOULD be the version that was agreed upon; another one is not counted.",
		},
	}, {
		ID: "HTTP-M-HEADERS", Side: history.Client, Property: Safety,
		Statement: "A modern client repeats in headers which method it asks for, and of which tool, prompt or resource.",
		Elsewhere: overStreamable(modernEra, "", Must),
		Clauses: []Clause{
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "These headers are REQUIRED for compliance", Level: Must},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "The client MUST include the request metadata headers", Level: Must},
		},
		Convicts: "A request lacked Mcp-Method, or one that names a tool, a prompt or a resource lacked Mcp-Name; or one of these headers did not say what the request says, as it is or in Base64.",
		Exempt: []Exemption{
			{What: "The POST of a notification, whose headers are not defined."},
			{What: "An initialize, with which a client goes back to an earlier version, as one may whose server knows no other."},
		},
	}}
}

// How a session over HTTP ends, and what a request that is made again is called.
func httpEndRules() []Rule {
	return []Rule{{
		ID: "SHUT-HTTP", Side: history.Client, Property: Liveness,
		Statement: "A client that is done with a session says so by HTTP DELETE, or over HTTP+SSE by closing the connection.",
		Elsewhere: slices.Concat(overSSE(Info), overStreamable(firstHTTP, lastLegacy, Should)),
		Clauses: []Clause{
			{From: firstVersion, Until: firstVersion, Over: HTTPSSE, Page: "basic/lifecycle", Quote: "is indicated by closing the associated HTTP connection(s)", Level: Info},
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "SHOULD send an HTTP DELETE to the MCP endpoint", Level: Should},
		},
		Convicts: "The application closed the client, which had a session, and Close returned and the world went on until its end without a DELETE.",
		Exempt: []Exemption{
			{Why: whyServerEndedIt, What: "The server had answered a request in that session with 404: it had ended it before."},
			{Why: whyServerDead, What: "The scenario had let the server's process die, and the client had learned so by an exchange that failed: the session died with it."},
			{Why: whyFaulty, What: "The network had been at fault before, and the client may have taken the session for lost."},
			{Why: whyNotYet, What: "The server had ended the session before that, and the client was given another in the instant in which it was closed."},
			{Why: whyOnlyTold, What: "Over HTTP+SSE the text says what closing means, and not that a client has to."},
			{What: "A client that was given no session; and a Close that does not return, which CLOSE-BOUNDED judges."},
		},
		Notes: []string{
			"What the DELETE is answered with, 405 for one, is the server's affair.",
		},
	}, {
		ID: "SESSION-ENDS", Side: history.Server, Property: Liveness,
		Statement: "A session that its client has ended does not live on at the server.",
		Elsewhere: everywhere(Quality),
		Convicts: "All was closed and had settled, and the server, by its own account, had more sessions alive than it had given to clients that asked for one and did not end it: " +
			"before 2026-07-28 by a DELETE that was granted, over HTTP+SSE by closing the stream; since, there are none to be kept.",
		Exempt: []Exemption{
			{Why: whyStillOpen, What: "As many exchanges were open at the server, whose tools go on."},
			{What: "A session that no client has ended, or whose DELETE was refused or got lost, may rightly live on."},
		},
		Notes: []string{
			"What counts as given is a session that the response to an initialize names: of any other no client has to know.",
			"Goroutines that remain are NO-LEAK's. This is counted before, while the server serves.",
		},
	}, {
		ID: "RETRY-NEW-ID", Side: history.Client, Property: Safety,
		Statement: "A request that is made again, for the next round or because its stream was lost, gets a new id.",
		Elsewhere: []Binding{{StreamableHTTP, modernEra, "", Must}},
		Clauses: []Clause{
			{From: modernEra, Page: "basic/patterns/mrtr", Quote: "The JSON-RPC id MUST be different between the initial request and the retry", Level: Must},
			{From: modernEra, Page: basePage, Quote: "The request ID MUST NOT match the ID of any other request the sender has issued and not yet received a response for", Level: Must},
		},
		Convicts: "A request was written under the id of an earlier one that the client had had no response to, and whose exchange it was done with.",
		Exempt: []Exemption{
			{Why: whySentAgain, What: "The exchange of the earlier one had been refused by an HTTP status, which is an answer of a kind; or it had not left the client whole, so that whether it was issued is not known."},
			{What: "The further rounds of a request are not judged yet."},
			noticeExemption(),
		},
	}}
}
