package analysis

const noHTTP = "It is a rule of HTTP: write transport: streamable-http."

// httpWording has the rules that HTTP alone has.
func httpWording(rule string) RuleText {
	switch rule {
	case "CANCEL-HTTP-EXPLICIT":
		return RuleText{Says: "gives a call up without posting a cancel", Counts: "pending calls that were given up", Exercise: noGivenUp}
	case "CANCEL-HTTP-CLOSE":
		return RuleText{Says: "gives a call up without closing its stream", OwnWords: true, Counts: "pending calls that were given up", Exercise: noGivenUp}
	case "DISC-NOT-CANCEL":
		return RuleText{Says: "takes a disconnect for a cancel", Counts: "handlers whose client was seen gone while they ran, without a cancel",
			Exercise: "No stream was lost under a handler without a cancel of its call: write http: {faults: [{kind: drop, of: tools/call, share: 0.3, after: 50ms}]}, as disconnect-legacy does."}
	case "DISC-IS-CANCEL":
		return RuleText{Says: "does not take a disconnect for a cancel", Counts: "closed streams seen while queued or running", Exercise: noOpenCancel}
	case "DISC-SCOPED":
		return RuleText{Says: "cancels a call whose stream nobody closed, when that of another is", OwnWords: true,
			Counts:   "handlers that ran while the stream of another call was closed",
			Exercise: "No stream was closed while another call ran: let several callers call at once, as with load: {callers: 4, calls: 20}."}
	case "EXCHANGE-ENDED":
		return RuleText{Says: "leaves the exchange of a cancelled call open", Counts: "exchanges of cancelled calls",
			Exercise: noCancel}
	}
	if t := exchangeWording(rule); t.Says != "" {
		return t
	}
	return streamWording(rule)
}

// exchangeWording has those of what requests and their responses say of themselves, and
// of sessions.
func exchangeWording(rule string) RuleText {
	switch rule {
	case "HTTP-POST-PER-MSG":
		return RuleText{Says: "does not post each message on its own", OwnWords: true, Counts: "exchanges that carried a message", Exercise: noHTTP}
	case "HTTP-ACCEPT":
		return RuleText{Says: "does not accept what it may be answered with", OwnWords: true, Counts: "POSTs and GETs", Exercise: noHTTP}
	case "HTTP-202":
		return RuleText{Says: "does not answer a notification with 202, at once", OwnWords: true, Counts: "POSTs of notifications",
			Exercise: "No notification was posted: write cancel: {share: 0.7}, or add a version before 2026-07-28."}
	case "HTTP-SESSION":
		return RuleText{Says: "does not name its session", OwnWords: true, Counts: "exchanges of sessions",
			Exercise: "No server gave its client a session: add a version before 2026-07-28, and a server that has sessions."}
	case "HTTP-VERSION-HDR":
		return RuleText{Says: "does not name the protocol version", OwnWords: true, Counts: "exchanges that have to name it", Exercise: noHTTP}
	case "HTTP-M-HEADERS":
		return RuleText{Says: "does not repeat in headers what it asks for", OwnWords: true, Counts: "POSTs of requests", Exercise: noHTTP}
	case "SHUT-HTTP":
		return RuleText{Says: "closes without ending its session", Counts: "sessions that were closed",
			Exercise: "No session was closed: add a version before 2026-07-28, and a server that has sessions."}
	case "SESSION-ENDS":
		return RuleText{Says: "keeps sessions that their clients have ended", OwnWords: true, Counts: "worlds whose clients had ended their sessions",
			Worlds: "worlds whose clients had ended their sessions", Exercise: "No client ended a session, or the server does not tell how many it has."}
	case "RETRY-NEW-ID":
		return RuleText{Says: "makes a request again under its old id", OwnWords: true, Counts: "requests made after a stream was lost",
			Exercise: "No stream was lost before its response: let the network cut some, as resume-after-cut does."}
	}
	return RuleText{}
}

// streamWording has those of what travels on which stream.
func streamWording(rule string) RuleText {
	const noResume = "No client resumed a stream: let the network cut some whose server keeps its events, as resume-after-cut does."
	const noStream = "No response was an SSE stream: take a server that answers with streams, and not one with the option json."
	switch rule {
	case "HTTP-RESP-STREAM":
		return RuleText{Says: "sends a response on a stream that the client had opened by GET", Counts: "responses", Exercise: noHTTP}
	case "HTTP-NO-BROADCAST":
		return RuleText{Says: "sends one message on two streams", OwnWords: true, Counts: "messages of the server", Exercise: noHTTP}
	case "HTTP-REPLAY-SCOPE":
		return RuleText{Says: "replays on a resumed stream what belongs to another", Counts: "messages on resumed streams", Exercise: noResume}
	case "HTTP-REPLAY-AFTER":
		return RuleText{Says: "says again on a resumed stream what the client had told it to have", OwnWords: true, Counts: "messages on resumed streams", Exercise: noResume}
	case "HTTP-EVENT-ID":
		return RuleText{Says: "gives one id to two SSE events", Counts: "SSE events with an id",
			Exercise: "No SSE event had an id: take a server that keeps its events, as resume-after-cut does."}
	case "HTTP-NO-EARLY-CLOSE":
		return RuleText{Says: "closes the stream of a call before it has carried the response", Counts: "response streams that ended", Exercise: noStream}
	case "HTTP-RETRY-FIRST":
		return RuleText{Says: "ends the exchange of a call, and does not say when to resume its stream", OwnWords: true, Counts: "exchanges that ended before their streams",
			Exercise: "No server ended an exchange before the stream was at its end: let tools ask for that, as polling does."}
	case "HTTP-RETRY-WAIT":
		return RuleText{Says: "resumes a stream sooner than the server had said", Counts: "streams that were resumed after their end",
			Exercise: "No client resumed a stream whose server had said when: let tools ask for that, as polling does."}
	case "HTTP-TERMINATE":
		return RuleText{Says: "does not end the stream of a call that it has answered", Counts: "response streams of answered calls", Exercise: noStream}
	case "HTTP-STREAM-RELATED":
		return RuleText{Says: "sends on the stream of a call what belongs to another", OwnWords: true, Counts: "messages on the streams of calls", Exercise: noStream}
	}
	return RuleText{}
}
