package oracle

import (
	"slices"

	"github.com/mcpsim/mcpsim/sim/history"
)

// The rules of HTTP.
func httpRules() []Rule {
	return slices.Concat(httpCancelRules(), httpExchangeRules(), httpStreamRules(), httpEndRules())
}

// How a call is cancelled over HTTP, and what a disconnect means.
func httpCancelRules() []Rule {
	return append(disconnectRules(), []Rule{{
		ID: "CANCEL-HTTP-EXPLICIT", Side: history.Client, Property: Liveness,
		Statement: "To cancel a call over HTTP a legacy client posts notifications/cancelled; to drop the connection is not enough.",
		Elsewhere: overStreamable(firstHTTP, lastLegacy, Should),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "To cancel, the client SHOULD explicitly send an MCP CancelledNotification", Level: Should},
		},
		Convicts: "The caller gave up a pending call, the client at most dropped its stream, and until the session's end or the world's limit it posted no cancel for it.",
		Exempt:   slices.Concat(unnotifiedExemptions(), unnotifiedOverHTTP()),
		Notes: []string{
			"A call whose time is up is TIMEOUT-CANCEL's.",
			"What counts is that the POST was begun; whether the network delivers it is not the client's doing.",
		},
	}, {
		ID: "CANCEL-HTTP-CLOSE", Side: history.Client, Property: Liveness,
		Statement: "To cancel a call over HTTP a modern client closes the stream of its response.",
		Elsewhere: overStreamable(modernEra, "", Should),
		Clauses: []Clause{
			{From: modernEra, Over: StreamableHTTP, Page: modernPage, Quote: "Closing the SSE response stream is the cancellation signal", Level: Should},
			{From: modernEra, Page: modernPage, Quote: "the sender SHOULD cancel the request and stop waiting for a response", Level: Should},
		},
		Convicts: "The caller gave up a pending call, and until the response had come, or the session's or the world's end, the client did not close the exchange, or did later than ten seconds after.",
		Exempt: slices.Concat([]Exemption{{
			Race: "R17", Why: whyPosted, What: "A cancel that is posted, beside the closing or in its place, is told and breaks nothing.",
		}}, unnotifiedExemptions(), unnotifiedOverHTTP()),
		Notes: []string{
			"How to cancel is defined, and that a call whose time is up is to be cancelled is a SHOULD; of those TIMEOUT-CANCEL speaks.",
			"Q3: an exchange that is answered with a JSON object is closed like one that is answered with a stream.",
		},
	}, {
		ID: "EXCHANGE-ENDED", Side: history.Server, Property: Liveness,
		Statement: "An HTTP exchange does not outlive its call.",
		Elsewhere: slices.Concat(overStreamable(firstHTTP, lastLegacy, Info), overStreamable(modernEra, "", Quality)),
		Convicts:  "Nothing was left of a call whose cancel the server had read, or whose closing it had seen, the world had settled, and the server had not ended the exchange.",
		Exempt: []Exemption{
			{Race: "R12", Why: whyOnlyTold, What: "Before 2026-07-28: no text offers a clean end, so that it is counted and held against nobody."},
			{Race: "R13", Why: whyToolRuns, What: "A tool that was told and goes on keeps its exchange."},
			serverDeadExemption(),
		},
		Notes: []string{"Q4"},
	}}...)
}

// What a disconnect means.
func disconnectRules() []Rule {
	return []Rule{{
		ID: "DISC-NOT-CANCEL", Side: history.Server, Property: Safety,
		Statement: "A legacy server does not take the loss of a connection for a cancel.",
		Elsewhere: overStreamable(firstHTTP, lastLegacy, ShouldNot),
		Clauses: []Clause{
			{From: firstHTTP, Until: lastLegacy, Over: StreamableHTTP, Page: legacyHTTP, Quote: "Disconnection SHOULD NOT be interpreted as the client cancelling its request", Level: ShouldNot},
		},
		Convicts: "The client dropped the stream of a call, or the network broke it, the server had read no cancel for the call, and then the handler's context was done while the session lived.",
		Exempt: []Exemption{
			{Race: "R7", Why: whyClosing, What: "The session had been ended by DELETE, the client closed, or the server stopped, or in that instant."},
			{Race: "R11", What: "The response is kept for the stream that the client resumes: that is as it should be."},
			{Why: whyServerEndedIt, What: "It was told later than the stream broke, and the server had ended the session, as the client then learned by a 404."},
			unclearIDExemption(),
		},
		Notes: []string{
			"That the caller had given up is no excuse: of that the server knows nothing until a cancel is posted.",
			"Over HTTP+SSE to close the one stream is to end the session.",
		},
	}, {
		ID: "DISC-IS-CANCEL", Side: history.Server, Property: Liveness,
		Statement: "A modern server takes the client's disconnect for a cancel of that request.",
		Elsewhere: overStreamable(modernEra, "", Must),
		Clauses: []Clause{
			{From: modernEra, Over: StreamableHTTP, Page: modernPage, Quote: "The server MUST treat a client disconnect as cancellation of that request", Level: Must},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "Closing the SSE response stream MUST be treated by the server as cancellation of that request", Level: Must},
		},
		Convicts: "The server saw the exchange of a call broken off that was queued or running, and time passed while its handler ran on without its context being done; or its handler began later, with a context that was not done.",
		Exempt: []Exemption{
			{Race: "R2", What: "The handler had ended by then.", Asks: "Had the handler ended by then?", answer: (*defence).handlerOver},
			{Race: "R10", What: "The server had not seen the end of the exchange yet: only what the HTTP stack had told its handlers counts."},
			{Race: "R7", Why: whyClosing, What: "The session ended before time passed, or before the disconnect was seen.",
				Asks: "Was the session ending?", answer: (*defence).sessionOver},
			{Race: "R13", What: "A tool that was told and went on is the application's affair.",
				Asks: "Was the handler told in time, and went on by itself?", answer: (*defence).toldInTime},
			sameInstantExemption(),
			{Race: "R4", Why: whyPremature, What: "The end of the exchange was seen before its request had been read."},
			unclearIDExemption(),
		},
		Notes: []string{
			"Q3", "Q6",
			"A connection that the network breaks is a disconnect as well, whoever wanted it: the text makes no difference, and the server cannot.",
			"How a server stops work is CANCEL-STOP-WORK's, which is broken by the same act and shown beside it.",
		},
	}, {
		ID: "DISC-SCOPED", Side: history.Server, Property: Safety,
		Statement: "A disconnect cancels the request of that exchange and no other, also where they share a connection.",
		Elsewhere: overStreamable(modernEra, "", Must),
		Clauses: []Clause{
			{From: modernEra, Over: StreamableHTTP, Page: modernPage, Quote: "The server MUST treat a client disconnect as cancellation of that request", Level: Must},
		},
		Convicts: "The handler of another request, of the same client or of another one, was told to stop in the instant in which the server saw one exchange broken off, and nothing else had asked for that.",
		Exempt: []Exemption{
			{What: "The whole connection was closed, which carried both: then the other exchange was broken off in that instant, too."},
			{Race: "R7", What: "The session ended first, or in the same instant."},
			{Why: whyUnderRight, What: "A cancel that was posted could be taken for one of this call: the same is a breach of CANCEL-RIGHT-CALL."},
			unclearIDExemption(),
		},
	}}
}

// unnotifiedOverHTTP is what excuses a client over HTTP, beside what does over stdio.
func unnotifiedOverHTTP() []Exemption {
	return ofHTTP(
		Exemption{Why: whyHalfSent, What: "Over HTTP, the request had not left the client when its caller gave up, and the server never had it: whether it was issued is not known."},
		Exemption{Why: whyExchangeOver, What: "Over HTTP, the exchange had failed, or had been refused, before: nothing was left to cancel. Before 2026-07-28 the status says so, whatever has become of the body."},
		Exemption{Why: whyServerEndedIt, What: "Over HTTP, the client had learned by a 404 that the server had ended the session."},
		Exemption{Why: whyDisowned, What: "Over HTTP, the client had been told by a 404 that its session is gone, which another instance of the server says, or what stands between: it is to begin another one then."},
		Exemption{Race: "R12", Why: whyNoStream, What: "Over HTTP, of what a server had asked: the stream by which it had was gone when the tool was told to stop, or ended in that instant, and what belongs to a call is not to be sent by one that the client opened by GET."},
	)
}

// looseExemptions are the cancels that were posted and need not mean anything to a server.
func looseExemptions() []Exemption {
	return ofHTTP(
		Exemption{Race: "R4", Why: whyNoSession, What: "Over HTTP before 2026-07-28, the server had given the client no session. Clients may use the same ids, and it may keep nothing from one POST to the next: the id is unknown. If it tells the handler in that instant all the same, it is judged."},
		Exemption{Why: whyNotTaken, What: "Over HTTP before 2026-07-28, the server refused the POST of the cancel by a status of 4xx: it may ignore what it cannot cancel, and the client knows."},
	)
}

// noWayExemptions are why no answer can be missed over HTTP.
func noWayExemptions() []Exemption {
	return ofHTTP(
		Exemption{Race: "R11", Why: whyStreamGone, What: "Over HTTP, the client or the network had broken the exchange off: the answer had nowhere to go, or waits for the client to resume the stream."},
		Exemption{Why: whyRefusedByHTTP, What: "Over HTTP, the request was refused by an HTTP status."},
		Exemption{Why: whyPanicked, What: "Over HTTP, the server's handler panicked, which SESSION-SURVIVES or RACE-GRACEFUL judge."},
		Exemption{Why: whyStreamEnded, What: "Over HTTP before 2026-07-28, the server had ended the stream, which the client could have resumed: HTTP-NO-EARLY-CLOSE judges that where the version has it."},
		Exemption{Why: whyOtherInstance, What: "Over HTTP, the request went to another instance of the server, which knows nothing of the session."},
	)
}

// faultExemptions are why nobody is to blame for a session that does not answer any more.
func faultExemptions() []Exemption {
	return ofHTTP(
		Exemption{Why: whyFaulty, What: "Over HTTP, the network had been at fault before: what stands between the two sides answered in the server's place, or broke an exchange off."},
		Exemption{Why: whyOtherInstance, What: "Over HTTP, the probe went to another instance of the server, which knows nothing of the session."},
	)
}

// serverDeadExemption is why nothing that is still to be done is missed of a server.
func serverDeadExemption() Exemption {
	return Exemption{Why: whyServerDead, What: "The scenario let the server's process die before the world had settled: a dead process ends no stream, and what it had said may have been held up by the network."}
}

// ofHTTP marks exemptions that can be of no account but over HTTP.
func ofHTTP(list ...Exemption) []Exemption {
	for i := range list {
		list[i].OfHTTP = true
	}
	return list
}
