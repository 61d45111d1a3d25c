package oracle

import (
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Streams that end before the response, and by whose doing they may.
func earlyCases() []webCase {
	const rule = "HTTP-NO-EARLY-CLOSE"
	early := func(before, ends, after string) webScript {
		return legacyWeb(webRunning + before + `
			30 server ` + ends + `
			` + after + `
			90 server end 1 "done 1"`).under("2025-06-18")
	}
	const ends = "status call 1 200; finish call 1"
	const left = "31 client status call 1 200; finish call 1; return 1 lost"
	const reset = "31 client finish call 1 reset; return 1 reset"
	const deleted = "31 server serve d 204\n32 client finish d; closed; return 1 closed"
	bare := func(s webScript) webScript {
		s.text += "\n1000 world quiet\n2000 server sessions 0; stop; served"
		return s.bareGreeted()
	}
	return []webCase{{
		rule: rule, why: "the server's", want: Fail, fails: rule, side: history.Server, script: early("", ends, left),
	}, {
		rule: rule, why: "the last legacy version wants the response, too, where no event id lets the client come back", want: Fail, fails: rule, script: early("", ends, left).under("2025-11-25"),
	}, {
		rule: rule, why: "the network was about to break it off", want: Pass, uncounted: whyStreamGone, script: early("29 world fault call 1 cut", ends, reset),
	}, {
		rule: rule, why: "it broke it off as it ended", want: Pass, uncounted: whyStreamGone, script: early("", ends, "30 world fault call 1 cut\n"+reset),
	}, {
		rule: rule, why: "the client had dropped it", want: Pass, uncounted: whyStreamGone, script: early("29 client drop call 1; return 1 lost", ends, ""),
	}, {
		rule: rule, why: "it dropped it later", want: Fail, fails: rule, script: early("", ends, "31 client drop call 1; return 1 lost"),
	}, {
		rule: rule, why: "the server saw that it was gone", want: Pass, uncounted: whyStreamGone, script: early("29 server status call 1 200; gone call 1", "finish call 1", "31 client finish call 1; return 1 lost"),
	}, {
		rule: rule, why: "its handler panicked", want: Pass, uncounted: whyPanicked, script: early("", "status call 1 200; finish call 1 panic: nil map", reset),
	}, {
		rule: rule, why: "the client ended its session in that instant", want: Pass, uncounted: whyClosing, script: bare(early("", ends, "30 client close; delete d\n"+deleted)),
	}, {
		rule: rule, why: "it ended it later", want: Fail, fails: rule, script: bare(early("", ends, "30.5 client close; delete d\n"+deleted)),
	}, {
		rule: rule, why: "the request was refused", want: Pass, script: early("", "status call 1 503; finish call 1", "31 client status call 1 503; finish call 1; return 1 unavailable"),
	}}
}

func TestEarlyCloses(t *testing.T) { runWeb(t, earlyCases()) }
