package reference

import (
	"slices"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// The defects of messages that are wrong in themselves, whatever they cross, and of
// what a cancelled call goes on to hold. Where one of them adds a message, the right
// one is there as well, so that nothing else goes wrong because of it.
const (
	cancelsTheirs         defect = "cancels-theirs"
	answersRetyped        defect = "answers-retyped"
	answersBoth           defect = "answers-both"
	asksBack              defect = "asks-back"
	logsUnasked           defect = "logs-unasked"
	progressAfterResponse defect = "progress-after-response"
	inventsTokens         defect = "invents-tokens"
	repeatsProgress       defect = "repeats-progress"
	tardyPongs            defect = "tardy-pongs"
	holdsCancelled        defect = "holds-cancelled"
	dropsBatchedCancels   defect = "drops-batched-cancels"

	cancelsReturned    defect = "cancels-returned"
	cancelsInitialize  defect = "cancels-initialize"
	cancelsNothing     defect = "cancels-nothing"
	numbersCancels     defect = "numbers-cancels"
	recyclesIDs        defect = "recycles-ids"
	reusesCancelledIDs defect = "reuses-cancelled-ids"
	asksUnderNull      defect = "asks-under-null"
	asksUnderFraction  defect = "asks-under-fraction"
	repliesUnasked     defect = "replies-unasked"
	sharesTokens       defect = "shares-tokens"
	hangsUpLate        defect = "hangs-up-late"
	awaitsCancelled    defect = "awaits-cancelled"
)

func wireMutants() []Mutant { return slices.Concat(wireServerMutants(), wireClientMutants()) }

func wireServerMutants() []Mutant {
	return []Mutant{{
		Name: string(cancelsTheirs), defect: cancelsTheirs, Side: history.Server,
		Doc:    "sends a cancel for every call that it reads, and answers it all the same: CANCEL-SAME-DIRECTION, CANCEL-SERVER-FORBIDDEN",
		Legacy: []string{"CANCEL-SAME-DIRECTION"},
		Modern: []string{"CANCEL-SERVER-FORBIDDEN"},
	}, {
		Name: string(answersRetyped), defect: answersRetyped, Side: history.Server, Scenario: "no-cancels",
		Doc:    "follows each response with another whose id is a string where it was a number: RESP-SAME-ID",
		Legacy: []string{"RESP-SAME-ID"},
		Modern: []string{"RESP-SAME-ID"},
	}, {
		Name: string(answersBoth), defect: answersBoth, Side: history.Server, Scenario: "no-cancels", Until: protocol.V20250618,
		Doc:    "follows each response with one that has a result and an error: RESP-ONE-OF; no defect by the words of 2025-11-25 and later",
		Legacy: []string{"RESP-ONE-OF"},
	}, {
		Name: string(asksBack), defect: asksBack, Side: history.Server, Scenario: "no-cancels",
		Doc:    "pings the client whenever it reads a call: SERVER-NO-REQUESTS; no defect before 2026-07-28",
		Modern: []string{"SERVER-NO-REQUESTS"},
	}, {
		Name: string(logsUnasked), defect: logsUnasked, Side: history.Server, Scenario: "no-cancels",
		Doc:    "sends a log message whenever it reads a call: LOG-OPT-IN; no defect before 2026-07-28",
		Modern: []string{"LOG-OPT-IN"},
	}, {
		Name: string(progressAfterResponse), defect: progressAfterResponse, Side: history.Server,
		Doc:    "reports progress once more when it has answered: PROGRESS-STOP",
		Legacy: []string{"PROGRESS-STOP"},
		Modern: []string{"PROGRESS-STOP"},
	}, {
		Name: string(inventsTokens), defect: inventsTokens, Side: history.Server,
		Doc:    "reports all progress a second time, under a token that nobody gave: PROGRESS-ACTIVE",
		Legacy: []string{"PROGRESS-ACTIVE"},
		Modern: []string{"PROGRESS-ACTIVE"},
	}, {
		Name: string(repeatsProgress), defect: repeatsProgress, Side: history.Server, Scenario: "no-cancels",
		Doc:    "reports all progress a second time: PROGRESS-MONOTONE",
		Legacy: []string{"PROGRESS-MONOTONE"},
		Modern: []string{"PROGRESS-MONOTONE"},
	}, {
		Name: string(tardyPongs), defect: tardyPongs, Side: history.Server, Scenario: "every-call",
		Doc:    "takes 15 s to answer a ping that carries anything: PING-PROMPT; no defect since 2026-07-28",
		Legacy: []string{"PING-PROMPT"},
	}, {
		Name: string(dropsBatchedCancels), defect: dropsBatchedCancels, Side: history.Server, Scenario: "batches",
		Only:   []string{protocol.V20250326},
		Doc:    "takes the requests out of a batch and drops the cancels in it: CANCEL-STOP-WORK; batches are 2025-03-26's alone",
		Legacy: []string{"CANCEL-NO-RESPONSE", "CANCEL-STOP-WORK", "PROGRESS-AFTER-CANCEL"},
	}, {
		Name: string(holdsCancelled), defect: holdsCancelled, Side: history.Server, Scenario: "held-after-cancel",
		Doc:    "keeps a goroutine for every cancel that hits until the session ends: CANCEL-FREE",
		Legacy: []string{"CANCEL-FREE"},
		Modern: []string{"CANCEL-FREE"},
	}}
}

func wireClientMutants() []Mutant {
	return []Mutant{{
		Name: string(cancelsReturned), defect: cancelsReturned, Side: history.Client,
		Doc:    "cancels every call that has returned its value: CANCEL-ONLY-INPROGRESS",
		Legacy: []string{"CANCEL-ONLY-INPROGRESS"},
		Modern: []string{"CANCEL-ONLY-INPROGRESS"},
	}, {
		Name: string(cancelsInitialize), defect: cancelsInitialize, Side: history.Client, Scenario: "no-cancels",
		Doc:    "cancels initialize as soon as it is written: CANCEL-INIT; no defect since 2026-07-28",
		Legacy: []string{"CANCEL-INIT"},
	}, {
		Name: string(cancelsNothing), defect: cancelsNothing, Side: history.Client,
		Doc:    "follows each cancel with one that names no request: CANCEL-HAS-ID",
		Legacy: []string{"CANCEL-HAS-ID"},
		Modern: []string{"CANCEL-HAS-ID"},
	}, {
		Name: string(numbersCancels), defect: numbersCancels, Side: history.Client,
		Doc:    "follows each cancel with the same as a request: CANCEL-NO-RPC-ID",
		Legacy: []string{"CANCEL-NO-RPC-ID"},
		Modern: []string{"CANCEL-NO-RPC-ID"},
	}, {
		Name: string(recyclesIDs), defect: recyclesIDs, Side: history.Client, Scenario: "no-cancels",
		Doc:    "uses an id again that was answered: ID-NO-REUSE-L; no defect since 2026-07-28",
		Legacy: []string{"ID-NO-REUSE-L"},
	}, {
		Name: string(reusesCancelledIDs), defect: reusesCancelledIDs, Side: history.Client, Scenario: "held-after-cancel",
		Doc:    "uses the id of a cancelled call again: ID-NO-REUSE-L, ID-NO-REUSE-M",
		Legacy: []string{"ID-NO-REUSE-L"},
		Modern: []string{"ID-NO-REUSE-M"},
	}, {
		Name: string(asksUnderNull), defect: asksUnderNull, Side: history.Client, Scenario: "no-cancels",
		Doc:    "makes one request whose id is null when it has connected: ID-NOT-NULL",
		Legacy: []string{"ID-NOT-NULL"},
		Modern: []string{"ID-NOT-NULL"},
	}, {
		Name: string(asksUnderFraction), defect: asksUnderFraction, Side: history.Client, Scenario: "no-cancels",
		Doc:    "makes one request whose id is 1.5 when it has connected: ID-TYPE",
		Legacy: []string{"ID-TYPE"},
		Modern: []string{"ID-TYPE"},
	}, {
		Name: string(repliesUnasked), defect: repliesUnasked, Side: history.Client, Scenario: "no-cancels",
		Doc:    "answers each response with one of its own: RESP-SAME-ID, SERVER-NO-REQUESTS",
		Legacy: []string{"RESP-SAME-ID"},
		Modern: []string{"SERVER-NO-REQUESTS"},
	}, {
		Name: string(sharesTokens), defect: sharesTokens, Side: history.Client,
		Doc:    "gives all requests one progress token: PROGRESS-TOKEN-UNIQUE",
		Legacy: []string{"PROGRESS-TOKEN-UNIQUE"},
		Modern: []string{"PROGRESS-TOKEN-UNIQUE"},
	}, {
		Name: string(hangsUpLate), defect: hangsUpLate, Side: history.Client, Scenario: "no-cancels",
		Doc:    "returns from Close at once, and closes the server's input a minute later: SHUT-STDIO-CLIENT",
		Legacy: []string{"SHUT-STDIO-CLIENT"},
		Modern: []string{"SHUT-STDIO-CLIENT"},
	}, {
		Name: string(awaitsCancelled), defect: awaitsCancelled, Side: history.Client, Scenario: "held-after-cancel",
		Doc:    "leaves a goroutine behind for every call that it has cancelled: LATE-NO-LEAK",
		Legacy: []string{"LATE-NO-LEAK"},
		Modern: []string{"LATE-NO-LEAK"},
	}}
}
