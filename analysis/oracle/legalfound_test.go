package oracle

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What the generator of legal conversations has found: accusations that were false,
// each with its twin that is true.
func TestMendedAccusations(t *testing.T) {
	list := func(text string) script { return script{method: "tools/list", handlers: []string{""}, text: text} }
	for _, tc := range []struct {
		why    string
		script script
		fails  string
	}{{
		why: "without a handler nobody saw the work end, and the response may have waited behind what the network did not take",
		script: list(`10 server >> progress 1
			12 client issue 1; > call 1
			14 server < call 1
			16 client cancel 1; > cancel 1; return 1 canceled
			18 server < cancel 1
			20 server . progress 1; > result 1
			22 client < progress 1; < result 1`),
		fails: "PROGRESS-ACTIVE", // likewise
	}, {
		why: "it went to the writer in the instant of the cancel, which then was held up",
		script: list(`12 client issue 1; > call 1
			14 server < call 1
			16 client cancel 1; > cancel 1; return 1 canceled
			18 server < cancel 1; >> progress 1
			20 server . progress 1; > result 1
			22 client < progress 1; < result 1`),
	}, {
		why: "the writer was free when the cancel was read",
		script: list(`10 server >> progress 1
			12 client issue 1; > call 1
			14 server < call 1; . progress 1
			16 client cancel 1; > cancel 1; return 1 canceled
			18 server < cancel 1
			20 server > result 1
			22 client < progress 1; < result 1`),
		fails: "CANCEL-NO-RESPONSE PROGRESS-ACTIVE", // the progress is there to hold the writer up
	}, {
		why: "a handler that the session's end finds not yet begun, begun with a context that is done",
		script: script{bare: true, text: `0 client connect; connected
			10 client issue 1; > call 1
			12 server < call 1
			14 client cancel 1; > cancel 1; return 1 canceled
			16 server < cancel 1
			17 client close; hangup
			18 server start 1; told 1; end 1 canceled
			19 server eof; hangup; served
			20 client eof; closed`},
	}, {
		why: "one that had begun, and ran on until then",
		script: script{bare: true, text: `0 client connect; connected
			10 client issue 1; > call 1
			12 server < call 1; start 1
			14 client cancel 1; > cancel 1; return 1 canceled
			16 server < cancel 1
			17 client close; hangup
			18 server told 1; end 1 canceled
			19 server eof; hangup; served
			20 client eof; closed`},
		fails: "CANCEL-STOP-WORK",
	}, {
		why: "a cancel whose writer became free in the instant in which the world was cut off",
		script: script{bare: true, text: `0 client connect; connected
			10 client issue 1; >> call 1
			12 client cancel 1; return 1 canceled
			14 client . call 1
			14 world crash tool`},
	}, {
		why: "one whose writer was free before",
		script: script{bare: true, text: `0 client connect; connected
			10 client issue 1; >> call 1
			12 client cancel 1; return 1 canceled
			14 client . call 1
			15 world crash tool`},
		fails: "CANCEL-CLIENT-NOTIFIES",
	}, {
		why: "a handler that began in the instant in which the world was cut off",
		script: script{bare: true, text: `0 client connect; connected
			10 client issue 1; > call 1; cancel 1; > cancel 1; return 1 canceled
			12 server < call 1; < cancel 1
			14 server start 1
			14 world crash tool`},
	}, {
		why: "one that ran for a while",
		script: script{bare: true, text: `0 client connect; connected
			10 client issue 1; > call 1; cancel 1; > cancel 1; return 1 canceled
			12 server < call 1; < cancel 1
			14 server start 1
			15 world crash tool`},
		fails: "CANCEL-STOP-WORK",
	}} {
		h := tc.script.history(t)
		assert.Equal(t, tc.fails, failing(Judge(h)), tc.why)
	}
}
