package protocol_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

var (
	legacy = protocol.Caller{Version: protocol.V20251125, Name: "mcpsim", Release: "1"}
	modern = protocol.Caller{Version: protocol.V20260728, Name: "mcpsim", Release: "1"}
)

const meta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"mcpsim","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}`

func TestAppend(t *testing.T) {
	slow := protocol.ToolCall{Tool: "slow", Arguments: `{"call":1}`, Token: `"p1"`}
	for _, tt := range []struct {
		why  string
		got  []byte
		want string
	}{
		{"initialize opens the legacy era",
			protocol.AppendHandshake(nil, "1", legacy),
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcpsim","version":"1"}}}`},
		{"discover opens the modern era",
			protocol.AppendHandshake(nil, `"d1"`, modern),
			`{"jsonrpc":"2.0","id":"d1","method":"server/discover","params":{"_meta":{` + meta + `}}}`},
		{"initialized has no parameters",
			protocol.AppendNotification(nil, protocol.Initialized, ""),
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		{"the probe of the legacy era is ping",
			protocol.AppendProbe(nil, "3", legacy),
			`{"jsonrpc":"2.0","id":3,"method":"ping"}`},
		{"the probe of the modern era is tools/list",
			protocol.AppendProbe(nil, "3", modern),
			`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{` + meta + `}}}`},
		{"a legacy call with a token",
			protocol.AppendToolCall(nil, "2", legacy, slow),
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","arguments":{"call":1},"_meta":{"progressToken":"p1"}}}`},
		{"a legacy call without one needs no _meta",
			protocol.AppendToolCall(nil, "2", legacy, protocol.ToolCall{Tool: "slow"}),
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","arguments":{}}}`},
		{"a call that asks for a task",
			protocol.AppendToolCall(nil, "2", legacy, protocol.ToolCall{Tool: "slow", Token: "1", TTL: 60000}),
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","arguments":{},"task":{"ttl":60000},"_meta":{"progressToken":1}}}`},
		{"a task",
			protocol.AppendTask(nil, protocol.Task{ID: "t1", Status: "working", Created: "c", Updated: "u", TTL: 5, Poll: 7}),
			`{"taskId":"t1","status":"working","createdAt":"c","lastUpdatedAt":"u","ttl":5,"pollInterval":7}`},
		{"a modern call with a token",
			protocol.AppendToolCall(nil, "2", modern, slow),
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","arguments":{"call":1},"_meta":{"progressToken":"p1",` + meta + `}}}`},
		{"a modern call without one",
			protocol.AppendToolCall(nil, "2", modern, protocol.ToolCall{Tool: "slow"}),
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","arguments":{},"_meta":{` + meta + `}}}`},
		{"capabilities as given",
			protocol.AppendHandshake(nil, "1", protocol.Caller{Version: protocol.V20241105, Name: "a", Release: "b", Capabilities: `{"roots":{}}`}),
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{"roots":{}},"clientInfo":{"name":"a","version":"b"}}}`},
		{"a cancel with a reason",
			protocol.AppendCancelled(nil, `"2"`, "user"),
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"2","reason":"user"}}`},
		{"a cancel without one",
			protocol.AppendCancelled(nil, "2", ""),
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`},
		{"progress",
			protocol.AppendProgress(nil, `"p1"`, 1.5),
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p1","progress":1.5}}`},
		{"a result",
			protocol.AppendResult(nil, "2", `{}`),
			`{"jsonrpc":"2.0","id":2,"result":{}}`},
		{"an error with data",
			protocol.AppendError(nil, "2", protocol.RPCError{Code: -32022, Message: "no", Data: `{"supported":[]}`}),
			`{"jsonrpc":"2.0","id":2,"error":{"code":-32022,"message":"no","data":{"supported":[]}}}`},
		{"an error whose request could not be read",
			protocol.AppendError(nil, "", protocol.RPCError{Code: -32700, Message: "no"}),
			`{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}`},
		{"a request with parameters",
			protocol.AppendRequest(nil, "1", "x", `{}`),
			`{"jsonrpc":"2.0","id":1,"method":"x","params":{}}`},
		{"what was there stays",
			protocol.AppendNotification([]byte("before "), "x", ""),
			`before {"jsonrpc":"2.0","method":"x"}`},
	} {
		t.Run(tt.why, func(t *testing.T) { assert.Equal(t, tt.want, string(tt.got)) })
	}
}

func TestIdentifyReadsWhatAppendWrites(t *testing.T) {
	for _, c := range []protocol.Caller{legacy, modern} {
		frame := protocol.AppendToolCall(nil, "9", c, protocol.ToolCall{Tool: "t", Arguments: `{"call":4}`, Token: "5"})
		want := &history.Message{Kind: history.Request, Method: protocol.ToolsCall, ID: "9", Token: "5", Call: 4, Raw: string(frame)}
		assert.Equal(t, want, protocol.Identify(frame), c.Version)
	}
}

// Whichever way a request says whose it is, it is read back.
func TestCallsAreRecognised(t *testing.T) {
	for _, tt := range []struct {
		why  string
		call protocol.Call
		want int
	}{
		{"the mark alone", protocol.Call{Method: protocol.ToolsList, Mark: 4}, 4},
		{"the mark behind a token", protocol.Call{Method: protocol.ResourcesRead, Params: `"uri":"file:///x"`, Token: "5", Mark: 4}, 4},
		{"the mark before what the parameters say", protocol.Call{Method: protocol.ResourcesRead, Params: `"uri":"mcpsim://call/9"`, Mark: 4}, 4},
		{"a resource's URI", protocol.Call{Method: protocol.ResourcesRead, Params: `"uri":"mcpsim://call/4"`}, 4},
		{"another URI", protocol.Call{Method: protocol.ResourcesRead, Params: `"uri":"file:///call/4"`}, 0},
		{"a prompt's argument", protocol.Call{Method: protocol.PromptsGet, Params: `"name":"p","arguments":{"call":"4"}`}, 4},
		{"the value to complete", protocol.Call{Method: protocol.Complete, Params: `"argument":{"name":"call","value":"4"}`}, 4},
		{"nothing", protocol.Call{Method: protocol.Ping}, 0},
	} {
		for _, c := range []protocol.Caller{legacy, modern} {
			frame := protocol.AppendCall(nil, "9", c, tt.call)
			want := &history.Message{
				Kind: history.Request, Method: tt.call.Method, ID: "9", Token: tt.call.Token, Call: tt.want, Raw: string(frame),
			}
			assert.Equal(t, want, protocol.Identify(frame), "%s at %s", tt.why, c.Version)
			assert.True(t, json.Valid(frame), "%s", frame)
		}
	}
}

func TestModern(t *testing.T) {
	versions := protocol.Versions()
	assert.IsIncreasing(t, versions)
	for i, v := range versions {
		assert.Equal(t, i == len(versions)-1, protocol.Modern(v), v)
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "a\"b\\c", "\x00\n\t\r\x1f\x7f", "<ü\u2028😀>", "\xff\xc3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		raw := protocol.AppendString(nil, s)
		var back string
		require.NoError(t, json.Unmarshal(raw, &back), "%q", raw)
		if utf8.ValidString(s) {
			assert.Equal(t, s, back)
		}
		again, ok := protocol.Text(string(raw))
		assert.True(t, ok)
		assert.Equal(t, back, again)
		assert.True(t, utf8.Valid(raw), "an id made of it must be readable everywhere")
	})
}

func TestMember(t *testing.T) {
	for _, tt := range []struct{ why, text, name, want string }{
		{"found", `{"a":{"b":1},"c":2}`, "a", `{"b":1}`},
		{"space around is not part of it", `{"a" : [ 1 ] }`, "a", `[ 1 ]`},
		{"only at the top", `{"a":{"b":1}}`, "b", ""},
		{"case matters", `{"A":1}`, "a", ""},
		{"the last counts", `{"a":1,"a":2}`, "a", "2"},
		{"escaped names count", `{"\u0061":1}`, "a", "1"},
		{"damaged behind", `{"a":1,`, "a", ""},
		{"no object", `[1]`, "a", ""},
		{"nothing", ``, "a", ""},
	} {
		t.Run(tt.why, func(t *testing.T) { assert.Equal(t, tt.want, protocol.Member(tt.text, tt.name)) })
	}
}

func TestText(t *testing.T) {
	for _, tt := range []struct {
		why, raw, want string
		ok             bool
	}{
		{"plain", `"abc"`, "abc", true},
		{"empty", `""`, "", true},
		{"escaped", `"a\u0062\n"`, "ab\n", true},
		{"other scripts", `"ü"`, "ü", true},
		{"a number", `5`, "", false},
		{"missing", ``, "", false},
		{"half", `"abc`, "", false},
		{"one quote", `"`, "", false},
		{"something behind", `"abc" `, "", false},
	} {
		t.Run(tt.why, func(t *testing.T) {
			got, ok := protocol.Text(tt.raw)
			assert.Equal(t, tt.ok, ok)
			assert.Equal(t, tt.want, got)
		})
	}
}
