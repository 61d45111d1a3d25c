package sim

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

const (
	events = "text/event-stream"
	object = "application/json"
)

// What is recorded of an exchange that ends by itself: of its beginning, see heardOut, and
// of the rest, in the row.
func TestResponses(t *testing.T) {
	for _, row := range []struct {
		why   string
		serve func(w http.ResponseWriter)
		want  string
	}{
		{"one JSON object", func(w http.ResponseWriter) {
			speak(w, 200, object)
			say(w, anAnswer)
		}, `
			server status 200
			server write response 1
			server wrote response 1
			server finish
			client status 200
			client read response 1
			client finish
		`},
		{"without a head of its own, nor a flush", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", object)
			_, _ = io.WriteString(w, anAnswer)
		}, `
			server status 200
			server write response 1
			server wrote response 1
			server finish
			client status 200
			client read response 1
			client finish
		`},
		{"what events without a message say of the stream's being resumed", func(w http.ResponseWriter) {
			speak(w, 200, events)
			say(w, "id: 7\nretry: 500\ndata:\n\n: nothing\n\nevent: keepalive\n\n")
			say(w, "retry: 20\nid: 8\ndata: "+aReport+"\n\n")
			say(w, "id: 9\ndata")
			say(w, ":\n\n")
		}, `
			server status 200
			server cue 500 #7
			server cue 20
			server write notification notifications/progress #8
			server wrote notification notifications/progress #8
			server cue #9
			server finish
			client status 200
			client cue 500 #7
			client cue 20
			client read notification notifications/progress #8
			client cue #9
			client finish
		`},
		{"written piecemeal: the message begins with its first byte", func(w http.ResponseWriter) {
			speak(w, 200, object)
			say(w, anAnswer[:20])
			time.Sleep(time.Second)
			say(w, anAnswer[20:])
			say(w, "\n")
		}, `
			server status 200
			server write response 1
			client status 200
			server wrote response 1
			server finish
			client read response 1
			client finish
		`},
		{"a stream of events", func(w http.ResponseWriter) {
			speak(w, 200, events)
			say(w, "id: 1\ndata: \n\n")
			say(w, "event: message\nid: 2\ndata: "+aReport+"\n\n")
			time.Sleep(time.Second)
			say(w, "data: "+anAnswer+"\n\n")
		}, `
			server status 200
			server cue #1
			server write notification notifications/progress #2
			server wrote notification notifications/progress #2
			client status 200
			client cue #1
			client read notification notifications/progress #2
			server write response 1
			server wrote response 1
			server finish
			client read response 1
			client finish
		`},
		{"several events in one Write", func(w http.ResponseWriter) {
			speak(w, 200, events)
			say(w, "data: "+aReport+"\n\ndata: "+anAnswer+"\n\n")
		}, `
			server status 200
			server write notification notifications/progress
			server write response 1
			server wrote notification notifications/progress
			server wrote response 1
			server finish
			client status 200
			client read notification notifications/progress
			client read response 1
			client finish
		`},
		{"an event in pieces, the last of which is only its end", func(w http.ResponseWriter) {
			speak(w, 200, events)
			say(w, "id: 7\n")
			say(w, "data: {")
			time.Sleep(time.Second)
			say(w, anAnswer[1:])
			time.Sleep(time.Second)
			say(w, "\n\n")
		}, `
			server status 200
			server write response 1 #7
			client status 200
			server wrote response 1 #7
			server finish
			client read response 1 #7
			client finish
		`},
		{"a piece that ends one event and begins the next", func(w http.ResponseWriter) {
			speak(w, 200, events)
			say(w, "data: {")
			time.Sleep(time.Second)
			say(w, aReport[1:]+"\n\ndata: {")
			time.Sleep(time.Second)
			say(w, anAnswer[1:]+"\n\n")
		}, `
			server status 200
			server write notification notifications/progress
			client status 200
			server write response 1
			server wrote notification notifications/progress
			client read notification notifications/progress
			server wrote response 1
			server finish
			client read response 1
			client finish
		`},
		{"events that hold no message are no frames", func(w http.ResponseWriter) {
			speak(w, 200, events)
			say(w, ": here\n\nretry: 500\n\nevent: endpoint\ndata: /messages\n\n")
			say(w, "data: "+anAnswer+"\r\n\r\n")
		}, `
			server status 200
			server cue 500
			server write response 1
			server wrote response 1
			server finish
			client status 200
			client cue 500
			client read response 1
			client finish
		`},
		{"accepted", func(w http.ResponseWriter) { w.WriteHeader(202) }, `
			server status 202
			server finish
			client status 202
			client finish
		`},
		{"nothing at all", func(http.ResponseWriter) {}, `
			server status 200
			server finish
			client status 200
			client finish
		`},
		{"refused in the protocol's words", func(w http.ResponseWriter) {
			speak(w, 400, object)
			say(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}`)
		}, `
			server status 400
			server write error 1
			server wrote error 1
			server finish
			client status 400
			client read error 1
			client finish
		`},
		{"refused in other words", func(w http.ResponseWriter) { http.Error(w, "no such session", 404) }, `
			server status 404
			server finish
			client status 404
			client finish no such session
		`},
		{"refused in an object that is no message", func(w http.ResponseWriter) {
			speak(w, 500, object)
			say(w, `{"message":`)
			say(w, `"broken"}`)
		}, `
			server status 500
			server finish
			client status 500
			client finish {"message":"broken"}
		`},
		{"an object that is no message, and ought to be", func(w http.ResponseWriter) {
			speak(w, 200, object)
			say(w, `{"message":"hello"}`)
		}, `
			server status 200
			server write invalid
			server wrote invalid
			server finish
			client status 200
			client read invalid
			client finish
		`},
		{"half an object", func(w http.ResponseWriter) {
			speak(w, 200, object)
			say(w, anAnswer[:20])
		}, `
			server status 200
			server write invalid
			server finish
			client status 200
			client finish {"jsonrpc":"2.0","id
			client unread invalid
		`},
		{"half an event", func(w http.ResponseWriter) {
			speak(w, 200, events)
			say(w, "data: "+anAnswer+"\n")
		}, `
			server status 200
			server write invalid
			server finish
			client status 200
			client finish
			client unread invalid
		`},
		{"broken off by the handler", func(w http.ResponseWriter) {
			speak(w, 200, events)
			say(w, "data: "+aReport+"\n\ndata: {")
			panic(http.ErrAbortHandler)
		}, `
			server status 200
			server write notification notifications/progress
			server write invalid
			server wrote notification notifications/progress
			server finish
			client status 200
			client read notification notifications/progress
			client finish (error)
			client unread invalid
		`},
	} {
		t.Run(row.why, func(t *testing.T) {
			for _, protocol := range []string{HTTP1, H2C} {
				got := onStage(t, protocol, func(_ *stage, w http.ResponseWriter, r *http.Request) {
					hear(r)
					row.serve(w)
				}, func(s *stage) { s.whole(aCall) })
				assert.Equal(t, append(lines(heardOut), lines(row.want)...), got, protocol)
			}
		})
	}
}

// heardOut is what every exchange begins with whose server hears it out.
const heardOut = `
	client begin POST
	client write request tools/call
	client wrote request tools/call
	server begin POST
	server read request tools/call
`

// lines is those of a text, without the space around them.
func lines(text string) (out []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// What a handler leaves of the request's body, nobody hears.
func TestRequestsThatAreNotHeard(t *testing.T) {
	long := strings.TrimSuffix(aCall, "{}}") + `{"x":"` + strings.Repeat("x", 100_000) + `"}}`
	for _, row := range []struct {
		why, body string
		hears     int
		verb      string
	}{
		{"the handler reads nothing", aCall, 0, "unread"},
		{"or not all", aCall, len(aCall) - 1, "unread"},
		{"all, but does not ask for the end", aCall, len(aCall), "read"},
		{"nothing of what does not fit into any buffer", long, 0, "unread"},
		{"most of it", long, len(long) - 1, "unread"},
		{"all of it", long, len(long), "read"},
	} {
		for _, protocol := range []string{HTTP1, H2C} {
			got := onStage(t, protocol, func(s *stage, w http.ResponseWriter, r *http.Request) {
				_, err := io.ReadFull(r.Body, make([]byte, row.hears))
				assert.NoError(s, err)
				w.WriteHeader(202)
			}, func(s *stage) { s.whole(row.body) })
			at := slices.Index(got, "server "+row.verb+" request tools/call")
			if assert.Positive(t, at, "%s by %s: %q", row.why, protocol, got) {
				assert.Less(t, at, slices.Index(got, "server finish"), row.why)
			}
			assert.Equal(t, 9, len(got), "%s by %s, and nothing else: %q", row.why, protocol, got)
			assert.Contains(t, got, "client finish", "%s by %s", row.why, protocol)
		}
	}
}

// A request of the server's that is written piecemeal is the call's, as is what the
// client answers to it.
func TestPiecemealRequestsAreLearned(t *testing.T) {
	question := `{"jsonrpc":"2.0","id":"q","method":"roots/list","params":{"_meta":{"` + MarkKey + `":7}}}`
	onStage(t, HTTP1, func(_ *stage, w http.ResponseWriter, r *http.Request) {
		hear(r)
		speak(w, 200, events)
		say(w, "data: "+question[:10])
		say(w, question[10:]+"\n\n")
	}, func(s *stage) {
		s.whole(aCall)
		s.whole(`{"jsonrpc":"2.0","id":"q","result":{"roots":[]}}`)
		for _, e := range s.world.rec.History(s.world.header).Events {
			if e.Kind == history.Begin && e.Exchange == 2 && e.Side == history.Server {
				assert.Equal(t, 7, e.Call)
			}
		}
	})
}

// What the heads say.
func TestHeads(t *testing.T) {
	for _, protocol := range []string{HTTP1, H2C} {
		onStage(t, protocol, func(_ *stage, w http.ResponseWriter, r *http.Request) {
			assert.Empty(t, r.Header.Get(exchangeHeader), "the simulator's mark is not the target's")
			w.Header().Set("Mcp-Session-Id", "abc")
			speak(w, 200, events)
		}, func(s *stage) {
			r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, endpoint+"?sessionId=def", nil)
			require.NoError(s, err)
			for name, value := range map[string]string{
				"Accept": events, "MCP-Protocol-Version": "2025-11-25", "Last-Event-ID": "5", "Mcp-Method": "m", "Mcp-Name": "n",
			} {
				r.Header.Set(name, value)
			}
			answer, err := s.http.Do(r)
			require.NoError(s, err)
			assert.Empty(s, r.Header.Get(exchangeHeader), "nor the client's")
			_, err = io.Copy(io.Discard, answer.Body)
			assert.NoError(s, err)
			assert.NoError(s, answer.Body.Close())
			want := history.HTTPHead{
				Method: "GET", Accept: events, Session: "def", Version: "2025-11-25", LastEvent: "5", MCPMethod: "m", MCPName: "n",
			}
			for _, e := range s.world.rec.History(s.world.header).Events {
				switch {
				case e.Kind == history.Begin && e.Side == history.Client:
					assert.Equal(s, want, *e.HTTP)
				case e.Kind == history.Begin:
					want.Conn = 1
					assert.Equal(s, want, *e.HTTP, protocol)
				case e.Kind == history.Status:
					assert.Equal(s, history.HTTPHead{Status: 200, ContentType: events, Session: "abc"}, *e.HTTP)
				}
			}
		})
	}
}

// A request that did not come through the client's end of the wire belongs to nothing.
func TestStrangers(t *testing.T) {
	onStage(t, HTTP1, func(s *stage, w http.ResponseWriter, r *http.Request) {
		assert.Fail(s, "it reaches no target")
	}, func(s *stage) {
		stranger := &http.Transport{DialContext: s.wire.network.DialContext}
		r, err := (&http.Client{Transport: stranger}).Get(endpoint)
		require.NoError(s, err)
		assert.Equal(s, http.StatusTeapot, r.StatusCode)
		assert.NoError(s, r.Body.Close())
		stranger.CloseIdleConnections()
	})
}

// A transport makes a GET again by itself whose connection, which had been used before,
// breaks before anything has come back. That is the same exchange; what the server had
// written the first time nobody reads.
func TestExchangesThatTheTransportRepeats(t *testing.T) {
	gets := 0
	got := onStage(t, HTTP1, func(_ *stage, w http.ResponseWriter, r *http.Request) {
		hear(r)
		if r.Method == http.MethodPost {
			w.WriteHeader(202)
			return
		}
		speak(w, 200, events)
		if gets++; gets == 1 {
			_, _ = io.WriteString(w, "data: "+aReport+"\n\n") // and does not send it on
			panic(http.ErrAbortHandler)
		}
		say(w, "data: "+anAnswer+"\n\n")
	}, func(s *stage) {
		s.whole(aCall)
		r, err := s.http.Get(endpoint)
		require.NoError(s, err)
		_, err = io.Copy(io.Discard, r.Body)
		assert.NoError(s, err)
		assert.NoError(s, r.Body.Close())
	})
	got = slices.DeleteFunc(got, func(line string) bool { return !strings.HasPrefix(line, "2 ") })
	assert.Equal(t, lines(`
		2 client begin GET
		2 server begin GET
		2 server status 200
		2 server write notification notifications/progress
		2 server wrote notification notifications/progress
		2 server finish
		2 client unread notification notifications/progress
		2 server begin GET
		2 server status 200
		2 server write response 1
		2 server wrote response 1
		2 server finish
		2 client status 200
		2 client read response 1
		2 client finish
	`), got)
}
