package reference

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A client may post to a session that another exchange ends: either finds it, or it is
// over. The race detector looks at this test.
func TestASessionEndsWhileItIsPostedTo(t *testing.T) {
	s := newServer(sim.ServerEnv{SpecVersion: protocol.V20251125, Transport: sim.StreamableHTTP}, none)
	for range 300 {
		ws := s.newWebSession(newStream(none, 0))
		ask := func(method, body string) int {
			r := httptest.NewRequest(method, "/mcp", strings.NewReader(body))
			r.Header.Set("Content-Type", jsonType)
			r.Header.Set("Accept", jsonType+", "+eventType)
			r.Header.Set(protocol.HeaderSession, ws.id)
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, r)
			return w.Code
		}
		var both sync.WaitGroup
		both.Go(func() {
			assert.Contains(t, []int{http.StatusOK, http.StatusNotFound}, ask(http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		})
		both.Go(func() { assert.Equal(t, http.StatusNoContent, ask(http.MethodDelete, "")) })
		both.Wait()
	}
	require.NoError(t, s.Shutdown(t.Context()))
}

// A blockedWriter takes nothing until it is let.
type blockedWriter struct {
	http.ResponseWriter
	let chan struct{}
}

func (w blockedWriter) Write(b []byte) (int, error) {
	<-w.let
	return w.ResponseWriter.Write(b)
}

func (blockedWriter) Flush() {}

// Two streams that are resumed at a time, by the mutant that replays all, do not wait for
// each other.
func TestTwoStreamsAreResumedAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(sim.ServerEnv{SpecVersion: protocol.V20251125, Transport: sim.StreamableHTTP}, replaysAll)
		ws := s.newWebSession(newStream(replaysAll, 0))
		let := make(chan struct{})
		var streams []*stream
		for range 2 {
			st := ws.newStream(false)
			st.emit(event{data: "{}"})
			st.emit(event{data: "{}"})
			streams = append(streams, st)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var both sync.WaitGroup
		for _, st := range streams {
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/mcp", nil)
			w := httptest.NewRecorder()
			both.Go(func() { ws.resume(st, 1, blockedWriter{w, let}, r) })
		}
		synctest.Wait() // both have begun to replay
		close(let)
		synctest.Wait()
		cancel()
		both.Wait()
		ws.end(nil)
	})
}
