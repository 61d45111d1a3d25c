package spacetime

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/mcpsim/mcpsim/sim/history"
)

// An exchange is one HTTP request with its response, as indices into the history's
// events; -1 where it has none. Of repeated events the first counts.
type exchange struct {
	n      int
	client int // which of several clients', from 1; 0: there is one
	call   int // the call that it serves; 0: none, or not known
	method string
	resume string // the Last-Event-ID of its request
	server int    // which of several servers it reached, from 1; 0: there is one
	fresh  int    // the connection that it came by, if it is the first to; otherwise 0

	begun, dropped, finished int // the client's
	entered, gone, returned  int // the server's
	fault                    int // the network's
	heads                    [2]int
	head                     history.HTTPHead // of its response
	said                     string           // what that said, if it was no message

	request *frame   // the first message that it posts; nil: it posts none
	asks    int      // of what it posts, the requests
	answers []*frame // what the server wrote into its response
}

// The two ends of an exchange at which its response's head was seen.
const (
	atServer = iota
	atClient
)

func newExchange(n int) *exchange {
	return &exchange{n: n, begun: -1, dropped: -1, finished: -1, entered: -1, gone: -1, returned: -1, fault: -1, heads: [2]int{-1, -1}}
}

// overHTTP reports whether the history is of a world over HTTP.
func (sc *scene) overHTTP() bool {
	return sc.h.Header.Transport != "" && sc.h.Header.Transport != "stdio"
}

// closingCancels reports whether a client cancels by closing the response's stream.
func (sc *scene) closingCancels() bool { return sc.overHTTP() && sc.h.Header.Modern() }

// readExchanges finds the exchanges, whose frames are known, and what of them is an
// arrow without a message.
func (sc *scene) readExchanges() {
	sc.exchanges = map[int]*exchange{}
	used := map[int]bool{} // connections
	for i, e := range sc.h.Events {
		if e.Exchange == 0 {
			continue
		}
		x := sc.exchanges[e.Exchange]
		if x == nil {
			x = newExchange(e.Exchange)
			sc.exchanges[e.Exchange] = x
		}
		x.see(i, e)
		if f := sc.frames[i]; f != nil {
			x.carry(f, f.sent == i)
		}
		if e.Kind == history.Begin && e.Side == history.Server && e.HTTP != nil && e.HTTP.Conn > 0 && !used[e.HTTP.Conn] {
			used[e.HTTP.Conn] = true
			x.fresh = e.HTTP.Conn
		}
	}
	for _, x := range sc.exchanges {
		sc.assign(x)
	}
	for _, n := range slices.Sorted(maps.Keys(sc.exchanges)) { // a stream may resume one that resumes another
		sc.assignResumed(sc.exchanges[n])
		sc.signal(sc.exchanges[n])
	}
}

// see records that the i-th event is the exchange's.
func (x *exchange) see(i int, e history.Event) {
	if e.Client > 0 {
		x.client = e.Client
	}
	at, server := (*int)(nil), e.Side == history.Server
	switch {
	case e.Kind == history.Begin && server:
		at = &x.entered
	case e.Kind == history.Begin:
		at = &x.begun
	case e.Kind == history.Status && server:
		at = &x.heads[atServer]
	case e.Kind == history.Status:
		at = &x.heads[atClient]
	case e.Kind == history.Drop:
		at = &x.dropped
	case e.Kind == history.Gone:
		at = &x.gone
	case e.Kind == history.Finish && server:
		at = &x.returned
	case e.Kind == history.Finish:
		at = &x.finished
	case e.Kind == history.Fault:
		at = &x.fault
	}
	if at == nil || *at >= 0 {
		return
	}
	*at = i
	if e.HTTP != nil {
		x.heed(e)
	}
}

// heed keeps what a head says that people want to know.
func (x *exchange) heed(e history.Event) {
	switch e.Kind {
	case history.Begin:
		x.method, x.resume = cmp.Or(x.method, e.HTTP.Method), cmp.Or(x.resume, e.HTTP.LastEvent)
		if e.Side == history.Server {
			x.server = e.HTTP.Instance
		}
	case history.Status:
		x.head = *e.HTTP
	case history.Finish:
		x.said = e.HTTP.Body
	}
}

// carry records that the exchange carries a frame; its sending is seen first, if it is
// seen.
func (x *exchange) carry(f *frame, sent bool) {
	if f.exchange != nil || !sent && f.sent >= 0 {
		return
	}
	f.exchange = x
	if f.from == history.Server {
		x.answers = append(x.answers, f)
		return
	}
	if x.request == nil {
		x.request = f
	}
	if f.msg != nil && f.msg.Kind == history.Request {
		x.asks++
	}
}

// assign finds the call of an exchange that posts something, and what of it nobody
// ever reads.
func (sc *scene) assign(x *exchange) {
	if x.request != nil {
		x.call = x.request.call
	}
	over := x.dropped >= 0 || x.finished >= 0
	if f := x.request; f != nil && sc.kindAt(f.landed) == history.Unread {
		switch {
		case x.entered >= 0: // the server looked at its head, which was enough
			f.unheard, sc.frames[x.entered] = true, f
			f.land(x.entered, sc.h.Events[x.entered], sc.h.Events)
		case over:
			f.lose()
		}
	}
	for _, f := range x.answers {
		if over && f.sent >= 0 && sc.kindAt(f.landed) == history.Unread {
			f.lose()
		}
	}
}

// lose makes a frame one of which it is known that nobody waits for it any more.
func (f *frame) lose() { f.landed, f.lies, f.lost = -1, false, true }

// kindAt is the kind of the i-th event, empty for none.
func (sc *scene) kindAt(i int) history.Kind {
	if i < 0 {
		return ""
	}
	return sc.h.Events[i].Kind
}

// assignResumed finds the call whose stream a GET resumes: that of what came with the
// event that it names, or else of what it brings.
func (sc *scene) assignResumed(x *exchange) {
	if x.call != 0 || x.resume == "" {
		return
	}
	for _, e := range sc.h.Events {
		if e.EventID == x.resume && e.Exchange != x.n && sc.exchanges[e.Exchange] != nil && e.Client == x.client {
			x.call = sc.exchanges[e.Exchange].call
			return
		}
	}
	for _, f := range x.answers {
		if f.call != 0 {
			x.call = f.call
			return
		}
	}
}

// answered counts the requests of the exchange that had been answered by the i-th
// event: the answer was read by the client, or else written by the server.
func (x *exchange) answered(i int, read bool) int {
	n := 0
	for _, f := range x.answers {
		at := f.sent
		if read {
			at = f.landed
		}
		if f.msg.IsReply() && at >= 0 && at < i {
			n++
		}
	}
	return n
}

// hidden reports whether the i-th event, an end of f, is told by another row.
func (f *frame) hidden(i int) bool {
	return i != f.sent && (f.lost || f.unheard && i != f.landed)
}

// shows reports whether an exchange is of the scene's call, or client.
func (sc *scene) shows(x *exchange) bool {
	return (sc.call == 0 || x.call == sc.call) && (sc.client == 0 || x.client == sc.client)
}

// openExchanges counts what the server had not ended by the i-th event, and names those
// of the scene's call.
func (sc *scene) openExchanges(i int) (n int, titles []string) {
	for _, number := range slices.Sorted(maps.Keys(sc.exchanges)) {
		x := sc.exchanges[number]
		if x.entered >= 0 && x.entered < i && (x.returned < 0 || x.returned > i) {
			n++
			if sc.shows(x) {
				titles = append(titles, x.title()+x.ofClient())
			}
		}
	}
	return n, titles
}

// ofClient names the client of an exchange where there are several.
func (x *exchange) ofClient() string {
	if x.client == 0 {
		return ""
	}
	return " of client " + strconv.Itoa(x.client)
}
