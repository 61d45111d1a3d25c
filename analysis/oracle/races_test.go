package oracle

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

var update = flag.Bool("update", false, "write testdata anew from the scripts")

// A race is a conversation that is kept as a recorded history, with what must be
// said of it in both eras.
type race struct {
	file           string
	why            string
	script         script
	legacy, modern string // rules that fail; implied ones in brackets
	rule           string // the rule that looks broken
	uncounted      string // under which it puts the race down; empty: it does not
	call           CallResult
}

// races are the benign ones, which must not be counted, and beside them the twin
// of lateness zero that must.
func races() []race {
	crossing := running + `35 server end 1 "done 1"; > result 1
		36 client cancel 1; > cancel 1; return 1 canceled
	`
	return []race{{
		file: "R1-response-before", why: "the response was written before the cancel was read",
		script: script{text: crossing + `46 server < cancel 1
			47 client < result 1`},
		rule: "CANCEL-NO-RESPONSE", uncounted: whyResponseBefore,
		call: CallResult{Phase: Crossing, Work: Ended, Wire: Crossed},
	}, {
		file: "R2-handler-over", why: "the handler had ended, and its response waited to be written",
		script: script{text: running + `28 server end 1 "done 1"
			30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1
			42 server > result 1
			50 client < result 1`},
		rule: "CANCEL-NO-RESPONSE", uncounted: whyHandlerOver,
		call: CallResult{Phase: Returned, Work: Ended, Wire: Crossed},
	}, {
		file: "R3-already-answered", why: "the client had read the response when it wrote the cancel",
		script: script{text: running + `30 server end 1 "done 1"; > result 1
			40 client cancel 1; < result 1; > cancel 1; return 1 "done 1"
			50 server < cancel 1`},
		rule: "CANCEL-ONLY-ISSUED", uncounted: whyResponseRead,
		call: CallResult{Phase: AfterResponse, Work: Ended, Wire: Crossed},
	}, {
		file: "R5-late-response-arrives", why: "the response reaches the client after its cancel, and is ignored",
		script: script{text: crossing + `40 client < result 1
			46 server < cancel 1`},
		rule: "LATE-IGNORED",
		call: CallResult{Phase: Crossing, Work: Ended, Wire: Crossed},
	}, {
		file: "R6-duplicate-cancels", why: "the second cancel finds the call unknown",
		script: script{text: running + `30 client cancel 1; > cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled; < cancel 1`},
		rule: "CANCEL-ONLY-ISSUED", uncounted: whyRepeated,
		call: CallResult{Phase: Running, Work: Stopped, Wire: Silent},
	}, {
		file: "R8-progress-in-transit", why: "progress was written before the cancel was read",
		script: script{handlers: []string{"chatty"}, text: running + `28 server progress 1 "1"; > progress 1
			30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled
			45 client < progress 1`},
		rule: "PROGRESS-AFTER-CANCEL", uncounted: whyProgressBefore,
		call: CallResult{Phase: Running, Work: Stopped, Wire: Silent},
	}, {
		file: "lateness-zero-before", why: "the response was written in the instant of the cancel, before it was read",
		script: script{text: running + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server end 1 "done 1"; > result 1; < cancel 1
			50 client < result 1`},
		rule: "CANCEL-NO-RESPONSE", uncounted: whyResponseBefore,
		call: CallResult{Phase: Crossing, Work: Ended, Wire: Crossed},
	}, {
		file: "lateness-zero-unaware", why: "written in the instant of the cancel, after it was read, by a handler that was not told",
		script: script{text: running + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; end 1 "done 1"; > result 1
			50 client < result 1`},
		rule: "CANCEL-NO-RESPONSE", uncounted: whySameInstant,
		call: CallResult{Phase: Running, Work: Ended, Wire: Crossed},
	}, {
		file: "lateness-zero-after", why: "written in the instant of the cancel, by a handler that was told: this one counts",
		script: script{text: running + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled; > error 1
			50 client < error 1`},
		rule: "CANCEL-NO-RESPONSE", legacy: "CANCEL-NO-RESPONSE", modern: "(CANCEL-NO-RESPONSE) CANCEL-SILENCE",
		call: CallResult{Phase: Running, Work: Stopped, Wire: Answered, Late: true, ErrorReply: true},
	}}
}

func TestRecordedRaces(t *testing.T) {
	for _, r := range races() {
		t.Run(r.file, func(t *testing.T) {
			name := filepath.Join("testdata", r.file+".ndjson")
			if *update {
				require.NoError(t, history.WriteFile(name, r.script.history(t)))
			}
			h, err := history.ReadFile(name)
			require.NoError(t, err, "run the test with -update after a change of the scripts")
			assert.Equal(t, -1, history.FirstDifference(r.script.history(t).Events, h.Events), "the file is the script's")
			for version, fails := range map[string]string{legacyVersion: r.legacy, modernVersion: r.modern} {
				h.Header.SpecVersion = version
				r.judge(t, h, fails)
			}
		})
	}
}

func (r race) judge(t *testing.T, h *history.History, fails string) {
	j := Judge(h)
	requireSound(t, h, j)
	assert.Equal(t, fails, failing(j), r.why)
	uncounted := verdictOf(t, j, r.rule).Uncounted
	if r.uncounted == "" {
		assert.Empty(t, uncounted)
	} else {
		assert.Equal(t, []Uncounted{{Why: r.uncounted, N: 1}}, uncounted)
	}
	got := j.Calls[0]
	assert.Equal(t, r.call, CallResult{Phase: got.Phase, Work: got.Work, Wire: got.Wire, Late: got.Late, ErrorReply: got.ErrorReply})
}
