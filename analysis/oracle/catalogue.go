package oracle

import "slices"

// The rules of who reads a cancel.
func receiverRules() []Rule {
	return []Rule{{
		ID:        "CANCEL-NO-RESPONSE",
		Statement: "A request that was cancelled before its work ended is not answered, neither with a result nor with an error.",
		Property:  Safety,
		Elsewhere: slices.Concat(overSSE(Should), overStreamable(firstHTTP, lastLegacy, Info), overStreamable(modernEra, "", Should)),
		Clauses:   slices.Concat(onBothPages("Not send a response for the cancelled request", Should), onBothPages(mayIgnore, May)),
		Convicts: "The call was queued or running when its cancel was read, its handler ended after that (or never began), " +
			"and the writing of a response began after that.",
		Exempt: append(crossings(), Exemption{
			Why:  whyStubborn,
			What: "A receiver may ignore the cancel of what cannot be cancelled. A tool that goes on although told does not convict alone.",
			Asks: "Is it a call that cannot be cancelled?", answer: (*defence).obeys,
		}, oneBatchExemption(), Exemption{
			Why:  whyInBatch,
			What: "At 2025-03-26, a request that came in a batch: what becomes of the response to a batch one of whose requests was cancelled, no text says.",
		}, Exemption{
			Race: "R12", Why: whyOnlyTold, OfHTTP: true,
			What: "Over Streamable HTTP before 2026-07-28 the text offers no clean end, so that a response is counted and held against nobody.",
		}),
		Notes: []string{
			"Q1", "Q4", "Q8",
		},
	}, {
		ID:        "CANCEL-SILENCE",
		Statement: "Once it has read the cancel of a request that it is still working on, a server sends nothing more for it.",
		Property:  Safety,
		Elsewhere: overStreamable(modernEra, "", MustNot),
		Clauses: []Clause{
			{From: modernEra, Over: Stdio, Page: stdioPage, Quote: "MUST NOT send any further messages for it", Level: MustNot},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "MUST NOT send any further messages for it", Level: MustNot},
			{From: modernEra, Page: modernPage, Quote: "Not send a response for the cancelled request", Level: Should},
			{From: modernEra, Page: modernPage, Quote: mayIgnore, Level: May},
		},
		Convicts: "The call was queued or running when its cancel was read, and after that the writing of a response, " +
			"or of progress with the call's token that had not been asked for before, began. Tools that go on although told are no excuse.",
		Exempt: append(append(crossings(), progressUnderWay()...), Exemption{
			Race: "R10", OfHTTP: true, What: "Over HTTP, what the server began to write before it could see that the client had closed the exchange.",
		}),
		Notes: []string{
			"Q1", "Q8", "Q11",
		},
	}, {
		ID:        "CANCEL-STOP-WORK",
		Statement: "The handler of a cancelled request is told to stop, and none is begun for it.",
		Property:  Liveness,
		Elsewhere: everywhere(Should),
		Clauses: slices.Concat(onBothPages("Stop processing the cancelled request", Should), []Clause{
			{From: modernEra, Over: Stdio, Page: stdioPage, Quote: "SHOULD stop work on a cancelled request as soon as practical", Level: Should},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "SHOULD stop work on the cancelled request as soon as practical", Level: Should},
		}, onBothPages(mayIgnore, May)),
		Convicts: "The call was queued or running when its cancel was read, and time passed while its handler ran on without its " +
			"context being done; or its handler began later, with a context that was not done.",
		Exempt: append([]Exemption{
			{Race: "R2", What: "The handler had ended when the cancel was read.", Asks: "Had the handler ended by then?", answer: (*defence).handlerOver},
			{Race: "R7", Why: whyClosing, What: "The session ended before time passed, or before the cancel was read.",
				Asks: "Was the session ending?", answer: (*defence).sessionOver},
			{Race: "R13", What: "A tool that was told and went on is the application's affair.",
				Asks: "Was the handler told in time, and went on by itself?", answer: (*defence).toldInTime},
			sameInstantExemption(),
			prematureExemption(),
			oneBatchExemption(),
			unclearIDExemption(),
		}, looseExemptions()...),
		Notes: []string{
			"Q6: In virtual time telling the handler takes no time, so any that passes is the implementation's choice.",
		},
	}, {
		ID:        "PROGRESS-AFTER-CANCEL",
		Statement: "No progress is reported for a request once its cancel has taken effect.",
		Property:  Safety,
		Elsewhere: slices.Concat(overSSE(Should), overStreamable(firstHTTP, lastLegacy, Should), overStreamable(modernEra, "", MustNot)),
		Clauses: []Clause{
			{From: firstVersion, Until: lastLegacy, Page: "basic/utilities/progress", Quote: "Are associated with an in-progress operation", Level: Must},
			{From: modernEra, Page: "basic/patterns/progress", Quote: "Are associated with an in-progress operation", Level: Must},
			{From: modernEra, Over: Stdio, Page: stdioPage, Quote: "MUST NOT send any further messages for it", Level: MustNot},
			{From: modernEra, Over: StreamableHTTP, Page: httpPage, Quote: "MUST NOT send any further messages for it", Level: MustNot},
		},
		Convicts: "The call was queued or running when its cancel was read, and the writing of a progress notification with its token, " +
			"not asked for before, began after that.",
		Exempt: append(append(progressUnderWay(), looseExemptions()...), sameInstantExemption(), Exemption{
			Why:  whyStubborn,
			What: "Before 2026-07-28: a tool that goes on although told is, arguably, still in progress.",
			Asks: "Is it a tool that goes on although told, and so still in progress?", answer: (*defence).obeys,
		}, Exemption{Why: whyUnderStop, What: "Before 2026-07-28: progress after a response that came late, too, is a breach of PROGRESS-STOP."}),
		Implied: "PROGRESS-STOP",
		Notes: []string{
			"Q9",
		},
	}}
}

// The rules of who sends a cancel.
func senderRules() []Rule {
	return []Rule{{
		ID:        "CANCEL-ONLY-ISSUED",
		Statement: "A cancel names a request that its sender has issued before.",
		Property:  Safety,
		Elsewhere: slices.Concat(overSSE(Must), overStreamable(firstHTTP, lastLegacy, Must)),
		Clauses: []Clause{
			{From: firstVersion, Until: lastLegacy, Page: legacyPage, Quote: "Were previously issued in the same direction", Level: Must},
			{From: modernEra, Page: modernPage, Quote: "Were previously issued by the client", Level: Must},
		},
		Convicts: "A cancel was written, and the same side had begun no request with that id. 7 and \"7\" are two ids.",
		Exempt: []Exemption{
			{Race: "R3", Why: whyResponseRead, What: "The call was over already; the sender may have believed otherwise.",
				Asks: "Was it the id of a call that was over?", answer: (*defence).neverIssued},
			{Race: "R6", Why: whyRepeated, What: "A second cancel for one request.",
				Asks: "Was it a second cancel for one request?", answer: (*defence).neverIssued},
			{Why: whyNamesNothing, What: "A cancel without an id breaks another rule.",
				Asks: "Did it name no id at all?", answer: (*defence).names},
			{Why: whyBatched, What: "The sender had sent a batch that was not recognized as one, whose requests are not sorted in."},
			{Why: whyUnderDirection, What: "The id was that of a request of the other side's: the same is a breach of CANCEL-SAME-DIRECTION."},
			{What: "Since 2026-07-28 a server's cancel: CANCEL-SERVER-FORBIDDEN judges that."},
		},
		Implied: "CANCEL-SAME-DIRECTION",
		Notes: []string{
			"Q5: A cancel of a call that is over breaks nothing here.",
		},
	}, {
		ID:        "CANCEL-STDIO-REQUIRED",
		Statement: "Over stdio a client whose caller gives up a pending call sends notifications/cancelled for it.",
		Property:  Liveness,
		Clauses: []Clause{
			{From: modernEra, Over: Stdio, Page: stdioPage, Quote: "the client MUST send a notifications/cancelled notification", Level: Must},
			{From: modernEra, Page: modernPage, Quote: "The client MUST send a notifications/cancelled notification", Level: Must},
		},
		Convicts: unnotified,
		Exempt:   unnotifiedExemptions(),
		Notes: []string{
			"How to cancel is a MUST; that a call whose time is up is to be cancelled is a SHOULD, and judged by TIMEOUT-CANCEL.",
		},
	}, {
		ID:        "CANCEL-CLIENT-NOTIFIES",
		Statement: "A client whose caller gives up a pending call tells the server.",
		Property:  Liveness,
		Clauses: []Clause{
			{From: "2025-03-26", Until: lastLegacy, Page: "basic/lifecycle", Quote: "the sender SHOULD issue a cancellation notification for that request", Level: Should},
			{From: modernEra, Page: modernPage, Quote: "A client SHOULD send a cancellation notification", Level: Should},
		},
		Convicts: unnotified,
		Exempt:   unnotifiedExemptions(),
		Notes: []string{
			"Before 2026-07-28 the clause speaks of timeouts, which TIMEOUT-CANCEL judges. A caller that gives up is judged alike, since the server is left with the same work that nobody waits for.",
		},
	}, {
		ID:        "TIMEOUT-CANCEL",
		Statement: "A client whose caller set a deadline for a call tells the server when it has passed.",
		Property:  Liveness,
		Elsewhere: overStreamable(firstHTTP, "", Should),
		Clauses: []Clause{
			{From: "2025-03-26", Until: lastLegacy, Page: "basic/lifecycle", Quote: "the sender SHOULD issue a cancellation notification for that request", Level: Should},
			{From: modernEra, Page: modernPage, Quote: "the sender SHOULD cancel the request and stop waiting for a response", Level: Should},
		},
		Convicts: "The deadline of a call passed that was pending and whose request was written, and until the session's end or the world's limit no cancel for it was.",
		Exempt:   append(unnotifiedExemptions(), unnotifiedOverHTTP()...),
		Notes: []string{
			"That the caller stops waiting is CALLER-UNBLOCKS.",
			"Since 2026-07-28 to tell the server over HTTP is to close the exchange.",
		},
	}, {
		ID:        "LATE-IGNORED",
		Statement: "Who has cancelled a request ignores a response that arrives afterwards.",
		Property:  Safety,
		Elsewhere: everywhere(Should),
		Clauses: []Clause{
			{From: firstVersion, Until: lastLegacy, Page: legacyPage, Quote: "SHOULD ignore any response to the request that arrives afterward", Level: Should},
			{From: modernEra, Page: modernPage, Quote: "SHOULD ignore any response to the cancelled request that arrives afterward", Level: Should},
		},
		Convicts: "The client read the response after it had begun to write the cancel, and then returned its value to the caller, or to another call.",
		Exempt: []Exemption{
			{Race: "R5", What: "That the response arrives is not the client's doing.",
				Asks: "Did the response merely arrive?", answer: (*defence).merelyArrived},
			{What: "The response was read before the cancel was written: it won the race, and its value may be returned.",
				Asks: "Had the client read the response before it wrote the cancel?", answer: (*defence).readFirst},
		},
	}}
}

// The rules of both sides.
func sharedRules() []Rule {
	return []Rule{{
		ID:        "RESP-ONCE",
		Statement: "A request gets at most one response.",
		Property:  Safety,
		Elsewhere: everywhere(Must),
		Clauses:   onBothPages("Both parties MUST handle these race conditions gracefully", Must),
		Convicts:  "Two responses with one id were written, and only one request with that id.",
		Exempt:    append(ofHTTP(sentAgainExemption()), unclearIDExemption()),
		Notes: []string{
			"JSON-RPC 2.0 has one response object for a request; a second one typically is a result and a cancellation error that raced.",
		},
	}, {
		ID:        "RACE-GRACEFUL",
		Statement: "Whatever crosses a cancel, both processes, the session and all other calls survive it.",
		Property:  Liveness,
		Elsewhere: everywhere(Must),
		Clauses:   onBothPages("Both parties MUST handle these race conditions gracefully", Must),
		Convicts: "After a side knew of a cancel (it had read or written it, or its caller had given up): a crash in that side's own code; the session ended by it without having been asked to; " +
			"a health probe that it failed. After a cancel: a session that could not be closed. And of another call than the cancelled one: its handler was told in the instant in which the server " +
			"had read that cancel; it was made to fail in the instant in which the side that did it had learned of that cancel; or the server gave it the value of a call of which it had read the cancel while that was queued or running.",
		Exempt: append([]Exemption{
			{Why: whyNoCancel, What: "What kills a session before the side that does it can know of any cancel is no race: SESSION-SURVIVES judges that."},
			{What: "A call that is harmed at another time. That a cancel came before proves nothing: NO-SPURIOUS-CANCEL, ANSWER-OWN, CALLER-UNBLOCKS and REQUEST-DISPATCHED judge that. " +
				"When a request or an answer was lost does not show, so these are theirs always."},
			{Race: "R7", What: "Whatever is undelivered or unanswered when the application closes the session, or when the scenario ends it, is lost, and may be.",
				Asks: "Had the application closed the session?", answer: (*defence).applicationClosed},
			{What: "A session that ends with calls in flight and cannot be closed: CLOSE-BOUNDED and SHUT-STDIO-SERVER judge that."},
			{Why: whyBatchRefused, What: "At 2025-03-26, a call whose request came in one batch with a cancel and was answered with an error at once: the batch may have been refused. Other rules judge that."},
			{Why: whyOwnError, What: "A call whose tool returned an error by itself.",
				Asks: "Had the tool itself failed?", answer: (*defence).toolFailed},
			{Why: whyEnRoute, What: "Nothing is missed of a peer while the network still holds frames: a link slower than the load.",
				Asks: "Did the network still hold something?", answer: (*defence).networkHolds},
			{Why: whyToolRuns, What: "The session cannot be closed while a tool runs that has not been told, or that does not stop when told.",
				Asks: "Was a tool running that kept the session open?", answer: (*defence).toolsRun},
			{Why: whyInputOpen, What: "A server whose input the client left open when it had been closed cannot know that the session is over: SHUT-STDIO-CLIENT judges that."},
			{Why: whyPeersGarbage, What: "Who is sent what is no message may hang up, or say no more."},
			{Why: whyToolCrashed, What: "A tool that panics is the application's affair, whether the implementation recovers it or not. If it does, everything else is judged."},
			{What: "A crash outside the implementations' code makes the verdict unknown.",
				Asks: "Did code crash that is not the implementation's?", answer: (*defence).foreignCrash},
			{What: "What RESP-ONCE or LATE-IGNORED report is not reported again."},
			{Why: whyUnderRight, What: "A call that came to harm because its id resembles the cancelled one, or had been an earlier request's, is reported there."},
			{Why: whyUnderInvalid, What: "A cancel that is malformed, or for a request that never was, is no race. What dies of one is reported there."},
			{Why: whyWayward, What: "What dies of another message that nobody had a right to send, of a second answer or progress of nothing, does not die of a race: SESSION-SURVIVES judges that."},
			{OfHTTP: true, Why: whyUnderScoped, What: "Over HTTP since 2026-07-28, a handler that was told when the exchange of another request was broken off: the same is a breach of DISC-SCOPED."},
			{OfHTTP: true, Why: whyUnderNotCancel, What: "Over HTTP before 2026-07-28, a handler that was told when its own exchange was broken off: the same is a breach of DISC-NOT-CANCEL."},
			{OfHTTP: true, Why: whyServerEndedIt, What: "Over HTTP before 2026-07-28, a health probe that is answered with 404: the server may end a session at any time, and nothing shows that it was the cancel which ended it. " +
				"That shows where the server in the instant in which it read the cancel ended the stream that the client had opened by GET, and did nothing more for the session, or took the cancel and knew the session no more when it was asked for something else."},
			{OfHTTP: true, Why: whyRefusedByHTTP, What: "Over HTTP, a health probe that did not name the session, and was refused: HTTP-SESSION judges that."},
			{OfHTTP: true, What: "Over HTTP, a call whose exchange the network broke off, or the server refused by an HTTP status; and a session that could not be closed, of which CLOSE-BOUNDED speaks."},
		}, faultExemptions()...),
		Notes: []string{
			"A session that dies once a cancel is known is held against the clause, which asks that it survive; that it would have died without a cancel as well, a history cannot show. " +
				"The same load without cancels can: no-cancels, where SESSION-SURVIVES judges.",
		},
	}}
}
