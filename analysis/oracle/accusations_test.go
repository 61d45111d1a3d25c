package oracle

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// An accusation is a conversation that was held against somebody although nothing
// proves it, or its twin, in which the same rule has a case.
type accusation struct {
	why    string
	script script
	fails  string
}

func runAccusations(t *testing.T, rows []accusation) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			h := row.script.history(t)
			j := Judge(h)
			assert.Equal(t, row.fails, failing(j))
			requireSound(t, h, j)
		})
	}
}

// The cancel crosses the answer that begins the task. The tool is told because of it,
// and the client, which knows of the task then, cancels that, too.
func TestTaskCancelledTwice(t *testing.T) {
	crossed := `10 client issue 1; > task 1
		20 server < task 1; > began 1; start 1
		21 client cancel 1; > cancel 1; return 1 canceled
		25 server < cancel 1; told 1; end 1 canceled
		30 client < began 1; > revoke 1
		40 server < revoke 1; > revoked 1 cancelled
		50 client < revoked 1 cancelled`
	runAccusations(t, []accusation{
		{why: "told at the first", script: script{task: "task", text: crossed}},
		{why: "told before either", script: asTask(`35 server told 1; end 1 canceled
			40 client cancel 1; > revoke 1
			50 server < revoke 1; > refused revoke 1 -32602
			60 client < refused revoke 1 -32602; return 1 canceled`), fails: "NO-SPURIOUS-CANCEL"},
	})
}
