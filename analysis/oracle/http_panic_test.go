package oracle

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

// blamed returns the history of a script with the blame for its panics, and a stack of the
// one to blame.
func (s webScript) blamed(t *testing.T, blame string) *history.History {
	h := s.history(t)
	stacks := map[string]string{
		"server": "\nexample.com/mcp.(*Server).handle\n\tserver.go:7",
		"tool":   "\n" + toolCode + "panicking\n\ttools.go:9",
	}
	for i := range h.Events {
		if e := &h.Events[i]; e.Kind == history.Finish && strings.HasPrefix(e.Text, "panic: ") {
			e.Blame, e.Text = blame, e.Text+stacks[blame]
		}
	}
	return h
}

// A handler over HTTP that panics takes no process with it, and is told of all the same.
func TestPanicsOverHTTP(t *testing.T) {
	const broken = `
		41 client finish call 1 EOF; return 1 EOF`
	plain := webRunning + `40 server end 1 panic; finish call 1 panic: nil map` + broken
	raced := webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1; told 1; end 1 panic; finish call 1 panic: nil map
		41 client finish call 1 EOF`
	inCancel := webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1; told 1; end 1 canceled; finish cancel 1 panic: nil map
		41 client finish cancel 1 EOF
		1000 world quiet
		1010 client close; delete bye
		1011 server serve bye; finish bye
		1012 client finish bye; closed`
	for _, tc := range []struct {
		why, blame string
		script     webScript
		fails      string
		survives   Status // SESSION-SURVIVES
		incident   Incident
	}{
		{"the server's own", "server", legacyWeb(plain), "SESSION-SURVIVES", Fail, Panicked},
		{"where the stream may not be closed early", "server", legacyWeb(plain).under("2025-06-18"), "SESSION-SURVIVES", Fail, Panicked},
		{"since 2026-07-28, where nothing else can answer", "server", modernWeb(plain), "SESSION-SURVIVES", Fail, Panicked},
		{"knowing of a cancel", "server", legacyWeb(raced), "RACE-GRACEFUL (SESSION-SURVIVES)", Fail, Panicked},
		{"on reading a cancel", "server", legacyWeb(inCancel).manuallyGreeted(), "RACE-GRACEFUL (SESSION-SURVIVES)", Fail, Panicked},
		{"the tool's", "tool", legacyWeb(raced).tools("panicking"), "", Pass, ToolPanicked},
		{"the tool's, since 2026-07-28", "tool", modernWeb(plain).tools("panicking"), "", Pass, ToolPanicked},
		{"nobody's, for all that is known", "", legacyWeb(plain), "", Unknown, Panicked},
		{"an error that a client got is none", "", legacyWeb(webRunning+webAnswered).replaced("return 1", "finish call 1 panic: x; return 1"), "", Pass, ""},
	} {
		t.Run(tc.why, func(t *testing.T) {
			h := tc.script.blamed(t, tc.blame)
			j := Judge(h)
			assert.Equal(t, tc.fails, failing(j), "%s", listing(h))
			assert.Equal(t, tc.survives, verdictOf(t, j, "SESSION-SURVIVES").Status)
			assert.Equal(t, tc.incident, j.Calls[0].Incident)
			requireSound(t, h, j)
			requireEvidence(t, h, j)
		})
	}
}

// A caller who never gets control back because of what the network did is not the SDK's
// doing, unless something made him due.
func TestHungByTheNetwork(t *testing.T) {
	hello := legacyWeb("").greeting()
	bare := func(text string) webScript {
		return webScript{script: script{version: legacyVersion, bare: true, text: hello + text + `
			60000 world horizon
			60001 client close; return 1 closed; closed`}}
	}
	cut := webRunning + `25 world fault call 1 cut
		26 client finish call 1 reset
		27 server gone call 1
		`
	for _, tc := range []struct {
		why    string
		script webScript
		want   Incident
	}{
		{"unanswered", bare(`10 client issue 1; > call 1
			11 world fault call 1 unanswered`), HungByNetwork},
		{"led astray", bare(`10 client issue 1; > call 1
			11 world fault call 1 misroute
			20 server < call 1`), HungByNetwork},
		{"the stream was cut, and is not resumed", bare(cut + `30 server end 1 "done 1"; finish call 1`), HungByNetwork},
		{"the stream that resumed it was cut", bare(webRunning + `30 server > progress 1 # e1
			35 client < progress 1 # e1; drop call 1; open again after e1
			36 server gone call 1; serve again
			40 world fault again drop
			41 client finish again reset`), HungByNetwork},
		{"the network only took its time", bare(`10 client issue 1; > call 1
			11 world fault call 1 hold
			20 server < call 1`), Hung},
		{"another exchange's fault", bare(webRunning + `25 client > ping
			26 world fault ping unanswered`), Hung},
		{"nothing was the matter", bare(webRunning), Hung},
		{"the caller had given up: that is the client's", bare(cut + `30 client cancel 1; > cancel 1
			40 server < cancel 1; told 1; end 1 canceled; finish call 1`), Hung},
		{"refused, and the client tells nobody", bare(`10 client issue 1; > call 1
			11 world fault call 1 bad-gateway
			12 client status call 1 502; finish call 1`), Hung},
	} {
		t.Run(tc.why, func(t *testing.T) {
			h := tc.script.history(t)
			j := Judge(h)
			assert.Equal(t, tc.want, j.Calls[0].Incident, "%s\n%s", failing(j), listing(h))
		})
	}
}
