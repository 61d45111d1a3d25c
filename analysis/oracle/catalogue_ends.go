package oracle

// The rules of how a session ends.
func endRules() []Rule {
	return []Rule{{
		ID:        "SHUT-STDIO-SERVER",
		Statement: "A server whose client has gone tells the handlers that are still at work, and ends.",
		Property:  Liveness,
		Clauses: []Clause{
			{From: modernEra, Over: Stdio, Page: stdioPage, Quote: "Servers SHOULD exit promptly when their standard input is closed or reads return end-of-file", Level: Should},
		},
		Convicts: "The application had closed the client and the server had read the end of its input. After that a handler worked on for more than ten seconds " +
			"without its context being done, while the server's run had not returned; or all handlers had ended, and for ten seconds more the run had not.",
		Exempt: []Exemption{
			{Why: whyEndedSoon, What: "A handler that was not told and ended within ten seconds: the server may have waited for it on purpose."},
			{Why: whyServed, What: "The server's run had returned. A server that is a process of its own would have ended with it, and its handlers too."},
			{Race: "R13", Why: whyToolRuns, What: "The server waits for a tool that has been told and goes on."},
			{Why: whyUnderRace, What: "A server that does not end after cancels, with nothing in flight: the same is a breach of RACE-GRACEFUL."},
			{Why: whyServerHeld, What: "The server could not act: a message of its own was being written, and the network did not take it."},
			{Why: whyTaskGoesOn, What: "A tool that runs as a task: no request of the client's holds it, and no text ties it to the connection."},
			{Why: whyCrashed, What: "The process crashed before."},
			{What: "A session that a side ended by itself before, and one of which only the client's writing half was closed."},
		},
		Notes: []string{
			"Before 2026-07-28 the text asks the client to close the server's input and to wait for it to exit, and says nothing of what the server does; there the rule is one of quality.",
			"Q6: Ten seconds of virtual time, in which computing takes none, are longer than clients usually wait before they end a server by force.",
		},
		Implied: "RACE-GRACEFUL",
	}, {
		ID:        "CLOSE-BOUNDED",
		Statement: "Closing a client returns, also while calls are in flight, whose tools stop when told; so does the run of a server that its application stops.",
		Property:  Liveness,
		Elsewhere: everywhere(Quality),
		Convicts: "Ten minutes after the application had called Close it had not returned; or ten minutes after the server's application had ended the context of its server's run, " +
			"the run had not, while the client was open.",
		Exempt: []Exemption{
			{Race: "R13", Why: whyToolRuns, What: "A tool was running that does not stop when told."},
			{Why: whyEnRoute, What: "A link slower than the load: the network still held frames."},
			{Why: whyWriterHeld, What: "The client could not write: the network took nothing."},
			{Why: whyServerHeld, What: "Likewise the server."},
			{Why: whyUnderRace, What: "After cancels, with nothing in flight: the same is a breach of RACE-GRACEFUL."},
			{Why: whyCrashed, What: "The process crashed before."},
		},
		Notes: []string{
			"Over HTTP a client that ends its session by DELETE has to give that up in the end, too, whatever the network does. A server that serves HTTP is stopped when its clients have gone.",
			"That a server does not hang up excuses no client: it cannot tell a slow server from a dead one, and the text has it wait \"a reasonable time\".",
			"Some implementations document that closing waits for the calls in flight. No clause forbids that, and it is counted all the same: nobody has told the tools, " +
				"so the wait is as long as the longest of them likes. Who closes such a client has to cancel its calls first.",
		},
		Implied: "RACE-GRACEFUL",
	}, {
		ID:        "EOF-DRAINS",
		Statement: "A server answers what it has read before the end of its input, since a client that closed only its writing half reads on.",
		Property:  Liveness,
		Convicts: "The client's writing half was closed and the client read on. A request that the server had read, and that nobody cancelled, had no response when the server hung up, " +
			"when its run returned, or when the world reached its limit with the handler over. Any response will do, an error too.",
		Exempt: []Exemption{
			{Why: whyToolRuns, What: "The server still worked on the request, or may have, when the world ended."},
			{Why: whyServerHeld, What: "The server was just writing, and the network did not take it."},
			{Why: whyDeaf, What: "The client, which could not write any more, had given its reading half up, too."},
			unclearIDExemption(),
			{Why: whyCrashed, What: "The process crashed before."},
		},
		Notes: []string{
			"Q10",
			"A server cannot tell a half-closed client from one that has gone. Telling the handlers and then writing what they return, if only an error, keeps this rule and SHUT-STDIO-SERVER.",
		},
	}}
}

// The rules of every call, cancelled or not, that have no clause.
func callRules() []Rule {
	return []Rule{{
		ID:        "REQUEST-DISPATCHED",
		Statement: "A request that was read is handled and answered.",
		Property:  Liveness,
		Elsewhere: everywhere(Quality),
		Convicts: "A call's request was read, nobody cancelled it, and until the world reached its limit the writing of a response did not begin, although the handler had returned; " +
			"or neither did its handler begin, in twice the time that all tools together need. " +
			"Over HTTP before 2026-07-28 also: the stream of a request that it had read was broken off, no cancel for it had come, and when the world had settled, after that time, its handler had not begun; " +
			"or the client resumed the stream of a request that nobody had cancelled behind an event of that, when the response had been written under an event id into the stream that was broken, or the handler had returned, and the server ended what it resumed without the response, after which the client did not ask again, or kept it open until the world reached its limit and had not said it; a cancel that came later does not matter. " +
			"Since 2026-07-28: the server ended the exchange of a request that nobody had cancelled by then, and had not begun to answer it.",
		Exempt: append([]Exemption{
			{Why: whyEnRoute, What: "A link slower than the load: the network still held frames."},
			{What: "The session ended first."},
			{Why: whyUnderRight, What: "A cancel that could be taken for one of this call came to it: the same is a breach of CANCEL-RIGHT-CALL."},
			{Why: whyUnderSameID, What: "The handler returned, and an answer was written under an id that resembles the request's and that no request had: the same is a breach of RESP-SAME-ID."},
			{Why: whyUnderOnce, What: "Or under one whose request had been answered: the same is a breach of RESP-ONCE."},
			{OfHTTP: true, Why: whyUnderNotCancel, What: "Over HTTP before 2026-07-28, the server had told the handler because its client's connection was lost, and so had no answer for who resumed the stream: the same is a breach of DISC-NOT-CANCEL."},
		}, noWayExemptions()...),
		Implied: "CANCEL-RIGHT-CALL, RESP-SAME-ID, RESP-ONCE or DISC-NOT-CANCEL",
		Notes: []string{
			"When a request or its answer was lost does not show, so that the cancel of another call which came later, or before, proves nothing: RACE-GRACEFUL does not count it.",
		},
	}, {
		ID:        "NO-SPURIOUS-CANCEL",
		Statement: "A handler is told to stop only because of a cancel, or because the session ends.",
		Property:  Safety,
		Elsewhere: everywhere(Quality),
		Convicts: "A handler's context was done before its caller had given up, before a cancel for it was written, and before the first sign of the session's end; " +
			"nor had, where the server's tool asks the client, the client's application given up the call of that tool.",
		Implied: "RACE-GRACEFUL, CANCEL-RIGHT-CALL, DISC-SCOPED or DISC-NOT-CANCEL",
		Exempt: []Exemption{
			{OfHTTP: true, Why: whyUnderScoped, What: "Over HTTP since 2026-07-28, in the instant in which the exchange of another request was broken off: the same is a breach of DISC-SCOPED."},
			{OfHTTP: true, Why: whyUnderNotCancel, What: "Over HTTP before, after its own exchange was broken off: the same is a breach of DISC-NOT-CANCEL."},
			{Why: whyUnderRight, What: "The server had read a cancel that could be taken for one of this call: the same is a breach of CANCEL-RIGHT-CALL."},
			{Race: "R7", Why: whyClosing, What: "The session ended in the same instant."},
			{OfHTTP: true, Why: whyServerEndedIt, What: "Over HTTP, the server had ended the session, which it may at any time, as the client learned later by a 404."},
			{Why: whyUnderRace, What: "The server had read a cancel for another call in the same instant: the same is a breach of RACE-GRACEFUL."},
			unclearIDExemption(),
		},
	}, {
		ID:        "ANSWER-OWN",
		Statement: "Each call gets its own answer.",
		Property:  Safety,
		Elsewhere: everywhere(Quality),
		Convicts: "A call returned the value that the tool of another call, and of no third one, had returned before. Or its tool had returned a result, its response had come, " +
			"nobody had cancelled it, and it returned an error.",
		Implied: "RACE-GRACEFUL, LATE-IGNORED, CANCEL-RIGHT-CALL or RESP-SAME-ID",
		Exempt: []Exemption{
			{Why: whyUnderRight, What: "The call was made to fail by a cancel that could be taken for one of it: the same is a breach of CANCEL-RIGHT-CALL."},
			{Why: whyUnderRace, What: "The server put there the value of a call of which it had read the cancel while that was queued or running, or the call was made to fail in the instant of another one's cancel: " +
				"the same is a breach of RACE-GRACEFUL."},
			{OfHTTP: true, Why: whyUnderSameID, What: "Over HTTP, it came in the exchange of the call whose value it is, under an id that resembles that one's: the same is a breach of RESP-SAME-ID."},
			{Why: whyUnderLate, What: "The value was that of a cancelled call whose response the client should have dropped."},
			{OfHTTP: true, Why: whyFaulty, What: "Over HTTP+SSE, a call whose POST the network broke off, or whose POST was refused, whatever came by the stream."},
			{Why: whyPeersGarbage, What: "Who is sent what is no message may fail what it waits for."},
			unclearIDExemption(),
		},
	}}
}
