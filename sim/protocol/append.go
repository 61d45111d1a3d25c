package protocol

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// The Append functions add one frame, without a line end, to b and return the
// longer slice. Arguments named id, token, params, result and data are raw
// JSON; the caller answers for their being valid.

// AppendRequest adds a request. Empty params are left out.
func AppendRequest(b []byte, id, method, params string) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"method":`...)
	b = AppendString(b, method)
	return appendParams(b, params)
}

// AppendNotification adds a notification. Empty params are left out.
func AppendNotification(b []byte, method, params string) []byte {
	b = append(b, `{"jsonrpc":"2.0","method":`...)
	b = AppendString(b, method)
	return appendParams(b, params)
}

func appendParams(b []byte, params string) []byte {
	if params != "" {
		b = append(b, `,"params":`...)
		b = append(b, params...)
	}
	return append(b, '}')
}

// AppendResult adds the response to the request called id.
func AppendResult(b []byte, id, result string) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"result":`...)
	b = append(b, result...)
	return append(b, '}')
}

// An RPCError is what an error reply says.
type RPCError struct {
	Code    int64
	Message string
	Data    string // raw JSON; empty: left out
}

// Error makes an RPCError a Go error for the side that receives it.
func (e RPCError) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// AppendError adds an error reply. An empty id is left out: that of a request
// so damaged that its id is not known.
func AppendError(b []byte, id string, e RPCError) []byte {
	b = append(b, `{"jsonrpc":"2.0"`...)
	if id != "" {
		b = append(b, `,"id":`...)
		b = append(b, id...)
	}
	b = append(b, `,"error":{"code":`...)
	b = strconv.AppendInt(b, e.Code, 10)
	b = append(b, `,"message":`...)
	b = AppendString(b, e.Message)
	if e.Data != "" {
		b = append(b, `,"data":`...)
		b = append(b, e.Data...)
	}
	return append(b, `}}`...)
}

// AppendCancelled adds the notification that the request called id is
// cancelled. An empty reason is left out.
func AppendCancelled(b []byte, id, reason string) []byte {
	b = append(b, `{"jsonrpc":"2.0","method":"`+Cancelled+`","params":{"requestId":`...)
	b = append(b, id...)
	if reason != "" {
		b = append(b, `,"reason":`...)
		b = AppendString(b, reason)
	}
	return append(b, `}}`...)
}

// AppendProgress adds a progress notification. The figure must be finite.
func AppendProgress(b []byte, token string, figure float64) []byte {
	b = append(b, `{"jsonrpc":"2.0","method":"`+Progress+`","params":{"progressToken":`...)
	b = append(b, token...)
	b = append(b, `,"progress":`...)
	b = strconv.AppendFloat(b, figure, 'f', -1, 64)
	return append(b, `}}`...)
}

// A Caller is what a client says of itself and asks for in its requests.
type Caller struct {
	Version      string // of the specification, required
	Name         string // of the client program
	Release      string // of the client program
	Capabilities string // raw JSON object; empty: {}
}

// AppendHandshake adds the request that opens a session: initialize in the
// legacy era, server/discover in the modern one, where it is optional.
func AppendHandshake(b []byte, id string, c Caller) []byte {
	if Modern(c.Version) {
		return c.appendPlain(b, id, Discover)
	}
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"method":"`+Initialize+`","params":{"protocolVersion":`...)
	b = AppendString(b, c.Version)
	b = append(b, `,"capabilities":`...)
	b = append(b, c.capabilities()...)
	b = append(b, `,"clientInfo":`...)
	b = c.appendInfo(b)
	return append(b, `}}`...)
}

// AppendProbe adds the cheapest request that every server with tools must
// answer: ping in the legacy era, tools/list in the modern one.
func AppendProbe(b []byte, id string, c Caller) []byte {
	if Modern(c.Version) {
		return c.appendPlain(b, id, ToolsList)
	}
	return AppendRequest(b, id, Ping, "")
}

// appendPlain adds a request of the modern era without parameters of its own.
func (c Caller) appendPlain(b []byte, id, method string) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"method":`...)
	b = AppendString(b, method)
	b = append(b, `,"params":{`...)
	b = c.AppendMeta(b, "")
	return append(b, `}}`...)
}

// A ToolCall is what a tools/call says beside who calls.
type ToolCall struct {
	Tool      string
	Arguments string // raw JSON object; empty: {}
	Token     string // progress token, raw JSON; empty: none asked for
	TTL       int64  // asks to be run as a task that is kept for so many milliseconds; 0: does not
}

// AppendToolCall adds a tools/call.
func AppendToolCall(b []byte, id string, c Caller, call ToolCall) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"method":"`+ToolsCall+`","params":{"name":`...)
	b = AppendString(b, call.Tool)
	b = append(b, `,"arguments":`...)
	if call.Arguments == "" {
		b = append(b, `{}`...)
	}
	b = append(b, call.Arguments...)
	if call.TTL > 0 {
		b = strconv.AppendInt(append(b, `,"task":{"ttl":`...), call.TTL, 10)
		b = append(b, '}')
	}
	if call.Token != "" || Modern(c.Version) {
		b = append(b, ',')
		b = c.AppendMeta(b, call.Token)
	}
	return append(b, `}}`...)
}

// A Call is what any request says beside who calls.
type Call struct {
	Method string
	Params string // the members of its params, raw JSON without the braces and _meta; may be empty
	Token  string // progress token, raw JSON; empty: none asked for
	Mark   int    // the number of the simulated call, for _meta; 0: none
}

// AppendCall adds a request.
func AppendCall(b []byte, id string, c Caller, call Call) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"method":`...)
	b = AppendString(b, call.Method)
	b = append(b, `,"params":{`...)
	b = append(b, call.Params...)
	if call.Token != "" || call.Mark > 0 || Modern(c.Version) {
		if call.Params != "" {
			b = append(b, ',')
		}
		b = c.appendMeta(b, call.Token, call.Mark)
	}
	return append(b, `}}`...)
}

// AppendMeta adds the member `"_meta":{…}` that a request's params carry. In
// the legacy era it holds the progress token alone.
func (c Caller) AppendMeta(b []byte, token string) []byte { return c.appendMeta(b, token, 0) }

func (c Caller) appendMeta(b []byte, token string, mark int) []byte {
	b = append(b, `"_meta":{`...)
	if token != "" {
		b = append(b, `"`+MetaToken+`":`...)
		b = append(b, token...)
	}
	if mark > 0 {
		if token != "" {
			b = append(b, ',')
		}
		b = append(b, `"`+MetaCall+`":`...)
		b = strconv.AppendInt(b, int64(mark), 10)
	}
	if !Modern(c.Version) {
		return append(b, '}')
	}
	if token != "" || mark > 0 {
		b = append(b, ',')
	}
	b = append(b, `"`+MetaVersion+`":`...)
	b = AppendString(b, c.Version)
	b = append(b, `,"`+MetaClient+`":`...)
	b = c.appendInfo(b)
	b = append(b, `,"`+MetaCapabilities+`":`...)
	b = append(b, c.capabilities()...)
	return append(b, '}')
}

func (c Caller) appendInfo(b []byte) []byte {
	b = append(b, `{"name":`...)
	b = AppendString(b, c.Name)
	b = append(b, `,"version":`...)
	b = AppendString(b, c.Release)
	return append(b, '}')
}

func (c Caller) capabilities() string {
	if c.Capabilities == "" {
		return "{}"
	}
	return c.Capabilities
}

// AppendString adds s as a JSON string in its shortest form: only what JSON
// demands is escaped. Bytes that are not UTF-8 become U+FFFD.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	for len(s) > 0 {
		n := plainPrefix(s)
		b, s = append(b, s[:n]...), s[n:]
		if len(s) == 0 {
			break
		}
		if s[0] < utf8.RuneSelf {
			b, s = appendEscape(b, s[0]), s[1:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		b, s = utf8.AppendRune(b, r), s[size:]
	}
	return append(b, '"')
}

// plainPrefix returns how many bytes at the beginning of s are ASCII that stands
// for itself in a JSON string.
func plainPrefix(s string) int {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return i
		}
	}
	return len(s)
}

// appendEscape adds an ASCII character that needs an escape.
func appendEscape(b []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, `\n`...)
	case '\t':
		return append(b, `\t`...)
	case '\r':
		return append(b, `\r`...)
	}
	return append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}
