package sim

import (
	"compress/gzip"
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

// A peer that never stops has the world reach its limit, and nothing of what it says
// afterwards is observed.
func TestFloods(t *testing.T) {
	const bound = 100
	zeros := strings.Repeat("0", 1<<16)
	forever := func(begin, more string) serving {
		return func(_ *stage, w http.ResponseWriter, r *http.Request) {
			hear(r)
			speak(w, 200, events)
			_, err := io.WriteString(w, begin)
			for err == nil {
				_, err = io.WriteString(w, more)
			}
		}
	}
	for _, row := range []struct {
		why    string
		serve  serving
		client func(*stage)
	}{
		{"messages", forever("", "data: "+aReport+"\n\n"), nil},
		{"messages, all at once", forever("", strings.Repeat("data: "+aReport+"\n\n", 5*bound)), nil},
		{"cues", forever("", "id: 1\n\n"), nil},
		{"cues, all at once", forever("", strings.Repeat("id: 1\n\n", 20*bound)), nil},
		{"what is no message", forever("", ": "+zeros+"\n"), nil},
		{"a message that does not end", forever("data: ", zeros), nil},
		{"little that is much", func(_ *stage, w http.ResponseWriter, r *http.Request) {
			hear(r)
			w.Header().Set("Content-Encoding", "gzip")
			speak(w, 200, object)
			z := gzip.NewWriter(w)
			for range 1 << 10 {
				_, _ = io.WriteString(z, zeros) // nobody hears the end of it
			}
			_ = z.Close()
		}, nil},
		{"requests", answering, func(s *stage) {
			for range 10 * bound {
				s.ask(aCall)
			}
		}},
		{"requests that say nothing", answering, func(s *stage) {
			for range 10 * bound {
				r, err := http.NewRequestWithContext(s.Context(), http.MethodDelete, endpoint, nil)
				require.NoError(s, err)
				if answer, err := s.http.Do(r); err == nil {
					assert.NoError(s, answer.Body.Close())
				}
			}
		}},
		{"a request that does not end", answering, func(s *stage) {
			r, err := http.NewRequestWithContext(s.Context(), http.MethodPost, endpoint, endless{})
			require.NoError(s, err)
			_, err = s.http.Do(r)
			assert.ErrorIs(s, err, errFlood)
		}},
	} {
		t.Run(row.why, func(t *testing.T) {
			var all []history.Event
			onStage(t, HTTP1, row.serve, func(s *stage) {
				s.wire.flood.messages, s.wire.flood.room = bound, 1<<20
				if row.client == nil {
					s.ask(aCall)
				} else {
					row.client(s)
				}
				time.Sleep(time.Second)
				select {
				case <-s.world.horizon:
				default:
					assert.Fail(s, "the world has no limit")
				}
				all = s.world.rec.History(s.world.header).Events
			})
			i := slices.IndexFunc(all, func(e history.Event) bool { return e.Kind == history.Horizon })
			require.GreaterOrEqual(t, i, 0)
			assert.Equal(t, errFlood.Error(), all[i].Text)
			assert.Less(t, len(all), 15*bound)
			for _, e := range all[i:] {
				assert.NotEqual(t, history.Write, e.Kind)
			}
		})
	}
}

// An endless reader never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func answering(_ *stage, w http.ResponseWriter, r *http.Request) {
	hear(r)
	speak(w, 200, object)
	say(w, anAnswer)
}

// What a load asks for is no flood, however much it is.
func TestWhatIsNoFlood(t *testing.T) {
	sc, err := Parse("talkative.yaml", []byte("name: talkative\nsummary: much to report\ntransport: streamable-http\n"+
		"load: {calls: 20}\nhandlers: [{kind: chatty, work: 10s, every: 1ms}]\n"))
	require.NoError(t, err)
	schedule, err := Expand(sc, 1, nil)
	require.NoError(t, err)
	f, reports := flood{}, int64(20*10_000)
	f.bound(&world{WorldConfig: WorldConfig{Scenario: sc}, schedule: schedule})
	assert.Greater(t, f.messages, reports+floodMessages)
	assert.Greater(t, f.room, reports*(floodPerPiece+1_000)+floodBytes)
}

// The end of a JSON body is where its last bracket is, however it is cut.
func TestJSONValue(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, `{"a":[{},{"b":"}"}]}`, `{"a":"\"}","b":"\\"}`, " \n{\"a\": [1, 2]} ", `[{"a":"]"},"\\\""]`,
	} {
		for cut := range len(text) {
			v := jsonValue{}
			first, rest := v.feed([]byte(text[:cut])), v.feed([]byte(text[cut:]))
			assert.True(t, first != rest, "%q, cut at %d", text, cut)
			assert.Equal(t, whole([]byte(text[:cut])), first, "%q, cut at %d", text, cut)
		}
	}
	for _, text := range []string{``, `{`, `"}"`, `{"a":"}`, `{"a":"\"}`, `[[]`} {
		v := jsonValue{}
		assert.False(t, v.feed([]byte(text)), text)
	}
}

// A line that does not end is kept up to a bound, and so are the lines of an event.
func TestEventCutterIsBounded(t *testing.T) {
	c, piece := eventCutter{}, []byte("data: "+strings.Repeat("x", maxBody/4))
	for range 8 {
		c.feed(piece)
	}
	assert.LessOrEqual(t, len(c.line), maxBody)
	c = eventCutter{}
	for range 8 {
		c.feed(append(piece, '\n'))
	}
	assert.LessOrEqual(t, len(c.data), 2*maxBody)
}

// A server may compress what it says: that is heard all the same.
func TestCompressed(t *testing.T) {
	compressed := func(contentType string, pieces ...string) serving {
		return func(_ *stage, w http.ResponseWriter, r *http.Request) {
			hear(r)
			w.Header().Set("Content-Encoding", "gzip")
			speak(w, 200, contentType)
			z := gzip.NewWriter(w)
			for _, piece := range pieces {
				_, err := io.WriteString(z, piece)
				assert.NoError(t, err)
				assert.NoError(t, z.Flush())
				http.NewResponseController(w).Flush()
				time.Sleep(time.Millisecond)
			}
			assert.NoError(t, z.Close())
		}
	}
	ask := func(asked string) func(*stage) {
		return func(s *stage) {
			r, err := http.NewRequestWithContext(s.Context(), http.MethodPost, endpoint, strings.NewReader(aCall))
			require.NoError(s, err)
			if asked != "" {
				r.Header.Set("Accept-Encoding", asked) // then net/http does not decompress
			}
			answer, err := s.http.Do(r)
			require.NoError(s, err)
			_, err = io.Copy(io.Discard, answer.Body)
			assert.NoError(s, err)
			assert.NoError(s, answer.Body.Close())
		}
	}
	for _, row := range []struct {
		why, asked string
		serve      serving
		want       []string
	}{
		{"an object", "", compressed(object, anAnswer), []string{"response 1"}},
		{"an object in pieces", "", compressed(object, anAnswer[:9], anAnswer[9:]), []string{"response 1"}},
		{"a stream", "", compressed(events, "data: "+aReport+"\n\n", "data: "+anAnswer+"\n\n"), []string{"notification notifications/progress", "response 1"}},
		{"an object, and the client decompresses itself", "gzip", compressed(object, anAnswer), []string{"response 1"}},
		{"a stream, likewise", "gzip", compressed(events, "data: "+aReport+"\n\n", "data: "+anAnswer+"\n\n"), []string{"notification notifications/progress", "response 1"}},
	} {
		t.Run(row.why, func(t *testing.T) {
			got := onStage(t, HTTP1, row.serve, ask(row.asked))
			for _, does := range []string{"server write", "server wrote", "client read"} {
				var said []string
				for _, line := range got {
					if what, found := strings.CutPrefix(line, does+" "); found {
						said = append(said, what)
					}
				}
				assert.Equal(t, row.want, said, "%s:\n%s", does, strings.Join(got, "\n"))
			}
		})
	}
}
