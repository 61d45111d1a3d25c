package reference

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// wireConversations are mutantConversations for the defects of messages.
func wireConversations(e era) map[defect]conversation {
	const ms = time.Millisecond
	legacy := e.meta == ""
	only := func(when bool, steps ...step) []step {
		if when {
			return steps
		}
		return nil
	}
	call := []step{send(e.call("2", "slow", "10"))}
	answered := []step{hear(e.answer("2", "done")), silence(time.Minute)}
	then := func(groups ...[]step) []step {
		var out []step
		for _, g := range groups {
			out = append(out, g...)
		}
		return out
	}
	asked := []step{ask("a"), hear(e.asked("2", "a"))}
	given := []step{giveUp("a"), hear(gaveUp("2")), returned("a", "", "context canceled")}
	invented := func(figure string) string {
		return strings.Replace(progressOf("2", figure), `"p2"`, `"nobody's"`, 1)
	}
	return map[defect]conversation{
		cancelsTheirs: {"a cancel of what the client asked", then(call,
			[]step{hear(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"the server is busy"}}`)}, answered)},
		answersRetyped: {"a second response under another type of id", then(
			only(legacy, hear(`{"jsonrpc":"2.0","id":"1","result":{}}`)), call,
			[]step{hear(e.answer("2", "done")), hear(`{"jsonrpc":"2.0","id":"2","result":{}}`), silence(time.Minute)})},
		answersBoth: {"a second response with an error beside its result", then(
			[]step{hear(bothOf(e.firstID()))}, call, []step{hear(e.answer("2", "done")), hear(bothOf("2")), silence(time.Minute)})},
		asksBack: {"a ping of its own", then(call, []step{hear(`{"jsonrpc":"2.0","id":"back 1","method":"ping"}`)}, answered)},
		logsUnasked: {"a log message", then(call,
			[]step{hear(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"a call came"}}`)}, answered)},
		progressAfterResponse: {"progress behind the response", then(call,
			[]step{hear(e.answer("2", "done")), hear(progressOf("2", "1")), silence(time.Minute)})},
		inventsTokens: {"progress of nothing beside that of the call", []step{send(e.call("2", "chatty", "1")),
			hear(progressOf("2", "1")), hear(invented("1")), hear(progressOf("2", "2")), hear(invented("2")),
			hear(progressOf("2", "3")), hear(invented("3")), hear(e.answer("2", "done"))}},
		repeatsProgress: {"each figure twice", []step{send(e.call("2", "chatty", "1")),
			hear(progressOf("2", "1")), hear(progressOf("2", "1")), hear(progressOf("2", "2")), hear(progressOf("2", "2")),
			hear(progressOf("2", "3")), hear(progressOf("2", "3")), hear(e.answer("2", "done"))}},
		tardyPongs: {"a pong after a while, where there are pings", then(only(legacy,
			send(`{"jsonrpc":"2.0","id":2,"method":"ping","params":{"_meta":{}}}`), silence(pongDelay-ms), hear(`{"jsonrpc":"2.0","id":2,"result":{}}`),
			send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`), hear(`{"jsonrpc":"2.0","id":3,"result":{}}`)),
			only(!legacy, send(e.call("2", "slow", "1")), hear(e.answer("2", "done"))))},
		holdsCancelled: {"a goroutine stays while the session lasts", []step{send(e.call("2", "slow", "10")), send(cancelOf("2")), told(1),
			remain("hold.func1", 1), hangUp(), heardEnd(), over(""), remain("hold.func1", 0)}},

		cancelsReturned: {"a cancel for what has an answer", then(only(!legacy, hear(dismissed("1"))), asked,
			[]step{send(e.answer("2", "fine")), returned("a", "fine", ""), hear(dismissed("2"))})},
		cancelsInitialize: {"a cancel behind initialize", then(only(legacy, connect(),
			hear(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcpsim-reference","version":"1"}}}`),
			hear(dismissed("1")), giveUp("connect")), only(!legacy, silence(time.Minute)))},
		cancelsNothing: {"a cancel of nothing behind that of the call", then(asked, given,
			[]step{hear(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"the caller gave up"}}`)})},
		numbersCancels: {"the cancel once more, as a request", then(asked, given,
			[]step{hear(`{"jsonrpc":"2.0","id":"cancel of 2","method":"notifications/cancelled","params":{"requestId":2}}`)})},
		recyclesIDs: {"the id that was answered comes again", []step{ask("a"), hear(e.asked("1", "a")), send(e.answer("1", "fine")), returned("a", "fine", ""),
			ask("b"), hear(e.asked("1", "b"))}},
		reusesCancelledIDs: {"the id that was cancelled comes again", then(asked, given, []step{ask("b"), hear(e.asked("2", "b"))})},
		asksUnderNull:      {"a request under null", []step{hear(e.probeUnder("null"))}},
		asksUnderFraction:  {"a request under a fraction", []step{hear(e.probeUnder("1.5"))}},
		repliesUnasked: {"a response to a response", then(only(!legacy, hear(`{"jsonrpc":"2.0","id":1,"result":{}}`)), asked,
			[]step{send(e.answer("2", "fine")), returned("a", "fine", ""), hear(`{"jsonrpc":"2.0","id":2,"result":{}}`)})},
		sharesTokens: {"one token for all", []step{
			ask("a"), hear(strings.Replace(e.asked("2", "a"), `"p-a"`, `"shared"`, 1)),
			ask("b"), hear(strings.Replace(e.asked("3", "b"), `"p-b"`, `"shared"`, 1))}},
		hangsUpLate:     {"the stream ends a minute after Close", []step{closeClient(), returned("close", "", ""), silence(hangUpDelay - ms), heardEnd(), hangUp()}},
		awaitsCancelled: {"a goroutine stays", then(asked, given, []step{remain("clientAwaits", 1)})},
	}
}

// firstID is the id of the handshake.
func (e era) firstID() string {
	if e.meta == "" {
		return "1"
	}
	return `"d1"`
}

func (e era) probeUnder(id string) string {
	if e.meta == "" {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/list","params":{"_meta":{` + modernMeta + `}}}`
}

func bothOf(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{},"error":{"code":-32603,"message":"and an error"}}`
}

func dismissed(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"never mind"}}`
}

// remain says that so many goroutines run a function now.
func remain(function string, n int) step {
	return func(t *testing.T, _ *stage) {
		t.Helper()
		time.Sleep(time.Microsecond)
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		assert.Equal(t, n, bytes.Count(stacks, []byte(function+"(")), function)
	}
}

// A client that hears what is damaged and for nobody goes on; it gives up where it
// may have been an answer.
func TestClientAndDamagedAnswers(t *testing.T) {
	for _, e := range eras() {
		t.Run(e.version, func(t *testing.T) {
			steps := append(e.connected(), ask("a"), hear(e.asked("2", "a")), send(bothOf("7")), waits("a", time.Minute),
				send(bothOf("2")), heardEnd(), returned("a", "", "no JSON-RPC message"))
			playClient(t, e.version, none, conversation{"a response with an error beside its result", steps})
		})
	}
}
