package reference

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// What both peers say they are.
const (
	programName    = "mcpsim-reference"
	programRelease = "1"
	program        = `{"name":"` + programName + `","version":"` + programRelease + `"}`
)

// complete belongs into every result of the modern era, and uncached into one
// that could be cached.
const (
	complete = `"resultType":"complete",`
	uncached = `"ttlMs":0,"cacheScope":"private",`
)

// appendToolResult adds the response to a tools/call whose tool returned text
// and err. An error of the tool's is a result, not an error reply.
func appendToolResult(b []byte, version, id, text string, err error) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"result":{`...)
	if protocol.Modern(version) {
		b = append(b, complete...)
	}
	if err != nil {
		text = err.Error()
	}
	b = append(b, `"content":[{"type":"text","text":`...)
	b = protocol.AppendString(b, text)
	b = append(b, `}],"isError":`...)
	b = strconv.AppendBool(b, err != nil)
	return append(b, `}}`...)
}

// appendTaskResult adds the response to a tasks/result of a task whose tool returned
// text and err.
func appendTaskResult(b []byte, id, task, text string, err error) []byte {
	if err != nil {
		text = err.Error()
	}
	return protocol.AppendResult(b, id, `{"content":[{"type":"text","text":`+quote(text)+`}],"isError":`+strconv.FormatBool(err != nil)+
		`,"_meta":{"`+protocol.MetaTask+`":{"taskId":`+quote(task)+`}}}`)
}

// resultOf returns the raw result that a reply carries, or the error that it
// carries instead. A result of a type that is not known is none.
func resultOf(m *history.Message) (string, error) {
	if m.Kind == history.ErrorReply {
		return "", protocol.RPCError{Code: m.Code, Message: m.Text}
	}
	result := protocol.Member(m.Raw, "result")
	if !strings.HasPrefix(result, "{") {
		return "", fmt.Errorf("the result of request %s is no object", m.ID)
	}
	// Servers of the legacy era leave the type out, and mean "complete".
	kind := protocol.Member(result, "resultType")
	if kind != "" && kind != `"complete"` {
		return "", fmt.Errorf("the result of request %s is of the unknown type %s", m.ID, kind)
	}
	return result, nil
}

// checkHandshake reports why the answer to the handshake does not do for version.
func checkHandshake(result, version string) error {
	if !protocol.Modern(version) {
		if got, _ := protocol.Text(protocol.Member(result, "protocolVersion")); got != version {
			return fmt.Errorf("the server wants version %q, not %s", got, version)
		}
		return nil
	}
	var supported []string
	if err := json.Unmarshal([]byte(protocol.Member(result, "supportedVersions")), &supported); err != nil {
		return fmt.Errorf("read the server's versions: %w", err)
	}
	if slices.Contains(supported, version) {
		return nil
	}
	if len(supported) == 0 {
		return fmt.Errorf("the server answered server/discover with no versions, and so does not speak %s", version)
	}
	return fmt.Errorf("the server speaks %v, not %s", supported, version)
}
