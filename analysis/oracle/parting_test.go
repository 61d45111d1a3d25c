package oracle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

func partingCases() map[string][]ruleCase {
	bare := func(text string) script { return script{bare: true, text: greeting + text} }
	return map[string][]ruleCase{
		"SHUT-STDIO-CLIENT": {{
			why: "closed, and the input with it", want: Pass, checked: 1, script: legacyCase(asked),
		}, {
			why: "never closed", want: Vacuous, script: bare(asked),
		}, {
			why: "the input stays open", want: Fail, checked: 1, fails: "SHUT-STDIO-CLIENT", side: history.Client,
			script: bare(`1010 client close; closed
				61010 client hangup
				61020 server eof; hangup; served`),
		}, {
			why: "to the world's limit, which is not the server's doing", want: Fail, checked: 1, fails: "SHUT-STDIO-CLIENT", side: history.Client,
			script: bare(running + cancelled + `server end 1 canceled
				1010 client close; closed
				601010 world horizon close did not end
				601010 world leak created by x.(*Server).serve`),
		}, {
			why: "a moment later", want: Pass, checked: 1,
			script: bare(`1010 client close; closed
				1012 client hangup
				1020 server eof; hangup; served
				61010 world goroutines`),
		}, {
			why: "the server had hung up first", want: Vacuous, uncounted: whyServerGone, fails: "SESSION-SURVIVES",
			script: bare(`500 server hangup; served
				510 client eof
				1010 client close; closed
				61010 world goroutines`),
		}, {
			why: "the scenario had closed it", want: Vacuous,
			script: bare(`500 client half-close; hangup
				1010 client close; closed`),
		}, {
			why: "a Close that does not return is another rule's", want: Vacuous, fails: "CLOSE-BOUNDED",
			script: bare(`1010 client close
				601010 world horizon close did not end`),
		}},
		"PING-PROMPT": {{
			why: "answered at once", want: Pass, checked: 1, script: legacyCase(""),
		}, {
			why: "late", want: Fail, checked: 1, fails: "PING-PROMPT", side: history.Server,
			script: bare(`10 client > ping
				20 server < ping
				10021 server > pong
				10030 client < pong; close; hangup
				10040 server eof; hangup; served
				10050 client eof; closed`),
		}, {
			why: "never", want: Fail, checked: 1, fails: "PING-PROMPT", side: history.Server,
			script: bare(`10 client > ping
				20 server < ping
				60000 world horizon`),
		}, {
			why: "with an error", want: Fail, checked: 1, fails: "PING-PROMPT", side: history.Server,
			script: bare(`10 client > ping
				20 server < ping; > {"id":900,"error":{"code":-32601,"message":"what"}}`),
		}, {
			why: "a client answers late", want: Fail, checked: 1, fails: "PING-PROMPT", side: history.Client,
			script: bare(`10 server > ping
				20 client < ping
				60000 world horizon`),
		}, {
			why: "the session ended first", want: Vacuous, uncounted: whyClosing,
			script: bare(`10 client > ping
				20 server < ping
				30 client close; hangup
				40 server eof; hangup; served
				50 client eof; closed
				60000 world goroutines`),
		}, {
			why: "it was cancelled", want: Vacuous, uncounted: whyPingCancelled,
			script: bare(`10 client > ping; > cancel id 900
				20 server < ping; < cancel id 900
				60000 world horizon`),
		}, {
			why: "the network did not take what was being written", want: Vacuous, uncounted: whyPongHeld,
			script: bare(running + `25 server >> progress 1
				30 client > ping
				40 server < ping
				50 server end 1 "done 1"
				60000 server . progress 1; > pong; > result 1`),
		}, {
			why: "since 2026-07-28 there is none", want: Vacuous, script: modernCase(""),
		}},
	}
}

func TestParting(t *testing.T) {
	for rule, cases := range partingCases() {
		t.Run(rule, func(t *testing.T) { runRule(t, rule, cases) })
	}
}

// Who is sent what is no message may hang up.
func TestWhoIsSentGarbageMayHangUp(t *testing.T) {
	text := greeting + `10 server > {"id":1}
		20 client < {"id":1}; hangup
		30 server eof; hangup; served
		40 client eof; close; closed`
	v := verdictOf(t, Judge(script{bare: true, text: text}.history(t)), "SESSION-SURVIVES")
	assert.Equal(t, Vacuous, v.Status)
	assert.Equal(t, []Uncounted{{Why: whyPeersGarbage, N: 1}}, v.Uncounted)
}

// Nor need it be of use for anything further.
func TestWhoIsSentGarbageMayFailTheProbe(t *testing.T) {
	for _, tc := range []struct {
		garbage   string
		want      Status
		uncounted []Uncounted
	}{
		{`10 server > {"id":1}
			20 client < {"id":1}`, Vacuous, []Uncounted{{Why: whyPeersGarbage, N: 1}}},
		{"", Fail, nil},
	} {
		v := verdictOf(t, Judge(script{bare: true, text: greeting + tc.garbage + `
			100 world quiet
			100 client probe; > ping
			110 server < ping; > pong
			120 client < pong
			130 client probed lost
			200 client close; closed
		`}.history(t)), "SESSION-SURVIVES")
		assert.Equal(t, tc.want, v.Status)
		assert.Equal(t, tc.uncounted, v.Uncounted)
	}
}

// tideOf writes a world with a number of cancelled calls one after the other, each
// followed by an undisturbed one, and after each a count of goroutines.
func tideOf(pairs int, after func(cancels, calls int) int, more string) script {
	var b strings.Builder
	var handlers []string
	at, cancels, calls := 10, 0, 0
	count := func() {
		at += 10
		fmt.Fprintf(&b, "%d world goroutines %d\n", at, after(cancels, calls))
		at += 10
	}
	count()
	for range pairs {
		calls++
		handlers = append(handlers, "cooperative", "cooperative")
		fmt.Fprintf(&b, "%d client issue %d; > call %d\n", at, calls, calls)
		fmt.Fprintf(&b, "%d server < call %d; start %d\n", at+1, calls, calls)
		fmt.Fprintf(&b, "%d client cancel %d; > cancel %d; return %d canceled\n", at+2, calls, calls, calls)
		fmt.Fprintf(&b, "%d server < cancel %d; told %d; end %d canceled\n", at+3, calls, calls, calls)
		cancels++
		count()
		calls++
		fmt.Fprintf(&b, "%d client issue %d; > call %d\n", at, calls, calls)
		fmt.Fprintf(&b, "%d server < call %d; start %d; end %d \"done %d\"; > result %d\n", at+1, calls, calls, calls, calls, calls)
		fmt.Fprintf(&b, "%d client < result %d; return %d \"done %d\"\n", at+2, calls, calls, calls)
		count()
	}
	return script{handlers: handlers, text: b.String() + more}
}

const clientsStack = "\n999 world leaks 8 x.(*Client).wait|created by x.(*Client).call"

func TestHeld(t *testing.T) {
	flat := func(int, int) int { return 5 }
	grows := func(cancels, _ int) int { return 5 + cancels }
	both := func(_, calls int) int { return 5 + calls }
	for _, row := range []struct {
		why        string
		script     script
		free, late Status
		fails      string
		uncounted  string // of CANCEL-FREE
	}{
		{"nothing is held", tideOf(8, flat, ""), Pass, Pass, "", ""},
		{"too few to tell", tideOf(7, grows, ""), Vacuous, Vacuous, "", ""},
		{"one for each cancel", tideOf(8, grows, ""), Fail, Vacuous, "CANCEL-FREE", ""},
		{"two for each cancel", tideOf(8, func(c, _ int) int { return 2 * c }, ""), Fail, Vacuous, "CANCEL-FREE", ""},
		{"one for each call is not the cancels'", tideOf(8, both, ""), Vacuous, Vacuous, "", whyNotTheCancels},
		{"a pool that fills up", tideOf(20, func(c, _ int) int { return min(c, 9) }, ""), Pass, Pass, "", ""},
		{"one for each cancel, which the client keeps", tideOf(8, grows, clientsStack), Vacuous, Fail, "(NO-LEAK) LATE-NO-LEAK", whyUnderLateLeak},
		{"one for each cancel, which the server keeps", tideOf(8, grows, "\n999 world leaks 8 x.(*Server).wait|created by x.(*Server).call"), Fail, Vacuous, "(NO-LEAK) CANCEL-FREE", ""},
		{"what a client left behind without cancels", tideOf(8, flat, clientsStack), Pass, Pass, "NO-LEAK", ""},
	} {
		t.Run(row.why, func(t *testing.T) {
			h := row.script.history(t)
			j := Judge(h)
			assert.Equal(t, row.fails, failing(j))
			free := verdictOf(t, j, "CANCEL-FREE")
			assert.Equal(t, row.free, free.Status)
			assert.Equal(t, row.late, verdictOf(t, j, "LATE-NO-LEAK").Status)
			if row.uncounted != "" {
				assert.Equal(t, []Uncounted{{Why: row.uncounted, N: 1}}, free.Uncounted)
			}
			requireSound(t, h, j)
		})
	}
}

// While a call is pending or a handler runs, what is counted is theirs.
func TestOnlyIdleMomentsCount(t *testing.T) {
	s := tideOf(8, func(int, int) int { return 5 }, "")
	h := s.history(t)
	for i := range h.Events {
		if h.Events[i].Kind == history.Start {
			h.Events[i].Kind = history.Goroutines
			h.Events[i].N = 1000 * i
		}
	}
	assert.Empty(t, failing(Judge(h)))
}
