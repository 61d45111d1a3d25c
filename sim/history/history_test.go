package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func anyText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.Just(""), rapid.SampledFrom([]string{
		"plain", `quotes " and \ strokes`, "line\nend\x00\x1f", "not\xffUTF-8\xc3", "taken \U0010FF41 already", "\U0010FFFF", "é\u2028",
	}))
}

func anyHead(t *rapid.T) *HTTPHead {
	text := func(what string) string { return anyText().Draw(t, what) }
	number := func(what string) int { return rapid.SampledFrom([]int{0, 1, 202}).Draw(t, what) }
	return &HTTPHead{
		Method: text("method"), Accept: text("accept"), ContentType: text("content type"), Session: text("session"),
		Version: text("version"), LastEvent: text("last event"), MCPMethod: text("mcp method"), MCPName: text("mcp name"),
		Conn: number("conn"), Instance: number("instance"), Status: number("status"), Body: text("body"),
	}
}

func anyEvents() *rapid.Generator[[]Event] {
	sides := rapid.SampledFrom([]Side{Client, Server, World, ""})
	kinds := rapid.SampledFrom([]Kind{Write, Wrote, Read, Unread, Issue, Return, End, Leak})
	return rapid.Custom(func(t *rapid.T) []Event {
		messages := make([]*Message, rapid.IntRange(1, 8).Draw(t, "messages"))
		for i := range messages {
			messages[i] = &Message{
				Kind: Request, ID: anyText().Draw(t, "id"), Raw: anyText().Draw(t, "raw"),
				Code: rapid.Int64().Draw(t, "code"), Call: rapid.IntRange(0, 3).Draw(t, "call"),
				Augmented: rapid.Bool().Draw(t, "augmented"), Task: anyText().Draw(t, "task"), Status: anyText().Draw(t, "status"),
				Batch: rapid.IntRange(0, 3).Draw(t, "batch"),
				Sub:   anyText().Draw(t, "sub"),
			}
		}
		events := make([]Event, rapid.IntRange(0, 30).Draw(t, "n"))
		for i := range events {
			e := Event{
				Seq: i, At: time.Duration(rapid.Int64().Draw(t, "at")), Side: sides.Draw(t, "side"), Kind: kinds.Draw(t, "kind"),
				Frame: rapid.SampledFrom([]int{0, 1, 2, 3, 4, 5, -1, maxWindow, 3 * maxWindow, math.MaxInt}).Draw(t, "frame"),
				N:     rapid.Int().Draw(t, "n"), Text: anyText().Draw(t, "text"), Value: anyText().Draw(t, "value"),
				Client: rapid.IntRange(0, 2).Draw(t, "client"), Exchange: rapid.IntRange(-1, 2).Draw(t, "exchange"), EventID: anyText().Draw(t, "event id"),
			}
			if rapid.Bool().Draw(t, "head") {
				e.HTTP = anyHead(t)
			}
			if m := rapid.IntRange(-1, len(messages)-1).Draw(t, "msg"); m >= 0 {
				e.Msg = messages[m]
			}
			if e.Kind == "" {
				e.Kind = Issue
			}
			events[i] = e
		}
		return events
	})
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &History{Header: Header{Schema: Schema, Seed: 7, Calls: []Call{{Call: 1, Handler: "chatty"}}}, Events: anyEvents().Draw(t, "events")}
		var b bytes.Buffer
		require.NoError(t, Encode(&b, h))
		got, err := Decode(&b)
		require.NoError(t, err)
		require.Equal(t, h.Header, got.Header)
		require.Equal(t, -1, FirstDifference(h.Events, got.Events))
		require.Equal(t, Digest(h.Events), Digest(got.Events))
	})
}

// The encoder is written by hand for speed; encoding/json is what it must agree
// with.
func TestEventsAreJSON(t *testing.T) {
	e := Event{
		Seq: 3, At: 4, Side: Server, Kind: Read, Call: 5, Frame: 6, Arrived: 7, N: 8, Text: "t\n", Value: `"v"`, Blame: "pair",
		Msg: &Message{Kind: ErrorReply, Method: "m", ID: "1", Ref: "2", Token: `"p"`, Code: -32603, Text: "x", Call: 9, Sub: "4", Raw: "{}", Augmented: true, Task: "t", Status: "working", Batch: 2},
	}
	want, err := json.Marshal(e)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(appendEvent(nil, &e, newMessage)))
}

func conversation() []Event {
	m := &Message{Kind: Request, Method: "tools/call", ID: "1", Raw: strings.Repeat("x", 100)}
	n := &Message{Kind: Response, ID: "1", Raw: "{}"}
	events := []Event{
		{Side: Client, Kind: Write, Frame: 1, Msg: m}, {Side: Client, Kind: Wrote, Frame: 1, Msg: m},
		{Side: Server, Kind: Read, Frame: 1, Msg: m, Arrived: 5},
		{Side: Server, Kind: Write, Frame: 2, Msg: n}, {Side: Client, Kind: Read, Frame: 2, Msg: n},
		{Side: Server, Kind: Wrote, Frame: 2, Msg: n},
	}
	for i := range events {
		events[i].Seq, events[i].At = i, time.Duration(i)
	}
	return events
}

func encoded(t testing.TB, events []Event) string {
	var b bytes.Buffer
	require.NoError(t, Encode(&b, &History{Header: Header{Schema: Schema}, Events: events}))
	return b.String()
}

func TestFramesShareTheirMessage(t *testing.T) {
	text := encoded(t, conversation())
	assert.Equal(t, 1, strings.Count(text, strings.Repeat("x", 100)), "the message is written once")
	h, err := Decode(strings.NewReader(text))
	require.NoError(t, err)
	assert.Same(t, h.Events[0].Msg, h.Events[1].Msg)
	assert.Same(t, h.Events[0].Msg, h.Events[2].Msg)
	assert.Same(t, h.Events[3].Msg, h.Events[5].Msg)
}

// A frame that is written piece by piece is recorded at its first byte and
// completed in place.
func TestAMessageMayGrowWhileItIsStreamed(t *testing.T) {
	m := &Message{Kind: Invalid, Raw: `{"a`}
	var b bytes.Buffer
	e := NewEncoder(&b)
	require.NoError(t, e.Header(Header{Schema: Schema}))
	require.NoError(t, e.Event(&Event{Seq: 0, Side: Client, Kind: Write, Frame: 1, Msg: m}))
	*m = Message{Kind: Request, Raw: `{"all":1}`}
	require.NoError(t, e.Event(&Event{Seq: 1, Side: Client, Kind: Wrote, Frame: 1, Msg: m}))
	require.NoError(t, e.End())
	h, err := Decode(&b)
	require.NoError(t, err)
	assert.Equal(t, `{"a`, h.Events[0].Msg.Raw)
	assert.Equal(t, `{"all":1}`, h.Events[1].Msg.Raw)
}

func TestDamageIsNamed(t *testing.T) {
	whole := encoded(t, conversation())
	lines := strings.SplitAfter(whole, "\n")
	for _, tc := range []struct{ why, text, want string }{
		{"empty", "", "line 1: the history is cut off"},
		{"no JSON", "hello\n", "line 1: this is not a line of a history"},
		{"another JSON file", "{\"a\":1}\n", "line 1: this is not the header of a history"},
		{"from the future", strings.Replace(whole, `"schema":1`, `"schema":2`, 1), "schema 2 and this program reads up to 1; use the mcpsim that wrote it"},
		{"without its last line", strings.Join(lines[:len(lines)-2], ""), "line 8: the history is cut off before its end"},
		{"cut within a line", whole[:len(whole)/2], "the history is cut off before its end"},
		{"a line is missing", strings.Replace(whole, lines[3], "", 1), "line 4: event 3 stands where event 2 belongs; the history is damaged"},
		{"a figure was changed", strings.Replace(whole, `"arrived_ns":5`, `"arrived_ns":6`, 1), "line 8: the events have digest"},
		{"the count was changed", strings.Replace(whole, `"events":6`, `"events":7`, 1), "6 events are there, 7 were written"},
		{"something follows", whole + "x", "line 9: something follows the history's end"},
		{"a second header", lines[0] + lines[0], "line 2: this is no event"},
		{"a message of the wrong type", strings.Replace(whole, `"msg":{`, `"msg":[{`, 1), "line 2: this is not a line"},
		{"a message that is a number", lines[0] + `{"seq":0,"side":"client","kind":"write","frame":1,"msg":3}` + "\n", "line 2: this is no message"},
		{"a line without end", lines[0] + strings.Repeat("x", maxLine+1<<17), "line 2: the line has more than 16777216 bytes"},
	} {
		t.Run(tc.why, func(t *testing.T) {
			_, err := Decode(strings.NewReader(tc.text))
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestWhatStoodBeforeTheCutIsReturned(t *testing.T) {
	whole := encoded(t, conversation())
	h, err := Decode(strings.NewReader(whole[:strings.LastIndex(whole, `{"end"`)]))
	require.ErrorIs(t, err, ErrCut)
	assert.Equal(t, -1, FirstDifference(conversation(), h.Events))
}

func TestDecoderStaysAtItsError(t *testing.T) {
	d, err := NewDecoder(strings.NewReader(encoded(t, nil)))
	require.NoError(t, err)
	for range 2 {
		_, err = d.Next()
		require.ErrorIs(t, err, io.EOF)
	}
}

// TestDecoderIsBounded: a history that no world can have is refused, rather than
// gathered until memory ends.
func TestDecoderIsBounded(t *testing.T) {
	text := encoded(t, conversation())
	for limit, want := range map[int]string{len(conversation()): "EOF", 2: "line 4: there are more than 2 events"} {
		d, err := NewDecoder(strings.NewReader(text))
		require.NoError(t, err)
		d.limit = limit
		for err == nil {
			_, err = d.Next()
		}
		require.ErrorContains(t, err, want)
	}
}

// Memory must not grow with the number of frames.
func TestFramesAreForgotten(t *testing.T) {
	f := frames{}
	m := &Message{Kind: Request}
	longest := 0
	for n := 1; n <= 2*maxWindow; n++ {
		for _, kind := range []Kind{Write, Wrote, Read} {
			f.note(&Event{Kind: kind, Frame: n, Msg: m})
		}
		longest = max(longest, len(f.all))
	}
	assert.LessOrEqual(t, longest, 1, "frames that are over")
	for n := 2*maxWindow + 1; n <= 5*maxWindow; n++ {
		f.note(&Event{Kind: Write, Frame: n, Msg: m})
		longest = max(longest, len(f.all))
	}
	assert.LessOrEqual(t, longest, 2*maxWindow, "frames that nobody reads")
	assert.Equal(t, m, f.known(5*maxWindow))
	assert.Equal(t, m, f.known(4*maxWindow+1))
	assert.Nil(t, f.known(4*maxWindow))
	assert.Nil(t, f.known(5*maxWindow+1))
}

func TestEncoderRefusesDisorderAndKeepsItsError(t *testing.T) {
	e := NewEncoder(io.Discard)
	require.ErrorContains(t, e.Event(&Event{Seq: 1}), "event 1 came where event 0 belongs")
	require.ErrorContains(t, e.End(), "event 1 came where event 0 belongs")
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestEncoderReportsTheWriter(t *testing.T) {
	require.ErrorContains(t, Encode(failing{}, &History{}), "encode history: disk full")
}

func TestFiles(t *testing.T) {
	h := &History{Header: Header{Schema: Schema, Scenario: "s"}, Events: conversation()}
	for _, name := range []string{"h.ndjson", "h.ndjson.zst"} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, WriteFile(path, h))
		got, err := ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, h, got)
		left, err := os.ReadDir(filepath.Dir(path))
		require.NoError(t, err)
		assert.Len(t, left, 1, "no temporary file stays")
	}
}

func TestFileErrors(t *testing.T) {
	dir := t.TempDir()
	require.ErrorContains(t, WriteFile(filepath.Join(dir, "none", "h"), &History{}), "write history")
	_, err := ReadFile(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	bad := filepath.Join(dir, "bad.zst")
	require.NoError(t, os.WriteFile(bad, []byte("no zstd at all"), 0o600))
	_, err = ReadFile(bad)
	require.ErrorContains(t, err, bad)
	cut := filepath.Join(dir, "cut.ndjson.zst")
	require.NoError(t, WriteFile(cut, &History{Header: Header{Schema: Schema}, Events: conversation()}))
	data, err := os.ReadFile(cut)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(cut, data[:len(data)-20], 0o600))
	_, err = ReadFile(cut)
	require.Error(t, err)
	require.Error(t, WriteFile(dir, &History{}), "a directory is in the way")
}

func TestDigestTellsEventsApart(t *testing.T) {
	base := conversation()
	seen := map[string]string{Digest(base): "base", Digest(nil): "empty", Digest(base[:5]): "shorter"}
	for name, change := range map[string]func([]Event){
		"at": func(e []Event) { e[1].At++ }, "side": func(e []Event) { e[1].Side = World }, "kind": func(e []Event) { e[1].Kind = Issue },
		"call": func(e []Event) { e[1].Call = 1 }, "frame": func(e []Event) { e[1].Frame = 2 }, "arrived": func(e []Event) { e[1].Arrived = 1 },
		"n": func(e []Event) { e[1].N = 1 }, "text": func(e []Event) { e[1].Text = "x" }, "value": func(e []Event) { e[1].Value = "x" },
		"blame": func(e []Event) { e[1].Blame = "x" }, "no message": func(e []Event) { e[1].Msg = nil },
		"other message":        func(e []Event) { m := *e[1].Msg; m.Token = "1"; e[1].Msg = &m },
		"another subscription": func(e []Event) { m := *e[1].Msg; m.Sub = "1"; e[1].Msg = &m },
		"another task":         func(e []Event) { m := *e[1].Msg; m.Task = "1"; e[1].Msg = &m },
		"another status":       func(e []Event) { m := *e[1].Msg; m.Status = "1"; e[1].Msg = &m },
		"swapped":              func(e []Event) { e[0], e[1] = e[1], e[0] },
	} {
		events := conversation()
		change(events)
		digest := Digest(events)
		require.Regexp(t, "^[0-9a-f]{16}$", digest)
		require.NotContains(t, seen, digest, name)
		seen[digest] = name
		require.GreaterOrEqual(t, FirstDifference(base, events), 0, name)
	}
	assert.Equal(t, 5, FirstDifference(base, base[:5]))
	assert.Equal(t, -1, FirstDifference(base, conversation()), "messages are compared by what they say")
}

// The digest is part of what users compare across machines and versions: it must
// not change by accident.
func TestDigestIsStable(t *testing.T) {
	assert.Equal(t, "e3b0c44298fc1c14", Digest(nil))
	assert.Equal(t, stableDigest, Digest(conversation()))
}

func TestRecorder(t *testing.T) {
	at := time.Duration(0)
	var streamed []int
	r := NewRecorder(func() time.Duration { at += 5; return at }, func(e *Event) error { streamed = append(streamed, e.Seq); return nil })
	assert.Equal(t, 0, r.Add(Event{Seq: 9, At: 9, Kind: Issue}))
	assert.Equal(t, 1, r.Add(Event{Kind: Return}))
	before := r.History(Header{Seed: 3})
	r.Add(Event{Kind: Close})
	assert.Equal(t, []int{0, 1, 2}, streamed)
	assert.Equal(t, &History{Header: Header{Seed: 3}, Events: []Event{{Seq: 0, At: 5, Kind: Issue}, {Seq: 1, At: 10, Kind: Return}}}, before)
	assert.Equal(t, 3, r.Len())
	assert.NoError(t, r.Err())
}

// What a dead side goes on doing is not recorded. That nobody read a frame is no
// act of its own.
func TestRecorderAfterTheLastOfASide(t *testing.T) {
	r := NewRecorder(func() time.Duration { return 0 }, nil)
	for _, row := range []struct {
		add  func(Event) int
		e    Event
		want int
	}{
		{r.Add, Event{Side: Server, Kind: Start}, 0},
		{r.AddLast, Event{Side: Server, Kind: Exit}, 1},
		{r.Add, Event{Side: Server, Kind: Told}, -1},
		{r.Add, Event{Side: Client, Kind: EOF}, 2},
		{r.Add, Event{Side: World, Kind: Quiet}, 3},
		{r.Add, Event{Side: Server, Kind: Unread}, 4},
		{r.AddLast, Event{Side: Server, Kind: Exit}, -1},
	} {
		assert.Equal(t, row.want, row.add(row.e), "%s %s", row.e.Side, row.e.Kind)
	}
	assert.Equal(t, 5, r.Len())
	assert.NoError(t, r.Err(), "nothing is missing")
}

func TestNilRecorderRecordsNothing(t *testing.T) {
	var r *Recorder
	assert.Equal(t, -1, r.Add(Event{}))
	assert.Equal(t, -1, r.AddLast(Event{}))
	assert.Nil(t, r.History(Header{}))
	assert.Zero(t, r.Len())
	assert.NoError(t, r.Err())
}

func TestRecorderIsBounded(t *testing.T) {
	r := NewRecorder(func() time.Duration { return 0 }, nil)
	r.limit = 2
	for _, want := range []int{0, 1, -1, -1} {
		assert.Equal(t, want, r.Add(Event{}))
	}
	require.ErrorIs(t, r.Err(), ErrFull)
	assert.Equal(t, 2, r.Len())
}

func TestRecorderGivesUpOnItsSink(t *testing.T) {
	calls := 0
	r := NewRecorder(func() time.Duration { return 0 }, func(*Event) error { calls++; return errors.New("gone") })
	r.Add(Event{})
	r.Add(Event{})
	assert.Equal(t, 1, calls)
	assert.Equal(t, 2, r.Len(), "recording goes on")
	require.ErrorContains(t, r.Err(), "stream event 0: gone")
}

func TestRecorderKeepsOrderAmongWriters(t *testing.T) {
	at := time.Duration(0)
	r := NewRecorder(func() time.Duration { at++; return at }, nil)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				r.Add(Event{Kind: Progress})
			}
		})
	}
	all.Wait()
	for i, e := range r.History(Header{}).Events {
		require.Equal(t, Event{Seq: i, At: time.Duration(i + 1), Kind: Progress}, e)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(encoded(f, conversation())))
	f.Add([]byte(`{"header":{"schema":1}}` + "\n" + `{"end":{"events":0,"digest":"e3b0c44298fc1c14"}}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := Decode(bytes.NewReader(data))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := Encode(&b, h); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := Decode(&b)
		if err != nil || FirstDifference(h.Events, again.Events) >= 0 {
			t.Fatalf("written and read again it differs: %v", err)
		}
	})
}

func manyEvents(n int) []Event {
	events := make([]Event, 0, n)
	for len(events) < n {
		for _, e := range conversation() {
			e.Frame += len(events) / 6 * 2
			e.Seq, e.At = len(events), time.Duration(len(events))
			events = append(events, e)
		}
	}
	return events[:n]
}

func BenchmarkDigest(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		events := manyEvents(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Digest(events)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/event")
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	h := &History{Header: Header{Schema: Schema}, Events: manyEvents(10_000)}
	for b.Loop() {
		if err := Encode(io.Discard, h); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*10_000), "ns/event")
}

func BenchmarkDecode(b *testing.B) {
	var text bytes.Buffer
	if err := Encode(&text, &History{Header: Header{Schema: Schema}, Events: manyEvents(10_000)}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Decode(bytes.NewReader(text.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*10_000), "ns/event")
}

func BenchmarkRecord(b *testing.B) {
	r := NewRecorder(func() time.Duration { return 0 }, nil)
	r.limit = 1 << 12
	for b.Loop() {
		if r.Add(Event{Side: Client, Kind: Write}) < 0 {
			r.events = r.events[:0]
		}
	}
}

const stableDigest = "852da1d14023978b"

// TestManyCallsTakeSeveralLines: a header with more calls than fit into its line comes
// back whole, and a reader that goes event by event has each before its first event.
func TestManyCallsTakeSeveralLines(t *testing.T) {
	h := &History{Header: Header{Schema: Schema}}
	for n := 1; n <= 2*callsPerLine+1; n++ {
		h.Header.Calls = append(h.Header.Calls, Call{Call: n, Method: "ping"})
	}
	h.Events = []Event{{Kind: Issue, Call: callsPerLine + 1}}
	var b strings.Builder
	require.NoError(t, Encode(&b, h))
	assert.Len(t, strings.Split(strings.TrimSpace(b.String()), "\n"), 5, "header, two more of calls, event, end")
	back, err := Decode(strings.NewReader(b.String()))
	require.NoError(t, err)
	assert.Equal(t, h, back)

	d, err := NewDecoder(strings.NewReader(b.String()))
	require.NoError(t, err)
	assert.Len(t, d.Header().Calls, callsPerLine)
	_, err = d.Next()
	require.NoError(t, err)
	assert.Equal(t, h.Header.Calls[callsPerLine:], d.Calls())
	assert.Empty(t, d.Calls(), "each once")
	_, err = d.Next()
	require.ErrorIs(t, err, io.EOF)
	assert.Equal(t, Digest(h.Events), d.Digest())
}
