package protocol

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Identify tells what a frame says. The line end may still be on it.
//
// A frame has Kind [history.Invalid], and nothing else but Raw, when it is not
// one JSON object with "jsonrpc": "2.0" that is either
//
//   - a request or a notification: a method that is a string, neither result
//     nor error, and, if it is a request, an id that is a string, a number or
//     null;
//   - or a response: such an id, a result and no error;
//   - or an error reply: an error that is an object, no result, and such an id
//     or none, since the id of a damaged request cannot be known.
//
// So a batch is invalid too; [Messages] takes one apart. Whether an id may be null or fractional is for
// those to say who judge. Case matters, and of several members with one name
// the last counts.
//
// A raw string that contains escapes is rewritten in the shortest form, so that
// an id compares equal to its echo when the two sides escape differently.
func Identify(frame []byte) *history.Message {
	m := &history.Message{Kind: history.Invalid, Raw: string(trimLineEnd(frame))}
	e, ok := open(m.Raw)
	if !ok {
		return m
	}
	m.Kind = e.kind()
	switch m.Kind {
	case history.Request:
		m.Method, _ = Text(e.method)
		m.ID = canonical(e.id)
		readRequest(m, e.params)
	case history.Notification:
		m.Method, _ = Text(e.method)
		readNotification(m, e.params)
		m.Sub = subscription(e.params)
	case history.Response:
		m.ID = canonical(e.id)
		readResult(m, e.result)
		m.Sub = subscription(e.result)
	case history.ErrorReply:
		m.ID = canonical(e.id)
		m.Code = integer(Member(e.err, "code"))
		m.Text, _ = Text(Member(e.err, "message"))
	}
	return m
}

func trimLineEnd(frame []byte) []byte {
	n := len(frame)
	if n > 0 && frame[n-1] == '\n' {
		n--
		if n > 0 && frame[n-1] == '\r' {
			n--
		}
	}
	return frame[:n]
}

// An envelope holds the members of a JSON-RPC message as raw JSON; a member
// that is missing is "".
type envelope struct {
	version, id, method, params, result, err string
}

// open takes the members out of text. It reports whether text is one JSON
// object.
func open(text string) (e envelope, ok bool) {
	o := object{cursor: cursor{text: text}}
	for o.next() {
		switch o.key {
		case "jsonrpc":
			e.version = o.value
		case "id":
			e.id = o.value
		case "method":
			e.method = o.value
		case "params":
			e.params = o.value
		case "result":
			e.result = o.value
		case "error":
			e.err = o.value
		}
	}
	return e, o.ended()
}

func (e *envelope) kind() history.MessageKind {
	if v, _ := Text(e.version); v != "2.0" || !isID(e.id) {
		return history.Invalid
	}
	switch {
	case e.method != "":
		if e.method[0] != '"' || e.result != "" || e.err != "" {
			return history.Invalid
		}
		if e.id == "" {
			return history.Notification
		}
		return history.Request
	case e.result != "" && e.err == "" && e.id != "":
		return history.Response
	case e.err != "" && e.result == "" && isObject(e.err):
		return history.ErrorReply
	}
	return history.Invalid
}

// isID reports whether raw can stand as an id: missing, null, a string or a
// number.
func isID(raw string) bool {
	return raw == "" || raw == "null" || raw[0] == '"' || isNumber(raw)
}

// readRequest takes from a request's parameters what a judge of cancellation
// cares for.
func readRequest(m *history.Message, params string) {
	o, meta, arguments := object{cursor: cursor{text: params}}, "", ""
	for o.next() {
		switch o.key {
		case "_meta":
			meta = o.value
		case "arguments":
			arguments = o.value
		case "task":
			m.Augmented = isObject(o.value)
		case "taskId":
			m.Task, _ = Text(o.value)
		}
	}
	m.Token = canonical(Member(meta, MetaToken))
	number := Member(meta, MetaCall)
	if m.Method == ToolsCall {
		number = Member(arguments, "call")
	}
	m.Call = int(integer(number))
	if m.Call == 0 && m.Method != ToolsCall {
		m.Call = callOf(m.Method, params)
	}
}

// ResourceURI is how the URIs of simulated resources begin. The number of the
// call that reads one follows.
const ResourceURI = "mcpsim://call/"

// callOf returns the number of the call that a request is for whose _meta does
// not tell; 0 if nothing else does.
func callOf(method, params string) int {
	text := ""
	switch method {
	case ResourcesRead:
		uri, _ := Text(Member(params, "uri"))
		text, _ = strings.CutPrefix(uri, ResourceURI)
	case PromptsGet:
		text, _ = Text(Member(Member(params, "arguments"), "call"))
	case Complete:
		text, _ = Text(Member(Member(params, "argument"), "value"))
	case Elicitation:
		text, _ = Text(Member(params, "message"))
	case Sampling:
		text = SamplingText(params)
	case Listen:
		text = firstCall(Member(Member(params, "notifications"), "resourceSubscriptions"))
	}
	return int(integer(text))
}

// SamplingText returns the text of the first message of a sampling/createMessage,
// whose content is one block or a list of them; empty: it has none.
func SamplingText(params string) string {
	content := Member(first(Member(params, "messages")), "content")
	if strings.HasPrefix(content, "[") {
		content = first(content)
	}
	text, _ := Text(Member(content, "text"))
	return text
}

// first returns the first item of a JSON array, "" if there is none.
func first(array string) string {
	var items []json.RawMessage
	if json.Unmarshal([]byte(array), &items) != nil || len(items) == 0 {
		return ""
	}
	return string(items[0])
}

// firstCall returns the number in the first of a list of URIs, if that is a
// simulated resource's.
func firstCall(uris string) string {
	first, found := strings.CutPrefix(strings.TrimLeft(strings.TrimPrefix(uris, "["), " \t"), `"`+ResourceURI)
	if !found {
		return ""
	}
	number, _, _ := strings.Cut(first, `"`)
	return number
}

// subscription returns the subscription that a notification's parameters, or a
// result, says that it belongs to.
func subscription(body string) string {
	if !strings.Contains(body, MetaSubscription) { // nearly all of them: spare the parsing
		return ""
	}
	return canonical(Member(Member(body, "_meta"), MetaSubscription))
}

// readNotification does the same for a notification.
func readNotification(m *history.Message, params string) {
	switch m.Method {
	case Progress:
		m.Token = canonical(Member(params, "progressToken"))
	case Cancelled:
		m.Ref = canonical(Member(params, "requestId"))
		m.Text, _ = Text(Member(params, "reason"))
	case TaskStatus:
		readTask(m, params)
	}
}

// integer returns the JSON integer raw, or 0 when it is none or does not fit.
func integer(raw string) int64 {
	n, err := strconv.ParseInt(raw, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// canonical returns the raw id or token in the form in which it is compared.
func canonical(raw string) string {
	if !strings.HasPrefix(raw, `"`) || strings.IndexByte(raw, '\\') < 0 {
		return raw
	}
	s, ok := Text(raw)
	if !ok {
		return raw
	}
	return string(AppendString(nil, s))
}
