package reference

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A rawDoor is a raw client over HTTP: it says what a script wants, and hears what comes.
type rawDoor struct {
	world   *webWorld
	http    *http.Client
	url     string
	version string
	session string
	open    map[string]*rawExchange
}

// A rawExchange is one of its exchanges. Its events, or the whole body of what is no
// stream, come by a channel, which is closed at the end.
type rawExchange struct {
	cancel context.CancelFunc
	head   chan *http.Response // nil: there is none
	comes  chan event
	last   string // id of the last event
}

// A rawRequest is what the raw client asks.
type rawRequest struct {
	method, body string
	head         []string // pairs; an empty value takes a header away
}

func posting(body string, head ...string) rawRequest {
	return rawRequest{http.MethodPost, body, head}
}

func getting(head ...string) rawRequest { return rawRequest{http.MethodGet, "", head} }

func deleting(head ...string) rawRequest { return rawRequest{http.MethodDelete, "", head} }

// start has the raw client begin an exchange.
func start(name string, r rawRequest) step {
	return func(t *testing.T, s *stage) {
		ctx, cancel := context.WithCancel(context.Background())
		x := &rawExchange{cancel: cancel, head: make(chan *http.Response, 1), comes: make(chan event, 100)}
		s.door.open[name] = x
		req, err := http.NewRequestWithContext(ctx, r.method, s.door.url, strings.NewReader(r.body))
		require.NoError(t, err)
		s.door.dress(req, r)
		go x.play(s.door.http, req)
		synctest.Wait()
	}
}

// dress gives a request the headers that it ought to have, and those that it wants.
func (d *rawDoor) dress(req *http.Request, r rawRequest) {
	set := func(name, value string) {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	if r.method == http.MethodPost {
		set("Content-Type", "application/json")
		set("Accept", "application/json, text/event-stream")
	} else {
		set("Accept", "text/event-stream")
	}
	set("Mcp-Session-Id", d.session)
	if m := protocol.Identify([]byte(r.body)); protocol.Modern(d.version) {
		set("MCP-Protocol-Version", d.version)
		set("Mcp-Method", m.Method)
		name, _ := nameOf(m)
		set("Mcp-Name", name)
	}
	for i := 0; i < len(r.head); i += 2 {
		req.Header.Del(r.head[i])
		set(r.head[i], r.head[i+1])
	}
}

func (x *rawExchange) play(door *http.Client, req *http.Request) {
	defer close(x.comes)
	resp, err := door.Do(req)
	if err != nil {
		close(x.head)
		return
	}
	x.head <- resp
	defer func() { _ = resp.Body.Close() }()
	if resp.Header.Get("Content-Type") != "text/event-stream" {
		body, _ := io.ReadAll(resp.Body)
		x.comes <- event{data: string(body)}
		return
	}
	for events := newEventReader(resp.Body); ; {
		e, err := events.next()
		if err != nil {
			return
		}
		x.comes <- e
	}
}

func (x *rawExchange) next() (event, bool) {
	select {
	case e, ok := <-x.comes:
		return e, ok
	case <-time.After(patience):
		return event{}, false
	}
}

// answers waits for the head of a response.
func answers(name string, status int, kind string) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		select {
		case resp := <-s.door.open[name].head:
			require.NotNil(t, resp, "%s gets no answer", name)
			require.Equal(t, status, resp.StatusCode)
			require.Equal(t, kind, resp.Header.Get("Content-Type"))
			if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
				s.door.session = id
			}
		case <-time.After(patience):
			require.Failf(t, "nothing is answered", "%s", name)
		}
	}
}

// says waits for the next message of a stream, or for the whole body of what is none.
func says(name, frame string) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		x := s.door.open[name]
		e, ok := x.next()
		require.True(t, ok, "%s is over, want %s", name, frame)
		require.Equal(t, frame, e.data)
		x.last = e.id
	}
}

// primes waits for an event without a message and with an id.
func primes(name string) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		x := s.door.open[name]
		e, ok := x.next()
		require.True(t, ok, "%s is over", name)
		require.Empty(t, e.data)
		require.NotEmpty(t, e.id)
		x.last = e.id
	}
}

// sendsAway waits for an event that says when the client is to come back, and nothing
// else, and for the end of the response.
func sendsAway(name string, wait time.Duration) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		e, ok := s.door.open[name].next()
		require.True(t, ok, "%s is over", name)
		require.Equal(t, event{retry: wait, id: s.door.open[name].last}, e)
		ends(name)(t, s)
	}
}

// ends waits for the end of a response.
func ends(name string) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		e, ok := s.door.open[name].next()
		require.False(t, ok, "%s goes on: %s", name, e.data)
	}
}

// hush lets time pass in which nothing comes by any exchange.
func hush(d time.Duration) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		time.Sleep(d)
		for name, x := range s.door.open {
			select {
			case e, ok := <-x.comes:
				if ok {
					require.Failf(t, "something comes", "by %s: %s", name, e.data)
				}
			default:
			}
		}
	}
}

// drops has the raw client break an exchange off.
func drops(name string) step {
	return func(_ *testing.T, s *stage) {
		s.door.open[name].cancel()
		synctest.Wait()
	}
}

// resumes has it come back behind the last event that it got by an exchange.
func resumes(name, by string) step {
	return func(t *testing.T, s *stage) {
		start(name, getting("Last-Event-ID", s.door.open[by].last))(t, s)
	}
}

// does is a whole exchange: its status, and its body, or what that contains.
func does(r rawRequest, status int, body string) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		start("once", r)(t, s)
		x := s.door.open["once"]
		resp := <-x.head
		require.NotNil(t, resp, "no answer")
		require.Equal(t, status, resp.StatusCode)
		e, _ := x.next()
		require.Contains(t, e.data, body)
		if body == "" {
			require.Empty(t, e.data)
		}
	}
}

// sessionsLeft says how many sessions are alive.
func sessionsLeft(n int) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		synctest.Wait()
		require.Equal(t, n, s.door.world.server.Sessions())
	}
}

// playSite runs a conversation against a server over HTTP with the test's tools, after the
// handshake, if there is one.
func playSite(t *testing.T, version string, c conversation) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &stage{start: time.Now()}
		env := sim.ServerEnv{SpecVersion: version, Transport: webVersions()[version], Tools: testTools(&s.told)}
		w := newWebWorld(env, none)
		conn := w.door()
		s.door = &rawDoor{world: w, http: conn.HTTP, url: conn.Endpoint, version: version, open: map[string]*rawExchange{}}
		defer func() { // also when a step has failed
			for _, x := range s.door.open {
				x.cancel()
			}
			w.close(t)
		}()
		for _, step := range append(openSite(version), c.steps...) {
			step(t, s)
		}
	})
}

func openSite(version string) []step {
	if version == protocol.V20241105 || protocol.Modern(version) {
		return nil
	}
	initialize := strings.Replace(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"$v","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`, "$v", version, 1)
	return []step{
		start("initialize", posting(initialize)), answers("initialize", 200, "application/json"),
		says("initialize", strings.Replace(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"$v","capabilities":{"tools":{}},"serverInfo":{"name":"mcpsim-reference","version":"1"}}}`, "$v", version, 1)),
		does(posting(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), 202, ""),
	}
}

// A fakeSite is a raw server over HTTP: what reaches it waits for a script to be heard.
type fakeSite struct {
	net   *memNet
	http  *http.Server
	doors *http.Transport
	comes chan *fakeExchange
	open  map[string]*fakeExchange
}

type fakeExchange struct {
	r    *http.Request
	body string
	w    http.ResponseWriter
	acts chan func() // what the script has it do; closed when it is to end
	gone chan struct{}
	done func() // closes acts, once
}

func newFakeSite() *fakeSite {
	f := &fakeSite{net: newMemNet(), comes: make(chan *fakeExchange, 100), open: map[string]*fakeExchange{}}
	f.doors = &http.Transport{DialContext: f.net.dial}
	f.http = &http.Server{Handler: f, ErrorLog: quietLog()}
	go func() {
		if err := f.http.Serve(f.net); !errors.Is(err, http.ErrServerClosed) {
			panic(err)
		}
	}()
	return f
}

func (f *fakeSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	x := &fakeExchange{r: r, body: string(body), w: w, acts: make(chan func()), gone: make(chan struct{})}
	x.done = sync.OnceFunc(func() { close(x.acts) })
	defer context.AfterFunc(r.Context(), func() { close(x.gone) })()
	f.comes <- x
	for act := range x.acts {
		act()
	}
}

// act has the exchange's own goroutine do something, and waits for it.
func (x *fakeExchange) act(f func()) {
	done := make(chan struct{})
	x.acts <- func() {
		defer close(done)
		f()
	}
	<-done
	synctest.Wait()
}

// reaches waits for the next exchange that reaches the raw server: its method and body,
// and headers, in pairs.
func reaches(name, method, body string, head ...string) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		select {
		case x := <-s.site.comes:
			s.site.open[name] = x
			require.Equal(t, method+" "+body, x.r.Method+" "+x.body)
			for i := 0; i < len(head); i += 2 {
				require.Equal(t, head[i+1], x.r.Header.Get(head[i]), head[i])
			}
		case <-time.After(patience):
			require.Failf(t, "nothing reaches the server", "want %s %s", method, body)
		}
	}
}

// lull lets time pass in which nothing reaches the raw server.
func lull(d time.Duration) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		select {
		case x := <-s.site.comes:
			require.Failf(t, "something reaches the server", "%s %s", x.r.Method, x.body)
		case <-time.After(d):
		}
	}
}

// replies answers an exchange whole.
func replies(name string, status int, kind, body string, head ...string) step {
	return func(_ *testing.T, s *stage) {
		x := s.site.open[name]
		x.act(func() {
			for i := 0; i < len(head); i += 2 {
				x.w.Header().Set(head[i], head[i+1])
			}
			if kind != "" {
				x.w.Header().Set("Content-Type", kind)
			}
			x.w.WriteHeader(status)
			_, _ = io.WriteString(x.w, body)
		})
		x.done()
		synctest.Wait()
	}
}

// streams sends a piece of a stream.
func streams(name, piece string) step {
	return func(t *testing.T, s *stage) {
		x := s.site.open[name]
		var err error
		x.act(func() {
			x.w.Header().Set("Content-Type", "text/event-stream")
			_, err = io.WriteString(x.w, piece)
			err = errors.Join(err, http.NewResponseController(x.w).Flush())
		})
		require.NoError(t, err)
	}
}

// stops ends the response; cuts breaks it off.
func stops(name string) step {
	return func(_ *testing.T, s *stage) {
		s.site.open[name].done()
		synctest.Wait()
	}
}

func cuts(name string) step {
	return func(_ *testing.T, s *stage) {
		s.site.open[name].acts <- func() { panic(http.ErrAbortHandler) }
		synctest.Wait()
	}
}

// closedBy says whether the client has closed an exchange by now.
func closedBy(name string, closed bool) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		synctest.Wait()
		select {
		case <-s.site.open[name].gone:
			require.True(t, closed, "%s is closed", name)
		default:
			require.False(t, closed, "%s is open", name)
		}
	}
}

// messageEvent is an event with a message, and an id unless that is empty.
func messageEvent(id, frame string) string {
	return string(appendEvent(nil, event{name: "message", id: id, data: frame}))
}

// playWebClient runs a conversation against a client over HTTP. What is still open in the
// end is ended.
func playWebClient(t *testing.T, version string, c conversation) {
	t.Helper()
	playWebClientIn(t, sim.ClientEnv{SpecVersion: version, Transport: webVersions()[version]}, c)
}

func playWebClientIn(t *testing.T, env sim.ClientEnv, c conversation) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeSite()
		s := &stage{calls: map[string]*scriptCall{}, start: time.Now(), site: f}
		s.conn = sim.Conn{Endpoint: "http://memory/mcp", HTTP: &http.Client{Transport: f.doors}}
		s.client = newClient(env, none)
		defer func() { // also when a step has failed
			for _, call := range s.calls {
				call.cancel()
			}
			require.NoError(t, f.http.Close())
			synctest.Wait()
			for range len(f.comes) {
				f.open[strconv.Itoa(len(f.open))] = <-f.comes
			}
			for _, x := range f.open {
				x.done()
			}
			_ = s.client.Close()
			f.doors.CloseIdleConnections()
			for _, call := range s.calls {
				<-call.done
			}
		}()
		for _, step := range c.steps {
			step(t, s)
		}
	})
}
