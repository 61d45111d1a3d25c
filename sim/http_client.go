package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"sync"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A clientTap is what a client's target makes its HTTP requests with. It records
// them, and leaves them to a real transport.
type clientTap struct {
	wire *httpWire
	seat *seat
	next *http.Transport
}

// RoundTrip is that of [http.RoundTripper].
func (t *clientTap) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := readAll(r.Body, t.wire.flood.room+1)
	if err != nil {
		return nil, err
	}
	if err := t.wire.weigh(len(body)); err != nil {
		return nil, err
	}
	ex := t.wire.open(t.seat, r, body)
	unwatch := context.AfterFunc(r.Context(), func() { ex.drop(text(r.Context().Err())) })
	response, err := t.next.RoundTrip(t.outgoing(ex, r, body))
	if err != nil {
		unwatch()
		ex.failed(err)
		return nil, err
	}
	ex.sentWhole(nil)
	ex.note(history.Event{Side: history.Client, Kind: history.Status, HTTP: responseHead(response.StatusCode, response.Header)})
	response.Body = newBodyTap(ex, response, unwatch)
	return response, nil
}

// outgoing is the request as it goes to the transport: with the exchange's number, and
// with a body that is watched.
func (t *clientTap) outgoing(ex *exchange, r *http.Request, body []byte) *http.Request {
	trace := &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if conn, ok := info.Conn.(*netem.Conn); ok {
				t.wire.carries(conn.Number(), ex)
			}
		},
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				ex.sentWhole(nil)
			}
		},
	}
	out := r.Clone(httptrace.WithClientTrace(r.Context(), trace))
	out.Header.Set(exchangeHeader, strconv.Itoa(ex.n))
	if r.Body != nil && r.Body != http.NoBody {
		out.ContentLength = int64(len(body))
		out.Body = io.NopCloser(bytes.NewReader(body))
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
	return out
}

// readAll reads a request's body, so much of it at most.
func readAll(body io.ReadCloser, most int64) ([]byte, error) {
	if body == nil || body == http.NoBody {
		return nil, nil
	}
	b, err := io.ReadAll(io.LimitReader(body, most))
	if err = errors.Join(err, body.Close()); err != nil {
		return nil, fmt.Errorf("read the request's body: %w", err)
	}
	return b, nil
}

// failed records that the transport brought no response.
func (ex *exchange) failed(err error) {
	if ex.ctx.Err() != nil {
		ex.drop(text(ex.ctx.Err()))
	}
	ex.sentWhole(err)
	ex.finish(err, "")
}

// CloseIdleConnections makes that of [http.Client] work.
func (t *clientTap) CloseIdleConnections() { t.next.CloseIdleConnections() }

// responseHead is what a response's head says.
func responseHead(status int, h http.Header) *history.HTTPHead {
	return &history.HTTPHead{Status: status, ContentType: h.Get("Content-Type"), Session: h.Get(protocol.HeaderSession)}
}

// A bodyTap is the body of a response as the client's target reads it.
type bodyTap struct {
	io.ReadCloser
	ex       *exchange
	unwatch  func() bool
	inflated bool // the transport decompresses it

	mu     sync.Mutex   // guards what follows: a body may be closed while it is read
	coding *inflater    // of a compressed body that nobody has decompressed; otherwise nil
	events *eventCutter // of an SSE stream; otherwise nil
	whole  []byte       // of another body, as far as it was read
	value  jsonValue    // that it is
	left   int64        // bytes that are still to come; below 0: nobody knows
	json   bool         // and that is to be a message
	taken  bool         // the message has been read
}

func newBodyTap(ex *exchange, r *http.Response, unwatch func() bool) *bodyTap {
	b := &bodyTap{ReadCloser: r.Body, ex: ex, unwatch: unwatch, left: r.ContentLength, coding: newInflater(r.Header, &ex.wire.world.own), inflated: r.Uncompressed}
	switch mediaType(r.Header) {
	case "text/event-stream":
		b.events = &eventCutter{}
	case "application/json":
		b.json = true
	}
	if b.left == 0 {
		b.end(nil)
	}
	return b
}

func mediaType(h http.Header) string {
	t, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return t
}

func (b *bodyTap) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.inflated { // it is more than was sent
		if err := b.ex.wire.weigh(n); err != nil {
			return 0, err
		}
	}
	b.hear(p[:n], err)
	return n, err
}

// hear takes note of a piece that is about to be handed over, with that error.
func (b *bodyTap) hear(piece []byte, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.saw(b.coding.feed(piece))
	if b.left >= 0 {
		b.left -= int64(len(piece))
	}
	switch {
	case errors.Is(err, io.EOF):
		b.end(nil)
	case err != nil:
		b.end(err)
	case b.events == nil && len(piece) > 0 && b.left == 0:
		b.end(nil) // nothing can follow
	}
}

// saw records the messages that end in a piece of what the body says.
func (b *bodyTap) saw(piece []byte) {
	if b.events != nil {
		for _, e := range b.events.feed(piece) {
			b.ex.cue(history.Client, e)
			if len(e.data) > 0 {
				b.ex.take()
			}
		}
		return
	}
	if room := maxBody - len(b.whole); len(piece) > 0 && room > 0 {
		b.whole = append(b.whole, piece[:min(room, len(piece))]...)
	}
	if b.json && !b.taken && b.value.feed(piece) && whole(b.whole) {
		b.taken = b.ex.take()
	}
}

// maxBody bounds what is kept of a body that is no stream.
const maxBody = 16 << 20

// end records that there is no more of the body.
func (b *bodyTap) end(err error) {
	if err != nil && b.ex.ctx.Err() != nil {
		b.ex.drop(text(b.ex.ctx.Err()))
	}
	said := ""
	if b.events == nil && !b.taken {
		said = string(b.whole[:min(len(b.whole), history.MaxBody)])
	}
	b.unwatch()
	b.coding.close()
	b.ex.finish(err, said)
}

func (b *bodyTap) Close() error {
	b.giveUp()
	return b.ReadCloser.Close()
}

// giveUp records that the client wants no more of the body, unless it has all of it.
func (b *bodyTap) giveUp() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unwatch()
	b.coding.close()
	if b.taken || b.ex.ctx.Err() == nil && b.events == nil && b.left == 0 {
		b.ex.finish(nil, "")
	}
	how := "body closed"
	if err := b.ex.ctx.Err(); err != nil {
		how = text(err)
	}
	b.ex.drop(how)
}
