package oracle

// The rules of cancels that are for something else than what they hit, or for
// nothing.
func strayRules() []Rule {
	return []Rule{{
		ID:        "CANCEL-RIGHT-CALL",
		Statement: "A cancel affects the request that it names, and no other, however alike their ids are.",
		Property:  Safety,
		Elsewhere: everywhere(Must),
		Clauses:   onBothPages("The ID of the request to cancel", Must),
		Convicts: "A call came to harm from a cancel that did not name it and can be taken for doing so: that of another client for a request with its id, \"7\" for 7, a whole number above 2^53 that is the same as a 64-bit float, " +
			"null or nothing for 0; one for an earlier request with its id, which was over and had been cancelled before this one was read; or one of the other side's for a request of its own. " +
			"Harm is: its handler was told, or an error was written or returned for it, in the instant in which the cancel was read, or, where that was earlier, in which it was read or begun itself; " +
			"or, in the case of an earlier request, it was never begun or answered.",
		Exempt: []Exemption{
			unclearIDExemption(),
			{What: "A call that its own caller had given up, or whose own cancel was written, before it came to harm."},
			{What: "A cancel whose id resembles that of no call in flight cannot be taken for another's: harm in its instant is RACE-GRACEFUL's."},
			{Race: "R7", What: "The session ended first, or in the same instant."},
		},
		Notes: []string{
			"The text demands it nowhere by that word; it follows from what it says a cancel contains. An id is a string or a number, and JSON tells the two apart.",
			"Whole numbers above 2^53 are legal ids. RFC 8259 warns that many programs read numbers as 64-bit floats, to which neighbours there are one; an implementation that does cannot tell which call was meant. What was taken for what stands in the finding.",
		},
	}, {
		ID:        "CANCEL-INVALID-IGNORED",
		Statement: "A cancel that names an unknown request, one that is over, or none, is ignored.",
		Property:  Safety,
		Elsewhere: everywhere(Should),
		Clauses:   onBothPages("Invalid cancellation notifications SHOULD be ignored", Should),
		Convicts: "A cancel was read whose requestId is missing or neither a string nor a whole number, or that of no request of its sender's; and in that instant the side that read it ended the session, or crashed. " +
			"Or it failed the health probe later, and had read no other cancels. Or it replied to one of these, or to one for a request that had been answered.",
		Exempt: []Exemption{
			{Why: whyUnderNoReply, What: "A reply to a cancel breaks a stricter rule as well, and is reported there."},
			{What: "What crosses its response on the way is invalid when it is read, too; that the session survives that is RACE-GRACEFUL's, which is stricter."},
			{What: "Whether the side logs it, or says so in a notification."},
			{OfHTTP: true, Race: "R17", Why: whyTurnedDown, What: "Over HTTP, a cancel that is refused by an HTTP status, with an error in the body or without."},
			{What: "A notifications/cancelled with an id of its own is a request by the letter, and may be answered like one."},
		},
		Implied: "CANCEL-NO-REPLY",
	}, {
		ID:        "CANCEL-NO-REPLY",
		Statement: "A cancel is a notification, and gets no response.",
		Property:  Safety,
		Elsewhere: everywhere(MustNot),
		Clauses: []Clause{
			{From: firstVersion, Until: firstVersion, Page: "basic/messages", Quote: "They do not expect a response", Level: MustNot},
			{From: "2025-03-26", Page: basePage, Quote: "The receiver MUST NOT send a response", Level: MustNot},
		},
		Convicts: "In the instant in which a side had read a cancel it began to write a response without an id, with what stands for none (null, 0, \"\"), or with the id that the cancel named and no request had.",
		Exempt: []Exemption{
			{What: "Before, the side had read something else that may be answered without an id, and had not been answered yet: what is no JSON-RPC message, a request whose id is none or in use, a notification with an id."},
			{What: "A response under an id that resembles one of a request's, as \"7\" does 7: it is that request's, under a wrong id."},
			{What: "A response under any other id that no request had may be meant for one, and is RESP-SAME-ID's."},
			{What: "A response under the id of the cancelled request answers that: CANCEL-NO-RESPONSE and CANCEL-SILENCE judge it, a second one RESP-ONCE."},
			{What: "A response without an id at another time: nothing shows what it is for."},
			{OfHTTP: true, Race: "R17", Why: whyTurnedDown, What: "Over HTTP, an error in the body of an HTTP response that refuses the cancel."},
		},
		Notes: []string{
			"2024-11-05 says that notifications do not expect a response, and that messages follow JSON-RPC 2.0, which forbids one.",
		},
	}}
}
