package reference

import (
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// The defects of Streamable HTTP.
const (
	disconnectCancels  defect = "disconnect-cancels"
	ignoresDisconnect  defect = "ignores-disconnect"
	hitsSiblings       defect = "hits-siblings"
	keepsExchanges     defect = "keeps-exchanges"
	neverTerminates    defect = "never-terminates"
	acceptsWithBody    defect = "accepts-with-body"
	holdsCancelPosts   defect = "holds-cancel-posts"
	answersByOwnStream defect = "answers-by-own-stream"
	broadcasts         defect = "broadcasts"
	replaysAll         defect = "replays-all"
	rewindsStreams     defect = "rewinds-streams"
	skipsReplays       defect = "skips-replays"
	repeatsEventIDs    defect = "repeats-event-ids"
	closesBare         defect = "closes-bare"
	hidesRetry         defect = "hides-retry"
	closesEarly        defect = "closes-early"
	mixesStreams       defect = "mixes-streams"
	leaksToClients     defect = "leaks-to-clients"
	cancelsEverywhere  defect = "cancels-everywhere"
	keepsSessions      defect = "keeps-sessions"
	panicsOnCancel     defect = "panics-on-cancel"

	onlyDrops      defect = "only-drops"
	leavesStreams  defect = "leaves-streams"
	postsTogether  defect = "posts-together"
	acceptsLittle  defect = "accepts-little"
	forgetsSession defect = "forgets-session"
	forgetsVersion defect = "forgets-version"
	forgetsMethod  defect = "forgets-method"
	neverDeletes   defect = "never-deletes"
	retriesSameID  defect = "retries-same-id"
	hurriesBack    defect = "hurries-back"
)

// The scenarios that most of them show in.
const (
	exchangeScenario = "abandoned-exchange"
	clientsScenario  = "duplicate-id-across-clients"
	pollingScenario  = "cancel-between-streams"
)

// httpMutants are those of the server, then those of the client.
func httpMutants() []Mutant {
	all := slices.Concat(httpServerMutants(), httpClientMutants())
	for i := range all {
		all[i].Over = []string{sim.StreamableHTTP}
		all[i].Name = string(all[i].defect)
	}
	return all
}

// sessionVersions are the versions that have both Streamable HTTP and sessions.
func sessionVersions() []string {
	return []string{protocol.V20250326, protocol.V20250618, protocol.V20251125}
}

func httpServerMutants() []Mutant {
	legacy := func(d defect, scenario, doc string, rules ...string) Mutant {
		return Mutant{
			defect: d, Side: history.Server, Scenario: scenario, Doc: doc + "; no defect since 2026-07-28",
			Only: sessionVersions(), Legacy: rules,
		}
	}
	modern := func(d defect, scenario, doc string, rules ...string) Mutant {
		return Mutant{defect: d, Side: history.Server, Scenario: scenario, Doc: doc + "; no defect before 2026-07-28", Modern: rules}
	}
	both := func(d defect, scenario, doc string, rules ...string) Mutant {
		return Mutant{defect: d, Side: history.Server, Scenario: scenario, Doc: doc, Only: protocol.Versions()[1:], Legacy: rules, Modern: rules}
	}
	early := legacy(closesEarly, exchangeScenario,
		"ends the stream of a call behind its first progress, and leaves the rest to who resumes: HTTP-NO-EARLY-CLOSE", "HTTP-NO-EARLY-CLOSE")
	early.Only, early.Doc = early.Only[:2], early.Doc[:len(early.Doc)-len("; no defect since 2026-07-28")]+"; 2025-11-25 allows it"
	hides := legacy(hidesRetry, pollingScenario, "ends the exchange of a call that goes on, and does not say when to resume its stream: HTTP-RETRY-FIRST", "HTTP-RETRY-FIRST")
	hides.Only, hides.Doc = []string{protocol.V20251125}, strings.TrimSuffix(hides.Doc, "; no defect since 2026-07-28")+"; no defect but at 2025-11-25"
	everywhere := both(cancelsEverywhere, clientsScenario,
		"tells the handlers of the calls with that id of all clients when one cancels its own: CANCEL-RIGHT-CALL, DISC-SCOPED", "CANCEL-RIGHT-CALL")
	everywhere.Modern = []string{"DISC-SCOPED"}
	return []Mutant{
		legacy(disconnectCancels, "disconnect-legacy", "tells the handler of a call to stop when its connection breaks: DISC-NOT-CANCEL", "DISC-NOT-CANCEL"),
		modern(ignoresDisconnect, "disconnect-modern", "writes nothing more when the client has gone, but never tells the handler: DISC-IS-CANCEL", "DISC-IS-CANCEL"),
		modern(hitsSiblings, "sibling-on-the-same-connection", "tells another handler, too, when a client goes: DISC-SCOPED", "DISC-SCOPED"),
		modern(keepsExchanges, exchangeScenario, "does not end the exchange of a cancelled call: EXCHANGE-ENDED", "EXCHANGE-ENDED"),
		both(neverTerminates, exchangeScenario, "leaves the stream of a call open when it has answered: HTTP-TERMINATE", "HTTP-TERMINATE"),
		both(acceptsWithBody, exchangeScenario, "accepts notifications with status 200 and a body: HTTP-202", "HTTP-202"),
		legacy(holdsCancelPosts, exchangeScenario, "accepts a cancel when the handler that it is for has ended: HTTP-202", "HTTP-202"),
		legacy(answersByOwnStream, exchangeScenario, "answers a cancelled call with an error, by the client's own stream: HTTP-RESP-STREAM", "HTTP-RESP-STREAM"),
		legacy(broadcasts, exchangeScenario, "sends each response by the stream of its call and by the client's own: HTTP-NO-BROADCAST", "HTTP-NO-BROADCAST"),
		legacy(replaysAll, "resume-after-cut", "replays what it has said on all streams to who resumes one: HTTP-REPLAY-SCOPE", "HTTP-REPLAY-AFTER", "HTTP-REPLAY-SCOPE"),
		legacy(rewindsStreams, "resume-after-cut", "replays a stream from its first event to who resumes it behind another: HTTP-REPLAY-AFTER", "HTTP-REPLAY-AFTER"),
		legacy(skipsReplays, "resume-after-cut", "replays nothing of what was said while the client was gone: REQUEST-DISPATCHED", "REQUEST-DISPATCHED"),
		legacy(repeatsEventIDs, exchangeScenario, "numbers the events of each stream from 1: HTTP-EVENT-ID", "HTTP-EVENT-ID"),
		early,
		legacy(closesBare, exchangeScenario, "ends the stream of a call behind its first event, and gives none an id by which it could be resumed: HTTP-NO-EARLY-CLOSE", "HTTP-NO-EARLY-CLOSE"),
		hides,
		both(mixesStreams, exchangeScenario, "reports progress of a call by the stream of another: HTTP-STREAM-RELATED", "HTTP-STREAM-RELATED"),
		legacy(leaksToClients, clientsScenario, "reports progress of a call by a stream of another client's: HTTP-STREAM-RELATED",
			"HTTP-STREAM-RELATED", "PROGRESS-ACTIVE", "PROGRESS-AFTER-CANCEL", "PROGRESS-MONOTONE", "PROGRESS-STOP"),
		everywhere,
		both(panicsOnCancel, exchangeScenario, "panics in an HTTP handler when a call has been cancelled, which net/http recovers: RACE-GRACEFUL", "RACE-GRACEFUL"),
		legacy(keepsSessions, "delete-session-in-flight", "says yes to the DELETE of a session, and keeps it: SESSION-ENDS", "SESSION-ENDS"),
	}
}

func httpClientMutants() []Mutant {
	of := func(d defect, scenario, doc string, legacy, modern string) Mutant {
		m := Mutant{defect: d, Side: history.Client, Scenario: scenario, Doc: doc, Only: protocol.Versions()[1:]}
		if legacy != "" {
			m.Legacy = []string{legacy}
		} else {
			m.Doc += "; no defect before 2026-07-28"
		}
		if modern != "" {
			m.Modern = []string{modern}
		} else {
			m.Doc += "; no defect since 2026-07-28"
		}
		return m
	}
	version := of(forgetsVersion, exchangeScenario, "sends one message that names no protocol version: HTTP-VERSION-HDR", "HTTP-VERSION-HDR", "HTTP-VERSION-HDR")
	together := of(postsTogether, exchangeScenario, "posts two notifications in one array, once: HTTP-POST-PER-MSG", "HTTP-POST-PER-MSG", "HTTP-POST-PER-MSG")
	hurries := of(hurriesBack, pollingScenario, "resumes a stream at once, whatever the server had said: HTTP-RETRY-WAIT", "HTTP-RETRY-WAIT", "")
	hurries.Only, hurries.Doc = []string{protocol.V20251125}, strings.TrimSuffix(hurries.Doc, "; no defect since 2026-07-28")+"; no defect but at 2025-11-25"
	version.Only, together.Only = protocol.Versions()[2:], protocol.Versions()[2:]
	return []Mutant{
		of(onlyDrops, exchangeScenario, "closes the stream of a call that nobody waits for, and posts no cancel: CANCEL-HTTP-EXPLICIT", "CANCEL-HTTP-EXPLICIT", ""),
		of(leavesStreams, exchangeScenario, "leaves the stream of a call open that nobody waits for: CANCEL-HTTP-CLOSE", "", "CANCEL-HTTP-CLOSE"),
		together,
		hurries,
		of(acceptsLittle, exchangeScenario, "accepts no SSE stream in answer to one message: HTTP-ACCEPT", "HTTP-ACCEPT", "HTTP-ACCEPT"),
		of(forgetsSession, exchangeScenario, "sends one message that names no session: HTTP-SESSION", "HTTP-SESSION", ""),
		version,
		of(forgetsMethod, exchangeScenario, "makes one request that does not name its method in a header: HTTP-M-HEADERS", "", "HTTP-M-HEADERS"),
		of(neverDeletes, "delete-session-in-flight", "closes its connections, and does not say that it is done with the session: SHUT-HTTP", "SHUT-HTTP", ""),
		of(retriesSameID, "disconnect-modern", "posts a request again, under its id, whose stream was lost: RETRY-NEW-ID", "", "RETRY-NEW-ID"),
	}
}
