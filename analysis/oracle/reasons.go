package oracle

// Why something was not counted, of the rules that judge messages and ends.
const (
	whyNotHandedOver  = "cancel for a call whose response was read and not yet with its caller"
	whyBelieved       = "the caller had given up before it was given the value"
	whyEndsListen     = "cancel that ends a subscription"
	whyUnreadable     = "error reply without an id, as for a message that could not be read"
	whyNamedByCancel  = "response to an id that only a cancel had named"
	whyBatched        = "a batch had been sent, and what it asked for is not known"
	whySharedToken    = "several active requests had one progress token"
	whyGivenUpToken   = "progress token of a call that was given up and not answered"
	whyTaskRuns       = "the response said that a task had begun"
	whyLogsAsked      = "a request had asked for log messages"
	whyServerGone     = "the server had gone first"
	whyPingCancelled  = "the ping was cancelled"
	whyPongHeld       = "the network did not take what was being written before the answer to the ping"
	whyNotTheCancels  = "goroutines that grew, and not with the cancels alone"
	whyPeersGarbage   = "the other side had sent what is no message"
	whyInputOpen      = "the client had not closed the server's input"
	whyUnderDirection = reportedUnder + "CANCEL-SAME-DIRECTION"
	whyUnderStop      = reportedUnder + "PROGRESS-STOP"
	whyUnderSilence   = reportedUnder + "CANCEL-SILENCE"
	whyUnderFree      = reportedUnder + "CANCEL-FREE"
	whyUnderLateLeak  = reportedUnder + "LATE-NO-LEAK"
)
