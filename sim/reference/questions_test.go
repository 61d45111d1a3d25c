package reference

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// curious is a tool that asks the client after a while, and returns what it says.
func curious(s *stage, name string, after time.Duration) sim.Tool {
	return sim.Tool{
		Name: name,
		Run: func(context.Context, json.RawMessage, func(float64) error) (string, error) {
			return "", errors.New("not asked to ask")
		},
		Asking: func(ctx context.Context, _ json.RawMessage, _ func(float64) error, ask sim.Ask) (string, error) {
			time.Sleep(after)
			text, err := ask(ctx, sim.Request{Method: protocol.Sampling, Argument: "what?", Mark: 9})
			if ctx.Err() != nil {
				s.told.Add(1)
			}
			return text, err
		},
	}
}

const (
	askedWhat = `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":` +
		`{"type":"text","text":"what?"}}],"maxTokens":100,"_meta":{"mcpsim/call":9}}}`
	opinion   = `{"jsonrpc":"2.0","id":1,"result":{"role":"assistant","content":{"type":"text","text":"this"},"model":"none"}}`
	retracted = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"the call that it was for was cancelled"}}`
)

// A server's tool asks, and the raw client answers, or cancels the call.
func TestServerAsks(t *testing.T) {
	e := legacyEra()
	asked := []step{send(e.call("2", "curious", "0")), hear(askedWhat)}
	for _, c := range []conversation{
		{"the answer is the tool's", []step{send(opinion), hear(e.answer("2", "this"))}},
		{"an error is the tool's, too", []step{send(errorOf("1", "-1", "no")), hear(e.toolResult("2", "error -1: no", "true"))}},
		{"what is cancelled is retracted, and its answer dropped", []step{
			send(cancelOf("2")), hear(retracted), told(1), send(opinion), silence(time.Hour)}},
		{"an answer before the cancel is the tool's", []step{send(opinion), hear(e.answer("2", "this")), send(cancelOf("2")), silence(time.Hour)}},
		{"ids of the two directions have nothing to do with each other", []step{
			send(cancelOf("1")), silence(time.Hour), send(opinion), hear(e.answer("2", "this"))}},
		{"the end releases the tool", []step{hangUp(), hear(e.toolResult("2", "context canceled", "true")), heardEnd(), over("")}},
	} {
		t.Run(c.why, func(t *testing.T) { playAsking(t, none, conversation{c.why, slices.Concat(asked, c.steps)}) })
	}
}

func playAsking(t *testing.T, d defect, c conversation) {
	t.Helper()
	playAskingIn(t, sim.ServerEnv{}, d, c)
}

func playAskingIn(t *testing.T, env sim.ServerEnv, d defect, c conversation) {
	t.Helper()
	e := legacyEra()
	synctest.Test(t, func(t *testing.T) {
		s := newStage()
		env.SpecVersion, env.Tools = e.version, append(testTools(&s.told), curious(s, "curious", 0), curious(s, "asks-later", time.Millisecond))
		server := newServer(env, d)
		served := make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			defer close(served)
			s.ended <- server.Serve(ctx, s.conn)
		}()
		defer func() {
			cancel()
			close(server.parked)
			<-served
			s.leave(t)
		}()
		for _, step := range slices.Concat(e.open, c.steps) {
			step(t, s)
		}
	})
}

// The raw server asks, and the client's application answers after 100 ms.
func TestClientAnswers(t *testing.T) {
	ms := time.Millisecond
	answer := `{"jsonrpc":"2.0","id":1,"result":{"role":"assistant","content":{"type":"text","text":"to what?"},"model":"none"}}`
	for _, c := range []conversation{
		{"the application answers", []step{send(askedWhat), silence(99 * ms), hear(answer)}},
		{"what is retracted is not answered", []step{send(askedWhat), silence(50 * ms), send(cancelOf("1")), told(1), silence(time.Hour)}},
		{"a cancel that comes late is ignored", []step{send(askedWhat), hear(answer), send(cancelOf("1")), told(0), silence(time.Hour)}},
		{"roots are listed at once", []step{
			send(`{"jsonrpc":"2.0","id":4,"method":"roots/list"}`), hear(`{"jsonrpc":"2.0","id":4,"result":{"roots":[{"uri":"file:///x"}]}}`)}},
		{"what is not offered is refused", []step{
			send(`{"jsonrpc":"2.0","id":4,"method":"elicitation/create"}`), hear(errorOf("4", "-32601", "method not found: elicitation/create"))}},
		{"closing tells the application", []step{send(askedWhat), silence(ms), closeClient(), told(1), heardEnd()}},
	} {
		t.Run(c.why, func(t *testing.T) { playAnswering(t, none, c) })
	}
}

func playAnswering(t *testing.T, d defect, c conversation) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage()
		s.client = newClient(sim.ClientEnv{
			SpecVersion: protocol.V20251125, Roots: []string{"file:///x"},
			Sample: func(ctx context.Context, what string) (string, error) {
				select {
				case <-ctx.Done():
					s.told.Add(1)
					return "", ctx.Err()
				case <-time.After(100 * time.Millisecond):
					return "to " + what, nil
				}
			},
		}, d)
		s.client.link = openLink(s.conn, s.client)
		defer func() {
			s.leave(t)
			_ = s.client.Close()
		}()
		for _, step := range c.steps {
			step(t, s)
		}
	})
}

// TestNestedMutants shows what each defect does; the strict peers fail all of it.
func TestNestedMutants(t *testing.T) {
	e, ms := legacyEra(), time.Millisecond
	asked := []step{send(e.call("2", "curious", "0")), hear(askedWhat), send(cancelOf("2"))}
	plays := map[defect]conversation{
		keepsAsking:    {"the tool is told, the client is not", slices.Concat(asked, []step{told(1), silence(time.Hour)})},
		strandsTools:   {"the tool waits", slices.Concat(asked, []step{hear(retracted), silence(time.Hour), told(0), send(opinion), told(1)})},
		lateAnswer:     {"the tool waits a while", slices.Concat(asked, []step{hear(retracted), silence(ms), told(0), silence(time.Second), told(1)})},
		answersRetract: {"answers with an error", []step{send(askedWhat), send(cancelOf("1")), hear(errorOf("1", "-32603", "context canceled"))}},
		orphansAnswers: {"says nothing to anybody", []step{send(askedWhat), send(cancelOf("1")), told(0), silence(time.Hour), told(0)}},
	}
	for _, m := range nestedMutants() {
		t.Run(m.Name, func(t *testing.T) {
			c, ok := plays[m.defect]
			require.True(t, ok, "a mutant without a conversation")
			if m.Side == history.Server {
				playAsking(t, m.defect, c)
			} else {
				playAnswering(t, m.defect, c)
			}
		})
	}
}

// A tool that is told while the turn to write is free asks nothing, and leaves no
// question open, whichever of the two its server sees first.
func TestToldWhileGettingTheTurn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n, l := &session{gate: newGate()}, newLane(nil)
	for range 100 {
		_, err := n.ask(ctx, l, sim.Request{Method: protocol.Sampling})
		require.Equal(t, context.Canceled, err)
	}
	require.Zero(t, n.asks.last)
	require.Empty(t, n.asks.waiting)
	require.Empty(t, l.turn)
}
