package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// A RuleText is a rule with the words that a report needs and a judge does not.
type RuleText struct {
	oracle.Rule
	Says     string // the offence, after the name of who commits it: "answers one request twice"
	Counts   string // what Checked counts, in the plural: "requests that were answered"
	Exercise string // how to bring it about where a run did not, a sentence
	Worlds   string // of a rule about whole worlds: which worlds its findings count, in the plural
	OwnWords bool   // the words of one violation say more than Says
	Late     bool   // the offence is a message that was sent after a cancel had been read
}

// RuleTexts returns the texts of all rules, in the order of [oracle.Rules].
func RuleTexts() []RuleText {
	var out []RuleText
	for _, r := range oracle.Rules() {
		t := wording(r.ID)
		t.Rule = r
		out = append(out, t)
	}
	return out
}

// textOf returns the text of a rule, one with nothing but its name when there
// is none.
func textOf(rules []RuleText, rule string) RuleText {
	for _, r := range rules {
		if r.ID == rule {
			return r
		}
	}
	return RuleText{Rule: oracle.Rule{ID: rule}}
}

// RuleTextOf returns the text of one rule.
func RuleTextOf(rule string) RuleText { return textOf(RuleTexts(), rule) }

// counts says what the rule's checks are.
func (r RuleText) counts() string {
	if r.Counts == "" {
		return "times that the rule was exercised"
	}
	return r.Counts
}

// numbered puts a number before what is counted, in the singular where it is one:
// "1 world that was closed". Two nouns, as in "POSTs and GETs", stay as they are.
func numbered(n int, counted string) string {
	words := strings.Fields(counted)
	noun := slices.IndexFunc(words, func(w string) bool { return strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") })
	if n != 1 || noun < 0 || slices.Contains(words[noun:], "and") {
		return group(n) + " " + counted
	}
	words[noun] = strings.TrimSuffix(words[noun], "s")
	if noun+2 < len(words) && words[noun+1] == "that" {
		words[noun+2] = cmp.Or(map[string]string{"were": "was", "have": "has"}[words[noun+2]], words[noun+2])
	}
	return "1 " + strings.Join(words, " ")
}

// perWorld reports whether worlds are counted instead of what the rule checks.
func (r RuleText) perWorld() bool { return r.Worlds != "" }

const (
	openCancels  = "cancels read while queued or running"
	noOpenCancel = "No cancel was read while its call was queued or running: write cancel: {share: 0.7}, or give the tools more to do, as in work: 2s."
	noGivenUp    = "No caller gave up a call that was still pending: write cancel: {share: 0.7}, or give the tools more to do, as in work: 2s."
	noCancel     = "No cancel was sent: write cancel: {share: 0.7}, or let a client play that sends them, as --client reference does."
	noSession    = "No session came about, or a process died in each: look at what is said of that above, or let the reference play on the other side."
)

func wording(rule string) RuleText {
	switch rule {
	case "CANCEL-NO-RESPONSE":
		return RuleText{Says: "answers a request after reading its cancel", Late: true,
			Counts: openCancels + ", of tools that stop", Exercise: noOpenCancel}
	case "CANCEL-SILENCE":
		return RuleText{Says: "does not fall silent about a request after reading its cancel", Late: true,
			Counts: openCancels, Exercise: noOpenCancel}
	case "CANCEL-STOP-WORK":
		return RuleText{Says: "does not tell the handler that its call was cancelled", OwnWords: true, Counts: openCancels, Exercise: noOpenCancel}
	case "CANCEL-ONLY-ISSUED":
		return RuleText{Says: "cancels a request that it never issued", Counts: "cancels sent", Exercise: noCancel}
	case "CANCEL-STDIO-REQUIRED", "CANCEL-CLIENT-NOTIFIES":
		return RuleText{Says: "gives a call up without sending a cancel", Counts: "pending calls that were given up", Exercise: noGivenUp}
	case "TIMEOUT-CANCEL":
		return RuleText{Says: "lets a call's time run out without sending a cancel", Counts: "pending calls whose time was up",
			Exercise: "No pending call ran into a deadline: write cancel: {timeouts: 0.3}."}
	case "RESP-ONCE":
		return RuleText{Says: "answers one request twice", Counts: "requests that were answered", Exercise: "No request was answered: let some calls go on to their end, as with cancel: {share: 0.3}."}
	case "LATE-IGNORED":
		return RuleText{Says: "returns the value of a response that it read after cancelling the call",
			Counts:   "responses read after their call's cancel was sent",
			Exercise: "No response came in after its cancel was sent: add --server mutant:answers-cancelled, whose responses do."}
	case "RACE-GRACEFUL":
		return RuleText{Says: "does not survive what crosses a cancel", OwnWords: true, Counts: "cancels sent",
			Worlds: "worlds in which a cancel was sent", Exercise: noCancel}
	case "SESSION-SURVIVES":
		return RuleText{Says: "ends a session that nobody asked it to end", OwnWords: true, Counts: "sessions",
			Worlds: "worlds", Exercise: noSession}
	case "PROGRESS-AFTER-CANCEL":
		return RuleText{Says: "reports progress of a request after reading its cancel", Late: true,
			Counts:   openCancels + ", of calls that report progress",
			Exercise: "No call that reports progress was cancelled while it ran: add a handler, {kind: chatty, every: 10ms, work: 200ms}."}
	case "CALLER-UNBLOCKS":
		return RuleText{Says: "does not give control back to a caller who gave up, whose connection is gone, or whose response has come", OwnWords: true,
			Counts:   "callers who gave up or lost their connection",
			Exercise: "No caller gave up a call that was still pending, and no connection was lost under one: write cancel: {share: 0.7}, or end: {how: server-exit, at: 500ms}."}
	case "CANCEL-NONBLOCKING":
		return RuleText{Says: "holds the caller of a cancelled call until the network takes the cancel",
			Counts:   "cancels that the network did not take at once",
			Exercise: "The network took every cancel at once: write a stall into network.client_to_server, as shaky-network does."}
	case "CANCEL-ORDER":
		return RuleText{Says: "lets a later call overtake a cancel", Counts: "cancels that were followed by a later call",
			Exercise: "No call was made after a cancel: let each caller make several, as with load: {callers: 2, calls: 20}."}
	case "NO-LEAK":
		return RuleText{Says: "leaves goroutines behind after close", OwnWords: true, Counts: "worlds that were closed", Exercise: noSession}
	}
	return endWording(rule)
}

// endWording has the rules of how sessions end, and of calls that nobody cancels.
func endWording(rule string) RuleText {
	switch rule {
	case "SHUT-STDIO-SERVER":
		return RuleText{Says: "works on after its client has gone", Counts: "handlers and servers whose client had gone",
			Exercise: "No server read the end of its input after its client had been closed: write end: {how: close, at: 500ms}."}
	case "CLOSE-BOUNDED":
		return RuleText{Says: "does not return from Close, or does not stop", OwnWords: true, Counts: "clients that were closed and servers that were told to stop",
			Exercise: noSession}
	case "EOF-DRAINS":
		return RuleText{Says: "drops requests that it has read when its input ends", Counts: "requests that were unanswered when the input ended",
			Exercise: "No client's writing half was closed while calls were in flight: write end: {how: half-close, at: …}."}
	case "REQUEST-DISPATCHED":
		return RuleText{Says: "leaves a request unanswered that it has read", Counts: "requests that were read", Exercise: noSession}
	case "NO-SPURIOUS-CANCEL":
		return RuleText{Says: "tells a handler to stop that nobody asked to stop", Counts: "handlers that nobody wanted to stop",
			Exercise: "No handler came to its end without a cancel: let some calls go on, as with cancel: {share: 0.3}."}
	case "ANSWER-OWN":
		return RuleText{Says: "does not give a call its own answer", OwnWords: true, Counts: "calls that returned a value", Exercise: "No call returned a value: let some calls go on, as with cancel: {share: 0.3}."}
	}
	if rule == "NESTED-CANCELLED" {
		return RuleText{Says: "does not cancel what a tool had asked when the tool is told to stop",
			Counts: "questions of tools that were told to stop", Exercise: "No tool was told to stop while the client had its question: use tools of the kind asking."}
	}
	for _, words := range []func(string) RuleText{wireWording, strayWording, taskWording, httpWording} {
		if t := words(rule); t.Says != "" {
			return t
		}
	}
	return listenWording(rule)
}

const noListen = "Nobody subscribed: let load.requests have subscriptions/listen, and the server change something, as listen-teardown does."

// listenWording has the rules of subscriptions.
func listenWording(rule string) RuleText {
	switch rule {
	case "LISTEN-CANCEL":
		return RuleText{Says: "does not fall silent about a subscription after reading its cancel", OwnWords: true, Late: true,
			Counts: "cancels read of open subscriptions", Exercise: noListen}
	case "LISTEN-ACK-FIRST":
		return RuleText{Says: "does not begin a subscription with its acknowledgement", OwnWords: true, Counts: "subscriptions", Exercise: noListen}
	case "LISTEN-ONLY-ASKED":
		return RuleText{Says: "tells of changes that nobody asked for", OwnWords: true, Counts: "changes that were told", Exercise: noListen}
	case "LISTEN-TAG":
		return RuleText{Says: "does not say whose a message is", OwnWords: true, Counts: "messages of subscriptions", Exercise: noListen}
	case "LISTEN-DELIVERS":
		return RuleText{Says: "does not tell a subscription what it is for", OwnWords: true, Counts: "subscriptions for which there was something to tell", Exercise: noListen}
	case "LISTEN-NO-REQ-SCOPED":
		return RuleText{Says: "sends what belongs to a call as a subscription's", Counts: "progress and log messages while a subscription was open",
			Exercise: "No call reported progress while a subscription was open: use chatty tools beside subscriptions/listen."}
	}
	return RuleText{}
}
