package netem_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/netem"
)

// A site is an HTTP server in a world and a client that reaches it.
type site struct {
	url    string
	client *http.Client
	server *http.Server
	conns  atomic.Int32 // accepted so far
	serve  sync.WaitGroup
}

func protocols(h2c bool) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(!h2c)
	p.SetUnencryptedHTTP2(h2c)
	return p
}

// open starts serving. Whoever opens a site closes it.
func open(t *testing.T, w world, h2c bool, handler http.Handler) *site {
	l := w.listen(t)
	s := &site{url: "http://" + l.Addr().String()}
	s.server = &http.Server{
		Handler:     handler,
		Protocols:   protocols(h2c),
		ConnContext: netem.WithConn,
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				s.conns.Add(1)
			}
		},
		IdleTimeout: w.patience,
		ErrorLog:    log.New(io.Discard, "", 0),
	}
	s.client = &http.Client{Transport: &http.Transport{DialContext: w.dial, Protocols: protocols(h2c), IdleConnTimeout: time.Minute}}
	s.serve.Go(func() { assert.ErrorIs(t, s.server.Serve(l), http.ErrServerClosed) })
	return s
}

func (s *site) close(t *testing.T) {
	s.client.CloseIdleConnections()
	assert.NoError(t, s.server.Close())
	s.serve.Wait()
}

func (s *site) get(t *testing.T, path string) string {
	resp, err := s.client.Get(s.url + path)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp.Proto + " " + string(body)
}

// TestHTTPAsOnLoopback has net/http on both ends, over a simulated network and
// over loopback, by HTTP/1.1 and without encryption by HTTP/2.
func TestHTTPAsOnLoopback(t *testing.T) {
	for _, test := range []struct {
		name string
		play func(t *testing.T, w world, h2c bool) []string
	}{
		{"connections are used again", keptAlive},
		{"requests at once", atOnce},
		{"a large body each way", largeBodies},
		{"the server hears when the client gives up in mid-response", clientGivesUp},
		{"the client hears when the server gives up in mid-response", serverGivesUp},
		{"a request refused by its head", expectation},
		{"an answer before the body was read", answeredEarly},
		{"a stream of events", events},
		{"the server shuts down", shutDown},
	} {
		for _, h2c := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/h2c=%t", test.name, h2c), func(t *testing.T) {
				both(t, func(t *testing.T, w world) []string { return test.play(t, w, h2c) })
			})
		}
	}
}

func keptAlive(t *testing.T, w world, h2c bool) []string {
	s := open(t, w, h2c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path) }))
	defer s.close(t)
	var all []string
	for i := range 5 {
		all = append(all, s.get(t, fmt.Sprintf("/%d", i)))
	}
	all = append(all, s.took(h2c))
	s.client.CloseIdleConnections()
	all = append(all, s.get(t, "/again"))
	return append(all, s.took(h2c))
}

// took says how many connections were taken so far. By HTTP/2 that is left to
// chance over loopback: a request may be done before its connection is fit for the
// next. TestOneConnectionByHTTP2 gives it the time.
func (s *site) took(h2c bool) string {
	if h2c {
		return "not counted"
	}
	return fmt.Sprint(s.conns.Load())
}

func TestOneConnectionByHTTP2(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, simulated(), true, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { time.Sleep(ms) }))
		defer s.close(t)
		s.get(t, "/")
		time.Sleep(ms)
		var clients sync.WaitGroup
		for range 4 {
			clients.Go(func() { s.get(t, "/") })
		}
		clients.Wait()
		assert.EqualValues(t, 1, s.conns.Load())
	})
}

func atOnce(t *testing.T, w world, h2c bool) []string {
	var waiting sync.WaitGroup
	waiting.Add(4)
	s := open(t, w, h2c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/first" {
			waiting.Done()
			waiting.Wait() // all four are here
		}
		fmt.Fprint(w, r.URL.Path)
	}))
	defer s.close(t)
	first := s.get(t, "/first") // the connection that HTTP/2 has for all of them
	var all [4]string
	var clients sync.WaitGroup
	for i := range all {
		clients.Go(func() { all[i] = s.get(t, fmt.Sprintf("/%d", i)) })
	}
	clients.Wait()
	return append(all[:], first, s.took(h2c))
}

// duplex lets a handler answer before it has read the body; otherwise a server
// reads on by itself first, up to 256 KiB, by HTTP/1.1.
func duplex(t *testing.T, w http.ResponseWriter) {
	assert.NoError(t, http.NewResponseController(w).EnableFullDuplex())
}

func largeBodies(t *testing.T, w world, h2c bool) []string {
	s := open(t, w, h2c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		duplex(t, w)
		_, err := io.Copy(w, r.Body)
		assert.NoError(t, err)
	}))
	defer s.close(t)
	body := strings.Repeat("0123456789", 20_000)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, strings.NewReader(body))
	require.NoError(t, err)
	resp, err := s.client.Do(req)
	require.NoError(t, err)
	got, err := io.ReadAll(resp.Body)
	require.NoError(t, resp.Body.Close())
	return []string{fmt.Sprint(string(got) == body), outcome(err)}
}

func clientGivesUp(t *testing.T, w world, h2c bool) []string {
	ended := make(chan error, 1)
	s := open(t, w, h2c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		ended <- r.Context().Err()
	}))
	defer s.close(t)
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader("{}"))
	require.NoError(t, err)
	resp, err := s.client.Do(req)
	require.NoError(t, err)
	first := string(readN(t, resp.Body, 9))
	cancel()
	_, err = resp.Body.Read(make([]byte, 9))
	_ = resp.Body.Close() // the error is in the reading
	return []string{first, outcome(err), outcome(<-ended)}
}

func serverGivesUp(t *testing.T, w world, h2c bool) []string {
	s := open(t, w, h2c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer s.close(t)
	resp, err := s.client.Get(s.url)
	require.NoError(t, err)
	got, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // the error is in the reading
	return []string{string(got), err.Error()}
}

func expectation(t *testing.T, w world, h2c bool) []string {
	s := open(t, w, h2c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/no" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, err := io.Copy(w, r.Body)
		assert.NoError(t, err)
	}))
	defer s.close(t)
	s.client.Transport.(*http.Transport).ExpectContinueTimeout = time.Hour
	var all []string
	for _, path := range []string{"/no", "/yes"} {
		req, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			Got100Continue: func() { all = append(all, "continue") },
		}), http.MethodPost, s.url+path, strings.NewReader("{}"))
		require.NoError(t, err)
		req.Header.Set("Expect", "100-continue")
		resp, err := s.client.Do(req)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, resp.Body.Close())
		all = append(all, resp.Status, string(body), outcome(err))
	}
	return all
}

func answeredEarly(t *testing.T, w world, h2c bool) []string {
	s := open(t, w, h2c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		duplex(t, w)
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		w.(http.Flusher).Flush()
	}))
	defer s.close(t)
	reader, writer := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, reader)
	require.NoError(t, err)
	resp, err := s.client.Do(req)
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	require.NoError(t, resp.Body.Close())
	return []string{resp.Status}
}

func events(t *testing.T, w world, h2c bool) []string {
	next := make(chan bool)
	s := open(t, w, h2c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i := range 3 {
			fmt.Fprintf(w, "data: %d\n\n", i)
			w.(http.Flusher).Flush()
			<-next
		}
	}))
	defer s.close(t)
	resp, err := s.client.Get(s.url)
	require.NoError(t, err)
	var all []string
	for range 3 {
		all = append(all, string(readN(t, resp.Body, 9)))
		next <- true
	}
	_, err = resp.Body.Read(make([]byte, 9))
	require.NoError(t, resp.Body.Close())
	return append(all, outcome(err))
}

func shutDown(t *testing.T, w world, h2c bool) []string {
	s := open(t, w, h2c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hi") }))
	all := []string{s.get(t, "/")}
	err := s.server.Shutdown(t.Context())
	s.serve.Wait()
	all = append(all, outcome(err))
	_, err = s.client.Get(s.url)
	return append(all, outcome(err))
}

func TestHijackAsOnLoopback(t *testing.T) {
	both(t, func(t *testing.T, w world) []string {
		s := open(t, w, false, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, buffered, err := http.NewResponseController(w).Hijack()
			if !assert.NoError(t, err) {
				return
			}
			line, err := buffered.ReadString('\n')
			assert.NoError(t, err)
			_, err = io.WriteString(conn, "heard "+line)
			assert.NoError(t, err)
			assert.NoError(t, conn.Close())
		}))
		defer s.close(t)
		conn, err := w.dial(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
		require.NoError(t, err)
		write(t, conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\nword\n")
		got, err := bufio.NewReader(conn).ReadString('\n')
		require.NoError(t, err)
		_, err = conn.Read(make([]byte, 1))
		require.NoError(t, conn.Close())
		return []string{got, outcome(err)}
	})
}

// TestIdleConnections: whichever end has the shorter patience closes.
func TestIdleConnections(t *testing.T) {
	for _, test := range []struct {
		why            string
		client, server time.Duration
	}{
		{"the client's", time.Second, time.Hour},
		{"the server's", time.Hour, time.Second},
	} {
		for _, h2c := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/h2c=%t", test.why, h2c), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n := netem.NewNetwork(netem.NetworkConfig{Rig: slow(ms, ms)})
					w := over(n)
					w.patience = test.server
					s := open(t, w, h2c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hi") }))
					s.client.Transport.(*http.Transport).IdleConnTimeout = test.client
					s.get(t, "/")
					time.Sleep(time.Second - 10*ms)
					assert.Equal(t, 1, n.Open())
					time.Sleep(2 * time.Second) // with the time that a closing server leaves its client
					assert.Equal(t, 0, n.Open())
					s.close(t)
				})
			})
		}
	}
}

// TestCancelTravels: the server hears of a client's cancel when the end of its
// stream is there, and not before.
func TestCancelTravels(t *testing.T) {
	for _, h2c := range []bool{false, true} {
		t.Run(fmt.Sprintf("h2c=%t", h2c), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := netem.NewNetwork(netem.NetworkConfig{Rig: slow(30*ms, 5*ms)})
				heard := make(chan time.Time, 1)
				s := open(t, over(n), h2c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.(http.Flusher).Flush()
					<-r.Context().Done()
					heard <- time.Now()
				}))
				ctx, cancel := context.WithCancel(t.Context())
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
				require.NoError(t, err)
				resp, err := s.client.Do(req)
				require.NoError(t, err)
				time.Sleep(time.Second)
				cancelled := time.Now()
				cancel()
				_, err = resp.Body.Read(make([]byte, 1))
				require.True(t, errors.Is(err, context.Canceled))
				_ = resp.Body.Close() // the error is in the reading
				assert.Equal(t, 30*ms, (<-heard).Sub(cancelled).Round(ms))
				s.close(t)
			})
		})
	}
}

// slow delays the two directions of every connection.
func slow(up, down time.Duration) func(int) (netem.Rig, netem.Rig) {
	return func(int) (netem.Rig, netem.Rig) {
		return netem.Rig{Travel: constant(up)}, netem.Rig{Travel: constant(down)}
	}
}

// over makes a world of a network.
func over(n *netem.Network) world {
	return world{
		listen: func(t *testing.T) net.Listener {
			l, err := n.Listen("127.0.0.1:80")
			require.NoError(t, err)
			return l
		},
		dial:  n.DialContext,
		reset: func(c net.Conn) { c.(*netem.Conn).Reset() },
	}
}
