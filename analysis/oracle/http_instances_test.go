package oracle

import (
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

func instanceCases() []webCase {
	deaf := legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1
		90 server end 1 "done 1"`)
	waiting := legacyWeb(`10 client issue 1; > call 1
		20 server < call 1`).unserved()
	queued := legacyWeb(`10 client issue 1; > call 1
		20 server < call 1
		30 world fault call 1 cut
		31 client finish call 1 reset; return 1 reset
		32 server gone call 1`)
	gone := legacyWeb(webRunning + webAnswered + probedInVain("1000")).bareGreeted()
	mute := legacyWeb(webRunning + webAnswered + `1000 world quiet
		1001 client probe; > ping
		1002 server < ping
		60000 world horizon`).bareGreeted()
	told := legacyWeb(webRunning + `40 server told 1; end 1 canceled; finish call 1
		41 client finish call 1; return 1 lost
		` + sessionGone + closedWithout).bareGreeted()
	disowned := legacyWeb(`10 client issue 1; > call 1; issue 2; > call 2
		20 server < call 1; start 1; < call 2; start 2
		30 client cancel 1; > cancel 1; return 1 canceled
		40 server status cancel 1 404; finish cancel 1
		41 client status cancel 1 404; finish cancel 1
		50 client cancel 2; drop call 2; return 2 canceled
		52 server gone call 2
		90 server end 1 "done 1"; end 2 "done 2"
		`).tools("cooperative", "cooperative")
	return []webCase{{
		rule: "CANCEL-HTTP-EXPLICIT", why: "another instance had said that the session is gone", want: Pass, uncounted: whyDisowned, script: disowned.led("cancel 1"),
	}, {
		rule: "CANCEL-HTTP-EXPLICIT", why: "the one that it is with refused the cancel otherwise", want: Fail, fails: "CANCEL-HTTP-EXPLICIT", script: disowned.led().replaced("404", "400").replaced("404", "400"),
	}, {
		rule: "CANCEL-STOP-WORK", why: "the cancel came to another instance than its request", want: Vacuous, script: deaf.led("cancel 1"),
	}, {
		rule: "CANCEL-STOP-WORK", why: "both came to one", want: Fail, fails: "CANCEL-STOP-WORK", script: deaf.led(),
	}, {
		rule: "CANCEL-STOP-WORK", why: "both to the other one", want: Fail, fails: "CANCEL-STOP-WORK", script: deaf.led("call 1", "cancel 1"),
	}, {
		rule: "CANCEL-STOP-WORK", why: "there is one", want: Fail, fails: "CANCEL-STOP-WORK", script: deaf,
	}, {
		rule: "CANCEL-STOP-WORK", why: "which got the cancel is not known", want: Fail, fails: "CANCEL-STOP-WORK", script: deaf.led().placed("cancel 1", 0),
	}, {
		rule: "CANCEL-STOP-WORK", why: "which got the request is not known", want: Fail, fails: "CANCEL-STOP-WORK", script: deaf.led().placed("call 1", 0),
	}, {
		rule: "REQUEST-DISPATCHED", why: "a request that came to another instance than the session is with", want: Vacuous, uncounted: whyOtherInstance, script: waiting.led("call 1"),
	}, {
		rule: "REQUEST-DISPATCHED", why: "that came to the one that it is with", want: Fail, fails: "REQUEST-DISPATCHED", script: waiting.led(),
	}, {
		rule: "REQUEST-DISPATCHED", why: "of which it is not known", want: Fail, fails: "REQUEST-DISPATCHED", script: waiting.led().placed("call 1", 0),
	}, {
		rule: "REQUEST-DISPATCHED", why: "with which the session is, is not known", want: Fail, fails: "REQUEST-DISPATCHED", script: waiting.led("call 1").placed("hello", 0),
	}, {
		rule: "REQUEST-DISPATCHED", why: "there is no session", want: Fail, fails: "REQUEST-DISPATCHED", script: waiting.led("call 1").without(),
	}, {
		rule: "REQUEST-DISPATCHED", why: "its stream was broken off, and it was in the wrong place", want: Vacuous, script: queued.led("call 1"),
	}, {
		rule: "REQUEST-DISPATCHED", why: "in the right one", want: Fail, fails: "REQUEST-DISPATCHED", script: queued.led(),
	}, {
		rule: "SESSION-SURVIVES", why: "the probe came to another instance, which does not know the session", want: Vacuous, uncounted: whyOtherInstance, script: gone.led("ping"),
	}, {
		rule: "SESSION-SURVIVES", why: "it came to the one that it is with", want: Fail, fails: "SESSION-SURVIVES", script: gone.led(),
	}, {
		rule: "SESSION-SURVIVES", why: "another instance did not answer it", want: Vacuous, uncounted: whyOtherInstance,
		script: mute.led("ping"),
	}, {
		rule: "SESSION-SURVIVES", why: "that one did not", want: Fail, fails: "SESSION-SURVIVES PING-PROMPT", script: mute.led(),
	}, {
		rule: "NO-SPURIOUS-CANCEL", why: "another instance says that there is no session", want: Fail, fails: "NO-SPURIOUS-CANCEL", side: history.Server,
		script: told.led(listed),
	}, {
		rule: "NO-SPURIOUS-CANCEL", why: "the one that it is with does", want: Vacuous, uncounted: whyServerEndedIt, script: told.led(),
	}}
}

func TestInstances(t *testing.T) { runWeb(t, instanceCases()) }
