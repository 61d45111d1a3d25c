package oracle

import (
	"strings"
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// polled is a call whose server tells the client, by cues, from where and when to resume
// the stream, and ends the exchange; the client comes back at the time given.
func polled(cues, back string) webScript {
	told, heard := "", ""
	for cue := range strings.SplitSeq(cues, ", ") {
		if cue != "" {
			told += "; cue call 1 " + cue
			heard += "; cue call 1 " + cue
		}
	}
	return legacyWeb(webRunning + `30 server status call 1 200` + told + `; finish call 1
		40 client status call 1 200` + heard + `; finish call 1
		` + back + ` client open again after e1
		500 server serve again; end 1 "done 1"; > result 1 on again # e2; finish again
		510 client < result 1 on again # e2; return 1 "done 1"`)
}

func closingCases() []webCase {
	unheard := func(replacements ...string) webScript {
		return legacyWeb(strings.NewReplacer(replacements...).Replace(webRunning + `30 server status call 1 200; cue call 1 # e1 wait 300
			35 client status call 1 200; cue call 1 # e1 wait 300
			40 world fault call 1 cut
			41 client finish call 1 reset
			42 server gone call 1; finish call 1
			50 client open again after e1
			60 server serve again; end 1 "done 1"; > result 1 on again # e2; finish again
			70 client < result 1 on again # e2; return 1 "done 1"`))
	}
	return []webCase{{
		rule: "HTTP-NO-EARLY-CLOSE", why: "the last legacy version allows it where the client can resume", want: Pass, uncounted: whyResumable,
		script: polled("# e1 wait 300", "340"),
	}, {
		rule: "HTTP-NO-EARLY-CLOSE", why: "not without an event id", want: Fail, fails: "HTTP-NO-EARLY-CLOSE", side: history.Server,
		script: legacyWeb(webRunning + `30 server status call 1 200; cue call 1 wait 300; finish call 1
			40 client status call 1 200; cue call 1 wait 300; finish call 1; return 1 lost
			50 server end 1 "done 1"`),
	}, {
		rule: "HTTP-NO-EARLY-CLOSE", why: "nor does an earlier one, with an event id", want: Fail, fails: "HTTP-NO-EARLY-CLOSE", side: history.Server,
		script: polled("# e1 wait 300", "340").under("2025-06-18"),
	}, {
		rule: "HTTP-NO-EARLY-CLOSE", why: "a message's id will do", want: Pass, uncounted: whyResumable,
		script: legacyWeb(webRunning + `30 server > progress 1 # e1; cue call 1 wait 5; finish call 1
			40 client < progress 1 # e1; cue call 1 wait 5; finish call 1
			45 client open again after e1
			50 server serve again; end 1 "done 1"; > result 1 on again # e2; finish again
			60 client < result 1 on again # e2; return 1 "done 1"`),
	}, {
		rule: "HTTP-RETRY-FIRST", why: "told before", want: Pass, script: polled("# e1, wait 300", "340"),
	}, {
		rule: "HTTP-RETRY-FIRST", why: "never told", want: Fail, fails: "HTTP-RETRY-FIRST", side: history.Server, script: polled("# e1", "340"),
	}, {
		rule: "HTTP-RETRY-FIRST", why: "an answered call's stream is at its end", want: Vacuous, script: legacyWeb(webRunning + webAnswered),
	}, {
		rule: "HTTP-RETRY-FIRST", why: "the network was first", want: Vacuous, script: unheard(" wait 300", ""),
	}, {
		rule: "HTTP-RETRY-FIRST", why: "no clause before", want: Vacuous, fails: "HTTP-NO-EARLY-CLOSE", script: polled("# e1", "340").under("2025-06-18"),
	}, {
		rule: "HTTP-RETRY-WAIT", why: "in time", want: Pass, script: polled("# e1 wait 300", "340"),
	}, {
		rule: "HTTP-RETRY-WAIT", why: "too soon", want: Fail, fails: "HTTP-RETRY-WAIT", side: history.Client, script: polled("# e1 wait 300", "339"),
	}, {
		rule: "HTTP-RETRY-WAIT", why: "the last one counts", want: Pass, script: polled("# e1 wait 300, wait 20", "60"),
	}, {
		rule: "HTTP-RETRY-WAIT", why: "also where it is the longer", want: Fail, fails: "HTTP-RETRY-WAIT", script: polled("# e1 wait 20, wait 300", "60"),
	}, {
		rule: "HTTP-RETRY-WAIT", why: "none at all", want: Pass, script: polled("# e1 wait 0", "40"),
	}, {
		rule: "HTTP-RETRY-WAIT", why: "nothing was told", want: Vacuous, fails: "HTTP-RETRY-FIRST", script: polled("# e1", "40"),
	}, {
		rule: "HTTP-RETRY-WAIT", why: "longer than a day", want: Vacuous, uncounted: whyLongWait, script: polled("# e1 wait 86400001", "60"),
	}, {
		rule: "HTTP-RETRY-WAIT", why: "more than there is time", want: Vacuous, uncounted: whyLongWait, script: polled("# e1 wait 99999999999999999999", "60"),
	}, {
		rule: "HTTP-RETRY-WAIT", why: "it goes on behind another event, of which the history does not tell", want: Vacuous,
		script: polled("# e0 wait 300", "60"),
	}, {
		rule: "HTTP-RETRY-WAIT", why: "the network had broken it", want: Vacuous, uncounted: whyTorn, script: unheard(),
	}, {
		rule: "HTTP-RETRY-WAIT", why: "what the client has not read it need not know", want: Vacuous,
		script: unheard("35 client status call 1 200; cue call 1 # e1 wait 300", "35 client status call 1 200; cue call 1 # e1"),
	}, {
		rule: "HTTP-RETRY-WAIT", why: "the client had dropped it", want: Vacuous, uncounted: whyTorn,
		script: unheard("40 world fault call 1 cut\n", "", "41 client finish call 1 reset", "41 client drop call 1 reset"),
	}, {
		rule: "HTTP-RETRY-WAIT", why: "the resumed stream ends, too", want: Fail, fails: "HTTP-RETRY-WAIT", side: history.Client,
		script: legacyWeb(webRunning + `30 server status call 1 200; cue call 1 # e1 wait 10; finish call 1
			40 client status call 1 200; cue call 1 # e1 wait 10; finish call 1
			50 client open again after e1
			60 server serve again; status again 200; cue again wait 100; finish again
			65 client status again 200; cue again wait 100; finish again
			164 client open third after e1
			170 server serve third; end 1 "done 1"; > result 1 on third # e2; finish third
			180 client < result 1 on third # e2; return 1 "done 1"`),
	}, {
		rule: "HTTP-RETRY-WAIT", why: "what an earlier exchange had told is not told again", want: Pass,
		script: legacyWeb(webRunning + `30 server status call 1 200; cue call 1 # e1 wait 10; finish call 1
			40 client status call 1 200; cue call 1 # e1 wait 10; finish call 1
			50 client open again after e1
			60 server serve again; status again 200; finish again
			65 client status again 200; finish again
			66 client open third after e1
			170 server serve third; end 1 "done 1"; > result 1 on third # e2; finish third
			180 client < result 1 on third # e2; return 1 "done 1"`),
	}, {
		rule: "HTTP-REPLAY-SCOPE", why: "another call's response, behind an event without a message", want: Fail, fails: "HTTP-REPLAY-SCOPE", side: history.Server,
		script: legacyWeb(`10 client issue 1; > call 1; issue 2; > call 2
			20 server < call 1; start 1; < call 2; start 2; status call 1 200; cue call 1 # e1 wait 5; finish call 1
			30 client status call 1 200; cue call 1 # e1 wait 5; finish call 1
			40 client open again after e1
			50 server serve again; > progress 2 on again # f1
			51 client < progress 2 on again # f1
			60 server end 1 "done 1"; > result 1 on again # e2; finish again; end 2 "done 2"; > result 2
			70 client < result 1 on again # e2; return 1 "done 1"; < result 2; return 2 "done 2"`).tools("chatty", "chatty"),
	}, {
		rule: "HTTP-EVENT-ID", why: "the id of an event that nobody is handed may come again", want: Pass,
		script: legacyWeb(webRunning + `30 server status call 1 200; cue call 1 # e1; > progress 1 # e1
			35 client status call 1 200; cue call 1 # e1; < progress 1 # e1
			` + webAnswered),
	}}
}

func TestStreamsThatEndEarly(t *testing.T) { runWeb(t, closingCases()) }
