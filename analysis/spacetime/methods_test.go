package spacetime

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A listing says what was asked for, where that is not a tool, and what became of
// a cancel that was not made.
func TestOtherCalls(t *testing.T) {
	for _, row := range []struct {
		why, method, handler string
		issue, heading       string
	}{
		{"a tool", "tools/call", "child", `caller calls "child"`, `call 1 of 1, tool "child"`},
		{"something else that the application answers", "prompts/get", "child", `caller calls prompts/get "child"`, `call 1 of 1, prompts/get "child"`},
		{"what it does not answer", "ping", "", "caller calls ping", "call 1 of 1, ping"},
	} {
		b := newWorld("2025-11-25", row.handler)
		b.h.Header.Calls[0].Method = row.method
		b.client(history.Issue, 1, "")
		b.at(5).client(history.Missed, 1, "started had not come when the call returned")
		text := Render(b.h, b.j, Options{})
		assert.Contains(t, text, row.issue, row.why)
		assert.Contains(t, text, "caller does not cancel: started had", row.why)
		assert.Contains(t, text, row.heading, row.why)
	}
}

// How a handler ended is told by what it did after it was told.
func TestEndsOfHandlers(t *testing.T) {
	for _, row := range []struct {
		why   string
		after float64 // ms from being told to the end
		text  string  // the handler's error
		want  string
	}{
		{"a panic", 0, "panic", "handler panics"},
		{"an end in the instant of being told is no running on", 0, "", "handler returns"},
		{"an end later is", 1, "", "handler ran on, returns"},
		{"what the context says", 0, "context canceled", "handler returns ctx.Err()"},
	} {
		b := newWorld("2025-11-25", "swallow")
		b.server(history.Start, 1, "")
		b.at(5).server(history.Told, 1, "context canceled")
		b.at(5+row.after).server(history.End, 1, row.text)
		assert.Contains(t, Render(b.h, b.j, Options{}), row.want, row.why)
	}
}
