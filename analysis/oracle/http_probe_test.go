package oracle

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A health probe that fails, and whom that is held against.
func probeCases() []webCase {
	const answered = webRunning + webAnswered
	const faulty = `70 world fault ready cut
		`
	const asked = `1000 world quiet
		1001 client probe; > ping
		`
	const unread = `1002 server < ping
		`
	const limit = `60000 world horizon`
	probed := func(text string) webScript { return legacyWeb(text).bareGreeted() }
	nameless := func(s webScript) webScript {
		return s.heads("ping", func(h *history.HTTPHead) { h.Session = "" })
	}
	const pong = `1002 server < ping; > pong
		`
	broken := asked + `1002 server < ping
		1003 world fault ping cut
		1004 client finish ping reset; probed reset
		`
	gone := asked + `1002 server < ping; gone ping
		1004 client finish ping; probed EOF
		`
	const dies = "SESSION-SURVIVES"
	return []webCase{{
		rule: dies, why: "the server did not answer", want: Fail, fails: dies + " PING-PROMPT", side: history.Server,
		script: probed(answered + asked + unread + limit),
	}, {
		rule: dies, why: "the network had been at fault with another exchange, which is no reason", want: Fail, fails: dies + " PING-PROMPT", side: history.Server,
		script: probed(answered + faulty + asked + unread + limit),
	}, {
		rule: dies, why: "the client has the answer and does not say so", want: Fail, fails: dies, side: history.Client,
		script: probed(answered + asked + pong + "1003 client < pong\n" + limit),
	}, {
		rule: dies, why: "the network had been at fault, of which it may not have recovered", want: Vacuous, uncounted: whyFaulty,
		script: probed(answered + faulty + asked + pong + "1003 client < pong\n" + limit),
	}, {
		rule: dies, why: "it was at fault when the world was over", want: Fail, fails: dies, side: history.Client,
		script: probed(answered + asked + pong + "1003 client < pong\n" + limit + "\n60001 world fault ready cut"),
	}, {
		rule: dies, why: "the network broke the probe off", want: Vacuous, uncounted: whyFaulty, script: probed(answered + broken),
	}, {
		rule: dies, why: "that did not name the session", want: Vacuous, uncounted: whyFaulty, fails: "HTTP-SESSION", script: nameless(probed(answered + broken)),
	}, {
		rule: dies, why: "the server saw that it was gone", want: Vacuous, uncounted: whyFaulty, script: probed(answered + gone),
	}, {
		rule: dies, why: "since the client had dropped it", want: Fail, fails: dies, side: history.Server,
		script: probed(answered+gone).replaced("1002 server", "1001 client drop ping\n1002 server"),
	}, {
		rule: dies, why: "the server refused it", want: Fail, fails: dies, side: history.Server,
		script: probed(answered + probedInVain("1000")),
	}, {
		rule: dies, why: "after a fault, and knew the session", want: Fail, fails: dies, side: history.Server,
		script: probed(answered+faulty+probedInVain("1000")).replaced("status ping 404", "status ping 500").replaced("status ping 404", "status ping 500"),
	}, {
		rule: dies, why: "after a fault, and did not know the session", want: Vacuous, uncounted: whyFaulty,
		script: probed(answered + faulty + probedInVain("1000")),
	}}
}

func TestProbesOverHTTP(t *testing.T) { runWeb(t, probeCases()) }

// Nothing comes any more by an exchange that the client has given up: that a probe fails is
// not the network's doing, which never delivered it.
func TestProbesThatFailBesideWhatNobodyWaitsFor(t *testing.T) {
	const changed = `{"method":"notifications/roots/list_changed"}`
	text := webCancelled + `45 server finish call 1
		46 client finish call 1
		50 client > ` + changed + `
		60 client drop ` + changed + `
		` + probedInVain("1000") + `
		server ~ ` + changed
	given := legacyWeb(text).bareGreeted()
	assert.Equal(t, "SESSION-SURVIVES", failing(Judge(given.history(t))))
	j := Judge(given.replaced("60 client drop "+changed+"\n", "").history(t))
	assert.Empty(t, failing(j))
	assert.Equal(t, whyEnRoute, verdictOf(t, j, "SESSION-SURVIVES").Uncounted[0].Why)
}
