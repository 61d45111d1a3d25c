package reference

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A client speaks one protocol version and does not negotiate.
//
// A call whose context ends is given up at once, whatever the network does: if
// its request has been handed to the network, a notifications/cancelled follows
// it in order; if it still waits to be, it is taken back, and the server hears
// of neither. A response that was read before the context's end was noticed
// wins. A response that is read later is dropped.
type client struct {
	caller protocol.Caller
	defect defect
	repeat int // see sim.ClientEnv
	env    sim.ClientEnv
	link   *link         // nil until Connect
	parked chan struct{} // nobody closes it but a test

	requests sync.Map // the ids of the requests that began tasks, by task; see began
}

func newClient(env sim.ClientEnv, d defect) *client {
	return &client{
		caller: protocol.Caller{
			Version: env.SpecVersion, Name: programName, Release: programRelease, Capabilities: clientCapabilities(env),
		},
		env:    env,
		defect: d,
		repeat: env.RepeatCancels,
		parked: make(chan struct{}),
	}
}

var errNotConnected = errors.New("not connected")

// Connect does the handshake: initialize and notifications/initialized, or
// server/discover. When it fails, or when ctx ends first, the connection is
// closed; an initialize is never cancelled by a notification.
func (c *client) Connect(ctx context.Context, conn sim.Conn) error {
	c.link = openLink(conn, c)
	if err := c.handshake(ctx); err != nil {
		err = fmt.Errorf("connect: %w", err)
		c.link.abort(err)
		return err
	}
	return c.afterHandshake()
}

func (c *client) handshake(ctx context.Context) error {
	modern := protocol.Modern(c.caller.Version)
	m, err := c.link.ask(ctx, question{
		fixed: !modern,
		frame: func(b []byte, id string) []byte { return protocol.AppendHandshake(b, id, c.caller) },
	})
	if err != nil {
		return err
	}
	result, err := resultOf(m)
	if err != nil {
		return err
	}
	if err := checkHandshake(result, c.caller.Version); err != nil || modern {
		return err
	}
	return c.link.announce(ctx, protocol.AppendNotification(nil, protocol.Initialized, ""))
}

// Call makes one request. It returns the text of the result; or ctx's error, at
// once, when ctx ends; or another error when the server or the tool says so or
// the connection is lost.
func (c *client) Call(ctx context.Context, r sim.Request) (string, error) {
	frame, err := c.frame(r)
	if err != nil {
		return "", fmt.Errorf("call %s: %w", r.Method, err)
	}
	m, err := c.ask(ctx, question{frame: frame, prank: r.Mischief})
	if err != nil {
		return "", err
	}
	result, err := resultOf(m)
	if err != nil {
		return "", err
	}
	return textOf(r.Method, result)
}

// Probe asks for a sign of life and blocks until it comes, ctx ends or the
// connection is lost.
func (c *client) Probe(ctx context.Context) error {
	m, err := c.ask(ctx, question{frame: func(b []byte, id string) []byte { return protocol.AppendProbe(b, id, c.caller) }})
	if err != nil {
		return err
	}
	_, err = resultOf(m)
	return err
}

func (c *client) ask(ctx context.Context, q question) (*history.Message, error) {
	if c.link == nil {
		return nil, errNotConnected
	}
	return c.link.ask(ctx, q)
}

// Close writes what is waiting to be written, closes the writing end and waits
// for the server to do the same, for closeGrace at most. Calls that are under
// way return with an error at once.
func (c *client) Close() error {
	if c.link == nil {
		return nil
	}
	return c.link.close()
}
