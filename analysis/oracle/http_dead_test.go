package oracle

import (
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// What is not missed of a server whose process has died, and what is missed of one that
// lives.
func deadCases() []webCase {
	open := `50 server status call 1 200; end 1 "done 1"; > result 1
		`
	read := `60 client < result 1; return 1 "done 1"
		`
	dead := `70 server exit
		71 client finish call 1 EOF
		`
	bare := func(text string) webScript {
		return webScript{script: script{version: legacyVersion, bare: true, text: legacyWeb("").greeting() + text}}
	}
	return []webCase{{
		rule: "HTTP-TERMINATE", why: "its process died before it had ended the stream", want: Vacuous, uncounted: whyServerDead,
		script: modernWeb(webRunning + open + dead + `72 client return 1 EOF
			1000 world quiet`).bareManually(),
	}, {
		rule: "HTTP-TERMINATE", why: "the same of one that lives", want: Fail, fails: "HTTP-TERMINATE", side: history.Server,
		script: modernWeb(webRunning + open + read + `1000 world quiet`).bareManually(),
	}, {
		rule: "HTTP-TERMINATE", why: "it died when the world had settled", want: Fail, fails: "HTTP-TERMINATE", side: history.Server,
		script: modernWeb(webRunning + open + read + `1000 world quiet
			1070 server exit`).bareManually(),
	}, {
		rule: "EXCHANGE-ENDED", why: "its process died before it had ended the exchange", want: Vacuous, uncounted: whyServerDead,
		script: modernWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1; end 1 canceled
			50 server exit
			1000 world quiet`).bareManually(),
	}, {
		rule: "EXCHANGE-ENDED", why: "the same of one that lives", want: Fail, fails: "EXCHANGE-ENDED", side: history.Server,
		script: modernWeb(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1; end 1 canceled
			1000 world quiet`).bareManually(),
	}, {
		rule: "SHUT-HTTP", why: "the client had learned that the server's process was dead", want: Vacuous, uncounted: whyServerDead,
		script: bare(webRunning + `30 server exit
			31 client finish call 1 EOF; return 1 EOF
			40 client close; closed
			1000 world quiet`),
	}, {
		rule: "SHUT-HTTP", why: "it was dead, and the client had not learned so", want: Fail, fails: "SHUT-HTTP", side: history.Client,
		script: bare(`30 server exit
			40 client close; closed
			1000 world quiet`),
	}}
}

func TestDeadServersOverHTTP(t *testing.T) { runWeb(t, deadCases()) }
