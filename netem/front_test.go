package netem_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/netem"
)

func TestFrontFaultValidate(t *testing.T) {
	for _, kind := range netem.FrontFaults() {
		assert.NoError(t, netem.FrontFault{Kind: kind}.Validate())
	}
	for _, test := range []struct {
		fault netem.FrontFault
		want  string
	}{
		{netem.FrontFault{}, ""},
		{netem.FrontFault{Kind: netem.FrontCut, Events: 3}, ""},
		{netem.FrontFault{Kind: netem.FrontHold, After: time.Second}, ""},
		{netem.FrontFault{Kind: "fire"}, `unknown kind "fire": it must be bad-gateway, buffer, cut, drop, hold, slow-post, timeout, unanswered`},
		{netem.FrontFault{After: ms}, "no fault: after 1ms has no meaning here"},
		{netem.FrontFault{Kind: netem.FrontCut, After: ms}, "cut: after 1ms has no meaning here"},
		{netem.FrontFault{Kind: netem.FrontHold, After: -1, Events: -1}, "after: -1ns is not from 0s to 24h0m0s\nevents: -1 is negative"},
		{netem.FrontFault{Kind: netem.FrontHold, Events: 1}, "hold: events 1 has no meaning here"},
	} {
		if err := test.fault.Validate(); test.want == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, test.want)
		}
	}
	front := &netem.Front{Decide: func(*http.Request) netem.FrontFault { return netem.FrontFault{Kind: "fire"} }}
	assert.Panics(t, func() { front.ServeHTTP(nil, nil) })
}

// A frontTest is a world with a front in it, in virtual time: a millisecond each
// way, and the fault of a request in its head.
type frontTest struct {
	*testing.T
	*site
	front   *netem.Front
	network *netem.Network
	h2c     bool
	start   time.Time
	said    chan string // by the backend; made in its bubble, as a channel must be
}

// A backend says what it sees.
type backend func(w http.ResponseWriter, r *http.Request, say func(format string, args ...any))

// atFront plays a scene by HTTP/1.1 and by HTTP/2. A goroutine that stays behind
// fails it.
func atFront(t *testing.T, play backend, scene func(*frontTest)) {
	for _, h2c := range []bool{false, true} {
		t.Run(fmt.Sprintf("h2c=%t", h2c), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := netem.NewNetwork(netem.NetworkConfig{Profile: wide(), Rig: slow(ms, ms)})
				said := make(chan string, 9)
				instance := func(w http.ResponseWriter, r *http.Request) {
					play(w, r, func(format string, args ...any) { said <- fmt.Sprintf(format, args...) })
				}
				front := &netem.Front{Decide: faultOf, Backends: []http.Handler{http.HandlerFunc(instance)}}
				f := &frontTest{T: t, site: open(t, over(n), h2c, front), front: front, network: n, h2c: h2c, start: time.Now(), said: said}
				scene(f)
				require.NoError(t, front.Wait(t.Context()))
				f.site.close(t)
				time.Sleep(time.Minute)
				assert.Zero(t, n.Open())
			})
		})
	}
}

func faultOf(r *http.Request) (fault netem.FrontFault) {
	fault.Kind = r.Header.Get("Fault")
	fault.After, _ = time.ParseDuration(r.Header.Get("After")) // 0 where there is none
	_, _ = fmt.Sscan(r.Header.Get("Events"), &fault.Events)
	return fault
}

// post sends a request with a fault, and returns the response.
func (f *frontTest) post(ctx context.Context, fault netem.FrontFault, body string) (*http.Response, error) {
	return post(ctx, f.site, fault, body)
}

func post(ctx context.Context, s *site, fault netem.FrontFault, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/"+fault.Kind, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Fault", fault.Kind)
	req.Header.Set("After", fault.After.String())
	req.Header.Set("Events", fmt.Sprint(fault.Events))
	return s.client.Do(req)
}

// passed returns how much time has passed, without what is below a millisecond.
func (f *frontTest) passed() time.Duration { return time.Since(f.start).Truncate(ms) }

// all reads a response to its end.
func all(resp *http.Response) (string, error) {
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // an error shows in the reading
	return string(body), err
}

func echoBody(w http.ResponseWriter, r *http.Request, _ func(string, ...any)) {
	body, err := io.ReadAll(r.Body)
	fmt.Fprint(w, string(body), err)
}

func TestFrontWithoutFault(t *testing.T) {
	atFront(t, echoBody, func(f *frontTest) {
		resp, err := f.post(f.Context(), netem.FrontFault{}, "body")
		require.NoError(f, err)
		got, err := all(resp)
		require.NoError(f, err)
		assert.Equal(f, "body<nil>", got)
	})
}

// TestFrontSlowPost: the server hears of the request, but another one that was
// sent later is read sooner.
func TestFrontSlowPost(t *testing.T) {
	for _, body := range []string{"", "a", "ab", "abcdefghij", strings.Repeat("x", 3<<20)} {
		backend := func(_ http.ResponseWriter, r *http.Request, say func(string, ...any)) {
			start := time.Now()
			var pieces []string
			size, b := 0, make([]byte, 4<<20)
			for {
				n, err := r.Body.Read(b)
				size += n
				if n > 0 && len(body) < 100 {
					pieces = append(pieces, fmt.Sprintf("%s@%v", b[:n], time.Since(start).Truncate(ms)))
				}
				if err != nil {
					assert.Equal(t, io.EOF, err)
					break
				}
			}
			say("%s %d %t %v", r.URL.Path, size, time.Since(start) >= 400*ms, pieces)
		}
		atFront(t, backend, func(f *frontTest) {
			slow := make(chan bool)
			go func() {
				defer close(slow)
				resp, err := f.post(f.Context(), netem.FrontFault{Kind: netem.FrontSlowPost, After: 400 * ms}, body)
				if assert.NoError(f, err) {
					assert.NoError(f, resp.Body.Close())
				}
			}()
			time.Sleep(100 * ms)
			resp, err := f.post(f.Context(), netem.FrontFault{}, "")
			require.NoError(f, err)
			require.NoError(f, resp.Body.Close())
			<-slow
			assert.Equal(f, "/ 0 false []", <-f.said, "the second")
			want := map[int]string{
				0: "[]", 1: "[a@400ms]", 2: "[a@200ms b@400ms]", 10: "[ab@100ms cde@200ms fg@300ms hij@400ms]", 3 << 20: "[]",
			}[len(body)]
			assert.Equal(f, fmt.Sprintf("/slow-post %d true %s", len(body), want), <-f.said)
		})
	}
}

func TestFrontHold(t *testing.T) {
	atFront(t, func(w http.ResponseWriter, r *http.Request, say func(string, ...any)) {
		say(r.URL.Path)
		echoBody(w, r, say)
	}, func(f *frontTest) {
		resp, err := f.post(f.Context(), netem.FrontFault{Kind: netem.FrontHold, After: 300 * ms}, "body")
		require.NoError(f, err)
		got, err := all(resp)
		require.NoError(f, err)
		assert.Equal(f, "body<nil>", got)
		assert.Equal(f, 302*ms, f.passed())
		assert.Equal(f, "/hold", <-f.said)

		ctx, cancel := context.WithTimeout(f.Context(), 100*ms)
		defer cancel()
		_, err = f.post(ctx, netem.FrontFault{Kind: netem.FrontHold, After: 300 * ms}, "body")
		assert.ErrorIs(f, err, context.DeadlineExceeded)
		time.Sleep(time.Second)
		assert.Empty(f, f.said, "who has given up never asked")
	})
}

// stream writes an event every ten milliseconds, and reports how it ended.
func stream(n int) backend {
	return func(w http.ResponseWriter, r *http.Request, say func(string, ...any)) {
		_, _ = io.Copy(io.Discard, r.Body) // an error shows in the writing
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		rc := http.NewResponseController(w)
		var err error
		for i := range n {
			time.Sleep(10 * ms)
			_, writing := fmt.Fprintf(w, "id: %d\r\ndata: event %d\r\n\r\n", i, i)
			err = errors.Join(err, writing, rc.Flush())
		}
		time.Sleep(10 * ms)
		say("failed: %t, context: %v", err != nil, r.Context().Err())
	}
}

func sse(i int) string { return fmt.Sprintf("id: %d\r\ndata: event %d\r\n\r\n", i, i) }

func TestFrontCut(t *testing.T) {
	atFront(t, stream(5), func(f *frontTest) {
		resp, err := f.post(f.Context(), netem.FrontFault{Kind: netem.FrontCut, Events: 2}, "{}")
		require.NoError(f, err)
		got, err := all(resp)
		assert.Equal(f, sse(0)+sse(1)+sse(2)[:len(sse(2))/2], got)
		assert.Equal(f, 32*ms, f.passed())
		requireBroken(f, err)
		assert.Equal(f, "failed: true, context: context canceled", <-f.said, "the backend ran on")
		assert.Equal(f, 61*ms, f.passed())

		resp, err = f.post(f.Context(), netem.FrontFault{Kind: netem.FrontCut, Events: 5}, "{}")
		require.NoError(f, err)
		_, err = all(resp)
		require.NoError(f, err, "there is no sixth event")
		assert.Equal(f, "failed: false, context: <nil>", <-f.said)
	})
}

// requireBroken: a connection by HTTP/1.1, a stream by HTTP/2.
func requireBroken(f *frontTest, err error) {
	if f.h2c {
		require.ErrorContains(f, err, "stream error: stream ID 1; INTERNAL_ERROR; received from peer")
		assert.Equal(f, 1, f.network.Open())
		return
	}
	require.ErrorIs(f, err, syscall.ECONNRESET)
}

// TestFrontCutWhatIsNoStream: a whole body, by halves, and an event that is
// written by pieces.
func TestFrontCutWhatIsNoStream(t *testing.T) {
	for _, test := range []struct {
		contentType string
		writes      []string
		events      int
		want        string
	}{
		{"application/json", []string{`{"a":`, "\n\n", `1}`}, 0, `{"a"`},
		{"text/event-stream", []string{"\n\nda", "ta: 1\n", "\n", "data", ": 2222\n\n"}, 1, "\n\ndata: 1\n\ndata: "},
		{"text/event-stream", []string{"data: 1\n\ndata: 2"}, 1, "data: 1\n\ndat"},
		{"text/event-stream", []string{"data: 1\n", "\r\n", "x\r\n"}, 1, "data: 1\n\r\nx"},
	} {
		atFront(t, func(w http.ResponseWriter, r *http.Request, say func(string, ...any)) {
			w.Header().Set("Content-Type", test.contentType)
			for _, text := range test.writes {
				_, _ = io.WriteString(w, text) // the last may fail
			}
		}, func(f *frontTest) {
			resp, err := f.post(f.Context(), netem.FrontFault{Kind: netem.FrontCut, Events: test.events}, "")
			require.NoError(f, err)
			got, err := all(resp)
			assert.Equal(f, test.want, got)
			requireBroken(f, err)
		})
	}
}

// TestFrontCutOfAnEventWithoutEnd: it is cut where a front cannot keep any more.
func TestFrontCutOfAnEventWithoutEnd(t *testing.T) {
	written := 0
	atFront(t, func(w http.ResponseWriter, _ *http.Request, say func(string, ...any)) {
		w.Header().Set("Content-Type", "text/event-stream")
		written = 0
		for piece := make([]byte, 1<<18); written < 64<<20; {
			n, err := w.Write(piece)
			if written += n; err != nil {
				break
			}
		}
	}, func(f *frontTest) {
		resp, err := f.post(f.Context(), netem.FrontFault{Kind: netem.FrontCut}, "{}")
		require.NoError(f, err)
		got, err := all(resp)
		requireBroken(f, err)
		assert.Equal(f, 1<<19, len(got), "half of what a front keeps")
		assert.Equal(f, 1<<20, written)
	})
}

// TestFrontDrop: the connection breaks with everything on it, even if the
// exchange that was to meet it is over.
func TestFrontDrop(t *testing.T) {
	atFront(t, stream(4), func(f *frontTest) {
		resp, err := f.post(f.Context(), netem.FrontFault{Kind: netem.FrontDrop, After: 25 * ms}, "{}")
		require.NoError(f, err)
		got, err := all(resp)
		assert.Equal(f, sse(0)+sse(1), got)
		assert.ErrorIs(f, err, syscall.ECONNRESET)
		assert.Equal(f, 27*ms, f.passed())
		assert.Equal(f, "failed: true, context: context canceled", <-f.said)

		resp, err = f.post(f.Context(), netem.FrontFault{Kind: netem.FrontDrop, After: time.Minute}, "{}")
		require.NoError(f, err)
		_, err = all(resp)
		require.NoError(f, err)
		require.Equal(f, 1, f.network.Open())
		time.Sleep(time.Minute)
		assert.Equal(f, 0, f.network.Open(), "an idle connection")
		<-f.said
	})
}

func TestFrontBuffer(t *testing.T) {
	atFront(t, stream(3), func(f *frontTest) {
		for _, test := range []struct {
			after time.Duration
			want  []time.Duration // when each event is there
		}{
			{0, []time.Duration{42 * ms, 42 * ms, 42 * ms}},
			{time.Second, []time.Duration{42 * ms, 42 * ms, 42 * ms}},
			{25 * ms, []time.Duration{27 * ms, 27 * ms, 32 * ms}},
		} {
			f.start = time.Now()
			resp, err := f.post(f.Context(), netem.FrontFault{Kind: netem.FrontBuffer, After: test.after}, "{}")
			require.NoError(f, err)
			assert.Equal(f, "text/event-stream; charset=utf-8", resp.Header.Get("Content-Type"))
			for i, want := range test.want {
				assert.Equal(f, sse(i), string(readN(f, resp.Body, len(sse(i)))))
				assert.Equal(f, want, f.passed(), "after %v, event %d", test.after, i)
			}
			_, err = all(resp)
			require.NoError(f, err)
			assert.Equal(f, "failed: false, context: <nil>", <-f.said)
		}
	})
}

// A body that is larger than a front's memory opens it.
func TestFrontBufferOverflows(t *testing.T) {
	atFront(t, func(w http.ResponseWriter, r *http.Request, say func(string, ...any)) {
		w.WriteHeader(http.StatusAccepted)
		_, err := w.Write(make([]byte, 2<<20))
		assert.NoError(t, err)
		time.Sleep(time.Second)
	}, func(f *frontTest) {
		resp, err := f.post(f.Context(), netem.FrontFault{Kind: netem.FrontBuffer}, "")
		require.NoError(f, err)
		assert.Equal(f, http.StatusAccepted, resp.StatusCode)
		assert.Less(f, f.passed(), time.Second)
		got, err := all(resp)
		require.NoError(f, err)
		assert.Len(f, got, 2<<20)
	})
}

func TestFrontTimeout(t *testing.T) {
	atFront(t, func(w http.ResponseWriter, r *http.Request, say func(string, ...any)) {
		<-r.Context().Done()
		time.Sleep(50 * ms) // it goes on
		_, err := fmt.Fprint(w, "late")
		say("failed: %t", err != nil)
	}, func(f *frontTest) {
		for i := range 2 {
			f.start = time.Now()
			resp, err := f.post(f.Context(), netem.FrontFault{Kind: netem.FrontTimeout, After: 25 * ms}, "{}")
			require.NoError(f, err)
			got, err := all(resp)
			require.NoError(f, err)
			assert.Equal(f, "504 Gateway Timeout", resp.Status)
			assert.Equal(f, "Gateway Timeout\n", got)
			assert.Equal(f, 27*ms, f.passed())
			assert.EqualValues(f, 1, f.conns.Load(), "the connection is still good, %d", i)
		}
		impatient, cancel := context.WithTimeout(f.Context(), 10*ms)
		defer cancel()
		assert.ErrorIs(f, f.front.Wait(impatient), context.DeadlineExceeded, "they go on")
		require.NoError(f, f.front.Wait(f.Context()))
		assert.Equal(f, "failed: true", <-f.said)
		assert.Equal(f, "failed: true", <-f.said)
	})
}

func TestFrontTimeoutInMidStream(t *testing.T) {
	atFront(t, stream(4), func(f *frontTest) {
		resp, err := f.post(f.Context(), netem.FrontFault{Kind: netem.FrontTimeout, After: 25 * ms}, "{}")
		require.NoError(f, err)
		got, err := all(resp)
		assert.Equal(f, sse(0)+sse(1), got)
		requireBroken(f, err)
		assert.Equal(f, 27*ms, f.passed())
		assert.Equal(f, "failed: true, context: context canceled", <-f.said)

		resp, err = f.post(f.Context(), netem.FrontFault{Kind: netem.FrontTimeout, After: time.Second}, "{}")
		require.NoError(f, err)
		_, err = all(resp)
		require.NoError(f, err, "it was in time")
		assert.Equal(f, "failed: false, context: <nil>", <-f.said)
	})
}

// flood writes more than any buffer takes, and reports how that ended.
func flood(w http.ResponseWriter, r *http.Request, say func(string, ...any)) {
	piece, rc := make([]byte, 1<<16), http.NewResponseController(w)
	for range 12 << 20 / len(piece) {
		if _, err := w.Write(piece); err != nil {
			break
		}
		_ = rc.Flush() // the next Write says
	}
	say("%v", r.Context().Err())
}

// TestFrontGivesUpOnAClientThatDoesNotRead: it is the writing that blocks then.
func TestFrontGivesUpOnAClientThatDoesNotRead(t *testing.T) {
	atFront(t, flood, func(f *frontTest) {
		resp, err := f.post(f.Context(), netem.FrontFault{Kind: netem.FrontTimeout, After: time.Second}, "{}")
		require.NoError(f, err)
		assert.Equal(f, "context canceled", <-f.said)
		assert.Equal(f, 1001*ms, f.passed())
		_, err = all(resp)
		requireBroken(f, err)
	})
}

// TestFrontOpensForAClientThatDoesNotRead: what is full before it is time has been
// opened already.
func TestFrontOpensForAClientThatDoesNotRead(t *testing.T) {
	atFront(t, flood, func(f *frontTest) {
		resp, err := f.post(f.Context(), netem.FrontFault{Kind: netem.FrontBuffer, After: time.Second}, "{}")
		require.NoError(f, err)
		time.Sleep(time.Minute)
		got, err := all(resp)
		require.NoError(f, err)
		assert.Equal(f, 12<<20, len(got))
		assert.Equal(f, "<nil>", <-f.said)
	})
}

// A backend's panic goes where it would without the front.
func TestFrontTimeoutPassesPanicsOn(t *testing.T) {
	atFront(t, func(http.ResponseWriter, *http.Request, func(string, ...any)) { panic(http.ErrAbortHandler) }, func(f *frontTest) {
		_, err := f.post(f.Context(), netem.FrontFault{Kind: netem.FrontTimeout, After: time.Second}, "{}")
		assert.Error(f, err)
	})
}

func TestFrontNeverPassesOn(t *testing.T) {
	atFront(t, func(http.ResponseWriter, *http.Request, func(string, ...any)) { t.Error("the backend hears of it") }, func(f *frontTest) {
		resp, err := f.post(f.Context(), netem.FrontFault{Kind: netem.FrontBadGateway}, "{}")
		require.NoError(f, err)
		got, err := all(resp)
		require.NoError(f, err)
		assert.Equal(f, "502 Bad Gateway", resp.Status)
		assert.Equal(f, "Bad Gateway\n", got)
		assert.Equal(f, 2*ms, f.passed())

		ctx, cancel := context.WithTimeout(f.Context(), time.Minute)
		defer cancel()
		_, err = f.post(ctx, netem.FrontFault{Kind: netem.FrontUnanswered}, "{}")
		assert.ErrorIs(f, err, context.DeadlineExceeded)
	})
}

func TestFrontPicks(t *testing.T) {
	instance := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, name) })
	}
	synctest.Test(t, func(t *testing.T) {
		picks := []int{0, 1, 0, 2, -1}
		front := &netem.Front{Backends: []http.Handler{instance("a"), instance("b")}, Pick: func(*http.Request) int {
			pick := picks[0]
			picks = picks[1:]
			return pick
		}}
		s := open(t, simulated(), false, front)
		for _, want := range []string{"a", "b", "a", "Bad Gateway\n", "Bad Gateway\n"} {
			assert.Equal(t, "HTTP/1.1 "+want, s.get(t, "/"))
		}
		s.close(t)
	})
}

// TestFrontPutsFusesOut: a drop of a connection of the machine's own does not come when
// all is over.
func TestFrontPutsFusesOut(t *testing.T) {
	for _, waits := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			dropped := make(chan bool, 1)
			front := &netem.Front{
				Decide: func(*http.Request) netem.FrontFault {
					return netem.FrontFault{Kind: netem.FrontDrop, After: time.Second}
				},
				Backends: []http.Handler{http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})},
				Drop:     func(*http.Request) { dropped <- true },
			}
			ctx := netem.WithConn(t.Context(), new(net.TCPConn)) // that is closed
			front.ServeHTTP(nil, httptest.NewRequestWithContext(ctx, http.MethodPost, "/", nil))
			if waits {
				require.NoError(t, front.Wait(ctx))
			}
			time.Sleep(time.Minute)
			assert.Equal(t, !waits, len(dropped) == 1)
		})
	}
}

// TestFrontAsOnLoopback: a front breaks real connections alike.
func TestFrontAsOnLoopback(t *testing.T) {
	for _, kind := range []string{netem.FrontCut, netem.FrontDrop, netem.FrontBadGateway, netem.FrontBuffer} {
		for _, h2c := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/h2c=%t", kind, h2c), func(t *testing.T) {
				both(t, func(t *testing.T, w world) []string { return breakStream(t, w, h2c, kind) })
			})
		}
	}
}

// breakStream has an event, and half of another where it is cut.
func breakStream(t *testing.T, w world, h2c bool, kind string) []string {
	fault := netem.FrontFault{Kind: kind}
	switch kind {
	case netem.FrontCut:
		fault.Events = 1
	case netem.FrontDrop:
		fault.After = 5 * ms
	}
	front := &netem.Front{Decide: faultOf, Backends: []http.Handler{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		if kind == netem.FrontDrop {
			<-r.Context().Done()
		}
		fmt.Fprint(w, "data: 2\n\n")
	})}}
	s := open(t, w, h2c, front)
	defer s.close(t)
	defer func() { require.NoError(t, front.Wait(context.Background())) }()
	resp, err := post(t.Context(), s, fault, "")
	var body string
	if err == nil {
		body, err = all(resp)
	}
	if kind == netem.FrontDrop { // what came through before it depends on how fast that is
		return []string{outcome(err)}
	}
	require.NotNil(t, resp)
	return []string{resp.Status, body, outcome(err)}
}
