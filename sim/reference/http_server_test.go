package reference

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpsim/mcpsim/sim/protocol"
)

const (
	asJSON   = "application/json"
	asEvents = "text/event-stream"
)

// primed is the priming event of a stream, at the version that has one.
func primed(version, name string) []step {
	if protocol.PrimesStreams(version) {
		return []step{primes(name)}
	}
	return nil
}

// streamed starts an exchange that is answered by a stream.
func streamed(version, name string, r rawRequest) []step {
	return append([]step{start(name, r), answers(name, 200, asEvents)}, primed(version, name)...)
}

func steps(all ...any) (out []step) {
	for _, s := range all {
		switch s := s.(type) {
		case step:
			out = append(out, s)
		case []step:
			out = append(out, s...)
		case func(*testing.T, *stage):
			out = append(out, s)
		}
	}
	return out
}

// What the strict server does with a client that a tool sends away in the middle of its
// work, and once more at the end.
func TestSiteSendsAway(t *testing.T) {
	e := legacyEra()
	ms := time.Millisecond
	open := streamed(protocol.V20251125, "a", posting(e.call("2", "away", "100")))
	for _, c := range []conversation{
		{"the exchange ends, and the call goes on", steps(open, hush(99*ms), sendsAway("a", 100*ms), hush(99*ms), told(0),
			resumes("b", "a"), answers("b", 200, asEvents), says("b", progressOf("2", "1")), hush(0), sendsAway("b", 100*ms),
			resumes("c", "b"), answers("c", 200, asEvents), says("c", progressOf("2", "2")), says("c", e.answer("2", "done")), ends("c"))},
		{"what was said meanwhile is kept", steps(open, sendsAway("a", 100*ms), hush(time.Hour),
			resumes("b", "a"), answers("b", 200, asEvents), says("b", progressOf("2", "1")), says("b", progressOf("2", "2")),
			says("b", e.answer("2", "done")), ends("b"))},
		{"a cancel reaches the handler meanwhile, and nothing more is said of the call", steps(open, sendsAway("a", 100*ms), hush(50*ms),
			does(posting(cancelOf("2")), 202, ""), told(1), resumes("b", "a"), answers("b", 200, asEvents), ends("b"))},
		{"a disconnect of who came back is no cancel", steps(open, sendsAway("a", 100*ms),
			resumes("b", "a"), answers("b", 200, asEvents), says("b", progressOf("2", "1")), drops("b"), hush(time.Hour), told(0),
			resumes("c", "b"), answers("c", 200, asEvents), says("c", progressOf("2", "2")), says("c", e.answer("2", "done")), ends("c"))},
		{"who has gone is not sent away", steps(open, drops("a"), hush(150*ms),
			resumes("b", "a"), answers("b", 200, asEvents), says("b", progressOf("2", "1")), hush(49*ms), sendsAway("b", 100*ms))},
		{"nor is who waits for another call", steps(open, streamed(protocol.V20251125, "b", posting(e.call("3", "slow", "150"))),
			sendsAway("a", 100*ms), hush(49*ms), says("b", e.answer("3", "done")), ends("b"))},
		{"the end of the session is the end of the call", steps(open, sendsAway("a", 100*ms), does(deleting(), 204, ""), told(1), sessionsLeft(0),
			does(getting("Last-Event-ID", "1-1"), 404, "unknown session"))},
	} {
		t.Run(c.why, func(t *testing.T) { playSite(t, protocol.V20251125, c) })
	}
}

// What the strict server answers to what a legacy client does.
func TestLegacySite(t *testing.T) {
	for _, version := range []string{protocol.V20250326, protocol.V20250618, protocol.V20251125} {
		e := legacyEra()
		call := func(id, tool, ms string) rawRequest { return posting(e.call(id, tool, ms)) }
		open := func(name string, r rawRequest) []step { return streamed(version, name, r) }
		ms := time.Millisecond
		for _, c := range []conversation{
			{"a call is answered by a stream, which ends", steps(
				open("a", call("2", "slow", "100")), hush(99*ms), says("a", e.answer("2", "done")), ends("a"))},
			{"progress comes before", steps(
				open("a", call("2", "chatty", "10")), says("a", progressOf("2", "1")), says("a", progressOf("2", "2")),
				says("a", progressOf("2", "3")), says("a", e.answer("2", "done")), ends("a"))},
			{"what needs no code of the application's is answered by an object", steps(
				does(posting(`{"jsonrpc":"2.0","id":2,"method":"ping"}`), 200, `{"jsonrpc":"2.0","id":2,"result":{}}`))},
			{"so is an unknown method", steps(
				does(posting(`{"jsonrpc":"2.0","id":2,"method":"odd"}`), 200, `-32601`))},
			{"a cancel is accepted at once, and the stream ends when the handler has", steps(
				open("a", call("2", "slow", "100")), open("b", call("3", "stubborn", "100")), hush(50*ms),
				does(posting(cancelOf("2")), 202, ""), told(1), ends("a"),
				does(posting(cancelOf("3")), 202, ""), hush(49*ms), ends("b"))},
			{"a cancel before its request is ignored", steps(
				does(posting(cancelOf("2")), 202, ""), open("a", call("2", "slow", "100")), hush(99*ms), told(0),
				says("a", e.answer("2", "done")), ends("a"))},
			{"a disconnect is no cancel, and the rest can be fetched", steps(
				open("a", call("2", "chatty", "10")), says("a", progressOf("2", "1")), drops("a"), hush(100*ms), told(0),
				resumes("b", "a"), answers("b", 200, asEvents),
				says("b", progressOf("2", "2")), says("b", progressOf("2", "3")), says("b", e.answer("2", "done")), ends("b"))},
			{"and again, as often as it is wanted", steps(
				open("a", call("2", "chatty", "10")), says("a", progressOf("2", "1")), drops("a"), hush(100*ms),
				resumes("b", "a"), answers("b", 200, asEvents), says("b", progressOf("2", "2")), drops("b"),
				resumes("c", "b"), answers("c", 200, asEvents), says("c", progressOf("2", "3")), says("c", e.answer("2", "done")), ends("c"))},
			{"a stream that is resumed goes on", steps(
				open("a", call("2", "chatty", "10")), says("a", progressOf("2", "1")), drops("a"),
				resumes("b", "a"), answers("b", 200, asEvents), hush(9*ms), says("b", progressOf("2", "2")),
				says("b", progressOf("2", "3")), says("b", e.answer("2", "done")), ends("b"))},
			{"who resumes takes the stream from whoever has it", steps(
				open("a", call("2", "chatty", "10")), says("a", progressOf("2", "1")),
				resumes("b", "a"), answers("b", 200, asEvents), ends("a"),
				says("b", progressOf("2", "2")), says("b", progressOf("2", "3")), says("b", e.answer("2", "done")), ends("b"))},
			{"nothing is replayed of another stream", steps(
				open("a", call("2", "chatty", "10")), open("b", call("3", "slow", "1")), says("b", e.answer("3", "done")), ends("b"),
				says("a", progressOf("2", "1")), drops("a"), hush(100*ms), resumes("c", "b"), answers("c", 200, asEvents), ends("c"))},
			{"nor of a call that was cancelled since", steps(
				open("a", call("2", "chatty", "10")), says("a", progressOf("2", "1")), drops("a"), hush(15*ms),
				does(posting(cancelOf("2")), 202, ""), hush(100*ms), resumes("b", "a"), answers("b", 200, asEvents), ends("b"))},
			{"an event that never was cannot be resumed from", steps(
				does(getting("Last-Event-ID", "0-1000"), 400, "not known"), does(getting("Last-Event-ID", "77-1"), 400, "is known"),
				does(getting("Last-Event-ID", "odd"), 400, "is known"))},
			{"the session ends by DELETE: streams end, handlers are told, and nobody knows it any more", steps(
				open("a", call("2", "slow", "100")), open("own", getting()), sessionsLeft(1), does(deleting(), 204, ""),
				told(1), ends("a"), ends("own"), sessionsLeft(0), does(call("3", "slow", "1"), 404, "unknown session"),
				does(posting(cancelOf("2")), 404, "unknown"), does(getting(), 404, "unknown"), does(deleting(), 404, "unknown"))},
			{"a second stream of the client's own takes the first one's place", steps(
				open("own", getting()), open("two", getting()), ends("own"), does(deleting(), 204, ""), ends("two"))},
			{"an id that is in use is refused", steps(
				open("a", call("2", "slow", "100")), does(call("2", "slow", "1"), 400, "belongs to a request that is not answered yet"),
				says("a", e.answer("2", "done")), ends("a"))},
			{"and one that is none", steps(does(call("null", "slow", "1"), 400, "neither a string nor an integer"))},
			{"initialize comes once", steps(
				does(posting(`{"jsonrpc":"2.0","id":9,"method":"initialize","params":{}}`), 200, "initialize came twice"))},
			{"without a session there is only initialize", steps(
				does(posting(e.call("2", "slow", "1"), "Mcp-Session-Id", ""), 400, "is missing"),
				does(posting(cancelOf("2"), "Mcp-Session-Id", ""), 400, "is missing"),
				does(getting("Mcp-Session-Id", ""), 400, "is missing"), does(deleting("Mcp-Session-Id", ""), 400, "is missing"),
				does(posting(e.call("2", "slow", "1"), "Mcp-Session-Id", "guessed"), 404, "unknown session"))},
		} {
			t.Run(version+"/"+c.why, func(t *testing.T) { playSite(t, version, c) })
		}
	}
}

// What is refused by its head, or because it is no message.
func TestLegacySiteRefuses(t *testing.T) {
	ping := `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	playSite(t, protocol.V20251125, conversation{steps: steps(
		does(posting(ping, "Accept", "application/json"), 406, "Accept"),
		does(posting(ping, "Accept", "text/event-stream"), 406, "Accept"),
		does(posting(ping, "Content-Type", "text/plain"), 415, "Content-Type"),
		does(posting(ping, "Content-Type", "application/json; charset=utf-8"), 200, "result"),
		does(posting(ping, "MCP-Protocol-Version", "2025-03-26"), 400, "unsupported protocol version"),
		does(posting(ping, "MCP-Protocol-Version", "2025-11-25"), 200, "result"),
		does(posting(ping, "Origin", "http://elsewhere.example"), 403, "origin"),
		does(posting(ping, "Origin", "http://memory"), 200, "result"),
		does(getting("Accept", "application/json"), 406, "Accept"),
		does(rawRequest{"PUT", ping, nil}, 405, "allows GET, POST, DELETE"),
		does(posting(`{"jsonrpc":`), 400, "-32700"),
		does(posting(`{}`), 400, "-32600"),
		does(posting(``), 400, "-32700"),
		does(posting(`[`+ping+`]`), 400, "-32600"),
		does(posting(strings.Repeat(" ", maxFrame+1)), 413, "too large"),
		does(posting(`{"jsonrpc":"2.0","id":77,"result":{}}`), 202, ""),
		does(posting(`{"jsonrpc":"2.0","method":"notifications/odd"}`), 202, ""),
	)})
	playSite(t, protocol.V20250326, conversation{steps: steps(
		does(posting(ping, "MCP-Protocol-Version", "anything"), 200, "result"),
	)})
}

// A batch is answered by one stream, or by one array; a cancel in it is heeded.
func TestSiteTakesBatches(t *testing.T) {
	e := legacyEra()
	playSite(t, protocol.V20250326, conversation{steps: steps(
		start("a", posting(batchOf(e.call("2", "slow", "100"), e.call("3", "slow", "50"), e.call("4", "slow", "10"), cancelOf("3")))),
		answers("a", 200, asEvents), says("a", batchOf(e.answer("4", "done"), e.answer("2", "done"))), ends("a"),
		does(posting(batchOf(`{"jsonrpc":"2.0","id":5,"method":"ping"}`, `{"jsonrpc":"2.0","id":6,"method":"ping"}`)), 200, `[{"jsonrpc":"2.0","id":`),
		does(posting(batchOf(cancelOf("77"), cancelOf("78"))), 202, ""),
		start("b", posting(batchOf(e.call("null", "slow", "1"), e.call("7", "slow", "1")))), answers("b", 200, asEvents),
		says("b", errorOf("", "-32600", "the id null is neither a string nor an integer")), says("b", batchOf(e.answer("7", "done"))), ends("b"),
		start("c", posting(batchOf(e.call("8", "slow", "100"), cancelOf("8")))), answers("c", 200, asEvents), ends("c"),
	)})
}

// What the strict server answers where there are no sessions.
func TestModernSite(t *testing.T) {
	e := modernEra()
	ms := time.Millisecond
	call := func(id, tool, ms string) rawRequest { return posting(e.call(id, tool, ms)) }
	open := func(name string, r rawRequest) []step { return streamed(e.version, name, r) }
	for _, c := range []conversation{
		{"a call is answered by a stream, which ends", steps(
			open("a", call("2", "chatty", "10")), says("a", progressOf("2", "1")), says("a", progressOf("2", "2")),
			says("a", progressOf("2", "3")), says("a", e.answer("2", "done")), ends("a"))},
		{"what needs no code of the application's is answered by an object", steps(
			does(posting(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{`+modernMeta+`}}}`), 200, `"cacheScope":"private"`))},
		{"one id may be in use twice", steps(
			open("a", call("2", "slow", "100")), open("b", call("2", "slow", "50")), says("b", e.answer("2", "done")), ends("b"),
			says("a", e.answer("2", "done")), ends("a"))},
		{"a disconnect cancels that request and no other", steps(
			open("a", call("2", "slow", "100")), open("b", call("2", "slow", "100")), hush(50*ms), drops("a"), told(1), hush(49*ms),
			says("b", e.answer("2", "done")), ends("b"), told(1))},
		{"a cancel that is posted is accepted, and nothing else", steps(
			open("a", call("2", "slow", "100")), does(posting(cancelOf("2")), 202, ""), hush(99*ms), told(0), says("a", e.answer("2", "done")), ends("a"))},
		{"there is no other method", steps(
			does(getting(), 405, "allows POST"), does(deleting(), 405, "allows POST"), does(getting("Last-Event-ID", "1-1"), 405, "POST"))},
		{"a session is ignored", steps(
			start("a", posting(e.call("2", "slow", "1"), "Mcp-Session-Id", "x", "Last-Event-ID", "1-1")), answers("a", 200, asEvents), says("a", e.answer("2", "done")), ends("a"))},
		{"no response is taken", steps(does(posting(`{"jsonrpc":"2.0","id":1,"result":{}}`), 400, "no responses"))},
		{"nor a batch", steps(does(posting(`[`+e.call("2", "slow", "1")+`]`), 400, "-32600"))},
		{"nor an id that is none", steps(does(call("null", "slow", "1"), 400, "neither a string"))},
		{"an unknown method is not found", steps(
			does(posting(`{"jsonrpc":"2.0","id":2,"method":"ping","params":{"_meta":{`+modernMeta+`}}}`), 404, `"id":2,"error":{"code":-32601`))},
		{"a header is missing", steps(
			does(posting(e.call("2", "slow", "1"), "MCP-Protocol-Version", ""), 400, `"id":2,"error":{"code":-32020`),
			does(posting(e.call("2", "slow", "1"), "Mcp-Method", ""), 400, `-32020`),
			does(posting(e.call("2", "slow", "1"), "Mcp-Name", ""), 400, `-32020`))},
		{"or says something else than the body", steps(
			does(posting(e.call("2", "slow", "1"), "MCP-Protocol-Version", "2025-11-25"), 400, `-32020`),
			does(posting(e.call("2", "slow", "1"), "Mcp-Method", "tools/list"), 400, `-32020`),
			does(posting(e.call("2", "slow", "1"), "Mcp-Name", "Slow"), 400, `-32020`),
			start("a", posting(e.call("2", "slow", "1"), "Mcp-Name", "=?base64?c2xvdw==?=")), answers("a", 200, asEvents),
			says("a", e.answer("2", "done")), ends("a"),
			does(posting(e.call("2", "slow", "1"), "Mcp-Name", "=?base64?c2xvd?="), 400, `-32020`))},
		{"another version", steps(
			does(posting(strings.ReplaceAll(e.call("2", "slow", "1"), e.version, "2099-01-01"), "MCP-Protocol-Version", "2099-01-01"), 400, `-32022`),
			does(posting(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`, "MCP-Protocol-Version", ""), 400, `"supported":["2026-07-28"]`))},
		{"_meta is missing", steps(
			does(posting(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`), 400, `-32602`))},
	} {
		t.Run(c.why, func(t *testing.T) { playSite(t, e.version, c) })
	}
}

// HTTP+SSE: one stream, and posts to where it says.
func TestOldSite(t *testing.T) {
	e := legacyEra()
	version := protocol.V20241105
	initialize := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`
	aimed := func(t *testing.T, s *stage) {
		e, ok := s.door.open["own"].next()
		if !ok || e.name != "endpoint" || !strings.HasPrefix(e.data, "/mcp?sessionId=") {
			t.Fatalf("want an endpoint, got %v", e)
		}
		s.door.url = "http://memory" + e.data
	}
	accepted := func(frame string) step { return does(posting(frame, "Accept", ""), 202, "") }
	begin := steps(
		start("own", getting()), answers("own", 200, asEvents), step(aimed), sessionsLeft(1), accepted(initialize),
		says("own", `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"mcpsim-reference","version":"1"}}}`),
		accepted(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	for _, c := range []conversation{
		{"a call is answered by the stream", steps(accepted(e.call("2", "slow", "100")), says("own", e.answer("2", "done")))},
		{"a cancelled call is not", steps(accepted(e.call("2", "slow", "100")), accepted(cancelOf("2")), told(1), hush(time.Hour))},
		{"the end of the stream is that of the session", steps(
			accepted(e.call("2", "slow", "100")), drops("own"), told(1), sessionsLeft(0), does(posting(cancelOf("2")), 404, "unknown session"))},
		{"what is no message is refused", steps(does(posting(`{}`), 400, "-32600"), does(posting(e.call("null", "slow", "1")), 400, "neither a string"))},
		{"nobody else's session is known", steps(func(t *testing.T, s *stage) { s.door.url = "http://memory/mcp" },
			does(posting(cancelOf("2")), 400, "sessionId is missing"), does(deleting(), 405, "GET, POST"))},
	} {
		t.Run(c.why, func(t *testing.T) {
			playSite(t, version, conversation{c.why, append(begin[:len(begin):len(begin)], c.steps...)})
		})
	}
}
