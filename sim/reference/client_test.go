package reference

import (
	"bufio"
	"context"
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// playClient runs a conversation against a client.
func playClient(t *testing.T, version string, d defect, c conversation) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newStage()
		s.client = newClient(sim.ClientEnv{SpecVersion: version}, d)
		defer func() { // also when a step has failed
			s.leave(t)
			for _, call := range s.calls {
				call.cancel()
			}
			_ = s.client.Close()
			close(s.client.parked)
			for _, call := range s.calls {
				<-call.done
			}
		}()
		for _, step := range c.steps {
			step(t, s)
		}
	})
}

// begin has the application start something that blocks.
func (s *stage) begin(name string, f func(ctx context.Context) (string, error)) {
	ctx, cancel := context.WithCancel(context.Background())
	c := &scriptCall{cancel: cancel, done: make(chan struct{})}
	s.calls[name] = c
	go func() {
		defer close(c.done)
		c.value, c.err = f(ctx)
	}()
	synctest.Wait()
}

func connect() step {
	return func(_ *testing.T, s *stage) {
		s.begin("connect", func(ctx context.Context) (string, error) { return "", s.client.Connect(ctx, s.conn) })
	}
}

func probe() step {
	return func(_ *testing.T, s *stage) {
		s.begin("probe", func(ctx context.Context) (string, error) { return "", s.client.Probe(ctx) })
	}
}

// ask has the application call the tool of the same name.
func ask(name string) step { return askWith(name, "p-"+name, `{"call":1}`) }

// askFor is ask by a caller who waits for so long and no longer.
func askFor(patience time.Duration, name string) step {
	return func(_ *testing.T, s *stage) {
		s.begin(name, func(ctx context.Context) (string, error) {
			ctx, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			return s.client.Call(ctx, sim.Request{
				Method: protocol.ToolsCall, Name: name, Arguments: json.RawMessage(`{"call":1}`), Progress: "p-" + name,
			})
		})
	}
}

func askWith(name string, token any, args string) step {
	return func(_ *testing.T, s *stage) {
		s.begin(name, func(ctx context.Context) (string, error) {
			return s.client.Call(ctx, sim.Request{Method: protocol.ToolsCall, Name: name, Arguments: json.RawMessage(args), Progress: token})
		})
	}
}

// giveUp has the application end the context of what it began, and everything
// that follows from that happen.
func giveUp(name string) step {
	return func(_ *testing.T, s *stage) {
		s.calls[name].cancel()
		synctest.Wait()
	}
}

// returned says that what the application began has ended by now (what arrives
// in one instant arrives nanoseconds apart), with value, or with an error that
// contains text.
func returned(name, value, text string) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		c := s.calls[name]
		select {
		case <-c.done:
			assert.Equal(t, value, c.value)
			assertError(t, text, c.err)
		case <-time.After(time.Microsecond):
			require.Failf(t, "the application is still waiting", "for %s", name)
		}
	}
}

// waits says that what the application began has not ended, d later.
func waits(name string, d time.Duration) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		select {
		case <-s.calls[name].done:
			require.Failf(t, "the application got control back", "from %s: %v", name, s.calls[name].err)
		case <-time.After(d):
		}
	}
}

func closeClient() step {
	return func(_ *testing.T, s *stage) {
		s.begin("close", func(context.Context) (string, error) { return "", s.client.Close() })
	}
}

// connected is the handshake as the raw server sees it. The next id is 2.
func (e era) connected() []step {
	if e.meta == "" {
		return []step{
			connect(),
			hear(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + e.version + `","capabilities":{},"clientInfo":{"name":"mcpsim-reference","version":"1"}}}`),
			send(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"` + e.version + `","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}}`),
			hear(`{"jsonrpc":"2.0","method":"notifications/initialized"}`),
			returned("connect", "", ""),
		}
	}
	return []step{
		connect(),
		hear(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{` + modernMeta + `}}}`),
		send(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}}`),
		returned("connect", "", ""),
	}
}

// asked is the frame of a call that the client makes.
func (e era) asked(id, tool string) string {
	return fill(`{"jsonrpc":"2.0","id":$id,"method":"tools/call","params":{"name":"$tool","arguments":{"call":1},"_meta":{"progressToken":"p-$tool"$meta}}}`,
		"$id", id, "$tool", tool, "$meta", e.meta)
}

func gaveUp(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"the caller gave up"}}`
}

// clientConversations are what the strict client must do in either era.
func clientConversations(e era) []conversation {
	return []conversation{
		{"a call is answered", []step{
			ask("a"), hear(e.asked("2", "a")), waits("a", time.Hour), send(e.answer("2", "one")), returned("a", "one", "")}},
		{"answers find their calls in any order", []step{
			ask("a"), ask("b"), hear(e.asked("2", "a")), hear(e.asked("3", "b")),
			send(e.answer("3", "two")), returned("b", "two", ""), send(e.answer("2", "one")), returned("a", "one", "")}},
		{"a tool that fails", []step{
			ask("a"), hear(e.asked("2", "a")), send(e.toolResult("2", "no luck", "true")), returned("a", "", "the tool failed: no luck")}},
		{"an error reply", []step{
			ask("a"), hear(e.asked("2", "a")), send(errorOf("2", "-32602", "no such tool")), returned("a", "", "error -32602: no such tool")}},
		{"a result without a type is complete", []step{
			ask("a"), hear(e.asked("2", "a")), send(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"x"}]}}`), returned("a", "x", "")}},
		{"a result of an unknown type is none", []step{
			ask("a"), hear(e.asked("2", "a")), send(`{"jsonrpc":"2.0","id":2,"result":{"resultType":"task"}}`),
			returned("a", "", `unknown type "task"`)}},
		{"a result that is no object", []step{
			ask("a"), hear(e.asked("2", "a")), send(`{"jsonrpc":"2.0","id":2,"result":5}`), returned("a", "", "no object")}},
		{"progress is let pass", []step{
			ask("a"), hear(e.asked("2", "a")), send(progressOf("-a", "1")), send(e.answer("2", "one")), returned("a", "one", "")}},
		{"a cancelled call returns at once and the server is told", []step{
			ask("a"), hear(e.asked("2", "a")), giveUp("a"), returned("a", "", "context canceled"), hear(gaveUp("2")), silence(time.Hour)}},
		{"a late response is dropped, and the next call has its own", []step{
			ask("a"), hear(e.asked("2", "a")), giveUp("a"), hear(gaveUp("2")), send(e.answer("2", "late")),
			returned("a", "", "context canceled"),
			ask("b"), hear(e.asked("3", "b")), send(e.answer("2", "later")), waits("b", time.Hour),
			send(e.answer("3", "two")), returned("b", "two", "")}},
		{"a late error is dropped, too", []step{
			ask("a"), hear(e.asked("2", "a")), giveUp("a"), hear(gaveUp("2")), send(errorOf("2", "0", "context canceled")),
			ask("b"), hear(e.asked("3", "b")), send(e.answer("3", "two")), returned("b", "two", "")}},
		{"a call that has returned is not cancelled any more", []step{
			ask("a"), hear(e.asked("2", "a")), send(e.answer("2", "one")), returned("a", "one", ""), giveUp("a"), silence(time.Hour)}},
		{"answers to twins of another type are dropped", []step{
			ask("a"), hear(e.asked("2", "a")), send(e.answer(`"2"`, "wrong")), waits("a", time.Hour), send(e.answer("2", "one")), returned("a", "one", "")}},
		{"an error reply without an id ends nothing", []step{
			ask("a"), hear(e.asked("2", "a")), send(errorOf("", "-32700", "what?")), waits("a", time.Hour), send(e.answer("2", "one")), returned("a", "one", "")}},
		{"no token is asked for unless wanted, and arguments are one line", []step{
			askWith("a", nil, "{\n\"call\":1}"), hear(e.withoutToken("2", "a"))}},
		{"a token of a type that does not exist", []step{
			askWith("a", 1.5, "{}"), returned("a", "", "a progress token is a string or an int64, not float64")}},
		{"what is no JSON-RPC ends the session, since it may have been an answer", []step{
			ask("a"), hear(e.asked("2", "a")), send(`{"id":2}`), returned("a", "", "no JSON-RPC message"), heardEnd(),
			ask("b"), returned("b", "", "no JSON-RPC message")}},
		{"the server hangs up", []step{
			ask("a"), hear(e.asked("2", "a")), hangUp(), returned("a", "", "the server has hung up"), heardEnd(),
			ask("b"), returned("b", "", "the server has hung up"), closeClient(), returned("close", "", "")}},
		{"the server hangs up in the middle of a frame", []step{
			ask("a"), hear(e.asked("2", "a")), sendRaw(`{"jsonrpc":"2.0","id":2`), hangUp(), returned("a", "", "unexpected EOF"), heardEnd()}},
		{"close waits for the server to hang up", []step{
			closeClient(), heardEnd(), waits("close", time.Second), hangUp(), returned("close", "", ""),
			ask("a"), returned("a", "", "the session is closed")}},
		{"close does not wait for ever", []step{
			closeClient(), heardEnd(), waits("close", closeGrace-2), moment(), returned("close", "", "did not hang up within 5s")}},
		{"close releases the callers and cancels nothing", []step{
			ask("a"), hear(e.asked("2", "a")), closeClient(), returned("a", "", "the session is closed"), heardEnd(), hangUp()}},
		{"a cancel just before close is still written", []step{
			ask("a"), hear(e.asked("2", "a")),
			func(_ *testing.T, s *stage) { s.calls["a"].cancel(); <-s.calls["a"].done },
			closeClient(), hear(gaveUp("2")), heardEnd(), hangUp()}},
		{"close may be repeated", []step{
			closeClient(), hangUp(), returned("close", "", ""), closeClient(), returned("close", "", "")}},
	}
}

// moment lets the last moment of a wait pass.
func moment() step { return func(*testing.T, *stage) { time.Sleep(2 * time.Nanosecond) } }

func (e era) withoutToken(id, tool string) string {
	meta := ""
	if e.meta != "" {
		meta = `,"_meta":{` + modernMeta + `}`
	}
	return fill(`{"jsonrpc":"2.0","id":$id,"method":"tools/call","params":{"name":"$tool","arguments":{"call":1}$meta}}`,
		"$id", id, "$tool", tool, "$meta", meta)
}

func TestClient(t *testing.T) {
	for _, e := range eras() {
		for _, c := range clientConversations(e) {
			t.Run(e.version+"/"+c.why, func(t *testing.T) {
				c.steps = slices.Concat(e.connected(), c.steps)
				playClient(t, e.version, none, c)
			})
		}
	}
}

func TestClientOfOneEra(t *testing.T) {
	legacy, modern := legacyEra(), modernEra()
	handshakeOf := func(e era) []step { return e.connected()[:2] }
	for _, tt := range []struct {
		e      era
		before []step
		conversation
	}{
		{legacy, legacy.connected(), conversation{"the probe is ping", []step{
			probe(), hear(`{"jsonrpc":"2.0","id":2,"method":"ping"}`), send(`{"jsonrpc":"2.0","id":2,"result":{}}`), returned("probe", "", "")}}},
		{modern, modern.connected(), conversation{"the probe is tools/list", []step{
			probe(), hear(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{` + modernMeta + `}}}`),
			send(errorOf("2", "1", "sick")), returned("probe", "", "error 1: sick")}}},
		{legacy, legacy.connected(), conversation{"a server's ping is answered, other requests are refused", []step{
			send(`{"jsonrpc":"2.0","id":"s1","method":"ping"}`), hear(`{"jsonrpc":"2.0","id":"s1","result":{}}`),
			send(`{"jsonrpc":"2.0","id":2,"method":"roots/list"}`), hear(errorOf("2", "-32601", "method not found: roots/list"))}}},
		{modern, modern.connected(), conversation{"a modern server must not ask, and is not answered", []step{
			send(`{"jsonrpc":"2.0","id":"s1","method":"ping"}`), silence(time.Hour)}}},
		{legacy, handshakeOf(legacy), conversation{"initialize is never cancelled: the connection goes", []step{
			giveUp("connect"), returned("connect", "", "connect: context canceled"), heardEnd()}}},
		{modern, handshakeOf(modern), conversation{"a discover may be, if the connection that goes takes it", []step{
			giveUp("connect"), returned("connect", "", "connect: context canceled"), heardEndOr(gaveUp("1"))}}},
		{legacy, handshakeOf(legacy), conversation{"a server that wants another version", []step{
			send(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{}}}`),
			returned("connect", "", `the server wants version "2024-11-05", not 2025-11-25`), heardEnd()}}},
		{modern, handshakeOf(modern), conversation{"a server that lacks the version", []step{
			send(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2099-01-01"]}}`),
			returned("connect", "", "the server speaks [2099-01-01], not 2026-07-28"), heardEnd()}}},
		{modern, handshakeOf(modern), conversation{"a server of the other era", []step{
			send(errorOf("1", "-32601", "method not found")), returned("connect", "", "connect: error -32601: method not found"), heardEnd()}}},
		{legacy, handshakeOf(legacy), conversation{"a server that hangs up", []step{
			hangUp(), returned("connect", "", "connect: the server has hung up"), heardEnd()}}},
		{legacy, nil, conversation{"nothing works before connect", []step{
			ask("a"), returned("a", "", "not connected"), closeClient(), returned("close", "", "")}}},
	} {
		t.Run(tt.e.version+"/"+tt.why, func(t *testing.T) {
			tt.steps = slices.Concat(tt.before, tt.steps)
			playClient(t, tt.e.version, none, tt.conversation)
		})
	}
}

// A server that stops reading must not hold up callers who give up.
func TestClientWithAStalledWriter(t *testing.T) {
	for _, e := range eras() {
		t.Run(e.version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { stalled(t, e) })
		})
	}
}

func stalled(t *testing.T, e era) {
	ours, raw := netem.NewPair(netem.PairConfig{Profile: netem.Profile{Up: netem.Direction{Buffer: 64}}})
	s := &stage{out: raw.Out, calls: map[string]*scriptCall{}, conn: sim.Conn{In: ours.In, Out: ours.Out}}
	s.client = newClient(sim.ClientEnv{SpecVersion: e.version}, none)
	in := bufio.NewScanner(raw.In)
	s.lines = make(chan string)
	more := make(chan struct{})
	go func() {
		defer close(s.lines)
		for range more {
			in.Scan()
			s.lines <- in.Text()
		}
	}()
	read := func(want string) step {
		return func(t *testing.T, s *stage) { t.Helper(); more <- struct{}{}; hear(want)(t, s) }
	}
	handshake := e.connected()
	for i, st := range handshake {
		if e.meta == "" && (i == 1 || i == 3) || e.meta != "" && i == 1 {
			more <- struct{}{}
		}
		st(t, s)
	}
	for _, st := range []step{
		ask("a"), ask("b"), ask("c"), // a is half written, b and c wait behind it
		giveUp("a"), returned("a", "", "context canceled"),
		giveUp("b"), returned("b", "", "context canceled"),
		read(e.asked("2", "a")), // its cancel follows what was queued before it was decided
		read(e.asked("4", "c")), // b was taken back
		read(gaveUp("2")),
		send(e.answer("4", "three")), returned("c", "three", ""),
		closeClient(),
	} {
		st(t, s)
	}
	close(more)
	require.NoError(t, s.out.Close())
	<-s.calls["close"].done
	assert.NoError(t, s.calls["close"].err)
	require.NoError(t, raw.In.Close())
}
