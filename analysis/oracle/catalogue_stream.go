package oracle

import (
	"slices"

	"github.com/mcpsim/mcpsim/sim/history"
)

// What travels on which stream, and when one ends.
func httpStreamRules() []Rule {
	return slices.Concat(resumeRules(), closingRules(), []Rule{{
		ID: "HTTP-RESP-STREAM", Side: history.Server, Property: Safety,
		Statement: "A legacy server sends no response on the stream that a client opened by GET, unless to resume another.",
		Elsewhere: overStreamable(firstHTTP, lastLegacy, MustNot),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "The server MUST NOT send a JSON-RPC response on the stream unless resuming", Level: MustNot},
		},
		Convicts: "A response, of a call that was cancelled, or disconnected, or neither, was begun on a stream that a GET had opened and that resumes none of a call.",
		Exempt: []Exemption{
			{Race: "R11", Why: whyResumed, What: "The stream resumes that of a call, or one of which the history does not tell."},
			{What: "The body of a response that opens no stream: an error, with 404, 405 or 503, say, by which the GET is refused."},
			{Why: whyUnderBroadcast, What: "A response that went by the call's own stream, too, while that was open: the same is a breach of HTTP-NO-BROADCAST."},
			unclearIDExemption(),
		},
		Implied: "HTTP-NO-BROADCAST",
	}, {
		ID: "HTTP-TERMINATE", Side: history.Server, Property: Liveness,
		Statement: "A server ends the stream of a call once it has carried the response.",
		Elsewhere: overStreamable(firstHTTP, "", Should),
		Clauses: []Clause{
			{From: firstHTTP, Until: "2025-06-18", Over: StreamableHTTP, Page: legacyHTTP, Quote: "the server SHOULD close the SSE stream", Level: Should},
			{From: lastLegacy, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "the server SHOULD terminate the SSE stream", Level: Should},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "The final JSON-RPC response SHOULD terminate the stream", Level: Should},
		},
		Convicts: "The response, of a batch the last one, had been written, the world had settled, and the server had not ended the SSE stream.",
		Exempt: []Exemption{
			{Why: whyStreamGone, What: "The client, or the network, had broken it off."},
			serverDeadExemption(),
			unclearIDExemption(),
		},
	}, {
		ID: "HTTP-STREAM-RELATED", Side: history.Server, Property: Safety,
		Statement: "What a server sends on the stream of a call belongs to that call.",
		Elsewhere: slices.Concat(overStreamable(firstHTTP, lastLegacy, Should), overStreamable(modernEra, "", Must)),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "These messages SHOULD relate to the originating client request", Level: Should},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "These notifications MUST relate to the originating client request", Level: Must},
		},
		Convicts: "On the stream of one call the writing of progress, of a log message, of a request or of a response began that belongs to another call.",
		Exempt: []Exemption{
			sharedTokenExemption(),
			{Why: whyTaskRuns, What: "Progress of a task, whose call has been answered: its own stream is over."},
			{What: "Progress under a token that no request of this client had: PROGRESS-ACTIVE judges that, also if it is another client's."},
			{What: "What is sent on a resumed stream: HTTP-REPLAY-SCOPE."},
			unclearIDExemption(),
		},
		Notes: []string{
			"Whose a log message is shows only if the scenario's own tool has written its call into it.",
		},
	}})
}

// What a client may have sent again.
func resumeRules() []Rule {
	resumed := Exemption{Race: "R11", Why: whyResumed, What: "A message that is sent again on a stream which the client resumes, or since the stream that it was sent on was broken."}
	return []Rule{{
		ID: "HTTP-NO-BROADCAST", Side: history.Server, Property: Safety,
		Statement: "A legacy server sends each message on one stream only.",
		Elsewhere: overStreamable(firstHTTP, lastLegacy, Must),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "The server MUST send each of its JSON-RPC messages on only one of the connected streams", Level: Must},
		},
		Convicts: "The writing of one message (of a response, a request, or progress, in the same bytes, or of anything in the same bytes under the same event id) began on two streams which were both open at both ends: that of the call and one that the client had opened before by GET, say.",
		Exempt:   []Exemption{resumed, unclearIDExemption()},
		Notes: []string{
			"A log message, or that a list has changed, has nothing that tells it from another one of the same bytes, but an event id: without, it may have been sent twice, once on each stream, which is as it should be, and is not counted.",
		},
	}, {
		ID: "HTTP-REPLAY-SCOPE", Side: history.Server, Property: Safety,
		Statement: "A legacy server that resumes a stream replays the messages of that stream alone.",
		Elsewhere: overStreamable(firstHTTP, lastLegacy, MustNot),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "The server MUST NOT replay messages that would have been delivered on a different stream", Level: MustNot},
		},
		Convicts: "A stream that the client resumed carried an event that had been sent on another one before, or a response to, or progress of, another call than the one whose stream it is.",
		Exempt: []Exemption{
			{What: "Where the history does not know the event that the client named, the first response, or event that was sent before, shows which stream is resumed. Progress does not: it may be a GET's."},
			{What: "Progress of a task, which may come by any stream."},
			{What: "What is new on a stream that a GET had opened, and that is resumed."},
			unclearIDExemption(),
		},
	}, {
		ID: "HTTP-REPLAY-AFTER", Side: history.Server, Property: Safety,
		Statement: "A legacy server that resumes a stream sends what came after the event that the client named, and sends it once.",
		Elsewhere: overStreamable(firstHTTP, lastLegacy, Quality),
		Convicts:  "A stream that the client resumed carried an event again that had been sent no later than the one whose id the client had named, or one event twice.",
		Exempt: []Exemption{
			{What: "Where the history does not know the event that the client named."},
			{What: "A response that one resumed stream carried twice: RESP-ONCE judges that."},
		},
		Notes: []string{
			"The text grants a server to replay what would have been sent after the last event id, and forbids no more than what is of another stream. Who is told twice takes it for two.",
			"That the answer is among what is replayed is REQUEST-DISPATCHED's.",
		},
	}, {
		ID: "HTTP-EVENT-ID", Side: history.Server, Property: Safety,
		Statement: "The ids that a legacy server gives to SSE events are unique in the session.",
		Elsewhere: overStreamable(firstHTTP, lastLegacy, Must),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "the ID MUST be globally unique across all streams within that session", Level: Must},
		},
		Convicts: "The writing of two events of one session began that have the same id.",
		Exempt: []Exemption{
			resumed,
			{Why: whySaidTwice, What: "A response that one resumed stream carried twice, under one id: RESP-ONCE judges that."},
			{Why: whyUnderBroadcast, What: "One message on two open streams: the same is a breach of HTTP-NO-BROADCAST."},
			unclearIDExemption(),
			{OfLong: true, What: "Ids of which there have been more than 4,096 others since."},
		},
		Implied: "HTTP-NO-BROADCAST",
	}}
}
