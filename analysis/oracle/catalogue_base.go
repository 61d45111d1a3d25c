package oracle

import "slices"

// The rules of ids, and of what JSON-RPC asks of a message.
func baseRules() []Rule {
	return []Rule{{
		ID:        "ID-NO-REUSE-L",
		Statement: "An id is not used twice in a session.",
		Property:  Safety,
		Elsewhere: slices.Concat(overSSE(MustNot), overStreamable(firstHTTP, lastLegacy, MustNot)),
		Clauses: []Clause{
			{From: firstVersion, Until: firstVersion, Page: "basic/messages", Quote: usedOnce, Level: MustNot},
			{From: secondVersion, Until: lastLegacy, Page: basePage, Quote: usedOnce, Level: MustNot},
		},
		Convicts: "A request was written with the id of an earlier one of the same side. 7 and \"7\" are two ids.",
		Exempt: []Exemption{
			{What: "The two sides number their requests independently."},
			{OfHTTP: true, Why: whySentAgain, What: "Over HTTP, the same request again, whose exchange the client was done with and had had no response."},
			{OfHTTP: true, What: "Over HTTP, what was used before the client began another session."},
			{What: "An id of null breaks another rule."},
			noticeExemption(),
		},
		Notes: []string{
			"Since 2026-07-28 an id may be used again once its request has a response: ID-NO-REUSE-M.",
		},
	}, {
		ID:        "ID-NO-REUSE-M",
		Statement: "An id is not used again before its request has a response; that of a cancelled request that was never answered, never.",
		Property:  Safety,
		Elsewhere: overStreamable(modernEra, "", MustNot),
		Clauses: []Clause{
			{From: modernEra, Page: basePage, Quote: "The request ID MUST NOT match the ID of any other request the sender has issued and not yet received a response for", Level: MustNot},
		},
		Convicts: "A request was written with the id of an earlier one whose response the client had not read, whether or not it had cancelled that.",
		Exempt: []Exemption{
			{What: "The response to the earlier one had been read, an error or a result."},
			{OfHTTP: true, Why: whyUnderRetry, What: "Over HTTP, a request that is made again since its exchange was lost: the same is a breach of RETRY-NEW-ID."},
			{OfHTTP: true, Why: whySentAgain, What: "One whose exchange was refused by an HTTP status, which is an answer of a kind."},
			{What: "An id of null breaks another rule."},
			noticeExemption(),
		},
		Implied: "RETRY-NEW-ID",
		Notes: []string{
			"A server that keeps silence about a cancelled request, as it must, never frees its id.",
		},
	}, {
		ID:        "ID-NOT-NULL",
		Statement: "The id of a request is not null.",
		Property:  Safety,
		Elsewhere: everywhere(MustNot),
		Clauses:   onBasePages("Unlike base JSON-RPC, the ID MUST NOT be null", MustNot),
		Convicts:  "A request was written whose id is null.",
		Exempt: []Exemption{
			{What: "An error reply with an id of null answers a message that could not be read."},
			{What: "A notification with an id breaks another rule, whatever the id."},
		},
	}, {
		ID:        "ID-TYPE",
		Statement: "The id of a request is a string or an integer.",
		Property:  Safety,
		Elsewhere: everywhere(Must),
		Clauses:   onBasePages("Requests MUST include a string or integer ID", Must),
		Convicts:  "A request was written whose id is a number, and not a whole one.",
		Exempt: []Exemption{
			{What: "A whole number, however it is written: 7.0 is 7."},
			{What: "An id of null breaks another rule; what has an id of another type is no JSON-RPC request."},
		},
	}, {
		ID:        "RESP-SAME-ID",
		Statement: "A response has the id of the request that it answers, as the same JSON type.",
		Property:  Safety,
		Elsewhere: everywhere(Must),
		Clauses: []Clause{
			{From: firstVersion, Until: firstVersion, Page: "basic/messages", Quote: "Responses MUST include the same ID as the request they correspond to", Level: Must},
			{From: secondVersion, Until: thirdVersion, Page: basePage, Quote: "Responses MUST include the same ID as the request they correspond to", Level: Must},
			{From: lastLegacy, Page: basePage, Quote: "Result responses MUST include the same ID as the request they correspond to", Level: Must},
			{From: lastLegacy, Page: basePage, Quote: "Error responses MUST include the same ID as the request they correspond to (except in error cases where the ID could not be read due a malformed request)", Level: Must},
		},
		Convicts: "A response was written whose id no request of the other side has: 7 for \"7\", or one that was made up. Or, over HTTP, one that came in the exchange of a request, under the id of another that resembles it.",
		Exempt: []Exemption{
			{Why: whyUnreadable, What: "An error reply whose id is missing or null, as for a message that could not be read; over HTTP also in the body of a response that refuses a request of whatever method."},
			{Why: whyBatched, What: "The other side had sent a batch that was not recognized as one, whose requests are not sorted in."},
			{OfHTTP: true, Why: whyFormerSession, What: "Over HTTP before 2026-07-28, an answer that a client posted while it was beginning another session may have been for a question of the former."},
			{Why: whyNamedByCancel, What: "Only a cancel had named the id: what is wrong then is that the cancel was answered."},
			{What: "Since 2026-07-28 a client sends no responses at all: SERVER-NO-REQUESTS."},
		},
	}, {
		ID:        "RESP-ONE-OF",
		Statement: "A response has a result or an error, not both.",
		Property:  Safety,
		Elsewhere: slices.Concat(overSSE(MustNot), overStreamable(firstHTTP, thirdVersion, MustNot)),
		Clauses: []Clause{
			{From: firstVersion, Until: firstVersion, Page: "basic/messages", Quote: "A response MUST NOT set both", Level: MustNot},
			{From: secondVersion, Until: thirdVersion, Page: basePage, Quote: "A response MUST NOT set both", Level: MustNot},
		},
		Convicts: "A message with a result and an error was written.",
		Exempt: []Exemption{
			{What: "A member of null beside the other is taken for an absent one."},
		},
		Notes: []string{
			"From 2025-11-25 on the text defines two kinds of responses instead, each with its member; that nothing else has any it says no more.",
		},
	}, {
		ID:        "SERVER-NO-REQUESTS",
		Statement: "A server makes no requests, and a client sends no responses.",
		Property:  Safety,
		Elsewhere: overStreamable(modernEra, "", MustNot),
		Clauses: []Clause{
			{From: modernEra, Over: Stdio, Page: stdioPage, Quote: "The server MUST NOT write JSON-RPC requests to stdout", Level: MustNot},
			{From: modernEra, Over: Stdio, Page: stdioPage, Quote: "The client MUST NOT write JSON-RPC responses", Level: MustNot},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "The server MUST NOT send independent JSON-RPC requests on this stream", Level: MustNot},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "The client MUST NOT send JSON-RPC responses", Level: MustNot},
			{From: modernEra, Page: "basic/patterns", Quote: "Servers MUST NOT initiate JSON-RPC requests", Level: MustNot},
		},
		Convicts: "The server wrote a request, or the client wrote a response or an error reply.",
		Exempt: []Exemption{
			{What: "Before 2026-07-28 both sides may ask."},
		},
	}}
}

const usedOnce = "The request ID MUST NOT have been previously used by the requestor within the same session"
