package netem

import (
	"maps"
	"net/http"
	"sync"
	"time"
)

// A passage lets a response through, at once or when it is opened, until it is
// over. The backend may go on to use it when the server's ResponseWriter is gone.
type passage struct {
	w      http.ResponseWriter
	header http.Header // the backend's

	mu     sync.Mutex  // guards what follows, and w
	shut   bool        // what is written is kept
	over   bool        // nothing is passed on any more
	status int         // 0: no head yet
	head   http.Header // as it was then
	sent   bool        // the head was passed on
	body   []byte      // kept
}

func (p *passage) Header() http.Header { return p.header }

// WriteHeader begins the response. Informational heads are not passed on.
func (p *passage) WriteHeader(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
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
	if p.over || p.sent {
		return
	}
	p.sent = true
	maps.Copy(p.w.Header(), p.head)
	p.w.WriteHeader(p.status)
}

// Write passes b on, or keeps it. What a front cannot keep any more opens it.
func (p *passage) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return 0, errCut()
	}
	p.begin(http.StatusOK)
	if !p.shut {
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
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || !p.shut {
		return
	}
	p.release()
	if p.sent {
		_ = http.NewResponseController(p.w).Flush() // the next Write says if the client is gone
	}
}

func (p *passage) release() {
	p.shut = false
	if p.status == 0 {
		return
	}
	p.sendHead()
	_, _ = p.w.Write(p.body) // likewise
	p.body = nil
}

// finish lets through what is there when the backend has returned.
func (p *passage) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.status == 0 {
		p.head = p.header
		p.status = http.StatusOK
	}
	p.release()
	p.over = true
}

// end lets nothing through any more.
func (p *passage) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
}

// giveUp answers in the backend's place if it has not begun to, and breaks off
// otherwise.
func (p *passage) giveUp(r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	if p.sent {
		breakOff(p.w, r)
		return
	}
	http.Error(p.w, http.StatusText(http.StatusGatewayTimeout), http.StatusGatewayTimeout)
}

func (p *passage) breakOff(r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	breakOff(p.w, r)
}

// Flush does what FlushError does.
func (p *passage) Flush() { _ = p.FlushError() }

// FlushError sends what was passed on; of what is kept, nothing.
func (p *passage) FlushError() error {
	return p.control(func(c *http.ResponseController) error {
		p.begin(http.StatusOK)
		if p.shut {
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
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return errCut()
	}
	return do(http.NewResponseController(p.w))
}
