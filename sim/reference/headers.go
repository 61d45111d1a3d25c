package reference

import (
	"encoding/base64"
	"mime"
	"net/http"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// Types of what is sent.
const (
	jsonType  = "application/json"
	eventType = "text/event-stream"
)

// typeOf returns the media type that a header says, without its parameters, in small
// letters; empty if there is none.
func typeOf(h http.Header) string {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

// accepts reports whether an Accept header admits a media type.
func accepts(h http.Header, kind string) bool {
	family, _, _ := strings.Cut(kind, "/")
	for _, line := range h.Values("Accept") {
		for part := range strings.SplitSeq(line, ",") {
			switch got, _, _ := mime.ParseMediaType(part); got {
			case kind, family + "/*", "*/*":
				return true
			}
		}
	}
	return false
}

// nameOf returns what the header Mcp-Name has to say of a request, and whether it has
// to: streamable-http of 2026-07-28, "Standard Request Headers".
func nameOf(m *history.Message) (name string, named bool) {
	key := ""
	switch m.Method {
	case protocol.ToolsCall, protocol.PromptsGet:
		key = "name"
	case protocol.ResourcesRead:
		key = "uri"
	default:
		return "", false
	}
	name, _ = protocol.Text(protocol.Member(protocol.Member(m.Raw, "params"), key))
	return name, true
}

// What stands around a value that is no plain text, see "Value Encoding" there.
const (
	codedBegin = "=?base64?"
	codedEnd   = "?="
)

// encodeHeader returns a text as the value of a header.
func encodeHeader(text string) string {
	if plainHeader(text) && !coded(text) {
		return text
	}
	return codedBegin + base64.StdEncoding.EncodeToString([]byte(text)) + codedEnd
}

// decodeHeader returns the text that the value of a header stands for. It reports false
// when the value is not well formed.
func decodeHeader(value string) (string, bool) {
	if !coded(value) {
		return value, plainHeader(value)
	}
	text, err := base64.StdEncoding.DecodeString(value[len(codedBegin) : len(value)-len(codedEnd)])
	return string(text), err == nil
}

func coded(value string) bool {
	return strings.HasPrefix(value, codedBegin) && strings.HasSuffix(value[len(codedBegin):], codedEnd)
}

// plainHeader reports whether a text can stand in a header as it is: visible ASCII, and
// spaces and tabs that are not at its ends.
func plainHeader(text string) bool {
	for _, b := range []byte(text) {
		if b != '\t' && (b < ' ' || b > '~') {
			return false
		}
	}
	return text == strings.Trim(text, " \t")
}
