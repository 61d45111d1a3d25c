package gosdk

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpsim/mcpsim/sim"
)

// The SDK's client opens a subscriptions/listen by itself when it connects, for the
// list of tools, if there is a handler for its changes; and one for each resource
// that the application subscribes to. Neither says when it has ended.

// hear makes the client one that wants to hear of changes.
func hear(opts *mcp.ClientOptions) {
	opts.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) {}
	opts.ResourceUpdatedHandler = func(context.Context, *mcp.ResourceUpdatedNotificationRequest) {}
}

// watch notices the end of the session.
func (c *client) watch() {
	defer close(c.over)
	_ = c.session.Wait() // why it ended is none of a subscription's business
}

var errOver = errors.New("the session is over")

// listen subscribes to a resource and keeps that until ctx ends or the session does.
// As long as the SDK tells nothing, that is when a subscription is over.
func (c *client) listen(ctx context.Context, uri string) error {
	if err := c.session.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return errors.Join(ctx.Err(), c.session.Unsubscribe(context.WithoutCancel(ctx), &mcp.UnsubscribeParams{URI: uri}))
	case <-c.over:
		return errOver
	}
}

// allowSubscriptions lets clients subscribe to resources: the SDK asks the
// application first.
func allowSubscriptions(opts *mcp.ServerOptions) {
	opts.SubscribeHandler = func(context.Context, *mcp.SubscribeRequest) error { return nil }
	opts.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
}

// ChangeTools adds a tool or takes it away. The SDK tells the clients of it, a
// little later.
func (s *server) ChangeTools(extra sim.Tool, there bool) {
	if !there {
		s.impl.RemoveTools(extra.Name)
		return
	}
	s.impl.AddTool(&mcp.Tool{Name: extra.Name, InputSchema: json.RawMessage(`{"type":"object"}`)}, s.handler(extra))
}

// ChangeResource has the SDK tell who subscribed.
func (s *server) ChangeResource(uri string) {
	// The SDK reports nothing here but a cancelled context, which this one is not.
	_ = s.impl.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: uri})
}
