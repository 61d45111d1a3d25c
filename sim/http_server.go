package sim

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// observe is the link of the handler chain before a server's target: it records what
// reaches the target and what that writes. instance is which of several servers it is.
func (x *httpWire) observe(next http.Handler, instance int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ex := x.lookup(r)
		if ex == nil {
			http.Error(w, "this request is of no client in this world", http.StatusTeapot)
			return
		}
		head := requestHead(r)
		if head.Instance = instance; len(x.servers) == 1 {
			head.Instance = 0
		}
		if conn := netem.ConnOf(r.Context()); conn != nil {
			head.Conn = conn.Number()
		}
		ex.unanswered() // if the transport makes it again
		ex.note(history.Event{Side: history.Server, Kind: history.Begin, HTTP: head})
		x.serveExchange(ex, next, w, r, instance)
	})
}

// serveExchange has the target serve an exchange. The target's context ends when the
// connection's does, but in an order that can be recorded: first the server sees that
// the client is gone, then whatever hangs on the context is told.
func (x *httpWire) serveExchange(ex *exchange, next http.Handler, w http.ResponseWriter, r *http.Request, instance int) {
	ctx, end := context.WithCancelCause(context.WithoutCancel(r.Context()))
	defer end(context.Canceled)
	inner := r.WithContext(ctx)
	inner.Header.Del(exchangeHeader)
	inner.Body = &requestTap{ReadCloser: r.Body, ex: ex, left: r.ContentLength}
	tap := &responseTap{ResponseWriter: w, ex: ex, instance: instance}
	defer func() {
		// net/http recovers; what its log says nobody reads.
		p := recover()
		ex.serverDone(tap, p)
		if p != nil {
			panic(p)
		}
	}()
	defer onceEnded(r.Context(), func() {
		ex.gone()
		end(context.Cause(r.Context()))
	})()
	next.ServeHTTP(tap, inner)
	if ctx.Err() == nil {
		tap.head(http.StatusOK) // as net/http writes it, if nobody has
	}
}

// onceEnded has f called when ctx has ended, in a goroutine of its own. The returned
// function blocks until f has returned if ctx has ended by then, and else keeps f from
// being called: what has ended before the caller is done is seen before that.
func onceEnded(ctx context.Context, f func()) (unwatch func()) {
	seen := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(seen)
		f()
	})
	return func() {
		switch {
		case !stop():
			<-seen
		case ctx.Err() != nil: // a context has ended before it says so to those who watch it
			f()
		}
	}
}

// gone records that the server sees the client gone. What the client did to bring that
// about comes before.
func (ex *exchange) gone() {
	if err := ex.ctx.Err(); err != nil {
		ex.drop(text(err))
	}
	ex.note(history.Event{Side: history.Server, Kind: history.Gone})
}

// A requestTap is the body of a request as the server's target reads it.
type requestTap struct {
	io.ReadCloser
	ex   *exchange
	left int64 // bytes that have not been read; below 0: nobody knows
}

func (b *requestTap) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left >= 0 {
		b.left -= int64(n)
		if b.left <= 0 {
			b.ex.heardWhole()
		}
	}
	if err == io.EOF {
		b.ex.heardWhole()
	}
	return n, err
}

// A responseTap is where the server's target writes a response to.
type responseTap struct {
	http.ResponseWriter
	ex       *exchange
	instance int

	mu      sync.Mutex // guards what follows: a target may write from several goroutines
	headed  bool
	refuses bool         // with an error's status: its body need not be a message
	coding  *inflater    // of a compressed body; otherwise nil
	events  *eventCutter // of an SSE stream; otherwise nil
	body    []byte       // of a JSON body, as far as it has been written
	value   jsonValue    // that it is
	json    bool
	open    *passage // whose writing has begun and not ended
	written bool     // the JSON body's message has been
}

// Unwrap is for [http.ResponseController].
func (t *responseTap) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// Flush is that of [http.Flusher].
func (t *responseTap) Flush() {
	t.head(http.StatusOK)
	// What a flush says, the next write says, too.
	_ = http.NewResponseController(t.ResponseWriter).Flush()
}

// WriteHeader is that of [http.ResponseWriter].
func (t *responseTap) WriteHeader(status int) {
	if status >= http.StatusOK {
		t.head(status)
	}
	t.ResponseWriter.WriteHeader(status)
}

func (t *responseTap) head(status int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.headed {
		return
	}
	t.headed, t.refuses = true, status >= http.StatusMultipleChoices
	head := responseHead(status, t.Header())
	t.ex.wire.learnSession(head.Session, t.instance)
	t.coding = newInflater(t.Header(), &t.ex.wire.world.own)
	switch mediaType(t.Header()) {
	case "text/event-stream":
		t.events = &eventCutter{}
	case "application/json":
		t.json = true
	}
	t.ex.note(history.Event{Side: history.Server, Kind: history.Status, HTTP: head})
}

func (t *responseTap) Write(b []byte) (int, error) {
	t.head(http.StatusOK)
	if err := t.ex.wire.weigh(len(b)); err != nil {
		return 0, err
	}
	done := t.begun(b)
	n, err := t.ResponseWriter.Write(b)
	for _, p := range done {
		t.ex.wire.note(p, history.Server, history.Wrote, 0, err)
	}
	return n, err
}

// begun records the messages that begin in b, and returns those that end in it.
func (t *responseTap) begun(b []byte) []*passage {
	t.mu.Lock()
	defer t.mu.Unlock()
	b = t.coding.feed(b)
	switch {
	case t.events != nil:
		return t.begunEvents(b)
	case t.json && !t.written && len(t.body) < maxBody:
		return t.begunJSON(b)
	}
	return nil
}

func (t *responseTap) begunEvents(b []byte) (done []*passage) {
	events := t.events.feed(b)
	t.ex.wire.learnSession(t.events.session(), t.instance)
	for _, e := range events {
		if t.ex.wire.full() {
			break // one Write may say more than a world can hold
		}
		t.ex.cue(history.Server, e)
		switch {
		case len(e.data) == 0:
		case t.open == nil:
			done = append(done, t.ex.answer(e.data, e.id))
		default:
			done = append(done, t.completed(e.data, e.id))
		}
	}
	if t.open == nil && t.events.begun() {
		t.open = t.ex.answer(nil, t.events.id)
	}
	return done
}

func (t *responseTap) begunJSON(b []byte) []*passage {
	t.body = append(t.body, b...)
	if t.written = t.value.feed(b) && whole(t.body); !t.written {
		if t.open == nil && !t.refuses && len(t.body) > 0 {
			t.open = t.ex.answer(nil, "")
		}
		return nil
	}
	switch {
	case t.open != nil:
		return []*passage{t.completed(t.body, "")}
	case t.refuses && !protocol.Identify(bytes.TrimSpace(t.body)).IsReply():
		return nil
	}
	return []*passage{t.ex.answer(bytes.TrimSpace(t.body), "")}
}

// completed reads the open frame again, now that it is complete. A batch that was
// written piecemeal is no message.
func (t *responseTap) completed(frame []byte, id string) *passage {
	p := t.open
	t.open = nil
	t.ex.complete(p, bytes.TrimSpace(frame), id)
	return p
}

// finish ends a frame that never was completed.
func (t *responseTap) finish() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.coding.close()
	if t.open != nil {
		t.completed(t.body, "")
	}
}
