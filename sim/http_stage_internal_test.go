package sim

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A stage is the wire of a world over HTTP whose two sides a test plays itself.
type stage struct {
	*testing.T
	world *world
	wire  *httpWire
	http  *http.Client
}

// An actor is a server's target that serves what a test wants.
type actor struct{ serve http.HandlerFunc }

func (a actor) Handler() http.Handler           { return a.serve }
func (actor) Sessions() int                     { return 0 }
func (actor) Shutdown(context.Context) error    { return nil }
func (actor) Serve(context.Context, Conn) error { panic("sim: over HTTP") }

// A serving is what the server does with a request.
type serving func(*stage, http.ResponseWriter, *http.Request)

// onStage runs act as the client of a server with that handler, in virtual time, and
// returns what was recorded, a line an event; see lineOf.
func onStage(t *testing.T, protocol string, serve serving, act func(*stage)) (lines []string) {
	sc, err := Parse("stage.yaml", []byte("name: stage\nsummary: a stage\ntransport: streamable-http\nhttp: {protocol: "+protocol+"}\n"+
		"network: {client_to_server: {delay: 1ms}, server_to_client: {delay: 1ms}}\n"+
		"handlers: [{kind: instant}]\n"))
	require.NoError(t, err)
	schedule, err := Expand(sc, 1, nil)
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		s := &stage{T: t}
		handler := func(w http.ResponseWriter, r *http.Request) { serve(s, w, r) }
		w, err := newWorld(WorldConfig{
			Scenario: sc, Schedule: schedule, SpecVersion: "2025-11-25", Clock: "virtual", Observe: true,
			Client: Target{NewClient: func(ClientEnv) Client { return nil }},
			Server: Target{NewServer: func(ServerEnv) Server { return actor{handler} }},
		})
		require.NoError(t, err)
		w.serve()
		synctest.Wait() // it listens
		s.world, s.wire = w, w.wire.(*httpWire)
		s.http = s.wire.conn(w.seats[0]).HTTP
		act(s)
		time.Sleep(time.Second)
		s.wire.left(w.seats[0])
		w.stopServer()
		w.stop()
		time.Sleep(time.Hour) // whatever waits for a connection's end
		for _, e := range w.rec.History(w.header).Events {
			if e.Exchange > 0 {
				lines = append(lines, lineOf(e))
			}
		}
	})
	return lines
}

// lineOf writes an event as "client write request", with what else it says.
func lineOf(e history.Event) string {
	words := []string{string(e.Side), string(e.Kind)}
	if e.Exchange > 1 {
		words = append([]string{strconv.Itoa(e.Exchange)}, words...)
	}
	if e.Msg != nil {
		words = append(words, string(e.Msg.Kind), cmp.Or(e.Msg.Method, e.Msg.ID))
	}
	if h := e.HTTP; h != nil {
		status := ""
		if h.Status > 0 {
			status = fmt.Sprint(h.Status)
		}
		words = append(words, h.Method, status, h.Body)
	}
	if e.Kind == history.Cue {
		words = append(words, e.Value)
	}
	if e.EventID != "" {
		words = append(words, "#"+e.EventID)
	}
	switch {
	case e.Kind == history.Finish && e.Text != "":
		words = append(words, "(error)") // each version of HTTP has its own
	case e.Text != "":
		words = append(words, "("+e.Text+")")
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

const aCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`

const anAnswer = `{"jsonrpc":"2.0","id":1,"result":{}}`

const aReport = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`

// post posts a message.
func (s *stage) post(ctx context.Context, body string) *http.Response {
	r, err := s.send(ctx, body)
	require.NoError(s, err)
	return r
}

func (s *stage) send(ctx context.Context, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(body))
	require.NoError(s, err)
	r.Header.Set("Content-Type", "application/json")
	return s.http.Do(r)
}

// whole posts a message, and reads and closes the response.
func (s *stage) whole(body string) {
	r := s.post(s.Context(), body)
	// How it ends is in the history.
	_, _ = io.Copy(io.Discard, r.Body)
	_ = r.Body.Close()
}

// hear reads a request's body.
func hear(r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }

// say writes a piece of a response, and sends it on.
func say(w http.ResponseWriter, piece string) {
	_, _ = io.WriteString(w, piece)
	_ = http.NewResponseController(w).Flush()
}

// speak begins a response of a type.
func speak(w http.ResponseWriter, status int, contentType string) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
}
