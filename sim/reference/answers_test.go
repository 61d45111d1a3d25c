package reference

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// everything is a server's application with one of each.
func everything(version string) sim.ServerEnv {
	answer := func(_ context.Context, what string, _ func(float64) error) (string, error) {
		switch what {
		case "mcpsim://call/2", "2":
			return "", errors.New("no luck")
		case "mcpsim://call/3", "3":
			panic("no nerves")
		}
		return "text for " + what, nil
	}
	return sim.ServerEnv{
		SpecVersion: version,
		Resources:   []sim.Resource{{Name: "call", Template: "mcpsim://call/{call}", Read: answer}},
		Prompts:     []sim.Prompt{{Name: "p", Get: answer}},
		Complete:    answer,
	}
}

// Each request is answered by the frame below it. $meta is what the era wants in
// every request, $type and $cache in a result.
func TestAnswers(t *testing.T) {
	for _, row := range []struct{ why, method, params, want string }{
		{"a resource", "resources/read", `"uri":"mcpsim://call/1"`,
			`"result":{$type$cache"contents":[{"uri":"mcpsim://call/1","text":"text for mcpsim://call/1"}]}`},
		{"one that fails", "resources/read", `"uri":"mcpsim://call/2"`, `"error":{"code":-32603,"message":"no luck"}`},
		{"one that panics", "resources/read", `"uri":"mcpsim://call/3"`, `"error":{"code":-32603,"message":"panic: no nerves"}`},
		{"one that there is not", "resources/read", `"uri":"mcpsim://call/1/more"`,
			`"error":{"code":-32602,"message":"unknown resource \"mcpsim://call/1/more\""}`},
		{"no URI", "resources/read", ``, `"error":{"code":-32602,"message":"unknown resource \"\""}`},
		{"a prompt", "prompts/get", `"name":"p","arguments":{"call":"1"}`,
			`"result":{$type"messages":[{"role":"user","content":{"type":"text","text":"text for 1"}}]}`},
		{"one that there is not", "prompts/get", `"name":"q","arguments":{"call":"1"}`, `"error":{"code":-32602,"message":"unknown prompt \"q\""}`},
		{"one without its argument", "prompts/get", `"name":"p"`, `"error":{"code":-32602,"message":"the argument call is missing"}`},
		{"a completion", "completion/complete", `"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"call","value":"1"}`,
			`"result":{$type"completion":{"values":["text for 1"],"total":1,"hasMore":false}}`},
		{"of another argument", "completion/complete", `"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"x","value":"1"}`,
			`"error":{"code":-32602,"message":"there is no such argument to complete"}`},
		{"the resources, of which there are only templates", "resources/list", ``, `"result":{$type$cache"resources":[]}`},
		{"the templates", "resources/templates/list", ``,
			`"result":{$type$cache"resourceTemplates":[{"name":"call","uriTemplate":"mcpsim://call/{call}"}]}`},
		{"the prompts", "prompts/list", ``,
			`"result":{$type$cache"prompts":[{"name":"p","arguments":[{"name":"call","required":true}]}]}`},
		{"the tools, of which there are none", "tools/list", ``, `"result":{$type$cache"tools":[]}`},
	} {
		for _, version := range protocol.Versions() {
			kind, cache := "", ""
			if protocol.Modern(version) {
				kind, cache = complete, uncached
			}
			want := fill(`{"jsonrpc":"2.0","id":2,`+row.want+`}`, "$type", kind, "$cache", cache)
			call := protocol.Call{Method: row.method, Params: row.params}
			assert.Equal(t, want, ask1(t, everything(version), call), "%s at %s", row.why, version)
		}
	}
}

// What is not offered is not spoken.
func TestWhatIsNotOffered(t *testing.T) {
	for _, method := range []string{"resources/read", "resources/list", "resources/templates/list", "prompts/get", "prompts/list", "completion/complete"} {
		want := `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"method not found: ` + method + `"}}`
		got := ask1(t, sim.ServerEnv{SpecVersion: protocol.V20260728}, protocol.Call{Method: method})
		assert.Equal(t, want, got)
	}
}

// TestHeedsToolsOnly shows what the mutant does that the conversations, which are
// all about tools, cannot show.
func TestHeedsToolsOnly(t *testing.T) {
	for _, row := range []struct {
		defect defect
		told   bool
	}{{none, true}, {heedsToolsOnly, false}} {
		synctest.Test(t, func(t *testing.T) {
			var told atomic.Bool
			env := everything(protocol.V20260728)
			env.Prompts[0].Get = func(ctx context.Context, _ string, _ func(float64) error) (string, error) {
				time.Sleep(time.Second)
				told.Store(ctx.Err() != nil)
				return "text", nil
			}
			s := serve(t, env, row.defect)
			s.tell(protocol.AppendCall(nil, "2", s.caller, protocol.Call{Method: protocol.PromptsGet, Params: `"name":"p","arguments":{"call":"1"}`}))
			time.Sleep(time.Millisecond) // or the prompt would not be begun
			s.tell(protocol.AppendCancelled(nil, "2", ""))
			time.Sleep(2 * time.Second)
			s.hangUp()
			assert.Equal(t, !row.told, s.lines.Scan(), "whether it is answered")
			s.over()
			assert.Equal(t, row.told, told.Load())
		})
	}
}

// ask1 makes one request of a strict server, with the id 2, and returns the frame
// that it answers.
func ask1(t *testing.T, env sim.ServerEnv, call protocol.Call) string {
	t.Helper()
	s := serve(t, env, none)
	if !protocol.Modern(env.SpecVersion) {
		s.tell(protocol.AppendHandshake(nil, "1", s.caller))
		require.True(t, s.lines.Scan())
	}
	s.tell(protocol.AppendCall(nil, "2", s.caller, call))
	require.True(t, s.lines.Scan())
	answer := s.lines.Text()
	s.hangUp()
	s.over()
	return answer
}

// A raw client of a server that is being served.
type rawClient struct {
	t      *testing.T
	out    io.WriteCloser
	lines  *bufio.Scanner // of the server's
	caller protocol.Caller
	served chan error // gets what Serve returns
}

func serve(t *testing.T, env sim.ServerEnv, d defect) *rawClient {
	theirs, ours := io.Pipe()
	answers, out := io.Pipe()
	s := &rawClient{
		t: t, out: ours, lines: bufio.NewScanner(answers), served: make(chan error, 1),
		caller: protocol.Caller{Version: env.SpecVersion, Name: "raw", Release: "1"},
	}
	go func() { s.served <- newServer(env, d).Serve(t.Context(), sim.Conn{In: theirs, Out: out}) }()
	return s
}

func (s *rawClient) tell(frame []byte) {
	_, err := s.out.Write(append(frame, '\n'))
	require.NoError(s.t, err)
}

func (s *rawClient) hangUp() { require.NoError(s.t, s.out.Close()) }

func (s *rawClient) over() { require.NoError(s.t, <-s.served) }
