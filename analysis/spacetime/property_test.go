package spacetime

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/mattn/go-runewidth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// texts are what an SDK, a tool or a peer may put into an error or a message.
var texts = rapid.OneOf(
	rapid.SampledFrom([]string{"", "context canceled", "cancel", "a\tb\nc\x1b[31m", "取消されました取消されました取消されました",
		"e\u0301\u200d\u202e", "👩‍👩‍👧 👍🏽 🇯🇵", "\xff\xfe broken", strings.Repeat("long ", 80), strings.Repeat("x", 400)}),
	rapid.StringN(0, 40, 200),
)

var messages = rapid.Custom(func(t *rapid.T) *history.Message {
	if rapid.IntRange(0, 9).Draw(t, "no message") == 0 {
		return nil
	}
	ids := rapid.SampledFrom([]string{"", "1", "2", `"1"`, "3", `"0f8fad5b-d9cb-469f-a165-70867728950e"`})
	return &history.Message{
		Kind: rapid.SampledFrom([]history.MessageKind{history.Request, history.Notification, history.Response,
			history.ErrorReply, history.Invalid, "other"}).Draw(t, "kind"),
		Method: rapid.SampledFrom([]string{"", "tools/call", "notifications/cancelled", "notifications/progress", "ping"}).Draw(t, "method"),
		ID:     ids.Draw(t, "id"), Ref: ids.Draw(t, "ref"), Token: ids.Draw(t, "token"),
		Code: rapid.Int64().Draw(t, "code"), Text: texts.Draw(t, "text"), Raw: texts.Draw(t, "raw"),
		Call: rapid.IntRange(0, 5).Draw(t, "call"),
	}
})

var kinds = rapid.SampledFrom([]history.Kind{history.Write, history.Write, history.Read, history.Read, history.Wrote,
	history.Unread, history.EOF, history.Hangup, history.Connect, history.Connected, history.Issue, history.Cancel,
	history.Return, history.Close, history.Closed, history.Probe, history.Probed, history.Start, history.Told, history.End,
	history.Progress, history.Open, history.Release, history.Effect, history.Served, history.Goroutines, history.Quiet,
	history.Horizon, history.Leak, history.Crash, "unheard-of", history.Begin, history.Begin, history.Status, history.Status,
	history.Drop, history.Gone, history.Finish, history.Fault, history.Sessions})

var heads = rapid.Custom(func(t *rapid.T) *history.HTTPHead {
	if rapid.Bool().Draw(t, "no head") {
		return nil
	}
	return &history.HTTPHead{
		Method: rapid.SampledFrom([]string{"", "POST", "GET", "DELETE"}).Draw(t, "method"),
		Status: rapid.SampledFrom([]int{0, 200, 202, 404, 502}).Draw(t, "status"), Body: texts.Draw(t, "body"),
		ContentType: rapid.SampledFrom([]string{"", "text/event-stream", "application/json; charset=utf-8"}).Draw(t, "type"),
		LastEvent:   rapid.SampledFrom([]string{"", "e1"}).Draw(t, "last event"), Conn: rapid.IntRange(0, 3).Draw(t, "conn"),
		Instance: rapid.IntRange(0, 2).Draw(t, "instance"),
	}
})

// damaged are histories of any events in any order.
var damaged = rapid.Custom(func(t *rapid.T) *history.History {
	h := &history.History{Header: history.Header{
		SpecVersion: rapid.SampledFrom([]string{"2025-11-25", "2026-07-28"}).Draw(t, "version"),
		Client:      history.Peer{Target: texts.Draw(t, "client"), Version: "v1"},
		Server:      history.Peer{Target: "reference"},
		Transport:   rapid.SampledFrom([]string{"", "stdio", "streamable-http", "http-sse"}).Draw(t, "transport"),
		Clients:     rapid.IntRange(0, 3).Draw(t, "clients"), Instances: rapid.IntRange(0, 2).Draw(t, "instances"),
		Calls: make([]history.Call, rapid.IntRange(0, 4).Draw(t, "calls")),
	}}
	for i := range h.Header.Calls {
		h.Header.Calls[i] = history.Call{Call: i + 1, Handler: rapid.SampledFrom([]string{"checkpoint", "取消", ""}).Draw(t, "handler")}
	}
	scale := rapid.SampledFrom([]time.Duration{0, 1, time.Millisecond, time.Hour, 1 << 55}).Draw(t, "scale")
	sides := rapid.SampledFrom([]history.Side{client, server, history.World, ""})
	var at time.Duration
	for i := range rapid.IntRange(0, 60).Draw(t, "events") {
		at += scale * time.Duration(rapid.IntRange(0, 2).Draw(t, "step"))
		h.Events = append(h.Events, history.Event{
			Seq: i, At: at, Side: sides.Draw(t, "side"), Kind: kinds.Draw(t, "kind"),
			Call: rapid.IntRange(0, 5).Draw(t, "call"), Frame: rapid.IntRange(0, 12).Draw(t, "frame"), Msg: messages.Draw(t, "msg"),
			Arrived: at - scale*time.Duration(rapid.IntRange(-1, 2).Draw(t, "wait")), N: rapid.IntRange(-1, 5).Draw(t, "n"),
			Exchange: rapid.IntRange(0, 3).Draw(t, "exchange"), Client: rapid.IntRange(0, 3).Draw(t, "client"), HTTP: heads.Draw(t, "http"),
			EventID: rapid.SampledFrom([]string{"", "e1", "e2"}).Draw(t, "event id"),
			Text:    texts.Draw(t, "text"), Value: texts.Draw(t, "value"), Blame: rapid.SampledFrom([]string{"", "server", "pair"}).Draw(t, "blame"),
		})
	}
	return h
})

// violations may name events that are not there.
var violations = rapid.Custom(func(t *rapid.T) oracle.Violation {
	return oracle.Violation{
		Call:     rapid.IntRange(0, 5).Draw(t, "call"),
		Events:   rapid.SliceOfN(rapid.IntRange(-1, 70), 0, 3).Draw(t, "events"),
		Lateness: time.Duration(rapid.Int64Range(-1, 1<<40).Draw(t, "lateness")),
		What:     texts.Draw(t, "what"),
	}
})

func judgements(t *rapid.T) oracle.Judgement {
	var j oracle.Judgement
	for range rapid.IntRange(0, 2).Draw(t, "verdicts") {
		j.Verdicts = append(j.Verdicts, oracle.Verdict{Rule: "CANCEL-NO-RESPONSE", Status: oracle.Fail,
			Violations: rapid.SliceOfN(violations, 0, 4).Draw(t, "violations")})
	}
	for i := range rapid.IntRange(0, 5).Draw(t, "results") {
		j.Calls = append(j.Calls, oracle.CallResult{Call: i, Sent: true, Late: true,
			Phase: rapid.SampledFrom([]oracle.Phase{oracle.Running, oracle.Crossing, oracle.Undelivered}).Draw(t, "phase"),
			Wire:  rapid.SampledFrom([]oracle.Wire{oracle.Answered, oracle.Silent}).Draw(t, "wire")})
	}
	return j
}

func TestRenderHoldsItsWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, j := damaged.Draw(t, "history"), judgements(t)
		opts := Options{
			Call: rapid.IntRange(0, 6).Draw(t, "call"), All: rapid.Bool().Draw(t, "all"), Wire: rapid.Bool().Draw(t, "wire"),
			ASCII: rapid.Bool().Draw(t, "ascii"), Width: rapid.IntRange(0, 160).Draw(t, "width"),
			Finding: Finding{ID: rapid.SampledFrom([]string{"", "F1"}).Draw(t, "finding"), Violation: violations.Draw(t, "violation")},
		}
		text := Render(h, j, opts)
		require.True(t, strings.HasSuffix(text, "\n"))
		assert.Equal(t, text, Render(h, j, opts), "a pure function")
		for _, l := range strings.Split(text, "\n") {
			assert.LessOrEqual(t, displayWidth(l), opts.width(), "%q", l)
			assert.Equal(t, -1, strings.IndexFunc(l, unicode.IsControl), "%q moves the cursor", l)
			if opts.ASCII {
				assert.Equal(t, -1, strings.IndexFunc(l, func(r rune) bool { return r > unicode.MaxASCII }), "%q", l)
			}
		}
		opts.Colour = true
		assert.Equal(t, text, escapes.ReplaceAllString(Render(h, j, opts), ""), "colour changes nothing else")
	})
}

func TestStoryHoldsItsWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, j := damaged.Draw(t, "history"), judgements(t)
		call, v := rapid.IntRange(0, 6).Draw(t, "call"), violations.Draw(t, "violation")
		for _, l := range strings.Split(Story(h, j, call, v), "\n") {
			assert.LessOrEqual(t, displayWidth(l), DefaultWidth, "%q", l)
			assert.Equal(t, -1, strings.IndexFunc(l, unicode.IsControl), "%q moves the cursor", l)
		}
	})
}

// displayWidth measures by the clusters that a terminal draws, which is not
// how the listing counts.
func displayWidth(s string) int {
	return (&runewidth.Condition{StrictEmojiNeutral: true}).StringWidth(s)
}
