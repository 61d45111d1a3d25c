package reference

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A cursor is how far a client has read a stream.
type cursor struct {
	link  *link
	last  string        // id of the last event; empty: none had one
	retry time.Duration // how long to wait before connecting again, as the server wants it; negative: it has not said
	tries int           // how often the client has connected again since an event came
}

// follow hands what comes by a stream to the link until it ends, io.EOF, or breaks off.
func (c *cursor) follow(body io.Reader) error {
	events := newEventReader(body)
	for {
		e, err := events.next()
		if err != nil {
			return err
		}
		c.note(e)
		if !e.message() {
			continue
		}
		if err := c.hear(protocol.Identify([]byte(e.data))); err != nil {
			return err
		}
	}
}

// note takes note of an event.
func (c *cursor) note(e event) {
	c.tries = 0
	if e.id != "" {
		c.last = e.id
	}
	if e.retry >= 0 {
		c.retry = e.retry
	}
}

// How a client connects again: after how long, unless the server says, and how often
// before it gives up a stream by which nothing comes.
const (
	reconnectDelay = time.Second
	maxReconnects  = 5
)

var (
	errNoResumption = errors.New("the server does not resume it")
	errTooOften     = fmt.Errorf("nothing came by %d connections", maxReconnects)
)

// pause waits for as long as the server wants before the client connects again. An error
// means that it is not to.
func (c *cursor) pause(ctx context.Context) error {
	if c.tries++; c.tries > maxReconnects {
		return errTooOften
	}
	delay := c.retry
	switch {
	case c.hurries():
		delay = 0
	case delay < 0:
		delay = reconnectDelay
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// resume connects again to a stream that broke off. It returns an error when the server
// does not resume streams, or cannot be reached, or nobody waits any more.
func (p *post) resume() (*http.Response, error) {
	for {
		if err := p.pause(p.ctx); err != nil {
			return nil, err
		}
		if p.done() {
			return nil, errNobodyWaits
		}
		resp, err := p.web.open(p.ctx, p.last)
		if err == nil || errors.Is(err, errNoResumption) {
			return resp, err
		}
	}
}

var errNobodyWaits = errors.New("nobody waits for it any more")

// open makes a GET for a stream, behind the event of that id. It returns errNoResumption
// when the server has none.
func (h *web) open(ctx context.Context, last string) (*http.Response, error) {
	req, err := h.request(ctx, http.MethodGet, h.endpoint, nil)
	if err != nil {
		return nil, err
	}
	if last != "" {
		req.Header.Set(protocol.HeaderLastEvent, last)
	}
	resp, err := h.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK && typeOf(resp.Header) == eventType {
		return resp, nil
	}
	err = fmt.Errorf("HTTP status %s, %q", resp.Status, typeOf(resp.Header))
	if resp.StatusCode/100 != 5 {
		err = errors.Join(errNoResumption, err)
	}
	return nil, errors.Join(err, resp.Body.Close())
}

// standalone keeps a stream open for what the server says of no request, until the
// session ends or the server has none. A stream that ends is opened again, as long as
// something comes.
func (h *web) standalone() {
	c := cursor{link: h.link, retry: -1}
	for {
		resp, err := h.open(h.ctx, c.last)
		if errors.Is(err, errNoResumption) {
			return
		}
		if err == nil {
			// How it ended makes no difference.
			_ = errors.Join(c.follow(resp.Body), resp.Body.Close())
		}
		if c.pause(h.ctx) != nil {
			return
		}
	}
}
