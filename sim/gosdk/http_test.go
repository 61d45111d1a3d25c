package gosdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/gosdk"
	"github.com/mcpsim/mcpsim/sim/history"
)

// A memory is a listener whose connections are pipes.
type memory struct {
	accept chan net.Conn
	closed chan struct{} // closed by Close
	once   sync.Once
}

func newMemory() *memory {
	return &memory{accept: make(chan net.Conn), closed: make(chan struct{})}
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.accept:
		return c, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error {
	m.once.Do(func() { close(m.closed) })
	return nil
}

func (m *memory) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

func (m *memory) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case m.accept <- far:
		return near, nil
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), near.Close(), far.Close())
	}
}

// A site is a server of the SDK's behind a real http.Server, and what a client needs to
// reach it.
type site struct {
	server sim.HTTPServer
	conn   sim.Conn
}

// visit has f meet a server over HTTP, in virtual time, and takes everything down
// afterwards: no goroutine may stay.
func visit(t *testing.T, target sim.Target, env sim.ServerEnv, f func(*testing.T, site)) {
	synctest.Test(t, func(t *testing.T) {
		listener := newMemory()
		server := target.NewServer(env).(sim.HTTPServer)
		web := &http.Server{Handler: server.Handler()}
		served := make(chan error, 1)
		go func() { served <- web.Serve(listener) }()
		road := &http.Transport{DialContext: listener.dial}
		f(t, site{server, sim.Conn{Endpoint: "http://server.invalid/mcp", HTTP: &http.Client{Transport: road}}})
		require.NoError(t, server.Shutdown(t.Context()))
		assert.Zero(t, server.Sessions(), "after the shutdown")
		require.NoError(t, web.Shutdown(t.Context()))
		assert.ErrorIs(t, <-served, http.ErrServerClosed)
		road.CloseIdleConnections()
	})
}

// An application answers everything with what it was asked for, after it has reported
// progress once and some time has passed.
func application(version, transport string) sim.ServerEnv {
	answer := func(ctx context.Context, what string, progress func(float64) error) (string, error) {
		_ = progress(1) // there are servers that cannot tell it
		select {
		case <-time.After(10 * time.Millisecond):
			return "answer to " + what, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return sim.ServerEnv{
		SpecVersion: version, Transport: transport,
		Tools: []sim.Tool{{Name: "tool", Run: func(ctx context.Context, _ json.RawMessage, progress func(float64) error) (string, error) {
			return answer(ctx, "tool", progress)
		}}},
		Resources: []sim.Resource{{Name: "resource", Template: "sim://{call}", Read: answer}},
		Prompts:   []sim.Prompt{{Name: "prompt", Get: answer}},
		Complete:  answer,
	}
}

// questions is one request of each method that is answered at once, and what is to come
// back.
func questions(version string) map[*sim.Request]string {
	out := map[*sim.Request]string{
		{Method: "tools/call", Name: "tool", Arguments: json.RawMessage(`{}`), Progress: "a"}: "answer to tool",
		{Method: "resources/read", Name: "sim://1", Progress: int64(2)}:                       "answer to sim://1",
		{Method: "prompts/get", Name: "prompt", Argument: "3"}:                                "answer to 3",
		{Method: "completion/complete", Name: "prompt", Argument: "4"}:                        "answer to 4",
		{Method: "tools/list"}:               "",
		{Method: "resources/list"}:           "",
		{Method: "resources/templates/list"}: "",
		{Method: "prompts/list"}:             "",
	}
	if version < "2026-07-28" {
		out[&sim.Request{Method: "ping"}] = ""
	}
	return out
}

// variants lists a target with every choice of those options that are for that side and
// transport.
func variants(target sim.Target, side history.Side, transport string) []sim.Target {
	out := []sim.Target{target}
	for _, o := range target.Options {
		if !slices.Contains(o.Sides, side) || !slices.Contains(o.Transports, transport) {
			continue
		}
		for _, t := range slices.Clone(out) {
			_, have, _ := strings.Cut(t.Name, "+")
			chosen := append(strings.Fields(strings.ReplaceAll(have, "+", " ")), o.Name)
			with := target.With(chosen)
			with.Name = sim.With(target.Name, chosen)
			out = append(out, with)
		}
	}
	return out
}

func TestEveryMethodOverHTTP(t *testing.T) {
	sdk := gosdk.Target("v0.0.0")
	for _, transport := range sdk.Transports[1:] {
		for _, version := range sdk.SpecVersions {
			if !sim.InVersion(transport, version) {
				continue
			}
			for _, client := range variants(sdk, history.Client, transport) {
				for _, server := range variants(sdk, history.Server, transport) {
					t.Run(transport+" "+version+" "+client.Name+" to "+server.Name, func(t *testing.T) {
						visit(t, server, application(version, transport), func(t *testing.T, s site) {
							askEverything(t, client.NewClient(sim.ClientEnv{SpecVersion: version, Transport: transport}), version, s)
						})
					})
				}
			}
		}
	}
}

func askEverything(t *testing.T, client sim.Client, version string, s site) {
	require.NoError(t, client.Connect(t.Context(), s.conn))
	for r, want := range questions(version) {
		got, err := client.Call(t.Context(), *r)
		assert.NoError(t, err, r.Method)
		assert.Equal(t, want, got, r.Method)
	}
	assert.NoError(t, client.Probe(t.Context()))
	assert.NoError(t, client.Close())
	synctest.Wait()
	assert.Zero(t, s.server.Sessions(), "after the client's close")
}
