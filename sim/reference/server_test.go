package reference

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/protocol"
)

// Frames of the scripts. An era's frames have one name, so that a script can be
// played in both.
type era struct {
	version string
	meta    string // members of _meta, with a comma in front
	open    []step // the handshake
	result  string // what a result begins with
}

const modernMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"mcpsim-reference","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}`

func legacyEra() era {
	return era{version: protocol.V20251125, open: []step{
		send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`),
		hear(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"mcpsim-reference","version":"1"}}}`),
		send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`),
	}}
}

func modernEra() era {
	return era{version: protocol.V20260728, meta: `,` + modernMeta, result: `"resultType":"complete",`, open: []step{
		send(`{"jsonrpc":"2.0","id":"d1","method":"server/discover","params":{"_meta":{` + modernMeta + `}}}`),
		hear(`{"jsonrpc":"2.0","id":"d1","result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","supportedVersions":["2026-07-28"],` +
			`"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mcpsim-reference","version":"1"}}}}`),
	}}
}

func eras() []era { return []era{legacyEra(), modernEra()} }

// call is the frame of a call of the raw client's, with the progress token "pID".
func (e era) call(id, tool, ms string) string {
	return fill(`{"jsonrpc":"2.0","id":$id,"method":"tools/call","params":{"name":"$tool","arguments":{"ms":$ms},"_meta":{"progressToken":"p$bare"$meta}}}`,
		"$id", id, "$tool", tool, "$ms", ms, "$bare", strings.Trim(id, `"`), "$meta", e.meta)
}

// answer is the frame that answers a call.
func (e era) answer(id, text string) string { return e.toolResult(id, text, "false") }

func (e era) toolResult(id, text, failed string) string {
	return fill(`{"jsonrpc":"2.0","id":$id,"result":{$type"content":[{"type":"text","text":"$text"}],"isError":$failed}}`,
		"$id", id, "$type", e.result, "$text", text, "$failed", failed)
}

func progressOf(id, figure string) string {
	return fill(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p$id","progress":$figure}}`,
		"$id", id, "$figure", figure)
}

func cancelOf(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"user"}}`
}

func errorOf(id, code, message string) string {
	if id != "" {
		id = `"id":` + id + `,`
	}
	return `{"jsonrpc":"2.0",` + id + `"error":{"code":` + code + `,"message":` + string(protocol.AppendString(nil, message)) + `}}`
}

// serverConversations are what the strict server must do in either era.
func serverConversations(e era) []conversation {
	ms := time.Millisecond
	return []conversation{
		{"a call is answered", []step{
			send(e.call("2", "slow", "100")), silence(99 * ms), hear(e.answer("2", "done")), silence(time.Hour)}},
		{"calls are answered as they end", []step{
			send(e.call("2", "slow", "100")), send(e.call("3", "slow", "50")),
			hear(e.answer("3", "done")), hear(e.answer("2", "done"))}},
		{"a tool that fails is a result", []step{
			send(e.call("2", "broken", "0")), hear(e.toolResult("2", "no luck", "true"))}},
		{"progress, and none after the response", []step{
			send(e.call("2", "chatty", "10")),
			hear(progressOf("2", "1")), hear(progressOf("2", "2")), hear(progressOf("2", "3")),
			hear(e.answer("2", "done")), silence(time.Hour)}},
		{"progress that does not grow is the tool's fault and not sent", []step{
			send(e.call("2", "backwards", "0")), hear(progressOf("2", "2")),
			hear(e.toolResult("2", "report progress 2: the last figure was 2, and it must grow", "true"))}},
		{"a cancelled call is not answered", []step{
			send(e.call("2", "slow", "100")), silence(50 * ms), told(0), send(cancelOf("2")), told(1), silence(time.Hour)}},
		{"nor if its handler is deaf", []step{
			send(e.call("2", "stubborn", "100")), silence(50 * ms), send(cancelOf("2")), silence(time.Hour)}},
		{"nor if the cancel comes right behind it", []step{
			sendRaw(e.call("2", "slow", "1") + "\n" + cancelOf("2") + "\n"), silence(time.Hour)}},
		{"progress stops with the cancel, whatever the handler says", []step{
			send(e.call("2", "chatty", "10")), hear(progressOf("2", "1")), send(cancelOf("2")), silence(time.Hour)}},
		{"a twin of another type is another request", []step{
			send(e.call("7", "slow", "100")), send(e.call(`"7"`, "slow", "100")), send(cancelOf(`"7"`)), told(1),
			hear(e.answer("7", "done")), silence(time.Hour)}},
		{"id 0 can be cancelled", []step{
			send(e.call("0", "slow", "100")), send(cancelOf("0")), silence(time.Hour)}},
		{"an echo of a string id keeps its meaning", []step{
			send(e.call(`"\u0061"`, "slow", "1")), hear(e.answer(`"a"`, "done"))}},
		{"cancels that name nothing are ignored", []step{
			send(e.call("2", "slow", "100")),
			send(cancelOf("99")), send(cancelOf(`"2"`)), send(cancelOf("null")), send(cancelOf("{}")), send(cancelOf("2.0")),
			send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`),
			send(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`),
			send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[2]}`),
			hear(e.answer("2", "done")), silence(time.Hour)}},
		{"a second cancel and one after the answer are ignored", []step{
			send(e.call("2", "slow", "100")), send(cancelOf("2")), send(cancelOf("2")),
			send(e.call("3", "slow", "1")), hear(e.answer("3", "done")), send(cancelOf("3")), silence(time.Hour)}},
		{"an id may be used again after the answer, and an old cancel does not reach it", []step{
			send(e.call("2", "slow", "1")), hear(e.answer("2", "done")), send(cancelOf("2")),
			send(e.call("2", "slow", "1")), hear(e.answer("2", "done"))}},
		{"a deaf handler of a cancelled id does not answer for the next one", []step{
			send(e.call("2", "stubborn", "100")), send(cancelOf("2")),
			send(e.call("2", "slow", "500")), silence(499 * ms), hear(e.answer("2", "done")), silence(time.Hour)}},
		{"an id in use is refused without touching its owner", []step{
			send(e.call("2", "slow", "100")), send(e.call("2", "slow", "1")),
			hear(errorOf("", "-32600", "the id 2 belongs to a request that is not answered yet")),
			hear(e.answer("2", "done")), silence(time.Hour)}},
		{"ids that are neither string nor integer are refused", []step{
			send(e.call("null", "slow", "1")), hear(errorOf("", "-32600", "the id null is neither a string nor an integer")),
			send(e.call("1.5", "slow", "1")), hear(errorOf("", "-32600", "the id 1.5 is neither a string nor an integer"))}},
		{"a cancel with an id is a request that nobody knows", []step{
			send(`{"jsonrpc":"2.0","id":5,"method":"notifications/cancelled","params":{"requestId":2,"_meta":{` + modernMeta + `}}}`),
			hear(errorOf("5", "-32601", "method not found: notifications/cancelled"))}},
		{"an unknown tool", []step{
			send(e.call("2", "nope", "1")), hear(errorOf("2", "-32602", `unknown tool "nope"`))}},
		{"arguments that are no object", []step{
			send(strings.Replace(e.call("2", "slow", "1"), `{"ms":1}`, `[]`, 1)), hear(errorOf("2", "-32602", "arguments are no object"))}},
		{"an unknown notification is ignored", []step{
			send(`{"jsonrpc":"2.0","method":"notifications/odd"}`), silence(time.Hour)}},
		{"answers to nothing are ignored", []step{
			send(`{"jsonrpc":"2.0","id":2,"result":{}}`), silence(time.Hour)}},
		{"what is no JSON is answered, and the session goes on", []step{
			send(`{"jsonrpc":"2.0","id":`), hear(errorOf("", "-32700", "not valid JSON")),
			send(e.call("2", "slow", "1")), hear(e.answer("2", "done"))}},
		{"so is what is no JSON-RPC", []step{
			send(`[]`), hear(errorOf("", "-32600", "not a JSON-RPC 2.0 message")),
			send(e.call("2", "slow", "1")), hear(e.answer("2", "done"))}},
		{"blank lines are nothing", []step{
			sendRaw("\n \r\n"), send(e.call("2", "slow", "1")), hear(e.answer("2", "done"))}},
		{"the client leaves while nothing goes on", []step{
			hangUp(), heardEnd(), over("")}},
		{"the client leaves and reads on: handlers are told, calls are answered", []step{
			send(e.call("2", "slow", "100")), hangUp(), hear(e.toolResult("2", "context canceled", "true")), heardEnd(), over("")}},
		{"the client leaves: a deaf handler is waited for", []step{
			send(e.call("2", "stubborn", "100")), hangUp(), hear(e.answer("2", "done")), heardEnd(), over("")}},
		{"the client leaves in the middle of a frame", []step{
			sendRaw(`{"jsonrpc"`), hangUp(), heardEnd(), over("unexpected EOF")}},
		{"a frame too long ends the session", []step{
			flood(maxFrame + 1), heardEnd(), over("longer than 4194304 bytes")}},
		{"the server is told to stop", []step{
			send(e.call("2", "slow", "100")), stopServing(), heardEnd(), over("context canceled")}},
		{"the client is gone when it should be answered", []step{
			send(e.call("2", "stubborn", "100")), stopReading(), over("write a frame")}},
	}
}

// flood writes a line of n bytes and does not mind when nobody wants the rest.
func flood(n int) step {
	return func(t *testing.T, s *stage) {
		if _, err := s.out.Write([]byte(strings.Repeat("x", n))); err != nil {
			require.ErrorIs(t, err, io.ErrClosedPipe)
		}
	}
}

func stopServing() step {
	return func(_ *testing.T, s *stage) { s.stopServ() }
}

func stopReading() step {
	return func(t *testing.T, s *stage) {
		require.NoError(t, s.in.Close())
	}
}

func TestServer(t *testing.T) {
	for _, e := range eras() {
		for _, c := range serverConversations(e) {
			t.Run(e.version+"/"+c.why, func(t *testing.T) {
				c.steps = slices.Concat(e.open, c.steps)
				playServer(t, e.version, none, c)
			})
		}
	}
}

func TestServerOfOneEra(t *testing.T) {
	legacy, modern := legacyEra(), modernEra()
	bare := func(method string) string { return `{"jsonrpc":"2.0","id":9,"method":"` + method + `"}` }
	with := func(method, meta string) string {
		return `{"jsonrpc":"2.0","id":9,"method":"` + method + `","params":{"_meta":{` + meta + `}}}`
	}
	const list = `"tools":[{"name":"slow","inputSchema":{"type":"object"}},{"name":"stubborn","inputSchema":{"type":"object"}},` +
		`{"name":"chatty","inputSchema":{"type":"object"}},{"name":"away","inputSchema":{"type":"object"}},{"name":"counts","inputSchema":{"type":"object"}},{"name":"broken","inputSchema":{"type":"object"}},` +
		`{"name":"backwards","inputSchema":{"type":"object"}}]}}`
	for _, tt := range []struct {
		e    era
		open bool
		conversation
	}{
		{legacy, true, conversation{"ping", []step{
			send(bare("ping")), hear(`{"jsonrpc":"2.0","id":9,"result":{}}`)}}},
		{legacy, true, conversation{"tools are listed", []step{
			send(bare("tools/list")), hear(`{"jsonrpc":"2.0","id":9,"result":{` + list)}}},
		{legacy, false, conversation{"discover is refused at once, so that newer clients fall back", []step{
			send(with("server/discover", modernMeta)), hear(errorOf("9", "-32601", "method not found: server/discover"))}}},
		{legacy, false, conversation{"ping may come first", []step{
			send(bare("ping")), hear(`{"jsonrpc":"2.0","id":9,"result":{}}`)}}},
		{legacy, false, conversation{"a call may not", []step{
			send(legacy.call("9", "slow", "1")), hear(errorOf("9", "-32600", "tools/call came before initialize"))}}},
		{legacy, true, conversation{"initialize comes once", []step{
			send(bare("initialize")), hear(errorOf("9", "-32600", "initialize came twice"))}}},
		{legacy, false, conversation{"initialize cannot be cancelled", []step{
			sendRaw(bare("initialize") + "\n" + cancelOf("9") + "\n"),
			hear(`{"jsonrpc":"2.0","id":9,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"mcpsim-reference","version":"1"}}}`)}}},
		{legacy, true, conversation{"no progress without a token", []step{
			send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"chatty","arguments":{"ms":1}}}`),
			hear(legacy.answer("2", "done"))}}},
		{modern, false, conversation{"a call may come first", []step{
			send(modern.call("9", "slow", "1")), hear(modern.answer("9", "done"))}}},
		{modern, false, conversation{"tools are listed, with what a cache needs", []step{
			send(with("tools/list", modernMeta)),
			hear(`{"jsonrpc":"2.0","id":9,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private",` + list)}}},
		{modern, false, conversation{"there is no ping", []step{
			send(with("ping", modernMeta)), hear(errorOf("9", "-32601", "method not found: ping"))}}},
		{modern, false, conversation{"initialize is told what would work", []step{
			send(`{"jsonrpc":"2.0","id":9,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`),
			hear(`{"jsonrpc":"2.0","id":9,"error":{"code":-32022,"message":"unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}}`)}}},
		{modern, false, conversation{"another version is refused", []step{
			send(with("tools/list", strings.Replace(modernMeta, "2026", "1999", 1))),
			hear(`{"jsonrpc":"2.0","id":9,"error":{"code":-32022,"message":"unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"1999-07-28"}}}`)}}},
		{modern, false, conversation{"without _meta a request is refused", []step{
			send(bare("tools/list")), hear(errorOf("9", "-32602", "_meta lacks io.modelcontextprotocol/protocolVersion"))}}},
		{modern, false, conversation{"without capabilities, too", []step{
			send(with("tools/list", `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`)),
			hear(errorOf("9", "-32602", "_meta lacks io.modelcontextprotocol/clientCapabilities"))}}},
		{modern, false, conversation{"who the client is need not be said", []step{
			send(with("server/discover", `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`)),
			hear(`{"jsonrpc":"2.0","id":9,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","supportedVersions":["2026-07-28"],` +
				`"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mcpsim-reference","version":"1"}}}}`)}}},
	} {
		t.Run(tt.e.version+"/"+tt.why, func(t *testing.T) {
			if tt.open {
				tt.steps = slices.Concat(tt.e.open, tt.steps)
			}
			playServer(t, tt.e.version, none, tt.conversation)
		})
	}
}
