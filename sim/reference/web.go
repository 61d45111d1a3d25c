package reference

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A web carries frames by HTTP: each is posted alone, and travels alone. What the server
// says comes as the answer to a post, or on a stream that the client has opened.
//
//	link's writer   post 7 ─▶ begun    post cancel 7 ─▶ begun
//	post 7                 ─▶ … reads what comes, until its end …
//	post cancel 7                             ─▶ 202
//
// Which of two posts arrives first is the network's business; that they are begun in the
// order of the queue is carry's.
type web struct {
	link      *link
	http      *http.Client
	endpoint  string
	transport string
	// target is where to post. Over HTTP+SSE the server says so on its stream; aimed is
	// closed once it is known.
	target string
	aimed  chan struct{}
	ctx    context.Context // of all exchanges but the farewell's
	cut    context.CancelFunc

	mu      sync.Mutex // guards what follows
	session string     // what the server calls it; empty: nothing
	greeted bool       // the handshake is answered, so that requests name the version
	notes   sync.WaitGroup
	errs    []error // of the farewell
}

func newWeb(l *link, conn sim.Conn, transport string) *web {
	h := &web{link: l, http: conn.HTTP, endpoint: conn.Endpoint, transport: transport, target: conn.Endpoint, aimed: make(chan struct{})}
	h.ctx, h.cut = context.WithCancel(context.Background())
	if transport != sim.HTTPSSE {
		close(h.aimed)
	}
	return h
}

func (h *web) start() {
	if h.transport == sim.HTTPSSE {
		h.link.ends.Go(h.listen)
	}
}

// opened is called with what the server says to the client's being initialized.
func (h *web) opened(err error) {
	if err == nil && h.transport == sim.StreamableHTTP && h.link.isUp() {
		h.link.ends.Go(h.standalone)
	}
}

// carry begins to post a frame, and returns when the transport has been handed it.
func (h *web) carry(o *outgoing) error {
	select {
	case <-h.aimed:
	case <-h.ctx.Done():
		return h.ctx.Err()
	}
	p := h.begin(o)
	if p == nil {
		return nil
	}
	begun := make(chan struct{})
	h.link.ends.Go(func() { p.run(sync.OnceFunc(func() { close(begun) })) })
	<-begun
	return nil
}

// farewell ends the session: see [web.quit]. What is still open then is cut.
func (h *web) farewell() error {
	if !h.link.modern {
		err := h.quit()
		h.mu.Lock()
		h.errs = append(h.errs, err)
		h.mu.Unlock()
	}
	h.cut()
	return h.outcome()
}

func (h *web) hangup() error {
	h.cut()
	return h.outcome()
}

func (h *web) outcome() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return errors.Join(h.errs...)
}

// notesGrace is how long a client that closes waits for its last notifications to be
// accepted.
const notesGrace = time.Second

// quit ends a session of the legacy era by DELETE, if the server has named one. A server
// may know it no more, or not allow it (405).
//
// It must be the last to be sent, so notifications under way get their time. It never
// takes longer than closeGrace.
func (h *web) quit() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	h.settleNotes()
	if h.sessionID() == "" || h.link.defect == neverDeletes {
		return nil
	}
	status, err := h.bid(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("end the session: %w", err)
	case status/100 != 2 && status != http.StatusNotFound && status != http.StatusMethodNotAllowed:
		return fmt.Errorf("end the session: HTTP status %d", status)
	}
	return nil
}

// bid sends the DELETE and returns the status that it is answered with.
func (h *web) bid(ctx context.Context) (int, error) {
	req, err := h.request(ctx, http.MethodDelete, h.endpoint, nil)
	if err != nil {
		return 0, err
	}
	resp, err := h.http.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// settleNotes waits for the posts of notifications that are under way.
func (h *web) settleNotes() {
	done := make(chan struct{})
	h.link.ends.Go(func() {
		defer close(done)
		h.notes.Wait()
	})
	patience := time.NewTimer(notesGrace)
	defer patience.Stop()
	select {
	case <-done:
	case <-patience.C:
	}
}

func (h *web) sessionID() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.session
}

// greet takes note of what the answer to the handshake says of the session.
func (h *web) greet(head http.Header) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.link.modern {
		h.session = head.Get(protocol.HeaderSession)
	}
	h.greeted = true
}

// request makes an HTTP request with the headers that a client must send.
func (h *web) request(ctx context.Context, method, url string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	switch method {
	case http.MethodPost:
		req.Header.Set("Content-Type", jsonType)
		req.Header.Set("Accept", jsonType+", "+eventType)
	case http.MethodGet:
		req.Header.Set("Accept", eventType)
	}
	if h.transport == sim.HTTPSSE {
		return req, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.session != "" {
		req.Header.Set(protocol.HeaderSession, h.session)
	}
	if h.link.modern || h.greeted && protocol.NamesVersion(h.link.version) {
		req.Header.Set(protocol.HeaderVersion, h.link.version)
	}
	return req, nil
}

// describe adds what the modern era wants said of a message in the headers of its post.
func (h *web) describe(req *http.Request, m *history.Message) {
	if !h.link.modern || m.Method == "" {
		return
	}
	req.Header.Set(protocol.HeaderMethod, m.Method)
	if name, named := nameOf(m); named {
		req.Header.Set(protocol.HeaderName, encodeHeader(name))
	}
}
