package mcpgo

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	sdk "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpsim/mcpsim/sim"
)

// Subscriptions came late, so the client's Listen is called by name.

// listens reports whether the SDK's client can open a subscription.
func listens() bool {
	_, ok := reflect.TypeFor[*sdk.Client]().MethodByName("Listen")
	return ok
}

// A turn is held by the one subscription that the SDK's client has at a time: it
// ends one when another is opened, so an application that does not want that waits.
type turn chan struct{}

// listen opens a subscription and blocks until it is over.
func (c *client) listen(ctx context.Context, r sim.Request) error {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	method := reflect.ValueOf(c.impl).MethodByName("Listen")
	if !method.IsValid() {
		return fmt.Errorf("the SDK's client has no call for %s", r.Method)
	}
	filter := reflect.New(method.Type().In(1)).Elem()
	filter.FieldByName("ToolsListChanged").SetBool(r.Tools)
	filter.FieldByName("ResourceSubscriptions").Set(reflect.ValueOf([]string{r.Name}))
	err, _ := method.Call([]reflect.Value{reflect.ValueOf(ctx), filter})[0].Interface().(error)
	return err
}

// ChangeTools adds a tool or takes it away, of which the SDK tells the clients.
func (s *server) ChangeTools(extra sim.Tool, there bool) {
	if !there {
		s.mcp.DeleteTools(extra.Name)
		return
	}
	s.mcp.AddTool(mcp.NewToolWithRawSchema(extra.Name, "", json.RawMessage(`{"type":"object"}`)), handler(extra))
}

// ChangeResource does nothing. Over stdio the SDK tells the application nothing of
// who has asked for that, so it could not be told to them alone, and the capability
// is not declared.
func (s *server) ChangeResource(string) {}
