package oracle

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

// How most conversations begin: one call, running at the server.
const running = `
	10 client issue 1; > call 1
	20 server < call 1; start 1
`

// And how a good one goes on.
const cancelled = `
	30 client cancel 1; > cancel 1; return 1 canceled
	40 server < cancel 1; told 1
`

// A ruleCase judges one script under one rule. fails lists all rules that fail,
// so that each row also shows that the others do not.
type ruleCase struct {
	why       string
	script    script
	want      Status
	fails     string
	checked   int
	uncounted string // the first reason, "" for none
	side      history.Side
}

func runRule(t *testing.T, rule string, cases []ruleCase) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.why, func(t *testing.T) {
			h := tc.script.history(t)
			j := Judge(h)
			v := verdictOf(t, j, rule)
			assert.Equal(t, tc.want, v.Status)
			assert.Equal(t, tc.fails, failing(j))
			assert.Equal(t, tc.checked, v.Checked, "checked")
			uncounted := ""
			if len(v.Uncounted) > 0 {
				uncounted = v.Uncounted[0].Why
			}
			assert.Equal(t, tc.uncounted, uncounted)
			if tc.side != "" {
				assert.Equal(t, tc.side, v.Side)
			}
			requireSound(t, h, j)
			requireAnswers(t, h, j)
		})
	}
}

// requireSound holds what is true of every judgement.
func requireSound(t testing.TB, h *history.History, j Judgement) {
	rules := newLeveller(h.Header)
	require.Len(t, j.Verdicts, len(slices.DeleteFunc(checks(), func(c check) bool { return !rules.knows(c) })))
	require.Len(t, j.Calls, len(h.Header.Calls))
	for _, v := range j.Verdicts {
		require.LessOrEqual(t, v.Failed, v.Checked, v.Rule)
		require.Equal(t, v.Failed > 0, v.Status == Fail, v.Rule)
		require.Len(t, v.Violations, min(v.Failed, MaxViolations), v.Rule)
		require.False(t, v.Level == "" && v.Status != Vacuous, v.Rule)
		for _, violation := range v.Violations {
			require.NotEmpty(t, violation.Events, v.Rule)
			require.NotEmpty(t, violation.What, v.Rule)
			require.NotEmpty(t, violation.Side, v.Rule)
			require.True(t, slices.IsSorted(violation.Events), v.Rule)
			for _, seq := range violation.Events {
				require.True(t, 0 <= seq && seq < len(h.Events), v.Rule)
			}
		}
	}
}

func TestNoResponse(t *testing.T) {
	runRule(t, "CANCEL-NO-RESPONSE", []ruleCase{{
		why: "nothing was cancelled", want: Vacuous,
		script: script{text: running + `50 server end 1 "done 1"; > result 1
			60 client < result 1; return 1 "done 1"`},
	}, {
		why: "the server falls silent", want: Pass, checked: 1,
		script: script{text: running + cancelled + `server end 1 canceled`},
	}, {
		why: "an error later than the cancel", want: Fail, checked: 1, fails: "CANCEL-NO-RESPONSE",
		script: script{text: running + cancelled + `45 server end 1 canceled; > error 1
			50 client < error 1`},
	}, {
		why: "an error in the same instant, after the handler was told", want: Fail, checked: 1, fails: "CANCEL-NO-RESPONSE",
		script: script{text: running + cancelled + `server end 1 canceled; > error 1
			50 client < error 1`},
	}, {
		why: "an error in the same instant, while the handler still ran: it cannot come from its end", want: Fail, checked: 1, fails: "CANCEL-NO-RESPONSE",
		script: script{text: running + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; > error 1; told 1; end 1 canceled
			50 client < error 1`},
	}, {
		why: "a call that was never started is answered later", want: Fail, checked: 1, fails: "CANCEL-NO-RESPONSE",
		script: script{text: `10 client issue 1; > call 1
			20 server < call 1
			30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1
			45 server > error 1
			50 client < error 1`},
	}, {
		why: "a call that was never started is answered in the same instant: not provable", want: Vacuous, uncounted: whySameInstant,
		script: script{text: `10 client issue 1; > call 1
			20 server < call 1
			30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; > error 1
			50 client < error 1`},
	}, {
		why: "a tool that goes on although told does not convict at level SHOULD", want: Vacuous, uncounted: whyStubborn,
		script: script{handlers: []string{"stubborn"}, text: running + cancelled + `90 server end 1 "done 1"; > result 1
			95 client < result 1`},
	}, {
		why: "two tools, of which the obedient one is answered", want: Fail, checked: 1, uncounted: whyStubborn, fails: "CANCEL-NO-RESPONSE",
		script: script{handlers: []string{"stubborn", "cooperative"}, text: running + `
			client issue 2; > call 2
			server < call 2; start 2` + cancelled + `
			client cancel 2; > cancel 2; return 2 canceled
			50 server < cancel 2; told 2; end 2 canceled; > error 2
			90 server end 1 "done 1"; > result 1
			95 client < error 2; < result 1`},
	}, {
		why: "since 2026-07-28 the same act is a stricter rule's", want: Fail, checked: 1, fails: "(CANCEL-NO-RESPONSE) CANCEL-SILENCE",
		script: script{version: modernVersion, text: running + cancelled + `45 server end 1 canceled; > error 1
			50 client < error 1`},
	}, {
		why: "an id that was used twice", want: Vacuous, fails: "ID-NO-REUSE-L PROGRESS-TOKEN-UNIQUE", uncounted: whyUnclearID,
		script: script{text: running + `client > call 1
			server < call 1` + cancelled + `45 server end 1 canceled; > error 1
			50 client < error 1`},
	}})
}

func TestSilence(t *testing.T) {
	m := func(handler, text string) script {
		return script{version: modernVersion, handlers: []string{handler}, text: text}
	}
	runRule(t, "CANCEL-SILENCE", []ruleCase{{
		why: "the rule came with 2026-07-28", want: Vacuous, fails: "CANCEL-NO-RESPONSE",
		script: script{text: running + cancelled + `45 server end 1 canceled; > error 1
			50 client < error 1`},
	}, {
		why: "silent", want: Pass, checked: 1,
		script: m("cooperative", running+cancelled+`server end 1 canceled`),
	}, {
		why: "a stubborn tool's result must be held back", want: Fail, checked: 1, fails: "CANCEL-SILENCE", side: history.Server,
		script: m("stubborn", running+cancelled+`90 server end 1 "done 1"; > result 1
			95 client < result 1`),
	}, {
		why: "progress that was asked for after the cancel", want: Fail, checked: 1, fails: "CANCEL-SILENCE (PROGRESS-AFTER-CANCEL)",
		script: m("stubborn", running+cancelled+`60 server progress 1 "1"; > progress 1
			90 server end 1 "done 1"`),
	}, {
		why: "progress that was asked for before, and waited for the network", want: Pass, checked: 1, uncounted: whyProgressAsked,
		script: m("chatty", running+`25 server progress 1 "1"`+cancelled+`server end 1 canceled
			60 server > progress 1`),
	}, {
		why: "the handler had ended: it may ignore the cancel", want: Vacuous, uncounted: whyHandlerOver,
		script: m("cooperative", running+`28 server end 1 "done 1"
			30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1
			41 server > result 1
			50 client < result 1`),
	}})
}

func TestProgressAfterCancel(t *testing.T) {
	runRule(t, "PROGRESS-AFTER-CANCEL", []ruleCase{{
		why: "a tool that never reports does not exercise the rule", want: Vacuous,
		script: script{text: running + cancelled + `server end 1 canceled`},
	}, {
		why: "it reported before, and not after", want: Pass, checked: 1,
		script: script{handlers: []string{"chatty"}, text: running + `22 server progress 1 "1"; > progress 1
			25 client < progress 1` + cancelled + `server end 1 canceled`},
	}, {
		why: "the server makes up progress", want: Fail, checked: 1, fails: "PROGRESS-AFTER-CANCEL",
		script: script{text: running + cancelled + `server end 1 canceled
			50 server > progress 1
			60 client < progress 1`},
	}, {
		why: "made up in the same instant, after the handler was told", want: Fail, checked: 1, fails: "PROGRESS-AFTER-CANCEL",
		script: script{text: running + cancelled + `server > progress 1; end 1 canceled
			60 client < progress 1`},
	}, {
		why: "a stubborn tool is, arguably, still in progress", want: Vacuous, uncounted: whyStubborn,
		script: script{handlers: []string{"stubborn"}, text: running + cancelled + `60 server progress 1 "1"; > progress 1
			90 server end 1 "done 1"`},
	}})
}

func TestStopWork(t *testing.T) {
	deaf := `30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1
	`
	runRule(t, "CANCEL-STOP-WORK", []ruleCase{{
		why: "nothing was cancelled", want: Vacuous,
		script: script{text: running + `50 server end 1 "done 1"; > result 1
			60 client < result 1; return 1 "done 1"`},
	}, {
		why: "told", want: Pass, checked: 1,
		script: script{handlers: []string{"stubborn"}, text: running + cancelled + `90 server end 1 "done 1"`},
	}, {
		why: "never told, until its own end", want: Fail, checked: 1, fails: "CANCEL-STOP-WORK",
		script: script{text: running + deaf + `90 server end 1 "done 1"`},
	}, {
		why: "never told, and never ended", want: Fail, checked: 1, fails: "CANCEL-STOP-WORK",
		script: script{text: running + deaf},
	}, {
		why: "told only by the session's end", want: Fail, checked: 1, fails: "CANCEL-STOP-WORK",
		script: script{bare: true, text: greeting + running + deaf + `
			200 client close; hangup
			210 server eof; told 1; end 1 canceled; hangup; served
			220 client eof; closed`},
	}, {
		why: "told later than the cancel", want: Fail, checked: 1, fails: "CANCEL-STOP-WORK", side: history.Server,
		script: script{text: running + deaf + `90 server told 1; end 1 canceled`},
	}, {
		why: "begun in the instant of the cancel, and told later", want: Fail, checked: 1, fails: "CANCEL-STOP-WORK",
		script: script{text: `10 client issue 1; > call 1
			20 server < call 1` + "\n" + deaf + `server start 1
			90 server told 1; end 1 canceled`},
	}, {
		why: "ended in the instant of the cancel", want: Vacuous, uncounted: whySameInstant,
		script: script{text: running + deaf + `server end 1 "done 1"`},
	}, {
		why: "queued, and dropped", want: Pass, checked: 1,
		script: script{text: `10 client issue 1; > call 1
			20 server < call 1` + "\n" + deaf},
	}, {
		why: "queued, and begun later with a context that is not done", want: Fail, checked: 1, fails: "CANCEL-STOP-WORK",
		script: script{text: `10 client issue 1; > call 1
			20 server < call 1` + "\n" + deaf + `60 server start 1; end 1 "done 1"`},
	}, {
		why: "queued, and begun later with a context that is done", want: Pass, checked: 1,
		script: script{text: `10 client issue 1; > call 1
			20 server < call 1` + "\n" + deaf + `60 server start 1; told 1; end 1 canceled`},
	}, {
		why: "the session ended in the instant of the cancel", want: Vacuous, uncounted: whyClosing,
		script: script{bare: true, text: greeting + running + `30 client cancel 1; > cancel 1; return 1 canceled; close; hangup
			40 server < cancel 1; eof
			45 server told 1; end 1 canceled; hangup; served
			50 client eof; closed`},
	}})
}

func TestTellingLate(t *testing.T) {
	deaf := `30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1
	`
	for _, tc := range []struct {
		why, text, clock string
		what             string // empty: it passes
		lateness         time.Duration
		events           []history.Kind
	}{{
		why: "it ran already", text: running + deaf + `90 server told 1; end 1 canceled`,
		what: "told the handler late", lateness: 50 * time.Millisecond,
		events: []history.Kind{history.Start, history.Read, history.Told},
	}, {
		why: "it began later, and was told later still",
		text: `10 client issue 1; > call 1
			20 server < call 1` + "\n" + deaf + `60 server start 1
			95 server told 1; end 1 canceled`,
		what: "began the handler after reading the cancel, and told the handler late", lateness: 55 * time.Millisecond,
		events: []history.Kind{history.Read, history.Start, history.Told},
	}, {
		why: "wall time, within the grace", clock: "wall", text: running + deaf + `90 server told 1; end 1 canceled`,
	}, {
		why: "wall time, beyond it", clock: "wall", text: running + deaf + `91 server told 1; end 1 canceled`,
		what: "told the handler late", lateness: 51 * time.Millisecond,
		events: []history.Kind{history.Start, history.Read, history.Told},
	}} {
		t.Run(tc.why, func(t *testing.T) {
			h := script{text: tc.text}.history(t)
			h.Header.Clock = tc.clock
			v := verdictOf(t, Judge(h), "CANCEL-STOP-WORK")
			if tc.what == "" {
				assert.Equal(t, Pass, v.Status)
				return
			}
			require.Len(t, v.Violations, 1)
			assert.Equal(t, tc.what, v.Violations[0].What)
			assert.Equal(t, tc.lateness, v.Violations[0].Lateness)
			assert.Equal(t, tc.events, kindsOf(h, v.Violations[0].Events))
		})
	}
}

func kindsOf(h *history.History, events []int) []history.Kind {
	var out []history.Kind
	for _, seq := range events {
		out = append(out, h.Events[seq].Kind)
	}
	return out
}

func TestOnlyIssued(t *testing.T) {
	runRule(t, "CANCEL-ONLY-ISSUED", []ruleCase{{
		why: "no cancel was written", want: Vacuous,
		script: script{text: running + `50 server end 1 "done 1"; > result 1
			60 client < result 1; return 1 "done 1"`},
	}, {
		why: "of a call that was issued", want: Pass, checked: 1,
		script: script{text: running + cancelled + `server end 1 canceled`},
	}, {
		why: "of another id", want: Fail, checked: 2, fails: "CANCEL-ONLY-ISSUED", side: history.Client,
		script: script{text: running + `25 client > cancel id 1000011` + cancelled + `server end 1 canceled`},
	}, {
		why: "7 and \"7\" are two ids", want: Fail, checked: 2, fails: "CANCEL-ONLY-ISSUED",
		script: script{text: running + `25 client > cancel id "11"` + cancelled + `server end 1 canceled`},
	}, {
		why: "a server that cancels the client's request", want: Fail, checked: 2, fails: "(CANCEL-ONLY-ISSUED) CANCEL-SAME-DIRECTION", side: history.Server,
		script: script{text: running + `25 server > cancel 1` + cancelled + `server end 1 canceled`},
	}, {
		why: "a cancel without an id breaks another rule", want: Pass, checked: 1, fails: "CANCEL-HAS-ID", uncounted: whyNamesNothing,
		script: script{text: running + `25 client > cancel id` + cancelled + `server end 1 canceled`},
	}})
}

func TestNotifies(t *testing.T) {
	silentClient := running + `30 client cancel 1; return 1 canceled`
	for _, era := range []struct{ version, rule, fails string }{
		{legacyVersion, "CANCEL-CLIENT-NOTIFIES", "CANCEL-CLIENT-NOTIFIES"},
		{modernVersion, "CANCEL-STDIO-REQUIRED", "CANCEL-STDIO-REQUIRED (CANCEL-CLIENT-NOTIFIES)"},
	} {
		s := func(text string) script { return script{version: era.version, text: text} }
		runRule(t, era.rule, []ruleCase{{
			why: "nobody gave up", want: Vacuous,
			script: s(running + `50 server end 1 "done 1"; > result 1
				60 client < result 1; return 1 "done 1"`),
		}, {
			why: "told", want: Pass, checked: 1,
			script: s(running + cancelled + `server end 1 canceled`),
		}, {
			why: "not told", want: Fail, checked: 1, fails: era.fails, side: history.Client,
			script: s(silentClient),
		}, {
			why: "another id was cancelled", want: Fail, checked: 1, fails: func() string {
				if era.version == legacyVersion {
					return "CANCEL-ONLY-ISSUED CANCEL-CLIENT-NOTIFIES"
				}
				return "CANCEL-ONLY-ISSUED CANCEL-STDIO-REQUIRED (CANCEL-CLIENT-NOTIFIES)"
			}(),
			script: s(running + `30 client cancel 1; > cancel id 999; return 1 canceled`),
		}, {
			why: "the response had been read in the same instant", want: Vacuous, uncounted: whyReplyFirst,
			script: s(running + `30 server end 1 "done 1"; > result 1
				40 client < result 1; cancel 1; return 1 "done 1"`),
		}, {
			why: "the request was never written", want: Vacuous,
			script: s(`10 client issue 1
				30 client cancel 1; return 1 canceled`),
		}, {
			why: "the network took nothing", want: Vacuous, uncounted: whyWriterHeld,
			script: s(running + `25 client >> call 9
				30 client cancel 1; return 1 canceled`),
		}, {
			why: "the connection closed in the same instant", want: Vacuous, uncounted: whyClosing,
			script: script{version: era.version, bare: true, text: greeting + running + `
				30 client cancel 1; return 1 canceled; close; hangup
				40 server eof; told 1; end 1 canceled; hangup; served
				50 client eof; closed`},
		}})
	}
}

// A caller whose time is up is not one who gives up: other words of the
// specification bind, and not as strictly.
func TestNotifiesTimeouts(t *testing.T) {
	for _, version := range []string{legacyVersion, modernVersion} {
		s := func(text string) script { return script{version: version, text: text} }
		runRule(t, "TIMEOUT-CANCEL", []ruleCase{{
			why: "a caller gave up, and nobody's time was up", want: Vacuous,
			script: s(running + cancelled + `server end 1 canceled`),
		}, {
			why: "told", want: Pass, checked: 1,
			script: s(running + `30 client cancel 1 deadline; > cancel 1; return 1 deadline
				40 server < cancel 1; told 1; end 1 canceled`),
		}, {
			why: "not told", want: Fail, checked: 1, fails: "TIMEOUT-CANCEL", side: history.Client,
			script: s(running + `30 client cancel 1 deadline; return 1 deadline`),
		}, {
			why: "the response came in the same instant", want: Vacuous, uncounted: whyReplyFirst,
			script: s(running + `30 server end 1 "done 1"; > result 1
				40 client cancel 1 deadline; < result 1; return 1 deadline`),
		}})
	}
}

func TestRespondOnce(t *testing.T) {
	runRule(t, "RESP-ONCE", []ruleCase{{
		why: "the probe alone", want: Pass, checked: 1,
		script: script{text: running + cancelled + `server end 1 canceled`},
	}, {
		why: "no request at all", want: Vacuous,
		script: script{bare: true, text: greeting},
	}, {
		why: "a result and an error", want: Fail, checked: 2, fails: "RESP-ONCE", side: history.Server,
		script: script{text: running + `50 server end 1 "done 1"; > result 1; > error 1
			60 client < result 1; return 1 "done 1"; < error 1`},
	}, {
		why: "an id that was used twice may be answered twice", want: Pass, checked: 1, fails: "ID-NO-REUSE-L PROGRESS-TOKEN-UNIQUE", uncounted: whyUnclearID,
		script: script{text: running + `client > call 1
			50 server end 1 "done 1"; > result 1; > error 1
			60 client < result 1; return 1 "done 1"; < error 1`},
	}})
}

func TestRaceGraceful(t *testing.T) {
	bystander := `22 client issue 2; > call 2
		25 server < call 2; start 2
	`
	two := func(text string) script {
		return script{handlers: []string{"cooperative", "cooperative"}, text: text}
	}
	fine := `60 server end 2 "done 2"; > result 2
		70 client < result 2; return 2 "done 2"`
	runRule(t, "RACE-GRACEFUL", []ruleCase{{
		why: "nothing raced", want: Vacuous,
		script: script{text: running + `50 server end 1 "done 1"; > result 1
			60 client < result 1; return 1 "done 1"`},
	}, {
		why: "all survive", want: Pass, checked: 1,
		script: two(running + bystander + cancelled + `server end 1 canceled` + "\n" + fine),
	}, {
		why: "the server hangs up", want: Fail, checked: 1, fails: "RACE-GRACEFUL (SESSION-SURVIVES)", side: history.Server,
		script: script{bare: true, text: greeting + running + cancelled + `server end 1 canceled; hangup; served
			50 client eof; hangup
			60 server eof
			1000 world quiet
			1010 client close; closed`},
	}, {
		why: "the client hangs up", want: Fail, checked: 1, fails: "RACE-GRACEFUL (SESSION-SURVIVES)", side: history.Client,
		script: script{bare: true, text: greeting + running + `35 server end 1 "done 1"; > result 1
			36 client cancel 1; > cancel 1; return 1 canceled
			40 client < result 1; hangup
			50 server < cancel 1; eof; hangup; served
			1000 world quiet
			1010 client close; closed`},
	}, {
		why: "a handshake that fails is no race", want: Vacuous,
		script: script{bare: true, text: `0 client connect
			10 server hangup; served
			20 client eof; connected refused; hangup`},
	}, {
		why: "the probe fails", want: Fail, checked: 1, fails: "RACE-GRACEFUL (SESSION-SURVIVES)", side: history.Server,
		script: script{bare: true, text: greeting + running + cancelled + `server end 1 canceled
			1000 client probe; > ping
			1010 server < ping
			9000 client probed deadline
			9010 client close; hangup; closed`},
	}, {
		why: "the probe is not answered", want: Fail, checked: 1, fails: "RACE-GRACEFUL (SESSION-SURVIVES)", side: history.Client,
		script: script{bare: true, text: greeting + running + cancelled + `server end 1 canceled
			1000 client probe
			9010 client close; hangup; closed`},
	}, {
		why: "a probe without time to be answered proves nothing", want: Pass, checked: 1,
		script: script{bare: true, text: greeting + running + cancelled + `server end 1 canceled
			1000 client probe; > ping; close; hangup; probed closed; closed`},
	}, {
		why: "another call's handler is told", want: Fail, checked: 1, fails: "RACE-GRACEFUL (NO-SPURIOUS-CANCEL)", side: history.Server,
		script: two(running + bystander + cancelled + `server end 1 canceled; told 2` + "\n" + fine),
	}, {
		why: "another call is answered with an error in the instant of the cancel", want: Fail, checked: 1, fails: "RACE-GRACEFUL (ANSWER-OWN)", side: history.Server,
		script: two(running + bystander + cancelled + `server end 1 canceled; > error 2
			60 server end 2 "done 2"
			70 client < error 2; return 2 internal`),
	}, {
		why: "another call is answered with an error, later than the cancel", want: Pass, checked: 1, fails: "ANSWER-OWN",
		script: two(running + bystander + cancelled + `server end 1 canceled
			60 server end 2 "done 2"; > error 2
			70 client < error 2; return 2 internal`),
	}, {
		why: "the client fails another call by itself", want: Fail, checked: 1, fails: "RACE-GRACEFUL", side: history.Client,
		script: two(running + bystander + `30 client cancel 1; > cancel 1; return 1 canceled; return 2 canceled
			40 server < cancel 1; told 1; end 1 canceled
			60 server end 2 "done 2"; > result 2
			70 client < result 2`),
	}, {
		why: "a tool that fails by itself", want: Pass, checked: 1, uncounted: whyOwnError,
		script: two(running + bystander + cancelled + `server end 1 canceled; end 2 oops; > error 2
			70 client < error 2; return 2 oops`),
	}, {
		why: "two calls get each other's answers, and the cancelled one has no part in it", want: Pass, checked: 1, fails: "ANSWER-OWN",
		script: script{handlers: []string{"cooperative", "cooperative", "cooperative"}, text: running + bystander + `
			client issue 3; > call 3
			server < call 3; start 3` + cancelled + `server end 1 canceled
			60 server end 2 "done 2"; > result 2; end 3 "done 3"; > result 3
			70 client < result 2; return 3 "done 2"; < result 3; return 2 "done 3"`},
	}, {
		why: "another call is never finished: nothing shows when its answer was lost", want: Pass, checked: 1, fails: "REQUEST-DISPATCHED",
		script: script{handlers: []string{"cooperative", "cooperative"}, bare: true, text: greeting + running + bystander + cancelled + `
			server end 1 canceled
			60 server end 2 "done 2"
			60000 world horizon calls had not returned
			60001 client close; hangup; return 2 closed; closed`},
	}, {
		why: "a crash in the server's code", want: Fail, checked: 1, fails: "RACE-GRACEFUL (SESSION-SURVIVES)", side: history.Server,
		script: script{bare: true, text: greeting + running + cancelled + `world crash server panic: nil`},
	}, {
		why: "a crash in code that both share", want: Fail, checked: 1, fails: "RACE-GRACEFUL (SESSION-SURVIVES)", side: history.World,
		script: script{bare: true, text: greeting + running + cancelled + `world crash pair panic: nil`},
	}, {
		why: "a crash in nobody's code", want: Unknown, checked: 1,
		script: script{bare: true, text: greeting + running + cancelled + `world crash`},
	}})
}

func TestClosingThatDoesNotEnd(t *testing.T) {
	stopped := running + cancelled + `server end 1 canceled
	`
	hung := func(handler, text string) script {
		return script{bare: true, handlers: []string{handler}, text: greeting + text + `
			601000 world horizon close did not end
			601000 client closed; server served`}
	}
	runRule(t, "RACE-GRACEFUL", []ruleCase{{
		why: "neither side ends", want: Fail, checked: 1, fails: "RACE-GRACEFUL (CLOSE-BOUNDED)", side: history.World,
		script: hung("cooperative", stopped+`1000 client close`),
	}, {
		why: "the client does not end", want: Fail, checked: 1, fails: "RACE-GRACEFUL (CLOSE-BOUNDED)", side: history.Client,
		script: hung("cooperative", stopped+`1000 client close; hangup
			1010 server eof; hangup; served`),
	}, {
		why: "the server does not end", want: Fail, checked: 1, fails: "RACE-GRACEFUL", side: history.Server,
		script: hung("cooperative", stopped+`1000 client close; hangup; closed`),
	}, {
		why: "a tool that was told, and would stop if it could", want: Fail, checked: 1, fails: "RACE-GRACEFUL", side: history.Server,
		script: hung("chatty", running+cancelled+`1000 client close; hangup; closed`),
	}, {
		why: "a tool that does not stop when told", want: Pass, checked: 1, uncounted: whyToolRuns,
		script: hung("stubborn", running+cancelled+`1000 client close; hangup; closed`),
	}, {
		why: "a tool that nobody told is another rule's", want: Pass, checked: 1, uncounted: whyToolRuns, fails: "CANCEL-STOP-WORK",
		script: hung("cooperative", running+`30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1
			1000 client close; hangup; closed`),
	}, {
		why: "without a cancel it is no race", want: Vacuous, fails: "CLOSE-BOUNDED",
		script: hung("cooperative", running+`50 server end 1 "done 1"; > result 1
			60 client < result 1; return 1 "done 1"; close`),
	}, {
		why: "the limit that was reached before is another matter", want: Pass, checked: 1,
		script: script{bare: true, text: greeting + stopped + `
			60000 world horizon calls had not returned
			60001 client close; hangup
			60010 server eof; hangup; served
			60020 client eof; closed`},
	}})
	h := hung("cooperative", stopped+`1000 client close`).history(t)
	v := verdictOf(t, Judge(h), "RACE-GRACEFUL").Violations
	require.Len(t, v, 1)
	assert.Equal(t, []history.Kind{history.Close, history.Horizon}, kindsOf(h, v[0].Events))
}

func TestLateIgnored(t *testing.T) {
	runRule(t, "LATE-IGNORED", []ruleCase{{
		why: "no response came", want: Vacuous,
		script: script{text: running + cancelled + `server end 1 canceled`},
	}, {
		why: "ignored", want: Pass, checked: 1,
		script: script{text: running + `35 server end 1 "done 1"; > result 1
			36 client cancel 1; > cancel 1; return 1 canceled
			40 client < result 1
			46 server < cancel 1`},
	}, {
		why: "returned", want: Fail, checked: 1, fails: "LATE-IGNORED", side: history.Client,
		script: script{text: running + `35 server end 1 "done 1"; > result 1
			36 client cancel 1; > cancel 1
			40 client < result 1; return 1 "done 1"
			46 server < cancel 1`},
	}, {
		why: "the response won the race at the client", want: Vacuous,
		script: script{text: running + `35 server end 1 "done 1"; > result 1
			40 client < result 1; cancel 1; > cancel 1; return 1 "done 1"
			46 server < cancel 1`},
	}, {
		why: "given to another call", want: Fail, checked: 1, fails: "LATE-IGNORED (ANSWER-OWN)", side: history.Client,
		script: script{handlers: []string{"cooperative", "cooperative"}, text: running + `
			client issue 2; > call 2
			server < call 2; start 2
			35 server end 1 "done 1"; > result 1
			36 client cancel 1; > cancel 1; return 1 canceled
			40 client < result 1; return 2 "done 1"
			46 server < cancel 1; end 2 "done 2"; > result 2`},
	}})
}

func TestCallerUnblocks(t *testing.T) {
	runRule(t, "CALLER-UNBLOCKS", []ruleCase{{
		why: "nobody gave up", want: Vacuous,
		script: script{text: running + `50 server end 1 "done 1"; > result 1
			60 client < result 1; return 1 "done 1"`},
	}, {
		why: "control comes back", want: Pass, checked: 1,
		script: script{text: running + cancelled + `server end 1 canceled`},
	}, {
		why: "held until the close", want: Fail, checked: 1, fails: "CALLER-UNBLOCKS", side: history.Client,
		script: script{bare: true, text: greeting + running + `30 client cancel 1; > cancel 1
			40 server < cancel 1; told 1; end 1 canceled
			60000 world horizon calls had not returned
			60001 client close; return 1 closed; hangup; closed`},
	}, {
		why: "held although the connection is gone", want: Fail, checked: 1, fails: "SESSION-SURVIVES CALLER-UNBLOCKS",
		script: script{bare: true, text: greeting + running + `30 server hangup; served
			40 client eof
			60000 world horizon calls had not returned
			60001 client close; hangup; closed`},
	}, {
		why: "held although the response has come", want: Fail, checked: 1, fails: "CALLER-UNBLOCKS", side: history.Client,
		script: script{bare: true, text: greeting + running + `30 server end 1 "done 1"; > result 1
			40 client < result 1
			60000 world horizon calls had not returned
			60001 client close; return 1 closed; hangup; closed`},
	}, {
		why: "the process crashed before", want: Vacuous, uncounted: whyCrashed,
		script: script{bare: true, text: greeting + running + `30 client cancel 1; > cancel 1; world crash`},
	}})
}

func TestNoLeak(t *testing.T) {
	calm := running + cancelled + `server end 1 canceled
	`
	leak := func(stack string) script {
		return script{text: calm, bare: true}.after(farewell + "2000 world leak " + stack)
	}
	runRule(t, "NO-LEAK", []ruleCase{{
		why: "the session was never closed", want: Vacuous,
		script: script{bare: true, text: greeting + calm},
	}, {
		why: "nothing remains", want: Pass, checked: 1,
		script: script{text: calm},
	}, {
		why: "a goroutine of the server's remains", want: Fail, checked: 1, fails: "NO-LEAK", side: history.Server,
		script: leak(`chan receive|example.com/mcp.(*ServerSession).wait|→/mcp/client.go:3|created by example.com/mcp.(*ServerSession).start`),
	}, {
		why: "a goroutine of somebody's remains", want: Fail, checked: 1, fails: "NO-LEAK", side: history.World,
		script: leak(`chan receive|created by example.com/jsonrpc.(*Connection).start`),
	}, {
		why: "the tool is made to leak", want: Pass, checked: 1, uncounted: whyToolsOwn,
		script: leak(`chan receive|github.com/mcpsim/mcpsim/sim.(*world).forgotten|created by github.com/mcpsim/mcpsim/sim.(*handler).leaky`),
	}, {
		why: "the tool is still at work", want: Pass, checked: 1, uncounted: whyToolsOwn,
		script: leak(`goroutine 9 [select]:|time.Sleep(0x5)|→/go/time/sleep.go:1|github.com/mcpsim/mcpsim/sim.(*handler).wait(0x1)|→/sim/tools.go:3|` +
			`example.com/mcp.(*Server).call(0x2)|created by example.com/mcp.(*Server).serve in goroutine 4`),
	}, {
		why: "the tool is stuck inside the SDK", want: Fail, checked: 1, fails: "NO-LEAK", side: history.Server,
		script: leak(`goroutine 9 [chan send]:|sync.(*Mutex).Lock(0x5)|→/go/sync/mutex.go:1|example.com/mcp.(*ServerSession).notify(0x1)|→/mcp/server.go:3|` +
			`github.com/mcpsim/mcpsim/sim.(*handler).chatty(0x1)|github.com/mcpsim/mcpsim/sim.(*world).runTool(0x2)|` +
			`created by example.com/mcp.(*Server).serve in goroutine 4`),
	}, {
		why: "the tool is stuck inside the SDK, where it asks the client", want: Fail, checked: 1, fails: "NO-LEAK", side: history.Server,
		script: leak(`goroutine 9 [select]:|example.com/jsonrpc.(*Connection).Await(0x1)|example.com/mcp.(*ServerSession).CreateMessage(0x1)|` +
			`github.com/mcpsim/mcpsim/sim.(*handler).askClient(0x1)|→/sim/nested.go:3|created by example.com/jsonrpc.(*Connection).start in goroutine 4`),
	}, {
		why: "the same where no other name tells a side", want: Fail, checked: 1, fails: "NO-LEAK", side: history.World,
		script: leak(`goroutine 9 [select]:|example.com/jsonrpc.(*Connection).Await(0x1)|` +
			`github.com/mcpsim/mcpsim/sim.(*handler).askClient(0x1)|→/sim/nested.go:3|created by example.com/jsonrpc.(*Connection).start in goroutine 4`),
	}, {
		why: "a client that is stuck under an application of ours", want: Fail, checked: 1, fails: "NO-LEAK", side: history.Client,
		script: leak(`goroutine 9 [select]:|example.com/mcp.(*ClientSession).Await(0x1)|` +
			`github.com/mcpsim/mcpsim/sim.(*world).serverGone(0x1)|created by example.com/jsonrpc.(*Connection).start in goroutine 4`),
	}, {
		why: "the caller itself still waits", want: Pass, checked: 1, uncounted: whySimulators,
		script: leak(`select|example.com/mcp.(*ClientSession).Call|created by github.com/mcpsim/mcpsim/sim.(*world).spawn`),
	}, {
		why: "a compressed body that nobody closed is listened to", want: Pass, checked: 1, uncounted: whySimulators,
		script: leak(`coroutine|github.com/mcpsim/mcpsim/sim.pieceReader.Read|compress/gzip.NewReader|github.com/mcpsim/mcpsim/sim.(*inflater).read|created by iter.Pull[...]`),
	}, {
		why: "an adapter still waits for its SDK", want: Pass, checked: 1, uncounted: whySimulators,
		script: leak(`chan receive|example.com/mcp.(*ServerSession).Close|created by github.com/mcpsim/mcpsim/sim/gosdk.(*server).Shutdown`),
	}, {
		why: "the reference is judged like everybody", want: Fail, checked: 1, fails: "NO-LEAK", side: history.World,
		script: leak(`chan receive|created by github.com/mcpsim/mcpsim/sim/reference.(*session).afterCancel`),
	}})
}

func (s script) after(text string) script {
	s.text = greeting + s.text + text
	return s
}
