package oracle

import (
	"slices"

	"github.com/mcpsim/mcpsim/sim/history"
)

// When a server ends the stream of a call, and how the client comes back to one that it has
// ended too early, or means to go on with.
func closingRules() []Rule {
	const polled = "If the server does close the connection prior to terminating the SSE stream, it SHOULD send an SSE event with a standard retry field before closing the connection"
	return []Rule{{
		ID: "HTTP-NO-EARLY-CLOSE", Side: history.Server, Property: Safety,
		Statement: "A server does not close the stream of a call before it has carried the response.",
		Elsewhere: slices.Concat(overStreamable(firstHTTP, "2025-06-18", ShouldNot), overStreamable(lastLegacy, lastLegacy, Should)),
		Clauses: []Clause{
			{From: firstHTTP, Until: "2025-06-18", Over: StreamableHTTP, Page: legacyHTTP, Quote: "The server SHOULD NOT close the SSE stream before sending", Level: ShouldNot},
			{From: lastLegacy, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "The SSE stream SHOULD eventually include a JSON-RPC response", Level: Should},
		},
		Convicts: "The server ended the SSE stream of a call that nobody had cancelled before it had begun to write the response.",
		Exempt: []Exemption{
			{Why: whyResumable, What: "From 2025-11-25 on: it had sent an event id by it, and so may close the connection. HTTP-RETRY-FIRST judges how, and REQUEST-DISPATCHED whether the response comes."},
			{Race: "R12", Why: whyNoCleanEnd, What: "The call was cancelled, and so is not to be answered."},
			{Why: whyStreamGone, What: "The client, or the network, had broken it off before."},
			{Why: whyPanicked, What: "The server's handler had panicked, which SESSION-SURVIVES or RACE-GRACEFUL judge."},
			{Race: "R7", Why: whyClosing, What: "The session had been ended, or the client closed, or the server stopped."},
			{Why: whyServerEndedIt, What: "The server had ended the session, as the client learned later by a 404: the text excepts that."},
			unclearIDExemption(),
		},
		Notes: []string{"Q4"},
	}, {
		ID: "HTTP-RETRY-FIRST", Side: history.Server, Property: Safety,
		Statement: "A server that ends an exchange before the stream is at its end tells the client first when to resume it.",
		Elsewhere: overStreamable(lastLegacy, lastLegacy, Should),
		Clauses: []Clause{
			{From: lastLegacy, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: polled, Level: Should},
		},
		Convicts: "The server ended the SSE stream of a call that nobody had cancelled before it had begun to write the response, had sent an event id by it, and no event with a retry field.",
		Exempt: []Exemption{
			{What: "A stream that has no event id cannot be resumed: HTTP-NO-EARLY-CLOSE judges that. What excuses it there does here."},
		},
		Notes: []string{
			"Any event of the exchange may have the retry field, the first one, too.",
			"The streams that clients open by GET are not judged: when one of those is at its end nobody says.",
		},
	}, {
		ID: "HTTP-RETRY-WAIT", Side: history.Client, Property: Safety,
		Statement: "A client resumes a stream no sooner than the server has said.",
		Elsewhere: overStreamable(lastLegacy, lastLegacy, Must),
		Clauses: []Clause{
			{From: lastLegacy, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "The client MUST respect the retry field, waiting the given number of milliseconds before attempting to reconnect", Level: Must},
			{From: lastLegacy, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: polled, Level: Should},
		},
		Convicts: "The client had read a stream to its end, had read in it how long to wait (of several retry fields the last), and named its last event in a GET that it began sooner.",
		Exempt: []Exemption{
			{Why: whyTorn, What: "The client had not read it to its end: the network, or the client itself, had broken it off. The text speaks of servers that close the connection."},
			{Why: whyLongWait, What: "The client may have a limit of its own."},
			{What: "A time to wait that an earlier exchange of the stream had told, and that this one did not tell again."},
			{What: "A GET that names no event resumes none."},
		},
		Notes: []string{
			"The time counts from the end of the response, as the client's transport read it. Only the first attempt to resume is judged: a server that refuses it has said no more.",
		},
	}}
}
