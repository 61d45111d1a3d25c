package reference

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The examples are those of the specification, "Value Encoding".
func TestHeaderValues(t *testing.T) {
	for text, want := range map[string]string{
		"us-west1":                "us-west1",
		"file:///a b":             "file:///a b",
		"Hello, 世界":               "=?base64?SGVsbG8sIOS4lueVjA==?=",
		" padded ":                "=?base64?IHBhZGRlZCA=?=",
		"line1\nline2":            "=?base64?bGluZTEKbGluZTI=?=",
		"=?base64?literal?=":      "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
		"=?base64?=":              "=?base64?=",
		"":                        "",
		"=?BASE64?bGl0ZXJhbA==?=": "=?BASE64?bGl0ZXJhbA==?=",
	} {
		assert.Equal(t, want, encodeHeader(text))
		got, ok := decodeHeader(want)
		require.True(t, ok, want)
		assert.Equal(t, text, got)
	}
	for _, broken := range []string{"=?base64?*?=", "\x01", "ü", " x"} {
		_, ok := decodeHeader(broken)
		assert.False(t, ok, broken)
	}
}

func FuzzHeaderValues(f *testing.F) {
	f.Add("plain")
	f.Add("=?base64?x?=")
	f.Fuzz(func(t *testing.T, text string) {
		value := encodeHeader(text)
		require.True(t, plainHeader(value))
		got, ok := decodeHeader(value)
		require.True(t, ok)
		require.Equal(t, text, got)
	})
}

func TestAccepts(t *testing.T) {
	for _, c := range []struct {
		values []string
		json   bool
		events bool
	}{
		{[]string{"application/json, text/event-stream"}, true, true},
		{[]string{"application/json", "text/event-stream;q=0.5"}, true, true},
		{[]string{"*/*"}, true, true},
		{[]string{"text/*"}, false, true},
		{[]string{"application/json"}, true, false},
		{nil, false, false},
	} {
		h := http.Header{"Accept": c.values}
		assert.Equal(t, c.json, accepts(h, jsonType), c.values)
		assert.Equal(t, c.events, accepts(h, eventType), c.values)
	}
}
