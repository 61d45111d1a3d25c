package reference

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// TestReferenceOverHTTP is TestReferenceAgainstReference over HTTP: one strict server and
// some strict clients, over a network by which posts overtake each other, and of which
// connections break.
func TestReferenceOverHTTP(t *testing.T) {
	likeAWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		p := drawWebPair(rt)
		synctest.Test(t, p.run)
		found := p.webBreaches()
		if len(found) > 0 {
			rt.Log(p.tale())
		}
		for _, breach := range found {
			rt.Errorf("%s", breach)
		}
	})
}

// tale is what was seen, for who has to find out why.
func (p *webPair) tale() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, h2 %v, close at %v\n", p.version, p.h2, p.closeAt)
	for i, c := range p.calls {
		fmt.Fprintf(&b, "call %d of %d: %s for %v at %v, cancelled after %v: %q, %v\n", i+1, c.client, c.tool, c.work, c.issue, c.cancel, c.value, c.err)
	}
	for _, s := range p.log {
		raw := ""
		if s.m != nil {
			raw = s.m.Raw
		}
		fmt.Fprintf(&b, "%v\t%d/%d\t%s\t%s %s %.100s\n", s.at, s.client, s.exchange, s.where, s.note, s.id, raw)
	}
	return b.String()
}

// A webPair is a drawn world over HTTP and what was seen of it.
type webPair struct {
	pair
	clients   int
	ways      []time.Duration // how long the connections take one way, in turn
	setUps    []time.Duration // and to be made
	breaks    []breakage
	h2        bool
	broken    bool // a connection was broken
	exact     bool // what is of one instant is held to the order in which it was seen, too
	exchanges int
	alive     int // sessions in the end
}

// A breakage is of a connection, at an instant.
type breakage struct {
	conn int
	at   time.Duration
}

func drawWebPair(t *rapid.T) *webPair {
	ms := func(label string, from, to int) time.Duration {
		return time.Duration(rapid.IntRange(from, to).Draw(t, label)) * time.Millisecond
	}
	p := &webPair{clients: rapid.IntRange(1, 3).Draw(t, "clients"), h2: rapid.Bool().Draw(t, "h2")}
	p.version = rapid.SampledFrom(protocol.Versions()).Draw(t, "version")
	p.closeAt = ms("close", 0, 1) * time.Duration(rapid.IntRange(0, 60).Draw(t, "close at"))
	for range 5 {
		p.ways = append(p.ways, ms("way", 0, 5))
		p.setUps = append(p.setUps, ms("set-up", 0, 3))
	}
	for range rapid.IntRange(1, 6).Draw(t, "calls") {
		p.calls = append(p.calls, &drawnCall{
			tool:  rapid.SampledFrom([]string{"slow", "stubborn", "chatty"}).Draw(t, "tool"),
			issue: ms("issue", 0, 5), work: ms("work", 0, 20),
			cancel:   ms("cancel", 0, 40) * time.Duration(rapid.IntRange(0, 1).Draw(t, "cancelled")),
			deadline: rapid.Bool().Draw(t, "deadline"),
			client:   rapid.IntRange(1, p.clients).Draw(t, "client"),
		})
	}
	if rapid.IntRange(0, 2).Draw(t, "calm") == 0 {
		for range rapid.IntRange(1, 3).Draw(t, "breaks") {
			p.breaks = append(p.breaks, breakage{rapid.IntRange(1, 12).Draw(t, "conn"), ms("break", 1, 60)})
		}
	}
	return p
}

func (p *webPair) transport() string {
	if p.version == protocol.V20241105 {
		return sim.HTTPSSE
	}
	return sim.StreamableHTTP
}

func (p *webPair) note(s sighting) {
	s.at = time.Since(p.start)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = append(p.log, s)
}

func (p *webPair) run(t *testing.T) {
	p.start = time.Now()
	network := netem.NewNetwork(netem.NetworkConfig{
		Rig: func(conn int) (up, down netem.Rig) {
			r := netem.Rig{Travel: func(netem.Segment) netem.Travel { return netem.Travel{Delay: p.ways[conn%len(p.ways)]} }}
			return r, r
		},
		SetUp: func(conn int) time.Duration { return p.setUps[conn%len(p.setUps)] },
	})
	listener, err := network.Listen("mcp.example:80")
	if err != nil {
		t.Error(err)
		return
	}
	protocols := &http.Protocols{}
	protocols.SetHTTP1(!p.h2)
	protocols.SetUnencryptedHTTP2(p.h2)
	server := newServer(sim.ServerEnv{SpecVersion: p.version, Transport: p.transport(), Tools: p.tools()}, p.server)
	site := &http.Server{Handler: p.watch(server.Handler()), Protocols: protocols, ErrorLog: quietLog()}
	var ends sync.WaitGroup
	ends.Go(func() { _ = site.Serve(listener) })
	for _, b := range p.breaks {
		ends.Go(func() {
			time.Sleep(b.at)
			if c := network.Conn(b.conn); c != nil {
				p.note(sighting{where: "network breaks"})
				c.Reset()
			}
		})
	}
	var clients sync.WaitGroup
	for n := range p.clients {
		clients.Go(func() {
			door := &http.Transport{DialContext: network.DialContext, Protocols: protocols}
			p.live(t, n+1, &http.Client{Transport: &watchedDoor{p, n + 1, door}})
			door.CloseIdleConnections()
		})
	}
	clients.Wait()
	time.Sleep(time.Second)
	p.note(sighting{where: "all are gone"})
	p.alive = server.Sessions()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if err := site.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	network.Stop()
	ends.Wait()
}

// live is what one client's application does.
func (p *webPair) live(t *testing.T, number int, door *http.Client) {
	client := newClient(sim.ClientEnv{SpecVersion: p.version, Transport: p.transport()}, p.client)
	err := client.Connect(context.Background(), sim.Conn{Endpoint: "http://mcp.example/mcp", HTTP: door})
	if err != nil {
		p.note(sighting{where: "client does not connect", client: number, note: err.Error()})
		return
	}
	var callers sync.WaitGroup
	for i, c := range p.calls {
		if c.client == number {
			callers.Go(func() { p.makeCall(client, i+1, c) })
		}
	}
	if p.closeAt > 0 {
		time.Sleep(p.closeAt)
	} else {
		time.Sleep(10 * time.Second) // longer than any call
		if err := client.Probe(context.Background()); err != nil {
			p.note(sighting{where: "probe fails", client: number, note: err.Error()})
		}
	}
	p.note(sighting{where: "client closes", client: number})
	if err := client.Close(); err != nil {
		p.note(sighting{where: "close fails", client: number, note: err.Error()})
	}
	p.note(sighting{where: "client has closed", client: number})
	callers.Wait()
}

// A watchedDoor is what a client makes its requests with.
type watchedDoor struct {
	pair   *webPair
	client int
	next   *http.Transport
}

const testExchange = "Test-Exchange"

func (d *watchedDoor) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	p := d.pair
	p.mu.Lock()
	p.exchanges++
	n := p.exchanges
	p.mu.Unlock()
	s := sighting{where: "client begins", client: d.client, exchange: n, note: r.Method}
	p.note(s)
	for _, what := range headFaults(r, p.version, p.transport(), body) {
		s.where, s.note = "bad head", what
		p.note(s)
	}
	if len(body) > 0 {
		s.where, s.m = "client writes", protocol.Identify(body)
		p.note(s)
	}
	drop := sync.OnceFunc(func() { p.note(sighting{where: "client drops", client: d.client, exchange: n}) })
	stop := context.AfterFunc(r.Context(), drop)
	out := r.Clone(r.Context())
	out.Body = io.NopCloser(bytes.NewReader(body))
	if len(body) == 0 {
		out.Body = nil
	}
	out.Header.Set(testExchange, fmt.Sprintf("%d/%d", d.client, n))
	resp, err := d.next.RoundTrip(out)
	if err != nil {
		stop()
		return nil, err
	}
	p.note(sighting{where: "client sees status", client: d.client, exchange: n, note: strconv.Itoa(resp.StatusCode)})
	resp.Body = &watchedResponse{resp.Body, stop, drop}
	return resp, nil
}

// A watchedResponse is the body of a response.
type watchedResponse struct {
	io.ReadCloser
	stop func() bool
	drop func()
}

func (b *watchedResponse) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && b.stop() {
		b.drop = func() {}
	}
	return n, err
}

func (b *watchedResponse) Close() error {
	if b.stop() {
		b.drop()
	}
	return b.ReadCloser.Close()
}

// headFaults holds a request's head to the rules.
func headFaults(r *http.Request, version, transport string, body []byte) (out []string) {
	m := protocol.Identify(body)
	first := m.Method == protocol.Initialize
	say := func(bad bool, what string) {
		if bad {
			out = append(out, what+" of "+r.Method+" "+m.Method)
		}
	}
	say(r.Method == http.MethodPost && r.Header.Get("Content-Type") != "application/json", "Content-Type")
	accept := r.Header.Get("Accept")
	say(r.Method == http.MethodGet && accept != "text/event-stream", "Accept")
	if transport == sim.HTTPSSE {
		return out
	}
	say(r.Method == http.MethodPost && accept != "application/json, text/event-stream", "Accept")
	modern := protocol.Modern(version)
	say(!modern && (r.Header.Get("Mcp-Session-Id") == "") != first, "Mcp-Session-Id")
	named := modern || version >= protocol.V20250618 && !first
	say(named && r.Header.Get("MCP-Protocol-Version") != version || !named && r.Header.Get("MCP-Protocol-Version") != "", "MCP-Protocol-Version")
	if modern {
		say(r.Method != http.MethodPost, "the method")
		say(r.Header.Get("Mcp-Method") != m.Method, "Mcp-Method")
		say((r.Header.Get("Mcp-Name") != "") != (m.Method == protocol.ToolsCall), "Mcp-Name")
		say(r.Header.Get("Mcp-Session-Id") != "" || r.Header.Get("Last-Event-ID") != "", "a header of old")
	}
	return out
}

// watch is the link of the handler chain that sees what reaches the server.
func (p *webPair) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := sighting{}
		if _, err := fmt.Sscanf(r.Header.Get(testExchange), "%d/%d", &s.client, &s.exchange); err != nil {
			panic(err)
		}
		r.Header.Del(testExchange)
		p.note(s.at2("server begins", r.Method+" "+r.Header.Get("Last-Event-ID")))
		ctx, end := context.WithCancel(context.WithoutCancel(r.Context()))
		defer end()
		defer context.AfterFunc(r.Context(), func() { p.note(s.at2("server sees it gone", "")); end() })()
		inner := r.WithContext(ctx)
		inner.Body = &watchedBody{ReadCloser: r.Body, whole: func(b []byte) {
			s := s.at2("server reads", "")
			s.m = protocol.Identify(b)
			p.note(s)
		}}
		tap := &watchedWriter{ResponseWriter: w, pair: p, s: s}
		next.ServeHTTP(tap, inner)
		p.note(s.at2("server ends", ""))
	})
}

func (s sighting) at2(where, note string) sighting {
	s.where, s.note = where, note
	return s
}

// A watchedBody is the body of a request.
type watchedBody struct {
	io.ReadCloser
	read  []byte
	whole func([]byte)
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read = append(b.read, p[:n]...)
	if errors.Is(err, io.EOF) && len(b.read) > 0 && b.whole != nil {
		b.whole(b.read)
		b.whole = nil
	}
	return n, err
}

// A watchedWriter is what the server answers by. The reference writes each event, and
// each object, in one Write.
type watchedWriter struct {
	http.ResponseWriter
	pair *webPair
	s    sighting
	head bool
}

func (w *watchedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *watchedWriter) WriteHeader(status int) {
	if !w.head {
		w.head = true
		w.pair.note(w.s.at2("server answers", strconv.Itoa(status)+" "+w.Header().Get("Content-Type")))
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *watchedWriter) Write(b []byte) (int, error) {
	if !w.head {
		w.WriteHeader(http.StatusOK)
	}
	s := w.s.at2("server writes", "")
	switch w.Header().Get("Content-Type") {
	case "application/json":
		s.m = protocol.Identify(b)
		w.pair.note(s)
		fallthrough
	case "text/plain; charset=utf-8":
		return w.ResponseWriter.Write(b)
	}
	e, err := newEventReader(bytes.NewReader(b)).next()
	if err != nil {
		panic(err)
	}
	if s.id = e.id; e.message() {
		s.m = protocol.Identify([]byte(e.data))
		w.pair.note(s)
	} else if s.where = "server primes"; s.id == "" && e.name != "endpoint" {
		w.pair.note(s.at2("odd event", string(b)))
	} else {
		w.pair.note(s)
	}
	return w.ResponseWriter.Write(b)
}

// webBreaches holds the sightings to the rules.
func (p *webPair) webBreaches() []string {
	j := &webJudge{pair: p, requests: map[string]*webRequest{}, events: map[string]sighting{}, exchanges: map[int]*webExchange{}}
	p.broken = slices.ContainsFunc(p.log, func(s sighting) bool { return s.where == "network breaks" })
	for _, s := range p.log {
		j.see(s)
	}
	for i, c := range p.calls {
		j.call(i+1, c)
	}
	j.end()
	return j.found
}

// A webRequest is a request of a client's, by "client/id".
type webRequest struct {
	call              int
	exchange          int
	read, dead        bool // by the server; and its cancel, while it was open
	cancelled         bool // its cancel was written
	answered          bool // the server has answered
	running, over     bool // its tool
	told, tell, quits bool // its tool was told to stop; has to be; the session is over
	tellAt, toldAt    time.Duration
	overAt, quitAt    time.Duration
	deadAt            time.Duration
	answeredAt        time.Duration
}

type webExchange struct {
	method      string
	client      int
	last        string // Last-Event-ID
	gone, ended bool
	dropped     bool
	read        bool
	readAt      time.Duration
	goneAt      time.Duration
	m           *history.Message
	status      string
}

type webJudge struct {
	pair      *webPair
	requests  map[string]*webRequest
	events    map[string]sighting // by "client/id"
	exchanges map[int]*webExchange
	closing   map[int]bool
	found     []string
	failed    map[int]bool
}

func (j *webJudge) breach(format string, args ...any) {
	j.found = append(j.found, fmt.Sprintf(format, args...))
}

// after reports whether something was seen after an instant, or in it where that counts: a
// goroutine may be parted from its processor between what it does and the sighting of that,
// and another one act meanwhile. Mutants are held to it: there a false alarm does no harm.
func (j *webJudge) after(s sighting, at time.Duration) bool { return s.at > at || j.pair.exact }

func key(client int, id string) string { return strconv.Itoa(client) + "/" + id }

func (j *webJudge) ofCall(call int) *webRequest {
	for _, r := range j.requests {
		if r.call == call {
			return r
		}
	}
	return nil
}

// on returns the request that the exchange carries, or nil.
func (j *webJudge) on(exchange int) *webRequest {
	for _, r := range j.requests {
		if r.exchange == exchange {
			return r
		}
	}
	return nil
}

func (j *webJudge) see(s sighting) {
	modern := protocol.Modern(j.pair.version)
	x := j.exchanges[s.exchange]
	switch s.where {
	case "client begins":
		j.exchanges[s.exchange] = &webExchange{method: s.note, client: s.client}
	case "client writes":
		x.m = s.m
		j.clientWrites(s)
	case "client drops":
		x.dropped = true
		if r := j.on(s.exchange); r != nil && !r.cancelled && !modern && j.pair.version != protocol.V20241105 && !j.closing[s.client] && gaveUpOn(j.pair.calls[max(r.call, 1)-1].err) && r.call > 0 && !r.answered {
			j.breach("client %d drops %d and has posted no cancel", s.client, s.exchange)
		}
	case "client closes":
		if j.closing == nil {
			j.closing = map[int]bool{}
		}
		j.closing[s.client] = true
		if j.pair.closeAt == 0 && !j.pair.broken {
			j.idle(s.client)
		}
	case "server begins":
		x.last = strings.TrimPrefix(s.note, x.method+" ")
		if x.last != "" {
			if _, known := j.events[key(s.client, x.last)]; !known {
				j.breach("client %d resumes behind %s, which it never got", s.client, x.last)
			}
		}
	case "server reads":
		x.read, x.readAt = true, s.at
		j.serverReads(s)
	case "server answers":
		x.status = s.note
		j.status(s, x)
	case "server primes":
		if _, again := j.events[key(s.client, s.id)]; again && x.last == "" {
			j.breach("event %s is sent twice to client %d", s.id, s.client)
		}
		if s.id != "" {
			j.events[key(s.client, s.id)] = s
		}
	case "server writes":
		j.serverWrites(s, x)
	case "server sees it gone":
		x.gone, x.goneAt = true, s.at
		if r := j.on(s.exchange); r != nil && modern && r.read && !r.answered && !r.over {
			j.kill(r, s)
		}
		if x.method == http.MethodGet && j.pair.version == protocol.V20241105 {
			j.quit(s.client, s.at)
		}
	case "server ends":
		x.ended = true
		if x.method == http.MethodGet && j.pair.version == protocol.V20241105 {
			j.quit(s.client, s.at) // it may notice by what it writes that the client has gone
		}
		r := j.on(s.exchange)
		if r != nil && !r.answered && !r.dead && !r.quits && !x.gone && !x.dropped && x.status != "" && j.pair.version != protocol.V20241105 && !j.pair.broken {
			j.breach("the server ends %d and has not answered", s.exchange)
		}
	case "tool starts":
		if r := j.ofCall(s.call); r == nil {
			j.breach("the tool of call %d, which nobody has made, starts", s.call)
		} else if r.dead && j.after(s, r.deadAt) {
			j.breach("the tool of call %d starts after its cancel", s.call)
		} else {
			r.running = true
		}
	case "tool ends":
		if r := j.ofCall(s.call); r != nil {
			r.running, r.over, r.overAt = false, true, s.at
		}
	case "tool is told":
		if r := j.ofCall(s.call); r != nil {
			r.told, r.toldAt = true, s.at
		}
	case "client does not connect", "probe fails", "close fails":
		if j.failed == nil {
			j.failed = map[int]bool{}
		}
		j.failed[s.client] = true
		if !j.pair.broken {
			j.breach("%s: %d: %s", s.where, s.client, s.note)
		}
	case "caller returns", "network breaks", "client has closed", "client sees status":
	case "all are gone":
		for n, x := range j.exchanges {
			if x.status != "" && !x.ended && !j.failed[x.client] {
				j.breach("exchange %d is open in the end", n)
			}
		}
		for c := range j.pair.clients {
			j.quit(c+1, s.at)
		}
	default:
		j.breach("%s: %s", s.where, s.note)
	}
}

// idle holds a client whose calls are all long over to what it may have open then.
func (j *webJudge) idle(client int) {
	for n, x := range j.exchanges {
		if x.client == client && x.method == http.MethodPost && x.status != "" && !x.ended {
			j.breach("exchange %d is open although nothing is under way", n)
		}
	}
}

// kill takes note that what r asks is cancelled.
func (j *webJudge) kill(r *webRequest, s sighting) {
	r.dead, r.deadAt = true, s.at
	if r.running {
		r.tell, r.tellAt = true, s.at
	}
}

// quit takes note that the session of a client is over.
func (j *webJudge) quit(client int, at time.Duration) {
	for k, r := range j.requests {
		if strings.HasPrefix(k, strconv.Itoa(client)+"/") && !r.quits {
			r.quits, r.quitAt = true, at
		}
	}
}

func (j *webJudge) clientWrites(s sighting) {
	k := key(s.client, s.m.ID)
	switch {
	case s.m.Kind == history.Request:
		if j.requests[k] != nil || strings.HasPrefix(s.m.Method, "notifications/") {
			j.breach("client %d uses an id again, or numbers a notification: %s", s.client, s.m.Raw)
		}
		j.requests[k] = &webRequest{call: s.m.Call, exchange: s.exchange}
	case s.m.IsCancel():
		r := j.requests[key(s.client, s.m.Ref)]
		switch {
		case r == nil || r.call == 0:
			j.breach("client %d cancels %s, which is no call that it made", s.client, s.m.Ref)
		case r.cancelled:
			j.breach("client %d cancels %s twice", s.client, s.m.Ref)
		case protocol.Modern(j.pair.version):
			j.breach("client %d posts a cancel", s.client)
		default:
			r.cancelled = true
		}
	case s.m.Method != protocol.Initialized:
		j.breach("client %d has nothing else to say: %s", s.client, s.m.Raw)
	}
}

func (j *webJudge) serverReads(s sighting) {
	switch {
	case s.m.Kind == history.Request:
		if r := j.requests[key(s.client, s.m.ID)]; r != nil {
			r.read = true
		}
	case s.m.IsCancel():
		if r := j.requests[key(s.client, s.m.Ref)]; r != nil && r.read && !r.answered && !r.over {
			j.kill(r, s)
		}
	}
}

func (j *webJudge) status(s sighting, x *webExchange) {
	status, kind, _ := strings.Cut(s.note, " ")
	asks := x.m != nil && x.m.Kind == history.Request && j.pair.version != protocol.V20241105
	if x.m != nil && x.m.IsCancel() && (x.read && x.readAt != s.at || !x.read && status == "202") {
		j.breach("cancel %d is answered later than it is read", s.exchange)
	}
	want := "202"
	switch {
	case asks, x.method == http.MethodGet:
		want = "200"
	case x.method == http.MethodDelete:
		want = "204"
		j.quit(s.client, s.at)
	}
	if status != want && !(status == "404" && (j.closing[s.client] || j.pair.broken)) {
		j.breach("exchange %d is answered with %s", s.exchange, s.note)
	}
	if want == "202" && kind != "" && status == want {
		j.breach("exchange %d is accepted with a body", s.exchange)
	}
}

// behind reports whether the second of two events of a stream comes behind the first.
func behind(first, second string) bool {
	_, a, _ := eventID(first)
	_, b, _ := eventID(second)
	return b > a
}

func (j *webJudge) serverWrites(s sighting, x *webExchange) {
	if s.id != "" {
		k := key(s.client, s.id)
		if old, again := j.events[k]; again && (x.last == "" || old.m == nil || old.m.Raw != s.m.Raw) {
			j.breach("event %s is sent twice to client %d", s.id, s.client)
		}
		if x.last != "" && strings.Split(x.last, "-")[0] != strings.Split(s.id, "-")[0] {
			j.breach("event %s comes by the stream of %s", s.id, x.last)
		}
		if x.last != "" && !behind(x.last, s.id) {
			j.breach("event %s comes by a stream that was resumed behind %s", s.id, x.last)
		}
		if _, again := j.events[k]; again {
			return // a replay
		}
		j.events[k] = s
	}
	if x.gone && protocol.Modern(j.pair.version) && j.after(s, x.goneAt) {
		j.breach("the server writes to %d, whose client has gone", s.exchange)
	}
	r := j.requests[key(s.client, s.m.ID)]
	if s.m.Method == protocol.Progress {
		n, _ := strconv.Atoi(s.m.Token)
		r = j.ofCall(n)
	}
	switch {
	case s.m.Kind == history.ErrorReply && s.m.ID == "":
		return
	case r == nil:
		j.breach("the server says what belongs to nothing: %s", s.m.Raw)
		return
	case r.dead && j.after(s, r.deadAt):
		j.breach("the server speaks of a cancelled request: %s", s.m.Raw)
	case r.answered:
		j.breach("the server speaks of a request that it has answered: %s", s.m.Raw)
	case x.last == "" && r.exchange != s.exchange && j.pair.version != protocol.V20241105:
		j.breach("the server says by %d what belongs to %d", s.exchange, r.exchange)
	}
	if s.m.IsReply() {
		r.answered, r.answeredAt = true, s.at
	}
}

func (j *webJudge) call(number int, c *drawnCall) {
	r := j.ofCall(number)
	if j.failed[c.client] && r == nil {
		return
	}
	closed := j.pair.closeAt > 0
	// Which of two things of one instant comes first is the scheduler's.
	inTime := r != nil && (r.told && r.toldAt == r.tellAt || r.over && r.overAt == r.tellAt)
	if r != nil && r.tell && !inTime {
		j.breach("the tool of call %d is not told", number)
	}
	may := r != nil && (r.tell && r.tellAt <= r.toldAt || r.quits && r.quitAt <= r.toldAt || r.over && r.overAt <= r.toldAt)
	if r != nil && r.told && !may {
		j.breach("the tool of call %d is told for no reason", number)
	}
	if r != nil && gaveUpOn(c.err) && !r.cancelled && !closed && !protocol.Modern(j.pair.version) {
		j.breach("the server is not told that nobody waits for call %d", number)
	}
	if r != nil && gaveUpOn(c.err) && protocol.Modern(j.pair.version) && !j.exchanges[r.exchange].dropped && !j.pair.broken && (!r.answered || r.answeredAt > c.returned) {
		j.breach("the exchange of call %d is open after its cancel", number)
	}
	switch {
	case !c.done:
		j.breach("call %d does not return", number)
	case c.cancel > 0 && c.returned > c.issued+c.cancel:
		j.breach("the caller of %d waits after its cancel", number)
	case c.err == nil && c.value != fmt.Sprintf("value %d", number):
		j.breach("call %d gets %q", number, c.value)
	case c.err == nil && r != nil && r.cancelled:
		j.breach("call %d returns a value although it was cancelled", number)
	case gaveUpOn(c.err) && c.cancel == 0:
		j.breach("call %d is cancelled by nobody", number)
	case c.err != nil && !gaveUpOn(c.err) && !closed && !j.pair.broken:
		j.breach("call %d fails: %v", number, c.err)
	}
}

func (j *webJudge) end() {
	if j.pair.alive > 0 && len(j.failed) == 0 {
		j.breach("%d sessions are alive in the end", j.pair.alive)
	}
}

// The check above must be able to fail: it convicts the mutants of HTTP, and those that
// take no special load.
func TestTheWebPairCheckBites(t *testing.T) {
	likeAWorld(t)
	for _, m := range Mutants() {
		switch {
		case m.defect == leaksOnCancel:
			continue // the bubble itself catches it, and panics
		case m.defect == rewindsStreams || m.defect == skipsReplays:
			continue // streams that break behind a message, and what they had still to say, are the matrix's
		case m.Scenario == pollingScenario:
			continue // no tool of the check's sends its client away
		case m.Scenario != "" && slices.Contains(m.Over, sim.Stdio):
			continue // the check's worlds hold nothing that it could get wrong
		}
		t.Run(m.Name, func(t *testing.T) {
			bitten := false
			for seed := 0; seed < 500 && !bitten; seed++ {
				p := rapid.Custom(drawWebPair).Example(seed)
				p.exact = true
				if m.Side == history.Client {
					p.client = m.defect
				} else {
					p.server = m.defect
				}
				synctest.Test(t, p.run)
				bitten = len(p.webBreaches()) > 0
			}
			if !bitten {
				t.Error("no breach in 500 worlds")
			}
		})
	}
}
