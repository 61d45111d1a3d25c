package reference

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

func initializeOf(version string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"mcpsim-reference","version":"1"}}}`
}

func initializedAs(version string) string {
	return `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"` + version + `","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}}`
}

// webConnected is the handshake of the legacy era as the raw server sees it, and then the
// client's own stream, which it does not offer. The next id is 2.
func webConnected(version string) []step {
	return append(webGreeted(version),
		reaches("own", "GET", "", "Accept", asEvents, "Mcp-Session-Id", "s1", "Mcp-Protocol-Version", namedAt(version)),
		replies("own", 405, "", ""), returned("connect", "", ""))
}

func webGreeted(version string) []step {
	return steps(
		connect(),
		reaches("initialize", "POST", initializeOf(version), "Mcp-Session-Id", "", "Mcp-Protocol-Version", "",
			"Accept", "application/json, text/event-stream", "Content-Type", asJSON),
		replies("initialize", 200, asJSON, initializedAs(version), "Mcp-Session-Id", "s1"),
		reaches("initialized", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			"Mcp-Session-Id", "s1", "Mcp-Protocol-Version", namedAt(version)),
		waits("connect", time.Second), replies("initialized", 202, "", ""))
}

func namedAt(version string) string {
	if protocol.NamesVersion(version) {
		return version
	}
	return ""
}

// closesWeb has the application close the client, and ends the session.
func closesWeb() []step {
	return steps(closeClient(), reaches("delete", "DELETE", "", "Mcp-Session-Id", "s1"), replies("delete", 204, "", ""), returned("close", "", ""))
}

func TestLegacyWebClient(t *testing.T) {
	e := legacyEra()
	ms := time.Millisecond
	for _, version := range []string{protocol.V20250326, protocol.V20250618, protocol.V20251125} {
		head := []string{"Mcp-Session-Id", "s1", "Mcp-Protocol-Version", namedAt(version)}
		begun := steps(ask("a"), reaches("a", "POST", e.asked("2", "a"), head...))
		cancelled := reaches("cancel", "POST", gaveUp("2"), append(head, "Accept", "application/json, text/event-stream")...)
		answer := messageEvent("", e.answer("2", "one"))
		for _, c := range []conversation{
			{"an answer that is an object", steps(begun, replies("a", 200, asJSON, e.answer("2", "one")), returned("a", "one", ""), closesWeb())},
			{"one that comes by a stream, behind progress", steps(begun, streams("a", messageEvent("", progressOf("-a", "1"))), waits("a", ms),
				streams("a", answer), returned("a", "one", ""), stops("a"), closesWeb())},
			{"calls do not wait for each other", steps(begun, ask("b"), reaches("b", "POST", e.asked("3", "b")),
				replies("b", 200, asJSON, e.answer("3", "two")), returned("b", "two", ""), waits("a", time.Hour),
				replies("a", 200, asJSON, e.answer("2", "one")), returned("a", "one", ""))},
			{"a call is cancelled by a post, and its stream left to the server", steps(begun, streams("a", "\n"), giveUp("a"), returned("a", "", "context canceled"),
				cancelled, closedBy("a", false), replies("cancel", 202, "", ""), lull(time.Second), closedBy("a", false),
				streams("a", answer), stops("a"), lull(time.Minute))},
			{"but not for ever", steps(begun, streams("a", "\n"), giveUp("a"), cancelled, replies("cancel", 202, "", ""),
				lull(lingering-ms), closedBy("a", false), lull(2*ms), closedBy("a", true))},
			{"also if the server has said nothing yet, or does not accept the cancel", steps(begun, giveUp("a"), cancelled, closedBy("a", false),
				replies("cancel", 400, asJSON, errorOf("", "-1", "no")), lull(lingering-ms), closedBy("a", false), lull(2*ms), closedBy("a", true))},
			{"nor is a stream left open behind the answer", steps(begun, streams("a", answer), returned("a", "one", ""), lull(lingering-ms), closedBy("a", false),
				lull(2*ms), closedBy("a", true))},
			{"a cancelled call's stream that ends is not resumed", steps(begun, streams("a", messageEvent("7", progressOf("-a", "1"))), giveUp("a"),
				cancelled, replies("cancel", 202, "", ""), cuts("a"), lull(time.Hour))},
			{"a stream that breaks off is resumed, as often as something comes", steps(begun,
				streams("a", messageEvent("7", progressOf("-a", "1"))), cuts("a"), lull(reconnectDelay-ms),
				reaches("b", "GET", "", append(head, "Last-Event-ID", "7", "Accept", asEvents)...), streams("b", messageEvent("8", progressOf("-a", "2"))), stops("b"),
				reaches("c", "GET", "", append(head, "Last-Event-ID", "8")...), streams("c", messageEvent("9", e.answer("2", "one"))), returned("a", "one", ""), stops("c"), lull(time.Hour))},
			{"after as long as the server wants", steps(begun, streams("a", "id: 7\nretry: 5000\ndata:\n\n"), stops("a"), lull(5*time.Second-ms),
				reaches("b", "GET", "", "Last-Event-ID", "7"), streams("b", answer), returned("a", "one", ""), stops("b"))},
			{"a refusal to resume loses the call", steps(begun, streams("a", messageEvent("7", progressOf("-a", "1"))), cuts("a"),
				reaches("b", "GET", ""), replies("b", 400, "", ""), returned("a", "", "the server does not resume it"), lull(time.Hour))},
			{"so does a server that cannot be reached, in the end", steps(begun, streams("a", messageEvent("7", progressOf("-a", "1"))), cuts("a"),
				refuses(maxReconnects, 502), returned("a", "", "nothing came by 5 connections"), lull(time.Hour))},
			{"whose connections bring nothing", steps(begun, streams("a", messageEvent("7", progressOf("-a", "1"))), cuts("a"),
				emptyStreams(maxReconnects), returned("a", "", "nothing came by 5 connections"), lull(time.Hour))},
			{"a call that is given up meanwhile is not resumed", steps(begun, streams("a", messageEvent("7", progressOf("-a", "1"))), cuts("a"), giveUp("a"),
				cancelled, replies("cancel", 202, "", ""), lull(time.Hour))},
			{"a stream without ids is lost", steps(begun, streams("a", messageEvent("", progressOf("-a", "1"))), cuts("a"),
				returned("a", "", "the stream of the response broke off"), lull(time.Hour))},
			{"so is a request that is never answered", steps(begun, cuts("a"), returned("a", "", "EOF"), lull(time.Hour))},
			{"or whose answer is no message", steps(begun, replies("a", 502, "text/html", "<p>no"), returned("a", "", "HTTP status 502"))},
			{"an error may come with a status", steps(begun, replies("a", 400, asJSON, errorOf("", "-32600", "no such thing")), returned("a", "", "error -32600: no such thing"))},
			{"or with an id", steps(begun, replies("a", 400, asJSON, errorOf("2", "-32600", "no such thing")), returned("a", "", "error -32600: no such thing"))},
			{"a session that is not known has ended", steps(begun, replies("a", 404, "", ""), returned("a", "", "the session has ended"),
				ask("b"), reaches("b", "POST", e.asked("3", "b")), replies("b", 404, "", ""), returned("b", "", "the session has ended"))},
			{"which a cancel need not care for", steps(begun, streams("a", "\n"), giveUp("a"), cancelled, replies("cancel", 404, "", ""), stops("a"), lull(time.Hour))},
			{"an answer of another kind", steps(begun, replies("a", 200, "text/plain", "hello"), returned("a", "", `answers a request with 200 OK, "text/plain"`))},
			{"the server asks by a stream, and the answer is posted", steps(begun, streams("a", messageEvent("", `{"jsonrpc":"2.0","id":9,"method":"ping"}`)),
				reaches("pong", "POST", `{"jsonrpc":"2.0","id":9,"result":{}}`, head...), replies("pong", 202, "", ""),
				streams("a", answer), returned("a", "one", ""), stops("a"))},
			{"closing releases callers, and says goodbye before anything is dropped", steps(begun, streams("a", "\n"), closeClient(), returned("a", "", "closed"),
				reaches("delete", "DELETE", "", head...), closedBy("a", false), replies("delete", 204, "", ""), returned("close", "", ""), closedBy("a", true))},
			{"a goodbye that is not allowed, or comes too late, is one", steps(closeClient(), reaches("delete", "DELETE", ""), replies("delete", 405, "", ""), returned("close", "", ""))},
			{"one that is never answered is waited for so long", steps(closeClient(), reaches("delete", "DELETE", ""), waits("close", closeGrace-1), moment(),
				returned("close", "", "did not hang up within 5s"))},
			{"and one that fails is told", steps(closeClient(), reaches("delete", "DELETE", ""), replies("delete", 500, "", ""), returned("close", "", "HTTP status 500"))},
			{"what is posted last is waited for a moment", steps(begun, streams("a", "\n"), giveUp("a"), cancelled, closeClient(), lull(notesGrace-ms),
				reaches("delete", "DELETE", ""), replies("delete", 204, "", ""), returned("close", "", ""))},
		} {
			t.Run(version+"/"+c.why, func(t *testing.T) {
				playWebClient(t, version, conversation{c.why, append(webConnected(version), c.steps...)})
			})
		}
	}
}

// refuses answers so many exchanges with a status, as they come.
func refuses(n, status int) []step {
	var out []step
	for i := range n {
		name := fmt.Sprint("refused ", i)
		out = append(out, reaches(name, "GET", ""), replies(name, status, "", ""))
	}
	return out
}

// emptyStreams answers so many exchanges with a stream by which nothing comes.
func emptyStreams(n int) []step {
	var out []step
	for i := range n {
		name := fmt.Sprint("empty ", i)
		out = append(out, reaches(name, "GET", ""), streams(name, ":\n"), stops(name))
	}
	return out
}

func TestLegacyWebHandshake(t *testing.T) {
	version := protocol.V20251125
	for _, c := range []conversation{
		{"the answer may come by a stream", steps(connect(), reaches("initialize", "POST", initializeOf(version)),
			replies("initialize", 200, asEvents, messageEvent("", initializedAs(version))),
			reaches("initialized", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", ""), replies("initialized", 202, "", ""),
			returned("connect", "", ""), reaches("own", "GET", ""), replies("own", 405, "", ""), closeClient(), returned("close", "", ""), lull(time.Hour))},
		{"an initialize is not cancelled", steps(connect(), reaches("initialize", "POST", initializeOf(version)), giveUp("connect"),
			returned("connect", "", "connect: context canceled"), closedBy("initialize", true), lull(time.Hour))},
		{"a server that does not accept the client ends it", steps(connect(), reaches("initialize", "POST", initializeOf(version)),
			replies("initialize", 200, asJSON, initializedAs(version), "Mcp-Session-Id", "s1"), reaches("initialized", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`),
			replies("initialized", 400, "", ""), reaches("delete", "DELETE", "", "Mcp-Session-Id", "s1"), replies("delete", 204, "", ""),
			returned("connect", "", "connect: the server answers with HTTP status 400"))},
		{"the client's own stream is kept open, from the event where it broke off", steps(webGreeted(version), reaches("own", "GET", ""),
			streams("own", "id: 1\nretry: 2000\ndata:\n\n"), cuts("own"), lull(2*time.Second-1), reaches("again", "GET", "", "Last-Event-ID", "1"),
			streams("again", messageEvent("2", `{"jsonrpc":"2.0","id":9,"method":"ping"}`)), reaches("pong", "POST", `{"jsonrpc":"2.0","id":9,"result":{}}`), replies("pong", 202, "", ""),
			closeClient(), reaches("delete", "DELETE", ""), replies("delete", 204, "", ""), returned("close", "", ""), closedBy("again", true))},
		{"and given up if nothing comes", steps(webGreeted(version), reaches("own", "GET", ""), replies("own", 503, "", ""),
			refuses(maxReconnects, 503), lull(time.Hour))},
	} {
		t.Run(c.why, func(t *testing.T) { playWebClient(t, version, c) })
	}
}

func TestModernWebClient(t *testing.T) {
	e := modernEra()
	discover := `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{` + modernMeta + `}}}`
	connected := steps(connect(),
		reaches("discover", "POST", discover, "Mcp-Protocol-Version", e.version, "Mcp-Method", "server/discover", "Mcp-Name", "", "Accept", "application/json, text/event-stream"),
		replies("discover", 200, asJSON, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}}`, "Mcp-Session-Id", "ignored"),
		returned("connect", "", ""))
	begun := steps(ask("a"), reaches("a", "POST", e.asked("2", "a"), "Mcp-Protocol-Version", e.version, "Mcp-Method", "tools/call", "Mcp-Name", "a", "Mcp-Session-Id", ""))
	answer := messageEvent("", e.answer("2", "one"))
	for _, c := range []conversation{
		{"an answer that is an object", steps(begun, replies("a", 200, asJSON, e.answer("2", "one")), returned("a", "one", ""))},
		{"one that comes by a stream", steps(begun, streams("a", answer), returned("a", "one", ""), stops("a"))},
		{"a call is cancelled by closing its stream", steps(begun, streams("a", "\n"), closedBy("a", false), giveUp("a"), returned("a", "", "context canceled"), closedBy("a", true), lull(time.Hour))},
		{"or the exchange that has not been answered", steps(begun, giveUp("a"), returned("a", "", "context canceled"), closedBy("a", true), lull(time.Hour))},
		{"and no other", steps(begun, ask("b"), reaches("b", "POST", e.asked("3", "b")), giveUp("a"), closedBy("a", true), closedBy("b", false),
			replies("b", 200, asJSON, e.answer("3", "two")), returned("b", "two", ""))},
		{"a stream that breaks off is lost, and not asked for again", steps(begun, streams("a", messageEvent("7", progressOf("-a", "1"))), cuts("a"),
			returned("a", "", "the stream of the response broke off"), lull(time.Hour))},
		{"so is one that ends", steps(begun, streams("a", messageEvent("7", progressOf("-a", "1"))), stops("a"),
			returned("a", "", "the stream of the response broke off"), lull(time.Hour))},
		{"an error comes with a status", steps(begun, replies("a", 404, asJSON, errorOf("2", "-32601", "method not found")), returned("a", "", "error -32601: method not found"))},
		{"closing cancels what is under way", steps(begun, streams("a", "\n"), closeClient(), returned("a", "", "closed"), returned("close", "", ""), closedBy("a", true), lull(time.Hour))},
		{"names that are no plain text are encoded", steps(ask("größe"), reaches("a", "POST", e.asked("2", "größe"), "Mcp-Name", "=?base64?Z3LDtsOfZQ==?="),
			replies("a", 200, asJSON, e.answer("2", "one")), returned("größe", "one", ""))},
		{"the server must not ask", steps(begun, streams("a", messageEvent("", `{"jsonrpc":"2.0","id":9,"method":"ping"}`)), lull(time.Hour), streams("a", answer), returned("a", "one", ""), stops("a"))},
	} {
		t.Run(c.why, func(t *testing.T) {
			playWebClient(t, e.version, conversation{c.why, append(connected[:len(connected):len(connected)], c.steps...)})
		})
	}
}

// HTTP+SSE: the client posts to where the stream says, and hears everything by that.
func TestOldWebClient(t *testing.T) {
	version := protocol.V20241105
	e := legacyEra()
	opened := steps(connect(), reaches("own", "GET", "", "Accept", asEvents), lull(time.Second))
	connected := steps(opened, streams("own", "event: endpoint\ndata: /post?sessionId=1\n\n"),
		reaches("initialize", "POST", initializeOf(version)), replies("initialize", 202, "", "Accepted"),
		streams("own", messageEvent("", initializedAs(version))),
		reaches("initialized", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`), replies("initialized", 202, "", ""), returned("connect", "", ""))
	begun := steps(ask("a"), reaches("a", "POST", e.asked("2", "a")), postedTo("a", "/post?sessionId=1"))
	answer := streams("own", messageEvent("", e.answer("2", "one")))
	for _, c := range []conversation{
		{"the answer comes by the stream", steps(connected, begun, replies("a", 202, "", ""), waits("a", time.Hour), answer, returned("a", "one", ""),
			closeClient(), returned("close", "", ""), closedBy("own", true))},
		{"also before the post is accepted", steps(connected, begun, answer, returned("a", "one", ""), replies("a", 200, "", ""))},
		{"a cancel is posted", steps(connected, begun, replies("a", 202, "", ""), giveUp("a"), returned("a", "", "context canceled"),
			reaches("cancel", "POST", gaveUp("2")), replies("cancel", 202, "", ""), answer, lull(time.Hour))},
		{"a post that is refused is lost", steps(connected, begun, replies("a", 400, "", ""), returned("a", "", "HTTP status 400"))},
		{"the stream's end is the session's", steps(connected, begun, replies("a", 202, "", ""), stops("own"), returned("a", "", "the server has hung up"))},
		{"and what breaks it", steps(connected, begun, replies("a", 202, "", ""), cuts("own"), returned("a", "", "unexpected EOF"))},
		{"a server without a stream", steps(connect(), reaches("own", "GET", ""), replies("own", 404, "", ""), returned("connect", "", "open the stream"))},
		{"one that wants posts elsewhere", steps(opened, streams("own", "event: endpoint\ndata: http://elsewhere.example/post\n\n"), returned("connect", "", "posted elsewhere"), stops("own"))},
	} {
		t.Run(c.why, func(t *testing.T) { playWebClient(t, version, c) })
	}
}

// postedTo says where an exchange was sent.
func postedTo(name, to string) step {
	return func(t *testing.T, s *stage) {
		if got := s.site.open[name].r.URL.String(); got != to {
			t.Fatalf("posted to %s, want %s", got, to)
		}
	}
}

// A subscription is a stream of its own, which the client closes.
func TestWebClientListens(t *testing.T) {
	env := sim.ClientEnv{SpecVersion: protocol.V20260728, Transport: sim.StreamableHTTP}
	listening := func(_ *testing.T, s *stage) {
		s.begin("a", func(ctx context.Context) (string, error) {
			return s.client.Call(ctx, sim.Request{Method: protocol.Listen, Name: "mcpsim://call/1"})
		})
	}
	asked := strings.NewReplacer("$id", "2", "$asked", `"resourceSubscriptions":["mcpsim://call/1"]`, "$meta", modernMeta).Replace(
		`{"jsonrpc":"2.0","id":$id,"method":"subscriptions/listen","params":{"notifications":{$asked},"_meta":{$meta}}}`)
	connected := steps(connect(), func(t *testing.T, s *stage) {
		x := <-s.site.comes
		s.site.open["discover"] = x
	}, replies("discover", 200, asJSON, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}}`),
		listening, reaches("a", "POST", asked, "Mcp-Method", "subscriptions/listen", "Mcp-Name", ""), streams("a", messageEvent("", acknowledged("2", ""))))
	for _, c := range []conversation{
		{"ended by the client", steps(connected, giveUp("a"), returned("a", "", "context canceled"), closedBy("a", true))},
		{"ended by the server", steps(connected, streams("a", messageEvent("", endOf("2"))), returned("a", "", ""), stops("a"))},
		{"lost", steps(connected, stops("a"), returned("a", "", "broke off"))},
	} {
		t.Run(c.why, func(t *testing.T) { playWebClientIn(t, env, c) })
	}
}
