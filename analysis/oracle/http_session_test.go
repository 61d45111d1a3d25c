package oracle

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

// What becomes of a session, and of the one after it.

// probedInVain is a probe at ms that the server answers with 404, and the end.
func probedInVain(ms string) string {
	return ms + ` world quiet
		client probe; > ping
		server < ping; status ping 404; finish ping
		client status ping 404; finish ping; probed gone
		client close; closed
		` + ms + `0 server sessions 0; stop; served`
}

const webCancelled = webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
	40 server < cancel 1; told 1; end 1 canceled
	`

// tornDown is a session whose GET stream the server ends in the instant of a cancel.
const (
	withGet  = "5 client open g\n6 server serve g\n"
	tornDown = withGet + webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1; told 1; end 1 canceled; finish g
		41 client finish g
		`
)

func lostSessionCases() []webCase {
	listing := func(status string) string {
		return `60 client > ` + listed + `
			61 server < ` + listed + `; status ` + listed + ` ` + status + `; finish ` + listed + `
			62 client status ` + listed + ` ` + status + `; finish ` + listed + `
			`
	}
	crossed := func(cancel string) webScript {
		return legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled; > ` + listed + `
			40 server status cancel 1 ` + cancel + `; < cancel 1; told 1; end 1 canceled; < ` + listed + `; status ` + listed + ` 404; finish ` + listed + `
			41 client status ` + listed + ` 404; finish ` + listed + `
			` + probedInVain("1000")).bareGreeted()
	}
	return []webCase{{
		rule: "RACE-GRACEFUL", why: "an idle session ran out long after a cancel", want: Pass, uncounted: whyServerEndedIt,
		script: legacyWeb(webCancelled + probedInVain("60000")).bareGreeted(),
	}, {
		rule: "SESSION-SURVIVES", why: "which is nothing", want: Vacuous, uncounted: whyServerEndedIt,
		script: legacyWeb(webCancelled + probedInVain("60000")).bareGreeted(),
	}, {
		rule: "RACE-GRACEFUL", why: "a session that was in use is gone, and nothing ties that to the cancel", want: Pass, uncounted: whyServerEndedIt, fails: "SESSION-SURVIVES",
		script: legacyWeb(webCancelled + probedInVain("1000")).bareGreeted(),
	}, {
		rule: "SESSION-SURVIVES", why: "nobody had cancelled anything", want: Fail, fails: "SESSION-SURVIVES", side: history.Server,
		script: legacyWeb(webRunning + webAnswered + probedInVain("1000")).bareGreeted(),
	}, {
		rule: "RACE-GRACEFUL", why: "the server ended the GET's stream in the instant of the cancel, and knew the session no more", want: Fail, fails: "RACE-GRACEFUL (SESSION-SURVIVES)", side: history.Server,
		script: legacyWeb(tornDown + probedInVain("1000")).bareGreeted(),
	}, {
		rule: "RACE-GRACEFUL", why: "however late that shows", want: Fail, fails: "RACE-GRACEFUL (SESSION-SURVIVES)", side: history.Server,
		script: legacyWeb(tornDown + probedInVain("9000")).bareGreeted(),
	}, {
		rule: "RACE-GRACEFUL", why: "it ended that stream, and the session went on for a while", want: Pass, uncounted: whyServerEndedIt, fails: "SESSION-SURVIVES",
		script: legacyWeb(tornDown + listing("200") + probedInVain("1000")).bareGreeted(),
	}, {
		rule: "RACE-GRACEFUL", why: "it ended that stream at another time", want: Pass, uncounted: whyServerEndedIt, fails: "SESSION-SURVIVES",
		script: legacyWeb(tornDown+probedInVain("1000")).replaced("; finish g\n", "\n40.5 server finish g\n").bareGreeted(),
	}, {
		rule: "RACE-GRACEFUL", why: "the client had closed that stream", want: Pass, uncounted: whyServerEndedIt, fails: "SESSION-SURVIVES",
		script: legacyWeb(tornDown+probedInVain("1000")).replaced("return 1 canceled\n", "return 1 canceled; drop g\n").replaced("41 client finish g", "").bareGreeted(),
	}, {
		rule: "RACE-GRACEFUL", why: "it ended that stream, and all is well", want: Pass,
		script: legacyWeb(tornDown),
	}, {
		rule: "RACE-GRACEFUL", why: "what came with the cancel met no session any more", want: Fail, fails: "RACE-GRACEFUL (SESSION-SURVIVES)", side: history.Server,
		script: crossed("202"),
	}, {
		rule: "RACE-GRACEFUL", why: "nor did the cancel", want: Pass, uncounted: whyServerEndedIt, fails: "SESSION-SURVIVES",
		script: crossed("404"),
	}, {
		rule: "RACE-GRACEFUL", why: "the cancel itself met no session", want: Pass, uncounted: whyServerEndedIt, fails: "SESSION-SURVIVES",
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server << cancel 1; status cancel 1 404; finish cancel 1; told 1; end 1 canceled
			41 client status cancel 1 404; finish cancel 1
			` + probedInVain("1000")).bareGreeted(),
	}, {
		rule: "RACE-GRACEFUL", why: "the client had left the GET's stream", want: Pass, uncounted: whyServerEndedIt, fails: "SESSION-SURVIVES",
		script: legacyWeb(tornDown+probedInVain("1000")).replaced("return 1 canceled\n", "return 1 canceled; finish g\n").replaced("41 client finish g", "").bareGreeted(),
	}, {
		rule: "RACE-GRACEFUL", why: "the stream that ended in that instant was a call's", want: Pass, uncounted: whyServerEndedIt, fails: "SESSION-SURVIVES",
		script: legacyWeb(`10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2; status call 2 200
			30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled; finish call 2
			41 client status call 2 200; finish call 2; return 2 lost
			50 server end 2 "done 2"
			`+probedInVain("1000")).tools("cooperative", "cooperative").bareGreeted(),
	}, {
		rule: "RACE-GRACEFUL", why: "nobody had cancelled anything", want: Vacuous, fails: "SESSION-SURVIVES",
		script: legacyWeb(withGet + webRunning + webAnswered + "70 server finish g\n71 client finish g\n" + probedInVain("1000")).bareGreeted(),
	}, {
		rule: "SESSION-SURVIVES", why: "a probe that did not name the session", want: Vacuous, uncounted: whyRefusedByHTTP, fails: "HTTP-SESSION SHUT-HTTP",
		script: legacyWeb(webCancelled+probedInVain("1000")).bareGreeted().heads("ping", func(h *history.HTTPHead) { h.Session = "" }),
	}, {
		rule: "CANCEL-INVALID-IGNORED", why: "the server ended all in the instant of a cancel that names nothing", want: Fail, fails: "CANCEL-ONLY-ISSUED (SESSION-SURVIVES) CANCEL-INVALID-IGNORED",
		script: legacyWeb(withGet + webRunning + webAnswered + `70 client > cancel id 99
			80 server < cancel id 99; finish g
			81 client finish g
			` + probedInVain("1000")).bareGreeted(),
	}, {
		rule: "CANCEL-INVALID-IGNORED", why: "the session was gone later", want: Pass, fails: "CANCEL-ONLY-ISSUED SESSION-SURVIVES",
		script: legacyWeb(webRunning + webAnswered + `70 client > cancel id 99
			80 server < cancel id 99
			` + probedInVain("1000")).bareGreeted(),
	}}
}

// anew ends the session and begins another. The welcome names another session.
const anew = `100 client delete d
	101 server serve d 204
	102 client finish d; > hello
	103 server < hello; > welcome 2 on hello
	104 client < welcome 2 on hello; > ready
	105 server < ready
	`

func nextSessionCases() []webCase {
	second := `110 client issue 2; > call 2
		120 server < call 2; start 2
		`
	answered := `150 server end 2 "done 2"; > result 2
		160 client < result 2; return 2 "done 2"`
	first := webRunning + webAnswered
	both := func(text string) webScript { return legacyWeb(text).tools("cooperative", "cooperative") }
	return []webCase{{
		rule: "NO-SPURIOUS-CANCEL", why: "a handler is told in the session after the one that was ended", want: Fail, fails: "NO-SPURIOUS-CANCEL", side: history.Server,
		script: both(first + anew + second + `140 server told 2; end 2 canceled; > error 2
			160 client < error 2; return 2 canceled`),
	}, {
		rule: "NO-SPURIOUS-CANCEL", why: "one of that session is told when it is ended", want: Pass,
		script: both(webRunning+anew+second+answered).replaced("serve d 204", "serve d 204; told 1; end 1 canceled; finish call 1").replaced("100 client", "100 client return 1 closed; drop call 1;"),
	}, {
		rule: "CANCEL-STOP-WORK", why: "a cancel in the next session is not heeded", want: Fail, fails: "CANCEL-STOP-WORK",
		script: both(first + anew + second + `130 client cancel 2; > cancel 2; return 2 canceled
			140 server < cancel 2
			190 server end 2 "done 2"; > result 2
			195 client < result 2`),
	}, {
		rule: "CANCEL-STOP-WORK", why: "one in the session that is then ended need not be any more", want: Vacuous, uncounted: whyClosing,
		script: both(webRunning+anew+second+answered).replaced("100 client", "100 client cancel 1; > cancel 1; return 1 canceled;").
			replaced("serve d 204", "serve d 204; < cancel 1").replaced("150 server", "150 server end 1 \"done 1\"; finish call 1;"),
	}, {
		rule: "PROGRESS-TOKEN-UNIQUE", why: "the token of a request of a session that was ended", want: Pass,
		script: func() webScript {
			s := both(webRunning+anew+second+answered).replaced("serve d 204", "serve d 204; told 1; end 1 canceled; finish call 1").replaced("100 client", "100 client return 1 closed; drop call 1;")
			s.ids = map[int]int{2: 1}
			return s
		}(),
	}, {
		rule: "CANCEL-HTTP-EXPLICIT", why: "a second session was gone, too", want: Vacuous, uncounted: whyServerEndedIt,
		script: both(first + lostAndAnew + second + `130 client > ` + listed + `
			131 server status ` + listed + ` 404; finish ` + listed + `
			132 client status ` + listed + ` 404; finish ` + listed + `; cancel 2; drop call 2; return 2 canceled
			133 server gone call 2
			150 server end 2 "done 2"; finish call 2
			` + closedWithout).bareGreeted(),
	}, {
		rule: "CANCEL-HTTP-EXPLICIT", why: "the first one was, and the second lives", want: Fail, fails: "CANCEL-HTTP-EXPLICIT",
		script: both(first + lostAndAnew + second + `132 client cancel 2; drop call 2; return 2 canceled
			133 server gone call 2
			150 server end 2 "done 2"; finish call 2`),
	}}
}

// What a client answers while it begins another session may be a question of the former.
func TestAnswersBetweenSessions(t *testing.T) {
	asked := `{"id":5,"method":"ping"}`
	cancelled := `{"method":"notifications/cancelled","params":{"requestId":5}}`
	answer := `{"id":5,"result":{}}`
	between := legacyWeb("5 client open g\n6 server serve g; > " + asked + " on g\n7 client < " + asked + " on g\n" + webRunning + webAnswered + lostAndAnew)
	for _, tc := range []struct {
		why    string
		script webScript
		fails  string
	}{
		{"while it begins it", between.replaced("102 client > hello", "102 client > hello; > "+answer).replaced("103 server < hello", "103 server < hello; < "+answer), ""},
		{"when it has it", between.replaced("> ready\n\t105 server < ready", "> ready; > "+answer+"\n\t105 server < ready; < "+answer), "RESP-SAME-ID"},
		{"what the server cancels by a stream of the former", between.replaced("105 server < ready", "105 server < ready; > "+cancelled+" on g"), ""},
		{"what it cancels and never asked", between.replaced("> "+asked+" on g", "> "+asked+" on g; > "+strings.Replace(cancelled, "5", "6", 1)+" on g"), "CANCEL-ONLY-ISSUED"},
	} {
		assert.Equal(t, tc.fails, failing(Judge(tc.script.history(t))), tc.why)
	}
}

// A client that closes the stream of a call whose response it has read cancels nothing by
// that, in the instant in which the handler was told, either.
func TestTidyInTheInstantOfTelling(t *testing.T) {
	told := webRunning + `40 server told 1; end 1 canceled; > error 1
		client < error 1; drop call 1; return 1 lost
		`
	assert.Empty(t, failing(Judge(legacyWeb(told+sessionGone+closedWithout).bareGreeted().history(t))), "the session had run out")
	assert.Equal(t, "NO-SPURIOUS-CANCEL", failing(Judge(legacyWeb(told).history(t))), "it lives")
}

// A client that is closed while it begins another session, and reads in that very instant
// what that is, may not know of it yet; one that is closed later does.
func TestSessionsThatBeginAtTheClose(t *testing.T) {
	renewed := webRunning + webAnswered + strings.TrimSuffix(lostAndAnew, "; > ready\n\t105 server < ready\n\t") + "\n"
	for _, tc := range []struct {
		why, end, fails string
	}{
		{"closed when it had read it", "client close; closed\n", ""},
		{"and before", "", ""},
		{"shortly after", "105 client close; closed\n", "SHUT-HTTP"},
		{"shortly before", "", "SHUT-HTTP"},
	} {
		text := renewed + tc.end
		switch tc.why {
		case "and before":
			text = strings.Replace(renewed, "104 client", "104 client close; closed\n104 client", 1)
		case "shortly before":
			text = strings.Replace(renewed, "104 client", "103 client close; closed\n104 client", 1)
		}
		j := Judge(legacyWeb(text + "1000 world quiet\n2000 server sessions 1; stop; served").bareGreeted().history(t))
		assert.Equal(t, tc.fails, failing(j), tc.why)
	}
}

// A probe that gets no answer, since the server has ended the session: that is no cancel's
// doing, however few there were.
func TestSessionsThatEndUnderTheProbe(t *testing.T) {
	text := webCancelled + `1000 world quiet
		client probe; > ping
		server < ping; status ping 200; finish ping
		client status ping 200; finish ping
		1010 client close; delete d
		server serve d 404
		client status d 404; finish d; closed
		2000 server sessions 0; stop; served`
	assert.Equal(t, "SESSION-SURVIVES", failing(Judge(legacyWeb(text).bareGreeted().history(t))))
	assert.Equal(t, "RACE-GRACEFUL (SESSION-SURVIVES) HTTP-NO-EARLY-CLOSE", failing(Judge(legacyWeb(text).replaced("serve d 404", "serve d 204").replaced("status d 404", "status d 204").bareGreeted().history(t))), "it had not ended it")
}

// A POST of which the history does not tell what it carries may be that of an initialize.
func TestPostsOfWhichNothingIsKnown(t *testing.T) {
	h := legacyWeb(webRunning + webAnswered + lostAndAnew).bareGreeted().history(t)
	for n, e := range h.Events {
		if e.Kind == history.Begin && e.Side == history.Client {
			assert.Empty(t, failing(Judge(&history.History{Header: h.Header, Events: h.Events[:n+1]})), "up to event %d", n)
		}
	}
}

// That a server cancels what a tool had asked of the client, which was told, is no cancel
// that could have hit the next tool which is told in that instant.
func TestToldOneAfterAnother(t *testing.T) {
	s := legacyWeb(`10 client issue 1; > call 1; issue 2; > call 2
		20 server < call 1; start 1; issue 3; > call 3 on call 1; < call 2; start 2
		25 client < call 3 on call 1; start 3
		40 server told 1; cancel 3; > cancel 3 on call 1; return 3 canceled; end 1 canceled; told 2; end 2 canceled; finish call 1; finish call 2
		45 client < cancel 3 on call 1; told 3; end 3 canceled; finish call 1; finish call 2; return 1 lost; return 2 lost
		`+sessionGone+closedWithout).tools("asking", "cooperative").bareGreeted()
	s.nested = []string{"cooperative"}
	assert.Empty(t, failing(Judge(s.history(t))))
	read := legacyWeb(`10 client issue 1; > call 1; issue 2; > call 2
		20 server < call 1; start 1; < call 2; start 2
		30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1; told 1; end 1 canceled; told 2; end 2 canceled; finish call 1; finish call 2
		45 client finish call 1; finish call 2; return 2 lost
		`+sessionGone+closedWithout).tools("cooperative", "cooperative").bareGreeted()
	assert.Equal(t, "RACE-GRACEFUL (NO-SPURIOUS-CANCEL)", failing(Judge(read.history(t))))
}

// What a tool asks in a session that is gone is cancelled by the stream on which it is asked,
// though the client has begun another session by then.
func TestNestedCancelledAfterItsSession(t *testing.T) {
	late := `102 server > call 2 on call 1; > cancel 2 on call 1; end 1 canceled; > error 1
		103 client < call 2 on call 1; < cancel 2 on call 1; < error 1; return 1 lost
		`
	s := legacyWeb(webRunning + `80 server issue 2; told 1; cancel 2; return 2 canceled
		` + strings.Replace(lostAndAnew, "103 server", late+"103 server", 1)).tools("asking")
	s.nested = []string{"cooperative"}
	assert.Empty(t, failing(Judge(s.history(t))))
	assert.Equal(t, "NESTED-CANCELLED", failing(Judge(s.replaced("> cancel 2 on call 1; ", "").replaced("< cancel 2 on call 1; ", "").history(t))))
}

// lostAndAnew is anew where the server had ended the session.
const lostAndAnew = sessionGoneLater + `102 client > hello
	103 server < hello; > welcome 2 on hello
	104 client < welcome 2 on hello; > ready
	105 server < ready
	`

const sessionGoneLater = `85 client > ` + listed + `
	86 server status ` + listed + ` 404; finish ` + listed + `
	87 client status ` + listed + ` 404; finish ` + listed + `
	`

func TestLostSessions(t *testing.T) { runWeb(t, lostSessionCases()) }
func TestNextSessions(t *testing.T) { runWeb(t, nextSessionCases()) }

// A call whose stream ended without a response may fail, in whatever instant.
func TestCallsThatAreLeftAlone(t *testing.T) {
	text := `10 client issue 1; > call 1; issue 2; > call 2
		20 server < call 1; start 1; < call 2; start 2
		30 server end 2 "done 2"; status call 2 200; finish call 2
		35 client finish call 2; cancel 1; > cancel 1; return 1 canceled; return 2 lost
		40 server < cancel 1; told 1; end 1 canceled`
	assert.Equal(t, "HTTP-NO-EARLY-CLOSE", failing(Judge(legacyWeb(text).tools("cooperative", "cooperative").history(t))))
	assert.Equal(t, "RACE-GRACEFUL", failing(Judge(legacyWeb(text).tools("cooperative", "cooperative").replaced("finish call 2;", "").replaced("; status call 2 200; finish call 2", "").history(t))))
}

// In wall time nobody can tell whether a handler was told because of a disconnect or since
// the server ended the session shortly after.
func TestLostSessionInWallTime(t *testing.T) {
	h := legacyWeb(webRunning + `25 world fault call 1 cut
		26 client finish call 1 reset; return 1 reset
		27 server gone call 1
		30 server told 1; end 1 canceled; finish call 1
		` + sessionGone + closedWithout).bareGreeted().history(t)
	h.Header.Clock = "wall"
	assert.Empty(t, failing(Judge(h)))
	both := `10 client issue 1; > call 1; issue 2; > call 2
		20 server < call 1; start 1; < call 2; start 2
		25 client cancel 1; > cancel 1; return 1 canceled
		27 server < cancel 1; told 1; end 1 canceled
		30 server told 2; end 2 canceled; > error 2
		31 client < error 2; return 2 lost
		`
	h = legacyWeb(both+sessionGone+closedWithout).tools("cooperative", "cooperative").bareGreeted().history(t)
	h.Header.Clock = "wall"
	assert.Empty(t, failing(Judge(h)))
	// That the end of a session is owed to a cancel, nothing shows in wall time.
	torn := legacyWeb(tornDown + probedInVain("1000")).bareGreeted()
	assert.Equal(t, "RACE-GRACEFUL (SESSION-SURVIVES)", failing(Judge(torn.history(t))))
	h = torn.history(t)
	h.Header.Clock = "wall"
	assert.Equal(t, "SESSION-SURVIVES", failing(Judge(h)))
	h.Header.Budgets = map[string]time.Duration{budgetIdle: time.Millisecond}
	assert.Empty(t, failing(Judge(h)))
	h = legacyWeb(both).tools("cooperative", "cooperative").history(t)
	h.Header.Clock = "wall"
	assert.Equal(t, "RACE-GRACEFUL (NO-SPURIOUS-CANCEL)", failing(Judge(h)))
	h = legacyWeb(webRunning + `25 world fault call 1 cut
		26 client finish call 1 reset; return 1 reset
		27 server gone call 1
		30 server told 1; end 1 canceled; finish call 1`).history(t)
	h.Header.Clock = "wall"
	assert.Equal(t, "(NO-SPURIOUS-CANCEL) DISC-NOT-CANCEL", failing(Judge(h)))
}
