package oracle

const (
	legacyProgress = "basic/utilities/progress"
	modernProgress = "basic/patterns/progress"
)

// The rules of progress and of log messages.
func progressRules() []Rule {
	shared := sharedTokenExemption()
	unclear := Exemption{
		Why:  whyUnclearID,
		What: "The requester used the id again before it was answered: which request the response was for cannot be told.",
	}
	task := Exemption{
		Why:  whyTaskRuns,
		What: "The response was the beginning of a task, whose progress goes on under the token of the request.",
	}
	waited := Exemption{
		Why: whyServerHeld, OfHTTP: true,
		What: "Over HTTP, progress on another stream than the response, which may have waited there for the network since before.",
	}
	return []Rule{{
		ID:        "PROGRESS-ACTIVE",
		Statement: "Progress is reported for requests that are being worked on, under the token that they gave.",
		Property:  Safety,
		Elsewhere: everywhere(Must),
		Clauses:   onProgressPages("Were provided in an active request", Must),
		Convicts:  "A progress notification was written whose token no request had given that the sender had read.",
		Exempt: []Exemption{
			{Why: whyUnderStop, What: "Progress after the response: the same is a breach of PROGRESS-STOP."},
			{What: "Progress after a cancel: PROGRESS-AFTER-CANCEL and CANCEL-SILENCE judge that."},
			{Why: whyBatched, What: "The other side had sent a batch that was not recognized as one, whose requests are not sorted in."},
			shared, task, unclear, waited,
		},
		Implied: "PROGRESS-STOP",
	}, {
		ID:        "PROGRESS-STOP",
		Statement: "Once a request is answered, no more progress is reported for it.",
		Property:  Safety,
		Elsewhere: everywhere(Must),
		Clauses:   onProgressPages("Progress notifications MUST stop after completion", Must),
		Convicts:  "The writing of a progress notification began after that of the response to its request.",
		Exempt: []Exemption{{
			Race: "R8", What: "Progress that was written before the response, and delivered after it.",
			Asks: "Was it written before the response?", answer: (*defence).writtenBeforeReply,
		}, {
			Why: whyUnderSilence, What: "Since 2026-07-28: progress after a response to a cancelled request is a breach of CANCEL-SILENCE.",
		}, shared, task, unclear, waited},
		Implied: "CANCEL-SILENCE",
		Notes: []string{
			"That the two came from different threads of the sender is no excuse: it chose the order in which it wrote.",
		},
	}, {
		ID:        "PROGRESS-MONOTONE",
		Statement: "Each figure of progress is more than the one before it.",
		Property:  Safety,
		Elsewhere: everywhere(Must),
		Clauses:   onProgressPages("The progress value MUST increase with each notification, even if the total is unknown", Must),
		Convicts:  "Two progress notifications for one request were written, and the figure of the later is not more than that of the earlier. The order is that of writing.",
		Exempt: []Exemption{
			shared,
			{What: "A figure that is missing or no number is not compared."},
		},
		Notes: []string{
			"The scenario's tools report figures that grow; an implementation that passes them on in another order breaks the rule.",
		},
	}, {
		ID:        "PROGRESS-TOKEN-UNIQUE",
		Statement: "No two active requests have one progress token.",
		Property:  Safety,
		Elsewhere: everywhere(Must),
		Clauses:   onProgressPages("MUST be unique across all active requests", Must),
		Convicts:  "A request was written with the token of an earlier one of the same side that it had neither read the response to nor cancelled.",
		Exempt: []Exemption{
			{Why: whyGivenUpToken, What: "The earlier request had been cancelled, or, over HTTP, its exchange had failed: to its sender it is not active any more."},
			{Why: whyUnclearID, What: "The earlier request had an id that its sender had no right to use, so that what answers or cancels it cannot be told, and its caller had given it up or had it back."},
			{What: "Tokens of requests that were answered may be used again. 7 and \"7\" are two tokens."},
		},
	}, {
		ID:        "LOG-OPT-IN",
		Statement: "A server sends log messages only for requests that ask for them.",
		Property:  Safety,
		Elsewhere: overStreamable(modernEra, "", MustNot),
		Clauses: []Clause{
			{From: modernEra, Page: "server/utilities/logging", Quote: "The server MUST NOT emit notifications/message for a request that does not include this field", Level: MustNot},
		},
		Convicts: "The server wrote a notifications/message, and no request until then had io.modelcontextprotocol/logLevel in its _meta; over HTTP, that on whose stream it came.",
		Exempt: []Exemption{
			{Why: whyLogsAsked, What: "Some request had asked for log messages. Over stdio a message does not say for which request it is; over HTTP its stream does."},
		},
	}}
}

func sharedTokenExemption() Exemption {
	return Exemption{
		Why:  whySharedToken,
		What: "The requester gave one token to several requests at a time: whose progress it is cannot be told.",
	}
}

// onProgressPages is a clause that both eras have in the same words.
func onProgressPages(quote string, level Level) []Clause {
	return []Clause{
		{From: firstVersion, Until: lastLegacy, Page: legacyProgress, Quote: quote, Level: level},
		{From: modernEra, Page: modernProgress, Quote: quote, Level: level},
	}
}
