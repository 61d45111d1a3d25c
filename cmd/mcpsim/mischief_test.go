package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// mischievous are scenarios of 2025-11-25 in which our own peers do mischief beside
// questions and tasks, whose ids and calls it must not hit.
var mischievous = []struct{ why, load, handlers, mischief string }{
	{"ids that both sides have counted to are not foreign", ``,
		`[{kind: asking, work: {constant: 20ms}, asks: {kind: sampling/createMessage, work: {uniform: {min: 1ms, max: 60ms}}}}, {kind: cooperative, work: {constant: 20ms}}]`,
		`strays: [{kind: foreign, share: 0.5}, {kind: finished, share: 0.3}]`},
	{"nor those that the scenario gives", `, ids: [{kind: counting}, {kind: string}, {kind: negative}, {kind: zero}]`,
		`[{kind: asking, work: {constant: 20ms}, asks: {kind: sampling/createMessage, work: {uniform: {min: 1ms, max: 60ms}}}}]`,
		`strays: [{kind: foreign, share: 0.5}, {kind: twin-id, share: 0.3}]`},
	{"nor does the server hit its own questions", ``,
		`[{kind: asking, work: {constant: 20ms}, asks: {kind: sampling/createMessage, work: {uniform: {min: 1ms, max: 60ms}}}}]`,
		"\nmischief: [{kind: ping-cancelled, share: 0.5}, {kind: foreign-cancel, share: 0.5}]"},
	{"a call that was made as a task is cancelled by no notification",
		`, requests: [{kind: tools/call, task: {wait: result, give_up: task, then: [get, cancel]}}, {kind: tools/call}], ids: [{kind: counting}, {kind: string}, {kind: twins}]`,
		`[{kind: cooperative, work: {uniform: {min: 1ms, max: 100ms}}}]`,
		`strays: [{kind: finished, share: 0.6}, {kind: twin-id, share: 0.4}, {kind: foreign, share: 0.2}]`},
}

// TestMischiefAccusesNobody: what our own peers do on purpose is held against nobody.
func TestMischiefAccusesNobody(t *testing.T) {
	worker := builtWorker(t)
	for _, c := range mischievous {
		t.Run(c.why, func(t *testing.T) {
			cancel := "cancel: {share: 0.3, when: uniform, " + c.mischief + "}"
			if c.mischief[0] == '\n' {
				cancel = "cancel: {share: 0.3, when: uniform}" + c.mischief
			}
			text := fmt.Sprintf("name: mischievous\nsummary: Of a test.\ntransport: stdio\nspec_versions: [2025-11-25]\nclient: reference\nserver: reference\n"+
				"load: {callers: 3, calls: 8, think: 5ms%s}\nnetwork: {profile: lan}\nhandlers: %s\n%s\nscheduler: shuffled\nlimits: {horizon: 10m, settle: 5s}\n",
				c.load, c.handlers, cancel)
			file := filepath.Join(t.TempDir(), "mischievous.yaml")
			require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
			e := loaded(t, file, choice{client: "reference", server: "reference"})
			for key, r := range records(t, worker, e, worldsOf(e, 30), 2) {
				for _, v := range oracle.Judge(r.history).Verdicts {
					assert.NotEqual(t, oracle.Fail, v.Status, "%s, seed %d: %+v", v.Rule, key.Seed, v.Violations)
				}
			}
		})
	}
}
