package protocol_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

const modernCall = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","arguments":{"call":7},` +
	`"_meta":{"progressToken":"p2","io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":{}}}}`

func TestIdentify(t *testing.T) {
	for _, tt := range []struct {
		why, frame string
		want       history.Message // Raw is filled in
	}{
		{"a call of the modern era", modernCall,
			history.Message{Kind: "request", Method: "tools/call", ID: "2", Token: `"p2"`, Call: 7}},
		{"an id that is a string keeps its quotes", `{"jsonrpc":"2.0","id":"7","method":"ping"}`,
			history.Message{Kind: "request", Method: "ping", ID: `"7"`}},
		{"order and space do not matter", ` { "method" : "ping" , "id" : 7 , "jsonrpc" : "2.0" } `,
			history.Message{Kind: "request", Method: "ping", ID: "7"}},
		{"a null id is forbidden by MCP, but it is a request", `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
			history.Message{Kind: "request", Method: "ping", ID: "null"}},
		{"two spellings of one string are one id", `{"jsonrpc":"2.0","id":"\u0061\u003c\/b\n","method":"ping"}`,
			history.Message{Kind: "request", Method: "ping", ID: `"a</b\n"`}},
		{"a token that is a number", `{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"progressToken":5}}}`,
			history.Message{Kind: "request", Method: "x", ID: "1", Token: "5"}},
		{"a call number that is no integer is none", `{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":{"call":1.5}}}`,
			history.Message{Kind: "request", Method: "x", ID: "1"}},
		{"parameters by position say nothing to us", `{"jsonrpc":"2.0","id":1,"method":"x","params":[1,2]}`,
			history.Message{Kind: "request", Method: "x", ID: "1"}},
		{"a method may be escaped", `{"jsonrpc":"2.0","method":"notifications\/initialized"}`,
			history.Message{Kind: "notification", Method: "notifications/initialized"}},
		{"a cancel", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"us\u0065r"}}`,
			history.Message{Kind: "notification", Method: "notifications/cancelled", Ref: "2", Text: "user"}},
		{"a cancel of a string id", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"2"}}`,
			history.Message{Kind: "notification", Method: "notifications/cancelled", Ref: `"2"`}},
		{"a cancel of id 0, which is not nothing", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`,
			history.Message{Kind: "notification", Method: "notifications/cancelled", Ref: "0"}},
		{"a cancel without parameters", `{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
			history.Message{Kind: "notification", Method: "notifications/cancelled"}},
		{"a cancel with an id is a request", `{"jsonrpc":"2.0","id":3,"method":"notifications/cancelled","params":{"requestId":2}}`,
			history.Message{Kind: "request", Method: "notifications/cancelled", ID: "3"}},
		{"case matters in parameters, too", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestid":2}}`,
			history.Message{Kind: "notification", Method: "notifications/cancelled"}},
		{"progress", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p2","progress":1}}`,
			history.Message{Kind: "notification", Method: "notifications/progress", Token: `"p2"`}},
		{"a call that asks for a task", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"call":7},"task":{"ttl":60000}}}`,
			history.Message{Kind: "request", Method: "tools/call", ID: "1", Call: 7, Augmented: true}},
		{"a task that is no object asks for none", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"task":null}}`,
			history.Message{Kind: "request", Method: "tools/call", ID: "1"}},
		{"a question about a task", `{"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"t\u0031"}}`,
			history.Message{Kind: "request", Method: "tasks/get", ID: "3", Task: "t1"}},
		{"an id that is no text names no task", `{"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":1}}`,
			history.Message{Kind: "request", Method: "tasks/get", ID: "3"}},
		{"the task that a call became", `{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t1","status":"working","ttl":null}}}`,
			history.Message{Kind: "response", ID: "1", Task: "t1", Status: "working"}},
		{"how a task is", `{"jsonrpc":"2.0","id":3,"result":{"taskId":"t1","status":"cancelled"}}`,
			history.Message{Kind: "response", ID: "3", Task: "t1", Status: "cancelled"}},
		{"a task's result has no status", `{"jsonrpc":"2.0","id":4,"result":{"content":[],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t1"}}}}`,
			history.Message{Kind: "response", ID: "4", Task: "t1"}},
		{"a status without a task is none", `{"jsonrpc":"2.0","id":4,"result":{"status":"working","note":"\"taskId\""}}`,
			history.Message{Kind: "response", ID: "4"}},
		{"a text that speaks of tasks is a text", `{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"{\"taskId\":\"t1\"}"}]}}`,
			history.Message{Kind: "response", ID: "4"}},
		{"news of a task", `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t1","status":"failed"}}`,
			history.Message{Kind: "notification", Method: "notifications/tasks/status", Task: "t1", Status: "failed"}},
		{"a response", `{"jsonrpc":"2.0","id":2,"result":{}}`,
			history.Message{Kind: "response", ID: "2"}},
		{"a result of null is a result", `{"jsonrpc":"2.0","id":2,"result":null}`,
			history.Message{Kind: "response", ID: "2"}},
		{"an error reply", `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no \"such\" method"}}`,
			history.Message{Kind: "error", ID: "2", Code: -32601, Text: `no "such" method`}},
		{"an error reply without an id", `{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}`,
			history.Message{Kind: "error", Code: -32700, Text: "x"}},
		{"an error reply with the id of JSON-RPC proper", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`,
			history.Message{Kind: "error", ID: "null", Code: -32700, Text: "x"}},
		{"of two members with one name the last counts", `{"jsonrpc":"2.0","id":1,"id":2,"method":"a","method":"b"}`,
			history.Message{Kind: "request", Method: "b", ID: "2"}},
		{"of two params the last counts, whole", `{"jsonrpc":"2.0","id":1,"method":"a","params":{"arguments":{"call":3}},"params":{}}`,
			history.Message{Kind: "request", Method: "a", ID: "1"}},
	} {
		t.Run(tt.why, func(t *testing.T) {
			tt.want.Raw = tt.frame
			assert.Equal(t, &tt.want, protocol.Identify([]byte(tt.frame)))
		})
	}
}

func TestIdentifyRefuses(t *testing.T) {
	deep := `{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`
	for _, tt := range []struct{ why, frame string }{
		{"nothing", ``},
		{"only space", " \t"},
		{"no JSON", `hello`},
		{"half a frame", `{"jsonrpc":"2.0","id":1,"meth`},
		{"two frames on one line", `{"jsonrpc":"2.0","id":1,"method":"x"}{}`},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"x"}]`},
		{"no version", `{"id":1,"method":"x"}`},
		{"another version", `{"jsonrpc":"1.0","id":1,"method":"x"}`},
		{"the version as a number", `{"jsonrpc":2.0,"id":1,"method":"x"}`},
		{"names in other case", `{"JsonRPC":"2.0","ID":1,"Method":"x"}`},
		{"a method that is no string", `{"jsonrpc":"2.0","id":1,"method":5}`},
		{"an id that is an object", `{"jsonrpc":"2.0","id":{},"method":"x"}`},
		{"an id that is a bool", `{"jsonrpc":"2.0","id":true,"method":"x"}`},
		{"method and result", `{"jsonrpc":"2.0","id":1,"method":"x","result":{}}`},
		{"result and error", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}`},
		{"a result for nobody", `{"jsonrpc":"2.0","result":{}}`},
		{"an error that is no object", `{"jsonrpc":"2.0","id":1,"error":"boom"}`},
		{"only an id", `{"jsonrpc":"2.0","id":1}`},
		{"a control character in a string", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\x01\"}"},
		{"an escape that does not exist", `{"jsonrpc":"2.0","id":1,"method":"\x"}`},
		{"a number with a leading zero", `{"jsonrpc":"2.0","id":01,"method":"x"}`},
		{"deeper than anybody nests", deep},
	} {
		t.Run(tt.why, func(t *testing.T) {
			want := &history.Message{Kind: history.Invalid, Raw: tt.frame}
			assert.Equal(t, want, protocol.Identify([]byte(tt.frame)))
		})
	}
}

func TestIdentifyTakesTheLineEndOff(t *testing.T) {
	for _, end := range []string{"", "\n", "\r\n"} {
		assert.Equal(t, modernCall, protocol.Identify([]byte(modernCall+end)).Raw, "line end %q", end)
	}
}

func TestIdentifyKeepsNothingOfTheFrame(t *testing.T) {
	frame := []byte(modernCall)
	m := protocol.Identify(frame)
	clear(frame) // the reader's buffer is used again
	assert.Equal(t, modernCall, m.Raw)
	assert.Equal(t, protocol.ToolsCall, m.Method)
}

// FuzzIdentify holds Identify to a plain model on encoding/json.
func FuzzIdentify(f *testing.F) {
	for _, seed := range []string{
		modernCall,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\u0037","reason":"ü"}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1e3,"progress":0.5}}`,
		`{"jsonrpc":"2.0","id":-1.5E+7,"result":[null,true,false,{"a":[]}]}`,
		`{"jsonrpc":"2.0","error":{"code":-32700,"message":"\ud83d\ude00\ud83d"}}`,
		`{"jsonrpc":"2.0","id":1,"id":"x","method":"a","\u006dethod":"b"}`,
		"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\\n\",\"method\":\"\xc3\"}\r\n",
		`[]`, `{}`, `{"a":01}`, `"`, `{"a":-}`, `{"a":1,}`, `{,}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		require.Equal(t, model(frame), protocol.Identify(frame))
	})
}

// model says what Identify says, by way of maps of raw members.
func model(frame []byte) *history.Message {
	raw, found := bytes.CutSuffix(frame, []byte("\n"))
	if found {
		raw = bytes.TrimSuffix(raw, []byte("\r"))
	}
	m := &history.Message{Kind: history.Invalid, Raw: string(raw)}
	e := members(string(raw))
	if text(e["jsonrpc"]) != "2.0" || !strings.Contains(`s#0`, kindOf(e["id"])) {
		return m
	}
	_, hasID := e["id"]
	_, hasMethod := e["method"]
	_, hasResult := e["result"]
	_, hasError := e["error"]
	switch {
	case hasMethod && kindOf(e["method"]) == "s" && !hasResult && !hasError && hasID:
		m.Kind = history.Request
	case hasMethod && kindOf(e["method"]) == "s" && !hasResult && !hasError:
		m.Kind = history.Notification
	case !hasMethod && hasResult && !hasError && hasID:
		m.Kind = history.Response
	case !hasMethod && !hasResult && hasError && kindOf(e["error"]) == "{":
		m.Kind = history.ErrorReply
	default:
		return m
	}
	m.ID = same(e["id"])
	m.Method = text(e["method"])
	params := members(e["params"])
	switch {
	case m.Kind == history.Request:
		m.Token = same(members(params["_meta"])["progressToken"])
		m.Call = int(whole(members(params["arguments"])["call"]))
	case m.Kind == history.ErrorReply:
		m.Code, m.Text = whole(members(e["error"])["code"]), text(members(e["error"])["message"])
	case m.Method == "notifications/progress":
		m.Token = same(params["progressToken"])
	case m.Method == "notifications/cancelled":
		m.Ref, m.Text = same(params["requestId"]), text(params["reason"])
	}
	return m
}

func members(raw string) map[string]string {
	var found map[string]json.RawMessage
	if json.Unmarshal([]byte(raw), &found) != nil {
		return nil
	}
	out := map[string]string{}
	for name, value := range found {
		out[name] = string(value)
	}
	return out
}

// kindOf returns s, #, 0, {, [ or b for string, number, null or missing, object,
// array, bool.
func kindOf(raw string) string {
	var v any
	if raw == "" || json.Unmarshal([]byte(raw), &v) != nil && !isHugeNumber(raw) {
		return "0"
	}
	switch v.(type) {
	case string:
		return "s"
	case map[string]any:
		return "{"
	case []any:
		return "["
	case bool:
		return "b"
	}
	if raw == "null" {
		return "0"
	}
	return "#"
}

// isHugeNumber reports whether raw is a number beyond float64.
func isHugeNumber(raw string) bool {
	var n json.Number
	return json.Unmarshal([]byte(raw), &n) == nil
}

func text(raw string) string {
	var s string
	if raw == "null" || json.Unmarshal([]byte(raw), &s) != nil {
		return ""
	}
	return s
}

func same(raw string) string {
	if kindOf(raw) != "s" || !strings.Contains(raw, `\`) {
		return raw
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(text(raw)) != nil {
		return raw
	}
	return strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029", `\b`, `\u0008`, `\f`, `\u000c`).
		Replace(strings.TrimSuffix(out.String(), "\n"))
}

func whole(raw string) int64 {
	n, err := strconv.ParseInt(raw, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func BenchmarkIdentify(b *testing.B) {
	for _, bb := range []struct{ name, frame string }{
		{"call", modernCall},
		{"cancel", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"user"}}`},
		{"result", `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"done"}],"isError":false}}`},
	} {
		b.Run(bb.name, func(b *testing.B) {
			frame := []byte(bb.frame)
			b.SetBytes(int64(len(frame)))
			b.ReportAllocs()
			for b.Loop() {
				protocol.Identify(frame)
			}
		})
	}
}
