package sim

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// An exchange is one HTTP request with its response, as both ends see it.
type exchange struct {
	wire      *httpWire
	n         int // its number in the world
	seat      *seat
	method    string          // POST, GET or DELETE
	ctx       context.Context // of the client's request
	request   *passage        // what the request's body says; nil: it has none
	identity  FrameIdentity   // what it is, for the network's chance
	misrouted bool            // it goes to another server than it should
	line      *line           // that the client's transport has put it on last; the wire's mu guards it

	// mu guards what follows and what the answers say, and orders what is recorded of them
	// and once: it is held while that is recorded, before the locks of the watch, of what
	// that waits for, and of the recorder.
	mu      sync.Mutex
	heard   bool       // the server has read the request's body
	sent    bool       // the client's transport has taken it
	over    bool       // the client is done with it, or has dropped it
	answers []*passage // written by the server, in that order
	taken   int        // of these, read by the client
}

// exchangeHeader carries an exchange's number from the client's end of the wire to the
// server's, where it is taken out again.
const exchangeHeader = "Mcpsim-Exchange"

// open makes an exchange of a request that a client's target is about to make, and
// records its beginning. body is nil where there is none.
func (x *httpWire) open(s *seat, r *http.Request, body []byte) *exchange {
	ex := &exchange{wire: x, seat: s, method: r.Method, ctx: r.Context(), n: x.number()}
	ex.note(history.Event{Side: history.Client, Kind: history.Begin, HTTP: requestHead(r)})
	if len(body) > 0 {
		ex.request = x.written(passage{sender: history.Client, seat: s, exchange: ex.n}, body)
	}
	ex.identify()
	if x.enter(ex) {
		ex.unread()
	}
	return ex
}

// number takes the next number of an exchange.
func (x *httpWire) number() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.exchanges = append(x.exchanges, nil)
	x.flood.others.Add(1)
	return len(x.exchanges)
}

// enter makes an exchange known, and reports whether it comes too late for [httpWire.stop].
func (x *httpWire) enter(ex *exchange) (late bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.exchanges[ex.n-1] = ex
	return x.stopped
}

// lookup returns the exchange that a request belongs to that has reached the server's
// end, or nil.
func (x *httpWire) lookup(r *http.Request) *exchange {
	n, err := strconv.Atoi(r.Header.Get(exchangeHeader))
	x.mu.Lock()
	defer x.mu.Unlock()
	if err != nil || n < 1 || n > len(x.exchanges) {
		return nil
	}
	return x.exchanges[n-1]
}

// note records an event of the exchange.
func (ex *exchange) note(e history.Event) {
	e.Client, e.Exchange = ex.seat.n, ex.n
	if e.Call == 0 && ex.request != nil {
		e.Call = ex.seat.calls.of(ex.request.sender, ex.request.msgs[0])
	}
	ex.wire.rec.Add(e)
}

// cue records what an event of the response's stream says of its being resumed, as the
// server writes it, or the client has read it.
func (ex *exchange) cue(side history.Side, e streamEvent) {
	c, ok := e.cue()
	byServer := side == history.Server
	if !ok || ex.wire.full() || byServer && ex.wire.world.exited.Load() {
		return
	}
	if byServer {
		ex.wire.flood.others.Add(1)
	}
	c.Side = side
	ex.note(c)
}

// drop records, once, that the client has given the exchange up.
func (ex *exchange) drop(how string) {
	ex.once(&ex.over, func() {
		ex.wire.world.expire(history.Client)
		ex.note(history.Event{Side: history.Client, Kind: history.Drop, Text: how})
	})
}

// finish records, once, that the client is done with the exchange. body is what the
// response's body began with, if it was no message.
func (ex *exchange) finish(err error, body string) {
	e := history.Event{Side: history.Client, Kind: history.Finish, Text: text(err)}
	if body != "" {
		e.HTTP = &history.HTTPHead{Body: body}
	}
	ex.once(&ex.over, func() { ex.note(e) })
}

// once has something recorded the first time that it is called with one of the
// exchange's flags. Whoever comes later may rely on its having been recorded.
func (ex *exchange) once(flag *bool, record func()) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if !*flag {
		*flag = true
		record()
	}
}

// sentWhole records, once, that the transport has taken the request's body, or that it
// never will.
func (ex *exchange) sentWhole(err error) {
	if ex.request != nil {
		ex.once(&ex.sent, func() { ex.wire.note(ex.request, history.Client, history.Wrote, 0, err) })
	}
}

// heardWhole records, once, that the server has read the request's body.
func (ex *exchange) heardWhole() {
	if ex.request != nil {
		ex.once(&ex.heard, func() { ex.wire.note(ex.request, history.Server, history.Read, ex.wire.now(), nil) })
	}
}

// unheard records, once, that nobody will read the request's body.
func (ex *exchange) unheard() {
	if ex.request != nil {
		ex.once(&ex.heard, func() { ex.wire.note(ex.request, history.Server, history.Unread, 0, nil) })
	}
}

// answer records that the server begins to write a message. What a server says whose
// process has died nobody hears, and it has no number.
func (ex *exchange) answer(frame []byte, eventID string) *passage {
	if ex.wire.world.exited.Load() {
		return &passage{sender: history.Server, seat: ex.seat, msgs: protocol.Messages(frame, ex.wire.world.SpecVersion)}
	}
	p := ex.wire.written(passage{sender: history.Server, seat: ex.seat, exchange: ex.n, eventID: eventID}, frame)
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.answers = append(ex.answers, p)
	return p
}

// complete reads a message again that the server has begun to write, now that it has
// ended, or broken off.
func (ex *exchange) complete(p *passage, frame []byte, eventID string) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	p.eventID = eventID
	p.complete(frame)
}

// take records that the client has read the next of the messages that the server
// wrote, and reports false where there is none: it is no message, or of what stands
// between the two sides.
func (ex *exchange) take() bool {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if ex.taken == len(ex.answers) {
		return false
	}
	p := ex.answers[ex.taken]
	ex.taken++
	ex.wire.note(p, history.Client, history.Read, ex.wire.now(), nil)
	return true
}

// unread records what nobody ever read.
func (ex *exchange) unread() {
	ex.unheard()
	ex.unanswered()
}

// unanswered records the messages of the server's that nobody will read: the exchange is
// over, or the client's transport makes it again.
func (ex *exchange) unanswered() {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	for _, p := range ex.answers[ex.taken:] {
		ex.wire.note(p, history.Client, history.Unread, 0, nil)
	}
	ex.taken = len(ex.answers)
}

// identify says what the exchange is, for the network's chance: by what it carries, or
// by its method and its client, and how many like it there were before.
func (ex *exchange) identify() {
	id := FrameIdentity{Method: ex.method}
	if ex.request != nil {
		id = identityOf(ex.request)
	}
	if ex.seat.n > 0 {
		id.ID = "client " + strconv.Itoa(ex.seat.n) + " " + id.ID
	}
	ex.identity = ex.wire.distinguish(id)
}

// says returns the method of the protocol that the request is about, empty for none.
func (ex *exchange) says() string {
	if ex.request == nil || ex.request.msgs[0] == nil {
		return ""
	}
	return ex.request.msgs[0].Method
}

func requestHead(r *http.Request) *history.HTTPHead {
	return &history.HTTPHead{
		Method: r.Method, Accept: strings.Join(r.Header.Values("Accept"), ", "), ContentType: r.Header.Get("Content-Type"),
		Session: sessionOf(r), Version: r.Header.Get(protocol.HeaderVersion), LastEvent: r.Header.Get(protocol.HeaderLastEvent),
		MCPMethod: r.Header.Get(protocol.HeaderMethod), MCPName: r.Header.Get(protocol.HeaderName),
	}
}

// sessionOf returns the session that a request names: in a header, or over HTTP+SSE in
// its URL.
func sessionOf(r *http.Request) string {
	if id := r.Header.Get(protocol.HeaderSession); id != "" {
		return id
	}
	return sessionIn(r.URL)
}

// sessionIn returns the session that a URL of HTTP+SSE names. How it does is the
// server's business; these are the names that are in use.
func sessionIn(u *url.URL) string {
	q := u.Query()
	for _, name := range []string{"sessionId", "sessionid", "session_id"} {
		if id := q.Get(name); id != "" {
			return id
		}
	}
	return ""
}

func (x *httpWire) now() time.Duration { return time.Since(x.world.start) }
