package sim

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Whose doing it is that a handler panics. The functions of this test are the simulator's
// own code, unless its package is said to be the target's.
func TestWhoIsToBlameForAPanic(t *testing.T) {
	const here, elsewhere = ownModule + "/sim", "example.com/sdk"
	var tool *handler // whose tools cannot but panic
	breaks := func() { panic("at once") }
	for _, row := range []struct {
		why, server string
		panics      func(w http.ResponseWriter)
		blame, top  string // the first function of the stack
	}{
		{"the server", here, func(http.ResponseWriter) { breaks() }, "server", "TestWhoIsToBlameForAPanic"},
		//lint:ignore SA5000 it is to panic
		{"the runtime, for the server", here, func(http.ResponseWriter) { map[string]int(nil)["x"]++ }, "server", "TestWhoIsToBlameForAPanic"},
		{"the library, for the server", here, func(w http.ResponseWriter) { w.WriteHeader(1) }, "server", "net/http.checkWriteHeaderCode"},
		{"the simulator itself", elsewhere, func(http.ResponseWriter) { breaks() }, "", "TestWhoIsToBlameForAPanic"},
		{"a tool", here, func(http.ResponseWriter) { _, _ = tool.instant(t.Context()) }, "tool", "sim.(*handler)."},
		{"a tool, and the server panics again with what it recovered", here, func(http.ResponseWriter) {
			defer func() { panic(recover()) }()
			_, _ = tool.instant(t.Context())
		}, "tool", "sim.(*handler)."},
		{"a tool, and then what the server had deferred", here, func(http.ResponseWriter) {
			defer breaks()
			_, _ = tool.instant(t.Context())
		}, "tool", "sim.(*handler)."},
		{"the server, and again", here, func(http.ResponseWriter) {
			defer func() { panic(recover()) }()
			breaks()
		}, "server", "TestWhoIsToBlameForAPanic.func1"},
		{"nobody: the handler breaks the exchange off", here, func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, "", ""},
	} {
		t.Run(row.why, func(t *testing.T) {
			end := panicOnStage(t, row.server, row.panics)
			assert.Equal(t, row.blame, end.Blame, end.Text)
			said, stack, _ := strings.Cut(end.Text, "\n")
			if row.top == "" {
				assert.Empty(t, end.Text)
				return
			}
			assert.Regexp(t, "^panic: .", said)
			assert.NotContains(t, stack, "0x", "addresses differ from run to run")
			for strings.HasPrefix(stack, "runtime.") || strings.HasPrefix(stack, "internal/runtime/") {
				_, stack, _ = strings.Cut(stack, "\n")
				_, stack, _ = strings.Cut(stack, "\n")
			}
			first, _, _ := strings.Cut(stack, "\n")
			assert.Contains(t, first, row.top, "%s", end.Text)
		})
	}
}

// panicOnStage returns how the server's end of a call ended.
func panicOnStage(t *testing.T, server string, panics func(http.ResponseWriter)) (end history.Event) {
	var world *world
	onStage(t, HTTP1, func(_ *stage, w http.ResponseWriter, r *http.Request) {
		hear(r)
		panics(w)
	}, func(s *stage) {
		world = s.world
		world.Server.Package = server
		s.ask(aCall)
	})
	found := false
	for _, e := range world.rec.History(world.header).Events {
		if e.Side == history.Server && e.Kind == history.Finish {
			end, found = e, true
		}
	}
	require.True(t, found)
	return end
}
