package oracle

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

func TestSessionSurvives(t *testing.T) {
	runRule(t, "SESSION-SURVIVES", surviveCases())
}

func surviveCases() []ruleCase {
	const rule = "SESSION-SURVIVES"
	const raced = "RACE-GRACEFUL (SESSION-SURVIVES)"
	answered := running + `50 server end 1 "done 1"; > result 1
		60 client < result 1; return 1 "done 1"`
	over := `
		1000 world quiet
		1010 client close; closed`
	return []ruleCase{{
		why: "alive until it was closed", want: Pass, checked: 1,
		script: script{text: answered},
	}, {
		why: "alive until the scenario let the server die", want: Pass, checked: 1,
		script: bare(died + `client return 1 lost` + over),
	}, {
		why: "never closed: how it would have ended is not known", want: Vacuous,
		script: bare(answered),
	}, {
		why: "the handshake fails", want: Vacuous,
		script: bare(`0 client connect
			10 server hangup; served
			20 client eof; connected refused; hangup`).ungreeted(),
	}, {
		why: "the server hangs up, and nobody cancelled anything", want: Fail, checked: 1, fails: rule, side: history.Server,
		script: bare(running + `50 server told 1; end 1 canceled; hangup; served
			60 client eof; return 1 lost; hangup` + over),
	}, {
		why: "the server hangs up, and then a cancel is written", want: Fail, checked: 1, fails: rule, side: history.Server,
		script: bare(running + `25 server hangup; served
			30 client cancel 1; > cancel 1; return 1 gone; eof; hangup` + over),
	}, {
		why: "the server hangs up while a cancel is under way to it, of which it cannot know", want: Fail, checked: 1, fails: rule, side: history.Server,
		script: bare(running + `30 client cancel 1; > cancel 1; return 1 canceled
			35 server told 1; end 1 canceled; hangup; served
			45 client eof; hangup` + over),
	}, {
		why: "the server hangs up when it has read one", want: Fail, checked: 1, fails: raced,
		script: bare(running + cancelled + `server end 1 canceled; hangup; served
			50 client eof; hangup` + over),
	}, {
		why: "the client hangs up when its caller gives up, before it has written the cancel", want: Fail, checked: 1, fails: raced, side: history.Client,
		script: bare(running + `30 client cancel 1; hangup; return 1 canceled
			40 server eof; told 1; end 1 canceled; hangup; served` + over),
	}, {
		why: "the probe is not answered, and nobody cancelled anything", want: Fail, checked: 1, fails: rule, side: history.Server,
		script: bare(answered + `
			1000 client probe; > ping
			1010 server < ping
			9010 client close; hangup; closed`),
	}, {
		why: "the network still holds what the probe waits for", want: Vacuous, uncounted: whyEnRoute,
		script: bare(answered + `
			900 client >> ping
			1000 client probe
			9010 client close; hangup; closed`),
	}, {
		why: "a crash before anybody gave up", want: Fail, checked: 1, fails: rule, side: history.Server,
		script: bare(running + `30 world crash server panic`),
	}, {
		why: "a crash of the server's, while the cancel is under way to it", want: Fail, checked: 1, fails: rule, side: history.Server,
		script: bare(running + `30 client cancel 1; > cancel 1; return 1 canceled
			35 world crash server panic`),
	}, {
		why: "a crash in the giving up", want: Fail, checked: 1, fails: raced, side: history.Client,
		script: bare(running + `30 client cancel 1
			world crash client panic`),
	}, {
		why: "a crash in nobody's code", want: Unknown,
		script: bare(running + `30 world crash`),
	}, {
		why: "a crash in the scenario's own tool", want: Vacuous, uncounted: whyToolCrashed,
		script: bare(running + `30 world crash tool panic`),
	}}
}

// ungreeted takes the handshake away again.
func (s script) ungreeted() script {
	s.text = s.text[len(greeting):]
	return s
}

// What convicts of a race is the cancel that may have done it, and the harm.
func TestEvidenceOfARace(t *testing.T) {
	for _, tc := range []struct {
		why, text string
		want      []history.Kind
	}{
		{"the server had read the cancel", running + cancelled + `50 world crash server panic`, []history.Kind{history.Read, history.Crash}},
		{"the client had written it", running + cancelled + `50 world crash client panic`, []history.Kind{history.Write, history.Crash}},
	} {
		h := bare(tc.text).history(t)
		v := verdictOf(t, Judge(h), "RACE-GRACEFUL")
		require.Len(t, v.Violations, 1, tc.why)
		assert.Equal(t, tc.want, kindsOf(h, v.Violations[0].Events), tc.why)
	}
}

// A cancel that a side put behind itself is not what harmed another call.
func TestHarmlessCancels(t *testing.T) {
	both := `
		10 client issue 1; > call 1; issue 2; > call 2
		20 server < call 1; start 1; < call 2; start 2
	`
	limit := `
		60000 world horizon calls had not returned
		60001 client close; return 2 closed; hangup; closed`
	runRule(t, "RACE-GRACEFUL", []ruleCase{{
		why: "a request is lost at 20 ms, and half a second later a cancel is read and heeded", want: Pass, checked: 1, fails: "REQUEST-DISPATCHED",
		script: bare(`10 client issue 1; > call 1; issue 2; > call 2; issue 3; > call 3
			20 server < call 1; start 1; < call 2; < call 3; start 3
			30 server end 1 "done 1"; > result 1
			40 client < result 1; return 1 "done 1"
			520 client cancel 3; > cancel 3; return 3 canceled
			530 server < cancel 3; told 3; end 3 canceled`+limit, "cooperative", "cooperative", "cooperative"),
	}, {
		why: "an answer is lost before the cancel is read", want: Pass, checked: 1, fails: "REQUEST-DISPATCHED",
		script: two(both + `25 server end 2 "done 2"` + cancelled + `server end 1 canceled` + limit),
	}, {
		why: "a request that comes after the cancel, and whose answer is lost", want: Pass, checked: 1, fails: "REQUEST-DISPATCHED",
		script: two(running + cancelled + `server end 1 canceled
			50 client issue 2; > call 2
			60 server < call 2; start 2; end 2 "done 2"` + limit),
	}, {
		why: "a handler is told later than the cancel of another call was read", want: Pass, checked: 1, fails: "NO-SPURIOUS-CANCEL",
		script: two(both + cancelled + `server end 1 canceled
			70 server told 2; end 2 canceled; > error 2
			80 client < error 2; return 2 canceled` + farewell),
	}, {
		why: "an error that was written before the cancel was read", want: Pass, checked: 1, fails: "ANSWER-OWN",
		script: two(both + `32 server end 2 "done 2"; > error 2
			33 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled
			42 client < error 2; return 2 failed` + farewell),
	}, {
		why: "a call that was made after the cancel, and that fails", want: Pass, checked: 1, fails: "ANSWER-OWN",
		script: two(running + cancelled + `server end 1 canceled
			50 client issue 2; > call 2
			60 server < call 2; start 2; end 2 "done 2"; > error 2
			70 client < error 2; return 2 failed` + farewell),
	}})
}

// A call that is cancelled later is as much a bystander as one that never is.
func TestToldForAnotherAndCancelledLater(t *testing.T) {
	runRule(t, "RACE-GRACEFUL", []ruleCase{{
		why: "told with another call's cancel, and given up after that", want: Fail, checked: 2, fails: "RACE-GRACEFUL (NO-SPURIOUS-CANCEL)", side: history.Server,
		script: script{handlers: []string{"cooperative", "slow-cleanup"}, text: running + `
			client issue 2; > call 2
			server < call 2; start 2` + cancelled + `server told 2; end 1 canceled
			50 client cancel 2; > cancel 2; return 2 canceled
			60 server < cancel 2; end 2 canceled`},
	}, {
		why: "given up before, and told when its own cancel was read", want: Pass, checked: 2,
		script: script{handlers: []string{"cooperative", "cooperative"}, text: running + `
			client issue 2; > call 2
			server < call 2; start 2
			30 client cancel 1; > cancel 1; return 1 canceled; cancel 2; > cancel 2; return 2 canceled
			40 server < cancel 1; < cancel 2; told 2; told 1; end 1 canceled; end 2 canceled`},
	}})
}

// Breaches of a rule that are reported under a stricter one are so as a whole, or
// not counted beside those that are not.
func TestBreachesOfTwoKinds(t *testing.T) {
	h := script{handlers: []string{"cooperative", "cooperative", "cooperative"}, text: running + `
		client issue 2; > call 2; issue 3; > call 3
		server < call 2; start 2; < call 3; start 3` + cancelled + `server told 2; end 1 canceled; end 2 canceled; > error 2
		50 client < error 2; return 2 canceled
		70 server told 3; end 3 canceled; > error 3
		80 client < error 3; return 3 canceled`}.history(t)
	j := Judge(h)
	assert.Equal(t, "RACE-GRACEFUL NO-SPURIOUS-CANCEL", failing(j))
	v := verdictOf(t, j, "NO-SPURIOUS-CANCEL")
	assert.Equal(t, 1, v.Failed)
	assert.Equal(t, []Uncounted{{Why: whyUnderRace, N: 1}}, v.Uncounted)
	requireSound(t, h, j)
}
