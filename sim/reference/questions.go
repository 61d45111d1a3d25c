package reference

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// Questions are what a server of the legacy era has asked the client and waits to
// be answered. Its ids have nothing to do with the client's.
type questions struct {
	mu      sync.Mutex // guards the rest
	last    int64
	waiting map[string]chan *history.Message // by raw id; closed without an answer when nobody will answer
	claimed map[string]bool                  // raw ids that mischief has named, or pinged under
	down    bool
}

var errClientGone = errors.New("the client has gone")

// open makes an id and a place for the answer; nil when the client has gone.
func (q *questions) open() (id string, answer chan *history.Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.down {
		return "", nil
	}
	q.last++
	id, answer = strconv.FormatInt(q.last, 10), make(chan *history.Message, 1)
	if q.waiting == nil {
		q.waiting = map[string]chan *history.Message{}
	}
	q.waiting[id] = answer
	return id, answer
}

// claim takes an id for mischief, which no question gets from then on. It reports
// false when the server has used it already.
func (q *questions) claim(id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := counted(id)
	if q.claimed[id] || n > 0 && n <= q.last {
		return false
	}
	q.last, q.claimed = max(q.last, n), noted(q.claimed, id)
	return true
}

// drop forgets a question. It reports false when its answer has come, or never will.
func (q *questions) drop(id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, open := q.waiting[id]
	delete(q.waiting, id)
	return open
}

// deliver hands an answer to the tool that waits for it. One that nobody waits for is
// dropped: the answer to a cancelled question, most likely.
func (q *questions) deliver(m *history.Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if answer := q.waiting[m.ID]; answer != nil {
		delete(q.waiting, m.ID)
		answer <- m
	}
}

// giveUp releases everybody who waits, since the client has gone.
func (q *questions) giveUp() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.down = true
	for _, answer := range q.waiting {
		close(answer)
	}
	clear(q.waiting)
}

// askFor lets the tool of c ask the client.
func (n *session) askFor(c *call) sim.Ask {
	return func(ctx context.Context, r sim.Request) (string, error) { return n.ask(ctx, c.lane, r) }
}

// ask asks the client for a tool that is at work. When ctx ends while the question is
// open, the client is told, and the tool gets control back at once.
func (n *session) ask(ctx context.Context, l *lane, r sim.Request) (string, error) {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err() // the client never heard of it
	}
	if err := ctx.Err(); err != nil { // both cases were ready
		l.yield()
		return "", err
	}
	id, answer := n.asks.open()
	if answer == nil {
		l.yield()
		return "", errClientGone
	}
	l.write(protocol.AppendCall(nil, id, protocol.Caller{Version: n.version}, questionOf(r)))
	heard := l.reaches()
	l.yield()
	select {
	case m := <-answer:
		return answered(ctx, r.Method, m)
	case <-ctx.Done():
	}
	if !n.asks.drop(id) {
		return answered(ctx, r.Method, <-answer)
	}
	n.retract(l, id, heard)
	return n.afterRetracting(ctx, r, id)
}

// answered is what a tool gets: the answer, or why there is none, nil being the end of
// the session.
func answered(ctx context.Context, method string, m *history.Message) (string, error) {
	if m == nil {
		return "", cmp.Or(ctx.Err(), errClientGone)
	}
	return answerText(method, m)
}

// retract tells the client that a question is cancelled, behind the question if that is
// only kept for who resumes. It does not wait for the network, since a tool that was
// told to stop waits for it.
func (n *session) retract(l *lane, id string, heard bool) {
	if n.keepsAsking() {
		return
	}
	frame := protocol.AppendCancelled(nil, id, "the call that it was for was cancelled")
	n.spawn(l, func() {
		if heard {
			l = n.takeReaching(l)
		} else {
			l.take()
		}
		defer l.yield()
		l.write(frame)
	})
}

// questionOf is how a question looks on the wire.
func questionOf(r sim.Request) protocol.Call {
	call := protocol.Call{Method: r.Method, Mark: r.Mark}
	switch r.Method {
	case protocol.Sampling:
		call.Params = `"messages":[{"role":"user","content":{"type":"text","text":` + quote(r.Argument) + `}}],"maxTokens":100`
	case protocol.Elicitation:
		call.Params = `"message":` + quote(r.Argument) + `,"requestedSchema":{"type":"object","properties":{"answer":{"type":"string"}}}`
	}
	return call
}

// answerText returns what the client said to a question.
func answerText(method string, m *history.Message) (string, error) {
	if m.Kind == history.ErrorReply {
		return "", protocol.RPCError{Code: m.Code, Message: m.Text}
	}
	result := protocol.Member(m.Raw, "result")
	switch method {
	case protocol.Sampling:
		text, _ := protocol.Text(protocol.Member(protocol.Member(result, "content"), "text"))
		return text, nil
	case protocol.Elicitation:
		if action, _ := protocol.Text(protocol.Member(result, "action")); action != "accept" {
			return "", fmt.Errorf("the user did not accept: %s", action)
		}
		text, _ := protocol.Text(protocol.Member(protocol.Member(result, "content"), "answer"))
		return text, nil
	}
	return "", nil
}
