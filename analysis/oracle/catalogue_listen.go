package oracle

const listenPage = "basic/patterns/subscriptions"

// The rules of subscriptions, which came with 2026-07-28.
func listenRules() []Rule {
	return []Rule{{
		ID:        "LISTEN-CANCEL",
		Statement: "Once it has read the cancel of a subscription, a server sends nothing more for it, not even a response.",
		Property:  Safety,
		Elsewhere: overStreamable(modernEra, "", MustNot),
		Clauses: []Clause{
			{From: modernEra, Over: Stdio, Page: stdioPage, Quote: "MUST NOT send any further messages for it", Level: MustNot},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "MUST NOT send any further messages for it", Level: MustNot},
			{From: modernEra, Page: modernPage, Quote: "Not send a response for the cancelled request", Level: Should},
		},
		Convicts: "A subscription had been read and not ended when its cancel was read, and after that the writing of a message with its id, or of its response, began: " +
			"later in time, or, of a response, in the same instant, when the subscription had been acknowledged before that and the session was not ending.",
		Exempt: []Exemption{
			{Race: "R1", Why: whyResponseBefore, What: "The server had ended the subscription by itself, and the cancel crossed its response."},
			{Why: whyEndsListen, What: "The server had ended the subscription by a cancel of its own, and the client's crossed it: what it may still send is not said (Q2)."},
			{Race: "R14", Why: whySameInstant, What: "A notification in the very instant: a change that was just being told. So is a response where something else may have ended the subscription."},
			{Why: whyServerHeld, What: "A message that had only waited for its turn, since the network did not take what was before it."},
			unclearListen(),
		},
		Notes: []string{
			"It is the rule of CANCEL-SILENCE for requests that have no work and no response before their end; there, subscriptions are not counted.",
			"Q2: how a server ends a subscription by itself is not judged. The page on cancellation says that it MUST send notifications/cancelled, the page on subscriptions that it SHOULD send the response.",
			"Q11",
			"That a response proves the cancel in the instant is because a subscription has no other end than its client's cancel, the session's end and the server's own decision.",
		},
	}, {
		ID:        "LISTEN-ACK-FIRST",
		Statement: "The first message of a subscription is its acknowledgement.",
		Property:  Safety,
		Elsewhere: overStreamable(modernEra, "", Must),
		Clauses: []Clause{
			{From: modernEra, Page: listenPage, Quote: "MUST send notifications/subscriptions/acknowledged as the first message carrying the subscription's ID", Level: Must},
			{From: modernEra, Page: listenPage, Quote: "MUST NOT send any notification on the subscription before it", Level: MustNot},
		},
		Convicts: "The first message with the subscription's id, or its response with a result, was begun and is no acknowledgement.",
		Exempt: []Exemption{
			{What: "A subscription that is refused by an error has no messages."},
			{What: "What is sent after the cancel is LISTEN-CANCEL's."},
			unclearListen(),
		},
		Notes: []string{
			"The order is one of each subscription, not of the channel: messages of others may come in between.",
		},
	}, {
		ID:        "LISTEN-ONLY-ASKED",
		Statement: "A server tells of changes only those who asked for them.",
		Property:  Safety,
		Elsewhere: overStreamable(modernEra, "", MustNot),
		Clauses: []Clause{
			{From: modernEra, Page: listenPage, Quote: "MUST NOT send notification types the client has not explicitly requested", Level: MustNot},
		},
		Convicts: "A notification of a change was begun with the id of a subscription whose filter does not ask for it; or with no id, when no open subscription's filter did.",
		Exempt: []Exemption{
			{Race: "R14", Why: whySameInstant, What: "It carries no id, and one that had asked for it was cancelled in that instant."},
			{What: "One without an id that an open subscription had asked for is LISTEN-TAG's, one after the cancel LISTEN-CANCEL's."},
			unclearListen(),
		},
		Notes: []string{
			"A resource below one that was asked for counts as asked for: the schema says that it may be told.",
			"What the client asked for decides, not what the server acknowledged.",
		},
	}, {
		ID:        "LISTEN-TAG",
		Statement: "Every message of a subscription carries its id: that of the request that opened it, in the same JSON type.",
		Property:  Safety,
		Elsewhere: overStreamable(modernEra, "", Must),
		Clauses: []Clause{
			{From: modernEra, Page: "basic", Quote: "MUST include io.modelcontextprotocol/subscriptionId in _meta", Level: Must},
			{From: modernEra, Page: "schema", Quote: "equals this response's id", Level: Must},
		},
		Convicts: "An acknowledgement or a notification of a change was begun without an id although an open subscription had asked for it, or with one that is no subscription's; " +
			"or a response that ends a subscription without its id.",
		Exempt: []Exemption{
			{What: "A response that refuses a subscription by an error has no result to carry it in."},
			{What: "A notification that no open subscription had asked for is LISTEN-ONLY-ASKED's."},
			unclearListen(),
		},
		Notes: []string{
			"The text asks it of notifications; of the response, the schema requires the member.",
		},
	}, {
		ID:        "LISTEN-DELIVERS",
		Statement: "A change is told to every open subscription that is for it.",
		Property:  Liveness,
		Elsewhere: overStreamable(modernEra, "", Should),
		Clauses: []Clause{
			{From: modernEra, Page: "server/tools", Quote: "SHOULD send a notification to clients that have opened a subscriptions/listen stream", Level: Should},
		},
		Convicts: "The server's application changed something that an acknowledged subscription was for, and for ten seconds, in which nobody ended the subscription or the session, nothing of the kind was sent for it.",
		Exempt: []Exemption{
			{What: "Several changes may be told as one, and late: whatever is told clears all that came before it."},
			{What: "What the acknowledgement leaves out is not owed."},
			{Why: whyServerHeld, What: "The server was just writing, or began to before the ten seconds were over, and the network did not take it."},
			unclearListen(),
		},
		Notes: []string{
			"Q6: no text sets a bound; implementations gather changes for milliseconds.",
			"On a client that lost its server and found it again the text puts a duty, too: it MUST open its subscriptions anew. A world has one connection, so that is not judged.",
		},
	}, {
		ID:        "LISTEN-NO-REQ-SCOPED",
		Statement: "Progress and log messages of a call are not sent as a subscription's.",
		Property:  Safety,
		Elsewhere: overStreamable(modernEra, "", Quality),
		Clauses: []Clause{
			{From: modernEra, Page: httpPage, Quote: "are not delivered on the listen stream", Level: Quality},
		},
		Convicts: "A notifications/progress or notifications/message was begun with the id of a subscription.",
		Notes: []string{
			"The text states it as a fact, without a word of obligation, and on the page of another transport; the schema says that the id is absent there. So it is graded as quality.",
		},
	}}
}

// unclearListen is unclearIDExemption where the message in question may be nobody's.
func unclearListen() Exemption {
	return Exemption{Why: whyUnclearID, What: "The client used the id of the subscription again before it was answered."}
}
