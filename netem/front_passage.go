package netem

import (
	"maps"
	"net/http"
	"sync"
	"time"
)

// A passage lets a response through, at once or when it is opened, until it is
// over. The backend may go on to use it when the server's ResponseWriter is gone.
//
// Writing blocks for as long as the client does not read, so it has a lock of its
// own, and one that time can pass for whoever waits for it. What is to end the
// writing does not wait for it.
type passage struct {
	w      http.ResponseWriter
	header http.Header // the backend's

	turn   chan struct{} // full while somebody uses w or what follows; nobody closes it
	shut   bool          // what is written is kept
	status int           // 0: no head yet
	head   http.Header   // as it was then
	body   []byte        // kept

	mu   sync.Mutex // guards what follows
	over bool       // nothing is passed on any more
	sent bool       // the head was passed on, or is about to be
}

func newPassage(w http.ResponseWriter, shut bool) *passage {
	return &passage{w: w, header: http.Header{}, turn: make(chan struct{}, 1), shut: shut}
}

// take blocks until nobody else writes; the returned function lets others.
func (p *passage) take() (pass func()) {
	p.turn <- struct{}{}
	return func() { <-p.turn }
}

func (p *passage) Header() http.Header { return p.header }

// WriteHeader begins the response. Informational heads are not passed on.
func (p *passage) WriteHeader(status int) {
	defer p.take()()
	if status >= 200 || status == http.StatusSwitchingProtocols {
		p.begin(status)
	}
}

func (p *passage) begin(status int) {
	if p.status > 0 {
		return
	}
	p.status, p.head = status, p.header.Clone()
	if !p.shut {
		p.sendHead()
	}
}

func (p *passage) sendHead() {
	if p.claim() {
		maps.Copy(p.w.Header(), p.head)
		p.w.WriteHeader(p.status)
	}
}

// claim reports whether the head is to be passed on now. Whoever ends the passage
// afterwards has to break off.
func (p *passage) claim() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || p.sent {
		return false
	}
	p.sent = true
	return true
}

// end lets nothing through any more, other than what is being written, and reports
// whether the head was passed on.
func (p *passage) end() (sent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	return p.sent
}

func (p *passage) isOver() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over
}

// Write passes b on, or keeps it. What a front cannot keep any more opens it.
func (p *passage) Write(b []byte) (int, error) {
	defer p.take()()
	p.begin(http.StatusOK)
	switch {
	case p.isOver():
		return 0, errCut()
	case !p.shut:
		return p.w.Write(b)
	}
	p.body = append(p.body, b...)
	if len(p.body) > frontMemory {
		p.release()
	}
	return len(b), nil
}

// open lets everything through that was kept, and what comes.
func (p *passage) open() {
	defer p.take()()
	if !p.shut || p.isOver() {
		return
	}
	p.release()
	if p.status > 0 {
		_ = http.NewResponseController(p.w).Flush() // the next Write says if the client is gone
	}
}

func (p *passage) release() {
	p.shut = false
	if p.status == 0 {
		return
	}
	if p.sendHead(); !p.isOver() {
		_, _ = p.w.Write(p.body) // the next Write says if the client is gone
	}
	p.body = nil
}

// finish lets through what is there when the backend has returned.
func (p *passage) finish() {
	defer p.take()()
	if p.status == 0 {
		p.head = p.header
		p.status = http.StatusOK
	}
	p.release()
	p.end()
}

// leave ends the passage, and blocks until nobody writes.
func (p *passage) leave() {
	p.end()
	p.take()()
}

// giveUp answers in the backend's place if it has not begun to, and breaks off
// otherwise.
func (p *passage) giveUp(r *http.Request) {
	if p.end() {
		p.breakOff(r)
		return
	}
	defer p.take()()
	http.Error(p.w, http.StatusText(http.StatusGatewayTimeout), http.StatusGatewayTimeout)
}

// breakOff breaks what carries the response, and blocks until whoever was writing to
// it has noticed.
func (p *passage) breakOff(r *http.Request) {
	p.end()
	breakOff(p.w, r)
	p.take()()
}

// Flush does what FlushError does.
func (p *passage) Flush() { _ = p.FlushError() }

// FlushError sends what was passed on; of what is kept, nothing.
func (p *passage) FlushError() error {
	return p.control(func(c *http.ResponseController) error {
		p.begin(http.StatusOK)
		switch {
		case p.isOver():
			return errCut()
		case p.shut:
			return nil
		}
		return c.Flush()
	})
}

// SetReadDeadline, SetWriteDeadline and EnableFullDuplex are for
// http.ResponseController.
func (p *passage) SetReadDeadline(t time.Time) error {
	return p.control(func(c *http.ResponseController) error { return c.SetReadDeadline(t) })
}

// SetWriteDeadline does what SetReadDeadline does for what is written.
func (p *passage) SetWriteDeadline(t time.Time) error {
	return p.control(func(c *http.ResponseController) error { return c.SetWriteDeadline(t) })
}

// EnableFullDuplex lets the backend read when it has begun to write.
func (p *passage) EnableFullDuplex() error {
	return p.control(func(c *http.ResponseController) error { return c.EnableFullDuplex() })
}

func (p *passage) control(do func(*http.ResponseController) error) error {
	defer p.take()()
	if p.isOver() {
		return errCut()
	}
	return do(http.NewResponseController(p.w))
}
