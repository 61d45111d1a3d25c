package reference

import (
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/mcpsim/mcpsim/sim/protocol"
)

// listen is the client's side of HTTP+SSE: it opens the stream by which all that the
// server says comes, whose first event says where to post. The stream's end is that of
// the session.
func (h *web) listen() {
	err := h.hearStream()
	if errors.Is(err, io.EOF) {
		err = errors.New("the server has hung up")
	}
	h.link.fail(err)
}

func (h *web) hearStream() (err error) {
	resp, err := h.open(h.ctx, "")
	if err != nil {
		return fmt.Errorf("open the stream: %w", err)
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	events, aimed := newEventReader(resp.Body), false
	c := cursor{link: h.link}
	for {
		e, err := events.next()
		switch {
		case err != nil:
			return err
		case e.name == "endpoint" && !aimed:
			if err := h.aim(e.data); err != nil {
				return err
			}
			aimed = true
		case e.message():
			if err := c.hear(protocol.Identify([]byte(e.data))); err != nil {
				return err
			}
		}
	}
}

// aim takes note of where to post. That must be at the server that the stream comes from.
func (h *web) aim(to string) error {
	base, err := url.Parse(h.endpoint)
	if err != nil {
		return fmt.Errorf("read the address of the stream: %w", err)
	}
	target, err := base.Parse(to)
	if err != nil {
		return fmt.Errorf("read the address to post to: %w", err)
	}
	if target.Scheme != base.Scheme || target.Host != base.Host {
		return fmt.Errorf("the server wants messages posted elsewhere: %s", target)
	}
	h.target = target.String()
	close(h.aimed)
	return nil
}
