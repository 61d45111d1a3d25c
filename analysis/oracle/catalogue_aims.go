package oracle

import "slices"

// The rules of what a cancel may be aimed at, and of how it looks.
func aimRules() []Rule {
	return []Rule{{
		ID:        "CANCEL-SAME-DIRECTION",
		Statement: "A cancel names a request of its sender's own, not one of the other side's.",
		Property:  Safety,
		Elsewhere: slices.Concat(overSSE(Must), overStreamable(firstHTTP, lastLegacy, Must)),
		Clauses: []Clause{
			{From: firstVersion, Until: lastLegacy, Page: legacyPage, Quote: "Were previously issued in the same direction", Level: Must},
		},
		Convicts: "A cancel was written whose id no request of the same side had, and one of the other side's did, which the sender had read.",
		Exempt: []Exemption{
			{What: "Both sides used the same id: each side's cancels are held to its own requests."},
			{What: "An id of the other side's that the sender had not read yet is one that it made up: CANCEL-ONLY-ISSUED."},
		},
		Notes: []string{
			"Since 2026-07-28 servers make no requests, so that a client's cancel has one direction only; a server's is CANCEL-SERVER-FORBIDDEN's to judge.",
		},
	}, {
		ID:        "CANCEL-ONLY-INPROGRESS",
		Statement: "A call is not cancelled after its caller was given its value.",
		Property:  Safety,
		Elsewhere: slices.Concat(overSSE(Must), overStreamable(firstHTTP, lastLegacy, Must)),
		Clauses:   onBothPages("Are believed to still be in-progress", Must),
		Convicts:  "A call that nobody had given up returned its value to the caller, and after that the writing of a cancel for it began.",
		Exempt: []Exemption{
			{Race: "R1", Why: whyNotHandedOver, What: "The response crossed the cancel, or the client had read it and not yet handed it over: who decided to cancel may not have known.",
				Asks: "May the client have believed that the call was in progress?", answer: (*defence).mayHaveBelieved},
			{Race: "R3", Why: whyBelieved, What: "The caller had given up, and was given the value nevertheless: what was decided before may have had to wait."},
			{Race: "R6", What: "A second cancel for one request."},
			{What: "Requests that are no call of the application's: nobody sees who has their answer."},
			unclearIDExemption(),
		},
		Notes: []string{
			"Q5: \"believed\" is a state of mind. What proves it wrong is the value in the caller's hands; a call that returned an error convicts nobody.",
		},
	}, {
		ID:        "CANCEL-INIT",
		Statement: "initialize is not cancelled.",
		Property:  Safety,
		Elsewhere: slices.Concat(overSSE(MustNot), overStreamable(firstHTTP, lastLegacy, MustNot)),
		Clauses: []Clause{
			{From: firstVersion, Until: lastLegacy, Page: legacyPage, Quote: "The initialize request MUST NOT be cancelled by clients", Level: MustNot},
		},
		Convicts: "The client wrote a cancel with the id of its initialize request.",
		Exempt: []Exemption{
			{What: "A client that hangs up because its handshake takes too long cancels nothing."},
			{Race: "R18", What: "server/discover, which is an ordinary request."},
		},
	}, {
		ID:        "CANCEL-SERVER-FORBIDDEN",
		Statement: "A server sends no cancel, except to end a subscription.",
		Property:  Safety,
		Elsewhere: overStreamable(modernEra, "", MustNot),
		Clauses: []Clause{
			{From: modernEra, Page: modernPage, Quote: "Servers MUST NOT send notifications/cancelled for any other purpose", Level: MustNot},
			{From: modernEra, Page: modernPage, Quote: "Server-sent cancellation notifications MUST reference a subscriptions/listen request", Level: Must},
		},
		Convicts: "The server wrote a notifications/cancelled whose id is not that of a subscriptions/listen of the client's.",
		Exempt: []Exemption{
			{Race: "R6", Why: whyEndsListen, What: "The cancel named a subscriptions/listen; whether that was still open, the server may not have known."},
		},
		Notes: []string{
			"Q2: how a server ends a subscription the text says in two ways; neither is held against it.",
		},
	}, {
		ID:        "CANCEL-HAS-ID",
		Statement: "A cancel names the request that it is for.",
		Property:  Safety,
		Elsewhere: slices.Concat(overSSE(Must), overStreamable(firstHTTP, lastLegacy, Must)),
		Clauses:   onBothPages("containing: The ID of the request to cancel", Must),
		Convicts:  "A notifications/cancelled was written whose requestId is missing, or neither a string nor an integer.",
		Exempt: []Exemption{
			{What: "A whole number, however it is written: 7.0 is 7."},
		},
		Notes: []string{
			"The page has the form without a keyword; that requestId is required is the schema's.",
			"Q7: the schema of 2025-11-25 makes requestId optional, and says in the same place that it MUST be provided except for tasks, for which it MUST NOT be used. There is no cancel without an id that keeps both.",
		},
	}, {
		ID:        "CANCEL-NO-RPC-ID",
		Statement: "A cancel is a notification, and has no id of its own.",
		Property:  Safety,
		Elsewhere: everywhere(MustNot),
		Clauses:   onBasePages("Notifications MUST NOT include an ID", MustNot),
		Convicts:  "A message with the method notifications/cancelled and a member id was written, which makes a request of it.",
		Exempt: []Exemption{
			{What: "requestId, in the parameters, is another thing."},
		},
		Notes: []string{
			"An id of null is one, too: the member is there.",
		},
	}}
}

// onBasePages is a clause about messages that all versions have, the first on a
// page of its own.
func onBasePages(quote string, level Level) []Clause {
	return []Clause{
		{From: firstVersion, Until: firstVersion, Page: "basic/messages", Quote: quote, Level: level},
		{From: secondVersion, Page: basePage, Quote: quote, Level: level},
	}
}

const (
	secondVersion = "2025-03-26"
	thirdVersion  = "2025-06-18"

	basePage = "basic"
)
