package sim_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/reference"
)

const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
)

// quiet is a world in which everything takes a known time: a millisecond there,
// 10 at work, a millisecond back.
const quiet = `name: quiet
summary: everything takes a known time
network: {client_to_server: {delay: 1ms}, server_to_client: {delay: 1ms}}
`

const cooperativeTool = "handlers: [{kind: cooperative, work: 10ms}]\n"

// runWorld runs seed 1 of a scenario with the reference on both sides, which
// change may turn into something else.
func runWorld(t *testing.T, file, version string, change func(*sim.WorldConfig)) *history.History {
	t.Helper()
	sc := parse(t, file)
	peer := reference.Targets()[0]
	cfg := sim.WorldConfig{
		Scenario: sc, Schedule: expand(t, sc, 1), SpecVersion: version,
		Client: peer, Server: peer, Clock: "virtual", Observe: true,
	}
	if change != nil {
		change(&cfg)
	}
	var h *history.History
	synctest.Test(t, func(t *testing.T) {
		var err error
		h, _, err = sim.Run(cfg)
		require.NoError(t, err)
	})
	return h
}

// find returns the first event of call 1 of a kind, nil if there is none.
func find(h *history.History, side history.Side, kind history.Kind, is func(*history.Message) bool) *history.Event {
	i := slices.IndexFunc(h.Events, func(e history.Event) bool {
		return e.Call == 1 && e.Side == side && e.Kind == kind && (is == nil || is(e.Msg))
	})
	if i < 0 {
		return nil
	}
	return &h.Events[i]
}

func isRequest(m *history.Message) bool { return m != nil && m.Kind == history.Request }

func isReply(m *history.Message) bool { return m.IsReply() }

func isCancel(m *history.Message) bool { return m.IsCancel() }

// A cancel comes at its distance from the event, give or take the nanoseconds that
// keep the simulator's acts apart.
func TestAimedCancels(t *testing.T) {
	for _, row := range []struct {
		why, when string
		side      history.Side
		kind      history.Kind
		is        func(*history.Message) bool
		distance  time.Duration
	}{
		{"from the making of the call", "{event: issued, offset: 3ms}", history.Client, history.Issue, nil, 3 * time.Millisecond},
		{"from the end of the writing", "{event: written, offset: 3ms}", history.Client, history.Wrote, isRequest, 3 * time.Millisecond},
		{"from the server's reading", "{event: read, offset: 3ms}", history.Server, history.Read, isRequest, 3 * time.Millisecond},
		{"from the handler's start", "{event: started, offset: 3ms}", history.Server, history.Start, nil, 3 * time.Millisecond},
		{"from its first progress, not its second", "{event: progress, offset: 3ms}", history.Server, history.Progress, nil, 3 * time.Millisecond},
		{"before the handler's end, as far as it is planned", "{event: ended, before: 3ms}", history.Server, history.Start, nil, 7 * time.Millisecond},
		{"so early before the end that the handler had not begun: at once", "{event: ended, before: 1h}", history.Server, history.Start, nil, 0},
		{"from the handler's end", "{event: ended, offset: 0s}", history.Server, history.End, nil, 0},
		{"from the beginning of the response", "{event: answered, offset: 200us}", history.Server, history.Write, isReply, 200 * time.Microsecond},
		{"from the caller's return, too late for anybody", "{event: returned, offset: 3ms}", history.Client, history.Return, nil, 3 * time.Millisecond},
	} {
		t.Run(row.why, func(t *testing.T) {
			h := runWorld(t, quiet+"handlers: [{kind: chatty, every: 2ms, work: 10ms}]\ncancel: {share: 1, when: "+row.when+"}", legacy, nil)
			from, cancel := find(h, row.side, row.kind, row.is), find(h, history.Client, history.Cancel, nil)
			require.NotNil(t, from)
			require.NotNil(t, cancel)
			assert.Nil(t, find(h, history.Client, history.Missed, nil))
			assert.Greater(t, cancel.At, from.At)
			assert.InDelta(t, row.distance, cancel.At-from.At, float64(2*time.Microsecond))
		})
	}
}

// A cancel that finds nothing left to cancel is not made up.
func TestMissedCancels(t *testing.T) {
	for _, row := range []struct{ why, when, text string }{
		{"no progress is ever reported", "{event: progress, offset: 0s}", "progress had not come when the call returned"},
		{"the call is over before it is time", "{event: started, offset: 1s}", "started had come, and the call returned before it was time to cancel"},
		{"the response has been read, and with it the call is over", "{event: response-read, offset: 0s}",
			"response-read had come, and the call returned before it was time to cancel"},
	} {
		h := runWorld(t, quiet+cooperativeTool+"cancel: {share: 1, when: "+row.when+"}", legacy, nil)
		assert.Nil(t, find(h, history.Client, history.Cancel, nil), row.why)
		missed := find(h, history.Client, history.Missed, nil)
		if assert.NotNil(t, missed, row.why) {
			assert.Equal(t, row.text, missed.Text, row.why)
		}
	}
}

// The event comes before all that follows from it, whoever is woken first.
func TestDeadlines(t *testing.T) {
	for seed := range 20 {
		h := runWorld(t, quiet+cooperativeTool+"cancel: {share: 1, timeouts: 1, reason: enough}", legacy, func(cfg *sim.WorldConfig) {
			cfg.Schedule = expand(t, cfg.Scenario, uint64(seed))
		})
		deadline, sent := find(h, history.Client, history.Cancel, nil), find(h, history.Client, history.Write, isCancel)
		if deadline == nil {
			continue // the response was faster
		}
		require.NotNil(t, sent)
		assert.Equal(t, "deadline", deadline.Text)
		assert.Equal(t, *expand(t, parse(t, quiet+cooperativeTool+"cancel: {share: 1}"), uint64(seed)).Calls[0].Cancel,
			deadline.At-find(h, history.Client, history.Issue, nil).At)
		assert.Less(t, deadline.Seq, sent.Seq)
		assert.Equal(t, "enough", sent.Msg.Text)
		assert.Equal(t, "context deadline exceeded", find(h, history.Client, history.Return, nil).Text)
	}
}

func TestReasonsAndRepeats(t *testing.T) {
	at := "when: {event: started, offset: 1ms}"
	for _, row := range []struct {
		why, cancel, reason string
		frames              int
	}{
		{"a caller without a word", "{share: 1, " + at + "}", "the caller gave up", 1},
		{"a caller with a reason", "{share: 1, " + at + `, reason: "the user \"pressed\" stop"}`, `the user "pressed" stop`, 1},
		{"a cancel that comes three times", "{share: 1, " + at + ", repeat: 2}", "the caller gave up", 3},
	} {
		h := runWorld(t, quiet+cooperativeTool+"cancel: "+row.cancel, modern, nil)
		frames := 0
		for _, e := range h.Events {
			if e.Kind == history.Read && e.Msg.IsCancel() {
				frames++
				assert.Equal(t, row.reason, e.Msg.Text, row.why)
			}
		}
		assert.Equal(t, row.frames, frames, row.why)
		assert.Empty(t, h.Header.Unavailable, row.why)
	}
	h := runWorld(t, quiet+cooperativeTool+"cancel: {share: 1, repeat: 2}", modern, func(cfg *sim.WorldConfig) { cfg.Client.RepeatsCancels = false })
	assert.Equal(t, []string{"client reference repeats no cancels"}, h.Header.Unavailable)
}

// Every method can be called where the version has it, and what is sent for a call
// can be told from everything else.
func TestEveryMethod(t *testing.T) {
	missing := map[string]map[string]string{
		"ping":            {modern: "2026-07-28 has no ping"},
		"server/discover": {legacy: "2025-11-25 has no server/discover"},
	}
	for _, version := range []string{legacy, modern} {
		for _, method := range sim.Methods() {
			if method == "subscriptions/listen" {
				continue // it is answered only at its end; see TestListen
			}
			t.Run(version+" "+method, func(t *testing.T) {
				h := runWorld(t, quiet+cooperativeTool+"load: {requests: [{kind: "+method+"}]}", version, nil)
				assert.Equal(t, missing[method][version], h.Header.Calls[0].NotAsked)
				request, ret := find(h, history.Server, history.Read, isRequest), find(h, history.Client, history.Return, nil)
				if missing[method][version] != "" {
					assert.Nil(t, request)
					assert.Nil(t, ret)
					return
				}
				require.NotNil(t, request)
				assert.Equal(t, method, request.Msg.Method)
				assert.Equal(t, 1, request.Msg.Call)
				require.NotNil(t, ret)
				assert.Empty(t, ret.Text)
				assert.NotNil(t, find(h, history.Client, history.Read, isReply), "the response is the call's, too")
				want := ""
				if slices.Contains(sim.Methods()[:4], method) {
					want = "call 1 done"
					assert.NotNil(t, find(h, history.Server, history.Start, nil), "the application answers")
				}
				assert.Equal(t, want, ret.Value)
			})
		}
	}
}

// What a target does not list is neither asked of it nor guessed.
func TestTargetsThatLackMethods(t *testing.T) {
	file := quiet + cooperativeTool + "load: {requests: [{kind: prompts/get}]}"
	for _, row := range []struct {
		why    string
		change func(*sim.WorldConfig)
		want   string
	}{
		{"a client without", func(cfg *sim.WorldConfig) { cfg.Client.Sends = []string{"tools/call"} }, "client reference offers no prompts/get"},
		{"a server without", func(cfg *sim.WorldConfig) { cfg.Server.Serves = nil }, "server reference does not serve prompts/get"},
	} {
		h := runWorld(t, file, modern, row.change)
		assert.Equal(t, row.want, h.Header.Calls[0].NotAsked, row.why)
		assert.Nil(t, find(h, history.Client, history.Issue, nil), row.why)
	}
}

// A client that cannot mark its pings has them recognised all the same.
func TestUnmarkedPing(t *testing.T) {
	h := runWorld(t, quiet+cooperativeTool+"load: {requests: [{kind: ping}]}", legacy, func(cfg *sim.WorldConfig) {
		cfg.Client.Unmarked = []string{"ping"}
		marking := cfg.Client.NewClient
		cfg.Client.NewClient = func(env sim.ClientEnv) sim.Client { return unmarking{marking(env)} }
	})
	request := find(h, history.Server, history.Read, isRequest)
	require.NotNil(t, request)
	assert.Zero(t, request.Msg.Call)
	assert.NotNil(t, find(h, history.Client, history.Read, isReply))
}

type unmarking struct{ sim.Client }

func (u unmarking) Call(ctx context.Context, r sim.Request) (string, error) {
	r.Mark = 0
	return u.Client.Call(ctx, r)
}

func TestTools(t *testing.T) {
	for _, row := range []struct {
		why, tool   string
		ends        string        // the error of the handler
		value       string        // what it returned
		afterCancel time.Duration // from being told
	}{
		{"swallow answers as if nothing had happened", "{kind: swallow, work: 10ms}", "", "call 1 done", 0},
		{"panicking panics, and the reference survives it", "{kind: panicking, work: 10ms}", "panic", "", 0},
		{"child stops with its child", "{kind: child, work: 10ms}", "context canceled", "", 0},
	} {
		h := runWorld(t, quiet+"handlers: ["+row.tool+"]\ncancel: {share: 1, when: {event: started, offset: 1ms}}", modern, nil)
		told, end := find(h, history.Server, history.Told, nil), find(h, history.Server, history.End, nil)
		require.NotNil(t, told, row.why)
		require.NotNil(t, end, row.why)
		assert.Equal(t, row.ends, end.Text, row.why)
		assert.Equal(t, row.value, end.Value, row.why)
		assert.Equal(t, row.afterCancel, end.At-told.At, row.why)
		i := slices.IndexFunc(h.Events, func(e history.Event) bool { return e.Kind == history.Probed })
		require.Positive(t, i, row.why)
		assert.Empty(t, h.Events[i].Text, row.why)
	}
	h := runWorld(t, quiet+"handlers: [{kind: instant}]", modern, nil)
	start, end := find(h, history.Server, history.Start, nil), find(h, history.Server, history.End, nil)
	assert.Equal(t, start.At, end.At, "instant takes no time")
}

func TestHandlerSources(t *testing.T) {
	for _, kind := range sim.HandlerKinds() {
		source := sim.HandlerSource(kind)
		assert.Contains(t, source, "func (h *handler) ", kind)
		assert.Contains(t, source, "return ", kind)
	}
}
