package oracle

import (
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// How conversations begin in which the client's writer is held up: call 1 runs at
// the server, and call 2 cannot be written until 60.
const stalling = running + `
	25 client issue 2; >> call 2
`

// And how they may go on, after the cancel of call 1 was written.
const resumed = `
	70 server < call 2; start 2; < cancel 1; told 1; end 1 canceled
	80 server end 2 "done 2"; > result 2
	90 client < result 2; return 2 "done 2"
`

func twoTools() []string { return []string{"cooperative", "cooperative"} }

func TestCancelNonblocking(t *testing.T) {
	runRule(t, "CANCEL-NONBLOCKING", []ruleCase{{
		why: "the network takes the cancel at once: not put to the test", want: Vacuous,
		script: script{text: running + cancelled + `server end 1 canceled`},
	}, {
		why: "nobody cancels while the writer is held up", want: Vacuous,
		script: script{handlers: twoTools(), text: stalling + `60 client . call 2
			70 server < call 2; start 2; end 1 "done 1"; > result 1; end 2 "done 2"; > result 2
			90 client < result 1; return 1 "done 1"; < result 2; return 2 "done 2"`},
	}, {
		why: "the caller gets control back at once, and the cancel goes when it can", want: Pass, checked: 1,
		script: script{handlers: twoTools(), text: stalling + `30 client cancel 1; return 1 canceled
			60 client . call 2; > cancel 1` + resumed},
	}, {
		why: "the caller waits for its turn", want: Fail, checked: 1, fails: "CANCEL-NONBLOCKING", side: history.Client,
		script: script{handlers: twoTools(), text: stalling + `30 client cancel 1
			60 client . call 2; > cancel 1; return 1 canceled` + resumed},
	}, {
		why: "the caller waits while its own cancel is being written", want: Fail, checked: 1, fails: "CANCEL-NONBLOCKING",
		script: script{text: running + `30 client cancel 1; >> cancel 1
			60 client .; return 1 canceled
			70 server < cancel 1; told 1; end 1 canceled`},
	}, {
		why: "first for its turn, and then for its own", want: Fail, checked: 1, fails: "CANCEL-NONBLOCKING",
		script: script{handlers: twoTools(), text: stalling + `30 client cancel 1
			50 client . call 2; >> cancel 1
			60 client .; return 1 canceled` + resumed},
	}, {
		why: "what is being written is the request itself, which nobody can take back", want: Vacuous, uncounted: whyOwnRequest,
		script: script{text: `10 client issue 1; >> call 1
			30 client cancel 1
			60 client .; > cancel 1; return 1 canceled
			70 server < call 1; start 1; < cancel 1; told 1; end 1 canceled`},
	}, {
		why: "or it waits to be written", want: Vacuous, uncounted: whyOwnRequest,
		script: script{handlers: twoTools(), text: `10 client issue 2; >> call 2; issue 1
			30 client cancel 1
			60 client . call 2; > call 1; > cancel 1; return 1 canceled
			70 server < call 2; start 2; < call 1; start 1; < cancel 1; told 1; end 1 canceled
			80 server end 2 "done 2"; > result 2
			90 client < result 2; return 2 "done 2"`},
	}, {
		why: "the caller waits for the response, as it would with a free writer", want: Vacuous, uncounted: whyHeldOtherwise,
		fails: "LATE-IGNORED",
		script: script{handlers: twoTools(), text: stalling + `30 client cancel 1
			35 server end 1 "done 1"; > result 1
			60 client . call 2; > cancel 1
			65 client < result 1; return 1 "done 1"
			70 server < call 2; start 2; < cancel 1
			80 server end 2 "done 2"; > result 2
			90 client < result 2; return 2 "done 2"`},
	}, {
		why: "the client waits by itself, with a free writer, before it cancels", want: Vacuous,
		script: script{text: running + `30 client cancel 1
			60 client > cancel 1; return 1 canceled
			70 server < cancel 1; told 1; end 1 canceled`},
	}, {
		why: "the writer was free in between: what the caller waits for cannot be told", want: Vacuous,
		script: script{handlers: twoTools(), text: stalling + `30 client cancel 1
			40 client . call 2
			60 client > cancel 1; return 1 canceled` + resumed},
	}, {
		why: "a write that fails because the session ends: the network never took the cancel", want: Vacuous, fails: "SESSION-SURVIVES",
		script: script{bare: true, text: greeting + running + `30 client cancel 1; >> cancel 1
			60 server hangup
			60 client eof; .failed; return 1 canceled`},
	}, {
		why: "the response had been read when the caller gave up", want: Vacuous,
		script: script{handlers: twoTools(), text: stalling + `26 server end 1 "done 1"; > result 1
			28 client < result 1
			30 client cancel 1
			60 client . call 2; > cancel 1; return 1 "done 1"
			70 server < call 2; start 2; < cancel 1
			80 server end 2 "done 2"; > result 2
			90 client < result 2; return 2 "done 2"`},
	}})
}

func TestCancelOrder(t *testing.T) {
	runRule(t, "CANCEL-ORDER", []ruleCase{{
		why: "nothing was decided after the cancel", want: Vacuous,
		script: script{text: running + cancelled + `server end 1 canceled`},
	}, {
		why: "a later call follows the cancel", want: Pass, checked: 1,
		script: script{handlers: twoTools(), text: running + `30 client cancel 1; > cancel 1; return 1 canceled
			31 client issue 2; > call 2
			40 server < cancel 1; told 1; end 1 canceled; < call 2; start 2; end 2 "done 2"; > result 2
			50 client < result 2; return 2 "done 2"`},
	}, {
		why: "both waited for the writer, and the later call went first", want: Fail, checked: 1, fails: "CANCEL-ORDER", side: history.Client,
		script: script{handlers: []string{"cooperative", "cooperative", "cooperative"}, text: stalling + `30 client cancel 1; return 1 canceled
			40 client issue 3
			60 client . call 2; > call 3; > cancel 1
			70 server < call 2; start 2; < call 3; start 3; < cancel 1; told 1; end 1 canceled
			80 server end 2 "done 2"; > result 2; end 3 "done 3"; > result 3
			90 client < result 2; return 2 "done 2"; < result 3; return 3 "done 3"`},
	}, {
		why: "a cancel that the client holds back, with a free writer", want: Fail, checked: 1, fails: "CANCEL-ORDER",
		script: script{handlers: twoTools(), text: running + `30 client cancel 1; return 1 canceled
			31 client issue 2; > call 2
			35 client > cancel 1
			40 server < call 2; start 2; < cancel 1; told 1; end 1 canceled; end 2 "done 2"; > result 2
			50 client < result 2; return 2 "done 2"`},
	}, {
		why: "a call of the same instant: the scheduler's choice", want: Vacuous,
		script: script{handlers: twoTools(), text: running + `30 client cancel 1; issue 2; > call 2; > cancel 1; return 1 canceled
			40 server < call 2; start 2; < cancel 1; told 1; end 1 canceled; end 2 "done 2"; > result 2
			50 client < result 2; return 2 "done 2"`},
	}, {
		why: "a call that was made before", want: Vacuous,
		script: script{handlers: twoTools(), text: stalling + `30 client cancel 1; return 1 canceled
			60 client . call 2; > cancel 1` + resumed},
	}, {
		why: "the request was half written, and its cancel comes when it is whole", want: Vacuous, uncounted: whyOwnRequest,
		script: script{handlers: twoTools(), text: `10 client issue 1; >> call 1
			30 client cancel 1; return 1 canceled
			40 client issue 2
			60 client . call 1; > call 2; > cancel 1
			70 server < call 1; start 1; < call 2; start 2; < cancel 1; told 1; end 1 canceled
			80 server end 2 "done 2"; > result 2
			90 client < result 2; return 2 "done 2"`},
	}, {
		why: "nobody needed the cancel any more", want: Vacuous, uncounted: whyReplyFirst,
		script: script{handlers: twoTools(), text: running + `22 server end 1 "done 1"; > result 1
			28 client < result 1
			30 client cancel 1; return 1 "done 1"
			31 client issue 2; > call 2; > cancel 1
			40 server < call 2; start 2; < cancel 1; end 2 "done 2"; > result 2
			50 client < result 2; return 2 "done 2"`},
	}, {
		why: "an id that was used twice: whose cancel it is cannot be told", want: Vacuous, fails: "ID-NO-REUSE-L PROGRESS-TOKEN-UNIQUE",
		script: script{handlers: twoTools(), text: running + `client > call 1
			server < call 1
			30 client cancel 1; return 1 canceled
			31 client issue 2; > call 2; > cancel 1
			40 server < call 2; start 2; < cancel 1; told 1; end 1 canceled; end 2 "done 2"; > result 2
			50 client < result 2; return 2 "done 2"`},
	}})
}

// A probe that the network does not take says nothing of the peers, unless it does
// so because the server has stopped reading.
func TestAProbeThatTheNetworkDoesNotTake(t *testing.T) {
	before := greeting + running + cancelled + `server end 1 canceled
		900 client issue 2`
	runRule(t, "RACE-GRACEFUL", []ruleCase{{
		why: "the line has taken nothing for a while", want: Pass, checked: 1, uncounted: whyEnRoute,
		script: script{bare: true, handlers: twoTools(), text: before + `; >> ping
			1000 client probe
			9000 client close; hangup
			9001 server eof; hangup; served
			9002 client eof; closed`},
	}, {
		why: "what it took before has arrived, and nobody reads it", want: Fail, checked: 1, fails: "RACE-GRACEFUL (SESSION-SURVIVES)",
		script: script{bare: true, handlers: twoTools(), text: before + `; > call 2; >> ping
			1000 client probe
			1001 server ~ call 2
			9000 client close; hangup
			9001 server hangup; served
			9002 client eof; closed`},
	}})
}
