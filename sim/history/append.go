package history

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// appendEvent adds e as JSON, as encoding/json would with the tags of [Event],
// except that a message that the reader can remember is left out, and that a
// frame without a message says so.
func appendEvent(b []byte, e *Event, how mention) []byte {
	b = append(b, `{"seq":`...)
	b = strconv.AppendInt(b, int64(e.Seq), 10)
	b = append(b, `,"at_ns":`...)
	b = strconv.AppendInt(b, int64(e.At), 10)
	b = appendText(append(b, `,"side":`...), string(e.Side))
	b = appendText(append(b, `,"kind":`...), string(e.Kind))
	b = appendInt(b, `,"call":`, int64(e.Call))
	b = appendInt(b, `,"client":`, int64(e.Client))
	b = appendInt(b, `,"exchange":`, int64(e.Exchange))
	b = appendInt(b, `,"frame":`, int64(e.Frame))
	switch {
	case how == newMessage:
		b = appendMessageJSON(append(b, `,"msg":`...), e.Msg)
	case how == noMessage && e.Frame != 0:
		b = append(b, `,"msg":null`...)
	}
	b = appendInt(b, `,"arrived_ns":`, int64(e.Arrived))
	b = appendInt(b, `,"n":`, int64(e.N))
	b = appendOptional(b, `,"text":`, e.Text)
	b = appendOptional(b, `,"value":`, e.Value)
	if e.HTTP != nil {
		b = appendHead(append(b, `,"http":`...), e.HTTP)
	}
	b = appendOptional(b, `,"event_id":`, e.EventID)
	b = appendOptional(b, `,"blame":`, e.Blame)
	return append(b, '}')
}

func appendHead(b []byte, h *HTTPHead) []byte {
	start := len(b)
	b = appendOptional(b, `,"method":`, h.Method)
	b = appendOptional(b, `,"accept":`, h.Accept)
	b = appendOptional(b, `,"content_type":`, h.ContentType)
	b = appendOptional(b, `,"session":`, h.Session)
	b = appendOptional(b, `,"version":`, h.Version)
	b = appendOptional(b, `,"last_event":`, h.LastEvent)
	b = appendOptional(b, `,"mcp_method":`, h.MCPMethod)
	b = appendOptional(b, `,"mcp_name":`, h.MCPName)
	b = appendInt(b, `,"conn":`, int64(h.Conn))
	b = appendInt(b, `,"instance":`, int64(h.Instance))
	b = appendInt(b, `,"status":`, int64(h.Status))
	b = appendOptional(b, `,"body":`, h.Body)
	if len(b) == start {
		return append(b, "{}"...)
	}
	b[start] = '{' // in place of the comma
	return append(b, '}')
}

func appendMessageJSON(b []byte, m *Message) []byte {
	b = appendText(append(b, `{"kind":`...), string(m.Kind))
	b = appendOptional(b, `,"method":`, m.Method)
	b = appendOptional(b, `,"id":`, m.ID)
	b = appendOptional(b, `,"ref":`, m.Ref)
	b = appendOptional(b, `,"token":`, m.Token)
	b = appendInt(b, `,"code":`, m.Code)
	b = appendOptional(b, `,"text":`, m.Text)
	b = appendInt(b, `,"call":`, int64(m.Call))
	b = appendOptional(b, `,"sub":`, m.Sub)
	b = appendText(append(b, `,"raw":`...), m.Raw)
	if m.Augmented {
		b = append(b, `,"augmented":true`...)
	}
	b = appendOptional(b, `,"task":`, m.Task)
	b = appendOptional(b, `,"status":`, m.Status)
	b = appendInt(b, `,"batch":`, int64(m.Batch))
	return append(b, '}')
}

func appendInt(b []byte, key string, v int64) []byte {
	if v == 0 {
		return b
	}
	return strconv.AppendInt(append(b, key...), v, 10)
}

func appendOptional(b []byte, key, s string) []byte {
	if s == "" {
		return b
	}
	return appendText(append(b, key...), s)
}

// Bytes that are not UTF-8 stand in the text as byteRunes plus the byte. So that
// the way back is unique, the code points of that range, which nothing uses, are
// themselves written byte by byte.
const (
	byteRunes = 0x10FF00
	byteMark  = "\xf4\x8f" // how each of them begins in UTF-8
)

// appendText adds s as a JSON string.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	plain := 0 // from here to i nothing needs care
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if size > 1 && r < byteRunes {
			i += size
			continue
		}
		b = append(b, s[plain:i]...)
		b = appendSpecial(b, s[i:i+size])
		i += size
		plain = i
	}
	return append(append(b, s[plain:]...), '"')
}

// appendSpecial adds a character of ASCII that JSON wants escaped, or bytes that
// are not text.
func appendSpecial(b []byte, s string) []byte {
	const hexDigits = "0123456789abcdef"
	switch c := s[0]; {
	case c == '"' || c == '\\':
		return append(b, '\\', c)
	case c == '\n':
		return append(b, `\n`...)
	case c < ' ':
		return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
	for i := range len(s) {
		b = utf8.AppendRune(b, byteRunes+rune(s[i]))
	}
	return b
}

// restore undoes what appendText did to bytes that are not text.
func restore(s string) string {
	if !strings.Contains(s, byteMark) {
		return s
	}
	b := make([]byte, 0, len(s))
	for _, r := range s {
		if r >= byteRunes {
			b = append(b, byte(r-byteRunes))
		} else {
			b = utf8.AppendRune(b, r)
		}
	}
	return string(b)
}
