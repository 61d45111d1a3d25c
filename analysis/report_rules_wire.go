package analysis

const tooFewHits = "No world had eight cancels that hit, between moments at which nothing was in hand: take one caller and more calls, as held-after-cancel does."

// wireWording has the rules of messages, and of what they leave behind.
func wireWording(rule string) RuleText {
	switch rule {
	case "CANCEL-SAME-DIRECTION":
		return RuleText{Says: "cancels a request of the other side's", Counts: "cancels of requests", Exercise: "No cancel was sent."}
	case "CANCEL-ONLY-INPROGRESS":
		return RuleText{Says: "cancels a call that has returned its value", Counts: "cancels of calls", Exercise: "No cancel was sent."}
	case "CANCEL-INIT":
		return RuleText{Says: "cancels initialize", Counts: "handshakes", Exercise: "No handshake was seen."}
	case "CANCEL-SERVER-FORBIDDEN":
		return RuleText{Says: "sends a cancel, as a server", Counts: "messages of the server", Exercise: "The server sent nothing."}
	case "CANCEL-HAS-ID":
		return RuleText{Says: "sends a cancel that names no request", OwnWords: true, Counts: "cancels sent", Exercise: "No cancel was sent."}
	case "CANCEL-NO-RPC-ID":
		return RuleText{Says: "sends a cancel with an id of its own", Counts: "cancels sent", Exercise: "No cancel was sent."}
	case "ID-NO-REUSE-L":
		return RuleText{Says: "uses an id twice in a session", Counts: "requests made", Exercise: "No request was made."}
	case "ID-NO-REUSE-M":
		return RuleText{Says: "uses an id again before its request has a response", Counts: "requests made", Exercise: "No request was made."}
	case "ID-NOT-NULL":
		return RuleText{Says: "makes a request whose id is null", Counts: "requests made", Exercise: "No request was made."}
	case "ID-TYPE":
		return RuleText{Says: "makes a request whose id is no integer", Counts: "requests made", Exercise: "No request was made."}
	case "RESP-SAME-ID":
		return RuleText{Says: "answers under an id that is not the request's", OwnWords: true, Counts: "responses sent", Exercise: "No response was sent."}
	case "RESP-ONE-OF":
		return RuleText{Says: "sends a response with a result and an error", Counts: "responses sent", Exercise: "No response was sent."}
	case "SERVER-NO-REQUESTS":
		return RuleText{Says: "asks as a server, or answers as a client", OwnWords: true, Counts: "messages sent", Exercise: "Nothing was sent."}
	case "LOG-OPT-IN":
		return RuleText{Says: "sends log messages that nobody asked for", Counts: "requests that asked for no log messages", Exercise: "No request was read."}
	case "SHUT-STDIO-CLIENT":
		return RuleText{Says: "leaves the server's input open when it is closed", Counts: "clients that were closed", Worlds: "worlds",
			Exercise: "No client was closed while its server was there."}
	case "PING-PROMPT":
		return RuleText{Says: "does not answer a ping promptly", OwnWords: true, Counts: "pings that were read", Exercise: "No ping was read."}
	case "CANCEL-FREE":
		return RuleText{Says: "goes on to hold what cancelled calls had", OwnWords: true, Counts: "worlds with enough cancels to tell", Worlds: "worlds with enough cancels to tell", Exercise: tooFewHits}
	case "LATE-NO-LEAK":
		return RuleText{Says: "keeps something for each call that it has cancelled", OwnWords: true, Counts: "worlds with enough cancels to tell", Worlds: "worlds with enough cancels to tell", Exercise: tooFewHits}
	}
	return progressWording(rule)
}

func progressWording(rule string) RuleText {
	const none = "No progress was reported: use chatty tools."
	switch rule {
	case "PROGRESS-ACTIVE":
		return RuleText{Says: "reports progress for a token that it had not been given", OwnWords: true, Counts: "progress notifications", Exercise: none}
	case "PROGRESS-STOP":
		return RuleText{Says: "reports progress of a request after its response", Counts: "progress notifications", Exercise: none}
	case "PROGRESS-MONOTONE":
		return RuleText{Says: "reports progress that does not grow", Counts: "progress notifications", Exercise: none}
	case "PROGRESS-TOKEN-UNIQUE":
		return RuleText{Says: "gives two active requests one progress token", Counts: "requests that asked for progress", Exercise: none}
	}
	return RuleText{}
}
