package reference

import (
	"strconv"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// What the mutants of the wire do, at the moments that the names say. With the
// strict peers nothing happens.

// speakUp runs in the server's reader when a call of a tool has been read.
func (n *session) speakUp(c *call) {
	var frame []byte
	switch n.defect {
	case cancelsTheirs:
		frame = protocol.AppendCancelled(nil, c.id, "the server is busy")
	case asksBack:
		n.asked++
		frame = protocol.AppendRequest(nil, strconv.Quote("back "+strconv.Itoa(n.asked)), protocol.Ping, "")
	case logsUnasked:
		frame = protocol.AppendNotification(nil, "notifications/message", `{"level":"info","data":"a call came"}`)
	default:
		return
	}
	n.say(c.lane, frame)
}

// pongDelay is how long the server with tardy pongs takes.
const pongDelay = 15 * time.Second

// beforeAnswer runs before a request is worked on, beside the reader.
func (n *session) beforeAnswer(c *call, method, params string) {
	if n.defect != tardyPongs || method != protocol.Ping || params == "" {
		return
	}
	delay := time.NewTimer(pongDelay)
	defer delay.Stop()
	select {
	case <-delay.C:
	case <-c.ctx.Done():
	}
}

// afterAnswer runs when c has been answered. The caller has the turn.
func (n *session) afterAnswer(c *call) {
	switch n.defect {
	case answersRetyped:
		if c.id[0] != '"' {
			c.lane.write(protocol.AppendResult(nil, strconv.Quote(c.id), `{}`))
		}
	case answersBoth:
		c.lane.write([]byte(`{"jsonrpc":"2.0","id":` + c.id + `,"result":{},"error":{"code":-32603,"message":"and an error"}}`))
	case progressAfterResponse:
		if c.token != "" {
			c.lane.write(protocol.AppendProgress(nil, c.token, n.oneMore(c)))
		}
	}
}

// afterProgress runs when progress of c has been reported. The caller has the turn.
func (n *session) afterProgress(c *call, figure float64) {
	switch n.defect {
	case inventsTokens:
		c.lane.write(protocol.AppendProgress(nil, `"nobody's"`, figure))
	case repeatsProgress:
		c.lane.write(protocol.AppendProgress(nil, c.token, figure))
	}
}

// overlooks reports whether a cancel is dropped that came in b; nil: in no batch.
func (n *session) overlooks(b *batch) bool { return b != nil && n.defect == dropsBatchedCancels }

// hold runs in the server's reader when a cancel has closed a call.
func (n *session) hold() {
	if n.defect == holdsCancelled {
		n.running.Go(func() {
			select {
			case <-n.ctx.Done():
			case <-n.site.stopping: // where the exchange is the session
			}
		})
	}
}

// freeID returns an id that a mutant uses again, "" if there is none. The caller
// holds mu.
func (l *link) freeID() string {
	if len(l.free) == 0 {
		return ""
	}
	id := l.free[0]
	l.free = l.free[1:]
	return id
}

// afterIssue runs when a request has been put into the queue. The caller holds mu.
func (l *link) afterIssue(w *waiter) {
	if l.defect == cancelsInitialize && w.fixed {
		l.add(protocol.AppendCancelled(nil, w.id, "never mind"))
	}
}

// besideCancel runs when the cancel of a request that was given up has been put
// into the queue. The caller holds mu.
func (l *link) besideCancel(w *waiter) {
	switch l.defect {
	case cancelsNothing:
		l.add(protocol.AppendNotification(nil, protocol.Cancelled, `{"reason":"the caller gave up"}`))
	case numbersCancels:
		l.add(protocol.AppendRequest(nil, strconv.Quote("cancel of "+w.id), protocol.Cancelled, `{"requestId":`+w.id+`}`))
	case reusesCancelledIDs:
		l.free = append(l.free, w.id)
	case awaitsCancelled:
		go clientAwaits(l.parked)
	}
}

// clientAwaits waits for a response that nobody will hand over.
func clientAwaits(response <-chan struct{}) { <-response }

// afterDelivery runs in the client's reader when an answer has been handed to its
// caller. The caller holds mu.
func (l *link) afterDelivery(w *waiter, m *history.Message) {
	switch l.defect {
	case cancelsReturned:
		if !w.fixed { // the caller gets control back before that
			time.AfterFunc(time.Millisecond, func() { l.cancelAnswered(m.ID) })
		}
	case recyclesIDs:
		l.free = append(l.free, m.ID)
	case repliesUnasked:
		if !w.fixed {
			l.add(protocol.AppendResult(nil, m.ID, `{}`))
		}
	}
}

func (l *link) cancelAnswered(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down == nil {
		l.add(protocol.AppendCancelled(nil, id, "never mind"))
	}
}

// add puts a frame into the queue. The caller holds mu.
func (l *link) add(frame []byte) { l.enqueue(&outgoing{line: append(frame, '\n')}) }

// afterHandshake runs when a session has begun.
func (c *client) afterHandshake() error {
	switch c.defect {
	case asksUnderNull:
		return c.link.tell(protocol.AppendProbe(nil, "null", c.caller))
	case asksUnderFraction:
		return c.link.tell(protocol.AppendProbe(nil, "1.5", c.caller))
	}
	c.afterWebHandshake()
	return nil
}

// tokenFor returns the progress token to ask under, where one was asked for.
func (c *client) tokenFor(token string) string {
	if c.defect == sharesTokens && token != "" {
		return `"shared"`
	}
	return token
}

// hangUpDelay is how long the client that hangs up late takes.
const hangUpDelay = time.Minute

// hangUpLater closes the session in a while.
func (l *link) hangUpLater() {
	// Nobody is there any more to be told how it went.
	time.AfterFunc(hangUpDelay, func() { _ = l.shutDown() })
}
