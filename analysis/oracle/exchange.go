package oracle

import (
	"github.com/mcpsim/mcpsim/sim/history"
)

// Over HTTP messages travel by exchanges, and only within one of them is there an
// order. So what order proves over stdio it proves there of what was done at one side
// and of what one exchange carried, and of nothing else:
//
//	client  ──POST: call 1──▶   ──POST: cancel 1──▶        may arrive in either order
//	server            ◀── 200: progress 1, result 1 ──     arrive in this one
//
// The end of an exchange means what the era says: see [builder.dropped].

// An exchange is one HTTP request with its response. Events are by the end at which
// they were observed, of which the client's is the first; nil stands for one that was
// not.
type exchange struct {
	n                     int
	head                  *history.HTTPHead // of the request, as the client's transport was handed it; nil: not seen
	begin, status, finish [2]*history.Event
	drop                  *history.Event // the client gave it up
	gone                  *history.Event // the server saw that the client, or the connection, is gone
	fault                 *history.Event // what stands between broke it off, answered it, or led it astray, or is about to
	instance              int            // which of several servers got it; 0: there is one, or none did

	asks     []*request     // what its body asks for, in order
	notice   *frame         // the first message of its body that asks for nothing
	carried  int            // messages of its body
	said     int            // messages of its response
	answered *history.Event // the end of the writing of the latest response that it carried
	writer   writer         // of its response
	flying   int            // messages under way
	queued   bool           // to be judged
	final    bool           // its end is the end of what it asks for
	exchangeNotes
	exchangeCues
}

// The two ends of an exchange, as indices.
const (
	atClient = 0
	atServer = 1
)

// isGet reports whether the exchange is a stream that the client opened by GET.
func (e *exchange) isGet() bool { return e.head != nil && e.head.Method == "GET" }

// isPost reports whether the exchange carries messages to the server.
func (e *exchange) isPost() bool { return e.head != nil && e.head.Method == "POST" }

// resumes reports whether the exchange takes up a stream that was broken off.
func (e *exchange) resumes() bool { return e.isGet() && e.head.LastEvent != "" }

// answersWith is the status of the response, as the server wrote it, or, where that
// was not seen, as the client has it; 0: there is none.
func (e *exchange) answersWith() int {
	for _, at := range [...]*history.Event{e.status[atServer], e.status[atClient]} {
		if at != nil && at.HTTP != nil {
			return at.HTTP.Status
		}
	}
	return 0
}

// refused reports whether the response says that the request is not served.
func (e *exchange) refused() bool { return e.answersWith() >= 400 }

// declines reports whether f is the error without an id by which a server says, in the
// body of a response whose status refuses the request, why it does: that may answer a GET,
// a DELETE and any POST, and is the answer to no message.
func (f *frame) declines() bool {
	return f.back && f.on.refused() && f.msg.Kind == history.ErrorReply && (f.msg.ID == "" || f.msg.ID == nullID)
}

// disturbed returns the first event by which the client or the network made it
// impossible for the server to go on with the exchange; nil: neither did.
func (e *exchange) disturbed() *history.Event {
	if e == nil {
		return nil
	}
	return earlier(e.fault, earlier(e.drop, e.gone))
}

// left returns the event by which the client was done with the exchange; nil: it
// is not.
func (e *exchange) left() *history.Event { return earlier(e.drop, e.finish[atClient]) }

// over reports whether nothing more is to come for the exchange: both ends are done
// with it, or the server never saw it and will not.
func (e *exchange) over() bool {
	client := e.left() != nil || e.begin[atClient] == nil
	server := e.finish[atServer] != nil || e.begin[atServer] == nil && e.fault != nil
	return client && server && e.flying == 0
}

// exchange returns the exchange of that number; nil over stdio, and of a number that
// can be none.
func (b *builder) exchange(n int) *exchange {
	if !b.overHTTP || n <= 0 {
		return nil
	}
	e := b.exchanges.get(n)
	if e != nil || n <= b.lastExchange || n > b.exchanges.top()+maxAhead {
		return e
	}
	e = b.exchangeSlab.next()
	e.n, e.final = n, b.disconnects
	b.exchanges.put(n, e)
	return e
}

// delays reports whether a fault of the network's costs nothing but time.
func delays(fault string) bool {
	switch fault {
	case "slow-post", "hold", "buffer":
		return true
	}
	return false
}

// end is the end of an exchange at which an event was observed, as an index; false:
// at neither.
func (b *builder) end(e *history.Event) (int, bool) {
	side := e.Side
	if b.swapped {
		side = side.Peer()
	}
	return seat(side), side == history.Client || side == history.Server
}

// traffic sorts in an event of an exchange.
func (b *builder) traffic(ev *history.Event) {
	e := b.exchange(ev.Exchange)
	end, known := b.end(ev)
	switch {
	case e == nil:
		return
	case ev.Kind == history.Fault && !delays(ev.Text):
		e.fault = earlier(e.fault, ev)
		b.faulty = earlier(b.faulty, ev)
		b.strike(e)
	case !known:
		return
	case ev.Kind == history.Begin && e.begin[end] == nil:
		e.begin[end] = ev
		b.exchangeBegun(e, end, ev)
	case ev.Kind == history.Status && e.status[end] == nil:
		e.status[end] = ev
		b.exchangeAnswered(e, end, ev)
	case ev.Kind == history.Finish && e.finish[end] == nil:
		e.finish[end] = ev
		b.exchangeFinished(e, end, ev)
	case ev.Kind == history.Drop && end == atClient && e.drop == nil:
		e.drop = ev
		b.leaveStream(e, ev)
		b.dropped(e, ev)
	case ev.Kind == history.Gone && end == atServer && e.gone == nil:
		e.gone = ev
		b.disconnected(e, ev)
	}
	b.settleExchange(e)
}

// posting reports whether the client is not done yet with the POST of a cancel.
func (f *frame) posting() bool { return f != nil && !f.closing && f.on != nil && f.on.left() == nil }

// astrayFrom reports whether a cancel came to another instance of the server than the
// request that it names.
func (f *frame) astrayFrom(r *request) bool { return apart(f.on, r.frame.on) }

// apart reports whether two exchanges were served by two instances that share nothing.
func apart(e, other *exchange) bool {
	return e != nil && other != nil && e.instance != 0 && other.instance != 0 && e.instance != other.instance
}

// settleExchange puts an exchange that is over into the queue, unless it is there.
func (b *builder) settleExchange(e *exchange) {
	if e.queued || !e.over() {
		return
	}
	e.queued = true
	for _, r := range e.asks {
		r.touched = b.now
		b.settle(r)
	}
	b.done(item{exchange: e, at: b.now})
}

// carry notes that the exchange carries a frame whose writing begins.
func (b *builder) carry(f *frame) {
	e := b.exchange(f.write.Exchange)
	if f.on = e; e == nil {
		return
	}
	if b.real(f.side) == history.Server {
		e.said++
		f.back = true
		e.resumable = e.resumable || f.write.EventID != ""
		b.sort(f)
		return
	}
	e.carried++
	switch {
	case f.msg.Kind == history.Request:
		// See builder.request.
	case e.notice == nil:
		e.notice = f
	}
}

// real is the side in the history of what is a side to the oracles, which exchange
// them to judge what servers ask.
func (b *builder) real(side history.Side) history.Side {
	if b.swapped {
		return side.Peer()
	}
	return side
}

// pen is the writer of f: over stdio that of its side, over HTTP that of what carries
// it. All that a server sends over HTTP+SSE goes by one stream.
func (b *builder) pen(f *frame) *writer {
	switch {
	case !b.overHTTP, b.transport == HTTPSSE && b.real(f.side) == history.Server:
		return &b.writers[seat(f.side)]
	case f.on != nil && b.real(f.side) == history.Server:
		return &f.on.writer
	case f.own == nil:
		f.own = &writer{}
	}
	return f.own
}
