package oracle

import "slices"

const lifecyclePage = "basic/lifecycle"

// The rules of pings, and of how a client takes its leave.
func partingRules() []Rule {
	return []Rule{{
		ID:        "SHUT-STDIO-CLIENT",
		Statement: "A client that is closed closes the server's input.",
		Property:  Liveness,
		Clauses: []Clause{
			{From: firstVersion, Until: lastLegacy, Page: lifecyclePage, Quote: "the client SHOULD initiate shutdown by: First, closing the input stream to the child process (the server)", Level: Should},
			{From: modernEra, Page: stdioPage, Quote: "The client SHOULD initiate shutdown by: Closing the input stream to the child process (the server)", Level: Should},
		},
		Convicts: "Close had returned, and for more than ten seconds after that the client's writing end stayed open.",
		Exempt: []Exemption{
			{Why: whyServerGone, What: "The server had hung up first, or had died."},
			{What: "A Close that does not return: CLOSE-BOUNDED judges that."},
			{What: "A client that had hung up before, or whose writing end the scenario closed."},
		},
		Notes: []string{
			"That it waits for the server then, and ends it by force if need be, is the affair of whoever started the process. Over the simulator's pipes there is none, so that how long a client waits is not judged.",
			"Q6: ten seconds stand for \"by closing\"; a client may write first what it still has to write.",
		},
	}, {
		ID:        "PING-PROMPT",
		Statement: "A ping is answered promptly, with a result.",
		Property:  Liveness,
		Elsewhere: slices.Concat(overSSE(Must), overStreamable(firstHTTP, lastLegacy, Must)),
		Clauses: []Clause{
			{From: firstVersion, Until: lastLegacy, Page: "basic/utilities/ping", Quote: "The receiver MUST respond promptly with an empty response", Level: Must},
		},
		Convicts: "For more than ten seconds after a ping had been read the writing of its response did not begin; or the answer was an error.",
		Exempt: append([]Exemption{
			{Why: whyPingCancelled, What: "The ping was cancelled, and needs no answer."},
			{Why: whyPongHeld, What: "The receiver was just writing, or began to before the ten seconds were over, and the network did not take it."},
			{Race: "R7", Why: whyClosing, What: "The session, or the world, ended before ten seconds had passed."},
			{Why: whyUnclearID, What: "The id of the ping had been used before it was answered: which one an answer is for cannot be told."},
		}, noWayExemptions()...),
		Notes: []string{
			"Q6: \"promptly\" has no bound. Ten seconds of virtual time, in which computing takes none, are the ones that SHUT-STDIO-SERVER allows.",
		},
	}}
}
