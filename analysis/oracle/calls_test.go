package oracle

import (
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Two calls, of which the second is read and neither begun nor answered.
const lost = running + `
	client issue 2; > call 2
	25 server < call 2
	30 server end 1 "done 1"; > result 1
	40 client < result 1; return 1 "done 1"
`

func two(text string) script { return bare(text, "cooperative", "cooperative") }

func TestRequestDispatched(t *testing.T) {
	runRule(t, "REQUEST-DISPATCHED", dispatchCases())
}

func dispatchCases() []ruleCase {
	const rule = "REQUEST-DISPATCHED"
	limit := `60000 world horizon calls had not returned
		60001 client close; return 2 closed; hangup; closed`
	limit1 := `60000 world horizon calls had not returned
		60001 client close; return 1 closed; hangup; closed`
	return []ruleCase{{
		why: "nothing was asked", want: Vacuous,
		script: script{},
	}, {
		why: "handled", want: Pass, checked: 1,
		script: script{text: running + `50 server end 1 "done 1"; > result 1
			60 client < result 1; return 1 "done 1"`},
	}, {
		why: "refused", want: Pass, checked: 1,
		script: script{text: `10 client issue 1; > call 1
			20 server < call 1; > error 1
			30 client < error 1; return 1 refused`},
	}, {
		why: "neither", want: Fail, checked: 2, fails: rule, side: history.Server,
		script: two(lost + limit),
	}, {
		why: "neither, and a cancel was read later: nothing shows that it was the cancel's doing", want: Fail, checked: 2, fails: rule, side: history.Server,
		script: two(running + `
			client issue 2; > call 2
			25 server < call 2` + cancelled + `server end 1 canceled
			` + limit),
	}, {
		why: "cancelled while it was queued", want: Pass, checked: 1,
		script: two(lost + `50 client cancel 2; > cancel 2; return 2 canceled
			60 server < cancel 2` + farewell),
	}, {
		why: "the world ended before the server could have come to it", want: Pass, checked: 1,
		script: two(lost + `300 world horizon calls had not returned
			301 client close; return 2 closed; hangup; closed`),
	}, {
		why: "the session ended first", want: Pass, checked: 1,
		script: two(lost + `50 client close; hangup; return 2 closed
			60 server eof; hangup; served
			70 client closed`),
	}, {
		why: "the network still holds something", want: Pass, checked: 1, fails: "(PROGRESS-ACTIVE) PROGRESS-STOP", uncounted: whyEnRoute,
		script: two(lost + `50 server > progress 1
			` + limit + `
			60002 client ~ progress 1`).unarrived(),
	}, {
		why: "handled, and never answered", want: Fail, checked: 1, fails: rule, side: history.Server,
		script: bare(running + `30 server end 1 "done 1"
			60000 world horizon calls had not returned
			60001 client close; return 1 closed; hangup; closed`),
	}, {
		why: "answered under its id as the other JSON type", want: Fail, checked: 1, fails: "(REQUEST-DISPATCHED) RESP-SAME-ID", side: history.Server,
		script: bare(running + `30 server end 1 "done 1"; > {"id":"11","result":{}}
			` + limit1),
	}, {
		why: "answered under the id of another one, which has its own answer", want: Fail, checked: 1, fails: "RESP-ONCE (REQUEST-DISPATCHED)", side: history.Server,
		script: bare(running + `client > {"id":"11","method":"tools/list"}
			22 server < {"id":"11","method":"tools/list"}; > {"id":"11","result":{}}
			30 server end 1 "done 1"; > {"id":"11","result":{}}
			` + limit1),
	}, {
		why: "something was answered under an id like its own before it was handled: that was not its answer", want: Fail, checked: 1, fails: "REQUEST-DISPATCHED RESP-SAME-ID", side: history.Server,
		script: bare(running + `25 server > {"id":"11","result":{}}
			30 server end 1 "done 1"
			` + limit1),
	}, {
		why: "handled and never answered, and a cancel was read meanwhile", want: Fail, checked: 2, fails: rule,
		script: two(running + `
			client issue 2; > call 2
			25 server < call 2; start 2` + cancelled + `server end 1 canceled
			60 server end 2 "done 2"
			` + limit),
	}, {
		why: "an id that was used twice", want: Vacuous, fails: "ID-NO-REUSE-L PROGRESS-TOKEN-UNIQUE",
		script: bare(`10 client issue 1; > call 1; > call 1
			20 server < call 1; < call 1` + `
			` + `60000 world horizon calls had not returned
			60001 client close; return 1 closed; hangup; closed`),
	}}
}

func TestNoSpuriousCancel(t *testing.T) {
	runRule(t, "NO-SPURIOUS-CANCEL", spuriousCases())
}

func spuriousCases() []ruleCase {
	const rule = "NO-SPURIOUS-CANCEL"
	return []ruleCase{{
		why: "left alone", want: Pass, checked: 1,
		script: script{text: running + `50 server end 1 "done 1"; > result 1
			60 client < result 1; return 1 "done 1"`},
	}, {
		why: "told because of its cancel", want: Vacuous,
		script: script{text: running + cancelled + `server end 1 canceled`},
	}, {
		why: "told for no reason", want: Fail, checked: 1, fails: rule, side: history.Server,
		script: script{text: running + `50 server told 1; end 1 canceled; > error 1
			60 client < error 1; return 1 canceled`},
	}, {
		why: "told before its caller gave up", want: Fail, checked: 1, fails: rule,
		script: script{handlers: []string{"slow-cleanup"}, text: running + `25 server told 1
			30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; end 1 canceled`},
	}, {
		why: "told in the instant in which another call's cancel was read: a stricter rule's", want: Fail, checked: 1, fails: "RACE-GRACEFUL (NO-SPURIOUS-CANCEL)",
		script: script{handlers: []string{"cooperative", "cooperative"}, text: running + `
			client issue 2; > call 2
			server < call 2; start 2` + cancelled + `server told 2; end 1 canceled; end 2 canceled; > error 2
			50 client < error 2; return 2 canceled`},
	}, {
		why: "told because the session ended", want: Vacuous,
		script: bare(closedEarly + `server told 1; end 1 canceled; hangup; served`),
	}, {
		why: "told in the instant in which the server ended the session", want: Vacuous, uncounted: whyClosing, fails: "SESSION-SURVIVES",
		script: bare(running + `50 server told 1; end 1 canceled; hangup; served
			60 client eof; return 1 lost; close; hangup; closed`),
	}, {
		why: "an id that was used twice", want: Vacuous, fails: "ID-NO-REUSE-L PROGRESS-TOKEN-UNIQUE", uncounted: whyUnclearID,
		script: script{text: running + `client > call 1
			50 server < call 1; told 1; end 1 canceled; > error 1
			60 client < error 1; return 1 canceled`},
	}}
}

func TestAnswerOwn(t *testing.T) {
	runRule(t, "ANSWER-OWN", ownCases())
}

func ownCases() []ruleCase {
	const rule = "ANSWER-OWN"
	pair := `
		10 client issue 1; > call 1; issue 2; > call 2
		20 server < call 1; start 1; < call 2; start 2
		30 server end 1 "done 1"; > result 1
		40 client < result 1; return 1 "done 1"
		50 server end 2 "done 2"; > result 2
	`
	return []ruleCase{{
		why: "each its own", want: Pass, checked: 2,
		script: two(pair + `60 client < result 2; return 2 "done 2"` + farewell),
	}, {
		why: "the other one's", want: Fail, checked: 2, fails: rule, side: history.Client,
		script: two(pair + `60 client < result 2; return 2 "done 1"` + farewell),
	}, {
		why: "an error, though its answer had come", want: Fail, checked: 2, fails: rule, side: history.Client,
		script: two(pair + `60 client < result 2; return 2 lost` + farewell),
	}, {
		why: "the same of a client that had been sent what is no message", want: Pass, checked: 1, uncounted: whyPeersGarbage,
		script: two(pair + `55 server > {"id":1}
			60 client < {"id":1}; < result 2; return 2 lost` + farewell),
	}, {
		why: "the other one's, as the server wrote it", want: Fail, checked: 2, fails: rule, side: history.Server,
		script: two(`
			10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2
			30 server end 1 "done 1"; > result 1
			40 client < result 1; return 1 "done 1"
			50 server end 2 "done 2"; > stale 2
			60 client < stale 2; return 2 "done 1"` + farewell),
	}, {
		why: "a value that nobody returned proves nothing", want: Pass, checked: 1,
		script: two(pair + `60 client < result 2; return 2 "done 3"` + farewell),
	}, {
		why: "an error, although the tool had returned a result", want: Fail, checked: 2, fails: rule, side: history.Client,
		script: two(pair + `60 client < result 2; return 2 refused` + farewell),
	}, {
		why: "an error that the server made of a result in the instant of another call's cancel", want: Fail, checked: 1, fails: "RACE-GRACEFUL (ANSWER-OWN)",
		script: two(running + `
			client issue 2; > call 2
			25 server < call 2; start 2` + cancelled + `server end 1 canceled; end 2 "done 2"; > error 2
			50 client < error 2; return 2 internal` + farewell),
	}, {
		why: "an error of the tool's is its answer", want: Vacuous,
		script: bare(running + `30 server end 1 oops; > error 1
			40 client < error 1; return 1 oops` + farewell),
	}, {
		why: "an error for want of an answer", want: Vacuous,
		script: bare(running + `30 server end 1 "done 1"; > result 1
			35 client return 1 impatient
			40 client < result 1` + farewell),
	}, {
		why: "two get the same foreign answer, and both count", want: Fail, checked: 3, fails: rule, side: history.Client,
		script: bare(pair+`52 client issue 3; > call 3
			53 server < call 3; start 3; end 3 "done 3"; > result 3
			60 client < result 2; return 2 "done 1"; < result 3; return 3 "done 1"`+farewell, "cooperative", "cooperative", "cooperative"),
	}, {
		why: "two get the answer of a cancelled call", want: Fail, checked: 2, fails: "LATE-IGNORED (ANSWER-OWN)",
		script: bare(`10 client issue 1; > call 1; issue 2; > call 2; issue 3; > call 3
			20 server < call 1; start 1; < call 2; start 2; < call 3; start 3
			30 server end 1 "done 1"; > result 1
			32 client cancel 1; > cancel 1; return 1 canceled
			40 client < result 1; return 2 "done 1"; return 3 "done 1"
			42 server < cancel 1; end 2 "done 2"; > result 2; end 3 "done 3"; > result 3
			60 client < result 2; < result 3`+farewell, "cooperative", "cooperative", "cooperative"),
	}, {
		why: "an id that was used twice: whose answer it is cannot be told", want: Pass, checked: 1, fails: "ID-NO-REUSE-L PROGRESS-TOKEN-UNIQUE", uncounted: whyUnclearID,
		script: two(`
			10 client issue 1; > call 1; issue 2; > call 2; > call 2
			20 server < call 1; start 1; < call 2; start 2; < call 2
			30 server end 1 "done 1"; > result 1
			40 client < result 1; return 1 "done 1"
			50 server end 2 "done 2"; > stale 2
			60 client < stale 2; return 2 "done 1"` + farewell),
	}, {
		why: "put there by the server, after it had read that call's cancel while its tool ran: a stricter rule's", want: Fail, checked: 1, fails: "RACE-GRACEFUL (ANSWER-OWN)",
		script: bare(`10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2
			32 client cancel 1; > cancel 1; return 1 canceled
			42 server < cancel 1; told 1
			45 server end 1 "done 1"
			50 server end 2 "done 2"; > stale 2
			60 client < stale 2; return 2 "done 1"`+farewell, "stubborn", "cooperative"),
	}, {
		why: "after a cancel, which is not that of the call whose answer it is", want: Fail, checked: 2, fails: rule, side: history.Client,
		script: bare(pair+`52 client issue 3; > call 3
			53 server < call 3; start 3
			54 client cancel 3; > cancel 3; return 3 canceled
			55 server < cancel 3; told 3; end 3 canceled
			60 client < result 2; return 2 "done 1"`+farewell, "cooperative", "cooperative", "cooperative"),
	}, {
		why: "of a response that the client should have dropped: another rule's", want: Fail, checked: 1, fails: "LATE-IGNORED (ANSWER-OWN)",
		script: two(`
			10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2
			30 server end 1 "done 1"; > result 1
			32 client cancel 1; > cancel 1; return 1 canceled
			40 client < result 1
			42 server < cancel 1
			50 server end 2 "done 2"; > result 2
			60 client < result 2; return 2 "done 1"` + farewell),
	}, {
		why: "put there by the server, and the cancel came when the other tool had returned", want: Fail, checked: 1, fails: rule, side: history.Server,
		script: two(`
			10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2
			30 server end 1 "done 1"; > result 1
			32 client cancel 1; > cancel 1; return 1 canceled
			40 client < result 1
			42 server < cancel 1
			50 server end 2 "done 2"; > stale 2
			60 client < stale 2; return 2 "done 1"` + farewell),
	}}
}

// unarrived makes the frames that nobody read such as had not arrived either.
func (s script) unarrived() script {
	s.lost = true
	return s
}
