package protocol_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// What the frames of subscriptions say is read as it was written.
func TestListenFrames(t *testing.T) {
	for _, row := range []struct {
		why, frame string
		kind       history.MessageKind
		method     string
		sub        string
		call       int
	}{
		{"an acknowledgement", string(protocol.AppendAcknowledged(nil, `"s"`, `"toolsListChanged":true`)), history.Notification, protocol.Acknowledged, `"s"`, 0},
		{"a change of the list of tools", string(protocol.AppendChanged(nil, protocol.ToolsChanged, "7", "")), history.Notification, protocol.ToolsChanged, "7", 0},
		{"a change of a resource", string(protocol.AppendChanged(nil, protocol.ResourceUpdated, "7", "a/b")), history.Notification, protocol.ResourceUpdated, "7", 0},
		{"one for nobody", string(protocol.AppendChanged(nil, protocol.ResourceUpdated, "", "a/b")), history.Notification, protocol.ResourceUpdated, "", 0},
		{"the response that ends one", string(protocol.AppendListened(nil, "7")), history.Response, "", "7", 0},
		{"an id with an escape", `{"jsonrpc":"2.0","method":"m","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"\u0073"}}}`, history.Notification, "m", `"s"`, 0},
		{"an id elsewhere is none", `{"jsonrpc":"2.0","method":"m","params":{"io.modelcontextprotocol/subscriptionId":7}}`, history.Notification, "m", "", 0},
		{"a request's, which has none", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`, history.Request, "m", "", 0},
		{"the number of the call, in the resource", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["mcpsim://call/12"]}}}`,
			history.Request, protocol.Listen, "", 12},
		{"no number in another resource", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["x:y"]}}}`,
			history.Request, protocol.Listen, "", 0},
	} {
		m := protocol.Identify([]byte(row.frame))
		assert.Equal(t, row.kind, m.Kind, row.why)
		assert.Equal(t, row.method, m.Method, row.why)
		assert.Equal(t, row.sub, m.Sub, row.why)
		assert.Equal(t, row.call, m.Call, row.why)
	}
}
