package reference

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

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
