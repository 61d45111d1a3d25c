package reference

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A post is a frame that is on its way by HTTP, and what the server says to it.
//
// In the modern era closing it is how its request is cancelled. In the legacy era it is
// not: the stream of a cancelled call is left to the server to end, and what comes by it
// is dropped. But no text says that a server ends it, so that it is closed after
// lingering, see [post.settle].
type post struct {
	web *web
	out *outgoing
	ctx context.Context
	cut context.CancelFunc
	cursor

	timer *time.Timer // set when nobody waits any more. Guarded by link.mu
	over  bool        // guarded by link.mu
	again bool        // it has been posted once more, see postsAgain
}

// lingering is how long a server may take to end a response that nobody waits for. It is
// longer than a world is commonly left to settle, so that who looks there sees it open.
const lingering = time.Minute

// begin makes the post of a frame; nil if it is not to be sent any more.
func (h *web) begin(o *outgoing) *post {
	p := &post{web: h, out: o, cursor: cursor{link: h.link, retry: -1}}
	p.ctx, p.cut = context.WithCancel(h.ctx)
	l := h.link
	l.mu.Lock()
	defer l.mu.Unlock()
	if o.left {
		p.cut()
		return nil
	}
	o.each(func(o *outgoing) { o.post = p })
	if !p.asks() {
		h.notes.Add(1)
		l.replying++
	}
	o.settle()
	return p
}

// asks reports whether the frame has a request in it.
func (p *post) asks() bool {
	asks := false
	p.out.each(func(o *outgoing) { asks = asks || o.request })
	return asks
}

// end takes note that the post is over.
func (p *post) end() {
	l := p.web.link
	l.mu.Lock()
	defer l.mu.Unlock()
	p.cut()
	p.over = true
	if p.timer != nil {
		p.timer.Stop()
	}
	if !p.asks() {
		p.web.notes.Done()
		l.replying--
	}
}

// abandon cancels a request by closing what carries it. The caller holds link.mu.
func (o *outgoing) abandon() {
	o.left = true
	if o.post != nil {
		o.post.cut()
	}
}

// settle has what carries o closed after lingering, if nobody waits any more for what
// comes by it. The caller holds link.mu.
func (o *outgoing) settle() {
	if p := o.post; p != nil && !p.over && p.timer == nil && p.web.link.defect != leavesStreams && p.settled() {
		p.timer = time.AfterFunc(lingering, p.cut)
	}
}

// settled reports whether nobody waits for what the server says to the frame. The caller
// holds link.mu.
func (p *post) settled() bool {
	settled := true
	p.out.each(func(o *outgoing) { settled = settled && (o.of == nil || !p.web.link.awaited(o.of)) })
	return settled
}

// awaited reports whether w waits for its answer. The caller holds mu.
func (l *link) awaited(w *waiter) bool {
	for other := l.waiting[w.id]; other != nil; other = other.behind {
		if other == w {
			return true
		}
	}
	return false
}

// run posts the frame and reads what the server says, to its end. It calls begun when
// the transport has been handed the request.
func (p *post) run(begun func()) {
	defer p.end()
	err := p.exchange(begun)
	if p.postsAgain(err) {
		err = p.exchange(begun)
	}
	if p.out.seen != nil {
		p.web.opened(err)
		p.out.seen <- err
	}
	switch {
	case err == nil && p.web.transport == sim.HTTPSSE:
		return // the answer comes by the stream
	case err == nil:
		err = errors.New("the response ended without an answer")
	}
	p.out.each(func(o *outgoing) {
		if o.of != nil {
			p.web.link.lose(o.of, err)
		}
	})
}

// exchange is one HTTP exchange, and those that resume it. An error is why no answer has
// come.
func (p *post) exchange(begun func()) error {
	resp, err := p.send(begun)
	begun()
	if err != nil {
		return err
	}
	return p.read(resp)
}

func (p *post) send(begun func()) (*http.Response, error) {
	trace := &httptrace.ClientTrace{GetConn: func(string) { begun() }}
	if p.out.brief {
		trace.WroteRequest = func(httptrace.WroteRequestInfo) { p.cut() }
	}
	body := bytes.TrimSuffix(p.out.bytes(), []byte("\n"))
	req, err := p.web.request(httptrace.WithClientTrace(p.ctx, trace), http.MethodPost, p.web.target, body)
	if err != nil {
		return nil, err
	}
	p.web.describe(req, protocol.Identify(body))
	if p.out.spoil != nil {
		p.out.spoil(req.Header)
	}
	return p.web.http.Do(req)
}

// read acts on the response. An error is why no answer has come.
func (p *post) read(resp *http.Response) (err error) {
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	if w := p.out.of; w != nil && w.fixed && resp.StatusCode == http.StatusOK {
		p.web.greet(resp.Header)
	}
	kind := typeOf(resp.Header)
	switch {
	case resp.StatusCode/100 != 2:
		return p.refused(resp, kind)
	case !p.asks() || p.web.transport == sim.HTTPSSE:
		_, err := io.Copy(io.Discard, resp.Body)
		return err
	case kind == eventType:
		return p.stream(resp)
	case kind == jsonType:
		return p.object(resp.Body)
	}
	return fmt.Errorf("the server answers a request with %s, %q", resp.Status, kind)
}

// object takes the answer out of a body that is one JSON object.
func (p *post) object(body io.Reader) error {
	m, err := readFrame(body)
	if err != nil {
		return err
	}
	return p.hear(m)
}

// hear has the link act on a message. An error of that ends the link.
func (c *cursor) hear(m *history.Message) error {
	err := c.link.receiveAll(m)
	if err != nil {
		c.link.fail(err)
	}
	return err
}

// refused acts on the status of an error, which may come with an error reply.
func (p *post) refused(resp *http.Response, kind string) error {
	err := fmt.Errorf("the server answers with HTTP status %s", resp.Status)
	m, broken := readFrame(resp.Body)
	switch {
	case resp.StatusCode == http.StatusNotFound && p.web.sessionID() != "":
		return errSessionEnded
	case broken != nil:
		return errors.Join(err, broken)
	case kind != jsonType || m.Kind != history.ErrorReply:
		return err
	case m.ID == "":
		return protocol.RPCError{Code: m.Code, Message: m.Text}
	}
	return p.hear(m)
}

// errSessionEnded is what becomes of a request to a session that the server does not know.
// The text wants a client to begin a new session then ("it MUST start a new session by
// sending a new InitializeRequest"), which only its application can: what the old one held
// is lost. The error tells it. Requests that it makes all the same are sent, and fail alike.
var errSessionEnded = errors.New("the session has ended: the server does not know it (HTTP status 404)")

// readFrame reads a body to its end, which is one frame.
func readFrame(body io.Reader) (*history.Message, error) {
	raw, err := io.ReadAll(io.LimitReader(body, maxFrame+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read a body: %w", err)
	case len(raw) > maxFrame:
		return nil, fmt.Errorf("read a body: longer than %d bytes", maxFrame)
	}
	return protocol.Identify(raw), nil
}

// stream follows an SSE stream to its end, and in the legacy era beyond it: a stream that
// breaks off before the answer is resumed.
func (p *post) stream(resp *http.Response) error {
	err := p.follow(resp.Body)
	for !p.done() {
		if p.web.link.modern || p.last == "" {
			return fmt.Errorf("the stream of the response broke off: %w", err)
		}
		again, lost := p.resume()
		if lost != nil {
			return fmt.Errorf("the stream of the response broke off: %w", lost)
		}
		err = errors.Join(p.follow(again.Body), again.Body.Close())
	}
	return err
}

// done reports whether there is no reason to go on reading.
func (p *post) done() bool {
	l := p.web.link
	l.mu.Lock()
	defer l.mu.Unlock()
	return p.ctx.Err() != nil || p.settled()
}
