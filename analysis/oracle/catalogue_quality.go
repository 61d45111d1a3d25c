package oracle

import "slices"

// The rules without a clause.
func qualityRules() []Rule {
	return append(waitingRules(), []Rule{{
		ID:        "SESSION-SURVIVES",
		Statement: "A session lives until somebody asks for its end, also where nobody cancels anything.",
		Property:  Liveness,
		Elsewhere: everywhere(Quality),
		Convicts:  "A crash in the implementation's own code, over HTTP also a panic in a handler, from which net/http recovers; a session that one side ended without having been asked to; or a health probe, when everything was quiet, that failed.",
		Implied:   "RACE-GRACEFUL or CANCEL-INVALID-IGNORED",
		Exempt: append(faultExemptions(), []Exemption{
			{Why: whyUnderInvalid, What: "In that instant the side had read a cancel that was malformed or named no request: the same is a breach of CANCEL-INVALID-IGNORED."},
			{Why: whyUnderRace, What: "The side that did it knew of a cancel: the same is a breach of RACE-GRACEFUL."},
			{Race: "R7", What: "A session that the application closes, or that the scenario ends, is over.",
				Asks: "Had the application closed the session?", answer: (*defence).applicationClosed},
			{Why: whyEnRoute, What: "A probe is not missed while the network still holds frames.",
				Asks: "Did the network still hold something?", answer: (*defence).networkHolds},
			{Why: whyPeersGarbage, What: "Who is sent what is no message may hang up, or say no more."},
			{Why: whyToolCrashed, What: "A tool that panics is the application's affair."},
			{What: "A crash outside the implementations' code makes the verdict unknown.",
				Asks: "Did code crash that is not the implementation's?", answer: (*defence).foreignCrash},
			{What: "A handshake that fails: no session has begun."},
			{OfHTTP: true, Why: whyServerEndedIt, What: "Over HTTP before 2026-07-28, the server had ended a session, which it may at any time, that had been unused for as long as the budget idle says; or the client began another in its place."},
			{OfHTTP: true, Why: whyRefusedByHTTP, What: "Over HTTP, a health probe that did not name the session, and was refused: HTTP-SESSION judges that."},
		}...),
	}, {
		ID:        "CALLER-UNBLOCKS",
		Statement: "A caller who gave up, whose connection is gone, or whose response has come, gets control back.",
		Property:  Liveness,
		Elsewhere: everywhere(Quality),
		Convicts: "The call had not returned when the world reached its limit. Where the application closes the session while calls are in flight, that is ten minutes after the closing. " +
			"A connection is gone when the client has ended the session itself, when it has read the end of its input, and when Close has returned. " +
			"Over HTTP a response can come no more when the client is done with the exchange, since 2026-07-28, and before when that was refused, or when the server's process has died and the client has seen an exchange fail since.",
		Exempt: []Exemption{
			{Why: whyCrashed, What: "The process crashed before.",
				Asks: "Had the process crashed?", answer: (*defence).crashed},
			{Why: whyGaveUp, What: "The caller gave up by itself when the connection was gone already, and returned because of that."},
			{What: "A call that was in flight when the application closed the client is due once Close has returned; until then CLOSE-BOUNDED judges."},
			{What: "A client that has not read the end of its input does not know that its server has died or hung up."},
			{Why: whyOwnRequest, What: "The request itself was half written when its caller gave up, and the network never took the rest."},
			{Race: "R7", Why: whyClosing, What: "The caller gave up, and got control back after the application had closed the session: by which of the two is not known."},
		},
	}, {
		ID:        "NO-LEAK",
		Statement: "When the session is closed and all timers have run out, no goroutine remains.",
		Property:  Liveness,
		Elsewhere: everywhere(Quality),
		Convicts:  "After close and drain goroutines remain that neither the scenario's tools nor the simulator started.",
		Exempt: []Exemption{
			{Why: whyProcessGone, What: "A server whose process died leaves nothing. Here its code lives on in the simulator's process, so that only what the names on the stack say to be the client's is held against it."},
			{Race: "R13", Why: whyToolsOwn, What: "A tool that is made to leak, or that is still running, is the application's affair.",
				Asks: "Is it the scenario's tool that leaks, or still runs?", answer: (*defence).toolLeaks},
			{Why: whySimulators, What: "A caller that never got control back is reported by CALLER-UNBLOCKS.",
				Asks: "Is it the simulator's own goroutine, which waits for the target?", answer: (*defence).simulatorWaits},
			{Why: whyUnderFree, What: "Goroutines that grew with the cancels while the session was open: the same is a breach of CANCEL-FREE."},
			{Why: whyUnderLateLeak, What: "If they are the client's, of LATE-NO-LEAK."},
			{Why: whyInputOpen, What: "A client that leaves the server's input open: the server cannot know that it has gone, and is not held to have ended."},
		},
		Implied: "CANCEL-FREE or LATE-NO-LEAK",
		Notes:   []string{"Which side a goroutine belongs to is read off the names on its stack; both sides run in one process."},
	}}...)
}

// Of these, the rules of a client whose writer is held up.
func waitingRules() []Rule {
	ownRequest := Exemption{
		Why:  whyOwnRequest,
		What: "The request had not left the client when its caller gave up: what holds the caller is the request, and nobody can cancel what is half written.",
	}
	return []Rule{{
		ID:        "CANCEL-NONBLOCKING",
		Statement: "The delivery of a cancel does not hold the caller, however long the network takes nothing.",
		Property:  Liveness,
		Elsewhere: slices.Concat(overSSE(Quality), overStreamable(firstHTTP, lastLegacy, Quality)),
		Convicts: "When the caller gave up, the client was writing something that the network did not take, or the cancel's own writing began and was not taken; " +
			"the client's writer had no moment to itself until the cancel was taken; and the caller got control back in the instant in which it was, after that, and later than it gave up.",
		Exempt: []Exemption{
			ownRequest,
			{Why: whyHeldOtherwise, What: "The caller got control back late, but not because the cancel had been taken: it waited for a response, say."},
			{What: "The response had been read before the caller gave up: there is nothing to deliver."},
			{What: "The cancel was late although the writer was free, was never taken, or was never written: nothing shows what the caller waited for."},
			{What: "A caller that never got control back is reported by CALLER-UNBLOCKS."},
		},
		Notes: []string{
			"Over HTTP what can hold the caller is the POST of the cancel, until it is sent or answered. To close an exchange, as since 2026-07-28, holds nobody.",
		},
	}, {
		ID:        "CANCEL-ORDER",
		Statement: "A cancel is written before the calls that were made after it was decided.",
		Property:  Safety,
		Convicts:  "The application made a call after it had given up another, time had passed in between, and the later call's request was written first, the cancel after it.",
		Exempt: []Exemption{
			ownRequest,
			{Why: whyReplyFirst, What: "The client had read the response when the caller gave up; the cancel was not needed."},
			{What: "Calls that were made in the instant of the giving up: which of the two came first is the scheduler's choice."},
			{What: "A second cancel for one request."},
			unclearIDExemption(),
		},
		Notes: []string{
			"On one ordered stream a server that reads the later call first may run it beside the work that nobody wants any more; no clause forbids it.",
		},
	}}
}
