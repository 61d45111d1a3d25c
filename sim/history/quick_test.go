package history

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawnEvent draws any event; three of four are such as the quick way reads, with plain
// texts and numbers of at most 18 digits.
func drawnEvent(t *rapid.T) (Event, mention) {
	text := rapid.OneOf(rapid.Just(""), rapid.StringMatching("[a-z\"\\\\{}:,\n]{0,8}"))
	number := rapid.OneOf(rapid.Just(0), rapid.IntRange(-20, 20))
	if rapid.IntRange(0, 3).Draw(t, "plain") == 0 {
		text, number = rapid.OneOf(text, rapid.String()), rapid.OneOf(number, rapid.Int())
	}
	e := Event{
		Seq: number.Draw(t, "seq"), At: time.Duration(number.Draw(t, "at")), Side: Side(text.Draw(t, "side")), Kind: Kind(text.Draw(t, "kind")),
		Call: number.Draw(t, "call"), Client: number.Draw(t, "client"), Exchange: number.Draw(t, "exchange"),
		Frame: number.Draw(t, "frame"), Arrived: time.Duration(number.Draw(t, "arrived")),
		N: number.Draw(t, "n"), Text: text.Draw(t, "text"), Value: text.Draw(t, "value"), Blame: text.Draw(t, "blame"),
		EventID: text.Draw(t, "event"),
	}
	if rapid.Bool().Draw(t, "head") {
		e.HTTP = &HTTPHead{
			Method: text.Draw(t, "method"), Accept: text.Draw(t, "accept"), ContentType: text.Draw(t, "type"), Session: text.Draw(t, "session"),
			Version: text.Draw(t, "version"), LastEvent: text.Draw(t, "last"), MCPMethod: text.Draw(t, "mcp method"), MCPName: text.Draw(t, "name"),
			Conn: number.Draw(t, "conn"), Instance: number.Draw(t, "instance"), Status: number.Draw(t, "status"), Body: text.Draw(t, "body"),
		}
	}
	how := rapid.SampledFrom([]mention{noMessage, knownMessage, newMessage}).Draw(t, "mention")
	if how == newMessage {
		e.Msg = &Message{
			Kind: MessageKind(text.Draw(t, "kind")), Method: text.Draw(t, "method"), ID: text.Draw(t, "id"), Ref: text.Draw(t, "ref"),
			Token: text.Draw(t, "token"), Code: int64(number.Draw(t, "code")), Text: text.Draw(t, "reason"),
			Call: number.Draw(t, "number"), Raw: text.Draw(t, "raw"),
			Sub: text.Draw(t, "sub"), Batch: number.Draw(t, "batch"), Augmented: rapid.Bool().Draw(t, "augmented"), Task: text.Draw(t, "task"), Status: text.Draw(t, "status"),
		}
	}
	return e, how
}

// TestQuickReadsAlike: what the quick way reads, encoding/json reads the same,
// whatever befell the line.
func TestQuickReadsAlike(t *testing.T) {
	drawn, read := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		drawn++
		e, how := drawnEvent(rt)
		line := appendEvent(nil, &e, how)
		if i := rapid.IntRange(0, 2*len(line)).Draw(rt, "damaged"); i < len(line) {
			line[i] = rapid.Byte().Draw(rt, "byte")
		}
		var q quick
		var got, want record
		if !q.event(slices.Clone(line), &got) {
			return
		}
		read++
		require.NoError(rt, json.Unmarshal(line, &want), "%s", line)
		require.Nil(rt, want.Header)
		require.Nil(rt, want.End)
		if got.said != nil {
			m := &Message{}
			require.NoError(rt, json.Unmarshal(want.Msg, m))
			require.Equal(rt, m, got.said, "%s", line)
			want.Msg, got.said = nil, nil
		}
		require.Equal(rt, want, got, "%s", line)
	})
	assert.Greater(t, read, drawn/10, "of %d", drawn)
}

// TestQuickReadsWhatIsUsual: a conversation needs no other way.
func TestQuickReadsWhatIsUsual(t *testing.T) {
	var q quick
	events := conversation()
	for i, m := range []*Message{
		{Kind: Request, Method: "tools/call", ID: "1", Augmented: true, Raw: "{}"},
		{Kind: Response, ID: "1", Task: "t1", Status: "working", Raw: "{}"},
		{Kind: Notification, Method: "notifications/tools/list_changed", Sub: `"s1"`, Raw: "{}"},
	} {
		events = append(events, Event{Seq: len(events), Side: Server, Kind: Write, Frame: 3 + i, Msg: m})
	}
	lines := strings.Split(strings.TrimSpace(encoded(t, events)), "\n")
	for _, line := range lines[1 : len(lines)-1] {
		assert.True(t, q.event([]byte(line), &record{}), line)
	}
	for _, line := range []string{`{"header":{}}`, `{"seq":0}`, `{"seq":01,"at_ns":0,"side":"","kind":""}`, `{"seq":0,"at_ns":0,"side":"","kind":""`, ""} {
		assert.False(t, q.event([]byte(line), &record{}), line)
	}
}
